"""Pooling: the geometry of windows, and the average or a norm of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import shape_of
from gradlab.ops.convolutions import batched, enough
from gradlab.ops.elementwise import divide, power
from gradlab.ops.families import count, linear
from gradlab.ops.pad import PAD
from gradlab.ops.shape import BROADCAST, RESHAPE, squeeze
from gradlab.ops.sliding import OVERLAP, Pairs, Sizes, bordered, each_axis, out_sizes, places

__all__ = [
    *("avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d"),
]
FUNCTIONS_ONLY = (*("avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d"),)


def pooled_shape(shape: Shape, *, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Shape:
    """The shape with one element for each window over the last axes."""
    rank = len(kernel)
    return (*shape[:-rank], *out_sizes(shape[-rank:], kernel, stride, ((0, 0),) * rank, dilation))


def folded(xp: Any, x: Any, join: Any, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    """The elements of each window joined by a function of two arrays: one pass over the array for each place in a window."""
    out = pooled_shape(x.shape, kernel=kernel, stride=stride, dilation=dilation)[-len(kernel) :]
    result = None
    for _, inside in places(kernel, out, stride, dilation):
        piece = x[(..., *inside)]
        result = xp.array(piece) if result is None else join(result, piece, out=result)
    return result


def pool_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Samples of a pooling, without ties."""
    for shape, kernel, stride, dilation in (
        ((5,), (2,), (1,), (1,)),
        ((2, 7), (3,), (2,), (1,)),
        ((2, 5, 6), (2, 2), (2, 3), (2, 1)),
        ((0, 4), (2,), (2,), (1,)),
    ):
        x = rng.permutation(count(shape)).reshape(shape) * 0.3  # no two are equal
        yield (x,), {"kernel": kernel, "stride": stride, "dilation": dilation}


