"""Arrays in pieces, and other views of one array: split, chunk, unbind, narrow, stacks by direction, moved and added axes."""

from __future__ import annotations

import operator
from itertools import pairwise
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Shape, apply
from gradlab.ops.arrange import flip
from gradlab.ops.axes import normalize_axis, shape_of
from gradlab.ops.families import broadcast_shapes, count
from gradlab.ops.index import GETITEM
from gradlab.ops.join import along, concatenate, listed
from gradlab.ops.shape import TRANSPOSE, broadcast_to, reshape, swapaxes
from gradlab.ops.signature import either

__all__ = [
    *("split", "array_split", "tensor_split", "split_with_sizes", "chunk", "unbind", "narrow", "select"),
    *("vstack", "hstack", "dstack", "column_stack", "moveaxis", "movedim", "ravel", "unflatten", "expand"),
    *("atleast_1d", "atleast_2d", "atleast_3d", "broadcast_tensors", "broadcast_arrays", "broadcast_shapes"),
    *("fliplr", "flipud", "rot90", "diff"),
]
FUNCTIONS_ONLY = (
    *(
        "vstack",
        "hstack",
        "dstack",
        "column_stack",
        "broadcast_tensors",
        "broadcast_arrays",
        "broadcast_shapes",
    ),
    *("atleast_1d", "atleast_2d", "atleast_3d"),
)


# --- pieces ---


def _cut(x: Any, bounds: list[int], axis: int) -> list[Any]:
    """The pieces between neighbouring bounds."""
    pairs = pairwise(bounds)
    return [apply(GETITEM, x, index=along(axis, start, max(start, stop))) for start, stop in pairs]


def split_with_sizes(x: Any, sizes: Any, axis: int = 0, *, dim: int | None = None) -> list[Any]:
    """Pieces of the given sizes along `axis`. Raises ShapeError GL028 unless the sizes add up to that of the axis."""
    place = normalize_axis(either(axis, dim), len(shape_of(x)))
    whole, parts = shape_of(x)[place], [operator.index(size) for size in sizes]
    if sum(parts) != whole or any(size < 0 for size in parts):
        what = f"split got the sizes {tuple(parts)} for an axis of size {whole}"
        raise ShapeError("GL028", what, f"Sizes are 0 or more and add up to {whole}")
    bounds = [0]
    for size in parts:
        bounds.append(bounds[-1] + size)
    return _cut(x, bounds, place)


def array_split(x: Any, indices_or_sections: Any, axis: int = 0, *, dim: int | None = None) -> list[Any]:
    """As `split`, but the number of pieces need not divide the axis: the first pieces are then longer by one."""
    place = normalize_axis(either(axis, dim), len(shape_of(x)))
    whole = shape_of(x)[place]
    if hasattr(indices_or_sections, "__len__"):
        inner = [operator.index(one) for one in indices_or_sections]
        return _cut(x, [0, *[slice(one).indices(whole)[1] for one in inner], whole], place)
    pieces = operator.index(indices_or_sections)
    if pieces < 1:
        raise ShapeError("GL028", f"split got {pieces} pieces", "At least one is needed")
    short, longer = divmod(whole, pieces)
    return split_with_sizes(x, [short + 1] * longer + [short] * (pieces - longer), place)


def split(
    x: Any,
    indices_or_sections: Any = None,
    axis: int = 0,
    *,
    dim: int | None = None,
    split_size_or_sections: Any = None,
) -> list[Any]:
    """Pieces of x along `axis`, as in NumPy: a number is how many equal pieces, a list says where to cut.

    With PyTorch's words `dim=` or `split_size_or_sections=` it means what PyTorch means: a number is the size of a piece, a list
    holds the sizes. Shapes: (6, k), 3 → 3 times (2, k). VJP: the cotangents put back in their places.
    Raises ShapeError GL028 when the pieces do not fit.
    """
    given = either(indices_or_sections, split_size_or_sections)
    if dim is not None or split_size_or_sections is not None:
        whole = shape_of(x)[normalize_axis(either(axis, dim), len(shape_of(x)))]
        if hasattr(given, "__len__"):
            return split_with_sizes(x, given, either(axis, dim))
        size = operator.index(given)
        if size < 1 and whole:
            raise ShapeError("GL028", f"split got pieces of size {size}", "Pieces have at least 1 element")
        sizes = [min(size, whole - start) for start in range(0, whole, size or 1)] or [0]
        return split_with_sizes(x, sizes, either(axis, dim))
    whole = shape_of(x)[normalize_axis(axis, len(shape_of(x)))]
    if not hasattr(given, "__len__") and operator.index(given) > 0 and whole % given:
        what = f"split cannot make {given} equal pieces of an axis of size {whole}"
        raise ShapeError(
            "GL028", what, fix="Use array_split, or split(x, size, dim=...) for pieces of one size"
        )
    return array_split(x, given, axis)


