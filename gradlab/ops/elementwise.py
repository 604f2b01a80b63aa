"""Element-wise ops: one record each, with its partial derivatives.

A partial gets the output z and the inputs. It uses ops where Python's operator could raise or leave the real numbers, so that the same
line serves floats, arrays and recorded nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.op import Op, function_of, register
from gradlab.ops.choice import equal, greater_equal, where
from gradlab.ops.families import broadcast_shapes, count, elementwise, sampler

__all__ = [
    *(
        "add",
        "subtract",
        "multiply",
        "divide",
        "power",
        "negative",
        "exp",
        "log",
        "sqrt",
        "sin",
        "cos",
        "tan",
        "tanh",
    ),
    *("sigmoid", "softplus", "total"),
    *("sub", "mul", "div", "pow", "neg"),
]
FUNCTIONS_ONLY = ("total",)

Function = Callable[..., Any]

ANY, POSITIVE = (-2.0, 2.0), (0.5, 3.0)


# --- arithmetic ---

add: Function = elementwise(
    "add",
    lambda xp, x, y: x + y,
    (1, 1),
    symbol="+",
    formula="x + y",
    derivatives=("1", "1"),
    doc="Sum, element by element. Shapes are broadcast.",
    samples=sampler(ANY, ANY),
    tags="smooth",
)
subtract: Function = elementwise(
    "subtract",
    lambda xp, x, y: x - y,
    (1, -1),
    symbol="−",
    formula="x - y",
    derivatives=("1", "-1"),
    doc="Difference, element by element. Shapes are broadcast.",
    samples=sampler(ANY, ANY),
    tags="smooth",
)
multiply: Function = elementwise(
    "multiply",
    lambda xp, x, y: x * y,
    (lambda z, x, y: y, lambda z, x, y: x),
    symbol="×",
    formula="x * y",
    derivatives=("y", "x"),
    doc="Product, element by element. Shapes are broadcast.",
    samples=sampler(ANY, ANY),
    reads="x y",
    rules=(lambda d, z, x, y: d * y, lambda d, z, x, y: d * x),
    tags="smooth",
)
divide: Function = elementwise(
    "divide",
    lambda xp, x, y: xp.divide(x, y),
    (lambda z, x, y: divide(1.0, y), lambda z, x, y: -divide(z, y)),
    symbol="÷",
    formula="x / y",
    derivatives=("1 / y", "-x / y**2"),
    doc="Quotient, element by element. 1/0 is inf with a warning, 0/0 is nan with a warning.",
    samples=sampler(ANY, POSITIVE),
    reads="z y",
    tags="smooth domain",
)
negative: Function = elementwise(
    "negative",
    lambda xp, x: -x,
    (-1,),
    symbol="−",
    formula="-x",
    derivatives=("-1",),
    doc="The number with the other sign.",
    samples=sampler(ANY),
    tags="smooth",
)


def _power_base(z: Any, x: Any, y: Any) -> Any:
    # d(x**0)/dx is 0 everywhere, at x = 0 too, where 0 * 0**-1 would be nan
    flat = equal(y, 0.0)
    return where(flat, 0.0, y * power(x, where(flat, 1.0, y - 1.0)))


def _power_exponent(z: Any, x: Any, y: Any) -> Any:
    # 0**y is flat in y for y >= 0, where 0 * log(0) would be nan
    flat = where(equal(x, 0.0), greater_equal(y, 0.0), False)
    return where(flat, 0.0, z * log(where(flat, 1.0, x)))


power: Function = elementwise(
    "power",
    lambda xp, x, y: xp.power(x, y),
    (_power_base, _power_exponent),
    symbol="^",
    formula="x ** y",
    derivatives=("y * x**(y - 1)", "z * log(x)"),
    doc="x to the power y. A negative x with a fractional y is nan with a warning, never a complex number. "
    "∂/∂x of x**0 is 0, also at x = 0; ∂/∂y of 0**y is 0 for y >= 0.",
    samples=sampler(POSITIVE, ANY),
    tags="smooth domain",
)


# --- exponentials and trigonometry ---

exp: Function = elementwise(
    "exp",
    lambda xp, x: xp.exp(x),
    (lambda z, x: z,),
    symbol="exp",
    formula="exp(x)",
    derivatives=("z",),
    doc="e to the power x.",
    samples=sampler(ANY),
    reads="z",
    tags="smooth domain",
)
log: Function = elementwise(
    "log",
    lambda xp, x: xp.log(x),
    (lambda z, x: divide(1.0, x),),
    symbol="log",
    formula="log(x)",
    derivatives=("1 / x",),
    doc="Natural logarithm. log(0) is -inf and log of a negative number is nan, each with a warning.",
    samples=sampler(POSITIVE),
    reads="x",
    tags="smooth domain",
)
sqrt: Function = elementwise(
    "sqrt",
    lambda xp, x: xp.sqrt(x),
    (lambda z, x: divide(0.5, z),),
    symbol="√",
    formula="sqrt(x)",
    derivatives=("1 / (2 * z)",),
    doc="Square root. Its slope at 0 is infinite (with a warning); below 0 the result is nan (with a warning).",
    samples=sampler(POSITIVE),
    reads="z",
    tags="smooth domain",
)
sin: Function = elementwise(
    "sin",
    lambda xp, x: xp.sin(x),
    (lambda z, x: cos(x),),
    symbol="sin",
    formula="sin(x)",
    derivatives=("cos(x)",),
    doc="Sine of x in radians.",
    samples=sampler(ANY),
    reads="x",
    tags="smooth",
)
cos: Function = elementwise(
    "cos",
    lambda xp, x: xp.cos(x),
    (lambda z, x: -sin(x),),
    symbol="cos",
    formula="cos(x)",
    derivatives=("-sin(x)",),
    doc="Cosine of x in radians.",
    samples=sampler(ANY),
    reads="x",
    tags="smooth",
)
tan: Function = elementwise(
    "tan",
    lambda xp, x: xp.tan(x),
    (lambda z, x: 1.0 + z * z,),
    symbol="tan",
    formula="tan(x)",
    derivatives=("1 + z**2",),
    doc="Tangent of x in radians.",
    samples=sampler((-1.2, 1.2)),
    reads="z",
    tags="smooth",
)
tanh: Function = elementwise(
    "tanh",
    lambda xp, x: xp.tanh(x),
    (lambda z, x: 1.0 - z * z,),
    symbol="tanh",
    formula="tanh(x)",
    derivatives=("1 - z**2",),
    doc="Hyperbolic tangent: squeezes every number into (-1, 1).",
    samples=sampler(ANY),
    reads="z",
    tags="smooth",
)


def _sigmoid(xp: Any, x: Any) -> Any:
    small = xp.exp(-xp.abs(x))  # at most 1, so nothing overflows
    return xp.where(x >= 0, 1.0, small) / (1.0 + small)


sigmoid: Function = elementwise(
    "sigmoid",
    _sigmoid,
    (lambda z, x: z * (1.0 - z),),
    symbol="σ",
    formula="sigmoid(x)",
    derivatives=("z * (1 - z)",),
    doc="Logistic function 1 / (1 + exp(-x)): squeezes every number into (0, 1). Exact also for large |x|.",
    samples=sampler(ANY),
    reads="z",
    tags="smooth",
    flops=4,
)
softplus: Function = elementwise(
    "softplus",
    lambda xp, x: xp.logaddexp(x, 0.0),
    (lambda z, x: sigmoid(x),),
    symbol="softplus",
    formula="softplus(x)",
    derivatives=("sigmoid(x)",),
    doc="log(1 + exp(x)), a smooth relu. Exact also for large |x|.",
    samples=sampler(ANY),
    reads="x",
    tags="smooth",
    flops=3,
)


# --- sums of many ---


def _total(xp: Any, *xs: Any) -> Any:
    result = xs[0] + xs[1] if len(xs) > 1 else xs[0] + 0.0
    for x in xs[2:]:
        result = result + x
    return result


def _total_jvp(ts: tuple[Any, ...], z: Any, *xs: Any) -> Any:
    return total(*[t for t in ts if t is not None])


total: Function = function_of(
    register(
        Op(
            name="total",
            symbol="Σ",
            formula="sum(xs)",
            derivatives=("1",),
            forward=lambda xp, *xs: xp.total(*xs) if hasattr(xp, "total") else _total(xp, *xs),
            shape=broadcast_shapes,
            jvp=(_total_jvp,),
            vjp=(lambda ct, z, *xs: (ct,) * len(xs),),
            samples=sampler(ANY, ANY, ANY),
            tags=frozenset({"elementwise", "scalar", "smooth"}),
            variadic=True,
            flops=lambda *shapes: (len(shapes) - 1) * count(broadcast_shapes(*shapes)),
            doc="The sum of all arguments as one node: total(a, b, c) is a + b + c. The gradient is handed to each unchanged.",
            arg_names=("*xs",),
        )
    )
)


sub, mul, div, pow, neg = subtract, multiply, divide, power, negative
