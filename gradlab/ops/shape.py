"""Ops that move elements without changing them: reshape, transpose, broadcast. All are linear, so each has a transpose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import normalize_axis, shape_of, whole_numbers
from gradlab.ops.families import broadcast_shapes, count, linear
from gradlab.ops.reduce import sum as sum_

__all__ = [
    "reshape",
    "view",
    "transpose",
    "permute",
    "swapaxes",
    "broadcast_to",
    "expand_dims",
    "unsqueeze",
    "squeeze",
    "flatten",
]


def _sizes(sizes: tuple[Any, ...]) -> tuple[Any, ...]:
    """Sizes given one by one or as one sequence."""
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        return tuple(sizes[0])
    return sizes


def _reshape_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for before, after in (((2, 3), (3, 2)), ((6,), (1, 2, 3)), ((), (1, 1)), ((1,), ()), ((0, 3), (3, 0, 2))):
        yield (rng.normal(size=before),), {"shape": after}


RESHAPE: Op = linear(
    "reshape",
    lambda xp, x, *, shape: xp.reshape(x, shape),
    lambda ct, x, *, shape: apply(RESHAPE, ct, shape=shape_of(x)),
    lambda x_shape, *, shape: shape,
    symbol="reshape",
    formula="reshape(x)",
    derivative="1",
    doc="The same elements, in row-major order, under another shape.",
    samples=_reshape_samples,
    tags="view",
)


def reshape(x: Any, *shape: Any) -> Any:
    """The elements of x, in row-major order, under another shape. One size may be -1: it follows from the others.

    Shapes: any → `shape`. VJP: reshape back. Raises ShapeError GL023 when the number of elements would change.
    """
    old = shape_of(x)
    new = whole_numbers(_sizes(shape), "sizes")
    known = count(tuple(size for size in new if size != -1))
    if new.count(-1) == 1 and known and count(old) % known == 0:
        new = tuple(count(old) // known if size == -1 else size for size in new)
    if count(new) != count(old) or any(size < 0 for size in new):
        what = f"reshape cannot turn shape {old} with {count(old)} elements into {_sizes(shape)}"
        raise ShapeError(
            "GL023", what, "The number of elements must stay the same, and only one size may be -1"
        )
    return apply(RESHAPE, x, shape=new)


def view(x: Any, *shape: Any) -> Any:
    """PyTorch's name for `reshape`."""
    return reshape(x, *shape)


