"""Activation functions and the error function. Parameters such as a slope are inputs, so they can be numbers or nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.backends import special
from gradlab.ops.choice import equal, greater, greater_equal, less, where
from gradlab.ops.elementwise import ANY, exp, multiply, sigmoid, tanh
from gradlab.ops.exponents import expm1
from gradlab.ops.families import elementwise, sampler
from gradlab.ops.signature import one_of

__all__ = [
    *(
        "erf",
        "gelu",
        "gelu_tanh",
        "silu",
        "logsigmoid",
        "elu",
        "leaky_relu",
        "relu6",
        "hardtanh",
        "hardswish",
        "hardsigmoid",
    ),
]

Function = Callable[..., Any]
SQRT_2_OVER_PI, SQRT_HALF = 0.7978845608028654, 0.7071067811865476
POSITIVE, NEGATIVE = (0.2, 2.0), (-2.0, -0.2)


def _bell(x: Any) -> Any:
    """The standard normal density at x."""
    return (0.5 * SQRT_2_OVER_PI) * exp(-0.5 * (x * x))


erf: Function = elementwise(
    "erf",
    lambda xp, x: special(xp).erf(x),
    (lambda z, x: (SQRT_2_OVER_PI / SQRT_HALF) * exp(-(x * x)),),
    symbol="erf",
    formula="erf(x)",
    derivatives=("2 / sqrt(pi) * exp(-x**2)",),
    doc="The error function: twice the area under exp(-t²)/√π from 0 to x.",
    samples=sampler(ANY),
    reads="x",
    tags="smooth",
    flops=8,
)
_gelu: Function = elementwise(
    "gelu",
    lambda xp, x: 0.5 * x * (1.0 + special(xp).erf(SQRT_HALF * x)),
    (lambda z, x: 0.5 * (1.0 + erf(SQRT_HALF * x)) + x * _bell(x),),
    symbol="gelu",
    formula="x * (1 + erf(x / sqrt(2))) / 2",
    derivatives=("(1 + erf(x / sqrt(2))) / 2 + x * exp(-x**2 / 2) / sqrt(2 * pi)",),
    doc="x times the probability that a standard normal number is below x.",
    samples=sampler(ANY),
    reads="x",
    tags="smooth",
    flops=12,
)


def _gelu_inner(x: Any) -> Any:
    return SQRT_2_OVER_PI * (x + 0.044715 * (x * x * x))


def _gelu_tanh_slope(z: Any, x: Any) -> Any:
    t = tanh(_gelu_inner(x))
    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * (SQRT_2_OVER_PI * (1.0 + 0.134145 * (x * x)))


_U = "sqrt(2 / pi) * (x + 0.044715 * x**3)"
_GELU_TANH_DERIVATIVE = (
    f"(1 + tanh({_U})) / 2 + x / 2 * (1 - tanh({_U})**2) * sqrt(2 / pi) * (1 + 0.134145 * x**2)"
)

gelu_tanh: Function = elementwise(
    "gelu_tanh",
    lambda xp, x: 0.5 * x * (1.0 + xp.tanh(_gelu_inner(x))),
    (_gelu_tanh_slope,),
    symbol="gelu≈",
    formula="x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2",
    derivatives=(_GELU_TANH_DERIVATIVE,),
    doc="The tanh approximation of gelu, as early transformers used it.",
    samples=sampler(ANY),
    reads="x",
    tags="smooth",
    flops=14,
)


def gelu(x: Any, approximate: str = "none") -> Any:
    """x times the probability that a standard normal number is below x. Shapes: any → the same.

    `approximate="tanh"` is `gelu_tanh`, the form that early transformers used. VJP: z̄ (Φ(x) + x φ(x)). Raises ArgumentError GL016.

    >>> gl.gelu(gl.tensor(0.0)).item()
    0.0
    """
    return _gelu(x) if one_of(approximate, ("none", "tanh"), "gelu's approximate") == "none" else gelu_tanh(x)


def _sigmoid(xp: Any, x: Any) -> Any:
    small = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, 1.0, small) / (1.0 + small)


silu: Function = elementwise(
    "silu",
    lambda xp, x: x * _sigmoid(xp, x),
    (lambda z, x: sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x))),),
    symbol="silu",
    formula="x * sigmoid(x)",
    derivatives=("sigmoid(x) * (1 + x * (1 - sigmoid(x)))",),
    doc="x times the logistic function of x; also called swish.",
    samples=sampler(ANY),
    reads="x",
    tags="smooth",
    flops=5,
)
logsigmoid: Function = elementwise(
    "logsigmoid",
    lambda xp, x: -xp.logaddexp(-x, 0.0),
    (lambda z, x: sigmoid(-x),),
    symbol="logσ",
    formula="log(sigmoid(x))",
    derivatives=("sigmoid(-x)",),
    doc="The logarithm of the logistic function, exact and finite for every finite x.",
    samples=sampler(ANY),
    reads="x",
    tags="smooth",
    flops=4,
)
elu: Function = elementwise(
    "elu",
    lambda xp, x, alpha: xp.where(x > 0, x, alpha * xp.expm1(xp.minimum(x, 0.0))),
    (
        lambda z, x, alpha: where(greater(x, 0.0), 1.0, multiply(alpha, exp(where(greater(x, 0.0), 0.0, x)))),
        lambda z, x, alpha: where(greater(x, 0.0), 0.0, expm1(where(greater(x, 0.0), 0.0, x))),
    ),
    symbol="elu",
    formula="x if x > 0 else alpha * (exp(x) - 1)",
    derivatives=("1 if x > 0 else alpha * exp(x)", "0 if x > 0 else exp(x) - 1"),
    doc="x above 0, alpha * (exp(x) - 1) below.",
    samples=sampler(NEGATIVE, POSITIVE),
    reads="x alpha",
    flops=4,
)
leaky_relu: Function = elementwise(
    "leaky_relu",
    lambda xp, x, slope: xp.where(x > 0, x, slope * x),
    (
        lambda z, x, slope: where(greater(x, 0.0), 1.0, slope),
        lambda z, x, slope: where(greater(x, 0.0), 0.0, x),
    ),
    symbol="leaky",
    formula="x if x > 0 else slope * x",
    derivatives=("1 if x > 0 else slope", "0 if x > 0 else x"),
    doc="x above 0, slope * x below. The slope at 0 is taken from below.",
    samples=sampler(NEGATIVE, POSITIVE),
    reads="x slope",
    flops=2,
)


def _nan_kept(x: Any, slope: Any) -> Any:
    return where(equal(x, x), slope, x)


relu6: Function = elementwise(
    "relu6",
    lambda xp, x: xp.minimum(xp.maximum(x, 0.0), 6.0),
    (lambda z, x: _nan_kept(x, where(greater(x, 0.0), where(less(x, 6.0), 1.0, 0.0), 0.0)),),
    symbol="relu6",
    formula="min(max(x, 0), 6)",
    derivatives=("0 if x <= 0 else 1 if x < 6 else 0",),
    doc="relu, cut off at 6. The slopes at 0 and at 6 are taken as 0.",
    samples=sampler(POSITIVE),
    reads="x",
    flops=2,
)
hardtanh: Function = elementwise(
    "hardtanh",
    lambda xp, x: xp.minimum(xp.maximum(x, -1.0), 1.0),
    (lambda z, x: _nan_kept(x, where(greater(x, -1.0), where(less(x, 1.0), 1.0, 0.0), 0.0)),),
    symbol="hardtanh",
    formula="min(max(x, -1), 1)",
    derivatives=("0 if x <= -1 else 1 if x < 1 else 0",),
    doc="x kept between -1 and 1. The slopes at both ends are taken as 0.",
    samples=sampler((-0.9, 0.9)),
    reads="x",
    flops=2,
)
hardsigmoid: Function = elementwise(
    "hardsigmoid",
    lambda xp, x: xp.minimum(xp.maximum(x + 3.0, 0.0), 6.0) * (1.0 / 6.0),
    (lambda z, x: _nan_kept(x, where(greater(x, -3.0), where(less(x, 3.0), 1.0 / 6.0, 0.0), 0.0)),),
    symbol="hardσ",
    formula="min(max(x + 3, 0), 6) / 6",
    derivatives=("0 if x <= -3 else 1 / 6 if x < 3 else 0",),
    doc="A straight-line sigmoid. The slopes at -3 and 3 are taken as 0.",
    samples=sampler(ANY),
    reads="x",
    flops=3,
)
hardswish: Function = elementwise(
    "hardswish",
    lambda xp, x: x * xp.minimum(xp.maximum(x + 3.0, 0.0), 6.0) * (1.0 / 6.0),
    (
        lambda z, x: _nan_kept(
            x, where(greater_equal(x, 3.0), 1.0, where(greater(x, -3.0), (1.0 / 3.0) * x + 0.5, 0.0))
        ),
    ),
    symbol="hardswish",
    formula="x * min(max(x + 3, 0), 6) / 6",
    derivatives=("1 if x >= 3 else x / 3 + 1 / 2 if x > -3 else 0",),
    doc="x times the straight-line sigmoid of x. The slope at 3 is 1, at -3 it is 0.",
    samples=sampler(ANY),
    reads="x",
    flops=4,
)
