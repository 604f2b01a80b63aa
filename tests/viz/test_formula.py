"""The formula panel tells the truth: every formula and derivative of every op is evaluated and compared with the op's own rules."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.special

import gradlab as gl
from gradlab.backends.numpy import CPU
from gradlab.op import REGISTRY, Op, apply
from gradlab.viz import formula
from gradlab.viz.expression import name_term

SHOWN = [op for op in REGISTRY.values() if op.formula]
COMPUTED = [op for op in SHOWN if formula.is_spelled_out(op)]
FUNCTIONS: dict[str, Any] = {
    **{
        name: getattr(np, name)
        for name in (
            *("exp", "log", "log2", "log10", "sqrt", "sin", "cos", "tan", "tanh", "sinh", "cosh"),
            *(
                "abs",
                "sign",
                "mean",
                "floor",
                "ceil",
                "trunc",
                "isfinite",
                "fmin",
                "fmax",
                "nan_to_num",
                "pi",
            ),
        )
    },
    **{
        name: getattr(np, f"arc{name[1:]}")
        for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2")
    },
    "erf": scipy.special.erf,
    "round": np.rint,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
    "softplus": lambda x: np.log1p(np.exp(x)),
    "transpose": lambda x: np.swapaxes(x, -1, -2) if np.ndim(x) > 1 else x,
}
# What these formulas leave out, because it does not change a number: shape and dtype.
MOVES = formula.SPELLED_OUT - {"matmul"}


class _Elementwise(ast.NodeTransformer):
    """Conditions on arrays choose element by element."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return ast.Call(ast.Name("_where", ast.Load()), [node.test, node.body, node.orelse], [])


def evaluate(text: str, names: dict[str, Any]) -> Any:
    tree = ast.fix_missing_locations(_Elementwise().visit(ast.parse(text, mode="eval")))
    with np.errstate(all="ignore"):
        return eval(compile(tree, "formula", "eval"), {"_where": np.where, **FUNCTIONS, **names})


def operands(op: Op, arrays: tuple[Any, ...]) -> dict[str, Any]:
    return {"xs": arrays, "sum": sum} if op.variadic else dict(zip(op.arg_names, arrays, strict=True))


def formula_value(op: Op, arrays: tuple[Any, ...], params: dict[str, Any]) -> Any:
    names = operands(op, arrays)
    if op.name in MOVES:
        index = params.get("index")
        where = {"axis": params.get("axis"), "keepdims": params.get("keepdims")}
        into = params.get("shape")
        names |= {
            **{
                name: lambda x, name=name: getattr(np, name)(x, **where)
                for name in ("sum", "mean", "max", "min")
            },
            "reshape": lambda x: np.reshape(x, into),
            "transpose": lambda x: np.transpose(x, params.get("axes")),
            "broadcast": lambda x: np.broadcast_to(x, into),
            "add_at": lambda x: _added(x, index, into),
            "astype": lambda x: np.asarray(x).astype(params.get("dtype")),
            "i": index,
        }
    elif not op.variadic:
        names |= {"max": np.maximum, "min": np.minimum}
    return evaluate(op.formula, names)


def _added(x: Any, index: Any, shape: Any) -> Any:
    result = np.zeros(shape)
    np.add.at(result, index, x)
    return result


def derivative_value(op: Op, slot: int, arrays: tuple[Any, ...], z: Any, params: dict[str, Any]) -> Any:
    """The derivative expression, as a cotangent of ones makes it arrive at the input."""
    text = op.derivatives[0 if op.variadic else slot]
    names = operands(op, arrays) | {"z": z} | ({} if op.variadic else {"max": np.maximum, "min": np.minimum})
    x = arrays[slot]
    if op.name == "matmul":
        return None  # a matrix, not a number: tested below
    if op.name in ("max", "min"):
        axes, full = tuple(params["axis"]), z if params["keepdims"] else np.expand_dims(z, params["axis"])
        names |= {"z": full, "k": np.sum(x == full, axis=axes, keepdims=True)}
    if op.name == "mean":
        names["n"] = max(int(np.prod([x.shape[axis] for axis in params["axis"]])), 1)
    local = evaluate(text, names)
    if op.name in ("getitem", "broadcast_to"):  # an element that is read k times counts k times
        weights = np.zeros(x.shape) if op.name == "getitem" else None
        if weights is None:
            return local * np.full(x.shape, z.size / x.size if x.size else 0.0)
        np.add.at(weights, params["index"], 1.0)
        return local * weights
    return local * np.ones(x.shape if op.name in MOVES else np.shape(z))


