"""New tensors: zeros, ranges, grids, copies of other data; NumPy's and PyTorch's names."""

from __future__ import annotations

import math
from typing import Any

from gradlab.backends.numpy import CPU
from gradlab.errors import ArgumentError, DeviceError
from gradlab.graph.arrays import get_default_dtype, to_array
from gradlab.graph.node import FUNCTIONS
from gradlab.graph.recorder import leaf
from gradlab.graph.tensor import Tensor
from gradlab.ops.axes import shape_of, whole_numbers
from gradlab.ops.leaf import INPUT

__all__ = [
    *("zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like", "empty_like"),
    *("arange", "linspace", "logspace", "eye", "meshgrid", "tril_indices", "triu_indices"),
    *("as_tensor", "asarray", "from_numpy", "is_tensor", "is_floating_point"),
]


def backend_for(device: Any) -> Any:
    """The backend of a device by its name; None means the CPU. Raises DeviceError GL161 for a device that is not there."""
    if device is None or str(device).partition(":")[0] == "cpu":
        return CPU
    what = f"there is no device {str(device)!r} here"
    raise DeviceError("GL161", what, "Tensors are made on 'cpu'", "Leave out device=")


def made(array: Any, requires_grad: bool = False) -> Tensor:
    """A leaf around a new array."""
    node = leaf(array, INPUT)
    return node.requires_grad_() if requires_grad else node


