"""Layers and losses as functions, under the names of `torch.nn.functional`.

All but `pad`, `unfold` and `fold` are the functions of `gradlab` itself.
"""

from __future__ import annotations

from typing import Any

from gradlab import ops
from gradlab.errors import ShapeError
from gradlab.op import apply
from gradlab.ops.axes import shape_of, whole_numbers
from gradlab.ops.convolutions import batched, enough
from gradlab.ops.families import count
from gradlab.ops.pad import PAD
from gradlab.ops.pad import pad as pad_axes
from gradlab.ops.shape import reshape, squeeze, transpose
from gradlab.ops.signature import one_of
from gradlab.ops.sliding import OVERLAP, WINDOWS, each_axis, out_sizes

SHARED = (
    *("relu", "relu6", "leaky_relu", "prelu", "rrelu", "elu", "selu", "celu", "gelu", "silu", "mish", "glu"),
    *("sigmoid", "tanh", "hardtanh", "hardsigmoid", "hardswish", "softplus", "softsign", "logsigmoid"),
    *("tanhshrink", "softshrink", "hardshrink", "threshold", "softmax", "softmin", "log_softmax"),
    *("linear", "bilinear", "embedding", "one_hot"),
    *("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"),
    *("max_pool1d", "max_pool2d", "max_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d"),
    *("avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d"),
    *(
        "batch_norm",
        "instance_norm",
        "layer_norm",
        "group_norm",
        "rms_norm",
        "local_response_norm",
        "normalize",
    ),
    *("dropout", "dropout1d", "dropout2d", "alpha_dropout"),
    *("scaled_dot_product_attention", "cosine_similarity", "pairwise_distance"),
    *("pixel_shuffle", "pixel_unshuffle", "channel_shuffle"),
    *("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"),
    *("binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div", "poisson_nll_loss"),
    *("gaussian_nll_loss", "cross_entropy", "nll_loss", "multi_margin_loss", "multilabel_soft_margin_loss"),
    *("hinge_loss", "hinge_embedding_loss", "soft_margin_loss", "margin_ranking_loss", "triplet_margin_loss"),
    *("triplet_margin_with_distance_loss", "cosine_embedding_loss"),
)
"""Functions that have the same name and meaning in `gradlab`."""

__all__ = ["pad", "unfold", "fold", *SHARED]

MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def __getattr__(name: str) -> Any:
    if name in SHARED:
        return ops.functions()[name]
    raise AttributeError(f"module 'gradlab.nn.functional' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    """PyTorch's pad: (before, after) for the last axis, then for the one before it, and so on; negative widths cut off.

    `gl.pad` is NumPy's, which begins with the first axis. Modes: constant, reflect, replicate, circular.
    VJP: each element gets the cotangents of all its copies. Raises ShapeError GL028 for widths that do not fit.

    >>> from gradlab.nn import functional as F
    >>> F.pad(gl.tensor([[1.0, 2.0]]), (1, 0)).tolist()
    [[0.0, 1.0, 2.0]]
    """
    flat, rank = whole_numbers(list(pad), "pad widths"), len(shape_of(input))
    if len(flat) % 2 or len(flat) > 2 * rank:
        what = f"pad got {len(flat)} widths for shape {shape_of(input)}"
        raise ShapeError("GL028", what, "It takes (before, after) for each axis, beginning with the last")
    pairs = [(0, 0)] * (rank - len(flat) // 2) + list(zip(flat[0::2], flat[1::2], strict=True))[::-1]
    widths = tuple((max(before, 0), max(after, 0)) for before, after in pairs)
    word = MODES[one_of(mode, tuple(MODES), "pad's mode")]
    if word == "constant":
        return _cropped(apply(PAD, input, widths=widths, mode="constant", value=float(value or 0.0)), pairs)
    if (
        word == "wrap"
    ):  # as in PyTorch a circle closes over what is left; other copies may come from what is cut off
        return pad_axes(_cropped(input, pairs), widths, word)
    return _cropped(pad_axes(input, widths, word), pairs)


def _cropped(x: Any, pairs: list[tuple[int, int]]) -> Any:
    """x without what negative widths cut off."""
    if all(before >= 0 and after >= 0 for before, after in pairs):
        return x
    kept = tuple(
        slice(max(0, -before), size - max(0, -after))
        for size, (before, after) in zip(shape_of(x), pairs, strict=True)
    )
    return ops.functions()["getitem"](x, kept)


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """All windows of images as columns (im2col). Shapes: (n, c, h, w) → (n, c kh kw, windows). VJP: `fold`.

    Raises ShapeError GL120, GL121 or GL122.

    >>> from gradlab.nn import functional as F
    >>> F.unfold(gl.tensor([[[1.0, 2.0, 3.0]]]), (1, 2)).tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    x, single = batched("unfold", input, 2)
    kernel, gaps, widths, steps = _options("unfold", kernel_size, dilation, padding, stride)
    enough("unfold", shape_of(x)[2:], kernel, tuple((p, p) for p in widths), gaps)
    x = pad(x, (widths[1], widths[1], widths[0], widths[0]))
    windows = apply(WINDOWS, x, kernel=kernel, stride=steps, dilation=gaps)
    n, c, *out = shape_of(windows)[:4]
    columns = reshape(transpose(windows, (0, 1, 4, 5, 2, 3)), (n, c * count(kernel), count(tuple(out))))
    return squeeze(columns, 0) if single else columns


def fold(
    input: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    """Columns put back as windows of images, where they overlap added up. Shapes: (n, c kh kw, windows) → (n, c, *output_size).

    VJP: `unfold`. Raises ShapeError GL120, GL121 or GL122.

    >>> from gradlab.nn import functional as F
    >>> F.fold(gl.tensor([[1.0, 2.0], [2.0, 3.0]]), (1, 3), (1, 2)).tolist()
    [[[1.0, 4.0, 3.0]]]
    """
    size = each_axis(output_size, 2, "fold's output_size", 1)
    kernel, gaps, widths, steps = _options("fold", kernel_size, dilation, padding, stride)
    pairs = tuple((p, p) for p in widths)
    enough("fold", size, kernel, pairs, gaps)
    out, shape = out_sizes(size, kernel, steps, pairs, gaps), shape_of(input)
    if len(shape) not in (2, 3) or shape[-1] != count(out) or shape[-2] % count(kernel):
        what = f"fold got columns of shape {shape}"
        needed = f"They are (n, channels · {count(kernel)}, {count(out)}) for windows {kernel} of {size}"
        raise ShapeError("GL122", what, needed)
    lead = shape[:-2] or (1,)
    windows = reshape(input, (*lead, shape[-2] // count(kernel), *kernel, *out))
    wide = tuple(n + 2 * p for n, p in zip(size, widths, strict=True))
    image = apply(OVERLAP, transpose(windows, (0, 1, 4, 5, 2, 3)), size=wide, stride=steps, dilation=gaps)
    image = pad(image, (-widths[1], -widths[1], -widths[0], -widths[0]))
    return image if len(shape) == 3 else squeeze(image, 0)


def _options(name: str, kernel: Any, dilation: Any, padding: Any, stride: Any) -> tuple[Any, Any, Any, Any]:
    return (
        each_axis(kernel, 2, f"{name}'s kernel_size", 1),
        each_axis(dilation, 2, f"{name}'s dilation", 1),
        each_axis(padding, 2, f"{name}'s padding"),
        each_axis(stride, 2, f"{name}'s stride", 1),
    )
