"""Array namespaces and devices. `scalar` is Python floats, `numpy` is NumPy arrays on the CPU."""

from __future__ import annotations

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
    except OverflowError:
        fix = "Values go up to about 1.8e308"
        raise DataError("GL001", "this whole number is too large for a float", fix=fix) from None


def describe(x: object) -> str:
    """What x is, short enough for a message."""
    text = repr(x)
    return "None" if x is None else f"{type(x).__name__} {text if len(text) <= 40 else text[:37] + '...'}"


def compute(op: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Run an op on raw arguments: on Python floats when all are plain numbers, else with NumPy. Raises OperandError GL002."""
    for arg in args:
        if isinstance(arg, NOT_NUMBERS):
            raise OperandError(
                "GL002",
                f"{op.name} cannot compute with {describe(arg)}",
                "It takes numbers, arrays and nodes",
            )
    if "scalar" in op.tags and all(is_number(arg) and type(arg).__module__ != "numpy" for arg in args):
        return op.forward(scalar, *[arg if isinstance(arg, bool) else number(arg) for arg in args])
    from gradlab.backends.numpy import CPU

    arrays = [
        arg if isinstance(arg, (bool, int, float)) else CPU.asarray(number(arg) if is_number(arg) else arg)
        for arg in args
    ]
    return CPU.compute(op, tuple(arrays), params)
