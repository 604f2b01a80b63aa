"""Every op gets its tests from its record alone. A check is a row of CHECKS; planted faults prove that the checks can fail."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import gradlab as gl
from gradlab import ops
from gradlab.backends import scalar
from gradlab.backends.numpy import CPU
from gradlab.graph import walk
from gradlab.graph.tensor import Tensor
from gradlab.graph.value import Value
from gradlab.op import REGISTRY, Op, apply

STEP = 6e-6
OPS = [op for op in REGISTRY.values() if "leaf" not in op.tags]
Sample = tuple[tuple[Any, ...], dict[str, Any]]


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def samples(op: Op) -> list[Sample]:
    return list(op.samples(rng()))


def compute(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    return np.asarray(op.forward(np, *args, **params))


def cuts(op: Op) -> bool:
    """Whether the op has no derivative at all."""
    return not any(op.vjp)


def listed(got: Any) -> list[Any]:
    """What a rule hands on, as a list: one array, or one per input of a variadic op."""
    return list(got) if isinstance(got, (tuple, list)) else [got]


def directions(op: Op, args: tuple[Any, ...]) -> list[Any]:
    """A random tangent for each input that has a derivative, else None."""
    draw = np.random.default_rng(11)
    rules = op.jvp * len(args) if op.variadic else op.jvp
    return [draw.normal(size=np.shape(x)) if rule else None for x, rule in zip(args, rules, strict=True)]


def jvp(op: Op, args: tuple[Any, ...], params: dict[str, Any], tangents: list[Any]) -> Any:
    z = compute(op, args, params)
    if op.variadic:
        total = op.jvp[0](tuple(tangents), z, *args, **params)
    else:
        total = sum(rule(t, z, *args, **params) for rule, t in zip(op.jvp, tangents, strict=True) if rule)
    return np.broadcast_to(total, z.shape)


def vjp(op: Op, args: tuple[Any, ...], params: dict[str, Any], ct: Any) -> list[Any]:
    """The cotangent of each input, as the engine computes it: with un-broadcasting, through recorded tensors."""
    inputs = tuple(Tensor(x, requires_grad=np.asarray(x).dtype.kind == "f") for x in args)
    node = Tensor.__gradlab_apply__(op, inputs, params)
    found = {slot: contribution for slot, _, contribution in walk.contributions(node, ct, False)}
    return [found.get(slot) for slot in range(len(args))]


def check_jvp_equals_central_differences(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> None:
    tangents = directions(op, args)
    ends = [
        compute(
            op,
            tuple(x if t is None else x + sign * STEP * t for x, t in zip(args, tangents, strict=True)),
            params,
        )
        for sign in (1, -1)
    ]
    np.testing.assert_allclose(
        jvp(op, args, params, tangents), (ends[0] - ends[1]) / (2 * STEP), rtol=1e-6, atol=1e-8
    )


def check_vjp_is_the_transpose_of_jvp(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> None:
    tangents = directions(op, args)
    ct = np.random.default_rng(13).normal(size=compute(op, args, params).shape)
    pushed = np.sum(ct * jvp(op, args, params, tangents))
    pulled = sum(
        np.sum(c * t) for c, t in zip(vjp(op, args, params, ct), tangents, strict=True) if t is not None
    )
    np.testing.assert_allclose(pulled, pushed, rtol=1e-10, atol=1e-12)


def check_shape_rule_gives_the_real_shape(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> None:
    assert op.shape(*[np.shape(x) for x in args], **params) == compute(op, args, params).shape


def check_cotangents_have_the_shape_and_dtype_of_their_primals(
    op: Op, args: tuple[Any, ...], params: dict[str, Any]
) -> None:
    for dtype in (np.float32, np.float64):
        cast = tuple(np.asarray(x, dtype) if np.asarray(x).dtype.kind == "f" else x for x in args)
        z = compute(op, cast, params)
        assert z.dtype == params.get("dtype", dtype) or (cuts(op) and z.dtype.kind in "bi")
        if cuts(op):
            continue
        for x, ct in zip(cast, vjp(op, cast, params, np.ones_like(z)), strict=True):
            if ct is not None:
                assert (ct.shape, ct.dtype) == (np.shape(x), dtype)


def check_rules_read_only_what_the_record_says(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> None:
    """Rules get nan for everything they are not said to read, and must not notice."""
    z = compute(op, args, params)
    ct = np.ones(z.shape)
    names = op.arg_names * len(args) if op.variadic else op.arg_names
    hidden = tuple(
        x if name in op.reads else np.full(np.shape(x), np.nan) for name, x in zip(names, args, strict=True)
    )
    shown = z if "z" in op.reads else np.full(z.shape, np.nan)
    for rule in op.vjp:
        if rule is not None:
            for got, want in zip(
                listed(rule(ct, shown, *hidden, **params)),
                listed(rule(ct, z, *args, **params)),
                strict=True,
            ):
                np.testing.assert_array_equal(got, want)


def check_second_order_equals_central_differences(
    op: Op, args: tuple[Any, ...], params: dict[str, Any]
) -> None:
    """The gradient of sum(vjp**2), from the recorded backward pass, against central differences of the same."""
    draw = np.random.default_rng(17)
    ct = draw.normal(size=compute(op, args, params).shape)

    def energy(arrays: list[Any], record: bool) -> tuple[Any, list[Tensor]]:
        leaves = [Tensor(x, requires_grad=np.asarray(x).dtype.kind == "f") for x in arrays]
        node = Tensor.__gradlab_apply__(op, tuple(leaves), params)
        found = walk.cotangents(node, ct, record=record)
        parts = [found[leaf] for leaf in dict.fromkeys(leaves) if leaf in found]
        return gl.total(*[gl.sum(part * part) for part in parts]), leaves

    out, leaves = energy(list(args), record=True)
    found = walk.cotangents(out) if out.requires_grad else {}
    for place, x in enumerate(args):
        if not leaves[place].requires_grad or not np.size(x):
            continue
        t = draw.normal(size=np.shape(x))
        ends = [
            float(energy([*args[:place], x + sign * STEP * t, *args[place + 1 :]], record=True)[0])
            for sign in (1, -1)
        ]
        np.testing.assert_allclose(
            np.sum(found.get(leaves[place], 0.0) * t), (ends[0] - ends[1]) / (2 * STEP), rtol=2e-5, atol=1e-6
        )


def check_scalar_backend_equals_numpy(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> None:
    if "scalar" not in op.tags or any(np.shape(x) != () for x in args):
        return
    raw = [x.item() for x in args]
    z = compute(op, args, params)
    values = [Value(x) if isinstance(x, float) else x for x in raw]
    node = apply(op, *values)
    np.testing.assert_allclose(float(node), z, rtol=1e-14)
    np.testing.assert_allclose(op.forward(scalar, *raw), z, rtol=1e-14)
    if "comparison" not in op.tags:
        node.backward()
        want = vjp(op, args, params, np.ones(()))
        for value, ct in zip(values, want, strict=True):
            if ct is not None:
                np.testing.assert_allclose(value.grad, ct, rtol=1e-13)


def check_raw_arrays_are_computed_at_once(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> None:
    got = apply(op, *args, **params)
    assert not hasattr(got, "__gradlab_apply__")
    np.testing.assert_array_equal(got, compute(op, args, params))


def check_the_order_in_memory_does_not_matter(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> None:
    """Transposed, reversed and strided arrays give what plain ones give, forward and backward."""
    if "random" in op.tags:
        return
    z = compute(op, args, params)
    ct = np.random.default_rng(19).normal(size=z.shape)
    want = [] if cuts(op) else vjp(op, args, params, ct)
    for lay in (
        np.asfortranarray,
        lambda x: np.repeat(x[..., None], 2, -1)[..., 1],
        lambda x: x[::-1].copy()[::-1],
    ):
        laid = tuple(lay(x) if np.ndim(x) else x for x in args)
        np.testing.assert_allclose(compute(op, laid, params), z, rtol=1e-12)
        for a, b in zip([] if cuts(op) else vjp(op, laid, params, ct), want, strict=True):
            if b is not None:
                np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def check_only_view_ops_share_memory_with_an_input(
    op: Op, args: tuple[Any, ...], params: dict[str, Any]
) -> None:
    """Else a change in place of the result would change the input unnoticed."""
    arrays = tuple(np.array(x) for x in args)
    z = op.forward(np, *arrays, **params)
    if isinstance(z, np.ndarray) and z.size:
        assert op.views or not any(np.shares_memory(z, x) for x in arrays)


CHECKS: dict[str, Callable[[Op, tuple[Any, ...], dict[str, Any]], None]] = {
    name.removeprefix("check_"): function
    for name, function in list(globals().items())
    if name.startswith("check_")
}
DIFFERENTIAL = ("jvp", "vjp", "second", "rules", "cotangents")


def cases() -> Iterator[Any]:
    for op in OPS:
        for name in CHECKS:
            if cuts(op) and name.startswith(("jvp", "vjp", "second", "rules")):
                continue  # no derivative to check; that there is none is checked below
            yield pytest.param(op, name, id=f"{op.name}-{name}")


@pytest.mark.parametrize(("op", "name"), list(cases()))
def test_record(op: Op, name: str) -> None:
    found = samples(op)
    assert found, "an op without samples is not tested"
    for args, params in found:
        CHECKS[name](op, args, params)


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_record_is_complete(op: Op) -> None:
    assert op.symbol
    assert op.formula
    assert op.doc
    assert len(op.arg_names) == len(op.vjp) == len(op.jvp) == len(op.derivatives)
    assert (
        [bool(rule) for rule in op.vjp]
        == [bool(rule) for rule in op.jvp]
        == [bool(text) for text in op.derivatives]
    )
    assert op.reads <= {"z", *op.arg_names}
    for args, params in samples(op):
        assert op.flops(*[np.shape(x) for x in args], **params) >= 0


@pytest.mark.parametrize("op", [op for op in OPS if "internal" not in op.tags], ids=lambda op: op.name)
def test_op_is_public_by_its_name(op: Op) -> None:
    function = getattr(gl, op.name)
    assert op.name in gl.__all__
    assert function.__doc__
    assert function is ops.functions()[op.name]


@pytest.mark.parametrize("op", [op for op in OPS if cuts(op)], ids=lambda op: op.name)
def test_ops_without_a_derivative_hand_nothing_on(op: Op) -> None:
    for args, params in samples(op):
        leaves = [Tensor(x, requires_grad=np.asarray(x).dtype.kind == "f") for x in args]
        out = apply(op, *leaves, **params)
        assert not out.requires_grad or list(walk.cotangents(out, np.ones(out.shape))) == [out]


# --- the checks are checked ---


def wrong(op: Op, **changes: Any) -> Op:
    return dataclasses.replace(op, **changes)


def doubled(rules: tuple[Any, ...]) -> tuple[Any, ...]:
    def double(rule: Any) -> Any:
        def twice(d: Any, *args: Any, **params: Any) -> Any:
            got = rule(d, *args, **params)
            return tuple(2 * one for one in got) if isinstance(got, tuple) else 2 * got

        return rule and twice

    return tuple(double(rule) for rule in rules)


def spoiled(op: Op, kind: str) -> Op:
    """The op with a wrong rule: twice the right one, or slope 1 where the right one is 0."""
    rules = getattr(op, kind)
    return wrong(op, **{kind: (lambda d, *args: d,) if "flat" in op.tags else doubled(rules)})


PLANTED = [
    ("jvp_equals_central_differences", lambda op: spoiled(op, "jvp")),
    ("vjp_is_the_transpose_of_jvp", lambda op: spoiled(op, "vjp")),
    (
        "shape_rule_gives_the_real_shape",
        lambda op: wrong(op, shape=lambda *shapes, **params: (*shapes[0], 9)),
    ),
]


@pytest.mark.parametrize("op", [op for op in OPS if not cuts(op)], ids=lambda op: op.name)
@pytest.mark.parametrize(("name", "plant"), PLANTED, ids=[name for name, _ in PLANTED])
def test_planted_fault_is_found(op: Op, name: str, plant: Callable[[Op], Op]) -> None:
    def run() -> None:
        for args, params in samples(op):
            CHECKS[name](plant(op), args, params)

    with pytest.raises(AssertionError):
        run()


def test_a_rule_that_reads_too_much_is_found() -> None:
    op = wrong(REGISTRY["tanh"], reads=frozenset())
    with pytest.raises(AssertionError):
        check_rules_read_only_what_the_record_says(op, (np.array(0.5),), {})


def test_an_untold_view_is_found() -> None:
    op = wrong(REGISTRY["reshape"], tags=frozenset())
    with pytest.raises(AssertionError):
        check_only_view_ops_share_memory_with_an_input(op, (np.ones((2, 3)),), {"shape": (3, 2)})


def test_a_forward_that_writes_in_memory_order_is_found() -> None:
    def lost(xp: Any, x: Any) -> Any:
        z = xp.array(x)
        z.reshape(-1)[0] = 9.0
        return z

    with pytest.raises(AssertionError):
        check_the_order_in_memory_does_not_matter(
            wrong(REGISTRY["exp"], forward=lost), (np.ones((2, 3)),), {}
        )


def test_a_wrong_second_derivative_is_found() -> None:
    def cut(ct: Any, z: Any, x: Any) -> Any:
        return ct * np.cos(getattr(x, "primal", x))  # right at first order, but the graph ends here

    with pytest.raises(AssertionError):
        check_second_order_equals_central_differences(
            wrong(REGISTRY["sin"], vjp=(cut,)), (np.array([0.5, 1.0]),), {}
        )


def test_a_wrong_scalar_result_is_found() -> None:
    op = wrong(REGISTRY["exp"], forward=lambda xp, x: xp.exp(x) + (1.0 if xp is scalar else 0.0))
    with pytest.raises(AssertionError):
        check_scalar_backend_equals_numpy(op, (np.array(0.5),), {})


def test_no_op_warns_inside_its_domain() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for op in OPS:
            for args, params in samples(op):
                CPU.compute(op, args, params)


@pytest.mark.parametrize("op", [op for op in OPS if "domain" in op.tags], ids=lambda op: op.name)
def test_leaving_the_domain_warns_in_words_and_computes_as_numpy_does(op: Op) -> None:
    """On arrays and on floats alike: a warning with a code, a remedy and a full stop, never an exception."""
    for x in (-2.0, -1.0, 0.0, 1.0, 2.0, 1e300, -1e300):
        args = (x, *[0.0, 0.5, -1.0][: len(op.arg_names) - 1])
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            found = np.asarray(apply(op, *[np.asarray(one) for one in args]))
            alone = apply(op, *[Value(one) for one in args])
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(found, compute(op, args, {}))
        np.testing.assert_allclose(float(alone), found, rtol=1e-12)
        for one in heard:
            assert isinstance(one.message, gl.errors.NumericWarning)
            assert one.message.code in gl.errors.REMEDIES
            assert str(one.message).endswith(".")
        assert heard or np.isfinite(found)
