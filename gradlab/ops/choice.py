"""Ops that choose: comparisons, `where`, the larger and the smaller, and functions with a kink. One record each.

At a kink the derivative is a convention, told in each record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradlab.op import Op, function_of, register
from gradlab.ops.families import broadcast_shapes, count, elementwise, sampler

__all__ = [
    *("where", "relu", "abs", "absolute", "maximum", "minimum"),
    *("greater", "greater_equal", "less", "less_equal", "equal", "not_equal"),
    "indicator",
]
FUNCTIONS_ONLY = ("where", "indicator")

Function = Callable[..., Any]

ANY = (-2.0, 2.0)
FAR = (2.5, 4.0)  # far from ANY, so that no sample of a pair sits on a tie


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


# --- with a kink ---


def _relu_slope(z: Any, x: Any) -> Any:
    if x.__class__ is float:  # the same at once: networks of scalars are full of it
        return 1.0 if x > 0.0 else 0.0 if x == x else x
    return where(greater(x, 0.0), 1.0, where(equal(x, x), 0.0, x))


relu: Function = elementwise(
    "relu",
    lambda xp, x: xp.maximum(x, 0.0),
    (_relu_slope,),
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
    lost = where(equal(x, x), where(equal(y, y), 0.0, y), x)  # asked one by one: inf + -inf is nan too
    return where(better, 1.0, where(equal(x, y), 0.5, lost))


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


def _indicator_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for (x, y), params in sampler(ANY, ANY)(rng):
        yield (x > 0, y), params


indicator: Function = function_of(
    register(
        Op(
            name="indicator",
            symbol="1[·]",
            formula="1 if c else 0",
            derivatives=("", ""),
            forward=lambda xp, c, x: xp.where(c, xp.asarray(x).dtype.type(1), xp.asarray(x).dtype.type(0)),
            shape=lambda c, x: c,
            jvp=(None, None),
            vjp=(None, None),
            samples=_indicator_samples,
            tags=frozenset({"cut"}),
            doc="1 where the condition c holds and 0 elsewhere, as numbers of x's type; x itself is not read. No gradient.",
            arg_names=("c", "x"),
        )
    )
)

absolute = abs
