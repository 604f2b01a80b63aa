"""Products and running sums along axes, exact with zeros to every order: nothing is divided by anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.op import Op, Shape, apply
from gradlab.ops.arrange import FLIP
from gradlab.ops.axes import normalize_axis, shape_of
from gradlab.ops.families import count, linear
from gradlab.ops.join import CONCATENATE, zeros_of
from gradlab.ops.pieces import ravel
from gradlab.ops.reducing import as_rows, from_rows, part, reduce_with, reducing, samples_with
from gradlab.ops.shape import swapaxes
from gradlab.ops.signature import define, either

__all__ = ["prod", "cumsum", "cumprod"]

Axes = tuple[int, ...]


def _join(*rows: Any) -> Any:
    return apply(CONCATENATE, *rows, axis=len(shape_of(rows[0])) - 1)


# --- product ---


def _halves(rows: Any) -> tuple[Any, Any, Any]:
    """The first half, the second half, and what is left over."""
    size = shape_of(rows)[-1]
    half = size // 2
    return part(rows, None, half), part(rows, half, 2 * half), part(rows, 2 * half, None)


def _others(z: Any, x: Any, axis: Axes) -> Any:
    """For each element the product of all the others: a tree of products of halves, walked up and then down.

    Every step is a product, so the rule differentiates to any order, and a zero stays what it is.
    """
    rows = as_rows(x, axis)
    levels = []
    while shape_of(rows)[-1] > 1:
        levels.append(rows)
        left, right, rest = _halves(rows)
        rows = left * right if shape_of(rest)[-1] == 0 else _join(left * right, rest)
    down = zeros_of(rows) + 1.0
    for level in reversed(levels):
        left, right, rest = _halves(level)
        half = shape_of(left)[-1]
        above = part(down, None, half)
        down = _join(above * right, above * left, *((part(down, half, None),) if shape_of(rest)[-1] else ()))
    return from_rows(down, axis, shape_of(x))


PROD = reducing(
    "prod",
    lambda xp, x, *, axis, keepdims: xp.prod(x, axis=axis, keepdims=keepdims),
    _others,
    symbol="Π",
    formula="prod(x)",
    derivative="prod(others)",
    doc="The product over the given axes. Zeros are exact, also in higher derivatives.",
    samples=samples_with(),
    reads="x",
    tags="smooth",
)


def prod(
    x: Any, axis: Any = None, keepdims: bool = False, *, dim: Any = None, keepdim: bool | None = None
) -> Any:
    """The product of the elements of x over `axis`; 1 over no elements.

    Shapes: (n, m), axis=0 → (m,). VJP: z̄ times the product of all other elements, computed without a division, so zeros are exact.
    """
    return reduce_with(PROD, x, axis, keepdims, dim, keepdim)


# --- running sum ---


def _line_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, axis in (((4,), 0), ((2, 3), 0), ((2, 5), 1), ((1,), 0), ((2, 0), 1), ((2, 3, 2), 1)):
        yield (rng.normal(size=shape),), {"axis": axis}


def _same(shape: Shape, *, axis: int) -> Shape:
    return shape


CUMSUM: Op = linear(
    "cumsum",
    lambda xp, x, *, axis: xp.cumsum(x, axis=axis),
    lambda ct, x, *, axis: apply(FLIP, apply(CUMSUM, apply(FLIP, ct, axis=(axis,)), axis=axis), axis=(axis,)),
    _same,
    symbol="Σ…",
    formula="cumsum(x)",
    derivative="1",
    doc="Sums of the elements up to each place along an axis.",
    samples=_line_samples,
    flops=lambda shape, **params: count(shape),
)


def _line(op: Op, x: Any, axis: Any) -> Any:
    """Along one axis; the flattened array without one, a number as it is."""
    if axis is None:
        return apply(op, ravel(x), axis=0)
    if not shape_of(x):
        normalize_axis(axis, 1)
        return x * 1.0
    return apply(op, x, axis=normalize_axis(axis, len(shape_of(x))))


def cumsum(x: Any, axis: int | None = None, *, dim: int | None = None) -> Any:
    """Running sums along `axis` (None: of the flattened x). Shapes: any → the same. VJP: running sums from the other end."""
    return _line(CUMSUM, x, either(axis, dim))


# --- running product ---


def _shifted(rows: Any, step: int, fill: float) -> Any:
    """Each row moved `step` places on; `fill` comes in at the front."""
    return _join(zeros_of(part(rows, None, step)) + fill, part(rows, None, -step))


def recurrence(factors: Any, terms: Any) -> Any:
    """s with s[i] = factors[i] · s[i-1] + terms[i] along the last axis, in log₂ n steps that double the reach.

    Source: Hillis and Steele, Communications of the ACM 29(12), 1986.
    """
    step, size = 1, shape_of(terms)[-1]
    while step < size:
        terms = terms + factors * _shifted(terms, step, 0.0)
        factors = factors * _shifted(factors, step, 1.0)
        step *= 2
    return terms


def _before(z: Any) -> Any:
    """The product of all elements before each place."""
    return _shifted(z, 1, 1.0) if shape_of(z)[-1] else z


def _cumprod_jvp(t: Any, z: Any, x: Any, *, axis: int) -> Any:
    t, z, x = (swapaxes(one, axis, -1) for one in (t, z, x))
    return swapaxes(recurrence(x, _before(z) * t), axis, -1)


def _cumprod_vjp(ct: Any, z: Any, x: Any, *, axis: int) -> Any:
    ct, z, x = (swapaxes(one, axis, -1) for one in (ct, z, x))
    last = (len(shape_of(x)) - 1,)
    if not shape_of(x)[-1]:
        return ct
    # from the end: what each product still passes through, times what stood before it
    behind = _shifted(apply(FLIP, x, axis=last), 1, 0.0)
    reached = apply(FLIP, recurrence(behind, apply(FLIP, ct, axis=last)), axis=last)
    return swapaxes(reached * _before(z), axis, -1)


CUMPROD: Op = define(
    "cumprod",
    lambda xp, x, *, axis: xp.cumprod(x, axis=axis),
    _same,
    jvp=(_cumprod_jvp,),
    vjp=(_cumprod_vjp,),
    symbol="Π…",
    formula="cumprod(x)",
    derivatives=("prod(others)",),
    doc="Products of the elements up to each place along an axis. Zeros are exact, also in higher derivatives.",
    samples=_line_samples,
    reads="z x",
    tags="smooth",
    flops=lambda shape, **params: count(shape),
)


def cumprod(x: Any, axis: int | None = None, *, dim: int | None = None) -> Any:
    """Running products along `axis` (None: of the flattened x). Shapes: any → the same.

    VJP: computed without a division, in O(n log n), so zeros are exact.
    """
    return _line(CUMPROD, x, either(axis, dim))
