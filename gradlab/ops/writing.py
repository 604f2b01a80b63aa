"""Writing at an index as a function: index_put is `x[i] = y` that gives a new array. masked_fill and its kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.errors import IndexingError, ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import normalize_axis, shape_of
from gradlab.ops.choice import where
from gradlab.ops.families import count
from gradlab.ops.index import (
    ADD_AT,
    GETITEM,
    getitem,
    getitem_samples,
    indexed_shape,
    is_basic,
    normalize_index,
)
from gradlab.ops.join import zeros_of
from gradlab.ops.scatter import last_writers
from gradlab.ops.shape import broadcast_to
from gradlab.ops.signature import define, whole_numbers

__all__ = ["index_put", "masked_fill", "masked_select", "index_fill", "index_copy"]

Index = tuple[Any, ...]


def _places(xp: Any, shape: Shape, index: Index) -> Any:
    return xp.arange(count(shape)).reshape(shape)[index]


def _index_put(xp: Any, x: Any, y: Any, *, index: Index) -> Any:
    z = xp.array(x, order="C")  # so that reshape(-1) is a view to write through
    if is_basic(index):
        z[index] = y
        return z
    places = _places(xp, x.shape, index)
    z.reshape(-1)[places.reshape(-1)] = xp.broadcast_to(y, places.shape).reshape(-1)
    return z


def _last(d: Any, x: Any, index: Index) -> Any:
    """A cotangent of what was written, but 0 for those that another one wrote over."""
    if is_basic(index):
        return d
    from gradlab.backends.numpy import CPU

    shape = shape_of(x)
    return where(last_writers(CPU.xp, _places(CPU.xp, shape, index), count(shape)), d, 0.0)


def _samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for (grid,), params in getitem_samples(rng):
        shape = grid[params["index"]].shape
        for size in (shape, (), shape[1:]):
            yield (grid, rng.normal(size=size)), params


INDEX_PUT: Op = define(
    "index_put",
    _index_put,
    lambda x, y, *, index: x,
    jvp=(
        lambda t, z, x, y, *, index: apply(INDEX_PUT, t, zeros_of(y), index=index),
        lambda t, z, x, y, *, index: apply(INDEX_PUT, zeros_of(x), t, index=index),
    ),
    vjp=(
        lambda ct, z, x, y, *, index: apply(INDEX_PUT, ct, zeros_of(y), index=index),
        lambda ct, z, x, y, *, index: _last(apply(GETITEM, ct, index=index), x, index),
    ),
    symbol="[ ]=",
    formula="put(x, y)",
    derivatives=("1 if kept else 0", "1 if last else 0"),
    doc="x with y written at an index. Of several writers to one element the last one counts, and only it gets a gradient.",
    samples=_samples,
    reads="x y",
    tags="smooth",
)


def index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """`x[indices] = values` as a function: a new array, and x stays as it is. `values` are broadcast.

    VJP: x gets the cotangent except where it was written over; values get it where they were the last to be written.
    With `accumulate` the values are added instead, and repeated indices add up. Raises IndexingError GL024, ShapeError GL020.
    """
    index, shape = normalize_index(indices), shape_of(x)
    try:
        target = indexed_shape(shape, index)
    except IndexError as error:
        raise IndexingError(
            "GL024", f"an index of shape {shape}: {error}", "Sizes count from 0 to n - 1"
        ) from None
    have = shape_of(values)
    extra = len(have) - len(target)
    if extra > 0 and set(have[:extra]) == {1}:  # NumPy lets leading axes of size 1 go
        from gradlab.ops.shape import reshape

        values, have = reshape(values, have[extra:]), have[extra:]
    if have != target:
        values = broadcast_to(values, target) if have or accumulate else values
    return (
        x + apply(ADD_AT, values, index=index, shape=shape)
        if accumulate
        else apply(INDEX_PUT, x, values, index=index)
    )


def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    """x with `value` where the mask is true. Shapes are broadcast. VJP: 0 for x where it was filled."""
    return where(mask, value, x)


def masked_select(x: Any, mask: Any) -> Any:
    """The elements where the mask is true, in one axis. x and mask are broadcast to each other."""
    from gradlab.ops.pieces import broadcast_tensors

    wide, mask = broadcast_tensors(x, mask)
    return getitem(wide, getattr(mask, "primal", mask))


def _slices(x: Any, dim: int, index: Any) -> Index:
    place = normalize_axis(dim, len(shape_of(x)))
    index = getattr(whole_numbers(index), "primal", index)
    return (*(slice(None),) * place, whole_numbers(index).reshape(-1))


def index_fill(x: Any, dim: int, index: Any, value: Any) -> Any:
    """x with one number in the slices at `index` along an axis."""
    if not shape_of(x):
        return where(True, value, x) if count(shape_of(index)) else x
    return index_put(x, _slices(x, dim, index), value)


def index_copy(x: Any, dim: int, index: Any, source: Any) -> Any:
    """x with the slices of `source` written at `index` along an axis. Raises ShapeError GL029 when the source does not fit."""
    if not shape_of(x):
        return where(True, source, x)
    parts = _slices(x, dim, index)
    wanted = indexed_shape(shape_of(x), normalize_index(parts))
    if shape_of(source) != wanted:
        raise ShapeError("GL029", f"index_copy needs a source of shape {wanted}, got {shape_of(source)}")
    return index_put(x, parts, source)
