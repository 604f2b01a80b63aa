"""Losses that compare and rank: two inputs and which of them should be larger, nearer, or more alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.errors import ArgumentError, ShapeError
from gradlab.op import apply
from gradlab.ops.axes import shape_of
from gradlab.ops.choice import equal, minimum, relu, where
from gradlab.ops.elementwise import multiply, softplus, sqrt, subtract
from gradlab.ops.losses import fitting, reduced
from gradlab.ops.reduce import SUM
from gradlab.ops.statistics import norm

__all__ = [
    *("hinge_loss", "hinge_embedding_loss", "soft_margin_loss", "margin_ranking_loss"),
    *("triplet_margin_loss", "triplet_margin_with_distance_loss", "cosine_embedding_loss"),
]
FUNCTIONS_ONLY = tuple(__all__)


def hinge_loss(input: Any, target: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    """The mean of max(0, margin - y x) for targets y of -1 and 1, as a support vector machine has it. Shapes: equal → ().

    VJP: -z̄ y / N where the margin is not kept, 0 elsewhere. PyTorch has no such function. Raises ShapeError GL133.

    >>> gl.hinge_loss(gl.tensor([0.5, 2.0]), gl.tensor([1.0, 1.0]), reduction="none").tolist()
    [0.5, 0.0]
    """
    fitting("hinge_loss", input, target)
    return reduced(relu(subtract(margin, multiply(target, input))), reduction)


def hinge_embedding_loss(
    input: Any,
    target: Any,
    margin: float = 1.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Distances x: the mean of x where y = 1, and of max(0, margin - x) where y = -1. Shapes: equal → ().

    VJP: z̄ / N, or -z̄ / N within the margin. Raises ShapeError GL133.

    >>> gl.hinge_embedding_loss(gl.tensor([0.3, 0.3]), gl.tensor([1.0, -1.0]), reduction="none").tolist()
    [0.3..., 0.69...]
    """
    fitting("hinge_embedding_loss", input, target)
    apart = where(equal(target, 1), 0.0, relu(subtract(margin, input)))
    return reduced(apart + where(equal(target, -1), 0.0, input), reduction)


def soft_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
    """The mean of log(1 + exp(-y x)) for targets y of -1 and 1, without overflow. Shapes: equal → ().

    VJP: -z̄ y σ(-y x) / N. Raises ShapeError GL133.

    >>> gl.soft_margin_loss(gl.tensor([-1000.0]), gl.tensor([1.0])).item()
    1000.0
    """
    fitting("soft_margin_loss", input, target)
    return reduced(softplus(multiply(-target, input)), reduction)


def margin_ranking_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """The mean of max(0, margin - y (x1 - x2)): with y = 1 the first should be larger, with y = -1 the second. Shapes: equal → ().

    VJP: ∓z̄ y / N where the order is wrong. Raises ShapeError GL133.

    >>> gl.margin_ranking_loss(gl.tensor([1.0]), gl.tensor([3.0]), gl.tensor([1.0])).item()
    2.0
    """
    fitting("margin_ranking_loss", input1, input2)
    fitting("margin_ranking_loss", input1, target)
    return reduced(relu(subtract(margin, multiply(target, subtract(input1, input2)))), reduction)


def _distance(x: Any, y: Any, p: float, eps: float) -> Any:
    return norm(subtract(x, y) + eps, p, axis=-1)


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """The mean of max(0, margin + d(anchor, positive) - d(anchor, negative)) with d the p-norm along the last axis.

    Shapes: (n, d) each → (). `swap` takes the nearer of anchor and positive to the negative. Raises ArgumentError GL134 unless
    margin > 0. Source: Schroff et al., CVPR 2015.

    >>> gl.triplet_margin_loss(gl.tensor([[0.0]]), gl.tensor([[1.0]]), gl.tensor([[4.0]])).item()
    0.0
    """
    return triplet_margin_with_distance_loss(
        anchor,
        positive,
        negative,
        distance_function=lambda x, y: _distance(x, y, p, eps),
        margin=margin,
        swap=swap,
        reduction=reduction,
    )


def triplet_margin_with_distance_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    distance_function: Callable[[Any, Any], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """`triplet_margin_loss` with a distance of one's own, Euclidean if left out. Shapes: (n, d) each → ().

    >>> gl.triplet_margin_with_distance_loss(gl.tensor([[0.0]]), gl.tensor([[4.0]]), gl.tensor([[1.0]])).item()
    4.0
    """
    if not margin > 0:
        raise ArgumentError("GL134", f"the margin of a triplet loss was {margin!r}", "It is larger than 0")
    if len({len(shape_of(x)) for x in (anchor, positive, negative)}) > 1:
        shapes = ", ".join(str(shape_of(x)) for x in (anchor, positive, negative))
        raise ShapeError("GL133", f"a triplet loss got shapes {shapes}", "Three arrays of one rank")
    apart = distance_function or (lambda x, y: _distance(x, y, 2, 1e-6))
    near, far = apart(anchor, positive), apart(anchor, negative)
    if swap:
        far = minimum(far, apart(positive, negative))
    return reduced(relu(margin + near - far), reduction)


def cosine_embedding_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """The mean of 1 - cos where y = 1, and of max(0, cos - margin) where y = -1. Shapes: (n, d), (n, d), (n,) → ().

    Also (d,), (d,), () → (). Raises ShapeError GL133.

    >>> round(gl.cosine_embedding_loss(gl.tensor([[1.0, 0.0]]), gl.tensor([[0.0, 1.0]]), gl.tensor([1])).item(), 4)
    1.0
    """
    one, two, wanted = shape_of(input1), shape_of(input2), shape_of(target)
    if len(one) not in (1, 2) or len(one) != len(two) or len(wanted) != len(one) - 1:
        what = f"cosine_embedding_loss got inputs of shape {one} and {two}, and targets of shape {wanted}"
        raise ShapeError("GL133", what, "Shapes are (n, d), (n, d) and (n,), or (d,), (d,) and ()")
    last = (len(one) - 1,)
    tiny = 1e-12
    dot, first, second = (
        apply(SUM, product, axis=last, keepdims=False)
        for product in (input1 * input2, input1 * input1, input2 * input2)
    )
    cosine = dot / sqrt((first + tiny) * (second + tiny))
    alike = where(equal(target, 1), 1.0 - cosine, 0.0)
    return reduced(alike + where(equal(target, -1), relu(cosine - margin), 0.0), reduction)
