"""What becomes of raw data beside and inside tensors: which array, and which data type.

Nothing but gradlab's own changes in place ever changes the array inside a tensor: data are copied on the way in and read-only on the
way out. So a value that backward() needs cannot change unnoticed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradlab.backends import NOT_NUMBERS, backend_of, describe, is_number, number, remedy
from gradlab.backends.arrays import ArrayBackend
from gradlab.backends.numpy import CPU
from gradlab.errors import DTypeError, OperandError
from gradlab.graph.node import Node
from gradlab.op import Op

_DEFAULT: dict[str, Any] = {"dtype": np.dtype("float32")}


def set_default_dtype(dtype: Any) -> None:
    """The dtype that `tensor([1.0])` gets from Python numbers with a decimal point: "float32" (the start) or "float64".

    Raises DTypeError GL013 for anything but a floating-point type.
    """
    chosen = CPU.dtype(dtype)
    if chosen.kind != "f":
        what = f"the default dtype must be a floating-point type, got {chosen}"
        raise DTypeError("GL013", what, fix="Use 'float32' or 'float64'")
    _DEFAULT["dtype"] = chosen


def get_default_dtype() -> Any:
    """The dtype that Python numbers with a decimal point become."""
    return _DEFAULT["dtype"]


def to_array(data: Any, dtype: Any = None, like: Any = None, copy: bool = True) -> Any:
    """Raw data as an array of their own: arrays keep their dtype and device, Python floats get the default dtype.

    `like` is an array that says on which device; without `copy`, an array of the right kind is taken as it is.
    """
    raw, strong = _unwrap(data)
    backend = backend_of(raw if like is None else like)
    array = backend.asarray(raw, dtype)
    if dtype is None and array.dtype == np.float64 and not strong:
        array = backend.cast(array, _DEFAULT["dtype"])
    borrowed = array is raw or (hasattr(raw, "dtype") and getattr(array, "base", None) is not None)
    return array.copy() if copy and borrowed else array


def _unwrap(data: Any) -> tuple[Any, bool]:
    """Nested lists of nodes as nested lists of numbers, and whether anything in them brings a dtype of its own."""
    if isinstance(data, (list, tuple)):
        parts = [_unwrap(one) for one in data]
        return [raw for raw, _ in parts], any(strong for _, strong in parts)
    if isinstance(data, Node):
        return data.primal, hasattr(data.primal, "dtype")
    if not hasattr(data, "dtype") and not isinstance(data, (float, int)) and is_number(data):
        return number(data), False  # a Fraction or a Decimal
    return data, hasattr(data, "dtype")


def beside(op: Op, args: tuple[Any, ...]) -> list[Any]:
    """The operands of an op on tensors as nodes or arrays. Raises OperandError GL002 or GL003 for what cannot be one.

    A Python number, alone or in a list, never changes the dtype of what stands beside it.
    """
    strong = [arg.dtype for arg in args if getattr(getattr(arg, "dtype", None), "kind", "-") in "biuf"]
    common = np.result_type(*strong)
    backend = backend_of(*[arg.primal if isinstance(arg, Node) else arg for arg in args])
    return [
        arg if isinstance(arg, Node) and hasattr(arg, "dtype") else _operand(op, arg, common, backend)
        for arg in args
    ]


def _operand(op: Op, other: Any, common: Any, backend: ArrayBackend) -> Any:
    if isinstance(other, Node):
        what = f"{op.name} cannot combine a Tensor with a Value"
        raise OperandError("GL003", what, fix="Make both tensors with gradlab.tensor(...), or both Values")
    if isinstance(other, NOT_NUMBERS) or not (
        is_number(other) or hasattr(other, "__len__") or hasattr(other, "dtype")
    ):
        what = f"{op.name} cannot combine a tensor with {describe(other)}"
        raise OperandError(
            "GL002", what, "The other side must be a tensor, an array or a number", remedy(other)
        )
    raw, strong = _unwrap(other)
    array = backend.asarray(raw)
    if strong or array.dtype == bool:
        return array.copy()
    if common.kind == "f":
        return backend.cast(array, common)
    if array.dtype.kind == "f":
        return backend.cast(array, _DEFAULT["dtype"])
    return backend.cast(array, common) if common.kind in "iu" else array


def computable(op: Op, arrays: list[Any]) -> list[Any]:
    """The arrays as an op computes with them: whole numbers and booleans beside floats are floats of that type, as in PyTorch.

    (NumPy would make float64 of float32 beside int64, and a whole model would follow.) Conditions and comparisons stay as they are.
    """
    kinds = {array.dtype.kind for array in arrays}
    if "f" not in kinds or len(kinds) == 1 or "comparison" in op.tags:
        return arrays
    rules = op.vjp * len(arrays) if op.variadic else op.vjp
    floats = np.result_type(*[array.dtype for array in arrays if array.dtype.kind == "f"])
    return [
        array.astype(floats) if rule and array.dtype.kind != "f" else array
        for rule, array in zip(rules, arrays, strict=True)
    ]
