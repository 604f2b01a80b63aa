"""Max pooling, the places of the largest elements, and the way back to them."""

from __future__ import annotations

from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Op, apply
from gradlab.ops.axes import shape_of
from gradlab.ops.choice import equal, indicator, where
from gradlab.ops.convolutions import batched
from gradlab.ops.elementwise import divide
from gradlab.ops.families import count
from gradlab.ops.pooling import Geometry, folded, pool_samples, pooled_shape
from gradlab.ops.reduce import SUM
from gradlab.ops.scatter import scatter
from gradlab.ops.shape import RESHAPE, broadcast_to, reshape, squeeze
from gradlab.ops.signature import cut, define
from gradlab.ops.sliding import OVERLAP, WINDOWS, Sizes, each_axis, windows_of

__all__ = [
    *("max_pool1d", "max_pool2d", "max_pool3d"),
    *("max_unpool1d", "max_unpool2d", "max_unpool3d"),
]
FUNCTIONS_ONLY = (
    *("max_pool1d", "max_pool2d", "max_pool3d"),
    *("max_unpool1d", "max_unpool2d", "max_unpool3d"),
)

LOWEST = float("-inf")


def _share(z: Any, x: Any, p: dict[str, Any]) -> Any:
    """How much of its window's gradient each element gets: equal parts for those that tie."""
    windows = apply(WINDOWS, x, **p)
    rank = len(p["kernel"])
    best = apply(RESHAPE, z, shape=(*shape_of(z), *(1,) * rank))
    hit = indicator(equal(windows, best), windows)
    hit = where(equal(windows, windows), hit, windows)  # nan stays nan
    axis = tuple(range(len(shape_of(windows)) - rank, len(shape_of(windows))))
    return divide(hit, apply(SUM, hit, axis=axis, keepdims=True))


def _max_jvp(t: Any, z: Any, x: Any, **p: Any) -> Any:
    rank = len(p["kernel"])
    moved = apply(WINDOWS, t, **p) * _share(z, x, p)
    axis = tuple(range(len(shape_of(moved)) - rank, len(shape_of(moved))))
    return apply(SUM, moved, axis=axis, keepdims=False)


def _max_vjp(ct: Any, z: Any, x: Any, **p: Any) -> Any:
    rank = len(p["kernel"])
    share = _share(z, x, p) * apply(RESHAPE, ct, shape=(*shape_of(ct), *(1,) * rank))
    return apply(OVERLAP, share, size=shape_of(x)[-rank:], stride=p["stride"], dilation=p["dilation"])


MAX_POOL: Op = define(
    "max_pool",
    lambda xp, x, *, kernel, stride, dilation: folded(xp, x, xp.maximum, kernel, stride, dilation),
    pooled_shape,
    jvp=(_max_jvp,),
    vjp=(_max_vjp,),
    symbol="max pool",
    formula="max_pool(x)",
    derivatives=("1 / k if x == z else 0",),
    doc="The largest element of each window. Elements that tie share the gradient equally.",
    samples=pool_samples,
    reads="z x",
    tags="internal",
    flops=lambda shape, *, kernel, **p: count(pooled_shape(shape, kernel=kernel, **p)) * count(kernel),
)


def _places(
    xp: Any, x: Any, *, kernel: Sizes, stride: Sizes, dilation: Sizes, padding: Sizes, spatial: Sizes
) -> Any:
    windows = windows_of(xp, x, kernel, stride, dilation)
    rank = len(kernel)
    out = windows.shape[-2 * rank : -rank]
    best = xp.argmax(windows.reshape(*windows.shape[:-rank], count(kernel)), axis=-1)
    flat, inner = xp.zeros_like(best), 1
    for axis in reversed(range(rank)):
        start = (xp.arange(out[axis]) * stride[axis]).reshape(-1, *(1,) * (rank - 1 - axis))
        at = best // count(kernel[axis + 1 :]) % kernel[axis] * dilation[axis] + start - padding[axis]
        flat, inner = flat + at * inner, inner * spatial[axis]
    return flat


def _place_samples(rng: Any) -> Any:
    for (x,), params in pool_samples(rng):
        rank = len(params["kernel"])
        yield (x,), {**params, "padding": (0,) * rank, "spatial": x.shape[-rank:]}


PLACES: Op = cut(
    "pool_places",
    _places,
    lambda shape, *, padding, spatial, **p: pooled_shape(shape, **p),
    symbol="places",
    formula="argmax(x)",
    doc="Where the largest element of each window stands, counted through the array without its border.",
    samples=_place_samples,
    tags="internal",
)


