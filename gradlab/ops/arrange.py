"""Ops that move elements or copy them: roll, flip, tile, repeat."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import normalize_axes, normalize_axis, shape_of
from gradlab.ops.families import linear
from gradlab.ops.index import ADD_AT
from gradlab.ops.reduce import sum as sum_
from gradlab.ops.shape import RESHAPE, reshape
from gradlab.ops.signature import either

__all__ = ["roll", "flip", "tile", "repeat", "repeat_interleave"]


# --- elements in another order ---


def _roll_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, shift, axis in (
        ((4,), (1,), (0,)),
        ((2, 3), (1, -2), (0, 1)),
        ((2, 3), (7,), (1,)),
        ((0, 2), (1,), (0,)),
    ):
        yield (rng.normal(size=shape),), {"shift": shift, "axis": axis}


ROLL: Op = linear(
    "roll",
    lambda xp, x, *, shift, axis: xp.roll(x, shift, axis),
    lambda ct, x, *, shift, axis: apply(ROLL, ct, shift=tuple(-one for one in shift), axis=axis),
    lambda shape, *, shift, axis: shape,
    symbol="roll",
    formula="roll(x)",
    derivative="1",
    doc="Elements moved along axes; what leaves at one end comes in at the other.",
    samples=_roll_samples,
)


def roll(x: Any, shift: Any = None, axis: Any = None, *, shifts: Any = None, dims: Any = None) -> Any:
    """x with its elements moved by `shift` places along `axis` (both may be sequences); axis=None rolls the flattened array.

    Shapes: any → the same. VJP: rolled back.
    """
    shift, axis = either(shift, shifts), either(axis, dims)
    shape = shape_of(x)
    if axis is None or axis == ():
        moves = tuple(shift) if isinstance(shift, (tuple, list)) else (shift,)
        return reshape(roll(reshape(x, -1), sum(moves), 0), shape)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    moves = tuple(shift) if isinstance(shift, (tuple, list)) else (shift,) * len(axes)
    axes = tuple(axes) * (len(moves) if len(axes) == 1 else 1)
    if len(axes) != len(moves):
        raise ShapeError("GL028", f"roll got {len(moves)} shifts for {len(axes)} axes", "One shift an axis")
    places = tuple(normalize_axis(one, len(shape)) for one in axes)
    return apply(ROLL, x, shift=tuple(operator.index(one) for one in moves), axis=places)


def _flip_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, axis in (((4,), (0,)), ((2, 3), (0, 1)), ((2, 3, 2), (1,)), ((), ()), ((0, 2), (1,))):
        yield (rng.normal(size=shape),), {"axis": axis}


FLIP: Op = linear(
    "flip",
    lambda xp, x, *, axis: xp.flip(x, axis),
    lambda ct, x, *, axis: apply(FLIP, ct, axis=axis),
    lambda shape, *, axis: shape,
    symbol="flip",
    formula="flip(x)",
    derivative="1",
    doc="Elements in reverse order along axes.",
    samples=_flip_samples,
    tags="view",
)


def flip(x: Any, axis: Any = None, *, dims: Any = None) -> Any:
    """x in reverse order along `axis`: None for all, a number, or several. Shapes: any → the same. VJP: flipped back."""
    return apply(FLIP, x, axis=normalize_axes(either(axis, dims), len(shape_of(x))))


# --- elements several times ---


def _tile_vjp(ct: Any, x: Any, *, reps: Shape) -> Any:
    shape = shape_of(x)
    split = tuple(size for pair in zip(reps, shape, strict=True) for size in pair)
    return sum_(apply(RESHAPE, ct, shape=split), axis=tuple(range(0, len(split), 2)))


def _tile_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, reps in (((3,), (2,)), ((2, 3), (1, 2)), ((1, 2), (3, 2)), ((), ()), ((2, 2), (0, 1))):
        yield (rng.normal(size=shape),), {"reps": reps}


TILE: Op = linear(
    "tile",
    lambda xp, x, *, reps: xp.tile(x, reps),
    _tile_vjp,
    lambda shape, *, reps: tuple(size * rep for size, rep in zip(shape, reps, strict=True)),
    symbol="tile",
    formula="tile(x)",
    derivative="1",
    doc="Copies of the whole array side by side.",
    samples=_tile_samples,
)


def tile(x: Any, reps: Any = None, *, dims: Any = None) -> Any:
    """Copies of x side by side: `reps` says how many along each axis. The shorter of rank and reps gets leading ones.

    Shapes: (n, m), (2, 3) → (2n, 3m). VJP: the sum over the copies. PyTorch's method `repeat` is this function.
    """
    reps = either(reps, dims)
    times = tuple(operator.index(one) for one in (reps if isinstance(reps, (tuple, list)) else (reps,)))
    if any(one < 0 for one in times):
        raise ShapeError("GL028", f"tile got the counts {times}", "Counts are 0 or more")
    shape = shape_of(x)
    rank = max(len(shape), len(times))
    times = (1,) * (rank - len(times)) + times
    grown = reshape(x, (1,) * (rank - len(shape)) + shape) if rank > len(shape) else x
    return apply(TILE, grown, reps=times)


def _repeat_vjp(ct: Any, x: Any, *, repeats: tuple[int, ...], axis: int) -> Any:
    shape = shape_of(x)
    if len(set(repeats)) == 1:
        split = (*shape[: axis + 1], repeats[0], *shape[axis + 1 :])
        return sum_(apply(RESHAPE, ct, shape=split), axis=axis + 1)
    sources = tuple(place for place, times in enumerate(repeats) for _ in range(times))
    return apply(ADD_AT, ct, index=(*(slice(None),) * axis, _array(sources)), shape=shape)


def _array(numbers: tuple[int, ...]) -> Any:
    from gradlab.backends.numpy import CPU

    return CPU.asarray(numbers, int)


def _repeat_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, repeats, axis in (
        ((3,), (2, 2, 2), 0),
        ((3,), (2, 0, 1), 0),
        ((2, 2), (1, 3), 1),
        ((2, 3), (2, 1), 0),
    ):
        yield (rng.normal(size=shape),), {"repeats": repeats, "axis": axis}


REPEAT: Op = linear(
    "repeat",
    lambda xp, x, *, repeats, axis: xp.repeat(x, list(repeats), axis),
    _repeat_vjp,
    lambda shape, *, repeats, axis: (*shape[:axis], sum(repeats), *shape[axis + 1 :]),
    symbol="repeat",
    formula="repeat(x)",
    derivative="1",
    doc="Each element several times in a row.",
    samples=_repeat_samples,
)


def repeat(x: Any, repeats: Any, *wrong: Any, axis: int | None = None, dim: int | None = None) -> Any:
    """Each element of x several times in a row, as in NumPy: `repeats` is one count, or one for each position along `axis`.

    Shapes: (n, m), 2, axis=0 → (2n, m); axis=None flattens first. VJP: the sum over the copies. PyTorch's method `repeat` is `tile`.
    Raises ShapeError GL028 when the counts do not fit the axis.
    """
    if wrong:
        what = f"repeat got the counts {(repeats, *wrong)} one by one"
        fix = "Use tile(x, counts) for copies of the whole array (PyTorch's repeat), or repeat(x, count, axis=...)"
        raise ShapeError("GL028", what, fix=fix)
    axis = either(axis, dim)
    if axis is None:
        return repeat(reshape(x, -1), repeats, axis=0)
    shape = shape_of(x)
    place = normalize_axis(axis, len(shape))
    given = repeats.tolist() if hasattr(repeats, "tolist") else repeats
    counts = tuple(operator.index(one) for one in given) if isinstance(given, (tuple, list)) else (given,)
    counts = counts * shape[place] if len(counts) == 1 else counts
    if len(counts) != shape[place] or any(one < 0 for one in counts):
        what = f"repeat got {len(counts)} counts for an axis of size {shape[place]}: {counts}"
        raise ShapeError("GL028", what, "One count of 0 or more for each position, or one for all")
    return apply(REPEAT, x, repeats=counts, axis=place)


def repeat_interleave(x: Any, repeats: Any, dim: int | None = None) -> Any:
    """PyTorch's name for `repeat`."""
    return repeat(x, repeats, axis=dim)
