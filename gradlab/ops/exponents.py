"""Powers, exponentials and logarithms beyond the first few: one record each, in a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.backends import special
from gradlab.ops.choice import equal, where
from gradlab.ops.elementwise import ANY, POSITIVE, divide, log, sigmoid
from gradlab.ops.families import elementwise, sampler

__all__ = ["exp2", "expm1", "log2", "log10", "log1p", "rsqrt", "square", "reciprocal", "logaddexp", "xlogy"]

Function = Callable[..., Any]
LN2, LN10 = 0.6931471805599453, 2.302585092994046

exp2: Function = elementwise(
    "exp2",
    lambda xp, x: xp.exp2(x),
    (lambda z, x: z * LN2,),
    symbol="2^",
    formula="2 ** x",
    derivatives=("z * log(2)",),
    doc="2 to the power x.",
    samples=sampler(ANY),
    reads="z",
    tags="smooth domain",
)
expm1: Function = elementwise(
    "expm1",
    lambda xp, x: xp.expm1(x),
    (lambda z, x: z + 1.0,),
    symbol="exp−1",
    formula="exp(x) - 1",
    derivatives=("z + 1",),
    doc="exp(x) - 1, exact also where x is tiny.",
    samples=sampler(ANY),
    reads="z",
    tags="smooth domain",
)
log2: Function = elementwise(
    "log2",
    lambda xp, x: xp.log2(x),
    (lambda z, x: divide(1.0 / LN2, x),),
    symbol="log₂",
    formula="log2(x)",
    derivatives=("1 / (x * log(2))",),
    doc="Logarithm to base 2. log2(0) is -inf and log2 of a negative number is nan, each with a warning.",
    samples=sampler(POSITIVE),
    reads="x",
    tags="smooth domain",
)
log10: Function = elementwise(
    "log10",
    lambda xp, x: xp.log10(x),
    (lambda z, x: divide(1.0 / LN10, x),),
    symbol="log₁₀",
    formula="log10(x)",
    derivatives=("1 / (x * log(10))",),
    doc="Logarithm to base 10. log10(0) is -inf and log10 of a negative number is nan, each with a warning.",
    samples=sampler(POSITIVE),
    reads="x",
    tags="smooth domain",
)
log1p: Function = elementwise(
    "log1p",
    lambda xp, x: xp.log1p(x),
    (lambda z, x: divide(1.0, 1.0 + x),),
    symbol="log1p",
    formula="log(1 + x)",
    derivatives=("1 / (1 + x)",),
    doc="log(1 + x), exact also where x is tiny. -inf at -1 and nan below, each with a warning.",
    samples=sampler((-0.5, 2.0)),
    reads="x",
    tags="smooth domain",
)
rsqrt: Function = elementwise(
    "rsqrt",
    lambda xp, x: xp.divide(1.0, xp.sqrt(x)),
    (lambda z, x: -0.5 * (z * z * z),),
    symbol="1/√",
    formula="1 / sqrt(x)",
    derivatives=("-z**3 / 2",),
    doc="1 / sqrt(x). inf at 0 and nan below, each with a warning.",
    samples=sampler(POSITIVE),
    reads="z",
    tags="smooth domain",
    flops=2,
)
square: Function = elementwise(
    "square",
    lambda xp, x: x * x,
    (lambda z, x: 2.0 * x,),
    symbol="²",
    formula="x ** 2",
    derivatives=("2 * x",),
    doc="x times x.",
    samples=sampler(ANY),
    reads="x",
    tags="smooth",
)
reciprocal: Function = elementwise(
    "reciprocal",
    lambda xp, x: xp.divide(1.0, x),
    (lambda z, x: -(z * z),),
    symbol="1/",
    formula="1 / x",
    derivatives=("-z**2",),
    doc="1 / x. inf at 0, with a warning.",
    samples=sampler(POSITIVE),
    reads="z",
    tags="smooth domain",
)


def _gap(x: Any, y: Any) -> Any:
    """x - y, and 0 where both are the same infinity."""
    gap = x - y
    return where(equal(x, y), where(equal(gap, gap), gap, 0.0), gap)


logaddexp: Function = elementwise(
    "logaddexp",
    lambda xp, x, y: xp.logaddexp(x, y),
    (lambda z, x, y: sigmoid(_gap(x, y)), lambda z, x, y: sigmoid(_gap(y, x))),
    symbol="logaddexp",
    formula="log(exp(x) + exp(y))",
    derivatives=("sigmoid(x - y)", "sigmoid(y - x)"),
    doc="log(exp(x) + exp(y)) without overflow. At x = y each gets half of the gradient.",
    samples=sampler(ANY, ANY),
    reads="x y",
    tags="smooth",
    flops=4,
)


def _log_or_zero(x: Any, y: Any) -> Any:
    zero = where(equal(x, 0.0), equal(y, 0.0), False)
    return where(zero, 0.0, log(where(zero, 1.0, y)))


def _ratio_or_zero(x: Any, y: Any) -> Any:
    zero = equal(x, 0.0)
    return where(zero, 0.0, divide(x, where(zero, 1.0, y)))


xlogy: Function = elementwise(
    "xlogy",
    lambda xp, x, y: special(xp).xlogy(x, y),
    (lambda z, x, y: _log_or_zero(x, y), lambda z, x, y: _ratio_or_zero(x, y)),
    symbol="x·log",
    formula="x * log(y)",
    derivatives=("log(y)", "x / y"),
    doc="x * log(y), and 0 where x is 0, whatever number y is. At x = y = 0 both derivatives are taken as 0.",
    samples=sampler(ANY, POSITIVE),
    reads="x y",
    tags="smooth domain",
    flops=2,
)
