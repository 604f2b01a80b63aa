"""softmax, log_softmax and logsumexp: primitives, so that large numbers and -inf do no harm."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import normalize_axis, shape_of
from gradlab.ops.choice import equal, where
from gradlab.ops.elementwise import exp
from gradlab.ops.families import count
from gradlab.ops.reduce import SUM
from gradlab.ops.reducing import need_elements, reduce_with, reducing, samples_with
from gradlab.ops.shape import reshape
from gradlab.ops.signature import define, either

__all__ = ["logsumexp", "softmax", "log_softmax", "softmin"]

Axes = tuple[int, ...]


def _top(xp: Any, x: Any, axis: Any) -> Any:
    """The largest element, or 0 where it is infinite: taking it away then overflows nothing."""
    top = xp.max(x, axis=axis, keepdims=True)
    return xp.where(xp.isfinite(top), top, 0.0)


def _logsumexp(xp: Any, x: Any, *, axis: Axes, keepdims: bool) -> Any:
    if not axis:
        return x * 1.0
    top = _top(xp, x, axis)
    with xp.errstate(divide="ignore"):  # log(0) is the right answer for a row of -inf
        z = xp.log(xp.sum(xp.exp(x - top), axis=axis, keepdims=True)) + top
    return z if keepdims else xp.squeeze(z, axis=axis)


def _logsumexp_slope(z: Any, x: Any, axis: Axes) -> Any:
    return exp(
        x - where(equal(z, -math.inf), 0.0, z)
    )  # a row of -inf: exp(-inf) is 0, where -inf + inf would be nan


LOGSUMEXP = reducing(
    "logsumexp",
    _logsumexp,
    _logsumexp_slope,
    symbol="logΣexp",
    formula="log(sum(exp(x)))",
    derivative="exp(x - z)",
    doc="log(Σ exp(x)) over the given axes without overflow. In a row of -inf the slope is 0.",
    samples=samples_with(),
    reads="z x",
    tags="smooth",
    flops=4,
)


def logsumexp(
    x: Any, axis: Any = None, keepdims: bool = False, *, dim: Any = None, keepdim: bool | None = None
) -> Any:
    """log(Σ exp(x)) over `axis`, without overflow. Shapes: (n, m), axis=1 → (n,).

    VJP: z̄ · softmax(x); a row of -inf gets 0 (PyTorch: nan). Raises ShapeError GL025 over no elements.
    """
    need_elements("logsumexp", x, either(axis, dim))
    return reduce_with(LOGSUMEXP, x, axis, keepdims, dim, keepdim)


def _samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, axis in (((3,), 0), ((2, 3), 0), ((2, 3), 1), ((2, 3, 2), 1), ((0, 2), 1), ((2, 1), 1)):
        yield (rng.normal(size=shape),), {"axis": axis}


def _same(shape: Shape, *, axis: int) -> Shape:
    return shape


def _softmax(xp: Any, x: Any, *, axis: int) -> Any:
    powers = xp.exp(x - _top(xp, x, axis))
    with xp.errstate(invalid="ignore"):  # 0 / 0 in a row of -inf, where there is no answer
        return powers / xp.sum(powers, axis=axis, keepdims=True)


def _softmax_rule(d: Any, z: Any, x: Any, *, axis: int) -> Any:
    """One rule for tangents and cotangents: the matrix diag(z) - z zᵀ is symmetric."""
    share = where(
        equal(x, -math.inf), 0.0, z
    )  # exactly what z is there, but for a row of -inf, where z is nan
    return share * (d - apply(SUM, d * share, axis=(axis,), keepdims=True))


SOFTMAX: Op = define(
    "softmax",
    _softmax,
    _same,
    jvp=(_softmax_rule,),
    vjp=(_softmax_rule,),
    symbol="softmax",
    formula="exp(x) / sum(exp(x))",
    derivatives=("z * (1 - z)",),
    doc="Positive shares that add up to 1 along an axis: exp(x) / Σ exp(x). Exact also for large |x|.",
    samples=_samples,
    reads="z x",
    tags="smooth",
    flops=lambda shape, **params: 4 * count(shape),
)


def _log_softmax(xp: Any, x: Any, *, axis: int) -> Any:
    with xp.errstate(invalid="ignore"):
        return x - _logsumexp(xp, x, axis=(axis,), keepdims=True)


def _share(z: Any, x: Any) -> tuple[Any, Any]:
    nothing = equal(x, -math.inf)
    return nothing, exp(where(nothing, -math.inf, z))


def _alive(nothing: Any, z: Any, result: Any) -> Any:
    """The result, but 0 in a row of -inf: there z is nan and x is -inf."""
    return where(equal(z, z), result, where(nothing, 0.0, result))


def _log_softmax_jvp(t: Any, z: Any, x: Any, *, axis: int) -> Any:
    nothing, share = _share(z, x)
    return _alive(nothing, z, t - apply(SUM, t * share, axis=(axis,), keepdims=True))


def _log_softmax_vjp(ct: Any, z: Any, x: Any, *, axis: int) -> Any:
    nothing, share = _share(z, x)
    return _alive(nothing, z, ct - share * apply(SUM, ct, axis=(axis,), keepdims=True))


LOG_SOFTMAX: Op = define(
    "log_softmax",
    _log_softmax,
    _same,
    jvp=(_log_softmax_jvp,),
    vjp=(_log_softmax_vjp,),
    symbol="log softmax",
    formula="x - log(sum(exp(x)))",
    derivatives=("1 - exp(z)",),
    doc="The logarithm of softmax along an axis, exact also where softmax itself is 0.",
    samples=_samples,
    reads="z x",
    tags="smooth",
    flops=lambda shape, **params: 5 * count(shape),
)


def _along(op: Op, x: Any, axis: Any) -> Any:
    shape = shape_of(x)
    place = normalize_axis(axis, len(shape) or 1)
    if not shape:  # one number is a row of one
        return reshape(apply(op, reshape(x, 1), axis=0), ())
    return apply(op, x, axis=place) if shape[place] else x * 1.0


def softmax(x: Any, axis: int = -1, *, dim: int | None = None) -> Any:
    """Shares that add up to 1 along `axis`: exp(x) / Σ exp(x). Shapes: any → the same.

    VJP: z (z̄ - Σ z̄ z). A row of -inf gives nan, as in PyTorch, but the gradient 0.
    """
    return _along(SOFTMAX, x, either(axis, dim))


def log_softmax(x: Any, axis: int = -1, *, dim: int | None = None) -> Any:
    """log(softmax(x)) along `axis`, exact for logits of ±1000. Shapes: any → the same. VJP: z̄ - softmax(x) Σ z̄."""
    return _along(LOG_SOFTMAX, x, either(axis, dim))


def softmin(x: Any, axis: int = -1, *, dim: int | None = None) -> Any:
    """softmax(-x)."""
    return softmax(-x, axis, dim=dim)