def sizes_of(sizes: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes given one by one or as one sequence. Raises ShapeError GL027 or ArgumentError GL130 for what cannot be sizes."""
    listed = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
    found = whole_numbers(tuple(listed), "sizes")
    if min(found, default=0) < 0:
        raise ArgumentError("GL130", f"sizes {found} contain a negative number", "A size is 0 or more")
    return found


def full(
    size: Any, fill_value: Any, dtype: Any = None, requires_grad: bool = False, device: Any = None
) -> Tensor:
    """A tensor of one number. Shapes: `size`, a number or a tuple. Raises ShapeError GL027, ArgumentError GL130 for bad sizes.

    >>> gl.full((2, 2), 7.0).tolist()
    [[7.0, 7.0], [7.0, 7.0]]
    """
    backend = backend_for(device)
    value = to_array(fill_value, dtype)
    return made(backend.xp.full(sizes_of((size,)), value, value.dtype), requires_grad)


def zeros(*size: Any, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    """Zeros. Shapes: `size`, as numbers or one tuple. The dtype is the default one. Raises ShapeError GL027, ArgumentError GL130.

    >>> gl.zeros(2, 3).shape
    (2, 3)
    """
    return full(sizes_of(size), 0, dtype or get_default_dtype(), requires_grad, device)


def ones(*size: Any, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    """Ones. Shapes: `size`, as numbers or one tuple. The dtype is the default one. Raises ShapeError GL027, ArgumentError GL130.

    >>> gl.ones((2,)).tolist()
    [1.0, 1.0]
    """
    return full(sizes_of(size), 1, dtype or get_default_dtype(), requires_grad, device)


def empty(*size: Any, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    """A tensor to be filled. It holds zeros, not whatever was in memory, so that a forgotten element is the same in every run.

    Shapes: `size`, as numbers or one tuple. Raises ShapeError GL027, ArgumentError GL130.

    >>> gl.empty(2).shape
    (2,)
    """
    return zeros(*size, dtype=dtype, requires_grad=requires_grad, device=device)


def full_like(x: Any, fill_value: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of one number with the shape, dtype and device of x.

    >>> gl.full_like(gl.tensor([1.0, 2.0]), 5).tolist()
    [5.0, 5.0]
    """
    return full(
        shape_of(x), fill_value, dtype or getattr(x, "dtype", None), requires_grad, getattr(x, "device", None)
    )


def zeros_like(x: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Zeros with the shape, dtype and device of x.

    >>> gl.zeros_like(gl.tensor([1, 2])).tolist()
    [0, 0]
    """
    return full_like(x, 0, dtype, requires_grad)


def ones_like(x: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones with the shape, dtype and device of x.

    >>> gl.ones_like(gl.tensor([[3.0]])).tolist()
    [[1.0]]
    """
    return full_like(x, 1, dtype, requires_grad)


def empty_like(x: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor to be filled, with the shape, dtype and device of x; it holds zeros, as `empty`.

    >>> gl.empty_like(gl.tensor([1.0])).shape
    (1,)
    """
    return full_like(x, 0, dtype, requires_grad)


def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    dtype: Any = None,
    requires_grad: bool = False,
    device: Any = None,
) -> Tensor:
    """Numbers from `start` up to, but without, `end`; from 0 when one number is given. Whole numbers make int64.

    Shapes: → (n,). Raises ArgumentError GL130 for a step of 0.

    >>> gl.arange(3).tolist()
    [0, 1, 2]
    """
    if end is None:
        start, end = 0, start
    if step == 0:
        raise ArgumentError("GL130", "arange got a step of 0", "With it, the end is never reached")
    chosen = dtype or (
        get_default_dtype() if any(isinstance(x, float) for x in (start, end, step)) else "int64"
    )
    return made(CPU.cast(backend_for(device).xp.arange(start, end, step), CPU.dtype(chosen)), requires_grad)


def linspace(
    start: Any, end: Any, steps: int = 50, dtype: Any = None, requires_grad: bool = False, device: Any = None
) -> Tensor:
    """`steps` numbers at equal distances from `start` to `end`, both included. Shapes: → (steps,). Raises ArgumentError GL130.

    >>> gl.linspace(0.0, 1.0, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    (count,) = sizes_of((steps,))
    array = backend_for(device).xp.linspace(float(start), float(end), count)
    return made(array.astype(CPU.dtype(dtype or get_default_dtype())), requires_grad)


def logspace(start: Any, end: Any, steps: int = 50, base: float = 10.0, dtype: Any = None) -> Tensor:
    """Powers of `base` with exponents at equal distances from `start` to `end`. Shapes: → (steps,).

    >>> gl.logspace(0, 2, 3).tolist()
    [1.0, 10.0, 100.0]
    """
    (count,) = sizes_of((steps,))
    array = CPU.xp.logspace(float(start), float(end), count, base=base)
    return made(array.astype(CPU.dtype(dtype or get_default_dtype())))


def eye(
    n: int, m: int | None = None, dtype: Any = None, requires_grad: bool = False, device: Any = None
) -> Tensor:
    """Ones on the diagonal, zeros elsewhere. Shapes: → (n, n), or (n, m).

    >>> gl.eye(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    rows, columns = sizes_of((n, n if m is None else m))
    return made(
        backend_for(device).xp.eye(rows, columns, dtype=CPU.dtype(dtype or get_default_dtype())),
        requires_grad,
    )


def meshgrid(*xs: Any, indexing: str = "ij") -> tuple[Any, ...]:
    """Each of n vectors spread over a grid of rank n. `indexing` is "ij" (PyTorch's default) or "xy" (NumPy's).

    Shapes: (a,), (b,) → two of (a, b), or of (b, a) for "xy". VJP: the sum over the other axes. Raises ArgumentError GL016.

    >>> gl.meshgrid(gl.tensor([1, 2]), gl.tensor([3, 4, 5]))[0].tolist()
    [[1, 1, 1], [2, 2, 2]]
    """
    if indexing not in ("ij", "xy"):
        raise ArgumentError("GL016", f"indexing is {indexing!r}", "It is 'ij' or 'xy'")
    vectors = [as_tensor(x) for x in (xs[0] if len(xs) == 1 and isinstance(xs[0], (list, tuple)) else xs)]
    shape = tuple(x.numel() for x in vectors)
    grids = []
    for place, x in enumerate(vectors):
        line = FUNCTIONS["reshape"](x, tuple(-1 if place == other else 1 for other in range(len(vectors))))
        grids.append(FUNCTIONS["broadcast_to"](line, shape))
    return tuple(FUNCTIONS["swapaxes"](x, 0, 1) if indexing == "xy" and len(grids) > 1 else x for x in grids)


def tril_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """Row and column numbers of the lower triangle. Shapes: → (2, n).

    >>> gl.tril_indices(2, 2).tolist()
    [[0, 1, 1], [0, 0, 1]]
    """
    return made(CPU.xp.stack(CPU.xp.tril_indices(row, offset, col)))


def triu_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """Row and column numbers of the upper triangle. Shapes: → (2, n).

    >>> gl.triu_indices(2, 2).tolist()
    [[0, 0, 1], [0, 1, 1]]
    """
    return made(CPU.xp.stack(CPU.xp.triu_indices(row, offset, col)))


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """The data as a tensor: a tensor of the right type itself, anything else as `tensor` makes it (with a copy).

    >>> x = gl.tensor([1.0])
    >>> gl.as_tensor(x) is x
    True
    """
    backend_for(device)
    if isinstance(data, Tensor):
        return data if dtype is None else FUNCTIONS["astype"](data, dtype)
    return Tensor(data, dtype=dtype)


asarray = as_tensor


def from_numpy(array: Any) -> Tensor:
    """A NumPy array as a tensor of the same dtype. Unlike PyTorch's, it has a copy: nothing outside can change it unnoticed.

    >>> import numpy as np
    >>> gl.from_numpy(np.array([1.0, 2.0])).dtype
    dtype('float64')
    """
    return Tensor(array)


def is_tensor(x: object) -> bool:
    """Whether x is a `Tensor`.

    >>> gl.is_tensor([1.0])
    False
    """
    return isinstance(x, Tensor)


def is_floating_point(x: Any) -> bool:
    """Whether the elements are floating-point numbers, so that they can have a gradient.

    >>> gl.is_floating_point(gl.tensor([1]))
    False
    """
    return bool(x.dtype.kind == "f")


pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None
