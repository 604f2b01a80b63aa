"""Array namespaces and devices. `scalar` is Python floats, `numpy` is NumPy arrays on the CPU."""

from __future__ import annotations

import importlib
import numbers
from typing import Any

from gradlab.backends import scalar as scalar
from gradlab.errors import DataError, OperandError

NOT_NUMBERS = (str, bytes, bytearray, complex, dict, set, frozenset, type(None))
"""Kinds of operands that are refused at once, by name, before NumPy makes an array of objects of them."""


def is_number(x: object) -> bool:
    """Whether x is one real number outside NumPy: int, float, bool, Fraction, Decimal, or a kind registered as such."""
    if isinstance(x, (float, int)):
        return True
    return isinstance(x, numbers.Number) and (
        isinstance(x, numbers.Real) or not isinstance(x, numbers.Complex)
    )


def number(x: Any) -> float:
    """One real number as a Python float. Raises DataError GL001 where it is too large."""
    try:
        return float(x)
    except ValueError:  # Decimal has a nan that refuses to be converted
        return scalar.nan
    except OverflowError:
        fix = "Values go up to about 1.8e308"
        raise DataError("GL001", "this whole number is too large for a float", fix=fix) from None


def describe(x: object) -> str:
    """What x is, short enough for a message."""
    text = repr(x)
    return "None" if x is None else f"{type(x).__name__} {text if len(text) <= 40 else text[:37] + '...'}"


def remedy(x: object) -> str:
    """What to do with an operand that is no number."""
    if isinstance(x, str):
        return f"Write float({x[:20]!r}) if it is a number written as text"
    if isinstance(x, complex):
        return "gradlab computes with real numbers"
    if x is None:
        return "Look for a function that returns nothing"
    return "Convert it to a number or an array first"


def compute(op: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Run an op on raw arguments: on Python floats when all are plain numbers, else with NumPy. Raises OperandError GL002."""
    for arg in args:
        if isinstance(arg, NOT_NUMBERS):
            what = f"{op.name} cannot compute with {describe(arg)}"
            raise OperandError("GL002", what, "It takes numbers, arrays and nodes", remedy(arg))
    if "scalar" in op.tags and all(is_number(arg) and type(arg).__module__ != "numpy" for arg in args):
        return op.forward(scalar, *[arg if isinstance(arg, bool) else number(arg) for arg in args])
    from gradlab.backends.numpy import CPU

    arrays = [
        arg
        if isinstance(arg, (bool, int, float))
        else CPU.asarray(arg if hasattr(arg, "dtype") else plain(arg))
        for arg in args
    ]
    return CPU.compute(op, tuple(arrays), params)


def plain(x: Any) -> Any:
    """A Fraction or a Decimal as a float; anything else as it is."""
    return number(x) if is_number(x) and not isinstance(x, (float, int)) else x


def special(xp: Any) -> Any:
    """The namespace of special functions (erf, xlogy, …) beside an array namespace: SciPy's for NumPy, loaded when first used."""
    if xp is scalar:
        return scalar
    if xp.__name__ == "cupy":
        return importlib.import_module("cupyx.scipy.special")
    return importlib.import_module("scipy.special")
