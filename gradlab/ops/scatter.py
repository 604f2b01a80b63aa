"""Single elements at positions along one axis: take_along_axis and gather, and their transposes scatter_add and scatter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import normalize_axis, shape_of
from gradlab.ops.choice import where
from gradlab.ops.families import broadcast_shapes, count
from gradlab.ops.gather import checked
from gradlab.ops.join import zeros_of
from gradlab.ops.shape import broadcast_to, reshape
from gradlab.ops.signature import cut, define, whole_numbers

__all__ = ["take_along_axis", "take_along_dim", "gather", "scatter", "scatter_add"]


def _grid(xp: Any, index: Any, axis: int) -> tuple[Any, ...]:
    """An index that reads, at each place of `index`, the position written there along the axis."""
    rank = index.ndim
    places = [
        xp.arange(n).reshape([-1 if p == q else 1 for q in range(rank)]) for p, n in enumerate(index.shape)
    ]
    places[axis] = index
    return tuple(places)


def flat_places(xp: Any, shape: Shape, index: Any, axis: int) -> Any:
    """The same positions, counted through the whole array in row-major order."""
    return xp.arange(count(shape)).reshape(shape)[_grid(xp, index, axis)]


def last_writers(xp: Any, places: Any, size: int) -> Any:
    """Where in `places` a position is written for the last time, in row-major order."""
    order = xp.arange(places.size)
    written = xp.zeros(size, dtype=int)
    written[places.reshape(-1)] = order  # a plain list of positions is written in order
    return written[places] == order.reshape(places.shape)


def _scatter_add(xp: Any, x: Any, index: Any, y: Any, *, axis: int) -> Any:
    z = xp.array(x, order="C")  # so that reshape(-1) is a view to write through
    xp.add.at(z.reshape(-1), flat_places(xp, x.shape, index, axis).reshape(-1), y.reshape(-1))
    return z


def _along_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, picks, axis in (
        ((4,), (6,), 0),
        ((3, 2), (2, 2), 0),
        ((2, 3), (2, 5), 1),
        ((2, 3), (1, 2), 1),
        ((2, 3), (2, 0), 1),
    ):
        yield (rng.normal(size=shape), rng.integers(0, shape[axis], size=picks)), {"axis": axis}


def _scatter_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for (x, index), params in _along_samples(rng):
        yield (x, index, rng.normal(size=index.shape)), params


TAKE_ALONG: Op = define(
    "take_along_axis",
    lambda xp, x, index, *, axis: x[_grid(xp, index, axis)],
    lambda x, index, *, axis: index,
    jvp=(lambda t, z, x, index, *, axis: apply(TAKE_ALONG, t, index, axis=axis), None),
    vjp=(lambda ct, z, x, index, *, axis: apply(SCATTER_ADD, zeros_of(x), index, ct, axis=axis), None),
    symbol="gather",
    formula="gather(x, index)",
    derivatives=("1", ""),
    doc="For each place of the index, the element of x at that position along an axis.",
    samples=_along_samples,
    reads="index",
    tags="smooth",
)
SCATTER_ADD: Op = define(
    "scatter_add",
    _scatter_add,
    lambda x, index, y, *, axis: x,
    jvp=(
        lambda t, z, x, index, y, *, axis: t,
        None,
        lambda t, z, x, index, y, *, axis: apply(SCATTER_ADD, zeros_of(x), index, t, axis=axis),
    ),
    vjp=(
        lambda ct, z, x, index, y, *, axis: ct,
        None,
        lambda ct, z, x, index, y, *, axis: apply(TAKE_ALONG, ct, index, axis=axis),
    ),
    symbol="scatter add",
    formula="x + scatter(y)",
    derivatives=("1", "", "1"),
    doc="x with each element of y added at its position along an axis. Positions that repeat add up.",
    samples=_scatter_samples,
    reads="x index",
    tags="smooth",
)
LAST: Op = cut(
    "last_writer",
    lambda xp, index, *, shape, axis: last_writers(xp, flat_places(xp, shape, index, axis), count(shape)),
    lambda index, *, shape, axis: index,
    symbol="last",
    formula="last(index)",
    doc="Where the index writes to a position for the last time.",
    samples=lambda rng: (
        ((index,), {"shape": x.shape, **params}) for (x, index), params in _along_samples(rng)
    ),
    tags="internal",
)


def _scatter(xp: Any, x: Any, index: Any, y: Any, *, axis: int) -> Any:
    z = xp.array(x, order="C")  # so that reshape(-1) is a view to write through
    z.reshape(-1)[flat_places(xp, x.shape, index, axis).reshape(-1)] = y.reshape(-1)
    return z


def _scatter_y(d: Any, index: Any, x: Any, axis: int) -> Any:
    return where(apply(LAST, index, shape=shape_of(x), axis=axis), d, 0.0)


SCATTER: Op = define(
    "scatter",
    _scatter,
    lambda x, index, y, *, axis: x,
    jvp=(
        lambda t, z, x, index, y, *, axis: apply(SCATTER, t, index, zeros_of(y), axis=axis),
        None,
        lambda t, z, x, index, y, *, axis: apply(SCATTER, zeros_of(x), index, t, axis=axis),
    ),
    vjp=(
        lambda ct, z, x, index, y, *, axis: apply(SCATTER, ct, index, zeros_of(y), axis=axis),
        None,
        lambda ct, z, x, index, y, *, axis: _scatter_y(
            apply(TAKE_ALONG, ct, index, axis=axis), index, x, axis
        ),
    ),
    symbol="scatter",
    formula="scatter(x, y)",
    derivatives=("1 if kept else 0", "", "1 if last else 0"),
    doc="x with each element of y written at its position along an axis. Of several writers only the last counts.",
    samples=_scatter_samples,
    reads="x index y",
    tags="smooth",
)


def take_along_axis(x: Any, index: Any, axis: int | None = -1) -> Any:
    """For each place of `index`, the element of x at that position along `axis`, as NumPy: the other axes are broadcast.

    Shapes: (n, m), (n, k), axis=1 → (n, k). VJP: cotangents added where the elements came from. Raises IndexingError GL024.
    """
    index = whole_numbers(index)
    if axis is None:
        return take_along_axis(reshape(x, -1), reshape(index, -1), 0)
    shape, picks = shape_of(x), shape_of(index)
    place = normalize_axis(axis, len(shape))
    if len(picks) != len(shape):
        raise ShapeError(
            "GL029", f"take_along_axis got ranks {len(shape)} and {len(picks)}", "Both must be equal"
        )
    others = broadcast_shapes(
        (*shape[:place], 1, *shape[place + 1 :]), (*picks[:place], 1, *picks[place + 1 :])
    )
    full = (*others[:place], shape[place], *others[place + 1 :])
    wide = broadcast_to(x, full) if full != shape else x
    index = broadcast_to(index, (*others[:place], picks[place], *others[place + 1 :]))
    return checked(TAKE_ALONG, wide, index, axis=place)


def take_along_dim(x: Any, indices: Any, dim: int | None = None) -> Any:
    """PyTorch's name for `take_along_axis`."""
    return take_along_axis(x, indices, dim)


