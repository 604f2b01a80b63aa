"""Indexing: `getitem` reads elements, `add_at` is its transpose and adds into them, so repeated indices add up."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from gradlab.backends import describe
from gradlab.errors import IndexingError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import shape_of
from gradlab.ops.families import linear

__all__ = ["getitem"]
FUNCTIONS_ONLY = ("getitem",)


def _raw(part: Any) -> Any:
    """One part of an index as NumPy takes it: nodes give their arrays, lists become arrays."""
    if hasattr(part, "__gradlab_apply__"):
        return part.primal if hasattr(part, "dtype") else _raw(part.primal)
    if part is None or part is Ellipsis or isinstance(part, (bool, int)):
        return part
    if isinstance(part, (list, tuple)):
        from gradlab.backends.numpy import CPU

        array = CPU.asarray(part)
        return array.astype(int) if array.size == 0 else array
    if hasattr(part, "dtype"):
        return part.copy()  # whoever changes the index later must not change the gradient
    try:
        if isinstance(part, slice):
            part.indices(1)
            return part
        return operator.index(part)
    except (TypeError, ValueError):
        fix = "Use whole numbers, slices, lists or masks, as in NumPy"
        raise IndexingError("GL024", f"{describe(part)} cannot be an index", fix=fix) from None


def normalize_index(index: Any) -> tuple[Any, ...]:
    """An index as a tuple of slices, numbers, arrays, None and Ellipsis."""
    return tuple(_raw(part) for part in (index if isinstance(index, tuple) else (index,)))


def is_basic(index: tuple[Any, ...]) -> bool:
    """Whether an index has only slices, numbers, None and Ellipsis, which cannot name one element twice."""
    return all(
        part is None or part is Ellipsis or isinstance(part, (slice, int)) for part in index
    ) and not any(isinstance(part, bool) for part in index)


def indexed_shape(shape: Shape, index: tuple[Any, ...]) -> Shape:
    """The shape of what is found at an index."""
    import numpy as np

    return np.broadcast_to(np.empty(()), shape)[index].shape  # stride 0: no memory is taken


def getitem_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """One array and every kind of index."""
    import numpy as np

    grid = rng.normal(size=(3, 4))
    rows, mask = np.array([0, 0, 2]), rng.uniform(size=(3, 4)) > 0.5
    indices = (
        1,
        (slice(None, None, -2), 0),
        (Ellipsis, None),
        rows,
        (rows, np.array([1, 1, -1])),
        mask,
        (slice(0, 0),),
    )
    for index in indices:
        yield (grid,), {"index": normalize_index(index)}


def _add_at_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for (grid,), params in getitem_samples(rng):
        yield (rng.normal(size=grid[params["index"]].shape),), {"index": params["index"], "shape": grid.shape}


def _add_at(xp: Any, x: Any, *, index: tuple[Any, ...], shape: Shape) -> Any:
    result = xp.zeros(shape, dtype=x.dtype)
    if is_basic(index):
        result[index] = x
    else:
        xp.add.at(result, index, x)  # not `+=`, which would count a repeated index once
    return result


def _getitem(xp: Any, x: Any, *, index: tuple[Any, ...]) -> Any:
    z = x[index]
    return z if isinstance(z, xp.ndarray) else x[(*index, Ellipsis)]  # one element as an array is a view too


GETITEM: Op = linear(
    "getitem",
    _getitem,
    lambda ct, x, *, index: apply(ADD_AT, ct, index=index, shape=shape_of(x)),
    lambda shape, *, index: indexed_shape(shape, index),
    symbol="[ ]",
    formula="x[i]",
    derivative="1",
    doc="The elements at an index: numbers, slices, arrays of numbers or booleans, None and Ellipsis, as in NumPy.",
    samples=getitem_samples,
    tags="view",
)

ADD_AT: Op = linear(
    "add_at",
    _add_at,
    lambda ct, x, *, index, shape: apply(GETITEM, ct, index=index),
    lambda x_shape, *, index, shape: shape,
    symbol="add at",
    formula="add_at(x)",
    derivative="1",
    doc="Zeros of a given shape with x added at an index. An index that occurs k times gets k terms.",
    samples=_add_at_samples,
    tags="internal",
)


def getitem(x: Any, index: Any) -> Any:
    """x[index], as in NumPy. Repeated indices add their gradients. Raises IndexingError GL024 when the index does not fit the shape."""
    parts = normalize_index(index)
    try:
        return apply(GETITEM, x, index=parts)
    except IndexError as error:
        expected = (
            "Along an axis of size n, indices run from 0 to n - 1, or from -n to -1 counted from its end"
        )
        raise IndexingError(
            "GL024", f"this index does not fit shape {shape_of(x)}: {error}", expected
        ) from None
