"""Padding in every mode of NumPy.

Modes that copy elements (constant, edge, reflect, symmetric, wrap) are one op, a map of indices; modes that compute the border
(linear_ramp, maximum, mean, median, minimum, odd reflections) are put together from other ops, axis by axis, as NumPy does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.axes import shape_of
from gradlab.ops.index import ADD_AT, GETITEM
from gradlab.ops.join import CONCATENATE, along, zeros_of
from gradlab.ops.reduce import max as max_
from gradlab.ops.reduce import mean
from gradlab.ops.reduce import min as min_
from gradlab.ops.shape import BROADCAST
from gradlab.ops.signature import define, one_of
from gradlab.ops.statistics import median

__all__ = ["pad"]

Widths = tuple[tuple[int, int], ...]
COPIES = ("constant", "edge", "reflect", "symmetric", "wrap")
MODES = (*COPIES, "linear_ramp", "maximum", "mean", "median", "minimum", "empty")


def _pad(xp: Any, x: Any, *, widths: Widths, mode: str, value: float) -> Any:
    return xp.pad(x, widths, mode, **({"constant_values": value} if mode == "constant" else {}))


def _maps(shape: Shape, widths: Widths, mode: str) -> tuple[Any, ...]:
    """Which element each place of the result copies, one map an axis, ready to be used as one index."""
    from gradlab.backends.numpy import CPU

    xp = CPU.xp
    return xp.ix_(*[xp.pad(xp.arange(size), pair, mode) for size, pair in zip(shape, widths, strict=True)])


def _vjp(ct: Any, z: Any, x: Any, *, widths: Widths, mode: str, value: float) -> Any:
    shape = shape_of(x)
    if not shape:
        return ct
    if mode == "constant":
        inner = tuple(slice(left, left + size) for (left, _), size in zip(widths, shape, strict=True))
        return apply(GETITEM, ct, index=inner)
    return apply(ADD_AT, ct, index=_maps(shape, widths, mode), shape=shape)


def _samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for mode in COPIES:
        for shape, widths in (((3,), ((1, 2),)), ((2, 3), ((0, 1), (2, 1))), ((2, 3), ((0, 0), (3, 4)))):
            yield (rng.normal(size=shape),), {"widths": widths, "mode": mode, "value": 0.5}


PAD: Op = define(
    "pad",
    _pad,
    lambda shape, *, widths, mode, value: tuple(
        left + size + right for size, (left, right) in zip(shape, widths, strict=True)
    ),
    jvp=(lambda t, z, x, *, widths, mode, value: apply(PAD, t, widths=widths, mode=mode, value=0.0),),
    vjp=(_vjp,),
    symbol="pad",
    formula="pad(x)",
    derivatives=("1",),
    doc="The array with a border of a constant or of copies of its own elements.",
    samples=_samples,
    tags="smooth",
)


def pairs(given: Any, rank: int, what: str) -> tuple[tuple[Any, Any], ...]:
    """NumPy's ways to say two numbers for each axis: one for all, (before, after), ((before, after),) or one pair an axis."""
    if not isinstance(given, (tuple, list)):
        given = getattr(given, "tolist", lambda: given)()
    rows = given if isinstance(given, (tuple, list)) else (given,)
    if rows and not isinstance(rows[0], (tuple, list)):
        rows = [tuple(rows) * 2 if len(rows) == 1 else tuple(rows)]
    rows = [tuple(row) * 2 if len(row) == 1 else tuple(row) for row in rows]
    rows = rows * rank if len(rows) == 1 else rows
    if len(rows) != rank or any(len(row) != 2 for row in rows):
        raise ShapeError(
            "GL028", f"{what} {given} does not fit rank {rank}", "One (before, after) for each axis"
        )
    return tuple(rows)


