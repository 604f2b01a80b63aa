"""Tensors in other types and places: `.to(...)`, `.float()`, `.cpu()`, copies, and PyTorch's small questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.errors import GraphError
from gradlab.graph.node import FUNCTIONS, Node

TYPES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "bool": "bool",
}
"""PyTorch's methods that change the data type."""


def _typed(dtype: str) -> Callable[[Any], Any]:
    def convert(self: Any) -> Any:
        return FUNCTIONS["astype"](self, dtype)

    convert.__doc__ = f"The same numbers as {dtype}."
    return convert


def to(self: Any, *what: Any, dtype: Any = None, device: Any = None, copy: bool = False) -> Any:
    """The tensor in another data type, on another device, or both; like another tensor when one is given.

    Shapes: any → the same. Returns the tensor itself when there is nothing to do, unless `copy`. VJP: the cotangent, brought back.
    """
    for one in what:
        if isinstance(one, Node):
            dtype, device = one.dtype, one.device  # type: ignore[attr-defined]
        elif is_device(one):
            device = one
        else:
            dtype = one
    moved = self if device is None else move(self, device)
    if dtype is not None and moved.dtype != dtype:
        moved = FUNCTIONS["astype"](moved, dtype)
    return FUNCTIONS["clone"](moved) if copy and moved is self else moved


def is_device(name: object) -> bool:
    """Whether this names a device rather than a data type."""
    return isinstance(name, str) and name.partition(":")[0] in ("cpu", "cuda")


def move(self: Any, device: Any) -> Any:
    """The tensor on another device; itself when it is there."""
    return self


def cpu(self: Any) -> Any:
    """The tensor in the memory of the CPU; itself when it is there."""
    return move(self, "cpu")


def type_as(self: Any, other: Any) -> Any:
    """The same numbers in the data type of another tensor."""
    return FUNCTIONS["astype"](self, other.dtype)


def contiguous(self: Any) -> Any:
    """The tensor itself if its elements lie in row-major order without gaps, else a copy in which they do."""
    return self if is_contiguous(self) else FUNCTIONS["clone"](self)


def is_contiguous(self: Any) -> bool:
    """Whether the elements lie in row-major order without gaps."""
    return bool(self.primal.flags.c_contiguous)


def dim(self: Any) -> int:
    """The number of axes."""
    return int(self.primal.ndim)


def element_size(self: Any) -> int:
    """How many bytes one element takes."""
    return int(self.primal.dtype.itemsize)


def nelement(self: Any) -> int:
    """The number of elements."""
    return int(self.primal.size)


def data_ptr(self: Any) -> int:
    """Where the first element lies in memory: equal for a tensor and for views that begin where it begins."""
    array = self.primal
    return int(array.ctypes.data if hasattr(array, "ctypes") else array.data.ptr)


def dlpack(self: Any, **words: Any) -> Any:
    """The elements for another array library, without a copy. Raises GraphError GL035 when the tensor requires a gradient."""
    if self.requires_grad:
        what = "this tensor requires a gradient, and another library would lose track of it"
        raise GraphError("GL035", what, fix="Pass .detach() if that is what you want")
    return self.primal.__dlpack__(**words)


def dlpack_device(self: Any) -> Any:
    """Where the elements are, in DLPack's words."""
    return self.primal.__dlpack_device__()


METHODS: dict[str, Callable[..., Any]] = {
    "to": to,
    "cpu": cpu,
    "type_as": type_as,
    "contiguous": contiguous,
    "is_contiguous": is_contiguous,
    "dim": dim,
    "element_size": element_size,
    "nelement": nelement,
    "data_ptr": data_ptr,
    "__dlpack__": dlpack,
    "__dlpack_device__": dlpack_device,
}


def install_moving(cls: type[Node]) -> None:
    """Give a node class these methods."""
    for name, dtype in TYPES.items():
        setattr(cls, name, _typed(dtype))
    for name, function in METHODS.items():
        setattr(cls, name, function)
