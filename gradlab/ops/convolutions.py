"""Convolutions as people call them: over one, two or three axes, and their transposes, with PyTorch's words."""

from __future__ import annotations

from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Shape, apply
from gradlab.ops.axes import shape_of
from gradlab.ops.conv import CONV, CONV_INPUT
from gradlab.ops.elementwise import add
from gradlab.ops.shape import expand_dims, reshape, squeeze
from gradlab.ops.signature import one_of
from gradlab.ops.sliding import Pairs, Sizes, each_axis, out_sizes

__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]
FUNCTIONS_ONLY = ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")

AXES = {1: "length", 2: "height, width", 3: "depth, height, width"}


def batched(name: str, x: Any, rank: int) -> tuple[Any, bool]:
    """x with a batch axis, and whether it was added here. Raises ShapeError GL122."""
    shape = shape_of(x)
    if len(shape) not in (rank + 1, rank + 2):
        what = f"{name} got an input of shape {shape}"
        raise ShapeError(
            "GL122", what, f"It takes (batch, channels, {AXES[rank]}), or that without the batch"
        )
    return (expand_dims(x, 0), True) if len(shape) == rank + 1 else (x, False)


def _fits(name: str, x: Shape, w: Shape, groups: Any, rank: int, transposed: bool) -> None:
    """Raise ShapeError GL122 unless input, weight and groups belong together."""
    if len(w) != rank + 2:
        order = "(in, out / groups" if transposed else "(out, in / groups"
        what = f"{name} got a weight of shape {w}"
        raise ShapeError("GL122", what, f"It is {order}, {AXES[rank]} of the kernel)")
    if not isinstance(groups, int) or groups < 1 or x[1] % groups or w[0] % groups:
        what = f"{name} got groups={groups!r} for {x[1]} channels and a weight of shape {w}"
        raise ShapeError("GL122", what, "Groups divide the channels that go in and those that come out")
    wanted = w[0] if transposed else w[1] * groups
    if x[1] != wanted:
        what = f"{name} got {x[1]} channels of input, and its weight of shape {w} is for {wanted}"
        raise ShapeError(
            "GL122", what, fix="Look at axis 1 of the input: channels come right after the batch"
        )


