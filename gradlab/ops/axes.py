"""Axes as people write them (one number, several, negative, none) turned into what the records take."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Shape


def normalize_axis(axis: Any, rank: int) -> int:
    """One axis as a number in 0 … rank - 1. Raises ShapeError GL022 when there is no such axis."""
    try:
        place = operator.index(axis)
    except TypeError:
        what = f"an axis is a whole number, got {axis!r}"
        raise ShapeError("GL022", what, fix="Use 0 for the first axis or -1 for the last") from None
    if not -rank <= place < rank:
        valid = f"Axes run from {-rank} to {rank - 1}" if rank else "A single number has no axes"
        raise ShapeError("GL022", f"axis {place} does not exist in a shape of rank {rank}", valid)
    return place % rank


def normalize_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes as a sorted tuple without repeats; None means all of them."""
    if axis is None:
        return tuple(range(rank))
    listed = list(axis) if isinstance(axis, Iterable) else [axis]
    axes = [normalize_axis(one, rank) for one in listed]
    if len(set(axes)) != len(axes):
        raise ShapeError(
            "GL022", f"axis {tuple(listed)} names an axis twice", "Each axis can be reduced once"
        )
    return tuple(sorted(axes))


def reduced_shape(shape: Shape, axis: tuple[int, ...], keepdims: bool) -> Shape:
    """The shape that is left after reducing these axes."""
    if keepdims:
        return tuple(1 if place in axis else size for place, size in enumerate(shape))
    return tuple(size for place, size in enumerate(shape) if place not in axis)


def shape_of(x: Any) -> Shape:
    """The shape of a node, an array, a number or a nested list."""
    shape = getattr(x, "shape", None)
    if shape is not None:
        return tuple(shape)
    if isinstance(x, (list, tuple)):
        from gradlab.backends.numpy import CPU

        return tuple(CPU.asarray(x).shape)
    return ()


def dtype_of(x: Any) -> str:
    """The name of the data type of a node or an array; that of a Python number is float64."""
    return str(getattr(x, "dtype", "float64"))


def whole_numbers(given: Any, what: str) -> tuple[int, ...]:
    """Sizes or axes, one or several, as a tuple of whole numbers. Raises ShapeError GL027 for anything else."""
    listed = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    try:
        return tuple(operator.index(one) for one in listed)
    except TypeError:
        raise ShapeError(
            "GL027", f"{what} are whole numbers, got {given!r}", fix=f"Write {what} such as (2, 3)"
        ) from None
