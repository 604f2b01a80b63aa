"""Square matrices: inverse, systems of equations, determinants, powers. All take stacks of matrices too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from gradlab.errors import ArgumentError, ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import shape_of
from gradlab.ops.choice import greater, where
from gradlab.ops.elementwise import multiply
from gradlab.ops.families import broadcast_shapes, count
from gradlab.ops.index import getitem
from gradlab.ops.linear import matmul
from gradlab.ops.reduce import sum as sum_
from gradlab.ops.shape import broadcast_to, expand_dims, reshape, squeeze, swapaxes
from gradlab.ops.signature import cut, define
from gradlab.ops.triangles import tril, triu
from gradlab.ops.vectors import matrix_power_of

__all__ = ["inverse", "inv", "solve", "solve_triangular", "det", "slogdet", "logdet", "matrix_power"]

Sample = tuple[tuple[Any, ...], dict[str, Any]]
SAFE = 1e8  # a condition number up to which det(x) · x⁻¹ keeps eight of sixteen digits


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
    except np.linalg.LinAlgError:
        what, why = "a matrix has no inverse", "Its rows depend on each other, so its determinant is 0"
        fix = "Add a little to the diagonal, or look at the matrix: a row may be zero or stand twice"
        raise ArgumentError("GL112", what, why, fix) from None


def well(rng: Any, *shape: int) -> Any:
    """Random matrices far from singular, for samples."""
    return rng.normal(size=shape) + 3.0 * np.eye(shape[-1])


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
    from gradlab.backends.numpy import CPU

    diagonal = CPU.asarray(
        [[i == j for j in range(shape_of(x)[-1])] for i in range(shape_of(x)[-1])] or np.zeros((0, 0), bool)
    )
    return where(diagonal, multiply(where(False, x, 0.0), 0.0) + 1.0, 0.0)


# --- determinants ---


def _cofactors(z: Any, x: Any) -> Any:
    """The derivative of det: det(x) x⁻ᵀ, or, where x is singular or nearly so, the determinants of all minors."""
    raw = getattr(x, "primal", x)
    if shape_of(raw)[-1] == 0:
        return x
    try:
        inverse_ = np.linalg.inv(raw)
        condition = np.linalg.norm(raw, axis=(-2, -1)) * np.linalg.norm(inverse_, axis=(-2, -1))
        regular = bool((condition < SAFE).all())
    except np.linalg.LinAlgError:
        regular = False
    if regular:
        return multiply(turned(apply(INVERSE, x)), reshape(z, (*shape_of(z), 1, 1)))
    return _minors(x)


def _minors(x: Any) -> Any:
    """The signed determinants of x without row i and column j, for all i and j."""
    n = shape_of(x)[-1]
    others = np.array([[k for k in range(n) if k != i] for i in range(n)], int).reshape(n, n - 1)
    rows, columns = others[:, None, :, None], others[None, :, None, :]
    signs = (-1.0) ** np.add.outer(np.arange(n), np.arange(n))
    return multiply(apply(DET, getitem(x, (..., rows, columns))), signs)


def _of_trace(weights: Any, t: Any) -> Any:
    return sum_(multiply(weights, t), axis=(-2, -1))


def _by_matrix(ct: Any, weights: Any) -> Any:
    return multiply(reshape(ct, (*shape_of(ct), 1, 1)), weights)


def _det_samples(rng: Any) -> Iterator[Sample]:
    for shape in ((1, 1), (3, 3), (2, 2, 2), (0, 2, 2), (0, 0)):
        yield (well(rng, *shape),), {}
    yield (np.array([[1.0, 2.0, 0.5], [2.0, 4.0, 1.0], [0.3, -1.0, 2.0]]),), {}  # singular, of rank 2
    yield (np.zeros((2, 2)),), {}


DET: Op = define(
    "det",
    lambda xp, x: xp.linalg.det(x),
    lambda shape: square("det", shape)[:-2],
    jvp=(lambda t, z, x: _of_trace(_cofactors(z, x), t),),
    vjp=(lambda ct, z, x: _by_matrix(ct, _cofactors(z, x)),),
    symbol="det",
    formula="det(x)",
    derivatives=("z * transpose(inverse(x))",),
    doc="By how much the matrix stretches volumes, with a sign.",
    samples=_det_samples,
    reads="z x",
    tags="smooth",
    flops=lambda shape: count(shape) * shape[-1],
)


def det(x: Any) -> Any:
    """The determinant. Shapes: (…, n, n) → (…). VJP: z̄ times the cofactors, which are det(x) x⁻ᵀ, exact for singular matrices too.

    Raises ShapeError GL111.

    >>> gl.det(gl.tensor([[2.0, 0.0], [0.0, 4.0]])).item()
    8.0
    """
    square("det", shape_of(x))
    return apply(DET, x)


def _slog_samples(rng: Any) -> Iterator[Sample]:
    for shape in ((1, 1), (3, 3), (2, 2, 2), (0, 2, 2)):
        yield (well(rng, *shape),), {}
    yield (-well(rng, 3, 3),), {}


def _inverse_turned(x: Any) -> Any:
    return turned(apply(INVERSE, x))


LOGABSDET: Op = define(
    "logabsdet",
    lambda xp, x: xp.linalg.slogdet(x)[1],
    lambda shape: square("slogdet", shape)[:-2],
    jvp=(lambda t, z, x: _of_trace(_inverse_turned(x), t),),
    vjp=(lambda ct, z, x: _by_matrix(ct, _inverse_turned(x)),),
    symbol="log|det|",
    formula="log(abs(det(x)))",
    derivatives=("transpose(inverse(x))",),
    doc="The logarithm of the size of a determinant, where the determinant itself would overflow.",
    samples=_slog_samples,
    reads="x",
    tags="smooth internal",
    flops=lambda shape: count(shape) * shape[-1],
)

SIGNDET: Op = cut(
    "signdet",
    lambda xp, x: xp.linalg.slogdet(x)[0],
    lambda shape: square("slogdet", shape)[:-2],
    symbol="sign det",
    formula="sign(det(x))",
    doc="The sign of a determinant: -1, 0 or 1.",
    samples=_slog_samples,
    tags="internal",
)


class SignAndLog(NamedTuple):
    """What `slogdet` returns: det(x) = sign · exp(logabsdet)."""

    sign: Any
    logabsdet: Any


def slogdet(x: Any) -> SignAndLog:
    """The sign of the determinant and the logarithm of its size, without overflow. Shapes: (…, n, n) → (…), (…).

    VJP of logabsdet: z̄ x⁻ᵀ; the sign has none. A singular matrix gives 0 and -inf, and its gradient is an ArgumentError GL112.

    >>> sign, size = gl.slogdet(gl.tensor([[-1.0, 0.0], [0.0, 1.0]]))
    >>> sign.item(), size.item()
    (-1.0, 0.0)
    """
    square("slogdet", shape_of(x))
    return SignAndLog(apply(SIGNDET, x), apply(LOGABSDET, x))


def logdet(x: Any) -> Any:
    """The logarithm of the determinant; nan where it is negative. Shapes: (…, n, n) → (…). VJP: z̄ x⁻ᵀ. Raises ShapeError GL111.

    >>> gl.logdet(gl.tensor([[1.0, 0.0], [0.0, 1.0]])).item()
    0.0
    """
    sign, size = slogdet(x)
    return where(greater(0.0, sign), float("nan"), size)


def matrix_power(x: Any, n: int) -> Any:
    """x multiplied n times by itself; the inverse for n = -1, the unit matrix for n = 0. Shapes: (…, k, k) → the same.

    VJP: that of the products it is made of. Raises ShapeError GL111, GL027 for a power that is no whole number.

    >>> gl.matrix_power(gl.tensor([[1.0, 1.0], [0.0, 1.0]]), 3).tolist()
    [[1.0, 3.0], [0.0, 1.0]]
    """
    square("matrix_power", shape_of(x))
    return matrix_power_of(x, n, unit_like(x), inverse)
