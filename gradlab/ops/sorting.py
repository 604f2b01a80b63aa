"""Order: sort, argsort, topk, searchsorted. The gradient follows each element to where it came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gradlab.errors import ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import normalize_axis, shape_of
from gradlab.ops.families import count
from gradlab.ops.index import GETITEM
from gradlab.ops.scatter import TAKE_ALONG
from gradlab.ops.shape import reshape
from gradlab.ops.signature import cut, define, either, one_of

__all__ = ["sort", "argsort", "topk", "kthvalue", "msort", "searchsorted", "bucketize"]


class Ranked(NamedTuple):
    """Values and their places, as PyTorch returns them."""

    values: Any
    indices: Any


def _argsort(xp: Any, x: Any, *, axis: int, descending: bool) -> Any:
    if not descending:
        return xp.argsort(x, axis=axis, kind="stable")
    # turned over before and after, so that equal elements keep their order
    turned = xp.argsort(xp.flip(x, axis), axis=axis, kind="stable")
    return xp.flip(x.shape[axis] - 1 - turned, axis)


def _sort(xp: Any, x: Any, *, axis: int, descending: bool) -> Any:
    ascending = xp.sort(x, axis=axis)
    return xp.flip(ascending, axis) if descending else ascending


def _samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, axis in (((5,), 0), ((2, 3), 0), ((2, 3), 1), ((2, 0), 1), ((1,), 0)):
        for descending in (False, True):
            numbers = rng.permutation(count(shape)).reshape(shape) + 0.5
            yield (numbers,), {"axis": axis, "descending": descending}


def _same(shape: Shape, *, axis: int, descending: bool) -> Shape:
    return shape


ARGSORT: Op = cut(
    "argsort",
    _argsort,
    _same,
    symbol="argsort",
    formula="argsort(x)",
    doc="The positions that put x in order along an axis. Equal elements keep their order; nan counts as the largest.",
    samples=_samples,
)


def _sort_jvp(t: Any, z: Any, x: Any, *, axis: int, descending: bool) -> Any:
    return apply(TAKE_ALONG, t, apply(ARGSORT, x, axis=axis, descending=descending), axis=axis)


def _sort_vjp(ct: Any, z: Any, x: Any, *, axis: int, descending: bool) -> Any:
    order = apply(ARGSORT, x, axis=axis, descending=descending)
    return apply(TAKE_ALONG, ct, apply(ARGSORT, order, axis=axis, descending=False), axis=axis)


SORT: Op = define(
    "sort",
    _sort,
    _same,
    jvp=(_sort_jvp,),
    vjp=(_sort_vjp,),
    symbol="sort",
    formula="sort(x)",
    derivatives=("1",),
    doc="The elements in order along an axis.",
    samples=_samples,
    reads="x",
    tags="smooth",
)


def _line(x: Any, axis: Any) -> tuple[Any, int]:
    if axis is None or not shape_of(x):
        return reshape(x, -1), 0
    return x, normalize_axis(axis, len(shape_of(x)))


def sort(x: Any, axis: int | None = -1, *, dim: int | None = None, descending: bool = False) -> Any:
    """x in order along `axis` (None: flattened), as NumPy; `argsort` gives the places. nan comes last.

    Shapes: any → the same. VJP: the cotangents put back to where their elements came from.
    """
    line, place = _line(x, either(axis, dim))
    return reshape(
        apply(SORT, line, axis=place, descending=bool(descending)), shape_of(x) if axis is not None else -1
    )


def msort(x: Any) -> Any:
    """x in order along its first axis."""
    return sort(x, 0)


def argsort(
    x: Any, axis: int | None = -1, *, dim: int | None = None, descending: bool = False, stable: bool = True
) -> Any:
    """The positions that put x in order along `axis`. Whole numbers, no gradient; equal elements always keep their order."""
    line, place = _line(x, either(axis, dim))
    return reshape(
        apply(ARGSORT, line, axis=place, descending=bool(descending)), shape_of(x) if axis is not None else -1
    )


def topk(
    x: Any, k: int, axis: int = -1, largest: bool = True, sorted: bool = True, *, dim: int | None = None
) -> Ranked:
    """The k largest (or smallest) elements along `axis`, in order, and their places. Shapes: (n, m), k → (n, k) and (n, k).

    VJP: to the elements that were chosen. Raises ShapeError GL029 when there are fewer than k.
    """
    line, place = _line(x, either(axis, dim))
    size = shape_of(line)[place]
    if not 0 <= k <= size:
        raise ShapeError(
            "GL029", f"topk asks for {k} of {size} elements", "k is at most the size of the axis"
        )
    order = apply(ARGSORT, line, axis=place, descending=bool(largest))
    chosen = apply(GETITEM, order, index=(*(slice(None),) * place, slice(0, k)))
    values = apply(TAKE_ALONG, line, chosen, axis=place)
    return Ranked(values, chosen) if shape_of(x) else Ranked(reshape(values, ()), reshape(chosen, ()))


def kthvalue(
    x: Any,
    k: int,
    axis: int = -1,
    keepdims: bool = False,
    *,
    dim: int | None = None,
    keepdim: bool | None = None,
) -> Ranked:
    """The k-th smallest element along `axis`, counted from 1, and its place. Shapes: (n, m) → (n,) and (n,)."""
    place = either(axis, dim)
    ranked = topk(x, k, place, largest=False)
    if not shape_of(x) or k < 1:
        return ranked
    axis = normalize_axis(place, len(shape_of(x)))
    last = slice(k - 1, k) if either(keepdims, keepdim) else k - 1
    index = (*(slice(None),) * axis, last)
    return Ranked(*[apply(GETITEM, one, index=index) for one in ranked])


# --- places in a sorted line ---


def _searchsorted(xp: Any, line: Any, x: Any, *, side: str) -> Any:
    if line.ndim == 1:
        return xp.searchsorted(line, x, side=side)
    z = xp.zeros(x.shape, dtype=int)
    for row in range(count(x.shape[:-1])):
        place = xp.unravel_index(row, x.shape[:-1])
        z[place] = xp.searchsorted(line[place], x[place], side=side)
    return z


def _search_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for lines, shape in (((4,), (3,)), ((4,), (2, 2)), ((2, 4), (2, 3)), ((4,), ())):
        for side in ("left", "right"):
            line = rng.normal(size=lines)
            line.sort(axis=-1)
            yield (line, rng.normal(size=shape)), {"side": side}


SEARCHSORTED: Op = cut(
    "searchsorted",
    _searchsorted,
    lambda line, x, *, side: x,
    symbol="search",
    formula="searchsorted(line, x)",
    doc="Where each x would have to be put into a sorted line.",
    samples=_search_samples,
)


def searchsorted(line: Any, x: Any, side: str = "left", *, right: bool = False) -> Any:
    """Where each x would be put into the sorted `line`, before (side "left") or after equal elements. Whole numbers, no gradient.

    Shapes: (n,), any → the same; lines and x with equal leading axes, (b, n), (b, k) → (b, k).
    """
    lines, shape = shape_of(line), shape_of(x)
    if not lines or (len(lines) > 1 and lines[:-1] != shape[:-1]):
        raise ShapeError(
            "GL029", f"searchsorted got lines of shape {lines} for x of shape {shape}", "Equal leading axes"
        )
    return apply(
        SEARCHSORTED,
        line,
        x,
        side="right" if right else one_of(side, ("left", "right"), "searchsorted's side"),
    )


def bucketize(x: Any, boundaries: Any, *, right: bool = False) -> Any:
    """PyTorch's `searchsorted` with the line second."""
    return searchsorted(boundaries, x, right=right)
