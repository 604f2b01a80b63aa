"""Rows of the oracle's table for convolutions, pooling, activations, normalisation, attention."""

from __future__ import annotations

from judge import Row
from spelling import NUMBER, ON_NUMBER, called, plain

import gradlab as gl
from gradlab.nn import functional

CHANNELS = "a batch without an axis of channels is an error"
CHANCE = "what is dropped is drawn by each library for itself"

_CONVOLUTIONS = (
    *("conv1d", "conv2d", "conv3d"),
    *("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"),
)
_POOLS = ("avg_pool1d", "avg_pool2d", "avg_pool3d")

_ACTIVATIONS = (
    *(
        "selu",
        "celu",
        "mish",
        "softsign",
        "tanhshrink",
        "softshrink",
        "hardshrink",
        "threshold",
        "prelu",
        "glu",
    ),
)
_LAYERS = (
    *(
        "layer_norm",
        "group_norm",
        "rms_norm",
        "local_response_norm",
        "linear",
        "bilinear",
    ),
    *("pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle"),
)

ROWS: list[Row] = [
    *plain(*(f"nn.functional.{name}" for name in (*_CONVOLUTIONS, *_POOLS, *_ACTIVATIONS, *_LAYERS))),
    called("nn.functional.batch_norm", gl.batch_norm, deviations={CHANNELS: lambda x, *_, **__: x.ndim < 2}),
    called("nn.functional.normalize", gl.normalize, deviations=ON_NUMBER),
    called(
        "nn.functional.cosine_similarity",
        gl.cosine_similarity,
        deviations={NUMBER: lambda x, *_, **__: x.ndim == 0},
    ),
    *plain(*(f"nn.functional.max_pool{rank}d" for rank in (1, 2, 3))),
    called("nn.functional.instance_norm", gl.instance_norm),
    called(
        "nn.functional.scaled_dot_product_attention",
        gl.scaled_dot_product_attention,
        deviations={CHANCE: lambda *_, dropout_p=0.0, **__: dropout_p > 0},
        second=False,  # PyTorch has no second derivative of its fused kernel
    ),
    called("nn.functional.unfold", functional.unfold),
    *[
        called(f"nn.functional.pad/{mode}", functional.pad)
        for mode in ("constant", "reflect", "replicate", "replicate_negative", "circular")
    ],
    called("cdist", lambda x, y, p=2.0, compute_mode=None: gl.cdist(x, y, p)),
]
