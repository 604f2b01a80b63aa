"""Losses of probabilities: yes or no, distributions, counts, normal errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradlab.errors import ArgumentError, ShapeError
from gradlab.ops.axes import shape_of
from gradlab.ops.choice import greater, maximum, where
from gradlab.ops.elementwise import exp, log, multiply, sigmoid, softplus, subtract
from gradlab.ops.exponents import xlogy
from gradlab.ops.families import elementwise, sampler
from gradlab.ops.losses import REDUCTIONS, fitting, raw, reduced
from gradlab.ops.reduce import sum as sum_
from gradlab.ops.signature import one_of

__all__ = [
    *("binary_cross_entropy", "binary_cross_entropy_with_logits"),
    *("kl_div", "poisson_nll_loss", "gaussian_nll_loss"),
]
FUNCTIONS_ONLY = tuple(__all__)

Function = Callable[..., Any]

# --- yes or no ---


TINY = 1.5e-45  # the smallest 32-bit float: its logarithm is below -100, and finite


def _floor_log(xp: Any, p: Any) -> Any:
    """log(p), at least -100."""
    return xp.maximum(xp.log(xp.maximum(p, TINY)), -100.0)


def _certain(z: Any, p: Any, y: Any) -> Any:
    no, yes = log(maximum(1.0 - p, TINY)), log(maximum(p, TINY))
    return maximum(no, -100.0) - maximum(yes, -100.0)


cross_entropy_of_two: Function = elementwise(
    "cross_entropy_of_two",
    lambda xp, p, y: (y - 1.0) * _floor_log(xp, 1.0 - p) - y * _floor_log(xp, p),
    (lambda z, p, y: (p - y) / maximum(p * (1.0 - p), 1e-12), _certain),
    symbol="bce",
    formula="-y * log(p) - (1 - y) * log(1 - p)",
    derivatives=("(p - y) / (p * (1 - p))", "log(1 - p) - log(p)"),
    doc="How surprising an event y (0 or 1) is to one who gave it probability p. Logarithms are kept above -100.",
    samples=sampler((0.2, 0.8), (0.1, 0.9)),
    reads="p y",
    tags="smooth internal",
    flops=8,
)
cross_entropy_of_logit: Function = elementwise(
    "cross_entropy_of_logit",
    lambda xp, x, y: xp.maximum(x, 0.0) - x * y + xp.log1p(xp.exp(-xp.abs(x))),
    (lambda z, x, y: sigmoid(x) - y, lambda z, x, y: -x),
    symbol="bce logit",
    formula="log(1 + exp(x)) - x * y",
    derivatives=("sigmoid(x) - y", "-x"),
    doc="How surprising an event y (0 or 1) is to one who gave it the probability sigmoid(x). Exact for every x.",
    samples=sampler((-2.0, 2.0), (0.1, 0.9)),
    reads="x y",
    tags="smooth internal",
    flops=8,
)


def binary_cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """The mean of -y log(p) - (1 - y) log(1 - p) for probabilities p = input and targets y. Shapes: equal → ().

    VJP: z̄ (p - y) / (p (1 - p)) / N. Logarithms are kept above -100, as in PyTorch. Raises ShapeError GL133 and, when a p lies
    outside 0 … 1, ArgumentError GL132.

    >>> round(gl.binary_cross_entropy(gl.tensor([0.5]), gl.tensor([1.0])).item(), 4)
    0.6931
    """
    fitting("binary_cross_entropy", input, target)
    p = raw(input)
    if hasattr(p, "size") and p.size and not bool(((p >= 0) & (p <= 1) | (p != p)).all()):
        what, fix = (
            "binary_cross_entropy got an input outside 0 … 1",
            "Logits go to binary_cross_entropy_with_logits, or through sigmoid(x) first",
        )
        raise ArgumentError("GL132", what, "It takes probabilities", fix)
    loss = cross_entropy_of_two(input, target)
    return reduced(loss if weight is None else multiply(loss, weight), reduction)


def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    """binary_cross_entropy(sigmoid(x), y), exact for every x. `pos_weight` counts the events y = 1 more. Shapes: equal → ().

    VJP: z̄ (sigmoid(x) - y) / N. Raises ShapeError GL133.

    >>> gl.binary_cross_entropy_with_logits(gl.tensor([1000.0, -1000.0]), gl.tensor([0.0, 0.0]), reduction="none").tolist()
    [1000.0, 0.0]
    """
    fitting("binary_cross_entropy_with_logits", input, target)
    if pos_weight is None:
        loss = cross_entropy_of_logit(input, target)
    else:
        factor = multiply(subtract(pos_weight, 1.0), target) + 1.0
        loss = multiply(subtract(1.0, target), input) + factor * softplus(-input)
    return reduced(loss if weight is None else multiply(loss, weight), reduction)


# --- distributions ---


def kl_div(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Any:
    """Kullback–Leibler divergence: the mean of y (log(y) - x), where x = input holds logarithms of probabilities. Shapes: equal → ().

    With `log_target` y comes as its logarithm; "batchmean" divides the sum by the first size, which is the divergence of mathematics.
    VJP for the input: -z̄ y / N. Raises ShapeError GL133.

    >>> gl.kl_div(gl.log(gl.tensor([0.5, 0.5])), gl.tensor([0.5, 0.5]), reduction="sum").item()
    0.0
    """
    fitting("kl_div", input, target)
    one_of(reduction, (*REDUCTIONS, "batchmean"), "the reduction")
    if log_target:
        loss = exp(target) * subtract(target, input)
    else:
        loss = xlogy(target, target) - multiply(target, input)
    if reduction == "batchmean":
        shape = shape_of(loss)
        return sum_(loss) / float(shape[0] if shape else 1)
    return reduced(loss, reduction)


def poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    size_average: Any = None,
    eps: float = 1e-8,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Negative log likelihood of counts y under Poisson rates: the mean of exp(x) - y x, or x - y log(x + eps). Shapes: equal → ().

    `full` adds Stirling's approximation of log(y!) where y > 1. VJP: z̄ (exp(x) - y) / N. Raises ShapeError GL133.

    >>> gl.poisson_nll_loss(gl.tensor([0.0]), gl.tensor([3.0])).item()
    1.0
    """
    fitting("poisson_nll_loss", input, target)
    if log_input:
        loss = exp(input) - multiply(target, input)
    else:
        loss = subtract(input, multiply(target, log(input + eps)))
    if full:
        many = greater(target, 1.0)
        y = where(many, target, 2.0)
        loss = loss + where(many, y * log(y) - y + 0.5 * log(2.0 * math.pi * y), 0.0)
    return reduced(loss, reduction)


