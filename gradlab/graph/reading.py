"""Reading a tensor: its shape, its numbers as plain Python or NumPy, and what Python's own functions ask of it."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gradlab.backends import backend_of
from gradlab.errors import GraphError, OperandError, ShapeError
from gradlab.graph.node import FUNCTIONS
from gradlab.ops.axes import normalize_axis


class ArrayReading:
    """What can be read off a tensor. Nothing here changes it or records anything but indexing."""

    __slots__ = ()

    if TYPE_CHECKING:
        primal: Any
        requires_grad: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        return self.primal.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.primal.ndim

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self.primal.dtype

    @property
    def device(self) -> str:
        """Where the elements are."""
        return backend_of(self.primal).device

    @property
    def T(self) -> Any:
        """The transpose: all axes reversed."""
        return FUNCTIONS["transpose"](self)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one axis."""
        return self.shape if dim is None else self.shape[normalize_axis(dim, self.ndim)]

    def numel(self) -> int:
        """The number of elements."""
        return int(self.primal.size)

    def numpy(self, *, force: bool = False) -> Any:
        """The elements as a NumPy array. It shares the memory, so it is read-only: `.numpy().copy()` is yours to change.

        Raises GraphError GL035 when the tensor requires a gradient, unless `force` says that it may be left behind.
        """
        if self.requires_grad and not force:
            what = "this tensor requires a gradient, and a plain array would lose track of it"
            raise GraphError("GL035", what, fix="Write .detach().numpy() if that is what you want")
        array = backend_of(self.primal).to_host(self.primal).view()
        array.flags.writeable = False
        return array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def item(self) -> float | int | bool:
        """The only element as a Python number."""
        if self.primal.size != 1:
            what = f"a tensor of shape {self.shape} is not one number"
            raise ShapeError(
                "GL035", what, fix="Reduce it first, with .sum() for example, or take one element"
            )
        return self.primal.item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        return self.primal.tolist()

    def __getitem__(self, index: Any) -> Any:
        return FUNCTIONS["getitem"](self, index)

    def __len__(self) -> int:
        if not self.shape:
            raise OperandError(
                "GL022", "a tensor with one number has no length", fix="Use .item() for the number"
            )
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[row] for row in range(len(self)))

    def __bool__(self) -> bool:
        if self.primal.size != 1:
            what = f"a tensor of shape {self.shape} is neither true nor false as a whole"
            raise OperandError(
                "GL002",
                what,
                fix="Use (x > 0).numpy().all() or .any(), or where(...) to choose element by element",
            )
        return bool(self.primal)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        """The only element, where it is a whole number: x[i] and range(n) take it."""
        only: Any = self.item()  # a float refuses here, in Python's own words
        return operator.index(only)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)

    def __str__(self) -> str:
        return f"tensor({np.array2string(backend_of(self.primal).to_host(self.primal), separator=', ', precision=4, prefix='tensor(')})"
