"""Arithmetic on Python floats with NumPy's nan and inf instead of exceptions.

The names are NumPy's, so that one `forward(xp, ...)` serves both. Each function takes and returns `float`; where Python would raise,
the IEEE result is returned and a `NumericWarning` says why.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

from gradlab.errors import warn_numeric

nan, inf, pi = math.nan, math.inf, math.pi


def divide(x: float, y: float) -> float:
    """x / y. 1/0 is inf, -1/0 is -inf, 0/0 is nan, each with a warning; inf/0 and nan/0 are as silent as in NumPy.

    The sign of a zero divisor counts, as in IEEE 754.
    """
    try:
        return x / y
    except ZeroDivisionError:
        if math.isfinite(x):
            warn_numeric("GL101", f"{x:g} / {y:g} divides by zero")
        if x == 0 or x != x:
            return nan
        return math.copysign(inf, x) * math.copysign(1.0, y)
    except OverflowError:
        return inf if (x > 0) == (y > 0) else -inf


def power(x: float, y: float) -> float:
    """x ** y over the reals: nan instead of a complex number, inf instead of an exception. 0 ** 0 is 1."""
    try:
        z = x**y
    except ZeroDivisionError:
        warn_numeric("GL104", f"0 ** {y:g} divides by zero")
        odd = y == int(y) and int(y) % 2 == 1 if math.isfinite(y) else False
        return math.copysign(inf, x) if odd else inf
    except OverflowError:
        warn_numeric("GL105", f"{x:g} ** {y:g} is too large")
        return -inf if x < 0 and y % 2 == 1 else inf
    if z.__class__ is complex:
        warn_numeric("GL104", f"({x:g}) ** {y:g} is not a real number, so it is nan")
        return nan
    return z


def exp(x: float) -> float:
    """e ** x; inf with a warning beyond 709.78."""
    try:
        return math.exp(x)
    except OverflowError:
        warn_numeric("GL105", f"exp({x:g}) is too large")
        return inf


def log(x: float) -> float:
    """Natural logarithm; log(0) is -inf and log of a negative number is nan, each with a warning."""
    try:
        return math.log(x)
    except ValueError:
        warn_numeric("GL102", f"log({x:g}) is {'-inf' if x == 0 else 'nan'}")
        return -inf if x == 0 else nan


def sqrt(x: float) -> float:
    """Square root; nan with a warning below zero."""
    try:
        return math.sqrt(x)
    except ValueError:
        warn_numeric("GL103", f"sqrt({x:g}) is nan")
        return nan


def _periodic(function, x: float) -> float:  # type: ignore[no-untyped-def]
    try:
        return function(x)
    except ValueError:  # at ±inf
        return nan


def sin(x: float) -> float:
    """Sine of x in radians; nan at ±inf."""
    return _periodic(math.sin, x)


def cos(x: float) -> float:
    """Cosine of x in radians; nan at ±inf."""
    return _periodic(math.cos, x)


def tan(x: float) -> float:
    """Tangent of x in radians; nan at ±inf."""
    return _periodic(math.tan, x)


tanh = math.tanh
abs = abs


def logaddexp(x: float, y: float) -> float:
    """log(exp(x) + exp(y)) without overflow."""
    if x == y:
        return x + math.log(2.0)
    top, gap = (x, y - x) if x > y else (y, x - y)
    return top + math.log1p(math.exp(gap)) if gap == gap else nan


def maximum(x: float, y: float) -> float:
    """The larger of the two; nan if either is nan."""
    return x if x > y or x != x else y


def minimum(x: float, y: float) -> float:
    """The smaller of the two; nan if either is nan."""
    return x if x < y or x != x else y


def where(condition: object, x: float, y: float) -> float:
    """x if the condition holds, else y."""
    return x if condition else y


def total(*xs: float) -> float:
    """The sum of all arguments, from left to right."""
    return sum(xs)


def greater(x: float, y: float) -> bool:
    """x > y."""
    return x > y


def greater_equal(x: float, y: float) -> bool:
    """x >= y."""
    return x >= y


def less(x: float, y: float) -> bool:
    """x < y."""
    return x < y


def less_equal(x: float, y: float) -> bool:
    """x <= y."""
    return x <= y


def equal(x: float, y: float) -> bool:
    """x == y."""
    return x == y


def not_equal(x: float, y: float) -> bool:
    """x != y."""
    return x != y


# --- beyond the first ops ---


def _guarded(
    function: Callable[[float], float], name: str, code: str, poles: dict[float, float]
) -> Callable[[float], float]:
    """A function of `math` that gives IEEE's answer where Python raises: a pole's ±inf, inf on overflow, nan outside its domain."""

    def guarded(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            warn_numeric("GL105", f"{name}({x:g}) is too large")
            return -inf if x < 0 and name == "sinh" else inf
        except ValueError:
            result = poles.get(x, nan)
            if x == x and math.isfinite(x):
                warn_numeric(code, f"{name}({x:g}) is {result:g}")
            return result

    guarded.__name__, guarded.__doc__ = name, f"{name} of a float, with IEEE's answers."
    return guarded


exp2 = _guarded(lambda x: power(2.0, x), "exp2", "GL105", {})
expm1 = _guarded(math.expm1, "expm1", "GL105", {})
log2 = _guarded(math.log2, "log2", "GL102", {0.0: -inf})
log10 = _guarded(math.log10, "log10", "GL102", {0.0: -inf})
log1p = _guarded(math.log1p, "log1p", "GL102", {-1.0: -inf})
arcsin = _guarded(math.asin, "asin", "GL106", {})
arccos = _guarded(math.acos, "acos", "GL106", {})
arccosh = _guarded(math.acosh, "acosh", "GL106", {})
arctanh = _guarded(math.atanh, "atanh", "GL106", {1.0: inf, -1.0: -inf})
sinh = _guarded(math.sinh, "sinh", "GL105", {})
cosh = _guarded(math.cosh, "cosh", "GL105", {})
arctan, arcsinh, arctan2, hypot, erf = math.atan, math.asinh, math.atan2, math.hypot, math.erf


def xlogy(x: float, y: float) -> float:
    """x * log(y), and 0 where x is 0 and y is a number."""
    return 0.0 * y if x == 0 and y != y else 0.0 if x == 0 else x * log(y)


def sinc(x: float) -> float:
    """sin(πx) / (πx), and 1 at 0."""
    return 1.0 if x == 0 else sin(pi * x) / (pi * x)


def sign(x: float) -> float:
    """-1, 0 or 1; nan stays nan."""
    return 1.0 if x > 0 else -1.0 if x < 0 else x


def _whole(function: Callable[[float], float]) -> Callable[[float], float]:
    def whole(x: float) -> float:
        return float(function(x)) if math.isfinite(x) else x

    return whole


floor, ceil, rint, trunc = _whole(math.floor), _whole(math.ceil), _whole(round), _whole(math.trunc)


def remainder(x: float, y: float) -> float:
    """x - floor(x / y) * y; nan with a warning for y = 0."""
    try:
        return x % y if math.isfinite(x) else nan
    except ZeroDivisionError:
        warn_numeric("GL101", f"{x:g} % {y:g} divides by zero")
        return nan


def fmin(x: float, y: float) -> float:
    """The smaller of two; nan only if both are."""
    return y if x != x else x if y != y else min(x, y)


def fmax(x: float, y: float) -> float:
    """The larger of two; nan only if both are."""
    return y if x != x else x if y != y else max(x, y)


def nan_to_num(x: float) -> float:
    """0 for nan, the largest finite numbers for ±inf."""
    return 0.0 if x != x else x if math.isfinite(x) else math.copysign(sys.float_info.max, x)