def _sum_vjp(ct: Any, x: Any, *, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    shape = shape_of(ct)
    column = apply(RESHAPE, ct, shape=(*shape, *(1,) * len(kernel)))
    wide = apply(BROADCAST, column, shape=(*shape, *kernel))
    return apply(OVERLAP, wide, size=shape_of(x)[-len(kernel) :], stride=stride, dilation=dilation)


SUM_POOL: Op = linear(
    "sum_pool",
    lambda xp, x, *, kernel, stride, dilation: folded(xp, x, xp.add, kernel, stride, dilation),
    _sum_vjp,
    pooled_shape,
    symbol="Σ pool",
    formula="sum_pool(x)",
    derivative="1",
    doc="The sum of each window.",
    samples=pool_samples,
    tags="internal",
    flops=lambda shape, *, kernel, **p: count(pooled_shape(shape, kernel=kernel, **p)) * count(kernel),
)


class Geometry:
    """A pooling's options, checked and filled in: kernel, stride, padding, dilation, and the border that ceil_mode asks for."""

    def __init__(
        self, name: str, x: Any, rank: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool
    ) -> None:
        self.x, self.single = batched(name, x, rank)
        self.kernel = each_axis(kernel, rank, f"{name}'s kernel_size", 1)
        empty = stride is None or stride in ((), [])
        self.stride = self.kernel if empty else each_axis(stride, rank, f"{name}'s stride", 1)
        self.padding = each_axis(padding, rank, f"{name}'s padding")
        self.dilation = each_axis(dilation, rank, f"{name}'s dilation", 1)
        self.spatial = shape_of(self.x)[2:]
        if any(2 * p > k for p, k in zip(self.padding, self.kernel, strict=True)):
            what = f"{name} got padding {self.padding} for windows of {self.kernel}"
            raise ShapeError("GL120", what, "It is at most half the window, or a window would hold nothing")
        self.border: Pairs = tuple(
            (p, p + self._more(axis) if ceil else p) for axis, p in enumerate(self.padding)
        )
        enough(name, self.spatial, self.kernel, self.border, self.dilation)

    def _more(self, axis: int) -> int:
        """What ceil_mode adds at the end: room for one more window, if that window starts inside the array or its left border."""
        p, step = self.padding[axis], self.stride[axis]
        wide, span = self.spatial[axis] + 2 * p, self.dilation[axis] * (self.kernel[axis] - 1) + 1
        if wide < span:
            return 0
        extra = -(wide - span) % step
        starts = (wide - span + extra) // step * step
        return extra if extra and starts < self.spatial[axis] + p else 0

    def padded(self, x: Any, value: float) -> Any:
        """x with its border."""
        if not any(before or after for before, after in self.border):
            return x
        widths = ((0, 0),) * (len(shape_of(x)) - len(self.border)) + self.border
        return apply(PAD, x, widths=widths, mode="constant", value=value)

    def done(self, z: Any) -> Any:
        """The result, without the batch axis that was added."""
        return squeeze(z, 0) if self.single else z

    @property
    def params(self) -> dict[str, Any]:
        """What the records take."""
        return {"kernel": self.kernel, "stride": self.stride, "dilation": self.dilation}


def _divisor(g: Geometry, count_include_pad: bool, override: Any, x: Any) -> Any:
    """By what the sum of each window is divided: one number, or one for each place where windows hang over the edge."""
    from gradlab.backends import beside

    if override is not None:
        if override == 0:
            raise ShapeError("GL120", "avg_pool got divisor_override 0", "It is the number to divide by")
        return float(override)
    hanging = any(after > p for (_, after), p in zip(g.border, g.padding, strict=True))
    if not hanging and (count_include_pad or not any(g.padding)):
        return float(count(g.kernel))
    xp = beside(x).xp
    inside = xp.ones(g.spatial, dtype=str(getattr(x, "dtype", "float64")))
    if count_include_pad:
        inside = bordered(xp, inside, tuple((p, p) for p in g.padding), 1.0)
        rest = tuple((0, after - p) for (_, after), p in zip(g.border, g.padding, strict=True))
        inside = bordered(xp, inside, rest)
    else:
        inside = bordered(xp, inside, g.border)
    return folded(xp, inside, xp.add, g.kernel, g.stride, g.dilation)


def _avg_pool(
    rank: int,
    x: Any,
    kernel: Any,
    stride: Any,
    padding: Any,
    ceil: bool,
    count_include_pad: bool,
    override: Any,
) -> Any:
    g = Geometry(f"avg_pool{rank}d", x, rank, kernel, stride, padding, 1, ceil)
    total = apply(SUM_POOL, g.padded(g.x, 0.0), **g.params)
    return g.done(divide(total, _divisor(g, count_include_pad, override, g.x)))


def _lp_pool(rank: int, x: Any, norm_type: float, kernel: Any, stride: Any, ceil: bool) -> Any:
    g = Geometry(f"lp_pool{rank}d", x, rank, kernel, stride, 0, 1, ceil)
    total = apply(SUM_POOL, power(g.padded(g.x, 0.0), float(norm_type)), **g.params)
    return g.done(power(total, 1.0 / norm_type))


def avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """`avg_pool2d` over one axis. Shapes: (n, c, length) → (n, c, out).

    >>> gl.avg_pool1d(gl.tensor([[1.0, 3.0, 2.0, 0.0]]), 2).tolist()
    [[2.0, 1.0]]
    """
    return _avg_pool(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def avg_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Any:
    """The average of each window. Zeros of the border count as elements, unless `count_include_pad` is False.

    Shapes: (n, c, h, w) or (c, h, w) → (n, c, h', w') as `conv2d`. VJP: the cotangent, shared equally by its window.
    Raises ShapeError GL120 for options, GL121 where the window does not fit.

    >>> gl.avg_pool2d(gl.tensor([[[1.0, 2.0], [4.0, 3.0]]]), 2).tolist()
    [[[2.5]]]
    """
    return _avg_pool(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Any:
    """`avg_pool2d` over three axes. Shapes: (n, c, d, h, w) → (n, c, d', h', w').

    >>> gl.avg_pool3d(gl.ones(1, 1, 2, 2, 2), 2).item()
    1.0
    """
    return _avg_pool(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def lp_pool1d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """(Σ xᵖ)^(1/p) of each window. Shapes: (n, c, length) → (n, c, out). VJP: that of the powers and the sum.

    >>> gl.lp_pool1d(gl.tensor([[3.0, 4.0]]), 2, 2).tolist()
    [[5.0]]
    """
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """`lp_pool1d` over two axes. Shapes: (n, c, h, w) → (n, c, h', w').

    >>> gl.lp_pool2d(gl.tensor([[[3.0], [4.0]]]), 2, (2, 1)).tolist()
    [[[5.0]]]
    """
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)
