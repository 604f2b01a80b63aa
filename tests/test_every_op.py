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
from tests.op_checks import (
    CHECKS,
    OPS,
    check_only_view_ops_share_memory_with_an_input,
    check_rules_read_only_what_the_record_says,
    check_scalar_backend_equals_numpy,
    check_second_order_equals_central_differences,
    check_the_order_in_memory_does_not_matter,
    compute,
    cuts,
    samples,
)

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