def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """Negative log likelihood under normal distributions: the mean of (log(var) + (x - y)² / var) / 2. Shapes: equal → ().

    `var` may be one number, or lack the last axis or have size 1 there. It is kept above `eps` for the value; the gradient passes
    as if it were not, as in PyTorch. `full` adds log(2π)/2. Raises ShapeError GL133, ArgumentError GL134 for a negative variance.

    >>> gl.gaussian_nll_loss(gl.tensor([1.0]), gl.tensor([3.0]), gl.tensor([1.0])).item()
    2.0
    """
    fitting("gaussian_nll_loss", input, target)
    shape, own = shape_of(input), shape_of(var)
    if own != shape and own == shape[:-1] and own:
        var = var.reshape((*own, 1))
    elif own not in (shape, ()) and own != (*shape[:-1], 1):
        what = f"gaussian_nll_loss got a variance of shape {own} for an input of shape {shape}"
        raise ShapeError("GL133", what, "One for each element, or one for each row")
    numbers = raw(var)
    if bool((numbers < 0).any() if hasattr(numbers, "any") else numbers < 0):
        raise ArgumentError(
            "GL134", "gaussian_nll_loss got a negative variance", fix="Pass exp(log_variance), or softplus(x)"
        )
    var = var + raw(maximum(numbers, eps)) - numbers
    gap = subtract(input, target)
    loss = 0.5 * (log(var) + gap * gap / var)
    return reduced(loss + 0.5 * math.log(2.0 * math.pi) if full else loss, reduction)