def flatten(x: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The axes from `start_dim` to `end_dim` as one. Shapes: any → (n,); (a, b, c), start_dim=1 → (a, b c)."""
    shape = shape_of(x)
    if not shape:
        return reshape(x, (1,))
    first, last = normalize_axis(start_dim, len(shape)), normalize_axis(end_dim, len(shape))
    if first > last:
        raise ShapeError(
            "GL022",
            f"flatten cannot start at axis {first} and end at axis {last}",
            "The end is not before the start",
        )
    return reshape(x, (*shape[:first], count(shape[first : last + 1]), *shape[last + 1 :]))


def expand_dims(x: Any, axis: int) -> Any:
    """A new axis of size 1 at `axis`. Shapes: (n, m), axis=1 → (n, 1, m)."""
    shape = shape_of(x)
    place = normalize_axis(axis, len(shape) + 1)
    return reshape(x, (*shape[:place], 1, *shape[place:]))


def unsqueeze(x: Any, dim: int) -> Any:
    """PyTorch's name for `expand_dims`."""
    return expand_dims(x, dim)


def squeeze(x: Any, axis: Any = None) -> Any:
    """Without axes of size 1: all of them, or those named. Raises ShapeError GL022 when a named axis has another size."""
    shape = shape_of(x)
    named = range(len(shape)) if axis is None else (axis if isinstance(axis, (tuple, list)) else (axis,))
    axes = [normalize_axis(one, len(shape)) for one in named]
    if axis is not None and any(shape[place] != 1 for place in axes):
        raise ShapeError(
            "GL022", f"squeeze cannot drop axis {axis} of shape {shape}", "Only axes of size 1 can go"
        )
    return reshape(x, tuple(size for place, size in enumerate(shape) if place not in axes or size != 1))


def _inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


def _transpose_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, axes in (((2, 3), (1, 0)), ((2, 3, 4), (1, 2, 0)), ((3,), (0,)), ((), ()), ((0, 2), (1, 0))):
        yield (rng.normal(size=shape),), {"axes": axes}


TRANSPOSE: Op = linear(
    "transpose",
    lambda xp, x, *, axes: xp.transpose(x, axes),
    lambda ct, x, *, axes: apply(TRANSPOSE, ct, axes=_inverse(axes)),
    lambda shape, *, axes: tuple(shape[axis] for axis in axes),
    symbol="ᵀ",
    formula="transpose(x)",
    derivative="1",
    doc="The same elements with the axes in another order.",
    samples=_transpose_samples,
    tags="view",
)


def transpose(x: Any, *axes: Any) -> Any:
    """x with its axes in another order; without axes, reversed.

    Shapes: (n, m) → (m, n); (a, b, c), axes (1, 2, 0) → (b, c, a). As in PyTorch, two numbers on a tensor of higher rank swap
    those two axes. VJP: the inverse permutation. Raises ShapeError GL026 when the axes are not a permutation.
    """
    rank = len(shape_of(x))
    order = _sizes(axes) if axes and axes != (None,) else tuple(reversed(range(rank)))
    if len(order) == 2 and rank > 2:
        return swapaxes(x, *order)
    places = tuple(normalize_axis(axis, rank) for axis in order)
    if sorted(places) != list(range(rank)):
        raise ShapeError(
            "GL026",
            f"axes {order} do not name each of the {rank} axes once",
            "A permutation such as (1, 0) is needed",
        )
    return apply(TRANSPOSE, x, axes=places)


def permute(x: Any, *dims: Any) -> Any:
    """PyTorch's name for `transpose` with all axes given."""
    rank, order = len(shape_of(x)), _sizes(dims)
    if len(order) != rank:
        raise ShapeError(
            "GL026",
            f"permute got {len(order)} axes for a shape of rank {rank}",
            "Every axis must be named once",
        )
    return transpose(x, order)


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """x with two axes exchanged. Shapes: (a, b, c), 0, 2 → (c, b, a)."""
    rank = len(shape_of(x))
    order = list(range(rank))
    first, second = normalize_axis(axis1, rank), normalize_axis(axis2, rank)
    order[first], order[second] = second, first
    return apply(TRANSPOSE, x, axes=tuple(order))


def sum_to(x: Any, shape: Shape) -> Any:
    """x summed over the axes along which `shape` was broadcast to x's shape: the transpose of `broadcast_to`."""
    have = shape_of(x)
    if have == shape:
        return x
    lead = len(have) - len(shape)
    axes = tuple(range(lead)) + tuple(p for p, size in enumerate(shape, lead) if size == 1 and have[p] != 1)
    summed = sum_(x, axis=axes, keepdims=True) if axes else x
    return apply(RESHAPE, summed, shape=shape) if lead else summed


def _broadcast_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for before, after in (((3,), (2, 3)), ((2, 1), (2, 4)), ((), (2, 2)), ((1,), (0,)), ((2,), (2,))):
        yield (rng.normal(size=before),), {"shape": after}


BROADCAST: Op = linear(
    "broadcast_to",
    lambda xp, x, *, shape: xp.broadcast_to(x, shape),
    lambda ct, x, *, shape: sum_to(ct, shape_of(x)),
    lambda x_shape, *, shape: shape,
    symbol="broadcast",
    formula="broadcast(x)",
    derivative="1",
    doc="The elements repeated along new axes and along axes of size 1.",
    samples=_broadcast_samples,
    tags="view",
)


def broadcast_to(x: Any, *shape: Any) -> Any:
    """x repeated to a larger shape. Shapes: (3,) → (2, 3). VJP: the sum over what was repeated. Raises ShapeError GL020."""
    new = whole_numbers(_sizes(shape), "sizes")
    if min(new, default=0) < 0 or broadcast_shapes(shape_of(x), new) != new:
        raise ShapeError(
            "GL020", f"shape {shape_of(x)} cannot be broadcast to {new}", "Only axes of size 1 are repeated"
        )
    return apply(BROADCAST, x, shape=new)
