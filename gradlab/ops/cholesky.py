"""The Cholesky factor of symmetric matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.backends import beside, singular
from gradlab.errors import ArgumentError
from gradlab.op import Op, apply
from gradlab.ops.axes import shape_of
from gradlab.ops.elementwise import multiply
from gradlab.ops.families import count
from gradlab.ops.linear import matmul
from gradlab.ops.matrices import SOLVE, square, turned, unit_like
from gradlab.ops.signature import define
from gradlab.ops.triangles import tril

__all__ = ["cholesky", "cholesky_solve"]


def _cholesky(xp: Any, x: Any) -> Any:
    try:
        return xp.linalg.cholesky((x + xp.swapaxes(x, -1, -2)) * 0.5)
    except ValueError as error:
        if not singular(error):
            raise
        what, why = (
            "a matrix is not positive definite",
            "Only then it is the product of a triangle with itself",
        )
        raise ArgumentError(
            "GL113", f"cholesky: {what}", why, "Add a little to the diagonal, as in x + 1e-6 * eye(n)"
        ) from None


def _half(x: Any) -> Any:
    """The lower triangle with half the diagonal: what a symmetric change does to the factor."""
    return tril(x) - multiply(x, unit_like(x)) * 0.5


def _between(factor: Any, x: Any) -> Any:
    """factor⁻¹ x factor⁻ᵀ."""
    return turned(apply(SOLVE, factor, turned(apply(SOLVE, factor, x))))


def _jvp(t: Any, z: Any, x: Any) -> Any:
    return matmul(z, _half(_between(z, (t + turned(t)) * 0.5)))


def _vjp(ct: Any, z: Any, x: Any) -> Any:
    inner = _half(matmul(turned(z), ct))
    outer = turned(apply(SOLVE, turned(z), turned(apply(SOLVE, turned(z), inner))))
    return (outer + turned(outer)) * 0.5


def _samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape in ((1, 1), (3, 3), (2, 2, 2), (0, 2, 2)):
        x = rng.normal(size=shape)
        yield (x @ x.swapaxes(-1, -2) + 2.0 * beside(x).xp.eye(shape[-1]),), {}


CHOLESKY: Op = define(
    "cholesky_",
    _cholesky,
    lambda shape: square("cholesky", shape),
    jvp=(_jvp,),
    vjp=(_vjp,),
    symbol="cholesky",
    formula="cholesky(x)",
    derivatives=("from z alone",),
    doc="The lower triangle whose product with its transpose is x.",
    samples=_samples,
    reads="z",
    tags="smooth internal",
    flops=lambda shape: count(shape) * shape[-1] // 3,
)


def cholesky(x: Any, upper: bool = False) -> Any:
    """The lower triangle l with l lᵀ = x, or with `upper` the upper one, lᵀ. Shapes: (…, n, n) → the same.

    x is taken as symmetric: (x + xᵀ) / 2 is what counts, and so the gradient is symmetric. VJP: Murray, arXiv 1602.07527, 2016.
    Raises ShapeError GL111, ArgumentError GL113 when x is not positive definite.

    >>> gl.cholesky(gl.tensor([[4.0, 2.0], [2.0, 2.0]])).tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    square("cholesky", shape_of(x))
    z = apply(CHOLESKY, x)
    return turned(z) if upper else z


def cholesky_solve(b: Any, factor: Any, upper: bool = False) -> Any:
    """The z for which l lᵀ z = b, from the factor l. Shapes: (…, n, k), (…, n, n) → (…, n, k). Raises ShapeError GL111.

    >>> gl.cholesky_solve(gl.tensor([[8.0]]), gl.tensor([[2.0]])).tolist()
    [[2.0]]
    """
    square("cholesky_solve", shape_of(factor))
    lower = turned(factor) if upper else factor
    return apply(SOLVE, turned(tril(lower)), apply(SOLVE, tril(lower), b))
