"""Array namespaces and devices. `scalar` is Python floats, `numpy` is NumPy arrays on the CPU."""

from __future__ import annotations

import importlib
import numbers
from typing import Any

from gradlab.backends import scalar as scalar
from gradlab.backends.arrays import BACKENDS, ArrayBackend
from gradlab.errors import DataError, DeviceError, OperandError

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


def compute(op: Any, args: tuple[Any, ...], params: Any) -> Any:
    """Run an op on raw arguments: on Python floats when all are plain numbers, else with NumPy. Raises OperandError GL002."""
    kinds = {type(arg) for arg in args}
    if len(kinds) == 1:
        known = BACKENDS.get(next(iter(kinds)))
        if known is not None and all(arg.dtype.kind in "biuf" for arg in args):
            return known.compute(op, args, params)  # a rule on arrays: nothing to convert
    for arg in args:
        if isinstance(arg, NOT_NUMBERS):
            what = f"{op.name} cannot compute with {describe(arg)}"
            raise OperandError("GL002", what, "It takes numbers, arrays and nodes", remedy(arg))
    if "scalar" in op.tags and all(is_number(arg) and type(arg).__module__ != "numpy" for arg in args):
        return op.forward(scalar, *[arg if isinstance(arg, bool) else number(arg) for arg in args])
    backend = backend_of(*args)
    arrays = [
        arg
        if isinstance(arg, (bool, int, float))
        else backend.asarray(arg if hasattr(arg, "dtype") else plain(arg))
        for arg in args
    ]
    return backend.compute(op, tuple(arrays), params)


def backend_of(*arrays: Any) -> ArrayBackend:
    """The backend of the arrays among these; NumPy's where none is an array of a known kind. Raises DeviceError GL160 for a mixture."""
    found = {BACKENDS[kind]: None for kind in map(type, arrays) if kind in BACKENDS}
    if len(found) > 1:
        devices = " and ".join(one.device for one in found)
        what, fix = f"arrays on {devices} cannot be combined", "Move one of them with .to(...) first"
        raise DeviceError("GL160", what, "Nothing moves between devices by itself", fix)
    for one in found:
        return one
    from gradlab.backends.numpy import CPU

    return CPU


def beside(x: Any) -> ArrayBackend:
    """The backend on which a constant is made that meets x, an array or a node, in one op."""
    return backend_of(getattr(x, "primal", x))


def plain(x: Any) -> Any:
    """A Fraction or a Decimal as a float; anything else as it is."""
    return number(x) if is_number(x) and not isinstance(x, (float, int)) else x


def singular(error: Exception) -> bool:
    """Whether a linear algebra package means that a matrix cannot be inverted or factored, told without importing one."""
    return type(error).__name__ == "LinAlgError"


def special(xp: Any) -> Any:
    """The namespace of special functions (erf, xlogy, …) beside an array namespace: SciPy's for NumPy, loaded when first used."""
    if xp is scalar:
        return scalar
    if xp.__name__ == "cupy":
        return importlib.import_module("cupyx.scipy.special")
    return importlib.import_module("scipy.special")
