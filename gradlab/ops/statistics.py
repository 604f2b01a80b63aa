"""Statistics over axes: var, std, median, norms, argmax, argmin, all, any."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from gradlab.errors import ArgumentError, warn_numeric
from gradlab.op import apply
from gradlab.ops.axes import normalize_axes, shape_of
from gradlab.ops.choice import abs as abs_
from gradlab.ops.choice import equal, indicator, where
from gradlab.ops.elementwise import divide, power
from gradlab.ops.index import GETITEM
from gradlab.ops.reduce import MEAN, SUM, kept, size_over
from gradlab.ops.reducing import (
    ALL,
    ANY,
    ARGMAX,
    ARGMIN,
    as_rows,
    need_elements,
    position,
    reduce_with,
    reducing,
    samples_with,
)
from gradlab.ops.rounding import sign
from gradlab.ops.signature import either
from gradlab.ops.sorting import SORT

__all__ = [
    *("var", "std", "median", "norm", "vector_norm", "argmax", "argmin", "all", "any"),
]

Axes = tuple[int, ...]


# --- spread ---


def _var(xp: Any, x: Any, *, axis: Axes, keepdims: bool, ddof: float) -> Any:
    size = size_over(x.shape, axis)
    gap = x - xp.sum(x, axis=axis, keepdims=True) * (1.0 / (size or 1))
    free = 1.0 / (size - ddof) if size > ddof else math.nan
    return xp.sum(gap * gap, axis=axis, keepdims=keepdims) * free


def _gap(x: Any, axis: Axes) -> Any:
    return x - apply(MEAN, x, axis=axis, keepdims=True)


def _free(x: Any, axis: Axes, ddof: float) -> float:
    size = size_over(shape_of(x), axis)
    return 1.0 / (size - ddof) if size > ddof else math.nan


def _std_slope(z: Any, x: Any, axis: Axes, *, ddof: float) -> Any:
    still = equal(z, 0.0)  # equal values: 0, as the gaps are, where 0 / 0 would be nan
    return where(still, 0.0, divide(_gap(x, axis), where(still, 1.0, z))) * _free(x, axis, ddof)


def _spread_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for (x,), params in samples_with({"ddof": 0.0}, {"ddof": 1.0})(rng):
        if size_over(x.shape, params["axis"]) > 1:
            yield (x,), params


VAR = reducing(
    "var",
    _var,
    lambda z, x, axis, *, ddof: _gap(x, axis) * (2.0 * _free(x, axis, ddof)),
    symbol="var",
    formula="var(x)",
    derivative="2 * (x - mean(x)) / n",
    doc="The mean squared distance from the mean over the given axes.",
    samples=_spread_samples,
    reads="x",
    tags="smooth",
    flops=3,
)
STD = reducing(
    "std",
    lambda xp, x, *, axis, keepdims, ddof: xp.sqrt(_var(xp, x, axis=axis, keepdims=keepdims, ddof=ddof)),
    _std_slope,
    symbol="std",
    formula="std(x)",
    derivative="(x - mean(x)) / (n * z)",
    doc="The square root of the variance over the given axes. Its slope is 0 where all values are equal.",
    samples=_spread_samples,
    reads="z x",
    tags="smooth",
    flops=3,
)


def _spread_of(
    op: Any, x: Any, axis: Any, ddof: Any, keepdims: Any, correction: Any, dim: Any, keepdim: Any
) -> Any:
    free = float(either(ddof, correction))
    size = size_over(shape_of(x), normalize_axes(either(axis, dim), len(shape_of(x))))
    if size <= free:
        warn_numeric(
            "GL101",
            f"{op.name} of {size} elements with ddof={free:g} divides by {size - free:g}, so it is nan",
        )
    return reduce_with(op, x, axis, keepdims, dim, keepdim, ddof=free)


def var(
    x: Any,
    axis: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
    dim: Any = None,
    keepdim: bool | None = None,
) -> Any:
    """The variance of x over `axis`: the sum of squared distances from the mean, divided by n - ddof.

    Shapes: (n, m), axis=0 → (m,). `ddof` is 0 as in NumPy; PyTorch's `correction` means the same and is 1 there.
    VJP: z̄ · 2 (x - mean) / (n - ddof). For n <= ddof the result is nan, with a warning.
    """
    return _spread_of(VAR, x, axis, ddof, keepdims, correction, dim, keepdim)


def std(
    x: Any,
    axis: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
    dim: Any = None,
    keepdim: bool | None = None,
) -> Any:
    """The standard deviation of x over `axis`: the square root of `var`, with its words. Where all values are equal, the slope is 0.

    Shapes: (n, m), axis=0 → (m,). VJP: z̄ · (x - mean) / ((n - ddof) z).
    """
    return _spread_of(STD, x, axis, ddof, keepdims, correction, dim, keepdim)


# --- median ---


def _median_slope(z: Any, x: Any, axis: Axes) -> Any:
    rows = apply(SORT, as_rows(x, axis), axis=len(shape_of(x)) - len(axis), descending=False)
    size = size_over(shape_of(x), axis)
    shares = []
    for place in ((size - 1) // 2, size // 2):  # the two middle elements, which are one for odd n
        middle = kept(apply(GETITEM, rows, index=(..., place)), axis, x)
        hit = indicator(equal(x, middle), x)
        shares.append(divide(hit, apply(SUM, hit, axis=axis, keepdims=True)))
    return (shares[0] + shares[1]) * 0.5 + where(equal(z, z), 0.0, z)  # nan stays nan


MEDIAN = reducing(
    "median",
    lambda xp, x, *, axis, keepdims: xp.median(x, axis=axis, keepdims=keepdims) if axis else x * 1.0,
    _median_slope,
    symbol="median",
    formula="median(x)",
    derivative="1 / k if x == z else 0",
    doc="The middle element over the given axes, or the mean of the middle two. Elements that tie share the gradient equally.",
    samples=samples_with(),
    reads="z x",
)


def median(
    x: Any, axis: Any = None, keepdims: bool = False, *, dim: Any = None, keepdim: bool | None = None
) -> Any:
    """The median of x over `axis`, as NumPy's: for an even number the mean of the middle two (PyTorch takes the lower one).

    Shapes: (n, m), axis=0 → (m,). VJP: to the middle elements; elements that tie share equally, and the shares add up to 1.
    Raises ShapeError GL025 over no elements.
    """
    need_elements("median", x, either(axis, dim))
    return reduce_with(MEDIAN, x, axis, keepdims, dim, keepdim)


# --- norms ---


def _norm(xp: Any, x: Any, *, axis: Axes, keepdims: bool, ord: float) -> Any:
    size = xp.abs(x)
    over = {"axis": axis, "keepdims": keepdims}
    if ord == 2:
        return xp.sqrt(xp.sum(x * x, **over))
    if ord == 1:
        return xp.sum(size, **over)
    if ord == 0:
        return xp.sum(xp.asarray(x != 0, dtype=x.dtype), **over)
    if math.isinf(ord):
        return (xp.max if ord > 0 else xp.min)(size, **over)
    with xp.errstate(divide="ignore"):  # a negative order of a vector with a 0 is 0, by way of inf
        return xp.power(xp.sum(xp.power(size, ord), **over), 1.0 / ord)


def _norm_slope(z: Any, x: Any, axis: Axes, *, ord: float) -> Any:
    if ord == 0:
        return 0.0 * sign(x)
    if ord == 1:
        return sign(x)
    if math.isinf(ord):
        hit = indicator(equal(abs_(x), z), x)
        return sign(x) * divide(hit, apply(SUM, hit, axis=axis, keepdims=True))
    zero = equal(z, 0.0)
    if ord == 2:
        return where(zero, 0.0, divide(x, where(zero, 1.0, z)))
    # (|x| / z) to the power ord - 1, and 0 at x = 0, where an order below 1 has no slope
    still = equal(x * where(zero, 0.0, 1.0), 0.0)
    ratio = divide(abs_(where(still, 1.0, x)), where(zero, 1.0, z))
    return where(still, 0.0, sign(x) * power(ratio, ord - 1.0))


NORM = reducing(
    "norm",
    _norm,
    _norm_slope,
    symbol="‖·‖",
    formula="norm(x)",
    derivative="x / z",
    doc="The norm over the given axes: (Σ |x|ᵖ)^(1/p). Its slope at the zero vector is 0.",
    samples=samples_with(
        *({"ord": order} for order in (2.0, 1.0, 3.0, 0.5, -1.0, math.inf, -math.inf)), {"ord": 2.5}
    ),
    reads="z x",
    flops=2,
)

ORDERS = {"fro": 2.0, None: 2.0}


def norm(
    x: Any,
    ord: Any = None,
    axis: Any = None,
    keepdims: bool = False,
    *,
    p: Any = None,
    dim: Any = None,
    keepdim: bool | None = None,
) -> Any:
    """The vector norm of x over `axis` (None: of all elements): (Σ |x|ᵖ)^(1/p) for the order p, which PyTorch calls `p`.

    Orders: any number; 0 counts the elements that are not 0, inf and -inf are the largest and the smallest size, "fro" is 2.
    Shapes: (n, m), axis=1 → (n,). VJP: z̄ · sign(x) (|x|/z)^(p-1), and 0 at the zero vector; sizes that tie share equally.
    For a matrix too this is the norm of its elements, as `torch.norm`; spectral and nuclear norms are left out.
    """
    order = either(ord, p)
    if isinstance(order, str) and order not in ORDERS:
        raise ArgumentError(
            "GL016", f"norm has no order {order!r}", "Orders are numbers, inf, -inf and 'fro'"
        )
    value = float(ORDERS.get(order, order))
    if math.isinf(value):
        need_elements("norm of infinite order", x, either(axis, dim))
    return reduce_with(NORM, x, axis, keepdims, dim, keepdim, ord=value)


def vector_norm(x: Any, ord: Any = 2, axis: Any = None, keepdims: bool = False, **words: Any) -> Any:
    """The name that `norm` has in the linear algebra of NumPy and PyTorch."""
    return norm(x, ord, axis, keepdims, **words)


# --- places and truth ---


def argmax(
    x: Any, axis: Any = None, keepdims: bool = False, *, dim: Any = None, keepdim: bool | None = None
) -> Any:
    """The place of the largest element along `axis`, or in the flattened x. Whole numbers, no gradient. The first of a tie."""
    return position(ARGMAX, x, axis, keepdims, dim, keepdim)


def argmin(
    x: Any, axis: Any = None, keepdims: bool = False, *, dim: Any = None, keepdim: bool | None = None
) -> Any:
    """The place of the smallest element along `axis`, or in the flattened x. Whole numbers, no gradient. The first of a tie."""
    return position(ARGMIN, x, axis, keepdims, dim, keepdim)


def all(
    x: Any, axis: Any = None, keepdims: bool = False, *, dim: Any = None, keepdim: bool | None = None
) -> Any:
    """Whether every element over `axis` is true. Booleans, no gradient; true over no elements."""
    return reduce_with(ALL, x, axis, keepdims, dim, keepdim)


def any(
    x: Any, axis: Any = None, keepdims: bool = False, *, dim: Any = None, keepdim: bool | None = None
) -> Any:
    """Whether at least one element over `axis` is true. Booleans, no gradient; false over no elements."""
    return reduce_with(ANY, x, axis, keepdims, dim, keepdim)
