"""What is checked of every op, from its record alone. `test_every_op.py` runs these, and plants faults that they must find."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gradlab as gl
from gradlab.backends import scalar
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
