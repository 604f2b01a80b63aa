"""NumPy arrays on the CPU, as one backend object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as xp

from gradlab.backends.arrays import cast
from gradlab.errors import DataError, DTypeError, warn_numeric

_NUMERIC = {
    ("divide", "divide by zero"): ("GL101", "a division by zero gives inf"),
    ("divide", "invalid value"): ("GL101", "0 / 0 gives nan"),
    ("log", "divide by zero"): ("GL102", "log(0) is -inf"),
    ("log", "invalid value"): ("GL102", "the logarithm of a negative number is nan"),
    ("sqrt", "invalid value"): ("GL103", "the square root of a negative number is nan"),
    ("power", "divide by zero"): ("GL104", "0 to a negative power is inf"),
    ("power", "invalid value"): (
        "GL104",
        "a negative number to a fractional power is not a real number, so it is nan",
    ),
    ("reciprocal", "divide by zero"): ("GL101", "a division by zero gives inf"),
    ("remainder", "invalid value"): ("GL101", "a remainder of a division by zero is nan"),
    ("rsqrt", "divide by zero"): ("GL103", "1 / sqrt(0) is inf"),
    ("rsqrt", "invalid value"): ("GL103", "the square root of a negative number is nan"),
    **{
        (name, "divide by zero"): ("GL102", "the logarithm of zero is -inf")
        for name in ("log2", "log10", "log1p", "xlogy")
    },
    **{
        (name, "invalid value"): ("GL102", "the logarithm of a negative number is nan")
        for name in ("log2", "log10", "log1p", "xlogy")
    },
    ("atanh", "divide by zero"): ("GL106", "at 1 and -1 it is infinite"),
}
"""What NumPy noticed while an op was computed, in gradlab's words."""

_OUTSIDE = ("GL106", "an argument is outside its domain, so the result is nan")


@dataclass(frozen=True)
class NumpyBackend:
    """What a tensor asks of its device. `xp` is the namespace that ops compute with."""

    name: str = "numpy"
    device: str = "cpu"

    @property
    def xp(self) -> Any:
        """The array namespace."""
        return xp

    def dtype(self, dtype: Any) -> Any:
        """A data type by its NumPy name or type. Raises DTypeError GL013 unless it holds real numbers or booleans."""
        try:
            chosen = xp.dtype(dtype)
        except TypeError:
            chosen = None
        if chosen is None or chosen.kind not in "biuf":
            what = (
                f"{dtype!r} is not a data type for tensors"
                if chosen is None
                else f"tensors cannot hold {chosen}"
            )
            raise DTypeError("GL013", what, fix="Use 'float32', 'float64', 'int64' or 'bool'")
        return chosen

    def asarray(self, data: Any, dtype: Any = None) -> Any:
        """An array of numbers or booleans from any nesting of lists, numbers or arrays. Raises DataError for anything else."""
        chosen = None if dtype is None else self.dtype(dtype)
        try:
            array = xp.asarray(data)
        except OverflowError:
            fix = "Use floats for numbers this large"
            raise DataError("GL011", "a whole number in these data is too large", fix=fix) from None
        except (ValueError, TypeError):
            fix = "Make all rows equally long, with numbers only"
            raise DataError("GL011", "these data are not a regular array of numbers", fix=fix) from None
        if array.dtype.kind not in "biuf":
            what = f"a tensor holds real numbers, and these data have {_intruder(array)}"
            raise DataError("GL011", what, fix="Convert them first")
        return array if chosen is None else self.cast(array, chosen)

    def cast(self, array: Any, dtype: Any) -> Any:
        """The array in another type, as `backends.arrays.cast`."""
        return cast(xp, array, dtype)

    def to_host(self, array: Any) -> Any:
        """The array as NumPy sees it: itself."""
        return array

    def synchronize(self) -> None:
        """Wait until the device has finished; the CPU always has."""

    def memory_bytes(self, array: Any) -> int:
        """How many bytes the elements of this array take."""
        return int(array.nbytes)

    def compute(self, op: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run one op on raw arrays. Ops that can leave the finite range get a warning that names them.

        Raises the op's ShapeError where the shapes do not fit, DTypeError GL012 where NumPy has no such operation for these types.
        """

        def explain(kind: str, flag: int) -> None:
            overflow = ("GL105", "the result is too large for its type, so it became inf")
            code, text = overflow if kind == "overflow" else _NUMERIC.get((op.name, kind), _OUTSIDE)
            warn_numeric(code, f"{op.name}: {text}")

        heard: Any = "call" if "domain" in op.tags else "ignore"
        try:
            with xp.errstate(divide=heard, invalid=heard, over=heard, under="ignore", call=explain):
                return op.forward(xp, *args, **params)
        except (TypeError, ValueError):
            op.shape(
                *[xp.shape(x) for x in args], **params
            )  # says in gradlab's words which shapes do not fit
            types = " and ".join(str(x.dtype) if hasattr(x, "dtype") else type(x).__name__ for x in args)
            what, fix = f"{op.name} does not work on {types}", "Convert with .astype('float32') first"
            raise DTypeError("GL012", what, fix=fix) from None


def _intruder(array: Any) -> str:
    """What makes an array one that is not of numbers."""
    if array.dtype.kind == "c":
        return "complex numbers"
    if array.dtype.kind == "U":
        return "text"
    if array.dtype.kind != "O":
        return f"entries of type {array.dtype}"
    kinds = (type(x).__name__ for x in array.flat if not isinstance(x, (int, float)))
    kind = next(kinds, "")
    return f"entries of type {kind}" if kind else "whole numbers that are too large"


CPU = NumpyBackend()