def tensor_split(x: Any, indices_or_sections: Any, dim: int = 0) -> list[Any]:
    """PyTorch's name for `array_split`."""
    return array_split(x, indices_or_sections, dim)


def chunk(x: Any, chunks: int, dim: int = 0, *, axis: int | None = None) -> list[Any]:
    """At most `chunks` pieces of equal size, the last one shorter, as in PyTorch."""
    place = normalize_axis(either(dim, axis), len(shape_of(x)))
    if operator.index(chunks) < 1:
        raise ShapeError("GL028", f"chunk got {chunks} pieces", "At least one is needed")
    size = max(1, -(-shape_of(x)[place] // chunks))
    return split(x, split_size_or_sections=size, dim=place)


def unbind(x: Any, dim: int = 0, *, axis: int | None = None) -> list[Any]:
    """The slices of x along an axis, each without that axis. Shapes: (k, n) → k times (n,)."""
    place = normalize_axis(either(dim, axis), len(shape_of(x)))
    return [select(x, place, index) for index in range(shape_of(x)[place])]


def select(x: Any, dim: int, index: int) -> Any:
    """The slice of x at one index along an axis, without that axis. Shapes: (k, n), 0, i → (n,)."""
    place = normalize_axis(dim, len(shape_of(x)))
    from gradlab.ops.index import getitem

    return getitem(x, (*(slice(None),) * place, operator.index(index)))


def narrow(x: Any, dim: int, start: int, length: int) -> Any:
    """`length` elements from `start` on along an axis. Raises ShapeError GL028 when they are not there."""
    place = normalize_axis(dim, len(shape_of(x)))
    whole, first = shape_of(x)[place], operator.index(start)
    first += whole if first < 0 else 0
    if not 0 <= first <= first + length <= whole:
        what = f"narrow asks for {length} elements from {start} on, of an axis of size {whole}"
        raise ShapeError("GL028", what, fix="Shorten the piece or start earlier")
    return apply(GETITEM, x, index=along(place, first, first + length))


def diff(x: Any, n: int = 1, axis: int = -1, *, dim: int | None = None) -> Any:
    """The differences of neighbours along `axis`, n times. Shapes: (k,) → (k - n,)."""
    place = normalize_axis(either(axis, dim), len(shape_of(x)))
    for _ in range(n):
        x = apply(GETITEM, x, index=along(place, 1, None)) - apply(GETITEM, x, index=along(place, None, -1))
    return x


# --- stacks by direction ---


def atleast_1d(x: Any) -> Any:
    """x with at least one axis."""
    return reshape(x, 1) if not shape_of(x) else x


def atleast_2d(x: Any) -> Any:
    """x with at least two axes; a vector becomes a row."""
    shape = shape_of(x)
    return x if len(shape) >= 2 else reshape(x, (1,) * (2 - len(shape)) + shape)


def atleast_3d(x: Any) -> Any:
    """x with at least three axes: (n,) → (1, n, 1) and (n, m) → (n, m, 1), as in NumPy."""
    shape = shape_of(x)
    grown = {0: (1, 1, 1), 1: (1, *shape, 1), 2: (*shape, 1)}
    return reshape(x, grown[len(shape)]) if len(shape) < 3 else x


def vstack(xs: Any) -> Any:
    """Arrays above one another: rows, or vectors as rows. Shapes: (n,), (n,) → (2, n)."""
    return concatenate([atleast_2d(x) for x in listed(xs, "vstack")], 0)


def hstack(xs: Any) -> Any:
    """Arrays beside one another. Shapes: (n, a), (n, b) → (n, a + b); vectors: (a,), (b,) → (a + b,)."""
    parts = [atleast_1d(x) for x in listed(xs, "hstack")]
    return concatenate(parts, 0 if len(shape_of(parts[0])) == 1 else 1)


def dstack(xs: Any) -> Any:
    """Arrays behind one another, along a third axis. Shapes: (n, m), (n, m) → (n, m, 2)."""
    return concatenate([atleast_3d(x) for x in listed(xs, "dstack")], 2)


def column_stack(xs: Any) -> Any:
    """Vectors as columns of a matrix. Shapes: (n,), (n,) → (n, 2)."""
    parts = listed(xs, "column_stack")
    return concatenate([x if len(shape_of(x)) > 1 else reshape(x, (-1, 1)) for x in parts], 1)


# --- other views ---


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """x with some axes moved to other places; the others keep their order. Shapes: (a, b, c), 0, -1 → (b, c, a)."""
    rank = len(shape_of(x))
    wrapped = [one if isinstance(one, (tuple, list)) else (one,) for one in (source, destination)]
    origins, goals = ([normalize_axis(one, rank) for one in some] for some in wrapped)
    if len(set(origins)) != len(goals) or len(set(goals)) != len(goals):
        what = f"moveaxis got sources {source} and destinations {destination}"
        raise ShapeError("GL026", what, "As many of one as of the other, each axis once")
    order = [axis for axis in range(rank) if axis not in origins]
    for goal, origin in sorted(zip(goals, origins, strict=True)):
        order.insert(goal, origin)
    return apply(TRANSPOSE, x, axes=tuple(order))


def movedim(x: Any, source: Any, destination: Any) -> Any:
    """PyTorch's name for `moveaxis`."""
    return moveaxis(x, source, destination)


def ravel(x: Any) -> Any:
    """All elements in one axis, as `flatten`. Shapes: any → (n,)."""
    return reshape(x, (count(shape_of(x)),))


def unflatten(x: Any, dim: int, sizes: Any) -> Any:
    """One axis as several. Shapes: (6, k), 0, (2, 3) → (2, 3, k). One size may be -1."""
    shape, place = shape_of(x), normalize_axis(dim, len(shape_of(x)))
    known = count(tuple(size for size in sizes if size != -1))
    parts = tuple(shape[place] // max(known, 1) if size == -1 else operator.index(size) for size in sizes)
    return reshape(x, (*shape[:place], *parts, *shape[place + 1 :]))


def expand(x: Any, *sizes: Any) -> Any:
    """PyTorch's `broadcast_to`, where -1 keeps a size. Shapes: (3, 1), (-1, 4) → (3, 4)."""
    wanted = tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
    shape = shape_of(x)
    lead = len(wanted) - len(shape)
    if lead < 0 or any(size == -1 for size in wanted[:lead]):
        what = f"expand cannot turn shape {shape} into {wanted}"
        raise ShapeError(
            "GL020", what, "New axes come first and need a size; -1 keeps the size of an old one"
        )
    full = [shape[p - lead] if size == -1 else operator.index(size) for p, size in enumerate(wanted)]
    return broadcast_to(x, tuple(full))


def broadcast_tensors(*xs: Any) -> list[Any]:
    """All arrays broadcast to their common shape. Raises ShapeError GL020 when there is none."""
    shape: Shape = broadcast_shapes(*[shape_of(x) for x in xs])
    return [broadcast_to(x, shape) for x in xs]


def broadcast_arrays(*xs: Any) -> list[Any]:
    """NumPy's name for `broadcast_tensors`."""
    return broadcast_tensors(*xs)


def fliplr(x: Any) -> Any:
    """x with its columns in reverse order. Shapes: (n, m, …) → the same."""
    return flip(x, 1)


def flipud(x: Any) -> Any:
    """x with its rows in reverse order. Shapes: (n, …) → the same."""
    return flip(x, 0)


def rot90(x: Any, k: int = 1, axes: tuple[int, int] = (0, 1), *, dims: Any = None) -> Any:
    """x turned k times by 90° from the first axis towards the second. Shapes: (n, m) → (m, n) for odd k."""
    first, second = either(axes, dims)
    turns = k % 4
    if turns == 2:
        return flip(x, (first, second))
    if turns == 1:
        return swapaxes(flip(x, second), first, second)
    return flip(swapaxes(x, first, second), second) if turns else x
