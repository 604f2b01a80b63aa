"""More activations: smooth relus, shrinking functions and gates, put together from other ops, and exact where those overflow."""

from __future__ import annotations

from typing import Any

from gradlab.errors import ShapeError
from gradlab.ops.activations import elu, leaky_relu
from gradlab.ops.axes import normalize_axis, shape_of
from gradlab.ops.choice import abs as abs_
from gradlab.ops.choice import greater, less_equal, where
from gradlab.ops.elementwise import add, divide, multiply, sigmoid, softplus, subtract, tanh
from gradlab.ops.families import count
from gradlab.ops.pieces import chunk
from gradlab.ops.random import draw
from gradlab.ops.shape import reshape

__all__ = [
    *("selu", "celu", "mish", "softsign", "tanhshrink", "softshrink", "hardshrink", "threshold"),
    *("prelu", "rrelu", "glu"),
]

ALPHA, SCALE = 1.6732632423543772, 1.0507009873554805  # the fixed point at mean 0 and variance 1


def selu(x: Any) -> Any:
    """elu, scaled so that mean 0 and variance 1 are kept from layer to layer. Shapes: any → the same. VJP: that of elu.

    >>> round(gl.selu(gl.tensor(1.0)).item(), 4)
    1.0507

    Source: Klambauer et al., NeurIPS 2017.
    """
    return multiply(elu(x, ALPHA), SCALE)


def celu(x: Any, alpha: float = 1.0) -> Any:
    """x above 0, α (exp(x / α) - 1) below: elu with a slope that does not jump. Shapes: any → the same. VJP: that of elu.

    >>> gl.celu(gl.tensor(2.0)).item()
    2.0
    """
    return multiply(elu(divide(x, alpha), 1.0), alpha)


def mish(x: Any) -> Any:
    """x tanh(softplus(x)). Shapes: any → the same. VJP: that of the product.

    >>> gl.mish(gl.tensor(0.0)).item()
    0.0
    """
    return multiply(x, tanh(softplus(x)))


def softsign(x: Any) -> Any:
    """x / (1 + |x|), a slow tanh. Shapes: any → the same. VJP: z̄ / (1 + |x|)².

    >>> gl.softsign(gl.tensor(1.0)).item()
    0.5
    """
    return divide(x, add(abs_(x), 1.0))


def tanhshrink(x: Any) -> Any:
    """x - tanh(x). Shapes: any → the same. VJP: z̄ tanh(x)².

    >>> gl.tanhshrink(gl.tensor(0.0)).item()
    0.0
    """
    return subtract(x, tanh(x))


def softshrink(x: Any, lambd: float = 0.5) -> Any:
    """x drawn towards 0 by lambd, and 0 within lambd of it. Shapes: any → the same. VJP: z̄ where |x| > lambd, else 0.

    Raises ShapeError GL120 for a negative lambd.

    >>> gl.softshrink(gl.tensor([2.0, 0.1, -2.0])).tolist()
    [1.5, 0.0, -1.5]
    """
    if lambd < 0:
        raise ShapeError("GL120", f"softshrink got lambd={lambd!r}", "It is a distance, 0 or more")
    return where(
        greater(x, lambd),
        subtract(x, lambd),
        where(less_equal(-lambd, x), multiply(x, 0.0), add(x, lambd)),
    )


def hardshrink(x: Any, lambd: float = 0.5) -> Any:
    """x, but 0 within lambd of 0. Shapes: any → the same. VJP: z̄ where |x| > lambd, else 0.

    >>> gl.hardshrink(gl.tensor([2.0, 0.1, -2.0])).tolist()
    [2.0, 0.0, -2.0]
    """
    return where(less_equal(abs_(x), lambd), multiply(x, 0.0), x)


def threshold(x: Any, threshold: float, value: float) -> Any:
    """x above the threshold, a value elsewhere. Shapes: any → the same. VJP: z̄ above the threshold, else 0.

    >>> gl.threshold(gl.tensor([0.5, 2.0]), 1.0, 9.0).tolist()
    [9.0, 2.0]
    """
    return where(less_equal(x, threshold), float(value), x)


def prelu(x: Any, weight: Any) -> Any:
    """leaky_relu with a slope that is learned: one number, or one for each channel (axis 1). Shapes: any, (1,) or (c,) → the same.

    VJP: for the weight z̄ x where x is below 0. Raises ShapeError GL122.

    >>> gl.prelu(gl.tensor([-2.0, 1.0]), gl.tensor([0.25])).tolist()
    [-0.5, 1.0]
    """
    shape, n = shape_of(x), count(shape_of(weight))
    channels = shape[1] if len(shape) > 1 else 1
    if n not in (1, channels):
        what = f"prelu got {n} slopes for shape {shape}"
        raise ShapeError("GL122", what, f"It has one slope for all, or {channels} for the channels")
    wide = () if not shape else (n, *(1,) * max(len(shape) - 2, 0)) if n > 1 else (1,) * len(shape)
    return leaky_relu(x, reshape(weight, wide))


def rrelu(x: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Any:
    """leaky_relu whose slope is drawn for each element while training, and their middle otherwise. Shapes: any → the same.

    >>> gl.rrelu(gl.tensor([1.0, 0.0])).tolist()
    [1.0, 0.0]
    """
    if not training:
        return leaky_relu(x, (lower + upper) / 2)
    slope = draw("uniform", lower, upper, shape_of(x)).astype(str(getattr(x, "dtype", "float64")))
    return leaky_relu(x, slope)


def glu(x: Any, dim: int = -1) -> Any:
    """The first half along an axis times the sigmoid of the second. Shapes: (…, 2 n, …) → (…, n, …). Raises ShapeError GL122.

    >>> gl.glu(gl.tensor([4.0, 0.0])).tolist()
    [2.0]
    """
    shape = shape_of(x)
    if not shape or shape[normalize_axis(dim, len(shape))] % 2:
        raise ShapeError("GL122", f"glu got shape {shape}", "It halves an axis of an even size")
    first, second = chunk(x, 2, dim)
    return multiply(first, sigmoid(second))
