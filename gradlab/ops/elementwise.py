"""Element-wise ops: one record each, with its partial derivatives.

A partial gets the output z and the inputs. It uses ops where Python's operator could raise or leave the real numbers, so that the same
line serves floats, arrays and recorded nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradlab.op import Op, function_of, register
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
    *("sigmoid", "relu", "softplus", "abs", "maximum", "minimum", "where", "total"),
    *("greater", "greater_equal", "less", "less_equal", "equal", "not_equal"),
    *("sub", "mul", "div", "pow", "neg", "absolute"),
]

Function = Callable[..., Any]

ANY, POSITIVE = (-2.0, 2.0), (0.5, 3.0)
FAR = (2.5, 4.0)  # far from ANY, so that no sample of a pair sits on a tie


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


# --- with a kink ---

relu: Function = elementwise(
    "relu",
    lambda xp, x: xp.maximum(x, 0.0),
    (lambda z, x: where(greater(x, 0.0), 1.0, where(equal(x, x), 0.0, x)),),
    symbol="relu",
    formula="relu(x)",
    derivatives=("1 if x > 0 else 0",),
    doc="max(x, 0). The slope at 0 is taken as 0. nan stays nan, in the gradient too.",
    samples=sampler((0.1, 2.0)),
    reads="x",
)
abs: Function = elementwise(
    "abs",
    lambda xp, x: xp.abs(x),
    (lambda z, x: where(greater(x, 0.0), 1.0, where(less(x, 0.0), -1.0, where(equal(x, x), 0.0, x))),),
    symbol="|·|",
    formula="abs(x)",
    derivatives=("sign(x)",),
    doc="Size without sign. The slope at 0 is taken as 0.",
    samples=sampler((-2.0, -0.1)),
    reads="x",
)


def _chosen(better: Any, x: Any, y: Any) -> Any:
    """1 where x won, 0 where y won, half each at a tie, nan where either is nan."""
    return where(better, 1.0, where(equal(x, y), 0.5, where(equal(x + y, x + y), 0.0, x + y)))


maximum: Function = elementwise(
    "maximum",
    lambda xp, x, y: xp.maximum(x, y),
    (lambda z, x, y: _chosen(greater(x, y), x, y), lambda z, x, y: _chosen(greater(y, x), x, y)),
    symbol="max",
    formula="max(x, y)",
    derivatives=("1 if x > y else 0.5 if x == y else 0", "1 if y > x else 0.5 if x == y else 0"),
    doc="The larger of two, element by element. At a tie each gets half of the gradient; relu differs on purpose.",
    samples=sampler(ANY, FAR),
    reads="x y",
)
minimum: Function = elementwise(
    "minimum",
    lambda xp, x, y: xp.minimum(x, y),
    (lambda z, x, y: _chosen(less(x, y), x, y), lambda z, x, y: _chosen(less(y, x), x, y)),
    symbol="min",
    formula="min(x, y)",
    derivatives=("1 if x < y else 0.5 if x == y else 0", "1 if y < x else 0.5 if x == y else 0"),
    doc="The smaller of two, element by element. At a tie each gets half of the gradient.",
    samples=sampler(ANY, FAR),
    reads="x y",
)


def _where_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for (x, y, c), params in sampler(ANY, ANY, ANY)(rng):
        yield (c > 0, x, y), params


# The branch that was not chosen gets exactly 0 by selection, never by a product: 0 * inf would be nan.
where: Function = function_of(
    register(
        Op(
            name="where",
            symbol="where",
            formula="x if c else y",
            derivatives=("", "1 if c else 0", "0 if c else 1"),
            forward=lambda xp, c, x, y: xp.where(c, x, y),
            shape=broadcast_shapes,
            jvp=(None, lambda t, z, c, x, y: where(c, t, 0.0), lambda t, z, c, x, y: where(c, 0.0, t)),
            vjp=(None, lambda ct, z, c, x, y: where(c, ct, 0.0), lambda ct, z, c, x, y: where(c, 0.0, ct)),
            samples=_where_samples,
            reads=frozenset({"c"}),
            tags=frozenset({"elementwise", "scalar", "smooth"}),
            flops=lambda *shapes: count(broadcast_shapes(*shapes)),
            doc="x where the condition c holds, else y, element by element. The gradient goes to the one that was chosen.",
            arg_names=("c", "x", "y"),
        )
    )
)


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


# --- comparisons: they give booleans and cut the graph ---


def _comparison(name: str, symbol: str) -> Callable[..., Any]:
    def forward(xp: Any, x: Any, y: Any) -> Any:
        return getattr(xp, name)(x, y)

    return elementwise(
        name,
        forward,
        (None, None),
        symbol=symbol,
        formula=f"x {symbol} y",
        derivatives=("", ""),
        doc=f"Whether x {symbol} y, element by element. The result is boolean and has no gradient.",
        samples=sampler(ANY, ANY),
        tags="comparison",
    )


greater: Function = _comparison("greater", ">")
greater_equal: Function = _comparison("greater_equal", ">=")
less: Function = _comparison("less", "<")
less_equal: Function = _comparison("less_equal", "<=")
equal: Function = _comparison("equal", "==")
not_equal: Function = _comparison("not_equal", "!=")

sub, mul, div, pow, neg, absolute = subtract, multiply, divide, power, negative, abs
