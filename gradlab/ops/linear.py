"""Linear algebra: the matrix product, for vectors, matrices and stacks of matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import shape_of
from gradlab.ops.families import bilinear, broadcast_shapes, count
from gradlab.ops.shape import TRANSPOSE, expand_dims, reshape, swapaxes

__all__ = ["matmul"]

SHAPES = (
    ((2, 3), (3, 4)),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((5, 2, 3), (3, 2)),
    ((2, 1, 2, 3), (4, 3, 2)),
    ((0, 3), (3, 2)),
)


def _samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for left, right in (*SHAPES, ((3,), (2, 3, 2)), ((2, 2, 3), (3,))):
        yield (rng.normal(size=left), rng.normal(size=right)), {}


def _matmul_shape(x: Shape, y: Shape) -> Shape:
    left, right = x if len(x) > 1 else (1, *x), y if len(y) > 1 else (*y, 1)
    if not x or not y or left[-1] != right[-2]:
        sizes = (
            f"the inner sizes {left[-1]} and {right[-2]} differ"
            if x and y
            else "a single number has no inner size"
        )
        fix = "Transpose one side, or look at the shapes with draw(loss)"
        raise ShapeError("GL021", f"matmul needs (n, k) @ (k, m), got {x} @ {y}: {sizes}", fix=fix)
    rows = (left[-2],) if len(x) > 1 else ()
    columns = (right[-1],) if len(y) > 1 else ()
    return (*broadcast_shapes(left[:-2], right[:-2]), *rows, *columns)


def _column(ct: Any, x: Any, y: Any) -> Any:
    """ct as a stack of matrices, as if vectors had been a row on the left and a column on the right."""
    if len(shape_of(y)) == 1:
        ct = expand_dims(ct, -1)
    return expand_dims(ct, -2) if len(shape_of(x)) == 1 else ct


def _matmul_vjp_x(ct: Any, z: Any, x: Any, y: Any) -> Any:
    if len(x.shape) == len(y.shape) == 2:
        return apply(MATMUL, ct, apply(TRANSPOSE, y, axes=(1, 0)))
    right = y if len(shape_of(y)) > 1 else expand_dims(y, -1)
    result = apply(MATMUL, _column(ct, x, y), swapaxes(right, -1, -2))
    return result if len(shape_of(x)) > 1 else _drop(result, -2)


def _matmul_vjp_y(ct: Any, z: Any, x: Any, y: Any) -> Any:
    if len(x.shape) == len(y.shape) == 2:
        return apply(MATMUL, apply(TRANSPOSE, x, axes=(1, 0)), ct)
    left = x if len(shape_of(x)) > 1 else expand_dims(x, -2)
    result = apply(MATMUL, swapaxes(left, -1, -2), _column(ct, x, y))
    return result if len(shape_of(y)) > 1 else _drop(result, -1)


def _drop(x: Any, axis: int) -> Any:
    shape = shape_of(x)
    place = axis % len(shape)
    return reshape(x, shape[:place] + shape[place + 1 :])


MATMUL: Op = bilinear(
    "matmul",
    lambda xp, x, y: xp.matmul(x, y),
    (_matmul_vjp_x, _matmul_vjp_y),
    _matmul_shape,
    symbol="@",
    formula="x @ y",
    derivatives=("transpose(y)", "transpose(x)"),
    doc="Matrix product.",
    samples=_samples,
    flops=lambda x, y: 2 * count(_matmul_shape(x, y)) * x[-1],
)


def matmul(x: Any, y: Any) -> Any:
    """Matrix product z = x y, as NumPy's `@`.

    Shapes: (n, k), (k, m) → (n, m); a 1-d side is a row on the left and a column on the right; leading axes are broadcast.
    VJP: x̄ = z̄ yᵀ, ȳ = xᵀ z̄. Raises ShapeError GL021 when the inner sizes differ.
    """
    return apply(MATMUL, x, y)