@pytest.mark.parametrize("op", COMPUTED, ids=lambda op: op.name)
def test_the_formula_of_every_op_computes_what_the_op_computes(op: Op) -> None:
    for arrays, params in op.samples(np.random.default_rng(0)):
        found = formula_value(op, arrays, params)
        np.testing.assert_allclose(found, CPU.compute(op, arrays, params), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("op", COMPUTED, ids=lambda op: op.name)
def test_the_derivatives_of_every_op_are_what_its_rules_hand_back_for_a_cotangent_of_one(op: Op) -> None:
    for arrays, params in op.samples(np.random.default_rng(1)):
        check_derivatives(op, arrays, params)


def rules_of(op: Op, count: int) -> list[Any]:
    """One VJP rule per input; a variadic op has one rule for all of them."""
    if not op.variadic:
        return list(op.vjp)
    return [
        lambda ct, z, *xs, slot=slot, **params: op.vjp[0](ct, z, *xs, **params)[slot] for slot in range(count)
    ]


def check_derivatives(op: Op, arrays: tuple[Any, ...], params: dict[str, Any]) -> None:
    z = CPU.compute(op, arrays, params)
    for slot, rule in enumerate(rules_of(op, len(arrays))):
        text = op.derivatives[0 if op.variadic else slot]
        assert (rule is None) == (not text), f"{op.name} has a rule or a derivative without the other"
        if rule is None:
            continue
        expected = rule(np.ones(z.shape), z, *arrays, **params)
        found = derivative_value(op, slot, arrays, z, params)
        if found is not None:
            np.testing.assert_allclose(*np.broadcast_arrays(found, expected), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("slot", [0, 1])
def test_the_derivatives_of_the_matrix_product_are_the_factors_of_its_rules(slot: int) -> None:
    rng = np.random.default_rng(2)
    x, y, ct = rng.normal(size=(2, 3)), rng.normal(size=(3, 4)), rng.normal(size=(2, 4))
    op = REGISTRY["matmul"]
    factor = evaluate(op.derivatives[slot], {"x": x, "y": y, **FUNCTIONS})
    expected = op.vjp[slot](ct, x @ y, x, y)
    np.testing.assert_allclose(ct @ factor if slot == 0 else factor @ ct, expected)


@pytest.mark.parametrize(
    ("name", "wrong"), [("tanh", "1 - z"), ("divide", "x / y**2"), ("maximum", "1 if x < y else 0")]
)
def test_a_wrong_derivative_is_found(name: str, wrong: str) -> None:
    op = REGISTRY[name]
    slot = 1 if name == "divide" else 0
    bad = replace(op, derivatives=(*op.derivatives[:slot], wrong, *op.derivatives[slot + 1 :]))
    samples = list(op.samples(np.random.default_rng(0)))
    with pytest.raises(AssertionError):
        _ = [check_derivatives(bad, arrays, params) for arrays, params in samples]


@pytest.mark.parametrize("op", SHOWN, ids=lambda op: op.name)
def test_every_op_can_be_written_as_text_and_as_tex(op: Op) -> None:
    names = [name_term(word) for word in ("alpha", "beta", "gamma")]
    chosen = names if op.variadic else names[: len(op.arg_names)]
    for style in (formula.expression.UNICODE, formula.expression.TEX):
        text = formula.of_op(op, list(chosen), style).text
        assert all(one.text in text for one in chosen)
        for slot in range(len(chosen)):
            formula.of_derivative(op, slot, list(chosen), name_term("z"), style)


def test_what_the_tests_do_not_evaluate_is_shown_by_name() -> None:
    op = REGISTRY["softmax"]
    assert not formula.is_spelled_out(op)
    assert formula.of_op(op, [name_term("scores")]).text == "softmax(scores)"
    assert formula.of_derivative(op, 0, [name_term("scores")], name_term("p")) == "VJP of softmax"


def test_samples_reach_the_rules() -> None:
    assert len(COMPUTED) >= 30
    assert all(any(True for _ in op.samples(np.random.default_rng(0))) for op in COMPUTED)
    assert apply(REGISTRY["tanh"], 0.0) == 0.0


# --- the panel ---


def test_the_panel_of_the_first_example(loss: gl.Value) -> None:
    view = gl.draw(loss)
    found = {node.name: formula.explain(view, node.id) for node in view.nodes}
    prediction = found["prediction"]
    assert prediction["caption"] == "prediction = x·w + b"
    assert prediction["chain"] == "∂loss/∂prediction = ∂loss/∂error · ∂error/∂prediction"
    assert prediction["rule"] == "∂error/∂prediction = 1"
    assert prediction["numbers"] == "= −18.00 × 1 = −18.00"
    assert prediction["result"] == "−18.00"
    assert found["error"]["chain"] == "∂loss/∂error = 2·error"
    assert found["error"]["numbers"] == "= 1.000 × (−18.00) = −18.00"
    assert found["target"]["numbers"] == "= −18.00 × (−1) = 18.00"
    assert found["loss"]["chain"] == "∂loss/∂loss = 1"
    assert found["x"]["caption"] == "x, an input"
    assert found["w"]["caption"] == "w, a parameter"
    assert found["x·w"]["caption"] == "x·w"
    assert found["x"]["rule"] == "∂(x·w)/∂x = w"


def test_before_backward_there_are_symbols_but_no_numbers(make: dict[str, Callable[..., gl.Value]]) -> None:
    view = gl.draw(make["first"](backward=False))
    for node in view.nodes:
        texts = formula.explain(view, node.id)
        assert texts["chain"]
        assert texts["numbers"] == ""
        assert texts["result"] == "–"


def test_a_node_that_is_used_twice_gets_a_sum() -> None:
    x = gl.Value(3.0, label="x")
    y = x * x
    y.label = "y"
    z = y + x
    z.label = "z"
    z.backward()
    view = gl.draw(z)
    texts = formula.explain(view, "n0")
    assert texts["chain"] == "∂z/∂x = ∂z/∂y · ∂y/∂x [1st] + ∂z/∂y · ∂y/∂x [2nd] + 1"
    assert texts["numbers"] == "= 1.000 × 3.000 + 1.000 × 3.000 + 1.000 × 1 = 7.000"


def test_a_derivative_that_is_itself_a_sum_gets_parentheses_among_others() -> None:
    x = gl.Value(0.5, label="x")
    y = x.tan()
    y.label = "y"
    t = gl.maximum(x, y)
    t.label = "t"
    t.backward()
    chain = formula.explain(gl.draw(t), "n0")["chain"]
    assert chain == "∂t/∂x = ∂t/∂y · ∂y/∂x + (1 if x > y else 0.5 if x = y else 0)"


def test_a_second_backward_is_told_apart_from_one_pass(loss: gl.Value) -> None:
    loss.backward()
    view = gl.draw(loss)
    texts = formula.explain(view, "n1")
    assert (
        texts["numbers"] == "= −18.00 × 2.000 = −36.00 in this pass; the node holds −72.00, passes added up"
    )


def test_a_constant_needs_no_gradient() -> None:
    y = gl.Value(2.0, label="x") * 3.0
    y.backward()
    view = gl.draw(y)
    constant = next(node for node in view.nodes if node.kind == "constant")
    assert formula.explain(view, constant.id)["chain"] == "3 needs no gradient"
    assert formula.explain(view, constant.id)["result"] == "none"


def test_many_uses_are_listed_up_to_a_limit_and_counted() -> None:
    x = gl.Value(1.0, label="x")
    y = gl.total(*[x.tanh() * float(i) for i in range(9)])
    y.backward()
    chain = formula.explain(gl.draw(y), "n0")["chain"]
    assert chain.count(" · ") == 3
    assert "9 terms in all" in chain


def test_nan_and_infinity_appear_as_they_are() -> None:
    x = gl.Value(math.inf, label="x")
    y = x * 0.0 + x
    y.backward()
    view = gl.draw(y)
    assert "∞" in gl.draw(x + 1.0).text()
    assert formula.explain(view, "n0")["result"] == "1.000"
    assert view.nodes[-1].value != view.nodes[-1].value


def test_a_very_long_name_is_shortened_in_formulas(loss: gl.Value) -> None:
    x = gl.Value(1.0, label="n" * 5000)
    y = x.tanh()
    y.backward()
    assert all(len(text) < 600 for text in formula.explain(gl.draw(y), "n0").values())


def test_what_is_folded_says_so(make: dict[str, Callable[..., gl.Value]]) -> None:
    view = gl.draw(make["network"]())
    folded = next(node for node in view.nodes if node.hidden)
    assert str(folded.hidden) in formula.explain(view, folded.id)["caption"]
    x = next(node for node in view.nodes if node.name == "x1")
    assert "unfold" in formula.explain(view, x.id)["chain"]
