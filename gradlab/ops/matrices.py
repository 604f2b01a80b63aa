"""Square matrices: inverse, systems of equations, powers. All take stacks of matrices too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradlab.backends import beside, singular
from gradlab.errors import ArgumentError, ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import shape_of
from gradlab.ops.choice import where
from gradlab.ops.elementwise import multiply
from gradlab.ops.families import broadcast_shapes, count
from gradlab.ops.linear import matmul
from gradlab.ops.shape import broadcast_to, expand_dims, squeeze, swapaxes
from gradlab.ops.signature import define
from gradlab.ops.triangles import tril, triu
from gradlab.ops.vectors import matrix_power_of

__all__ = ["inverse", "inv", "solve", "solve_triangular", "matrix_power"]

Sample = tuple[tuple[Any, ...], dict[str, Any]]


def square(name: str, shape: Shape) -> Shape:
    """The shape, which must be that of square matrices. Raises ShapeError GL111."""
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ShapeError("GL111", f"{name} got shape {shape}", "It is for square matrices, (…, n, n)")
    return shape


def turned(x: Any) -> Any:
    """The transposed matrices of a stack."""
    return swapaxes(x, -1, -2)


def solvable(function: Callable[..., Any], *args: Any) -> Any:
    """Run a function of a linear algebra package. Raises ArgumentError GL112 where a matrix has no inverse."""
    try:
        return function(*args)
    except ValueError as error:
        if not singular(error):
            raise
        what, why = "a matrix has no inverse", "Its rows depend on each other, so its determinant is 0"
        fix = "Add a little to the diagonal, or look at the matrix: a row may be zero or stand twice"
        raise ArgumentError("GL112", what, why, fix) from None


def well(rng: Any, *shape: int) -> Any:
    """Random matrices far from singular, for samples."""
    x = rng.normal(size=shape)
    return x + 3.0 * beside(x).xp.eye(shape[-1])


# --- inverse ---


def _inverse_samples(rng: Any) -> Iterator[Sample]:
    for shape in ((1, 1), (3, 3), (2, 2, 2), (0, 2, 2), (0, 0)):
        yield (well(rng, *shape),), {}


INVERSE: Op = define(
    "inverse",
    lambda xp, x: solvable(xp.linalg.inv, x),
    lambda shape: square("inverse", shape),
    jvp=(lambda t, z, x: -matmul(matmul(z, t), z),),
    vjp=(lambda ct, z, x: -matmul(matmul(turned(z), ct), turned(z)),),
    symbol="x⁻¹",
    formula="inverse(x)",
    derivatives=("-transpose(z) @ ct @ transpose(z)",),
    doc="The matrix whose product with x is the unit matrix.",
    samples=_inverse_samples,
    reads="z",
    tags="smooth",
    flops=lambda shape: 2 * count(shape) * shape[-1],
)


def inverse(x: Any) -> Any:
    """The matrix whose product with x is the unit matrix. Shapes: (…, n, n) → the same. VJP: -zᵀ z̄ zᵀ.

    To solve x y = b, `solve(x, b)` is quicker and rounds less. Raises ShapeError GL111, ArgumentError GL112 for a singular matrix.

    >>> gl.inverse(gl.tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    square("inverse", shape_of(x))
    return apply(INVERSE, x)


def inv(x: Any) -> Any:
    """`inverse`, as NumPy calls it.

    >>> gl.inv(gl.tensor([[2.0]])).tolist()
    [[0.5]]
    """
    return inverse(x)


# --- systems of equations ---


def _solve_shape(a: Shape, b: Shape) -> Shape:
    square("solve", a)
    if a[-1] != b[-2]:
        what = (
            f"solve got a matrix of shape {a} and right sides of shape {b}: sizes {a[-1]} and {b[-2]} differ"
        )
        raise ShapeError("GL111", what, "A right side has one number for each equation")
    return (*broadcast_shapes(a[:-2], b[:-2]), *b[-2:])


def _solve_samples(rng: Any) -> Iterator[Sample]:
    for a, b in (
        ((2, 2), (2, 3)),
        ((3, 3), (3, 1)),
        ((2, 2, 2), (2, 1)),
        ((2, 2), (3, 2, 2)),
        ((2, 2), (2, 0)),
    ):
        yield (well(rng, *a), rng.normal(size=b)), {}


def _solve_vjp_a(ct: Any, z: Any, a: Any, b: Any) -> Any:
    return -matmul(apply(SOLVE, turned(a), ct), turned(z))


SOLVE: Op = define(
    "solve_",
    lambda xp, a, b: solvable(xp.linalg.solve, a, b),
    _solve_shape,
    jvp=(
        lambda t, z, a, b: -apply(SOLVE, a, matmul(t, z)),
        lambda t, z, a, b: apply(SOLVE, a, broadcast_to(t, shape_of(b))),
    ),
    vjp=(_solve_vjp_a, lambda ct, z, a, b: apply(SOLVE, turned(a), ct)),
    symbol="solve",
    formula="inverse(a) @ b",
    derivatives=("-transpose(inverse(a)) @ ct @ transpose(z)", "transpose(inverse(a)) @ ct"),
    doc="The solution z of a z = b.",
    samples=_solve_samples,
    reads="z a",
    tags="smooth internal",
    flops=lambda a, b: 2 * count(a) * a[-1] + 2 * count(b) * a[-1],
)


def solve(a: Any, b: Any, *, left: bool = True) -> Any:
    """The z for which a z = b; with left=False the z for which z a = b.

    Shapes: (…, n, n), (n,) or (…, n, k) → (n,) or (…, n, k); stacks broadcast. A b of rank 1, or with one axis less than a stack of a
    and its shape without the last, holds vectors. VJP: b̄ = a⁻ᵀ z̄, ā = -b̄ zᵀ. Raises ShapeError GL111, ArgumentError GL112.

    >>> gl.solve(gl.tensor([[2.0, 0.0], [0.0, 4.0]]), gl.tensor([2.0, 8.0])).tolist()
    [1.0, 2.0]
    """
    matrix, right = square("solve", shape_of(a)), shape_of(b)
    if not right:
        raise ShapeError("GL111", "solve got one number as right side", "It has one number for each equation")
    if len(right) == 1 or (len(matrix) > 2 and len(right) == len(matrix) - 1 and right == matrix[:-1]):
        return (
            squeeze(solve(a, expand_dims(b, -1)), -1)
            if left
            else squeeze(solve(turned(a), expand_dims(b, -1)), -1)
        )
    if not left:
        return turned(solve(turned(a), turned(b)))
    _solve_shape(matrix, right)
    return apply(SOLVE, a, b)


def solve_triangular(
    a: Any,
    b: Any,
    *,
    upper: bool = False,
    left: bool = True,
    unitriangular: bool = False,
    lower: bool | None = None,
) -> Any:
    """`solve` that looks at one triangle of a only: the lower one, or the upper. `unitriangular` takes the diagonal for ones.

    Shapes: (…, n, n), (…, n, k) → (…, n, k). VJP: as solve, within the triangle. Raises ShapeError GL111, ArgumentError GL112.

    >>> gl.solve_triangular(gl.tensor([[2.0, 9.0], [1.0, 1.0]]), gl.tensor([[2.0], [3.0]])).tolist()
    [[1.0], [2.0]]
    """
    square("solve_triangular", shape_of(a))
    upper = upper if lower is None else not lower
    half = triu if upper else tril
    part = half(a, (1 if upper else -1) if unitriangular else 0)
    return solve(part + unit_like(a) if unitriangular else part, b, left=left)


def unit_like(x: Any) -> Any:
    """Unit matrices with the shape and dtype of x."""
    diagonal = beside(x).xp.eye(shape_of(x)[-1], dtype=bool)
    return where(diagonal, multiply(where(False, x, 0.0), 0.0) + 1.0, 0.0)


# --- powers ---


def matrix_power(x: Any, n: int) -> Any:
    """x multiplied n times by itself; the inverse for n = -1, the unit matrix for n = 0. Shapes: (…, k, k) → the same.

    VJP: that of the products it is made of. Raises ShapeError GL111, GL027 for a power that is no whole number.

    >>> gl.matrix_power(gl.tensor([[1.0, 1.0], [0.0, 1.0]]), 3).tolist()
    [[1.0, 3.0], [0.0, 1.0]]
    """
    square("matrix_power", shape_of(x))
    return matrix_power_of(x, n, unit_like(x), inverse)
