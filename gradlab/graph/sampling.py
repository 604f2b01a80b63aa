"""Random tensors: uniform, normal, whole numbers, permutations, choices. `manual_seed` makes them repeat."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradlab.errors import ArgumentError, ShapeError
from gradlab.graph.arrays import get_default_dtype
from gradlab.graph.creation import made, sizes_of
from gradlab.graph.tensor import Tensor
from gradlab.ops.axes import shape_of
from gradlab.ops.random import draw

__all__ = [
    *("rand", "randn", "randint", "randperm", "normal", "uniform", "bernoulli", "multinomial"),
    *("rand_like", "randn_like", "randint_like"),
]


def _cast(array: Any, dtype: Any, requires_grad: bool = False) -> Tensor:
    return made(np.asarray(array).astype(np.dtype(dtype or get_default_dtype())), requires_grad)


def rand(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Numbers drawn uniformly from 0 (included) to 1 (excluded). Shapes: `size`, as numbers or one tuple.

    >>> gl.rand(2, 3).shape
    (2, 3)
    """
    return _cast(draw("random", sizes_of(size)), dtype, requires_grad)


def randn(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Numbers drawn from the standard normal distribution. Shapes: `size`, as numbers or one tuple.

    >>> gl.randn(2).shape
    (2,)
    """
    return _cast(draw("standard_normal", sizes_of(size)), dtype, requires_grad)


def randint(low: int, high: Any = None, size: Any = (), dtype: Any = "int64") -> Tensor:
    """Whole numbers from `low` (included) to `high` (excluded), each as likely as the others; from 0 when `high` is left out.

    Shapes: `size`. Raises ArgumentError GL131 when there is no number between them.

    >>> int(gl.randint(3, 4, (1,)).max())
    3
    """
    if isinstance(high, (tuple, list)):
        high, size = None, high
    if high is None:
        low, high = 0, low
    if high <= low:
        raise ArgumentError("GL131", f"there is no whole number from {low} up to, but without, {high}")
    return _cast(draw("integers", low, high, sizes_of((size,))), dtype)


def randperm(n: int) -> Tensor:
    """The numbers 0 … n - 1 in a random order. Shapes: → (n,).

    >>> sorted(gl.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    return made(draw("permutation", n))


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, dtype: Any = None) -> Tensor:
    """Numbers from a normal distribution. `mean` and `std` are numbers or tensors that are broadcast; no gradient flows to them.

    Shapes: `size`, or the common shape of mean and std. Raises ArgumentError GL131 for a negative std.

    >>> gl.normal(0.0, 1.0, (2, 2)).shape
    (2, 2)
    """
    mean, std = (getattr(x, "primal", x) for x in (mean, std))
    if np.any(np.asarray(std) < 0):
        raise ArgumentError("GL131", "normal got a negative standard deviation")
    shape = np.broadcast_shapes(np.shape(mean), np.shape(std)) if size is None else sizes_of((size,))
    return _cast(draw("standard_normal", shape) * std + mean, dtype or getattr(mean, "dtype", None))


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = (), dtype: Any = None) -> Tensor:
    """Numbers drawn uniformly from `low` (included) to `high` (excluded). Shapes: `size`.

    >>> bool((gl.uniform(2.0, 3.0, (5,)) >= 2.0).all())
    True
    """
    return _cast(low + (high - low) * draw("random", sizes_of((size,))), dtype)


def bernoulli(p: Any) -> Tensor:
    """1 with probability p, else 0, for each element of p. Shapes: that of p. Raises ArgumentError GL132 for p outside 0 … 1.

    >>> gl.bernoulli(gl.tensor([0.0, 1.0])).tolist()
    [0.0, 1.0]
    """
    raw = np.asarray(getattr(p, "primal", p))
    if not ((raw >= 0) & (raw <= 1)).all():
        raise ArgumentError("GL132", "bernoulli got a probability outside 0 … 1")
    return _cast(draw("random", raw.shape) < raw, raw.dtype if raw.dtype.kind == "f" else None)


def multinomial(weights: Any, num_samples: int, replacement: bool = False) -> Tensor:
    """Positions drawn with probabilities in proportion to `weights`. Shapes: (n,) → (num_samples,); (m, n) → (m, num_samples).

    Raises ArgumentError GL131 for negative weights, or more samples than positions without replacement.

    >>> gl.multinomial(gl.tensor([0.0, 1.0]), 1).tolist()
    [1]
    """
    raw = np.asarray(getattr(weights, "primal", weights), dtype=float)
    if raw.ndim not in (1, 2):
        raise ShapeError("GL027", f"multinomial needs weights of shape (n,) or (m, n), got {raw.shape}")
    rows = raw.reshape(-1, raw.shape[-1])
    usable = (rows > 0).sum(-1).min() if rows.size else 0
    if (
        not np.isfinite(rows).all()
        or (rows < 0).any()
        or not usable
        or (not replacement and num_samples > usable)
    ):
        what = f"multinomial cannot draw {num_samples} positions from these weights"
        raise ArgumentError(
            "GL131", what, "Weights are finite, not negative, and enough of them are not zero"
        )
    drawn = [draw("choice", raw.shape[-1], num_samples, replacement, row / row.sum()) for row in rows]
    return made(np.array(drawn).reshape(*raw.shape[:-1], num_samples))


def rand_like(x: Any, dtype: Any = None) -> Tensor:
    """`rand` with the shape and dtype of x.

    >>> gl.rand_like(gl.tensor([1.0, 2.0])).shape
    (2,)
    """
    return rand(shape_of(x), dtype=dtype or getattr(x, "dtype", None))


def randn_like(x: Any, dtype: Any = None) -> Tensor:
    """`randn` with the shape and dtype of x.

    >>> gl.randn_like(gl.tensor([[1.0]])).shape
    (1, 1)
    """
    return randn(shape_of(x), dtype=dtype or getattr(x, "dtype", None))


def randint_like(x: Any, low: int, high: int | None = None) -> Tensor:
    """`randint` with the shape of x.

    >>> gl.randint_like(gl.tensor([1.0, 2.0]), 0, 1).tolist()
    [0, 0]
    """
    return randint(low, high, shape_of(x))
