"""What every array namespace shares beyond NumPy's names. Nothing here imports one: `xp` is given."""

from __future__ import annotations

from typing import Any

from gradlab.errors import DataError, warn_numeric


def cast(xp: Any, array: Any, dtype: Any) -> Any:
    """The array in another type.

    Raises DataError GL012 where nan, inf or a number out of range would become a whole number; warns where one becomes inf.
    """
    if array.dtype == dtype:
        return array
    if dtype.kind in "iu":
        low, high = int(xp.iinfo(dtype).min), int(xp.iinfo(dtype).max)
        if array.size and not (array.min() > low - 1.0 and array.max() < high + 1.0):
            what = f"nan, inf or numbers beyond {low} … {high} cannot become {dtype}"
            raise DataError("GL012", what, fix="Use a larger type, or floats")
    with xp.errstate(all="ignore"):
        result = array.astype(dtype)
    if dtype.kind == "f" and (xp.isinf(result) & ~xp.isinf(array)).any():
        warn_numeric("GL105", f"a number became inf, as it is larger than the largest {dtype}")
    return result
