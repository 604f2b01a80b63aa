"""NumPy arrays on the CPU, as one backend object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as xp

from gradlab.errors import DataError, warn_numeric

_NUMERIC_CODES = {
    "divide": "GL101",
    "divide by zero": "GL101",
    "log": "GL102",
    "sqrt": "GL103",
    "power": "GL104",
}


@dataclass(frozen=True)
class NumpyBackend:
    """What a tensor asks of its device. `xp` is the namespace that ops compute with."""

    name: str = "numpy"
    device: str = "cpu"

    @property
    def xp(self) -> Any:
        """The array namespace."""
        return xp

    def asarray(self, data: Any, dtype: Any = None) -> Any:
        """An array of numbers or booleans from any nesting of lists, numbers or arrays. Raises DataError for anything else."""
        try:
            array = xp.asarray(data, dtype=dtype)
        except (ValueError, TypeError) as error:
            fix = "Make all rows equally long, with numbers only."
            raise DataError("GL011", f"these data cannot become one array: {error}", fix=fix) from None
        if array.dtype.kind not in "biuf":
            found = "complex numbers" if array.dtype.kind == "c" else f"entries of type {array.dtype}"
            raise DataError(
                "GL011",
                f"a tensor holds real numbers, and these data have {found}",
                fix="Convert them first.",
            )
        return array

    def to_host(self, array: Any) -> Any:
        """The array as NumPy sees it: itself."""
        return array

    def synchronize(self) -> None:
        """Wait until the device has finished; the CPU always has."""

    def memory_bytes(self, array: Any) -> int:
        """How many bytes the elements of this array take."""
        return int(array.nbytes)

    def compute(self, op: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run one op on raw arrays. Ops that can leave the finite range get a warning that names them."""
        if "domain" not in op.tags:
            return op.forward(xp, *args, **params)

        def explain(kind: str, flag: int) -> None:
            code = _NUMERIC_CODES.get(op.name, "GL105" if kind == "overflow" else "GL101")
            warn_numeric(code, f"{op.name}: {kind} gave inf or nan in an array")

        with xp.errstate(divide="call", invalid="call", over="call", under="ignore", call=explain):
            return op.forward(xp, *args, **params)


CPU = NumpyBackend()
