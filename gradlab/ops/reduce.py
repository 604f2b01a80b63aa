"""Reductions: sum, mean, max, min over any axes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.errors import OperandError, ShapeError
from gradlab.op import Op, apply, register
from gradlab.ops.axes import normalize_axes, reduced_shape, shape_of
from gradlab.ops.choice import equal, indicator, where
from gradlab.ops.elementwise import divide, total
from gradlab.ops.families import argument_names, count, linear

__all__ = ["sum", "mean", "max", "min"]


def reduction_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Inputs without ties, with the axes to reduce."""
    for shape, axis in (
        ((3,), (0,)),
        ((2, 3), (0, 1)),
        ((2, 3, 4), (0, 2)),
        ((2, 3), (1,)),
        ((), ()),
        ((2, 1), (0,)),
    ):
        for keepdims in (False, True):
            # a shuffled range has no ties, so central differences stay on one branch
            numbers = rng.permutation(count(shape)) + rng.uniform(-0.2, 0.2)
            yield (numbers.reshape(shape).astype(float),), {"axis": axis, "keepdims": keepdims}


def kept(x: Any, axis: tuple[int, ...], like: Any) -> Any:
    """A reduced array with its reduced axes put back as size 1."""
    from gradlab.ops.shape import RESHAPE

    return apply(RESHAPE, x, shape=reduced_shape(shape_of(like), axis, True))