def _fitting(name: str, x: Any, dim: int, index: Any) -> tuple[Any, int]:
    """The index and the axis of PyTorch's gather and scatter, whose index may be smaller than x off the axis."""
    index, shape = whole_numbers(index), shape_of(x)
    place, picks = normalize_axis(dim, len(shape)), shape_of(index)
    if len(picks) != len(shape) or any(
        p > n for a, (p, n) in enumerate(zip(picks, shape, strict=True)) if a != place
    ):
        what = f"{name} along axis {place} of shape {shape} got an index of shape {picks}"
        raise ShapeError(
            "GL029", what, "Equal ranks, and no axis longer than that of x but the one gathered along"
        )
    return index, place


def gather(x: Any, dim: int, index: Any) -> Any:
    """PyTorch's gather: z[i, j] = x[index[i, j], j] for dim 0. Shapes: (n, m), 0, (k, l ≤ m) → (k, l). VJP: `scatter_add`."""
    if not shape_of(x):
        return reshape(gather(reshape(x, 1), dim, reshape(whole_numbers(index), -1)), shape_of(index))
    index, place = _fitting("gather", x, dim, index)
    return checked(TAKE_ALONG, x, index, axis=place)


def _written(op: Op, x: Any, dim: int, index: Any, src: Any) -> Any:
    if not shape_of(x):
        return reshape(
            _written(op, reshape(x, 1), dim, reshape(whole_numbers(index), -1), reshape(src, -1)), ()
        )
    index, place = _fitting(op.name, x, dim, index)
    picks, have = shape_of(index), shape_of(src)
    if not have:
        src = broadcast_to(src, picks)
    elif have != picks:
        if len(have) != len(picks) or any(p > n for p, n in zip(picks, have, strict=True)):
            raise ShapeError("GL029", f"{op.name} got an index of shape {picks} for a source of shape {have}")
        src = src[tuple(slice(size) for size in picks)]
    return checked(op, x, index, src, axis=place)


def scatter_add(x: Any, dim: int, index: Any, src: Any) -> Any:
    """PyTorch's scatter_add: z = x, then z[index[i, j], j] += src[i, j] for dim 0; repeated positions add up. VJP of src: `gather`."""
    return _written(SCATTER_ADD, x, dim, index, src)


def scatter(x: Any, dim: int, index: Any, src: Any) -> Any:
    """PyTorch's scatter: z = x, then z[index[i, j], j] = src[i, j] for dim 0. `src` may be one number.

    Of several writers to one position the last one in row-major order counts, and only it gets a gradient.
    """
    return _written(SCATTER, x, dim, index, src)
