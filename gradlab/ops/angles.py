"""Inverse and hyperbolic functions, and those of two sides of a triangle. Angles are in radians."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.ops.choice import equal, where
from gradlab.ops.elementwise import ANY, POSITIVE, cos, divide, sin, sqrt
from gradlab.ops.families import elementwise, sampler

__all__ = [
    *("asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "atan2", "hypot", "sinc"),
    *("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "arctan2"),
]

Function = Callable[..., Any]
PI = 3.141592653589793


def _inverse(
    name: str,
    numpy_name: str,
    formula: str,
    partial: Callable[..., Any],
    derivative: str,
    doc: str,
    bounds: tuple[float, float],
) -> Function:
    """An inverse function: its record differs from the next one's in name, derivative and domain only."""

    def forward(xp: Any, x: Any) -> Any:
        return getattr(xp, numpy_name)(x)

    return elementwise(
        name,
        forward,
        (partial,),
        symbol=name,
        formula=formula,
        derivatives=(derivative,),
        doc=doc,
        samples=sampler(bounds),
        reads="x",
        tags="smooth domain",
    )


asin: Function = _inverse(
    "asin",
    "arcsin",
    "asin(x)",
    lambda z, x: divide(1.0, sqrt(1.0 - x * x)),
    "1 / sqrt(1 - x**2)",
    "The angle whose sine is x; nan outside [-1, 1]. Its slope is infinite at both ends.",
    (-0.8, 0.8),
)
acos: Function = _inverse(
    "acos",
    "arccos",
    "acos(x)",
    lambda z, x: divide(-1.0, sqrt(1.0 - x * x)),
    "-1 / sqrt(1 - x**2)",
    "The angle whose cosine is x; nan outside [-1, 1]. Its slope is infinite at both ends.",
    (-0.8, 0.8),
)
atan: Function = _inverse(
    "atan",
    "arctan",
    "atan(x)",
    lambda z, x: divide(1.0, 1.0 + x * x),
    "1 / (1 + x**2)",
    "The angle whose tangent is x.",
    ANY,
)
asinh: Function = _inverse(
    "asinh",
    "arcsinh",
    "asinh(x)",
    lambda z, x: divide(1.0, sqrt(1.0 + x * x)),
    "1 / sqrt(1 + x**2)",
    "Inverse of the hyperbolic sine.",
    ANY,
)
acosh: Function = _inverse(
    "acosh",
    "arccosh",
    "acosh(x)",
    lambda z, x: divide(1.0, sqrt(x - 1.0) * sqrt(x + 1.0)),
    "1 / sqrt(x**2 - 1)",
    "Inverse of the hyperbolic cosine; nan below 1. Its slope is infinite at 1.",
    (1.5, 3.0),
)
atanh: Function = _inverse(
    "atanh",
    "arctanh",
    "atanh(x)",
    lambda z, x: divide(1.0, 1.0 - x * x),
    "1 / (1 - x**2)",
    "Inverse of the hyperbolic tangent; ±inf at ±1, nan beyond.",
    (-0.8, 0.8),
)
sinh: Function = _inverse("sinh", "sinh", "sinh(x)", lambda z, x: cosh(x), "cosh(x)", "Hyperbolic sine.", ANY)
cosh: Function = _inverse(
    "cosh", "cosh", "cosh(x)", lambda z, x: sinh(x), "sinh(x)", "Hyperbolic cosine.", ANY
)


def _over(side: Any, x: Any, y: Any) -> Any:
    """side / (x² + y²), and 0 at the origin."""
    square = x * x + y * y
    origin = equal(square, 0.0)
    return where(origin, 0.0, divide(side, where(origin, 1.0, square)))


atan2: Function = elementwise(
    "atan2",
    lambda xp, y, x: xp.arctan2(y, x),
    (lambda z, y, x: _over(x, x, y), lambda z, y, x: _over(-y, x, y)),
    symbol="atan2",
    formula="atan2(y, x)",
    derivatives=("x / (x**2 + y**2)", "-y / (x**2 + y**2)"),
    doc="The angle of the point (x, y), from -π to π. At the origin both derivatives are taken as 0.",
    samples=sampler(ANY, POSITIVE),
    reads="y x",
    tags="smooth",
    flops=4,
)


def _share(side: Any, z: Any) -> Any:
    origin = equal(z, 0.0)
    return where(origin, 0.0, divide(side, where(origin, 1.0, z)))


hypot: Function = elementwise(
    "hypot",
    lambda xp, x, y: xp.hypot(x, y),
    (lambda z, x, y: _share(x, z), lambda z, x, y: _share(y, z)),
    symbol="hypot",
    formula="sqrt(x**2 + y**2)",
    derivatives=("x / z", "y / z"),
    doc="The length of the vector (x, y), without overflow. At the origin both derivatives are taken as 0.",
    samples=sampler(POSITIVE, ANY),
    reads="z x y",
    tags="smooth",
    flops=4,
)


def _sinc_slope(z: Any, x: Any) -> Any:
    # near 0 the quotient loses all its digits, so a power series stands in: -π²x/3 + π⁴x³/30 - π⁶x⁵/840 + π⁸x⁷/45360
    a = PI * x
    near = a * a < 0.01
    b = where(near, 1.0, a)
    quotient = divide(cos(b) - divide(sin(b), b), where(near, 1.0, x))
    square = a * a
    series = PI * a * (-1.0 / 3.0 + square * (1.0 / 30.0 - square * (1.0 / 840.0 - square * (1.0 / 45360.0))))
    return where(near, series, quotient)


sinc: Function = elementwise(
    "sinc",
    lambda xp, x: xp.sinc(x),
    (_sinc_slope,),
    symbol="sinc",
    formula="sin(pi * x) / (pi * x)",
    derivatives=("(cos(pi * x) - z) / x",),
    doc="sin(πx) / (πx), 1 at x = 0, as in NumPy and PyTorch. Its slope at 0 is 0.",
    samples=sampler(POSITIVE),
    reads="x",
    tags="smooth",
    flops=4,
)

arcsin, arccos, arctan, arcsinh, arccosh, arctanh, arctan2 = asin, acos, atan, asinh, acosh, atanh, atan2
