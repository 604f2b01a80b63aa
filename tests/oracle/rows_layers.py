"""Rows of the oracle's table for convolutions, pooling, normalisation, attention."""

from __future__ import annotations

from judge import Row
from spelling import plain

_CONVOLUTIONS = (
    *("conv1d", "conv2d", "conv3d"),
    *("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"),
)
_POOLS = ("avg_pool1d", "avg_pool2d", "avg_pool3d")

ROWS: list[Row] = [
    *plain(*(f"nn.functional.{name}" for name in (*_CONVOLUTIONS, *_POOLS))),
    *plain(*(f"nn.functional.max_pool{rank}d" for rank in (1, 2, 3))),
]
