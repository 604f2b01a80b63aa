"""Losses of numbers against numbers, and what all losses share: reduction, and shapes that fit.

`reduction` is "mean", "sum" or "none", as in PyTorch. Predictions (N, 1) against targets (N,) would broadcast to all (N, N) pairs,
a mistake that trains without an error message and learns nothing: here it is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.errors import ArgumentError, ShapeError
from gradlab.ops.axes import shape_of
from gradlab.ops.choice import abs as abs_
from gradlab.ops.choice import maximum, minimum
from gradlab.ops.elementwise import multiply, subtract
from gradlab.ops.families import broadcast_shapes, elementwise, sampler
from gradlab.ops.reduce import mean
from gradlab.ops.reduce import sum as sum_
from gradlab.ops.signature import one_of

__all__ = [
    *("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"),
]
FUNCTIONS_ONLY = tuple(__all__)

Function = Callable[..., Any]
REDUCTIONS = ("mean", "sum", "none")


def reduced(loss: Any, reduction: str) -> Any:
    """The losses of all examples as one number, or as they are. Raises ArgumentError GL016 for another word."""
    one_of(reduction, REDUCTIONS, "the reduction")
    if reduction == "none" or shape_of(loss) == ():
        return loss
    return sum_(loss) if reduction == "sum" else mean(loss)


def raw(x: Any) -> Any:
    """The numbers of x without its graph."""
    return getattr(x, "primal", x)


def fitting(name: str, x: Any, y: Any) -> None:
    """Raise ShapeError GL133 when x and y would broadcast to more pairs than either has elements."""
    first, second = shape_of(x), shape_of(y)
    if first == second or (
        broadcast_shapes(first, second) in (first, second) and _same_length(first, second)
    ):
        return
    what = f"{name} got predictions of shape {first} and targets of shape {second}"
    pairs = f", which broadcast to {broadcast_shapes(first, second)}: every prediction with every target"
    fix = "Write predictions.squeeze(-1) or targets.unsqueeze(-1), so that both have one shape"
    raise ShapeError("GL133", what + pairs, "One target for each prediction", fix)


def _same_length(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Not (N, N) from (N,) and (N, 1), nor a row that would silently serve as the target of every row."""
    return len(first) == len(second) or () in (first, second)


# --- distances ---


def mse_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """The mean of (input - target)². Shapes: equal → ().

    VJP: z̄ · 2 (input - target) / N. Raises ShapeError GL133 for (N, 1) against (N,), where PyTorch only warns.

    >>> gl.mse_loss(gl.tensor([1.0, 2.0]), gl.tensor([0.0, 4.0])).item()
    2.5
    """
    fitting("mse_loss", input, target)
    gap = subtract(input, target)
    return _weighted(gap * gap, weight, reduction)


def _weighted(loss: Any, weight: Any, reduction: str) -> Any:
    """Losses times weights; the mean is then one over the weights."""
    if weight is None:
        return reduced(loss, reduction)
    loss = multiply(loss, weight)
    if reduction != "mean":
        return reduced(loss, reduction)
    return sum_(loss) / sum_(multiply(weight, raw(loss) * 0.0 + 1.0))


def l1_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    """The mean of |input - target|. Shapes: equal → (). VJP: z̄ · sign(input - target) / N, 0 where they are equal.

    Raises ShapeError GL133 for (N, 1) against (N,).

    >>> gl.l1_loss(gl.tensor([1.0, 2.0]), gl.tensor([0.0, 4.0])).item()
    1.5
    """
    fitting("l1_loss", input, target)
    return _weighted(abs_(subtract(input, target)), weight, reduction)


def _limited(x: Any, limit: Any) -> Any:
    return minimum(maximum(x, 0.0 - limit), limit)


def _huber(xp: Any, x: Any, limit: Any) -> Any:
    near = xp.minimum(xp.maximum(x, 0.0 - limit), limit)
    return near * (x - 0.5 * near)


huber: Function = elementwise(
    "huber",
    _huber,
    (lambda z, x, limit: _limited(x, limit), lambda z, x, limit: abs_(x) - abs_(_limited(x, limit))),
    symbol="huber",
    formula="x**2 / 2 if abs(x) <= limit else limit * (abs(x) - limit / 2)",
    derivatives=("min(max(x, -limit), limit)", "max(abs(x) - limit, 0)"),
    doc="Half the square near zero, a straight line from ±limit on: one outlier cannot dominate.",
    samples=sampler((-2.0, 2.0), (2.5, 4.0)),
    reads="x limit",
    tags="internal",
    flops=4,
)


def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    """The mean of half the squared gap, linear beyond `delta`. Shapes: equal → (). VJP: z̄ · the gap, kept in ±delta, / N.

    Raises ShapeError GL133 for shapes that do not fit, ArgumentError GL134 unless delta > 0. Source: Huber, Ann. Math. Stat. 35, 1964.

    >>> gl.huber_loss(gl.tensor([0.5, 3.0]), gl.tensor([0.0, 0.0]), reduction="none").tolist()
    [0.125, 2.5]
    """
    if not delta > 0:
        raise ArgumentError("GL134", f"huber_loss got delta={delta!r}", "It is larger than 0")
    fitting("huber_loss", input, target)
    return _weighted(huber(subtract(input, target), float(delta)), weight, reduction)


def smooth_l1_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Any:
    """The mean of |gap|, rounded to a parabola within `beta`: huber_loss / beta. Shapes: equal → ().

    VJP: z̄ · gap / beta, kept in ±1, / N. Raises ShapeError GL133, ArgumentError GL134 when beta < 0.

    >>> gl.smooth_l1_loss(gl.tensor([0.5, 3.0]), gl.tensor([0.0, 0.0]), reduction="none").tolist()
    [0.125, 2.5]
    """
    if not beta >= 0:
        raise ArgumentError("GL134", f"smooth_l1_loss got beta={beta!r}", "It is 0 or larger")
    fitting("smooth_l1_loss", input, target)
    gap = subtract(input, target)
    return reduced(huber(gap, float(beta)) * (1.0 / beta) if beta else abs_(gap), reduction)