def spread(ct: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The cotangent of a reduction repeated over what was reduced."""
    from gradlab.ops.shape import BROADCAST

    return apply(BROADCAST, ct if keepdims else kept(ct, axis, x), shape=shape_of(x))


def size_over(shape: tuple[int, ...], axis: tuple[int, ...]) -> int:
    """How many elements each result of a reduction over these axes comes from."""
    return count(tuple(shape[place] for place in axis))


SUM = linear(
    "sum",
    lambda xp, x, *, axis, keepdims: xp.sum(x, axis=axis, keepdims=keepdims),
    spread,
    lambda shape, *, axis, keepdims: reduced_shape(shape, axis, keepdims),
    symbol="Σ",
    formula="sum(x)",
    derivative="1",
    doc="The sum over the given axes.",
    samples=reduction_samples,
    flops=lambda shape, **params: count(shape),
)


def _mean_vjp(ct: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    # the size of an empty reduction is taken as 1: there is no element to hand a gradient to
    return spread(ct / float(size_over(shape_of(x), axis) or 1), x, axis=axis, keepdims=keepdims)


def _mean(xp: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    # a quotient: with the factor 1 / n the mean of 49 ones would not be 1
    return xp.sum(x, axis=axis, keepdims=keepdims) / (float(size_over(xp.shape(x), axis)) or float("nan"))


MEAN = linear(
    "mean",
    _mean,
    _mean_vjp,
    lambda shape, *, axis, keepdims: reduced_shape(shape, axis, keepdims),
    symbol="mean",
    formula="mean(x)",
    derivative="1 / n",
    doc="The average over the given axes; nan over no elements.",
    samples=reduction_samples,
    flops=lambda shape, **params: count(shape),
)


def _share(z: Any, x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """How much of the gradient each element gets: 1/k for each of k elements that tie for the extreme, else 0; nan beside nan."""
    extreme = z if keepdims else kept(z, axis, x)
    hit = indicator(equal(x, extreme), x)
    hit = where(equal(x, x), hit, x)
    return divide(hit, apply(SUM, hit, axis=axis, keepdims=True))


def _extreme(name: str, symbol: str, word: str) -> Op:
    def forward(xp: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
        return getattr(xp, name)(x, axis=axis, keepdims=keepdims)

    def jvp(t: Any, z: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
        return apply(SUM, t * _share(z, x, axis, keepdims), axis=axis, keepdims=keepdims)

    def vjp(ct: Any, z: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
        return spread(ct, x, axis=axis, keepdims=keepdims) * _share(z, x, axis, keepdims)

    return register(
        Op(
            name=name,
            symbol=symbol,
            formula=f"{name}(x)",
            derivatives=("1 / k if x == z else 0",),
            forward=forward,
            shape=lambda shape, *, axis, keepdims: reduced_shape(shape, axis, keepdims),
            jvp=(jvp,),
            vjp=(vjp,),
            samples=reduction_samples,
            reads=frozenset({"z", "x"}),
            tags=frozenset({"reduction"}),
            flops=lambda shape, **params: count(shape),
            doc=f"The {word} over the given axes. Elements that tie share the gradient equally.",
            arg_names=argument_names(forward),
        )
    )


MAX = _extreme("max", "max", "largest element")
MIN = _extreme("min", "min", "smallest element")


def _reduce(op: Op, x: Any, axis: Any, keepdims: Any, dim: Any, keepdim: Any) -> Any:
    shape = shape_of(x)
    axes = normalize_axes(axis if dim is None else dim, len(shape))
    if op in (MAX, MIN) and size_over(shape, axes) == 0:
        what = f"{op.name} over axes {axes} of shape {shape} has no elements to choose from"
        raise ShapeError("GL025", what, fix="Check the shape before reducing")
    return apply(op, x, axis=axes, keepdims=bool(keepdims if keepdim is None else keepdim))


def _listed(x: Any) -> Any:
    """A generator as a list; anything else as it is."""
    return list(x) if isinstance(x, Iterator) else x


def _nodes(x: Any) -> bool:
    return isinstance(x, (list, tuple)) and any(hasattr(one, "__gradlab_apply__") for one in x)


def sum(
    x: Any, axis: Any = None, keepdims: bool = False, *, dim: Any = None, keepdim: bool | None = None
) -> Any:
    """The sum of the elements of x over `axis`: None for all, a number, or several; negative ones count from the end.

    Shapes: (n, m), axis=0 → (m,), with keepdims → (1, m). A list of nodes is added up as one node. VJP: the cotangent repeated.
    """
    x = _listed(x)
    if _nodes(x):
        return total(*x)
    return _reduce(SUM, x, axis, keepdims, dim, keepdim)


def mean(
    x: Any, axis: Any = None, keepdims: bool = False, *, dim: Any = None, keepdim: bool | None = None
) -> Any:
    """The average of the elements of x over `axis`, as `sum`. Over no elements it is nan.

    Shapes: (n, m), axis=0 → (m,). VJP: the cotangent repeated, divided by the number of elements.
    """
    x = _listed(x)
    if _nodes(x):
        return divide(total(*x), float(len(x)))
    return _reduce(MEAN, x, axis, keepdims, dim, keepdim)


def max(
    x: Any, axis: Any = None, keepdims: bool = False, *, dim: Any = None, keepdim: bool | None = None
) -> Any:
    """The largest element of x over `axis`. Shapes: (n, m), axis=0 → (m,). No indices are given beside it, unlike in PyTorch.

    VJP: the cotangent goes to the largest element; k elements that tie get 1/k each. Raises ShapeError GL025 over no elements.
    """
    x = _listed(x)
    if _nodes(x):
        raise OperandError(
            "GL002", "max takes one array, got a list of nodes", fix="Use Python's max(...) or maximum(x, y)"
        )
    return _reduce(MAX, x, axis, keepdims, dim, keepdim)


def min(
    x: Any, axis: Any = None, keepdims: bool = False, *, dim: Any = None, keepdim: bool | None = None
) -> Any:
    """The smallest element of x over `axis`. Shapes: (n, m), axis=0 → (m,). No indices are given beside it, unlike in PyTorch.

    VJP: the cotangent goes to the smallest element; k elements that tie get 1/k each. Raises ShapeError GL025 over no elements.
    """
    x = _listed(x)
    if _nodes(x):
        raise OperandError(
            "GL002", "min takes one array, got a list of nodes", fix="Use Python's min(...) or minimum(x, y)"
        )
    return _reduce(MIN, x, axis, keepdims, dim, keepdim)
