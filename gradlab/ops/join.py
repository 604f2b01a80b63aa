"""Several arrays into one: concatenate and stack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import normalize_axis, shape_of
from gradlab.ops.choice import where
from gradlab.ops.index import GETITEM
from gradlab.ops.shape import reshape
from gradlab.ops.signature import define, either

__all__ = ["concatenate", "cat", "stack"]
FUNCTIONS_ONLY = ("concatenate", "cat", "stack")


def listed(xs: Any, op: str) -> list[Any]:
    """Several arrays given as one list or tuple, or as an array whose rows they are. Raises ShapeError GL028 when there are none."""
    found = list(xs)
    if not found:
        raise ShapeError("GL028", f"{op} got no arrays", fix="Give a list with at least one")
    return found


def zeros_of(x: Any) -> Any:
    """Zeros with the shape, dtype and device of x, whatever x holds."""
    return where(False, x, 0.0)


def _concatenate_shape(*shapes: Shape, axis: int) -> Shape:
    first = shapes[0]
    for place, shape in enumerate(shapes):
        if len(shape) != len(first) or any(
            a != b for p, (a, b) in enumerate(zip(shape, first, strict=True)) if p != axis
        ):
            what = f"concatenate along axis {axis} got shapes {first} and {shape} (array {place})"
            raise ShapeError("GL028", what, "All other sizes must be equal", "Look at the shapes before")
    return (*first[:axis], sum(shape[axis] for shape in shapes), *first[axis + 1 :])


def along(axis: int, start: int | None, stop: int | None, step: int | None = None) -> tuple[Any, ...]:
    """The index of a slice of one axis, counted from the front."""
    return (*(slice(None),) * axis, slice(start, stop, step))


def _concatenate_vjp(ct: Any, z: Any, *xs: Any, axis: int) -> tuple[Any, ...]:
    parts, start = [], 0
    for x in xs:
        stop = start + shape_of(x)[axis]
        parts.append(apply(GETITEM, ct, index=along(axis, start, stop)))
        start = stop
    return tuple(parts)


def _concatenate_jvp(ts: Sequence[Any], z: Any, *xs: Any, axis: int) -> Any:
    return apply(
        CONCATENATE, *[zeros_of(x) if t is None else t for t, x in zip(ts, xs, strict=True)], axis=axis
    )


def _concatenate_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shapes, axis in (
        (((2, 3), (1, 3)), 0),
        (((2, 3), (2, 1), (2, 0)), 1),
        (((3,),), 0),
        (((2, 1, 2), (2, 2, 2)), 1),
    ):
        yield tuple(rng.normal(size=shape) for shape in shapes), {"axis": axis}


CONCATENATE: Op = define(
    "concatenate",
    lambda xp, *xs, axis: xp.concatenate(xs, axis=axis),
    _concatenate_shape,
    jvp=(_concatenate_jvp,),
    vjp=(_concatenate_vjp,),
    symbol="concat",
    formula="concatenate(xs)",
    derivatives=("1",),
    doc="Arrays one after another along an axis.",
    samples=_concatenate_samples,
    tags="linear smooth",
    variadic=True,
)


def concatenate(xs: Any, axis: int | None = 0, *, dim: int | None = None) -> Any:
    """Arrays one after another along an existing axis; axis=None flattens them first.

    Shapes: (n, k), (m, k) → (n + m, k). VJP: each array gets its slice of the cotangent. Raises ShapeError GL028 when other sizes
    differ.
    """
    parts, axis = listed(xs, "concatenate"), either(axis, dim)
    if axis is None:
        parts, axis = [reshape(x, -1) for x in parts], 0
    place = normalize_axis(axis, len(shape_of(parts[0])))
    _concatenate_shape(*[shape_of(x) for x in parts], axis=place)
    return apply(CONCATENATE, *parts, axis=place)


def cat(tensors: Any, dim: int = 0, *, axis: int | None = None) -> Any:
    """PyTorch's name for `concatenate`."""
    return concatenate(tensors, either(dim, axis))


def _stack_shape(*shapes: Shape, axis: int) -> Shape:
    first = shapes[0]
    for place, shape in enumerate(shapes):
        if shape != first:
            what = f"stack got shapes {first} and {shape} (array {place})"
            raise ShapeError(
                "GL028", what, "All shapes must be equal", "Use concatenate for parts of one axis"
            )
    return (*first[:axis], len(shapes), *first[axis:])


def _stack_vjp(ct: Any, z: Any, *xs: Any, axis: int) -> tuple[Any, ...]:
    return tuple(apply(GETITEM, ct, index=(*(slice(None),) * axis, place)) for place in range(len(xs)))


def _stack_jvp(ts: Sequence[Any], z: Any, *xs: Any, axis: int) -> Any:
    return apply(STACK, *[zeros_of(x) if t is None else t for t, x in zip(ts, xs, strict=True)], axis=axis)


def _stack_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, number, axis in (((2, 3), 2, 1), ((), 3, 0), ((2,), 1, 1), ((0, 2), 2, 2)):
        yield tuple(rng.normal(size=shape) for _ in range(number)), {"axis": axis}


STACK: Op = define(
    "stack",
    lambda xp, *xs, axis: xp.stack(xs, axis=axis),
    _stack_shape,
    jvp=(_stack_jvp,),
    vjp=(_stack_vjp,),
    symbol="stack",
    formula="stack(xs)",
    derivatives=("1",),
    doc="Arrays of one shape side by side along a new axis.",
    samples=_stack_samples,
    tags="linear smooth",
    variadic=True,
)


def stack(xs: Any, axis: int = 0, *, dim: int | None = None) -> Any:
    """Arrays of one shape along a new axis. Shapes: k times (n, m), axis=0 → (k, n, m). Raises ShapeError GL028 when shapes differ."""
    parts = listed(xs, "stack")
    place = normalize_axis(either(axis, dim), len(shape_of(parts[0])) + 1)
    _stack_shape(*[shape_of(x) for x in parts], axis=place)
    return apply(STACK, *parts, axis=place)
