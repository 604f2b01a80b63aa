"""Functions that are flat almost everywhere, limits, and what replaces nan."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradlab.errors import ArgumentError
from gradlab.op import REGISTRY, Op, apply
from gradlab.ops.choice import equal, greater, less, not_equal, where
from gradlab.ops.elementwise import ANY, divide
from gradlab.ops.families import elementwise, sampler

__all__ = [
    "sign",
    "floor",
    "ceil",
    "round",
    "trunc",
    "remainder",
    "clip",
    "clamp",
    "clamp_min",
    "clamp_max",
    "fmin",
    "fmax",
    "nan_to_num",
]

Function = Callable[..., Any]
FAR = (2.5, 4.0)


def _step(name: str, numpy_name: str, symbol: str, doc: str) -> Function:
    """A step function: its slope is 0, at the steps too."""

    def forward(xp: Any, x: Any) -> Any:
        return getattr(xp, numpy_name)(x)

    return elementwise(
        name,
        forward,
        (lambda z, x: 0.0 * z,),
        symbol=symbol,
        formula=f"{name}(x)",
        derivatives=("0",),
        doc=f"{doc} The slope is 0 everywhere, at the steps too.",
        samples=sampler((0.1, 0.4)),
        reads="z",
        tags="flat",
    )


sign: Function = _step("sign", "sign", "sign", "-1, 0 or 1.")
floor: Function = _step("floor", "floor", "⌊·⌋", "The largest whole number that is not above x.")
ceil: Function = _step("ceil", "ceil", "⌈·⌉", "The smallest whole number that is not below x.")
round: Function = _step("round", "rint", "round", "The nearest whole number; halves go to the even one.")
trunc: Function = _step("trunc", "trunc", "trunc", "x without its fraction.")

remainder: Function = elementwise(
    "remainder",
    lambda xp, x, y: xp.remainder(x, y),
    (1, lambda z, x, y: -floor(divide(x, y))),
    symbol="mod",
    formula="x % y",
    derivatives=("1", "-floor(x / y)"),
    doc="What is left of x after taking away whole multiples of y; it has the sign of y, as Python's %.",
    samples=sampler((0.1, 0.4), (0.5, 0.9)),
    reads="x y",
    tags="domain",
    flops=2,
)
_clip: Any = elementwise(
    "clip",
    lambda xp, x, low, high: xp.minimum(xp.maximum(x, low), high),
    (
        lambda z, x, low, high: where(
            less(x, low), 0.0, where(greater(x, high), 0.0, where(equal(x, x), 1.0, x))
        ),
        lambda z, x, low, high: where(less(x, low), where(greater(low, high), 0.0, 1.0), 0.0),
        lambda z, x, low, high: where(
            greater(x, high), 1.0, where(greater(low, high), where(less(x, low), 1.0, 0.0), 0.0)
        ),
    ),
    symbol="clip",
    formula="min(max(x, low), high)",
    derivatives=("0 if x < low else 0 if x > high else 1", "1 if x < low else 0", "1 if x > high else 0"),
    doc="x kept between low and high. The slope is 1 from bound to bound, the bounds included, and 0 outside.",
    samples=sampler(ANY, (-5.0, -4.0), (4.0, 5.0)),
    reads="x low high",
    flops=2,
)
CLIP: Op = _clip.op


def clip(x: Any, min: Any = None, max: Any = None) -> Any:
    """x kept between `min` and `max`, numbers or arrays; a bound that is left out does not bound.

    Shapes: broadcast. VJP: z̄ from bound to bound, the bounds included (as in PyTorch), and 0 outside. Raises ArgumentError GL016
    without any bound.

    >>> gl.clip(gl.tensor([-1.0, 0.5, 3.0]), 0.0, 1.0).tolist()
    [0.0, 0.5, 1.0]
    """
    if min is None and max is None:
        raise ArgumentError("GL016", "clip got no bound", fix="Pass min=, max=, or both")
    whole = getattr(getattr(x, "dtype", None), "kind", "f") in "biu"
    if whole and min is None:
        return apply(REGISTRY["minimum"], x, max)
    if whole and max is None:
        return apply(REGISTRY["maximum"], x, min)
    return apply(CLIP, x, -math.inf if min is None else min, math.inf if max is None else max)


def clamp_min(x: Any, min: Any) -> Any:
    """x, but at least `min`.

    >>> gl.clamp_min(gl.tensor([-1.0, 2.0]), 0.0).tolist()
    [0.0, 2.0]
    """
    return clip(x, min)


def clamp_max(x: Any, max: Any) -> Any:
    """x, but at most `max`.

    >>> gl.clamp_max(gl.tensor([-1.0, 2.0]), 0.0).tolist()
    [-1.0, 0.0]
    """
    return clip(x, None, max)


def _first(better: Callable[..., Any], x: Any, y: Any) -> Any:
    """1 where x was taken: it is better, or y is nan and x is not; a half at a tie."""
    taken = where(not_equal(y, y), 1.0, where(better(x, y), 1.0, where(equal(x, y), 0.5, 0.0)))
    return where(not_equal(x, x), where(not_equal(y, y), 0.5, 0.0), taken)


def _ignoring_nan(name: str, better: Callable[..., Any], symbol: str, word: str) -> Function:
    def forward(xp: Any, x: Any, y: Any) -> Any:
        return getattr(xp, name)(x, y)

    return elementwise(
        name,
        forward,
        (lambda z, x, y: _first(better, x, y), lambda z, x, y: _first(better, y, x)),
        symbol=name,
        formula=f"{name}(x, y)",
        derivatives=(f"1 if x {symbol} y else 0", f"1 if y {symbol} x else 0"),
        doc=f"The {word} of two; nan only where both are nan. At a tie each gets half of the gradient.",
        samples=sampler(ANY, FAR),
        reads="x y",
    )


fmin: Function = _ignoring_nan("fmin", less, "<", "smaller")
fmax: Function = _ignoring_nan("fmax", greater, ">", "larger")

nan_to_num: Function = elementwise(
    "nan_to_num",
    lambda xp, x: xp.nan_to_num(x),
    (lambda z, x: where(equal(x - x, 0.0), 1.0, 0.0),),
    symbol="nan→0",
    formula="nan_to_num(x)",
    derivatives=("1 if isfinite(x) else 0",),
    doc="x with nan as 0 and ±inf as the largest finite numbers. The slope is 1 where x is finite and 0 elsewhere.",
    samples=sampler(ANY),
    reads="x",
)

clamp = clip