def _padding(name: str, given: Any, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Pairs:
    if not isinstance(given, str):
        return tuple((n, n) for n in each_axis(given, len(kernel), f"{name}'s padding"))
    if one_of(given, ("valid", "same"), f"{name}'s padding") == "valid":
        return ((0, 0),) * len(kernel)
    if any(step != 1 for step in stride):
        raise ShapeError(
            "GL120", f"{name} got padding='same' with stride {stride}", "Only stride 1 keeps the size"
        )
    totals = [gap * (k - 1) for k, gap in zip(kernel, dilation, strict=True)]
    return tuple((total // 2, total - total // 2) for total in totals)


def enough(name: str, spatial: Shape, kernel: Sizes, padding: Pairs, dilation: Sizes) -> None:
    """Raise ShapeError GL121 where a window does not fit even once."""
    for size, k, (before, after), gap in zip(spatial, kernel, padding, dilation, strict=True):
        if size + before + after < gap * (k - 1) + 1:
            what = f"{name}: a window over {gap * (k - 1) + 1} does not fit into {size} elements"
            if before or after:
                what += f" with {before} + {after} of padding"
            raise ShapeError(
                "GL121", what, "The window fits at least once", "Pad more, or take a smaller kernel"
            )


def _biased(z: Any, bias: Any, rank: int) -> Any:
    if bias is None:
        return z
    channels = shape_of(z)[1]
    if shape_of(bias) != (channels,):
        what = f"the bias has shape {shape_of(bias)}"
        raise ShapeError("GL122", what, f"It has one number for each of {channels} channels that come out")
    return add(z, reshape(bias, (channels, *(1,) * rank)))


def _conv(rank: int, x: Any, w: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    name = f"conv{rank}d"
    x, single = batched(name, x, rank)
    _fits(name, shape_of(x), shape_of(w), groups, rank, False)
    kernel = shape_of(w)[2:]
    steps, gaps = (
        each_axis(stride, rank, f"{name}'s stride", 1),
        each_axis(dilation, rank, f"{name}'s dilation", 1),
    )
    widths = _padding(name, padding, kernel, steps, gaps)
    enough(name, shape_of(x)[2:], kernel, widths, gaps)
    z = apply(CONV, x, w, stride=steps, padding=widths, dilation=gaps, groups=groups)
    z = _biased(z, bias, rank)
    return squeeze(z, 0) if single else z


def _transposed(
    rank: int,
    x: Any,
    w: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Any:
    name = f"conv_transpose{rank}d"
    x, single = batched(name, x, rank)
    _fits(name, shape_of(x), shape_of(w), groups, rank, True)
    kernel = shape_of(w)[2:]
    steps = each_axis(stride, rank, f"{name}'s stride", 1)
    gaps = each_axis(dilation, rank, f"{name}'s dilation", 1)
    cuts = each_axis(padding, rank, f"{name}'s padding")
    more = each_axis(output_padding, rank, f"{name}'s output_padding")
    if any(extra >= max(step, gap) for extra, step, gap in zip(more, steps, gaps, strict=True)):
        what = f"{name} got output_padding {more} for stride {steps}"
        raise ShapeError("GL120", what, "It is smaller than the stride or the dilation, or it says nothing")
    # the last window must end where the array does, so that the convolution back finds as many windows
    widths = tuple((cut, cut - extra) for cut, extra in zip(cuts, more, strict=True))
    size = tuple(
        (n - 1) * step + gap * (k - 1) + 1 - before - after
        for n, step, gap, k, (before, after) in zip(shape_of(x)[2:], steps, gaps, kernel, widths, strict=True)
    )
    if any(n < 1 for n in size):
        what = f"{name} with padding {cuts} leaves sizes {size} of an input of shape {shape_of(x)}"
        raise ShapeError("GL121", what, "At least one element remains along each axis")
    assert out_sizes(size, kernel, steps, widths, gaps) == shape_of(x)[2:]
    z = apply(CONV_INPUT, x, w, size=size, stride=steps, padding=widths, dilation=gaps, groups=groups)
    z = _biased(z, bias, rank)
    return squeeze(z, 0) if single else z


def conv1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """`conv2d` over one axis. Shapes: (n, c, length), (o, c / groups, k) → (n, o, out).

    >>> gl.conv1d(gl.tensor([[1.0, 2.0, 4.0]]), gl.tensor([[[-1.0, 1.0]]])).tolist()
    [[1.0, 2.0]]
    """
    return _conv(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Each window of the images times the weights, summed, for every channel that comes out.

    Shapes: (n, c, h, w) or (c, h, w), weight (o, c / groups, kh, kw), bias (o,) → (n, o, h', w') with
    h' = ⌊(h + 2 padding - dilation (kh - 1) - 1) / stride⌋ + 1. `padding` may be "same" or "valid". The kernel is not turned round.
    VJP: for the input the transposed convolution of the cotangent, for the weight the convolution of input and cotangent.
    Raises ShapeError GL120 for options, GL121 where the kernel does not fit, GL122 for channels.

    >>> gl.conv2d(gl.ones(1, 1, 3, 3), gl.ones(1, 1, 2, 2)).tolist()
    [[[[4.0, 4.0], [4.0, 4.0]]]]

    Source: Dumoulin and Visin, arXiv:1603.07285, 2016.
    """
    return _conv(2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """`conv2d` over three axes. Shapes: (n, c, d, h, w), (o, c / groups, kd, kh, kw) → (n, o, d', h', w').

    >>> gl.conv3d(gl.ones(1, 1, 2, 2, 2), gl.ones(1, 1, 2, 2, 2)).item()
    8.0
    """
    return _conv(3, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """`conv_transpose2d` over one axis. Shapes: (n, c, length), (c, o / groups, k) → (n, o, out).

    >>> gl.conv_transpose1d(gl.tensor([[1.0, 2.0]]), gl.tensor([[[1.0, 10.0]]])).tolist()
    [[1.0, 12.0, 20.0]]
    """
    return _transposed(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """The transpose of `conv2d`: each element of the input spreads the weights over a window, and windows add up.

    Shapes: (n, c, h, w), weight (c, o / groups, kh, kw), bias (o,) → (n, o, h', w') with
    h' = (h - 1) stride - 2 padding + dilation (kh - 1) + output_padding + 1. VJP: the convolution of the cotangent.
    Raises ShapeError GL120, GL121 or GL122.

    >>> gl.conv_transpose2d(gl.ones(1, 1, 1, 1), gl.ones(1, 1, 2, 2), stride=2).tolist()
    [[[[1.0, 1.0], [1.0, 1.0]]]]
    """
    return _transposed(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """`conv_transpose2d` over three axes. Shapes: (n, c, d, h, w), (c, o / groups, kd, kh, kw) → (n, o, d', h', w').

    >>> gl.conv_transpose3d(gl.ones(1, 1, 1, 1, 1), gl.ones(1, 1, 2, 1, 1)).tolist()
    [[[[[1.0]], [[1.0]]]]]
    """
    return _transposed(3, input, weight, bias, stride, padding, output_padding, groups, dilation)
