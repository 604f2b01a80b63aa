"""What every array namespace shares: one backend object each, which owns the namespace, and a table of them by the arrays they own.

Nothing here imports an array library: a subclass brings its own as `xp`.
"""

from __future__ import annotations

from typing import Any, NoReturn

from gradlab.errors import DataError, DTypeError, GradlabError, warn_numeric

BACKENDS: dict[type, ArrayBackend] = {}
"""The backend of each kind of array. A backend enters itself when its module is loaded."""


class ArrayBackend:
    """What a tensor asks of its device: the namespace `xp` that ops compute with, conversions, and figures.

    A subclass sets `name`, `device`, `xp` and, where its library has one, how it hears of numbers that leave the finite range.
    """

    name: str
    device: str
    xp: Any

    def dtype(self, dtype: Any) -> Any:
        """A data type by its NumPy name or type. Raises DTypeError GL013 unless it holds real numbers or booleans."""
        try:
            chosen = self.xp.dtype(dtype)
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
            array = self.xp.asarray(data)
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
        """The array in another type, as the function `cast`."""
        return cast(self.xp, array, dtype)

    def to_host(self, array: Any) -> Any:
        """The elements as a NumPy array."""
        return array

    def synchronize(self) -> None:
        """Wait until the device has finished."""

    def memory_bytes(self, array: Any) -> int:
        """How many bytes the elements of this array take."""
        return int(array.nbytes)

    def forward(self, op: Any, args: tuple[Any, ...], params: Any) -> Any:
        """Compute one op on this backend's arrays, with the errors of its library."""
        return op.forward(self.xp, *args, **params)

    def compute(self, op: Any, args: tuple[Any, ...], params: Any) -> Any:
        """Compute one op on this backend's arrays. Ops that can leave the finite range get a warning that names them.

        Raises the op's ShapeError where the shapes do not fit, DTypeError GL012 where there is no such operation for these types.
        """
        try:
            return self.forward(op, args, params)
        except (TypeError, ValueError) as error:
            explain_failure(op, args, params, error)


def explain_failure(op: Any, args: tuple[Any, ...], params: Any, error: Exception) -> NoReturn:
    """Say in gradlab's words why an op could not be computed on these arrays; an op that said so itself is not overruled."""
    if isinstance(error, GradlabError):
        raise error
    op.shape(*[getattr(x, "shape", ()) for x in args], **params)  # raises where the shapes do not fit
    types = " and ".join(str(x.dtype) if hasattr(x, "dtype") else type(x).__name__ for x in args)
    what, fix = f"{op.name} does not work on {types}", "Convert with .astype('float32') first"
    raise DTypeError("GL012", what, fix=fix) from None


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
    if dtype.kind != "f" or array.dtype.kind != "f" or dtype.itemsize >= array.dtype.itemsize:
        return array.astype(dtype)
    with xp.errstate(all="ignore"):
        result = array.astype(dtype)
    if (xp.isinf(result) & ~xp.isinf(array)).any():
        warn_numeric("GL105", f"a number became inf, as it is larger than the largest {dtype}")
    return result


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
