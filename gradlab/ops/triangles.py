"""Parts of matrices: diagonals and triangles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import normalize_axis, shape_of
from gradlab.ops.families import linear
from gradlab.ops.index import ADD_AT
from gradlab.ops.pieces import moveaxis
from gradlab.ops.reduce import sum as sum_
from gradlab.ops.shape import reshape
from gradlab.ops.signature import either

__all__ = ["diagonal", "diag", "diag_embed", "diagflat", "tril", "triu", "trace"]


def _places(rows: int, columns: int, offset: int) -> tuple[Any, Any]:
    """Row and column numbers of a diagonal."""
    from gradlab.backends.numpy import CPU

    first = (max(-offset, 0), max(offset, 0))
    length = max(0, min(rows - first[0], columns - first[1]))
    numbers = CPU.asarray(list(range(length)), int)
    return numbers + first[0], numbers + first[1]


def _diagonal_shape(shape: Shape, *, offset: int, axis1: int, axis2: int) -> Shape:
    kept = tuple(size for place, size in enumerate(shape) if place not in (axis1, axis2))
    return (*kept, len(_places(shape[axis1], shape[axis2], offset)[0]))


def _diagonal_vjp(ct: Any, x: Any, *, offset: int, axis1: int, axis2: int) -> Any:
    shape = shape_of(x)
    kept = tuple(size for place, size in enumerate(shape) if place not in (axis1, axis2))
    index = (..., *_places(shape[axis1], shape[axis2], offset))
    put = apply(ADD_AT, ct, index=index, shape=(*kept, shape[axis1], shape[axis2]))
    return moveaxis(put, (-2, -1), (axis1, axis2))


def _diagonal_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, offset, axis1, axis2 in (
        ((3, 3), 0, 0, 1),
        ((2, 4), 1, 0, 1),
        ((3, 2), -1, 1, 0),
        ((2, 3, 2), 0, 0, 2),
        ((2, 2), 5, 0, 1),
    ):
        yield (rng.normal(size=shape),), {"offset": offset, "axis1": axis1, "axis2": axis2}


DIAGONAL: Op = linear(
    "diagonal",
    lambda xp, x, *, offset, axis1, axis2: xp.diagonal(x, offset, axis1, axis2),
    _diagonal_vjp,
    _diagonal_shape,
    symbol="diagonal",
    formula="diagonal(x)",
    derivative="1",
    doc="The elements whose two indices are equal, or differ by an offset.",
    samples=_diagonal_samples,
    tags="view",
)


def diagonal(
    x: Any,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    *,
    dim1: int | None = None,
    dim2: int | None = None,
) -> Any:
    """The diagonal of two axes, as the last axis. Shapes: (n, m) → (min(n, m),); (b, n, n), axis1=1, axis2=2 → (b, n).

    VJP: the cotangent on the diagonal of zeros. Raises ShapeError GL022 for fewer than two axes.
    """
    rank = len(shape_of(x))
    first, second = normalize_axis(either(axis1, dim1), rank), normalize_axis(either(axis2, dim2), rank)
    if first == second:
        raise ShapeError("GL022", f"diagonal got axis {first} twice", "Two different axes are needed")
    return apply(DIAGONAL, x, offset=offset, axis1=first, axis2=second)


def diag_embed(x: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The last axis on the diagonal of new matrices of zeros. Shapes: (b, n) → (b, n, n). VJP: the diagonal of the cotangent."""
    shape = shape_of(x)
    if not shape:
        raise ShapeError(
            "GL022", "diag_embed needs at least one axis", fix="Reshape the number to (1,) first"
        )
    size, rank = shape[-1] + abs(offset), len(shape) + 1
    index = (..., *_places(size, size, offset))
    put = apply(ADD_AT, x, index=index, shape=(*shape[:-1], size, size))
    first, second = normalize_axis(dim1, rank), normalize_axis(dim2, rank)
    return moveaxis(put, (-2, -1), (first, second))


def diag(x: Any, k: int = 0, *, diagonal: int | None = None) -> Any:
    """A vector as a diagonal matrix, or the diagonal of a matrix. Shapes: (n,) → (n, n); (n, m) → (min(n, m),)."""
    rank, offset = len(shape_of(x)), either(k, diagonal)
    if rank not in (1, 2):
        raise ShapeError("GL022", f"diag got rank {rank}", "It takes vectors and matrices", "Use diagonal(x)")
    return diag_embed(x, offset) if rank == 1 else apply(DIAGONAL, x, offset=offset, axis1=0, axis2=1)


def diagflat(x: Any, offset: int = 0) -> Any:
    """All elements of x on the diagonal of a matrix. Shapes: any → (n, n)."""
    return diag_embed(reshape(x, -1), offset)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sum of the diagonal. Shapes: (n, m) → (). VJP: the cotangent on the diagonal of zeros."""
    return sum_(diagonal(x, offset, axis1, axis2), axis=-1)


def _triangle_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, k in (((3, 3), 0), ((2, 3, 4), 1), ((4, 2), -1), ((0, 2), 0)):
        yield (rng.normal(size=shape),), {"k": k}


def _triangle(name: str, symbol: str, doc: str) -> Op:
    op: Op = linear(
        name,
        lambda xp, x, *, k: getattr(xp, name)(x, k),
        lambda ct, x, *, k: apply(op, ct, k=k),
        lambda shape, *, k: shape,
        symbol=symbol,
        formula=f"{name}(x)",
        derivative="1",
        doc=doc,
        samples=_triangle_samples,
    )
    return op


TRIL = _triangle("tril", "◣", "The matrix with zeros above diagonal k.")
TRIU = _triangle("triu", "◥", "The matrix with zeros below diagonal k.")


def _of_matrix(op: Op, x: Any, k: int) -> Any:
    if len(shape_of(x)) < 2:
        raise ShapeError(
            "GL022", f"{op.name} got rank {len(shape_of(x))}", "It takes matrices or stacks of them"
        )
    return apply(op, x, k=k)


def tril(x: Any, k: int = 0, *, diagonal: int | None = None) -> Any:
    """The lower triangle: zeros above diagonal k. Shapes: (…, n, m) → the same. VJP: the lower triangle of the cotangent."""
    return _of_matrix(TRIL, x, either(k, diagonal))


def triu(x: Any, k: int = 0, *, diagonal: int | None = None) -> Any:
    """The upper triangle: zeros below diagonal k. Shapes: (…, n, m) → the same. VJP: the upper triangle of the cotangent."""
    return _of_matrix(TRIU, x, either(k, diagonal))
