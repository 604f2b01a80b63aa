"""Determinants of square matrices: as such, as sign and logarithm, and their derivatives where a matrix is singular."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gradlab.backends import beside, singular
from gradlab.op import Op, apply
from gradlab.ops.axes import shape_of
from gradlab.ops.choice import greater, where
from gradlab.ops.elementwise import multiply
from gradlab.ops.families import count
from gradlab.ops.index import getitem
from gradlab.ops.matrices import INVERSE, Sample, square, turned, well
from gradlab.ops.reduce import sum as sum_
from gradlab.ops.shape import reshape
from gradlab.ops.signature import cut, define

__all__ = ["det", "slogdet", "logdet"]

SAFE = 1e8  # a condition number up to which det(x) · x⁻¹ keeps eight of sixteen digits


def _cofactors(z: Any, x: Any) -> Any:
    """The derivative of det: det(x) x⁻ᵀ, or, where x is singular or nearly so, the determinants of all minors."""
    raw = getattr(x, "primal", x)
    xp = beside(x).xp
    if shape_of(raw)[-1] == 0:
        return x
    try:
        inverse_ = xp.linalg.inv(raw)
        condition = xp.linalg.norm(raw, axis=(-2, -1)) * xp.linalg.norm(inverse_, axis=(-2, -1))
        regular = bool((condition < SAFE).all())
    except ValueError as error:
        if not singular(error):
            raise
        regular = False
    if regular:
        return multiply(turned(apply(INVERSE, x)), reshape(z, (*shape_of(z), 1, 1)))
    return _minors(x)


def _minors(x: Any) -> Any:
    """The signed determinants of x without row i and column j, for all i and j."""
    import numpy as np

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
    import numpy as np

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
