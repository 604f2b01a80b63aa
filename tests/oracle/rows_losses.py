"""Rows of the oracle's table for losses, dropout, random numbers and creation."""

from __future__ import annotations

from judge import Row
from spelling import called, plain

import gradlab as gl

PAIRS = "targets that broadcast to more pairs than there are predictions are an error: the famous (N, 1) against (N,)"

_NAMES = (
    *("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy"),
    *("binary_cross_entropy_with_logits", "kl_div", "poisson_nll_loss"),
    *("cross_entropy", "nll_loss", "multi_margin_loss", "multilabel_soft_margin_loss"),
    *("hinge_embedding_loss", "soft_margin_loss", "margin_ranking_loss", "triplet_margin_loss"),
    "cosine_embedding_loss",
)

ROWS: list[Row] = [
    *plain(*(f"nn.functional.{name}" for name in _NAMES)),
    called(
        "nn.functional.gaussian_nll_loss",
        gl.gaussian_nll_loss,
        deviations={PAIRS: lambda x, y, var, **words: x.ndim != y.ndim},
    ),
    called(
        "nn.functional.triplet_margin_with_distance_loss",  # PyTorch's distance takes PyTorch's tensors only
        lambda *xs, distance_function=None, **words: gl.triplet_margin_with_distance_loss(*xs, **words),
    ),
]
