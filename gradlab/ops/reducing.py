"""The frame of differentiable reductions: one slope per element makes both rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import normalize_axes, normalize_axis, reduced_shape, shape_of
from gradlab.ops.families import count
from gradlab.ops.index import GETITEM
from gradlab.ops.reduce import SUM, kept, reduction_samples, size_over, spread
from gradlab.ops.shape import RESHAPE, TRANSPOSE
from gradlab.ops.signature import Samples, cut, define, either

Axes = tuple[int, ...]


def samples_with(
    *extras: dict[str, Any], shift: float = 0.3
) -> Callable[[Any], Iterator[tuple[tuple[Any, ...], dict[str, Any]]]]:
    """Samples of a reduction, without ties and away from 0, with further parameters."""

    def samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
        for extra in extras or ({},):
            for (x,), params in reduction_samples(rng):
                yield (0.5 * (x - 1.5 + shift),), {**params, **extra}

    return samples


def reducing(
    name: str,
    forward: Callable[..., Any],
    slope: Callable[..., Any],
    *,
    symbol: str,
    formula: str,
    derivative: str,
    doc: str,
    samples: Samples,
    reads: str,
    tags: str = "",
    flops: int = 1,
) -> Op:
    """Define a reduction by `slope(z, x, axis, **params)`: ∂z/∂x of each element, where z has its reduced axes back as size 1."""

    def weight(z: Any, x: Any, axis: Axes, keepdims: bool, params: dict[str, Any]) -> Any:
        return slope(z if keepdims else kept(z, axis, x), x, axis, **params)

    def jvp(t: Any, z: Any, x: Any, *, axis: Axes, keepdims: bool, **params: Any) -> Any:
        return apply(SUM, t * weight(z, x, axis, keepdims, params), axis=axis, keepdims=keepdims)

    def vjp(ct: Any, z: Any, x: Any, *, axis: Axes, keepdims: bool, **params: Any) -> Any:
        return spread(ct, x, axis=axis, keepdims=keepdims) * weight(z, x, axis, keepdims, params)

    return define(
        name,
        forward,
        lambda shape, *, axis, keepdims, **params: reduced_shape(shape, axis, keepdims),
        jvp=(jvp,),
        vjp=(vjp,),
        symbol=symbol,
        formula=formula,
        derivatives=(derivative,),
        doc=doc,
        samples=samples,
        reads=reads,
        tags=f"reduction {tags}",
        flops=lambda shape, **params: flops * count(shape),
    )


def reduce_with(op: Op, x: Any, axis: Any, keepdims: Any, dim: Any, keepdim: Any, **params: Any) -> Any:
    """Apply a reduction with axes and words as people give them."""
    axes = normalize_axes(either(axis, dim), len(shape_of(x)))
    return apply(op, x, axis=axes, keepdims=bool(either(keepdims, keepdim)), **params)


def need_elements(name: str, x: Any, axis: Any) -> None:
    """Raise ShapeError GL025 when there is nothing to choose from."""
    shape = shape_of(x)
    axes = normalize_axes(axis, len(shape))
    if size_over(shape, axes) == 0:
        what = f"{name} over axes {axes} of shape {shape} has no elements to choose from"
        raise ShapeError("GL025", what, fix="Check the shape before reducing")


# --- several axes as one, for ops that work along one line ---


def as_rows(x: Any, axis: Axes) -> Any:
    """x with the given axes merged into one, at the end."""
    shape = shape_of(x)
    others = tuple(place for place in range(len(shape)) if place not in axis)
    order = (*others, *axis)
    moved = x if order == tuple(range(len(shape))) else apply(TRANSPOSE, x, axes=order)
    return (
        moved
        if len(axis) == 1
        else apply(RESHAPE, moved, shape=(*[shape[p] for p in others], size_over(shape, axis)))
    )


def from_rows(rows: Any, axis: Axes, shape: Shape) -> Any:
    """The way back from `as_rows`."""
    others = tuple(place for place in range(len(shape)) if place not in axis)
    order = (*others, *axis)
    split = rows if len(axis) == 1 else apply(RESHAPE, rows, shape=tuple(shape[place] for place in order))
    back = tuple(sorted(range(len(shape)), key=order.__getitem__))
    return split if back == tuple(range(len(shape))) else apply(TRANSPOSE, split, axes=back)


def part(rows: Any, start: int | None, stop: int | None) -> Any:
    """A piece of the last axis."""
    return apply(GETITEM, rows, index=(..., slice(start, stop)))


# --- reductions to whole numbers and booleans ---


def _axis_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for (x,), params in reduction_samples(rng):
        if len(params["axis"]) == 1:
            yield (x,), {"axis": params["axis"][0], "keepdims": params["keepdims"]}


def _logical_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for (x,), params in reduction_samples(rng):
        yield (x > 1.0,), params


def _position(name: str, word: str) -> Op:
    return cut(
        name,
        lambda xp, x, *, axis, keepdims: getattr(xp, name)(x, axis=axis, keepdims=keepdims),
        lambda shape, *, axis, keepdims: reduced_shape(shape, (axis,), keepdims),
        symbol=name,
        formula=f"{name}(x)",
        doc=f"The place of the {word} element along an axis; the first one of a tie.",
        samples=_axis_samples,
    )


def _logical(name: str, word: str) -> Op:
    return cut(
        name,
        lambda xp, x, *, axis, keepdims: getattr(xp, name)(x, axis=axis, keepdims=keepdims),
        lambda shape, *, axis, keepdims: reduced_shape(shape, axis, keepdims),
        symbol=name,
        formula=f"{name}(x)",
        doc=f"Whether {word} element over the given axes is true (not 0).",
        samples=_logical_samples,
    )


ARGMAX, ARGMIN = _position("argmax", "largest"), _position("argmin", "smallest")
ALL, ANY = _logical("all", "every"), _logical("any", "at least one")


def position(op: Op, x: Any, axis: Any, keepdims: Any, dim: Any, keepdim: Any) -> Any:
    """Apply argmax or argmin; without an axis, to the flattened array."""
    axis, keepdims, shape = either(axis, dim), bool(either(keepdims, keepdim)), shape_of(x)
    need_elements(op.name, x, axis)
    if axis is None:
        flat = apply(op, apply(RESHAPE, x, shape=(count(shape),)), axis=0, keepdims=False)
        return apply(RESHAPE, flat, shape=(1,) * len(shape)) if keepdims else flat
    if not shape:
        return apply(op, apply(RESHAPE, x, shape=(1,)), axis=normalize_axis(axis, 1), keepdims=False)
    return apply(op, x, axis=normalize_axis(axis, len(shape)), keepdims=keepdims)
