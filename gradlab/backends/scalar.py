"""Arithmetic on Python floats with NumPy's nan and inf instead of exceptions.

The names are NumPy's, so that one `forward(xp, ...)` serves both. Each function takes and returns `float`; where Python would raise,
the IEEE result is returned and a `NumericWarning` says why.
"""

from __future__ import annotations

import math

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