def _max_pool(
    rank: int,
    x: Any,
    kernel: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil: bool,
    indices: bool,
) -> Any:
    g = Geometry(f"max_pool{rank}d", x, rank, kernel, stride, padding, dilation, ceil)
    padded = g.padded(g.x, LOWEST)
    z = g.done(apply(MAX_POOL, padded, **g.params))
    if not indices:
        return z
    return z, g.done(apply(PLACES, padded, padding=g.padding, spatial=g.spatial, **g.params))


def _unpool(rank: int, x: Any, indices: Any, kernel: Any, stride: Any, padding: Any, output_size: Any) -> Any:
    name = f"max_unpool{rank}d"
    x, single = batched(name, x, rank)
    indices = batched(name, indices, rank)[0]
    shape = shape_of(x)
    if output_size is not None:
        size = each_axis(list(output_size)[-rank:], rank, f"{name}'s output_size", 1)
    else:
        kernels = each_axis(kernel, rank, f"{name}'s kernel_size", 1)
        steps = kernels if stride is None else each_axis(stride, rank, f"{name}'s stride", 1)
        cuts = each_axis(padding, rank, f"{name}'s padding")
        size = tuple(
            (n - 1) * step - 2 * p + k for n, step, p, k in zip(shape[2:], steps, cuts, kernels, strict=True)
        )
    if shape_of(indices) != shape:
        what = f"{name} got values of shape {shape} and indices of shape {shape_of(indices)}"
        raise ShapeError("GL122", what, "There is one index for each value")
    from gradlab.backends import beside

    rows = (*shape[:2], count(shape[2:]))
    empty = beside(x).xp.zeros((), dtype=str(getattr(x, "dtype", "float64")))
    blank = broadcast_to(empty, (*shape[:2], count(size)))
    flat = scatter(blank, -1, reshape(indices, rows), reshape(x, rows))
    z = reshape(flat, (*shape[:2], *size))
    return squeeze(z, 0) if single else z


def max_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """`max_pool2d` over one axis. Shapes: (n, c, length) → (n, c, out).

    >>> gl.max_pool1d(gl.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).tolist()
    [[3.0, 2.0]]
    """
    return _max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window; windows lie side by side unless a stride is given.

    Shapes: (n, c, h, w) or (c, h, w) → (n, c, h', w') as `conv2d`; `ceil_mode` keeps a last window that hangs over the edge;
    with `return_indices` also the place of each largest element, counted through the image.
    VJP: the cotangent goes to the largest element of its window; elements that tie share it (PyTorch gives it to the first).
    Raises ShapeError GL120 for options, GL121 where the window does not fit.

    >>> gl.max_pool2d(gl.tensor([[[1.0, 2.0], [4.0, 3.0]]]), 2).tolist()
    [[[4.0]]]
    """
    return _max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """`max_pool2d` over three axes. Shapes: (n, c, d, h, w) → (n, c, d', h', w').

    >>> gl.max_pool3d(gl.ones(1, 1, 2, 2, 2), 2).item()
    1.0
    """
    return _max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_unpool1d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """The way back from max_pool1d: each value at its index, zeros elsewhere. Shapes: (n, c, length), the same → (n, c, out).

    VJP: the cotangent at the indices. Raises ShapeError GL120, GL122.

    >>> values, places = gl.max_pool1d(gl.tensor([[1.0, 3.0]]), 2, return_indices=True)
    >>> gl.max_unpool1d(values, places, 2).tolist()
    [[0.0, 3.0]]
    """
    return _unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """`max_unpool1d` over two axes. Shapes: (n, c, h, w), the same → (n, c, h', w').

    >>> values, places = gl.max_pool2d(gl.tensor([[[1.0, 3.0]]]), (1, 2), return_indices=True)
    >>> gl.max_unpool2d(values, places, (1, 2)).tolist()
    [[[0.0, 3.0]]]
    """
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """`max_unpool1d` over three axes. Shapes: (n, c, d, h, w), the same → (n, c, d', h', w').

    >>> values, places = gl.max_pool3d(gl.tensor([[[[1.0, 3.0]]]]), (1, 1, 2), return_indices=True)
    >>> gl.max_unpool3d(values, places, (1, 1, 2)).tolist()
    [[[[0.0, 3.0]]]]
    """
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size)