def pad(
    x: Any,
    pad_width: Any,
    mode: str = "constant",
    constant_values: Any = 0,
    *,
    end_values: Any = 0,
    stat_length: Any = None,
    reflect_type: str = "even",
    value: Any = None,
) -> Any:
    """x with a border, as `numpy.pad`: `pad_width` is one number, (before, after), or one such pair for each axis.

    Modes: constant, edge, reflect, symmetric, wrap, linear_ramp, maximum, mean, median, minimum, empty (filled with zeros).
    Shapes: (n,), (a, b) → (a + n + b,). VJP: each element gets the cotangents of all its copies.
    Raises ShapeError GL028 for widths that do not fit, ArgumentError GL016 for another mode.
    """
    shape, mode = shape_of(x), one_of(mode, MODES, "pad's mode")
    widths = tuple(
        (operator.index(a), operator.index(b)) for a, b in pairs(pad_width, len(shape), "pad_width")
    )
    if any(a < 0 or b < 0 for a, b in widths):
        raise ShapeError("GL028", f"pad_width {widths} is negative", "Borders have 0 or more elements")
    if mode not in ("constant", "empty") and any(
        not size and (a or b) for size, (a, b) in zip(shape, widths, strict=True)
    ):
        raise ShapeError("GL025", f"pad with mode {mode} has no elements to copy from in shape {shape}")
    values = pairs(constant_values if value is None else value, len(shape), "constant_values")
    if mode == "empty" or (mode == "constant" and len({v for pair in values for v in pair}) <= 1):
        fill = float(values[0][0]) if values and mode == "constant" else 0.0
        return apply(PAD, x, widths=widths, mode="constant", value=fill)
    if (
        mode in COPIES
        and mode != "constant"
        and (reflect_type == "even" or mode not in ("reflect", "symmetric"))
    ):
        return apply(PAD, x, widths=widths, mode=mode, value=0.0)
    stats = (None,) * len(shape) if stat_length is None else pairs(stat_length, len(shape), "stat_length")
    ends = pairs(end_values, len(shape), "end_values")
    for axis, pair in enumerate(widths):
        if mode == "constant":
            x = _joined(x, axis, [_full(x, axis, n, v) for n, v in zip(pair, values[axis], strict=True)])
        elif mode in ("reflect", "symmetric"):
            x = _odd(x, axis, pair, mode)
        elif mode == "linear_ramp":
            x = _joined(x, axis, [_ramp(x, axis, n, ends[axis][side], side) for side, n in enumerate(pair)])
        else:
            x = _joined(
                x, axis, [_statistic(x, axis, n, mode, stats[axis], side) for side, n in enumerate(pair)]
            )
    return x


# --- borders that are computed ---


def _joined(x: Any, axis: int, borders: list[Any]) -> Any:
    parts = [part for part in (borders[0], x, borders[1]) if part is not None]
    return apply(CONCATENATE, *parts, axis=axis) if len(parts) > 1 else x


def _wide(x: Any, axis: int, size: int) -> Any:
    """A border of equal elements: size 1 along the axis made larger."""
    shape = shape_of(x)
    return apply(BROADCAST, x, shape=(*shape[:axis], size, *shape[axis + 1 :]))


def _edge(x: Any, axis: int, side: int, length: int = 1) -> Any:
    """The first or the last elements along an axis."""
    size = shape_of(x)[axis]
    start = 0 if side == 0 else max(size - length, 0)
    return apply(GETITEM, x, index=along(axis, start, start + length))


def _full(x: Any, axis: int, size: int, value: float) -> Any:
    return _wide(zeros_of(_edge(x, axis, 0)) + float(value), axis, size) if size else None


def _column(numbers: list[float], axis: int, x: Any) -> Any:
    """Plain numbers along one axis, of the type of x."""
    from gradlab.backends.numpy import CPU

    shape = [1] * len(shape_of(x))
    shape[axis] = len(numbers)
    return CPU.asarray(numbers, getattr(x, "dtype", float)).reshape(shape)


def _ramp(x: Any, axis: int, size: int, end: float, side: int) -> Any:
    if not size:
        return None
    weights = [place / size for place in range(size)]  # 0 at the far end
    part = _column(weights if side == 0 else weights[::-1], axis, x)
    return _edge(x, axis, side) * part + float(end) * (1.0 - part)


STATISTICS: dict[str, Callable[..., Any]] = {"maximum": max_, "mean": mean, "median": median, "minimum": min_}


def _statistic(x: Any, axis: int, size: int, mode: str, lengths: Any, side: int) -> Any:
    if not size:
        return None
    length = shape_of(x)[axis] if lengths is None or lengths[side] is None else lengths[side]
    return _wide(STATISTICS[mode](_edge(x, axis, side, length), axis=axis, keepdims=True), axis, size)


def _odd(x: Any, axis: int, pair: tuple[int, int], mode: str) -> Any:
    """Reflections through the edge element: 2 edge - mirror, again and again while the border is longer than the array."""
    left, right = pair
    while left > 0 or right > 0:
        size = shape_of(x)[axis]
        most = size - 1 if mode == "reflect" else size
        if size == 1:  # nothing to mirror: NumPy repeats the edge
            borders = [_wide(_edge(x, axis, 0), axis, n) if n else None for n in (left, right)]
            return _joined(x, axis, borders)
        steps, skip = (min(left, most), min(right, most)), size - most
        borders = []
        for side, n in enumerate(steps):
            mirror = slice(skip, skip + n) if side == 0 else slice(size - skip - n, size - skip)
            part = apply(GETITEM, x, index=along(axis, mirror.start, mirror.stop))
            backward = apply(GETITEM, part, index=along(axis, None, None, -1))
            borders.append(2.0 * _edge(x, axis, side) - backward if n else None)
        x = _joined(x, axis, borders)
        left, right = left - steps[0], right - steps[1]
    return x
