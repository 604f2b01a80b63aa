"""Families derive what their ops have in common.

`elementwise` makes both rules and the shape rule from the partial derivatives, `linear` makes them from the transpose, `bilinear` from
the op itself. Un-broadcasting is not done here: the walk does it once, where cotangents are added up.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Op, Rule, Shape, apply, function_of, register

Partial = Callable[..., Any] | int | None


def broadcast_shapes(*shapes: Shape) -> Shape:
    """The common shape of these shapes under NumPy's rule: sizes agree from the right, or are 1. Raises ShapeError GL020."""
    rank = max((len(shape) for shape in shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for place, size in enumerate(shape, rank - len(shape)):
            if size != 1 and result[place] not in (1, size):
                listed = " and ".join(str(shape) for shape in shapes)
                what = f"shapes {listed} do not fit: sizes {result[place]} and {size} meet on one axis"
                raise ShapeError(
                    "GL020",
                    what,
                    "Sizes, compared from the right, must be equal or 1",
                    "Reshape or transpose one of them.",
                )
            result[place] = size if size != 1 else result[place]
    return tuple(result)


def count(shape: Shape) -> int:
    """The number of elements of a shape."""
    total = 1
    for size in shape:
        total *= size
    return total


def argument_names(forward: Callable[..., Any]) -> tuple[str, ...]:
    """The array arguments of a forward function: those after `xp` that are positional."""
    parameters = list(inspect.signature(forward).parameters.values())[1:]
    star = [f"*{p.name}" for p in parameters if p.kind is p.VAR_POSITIONAL]
    return tuple(star or [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY])


def _document(name: str, names: tuple[str, ...], formula: str, derivatives: tuple[str, ...], doc: str) -> str:
    lines = [f"{doc}", "", f"z = {formula}"]
    lines += [
        f"∂z/∂{arg.lstrip('*')} = {text}" for arg, text in zip(names, derivatives, strict=False) if text
    ]
    return "\n".join(lines)


# --- element-wise ---


def _multiply_rule(partial: Partial, arity: int) -> Rule | None:
    """The rule `d * partial`, where d is a tangent or a cotangent; the partials 1 and -1 are passed on without a product.

    One lambda per arity: unpacking `*xs` would cost scalar graphs a third of their backward pass.
    """
    if partial is None:
        return None
    if partial == 1:
        return lambda d, z, x, *others: d
    if partial == -1:
        return lambda d, z, x, *others: -d
    assert callable(partial)
    if arity == 1:
        return lambda d, z, x: d * partial(z, x)
    if arity == 2:
        return lambda d, z, x, y: d * partial(z, x, y)
    return lambda d, z, *xs: d * partial(z, *xs)


def _reading(partials: tuple[Partial, ...], names: tuple[str, ...], reads: str | None) -> frozenset[str]:
    if reads is not None:
        return frozenset(reads.split())
    return frozenset(("z", *names)) if any(callable(partial) for partial in partials) else frozenset()


SHAPES: tuple[tuple[Shape, ...], ...] = (
    ((), (), ()),
    ((3,), (3,), (3,)),
    ((2, 3), (3,), (2, 1)),
    ((2, 1), (1, 3), ()),
    ((0, 2), (2,), (1,)),
)


def sampler(
    *ranges: tuple[float, float],
) -> Callable[[Any], Iterator[tuple[tuple[Any, ...], dict[str, Any]]]]:
    """Samples of inputs drawn uniformly from one range per input, for several broadcasting shapes, empty ones included."""

    def samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
        for shapes in SHAPES:
            yield (
                tuple(
                    rng.uniform(*bounds, size=shape) for bounds, shape in zip(ranges, shapes, strict=False)
                ),
                {},
            )

    return samples


def elementwise(
    name: str,
    forward: Callable[..., Any],
    partials: tuple[Partial, ...],
    *,
    symbol: str,
    formula: str,
    derivatives: tuple[str, ...],
    doc: str,
    samples: Callable[[Any], Iterator[tuple[tuple[Any, ...], dict[str, Any]]]],
    reads: str | None = None,
    rules: tuple[Rule, ...] = (),
    tags: str = "",
    flops: int = 1,
) -> Callable[..., Any]:
    """Define an op that acts on each element alone. `partials[i](z, *inputs)` is ∂z/∂input_i; 1, -1 and None are also taken.

    `reads` names what the partials look at ("z x" for output and input), so that changing something else after use is no error.
    `rules` gives the products `d * partial` outright, for the op that scalar graphs are full of.
    """
    names = argument_names(forward)
    made = tuple(_multiply_rule(partial, len(names)) for partial in partials)
    op = Op(
        name=name,
        symbol=symbol,
        formula=formula,
        derivatives=derivatives,
        forward=forward,
        shape=broadcast_shapes,
        jvp=rules or made,
        vjp=rules or made,
        samples=samples,
        reads=_reading(partials, names, reads),
        tags=frozenset({"elementwise", "scalar", *tags.split()}),
        flops=lambda *shapes: flops * count(broadcast_shapes(*shapes)),
        doc=_document(name, names, formula, derivatives, doc),
        arg_names=names,
    )
    return function_of(register(op))


# --- linear and bilinear ---


def linear(
    name: str,
    forward: Callable[..., Any],
    transpose: Rule,
    shape: Callable[..., Shape],
    *,
    symbol: str,
    formula: str,
    derivative: str,
    doc: str,
    samples: Callable[[Any], Iterator[tuple[tuple[Any, ...], dict[str, Any]]]],
    tags: str = "",
    flops: Callable[..., int] = lambda x, /, **params: 0,
) -> Op:
    """Define a linear op of one input. `transpose(ct, x, **params)` looks at the shape of x only, never at its numbers."""
    op_names = argument_names(forward)

    def jvp(t: Any, z: Any, x: Any, **params: Any) -> Any:
        return apply(op, t, **params)

    def vjp(ct: Any, z: Any, x: Any, **params: Any) -> Any:
        return transpose(ct, x, **params)

    op = Op(
        name=name,
        symbol=symbol,
        formula=formula,
        derivatives=(derivative,),
        forward=forward,
        shape=shape,
        jvp=(jvp,),
        vjp=(vjp,),
        samples=samples,
        tags=frozenset({"linear", "smooth", *tags.split()}),
        flops=flops,
        doc=_document(name, op_names, formula, (derivative,), doc),
        arg_names=op_names,
    )
    return register(op)


def bilinear(
    name: str,
    forward: Callable[..., Any],
    vjps: tuple[Rule, Rule],
    shape: Callable[..., Shape],
    *,
    symbol: str,
    formula: str,
    derivatives: tuple[str, str],
    doc: str,
    samples: Callable[[Any], Iterator[tuple[tuple[Any, ...], dict[str, Any]]]],
    flops: Callable[..., int],
) -> Op:
    """Define an op that is linear in each of two inputs, such as a matrix product."""
    names = argument_names(forward)
    op = Op(
        name=name,
        symbol=symbol,
        formula=formula,
        derivatives=derivatives,
        forward=forward,
        shape=shape,
        jvp=(lambda t, z, x, y: apply(op, t, y), lambda t, z, x, y: apply(op, x, t)),
        vjp=vjps,
        samples=samples,
        reads=frozenset(names),
        tags=frozenset({"bilinear", "smooth"}),
        flops=flops,
        doc=_document(name, names, formula, derivatives, doc),
        arg_names=names,
    )
    return register(op)
