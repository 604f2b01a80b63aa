"""Windows that slide over the last axes: the geometry of convolutions and pooling, and the view of all windows with its transpose."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from itertools import product
from typing import Any

from gradlab.errors import ShapeError
from gradlab.op import Op, Shape, apply
from gradlab.ops.families import count, linear

__all__: list[str] = []

Sizes = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def each_axis(given: Any, rank: int, what: str, least: int = 0) -> Sizes:
    """One whole number for each axis, from one number for all or from a list. Raises ShapeError GL120."""
    listed = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    listed = listed * rank if len(listed) == 1 else listed
    try:
        sizes = tuple(operator.index(one) for one in listed)
    except TypeError:
        sizes = ()
    if len(sizes) != rank or any(size < least for size in sizes):
        number = f"one whole number of at least {least}, or {rank} of them"
        raise ShapeError("GL120", f"{what} got {given!r}", f"It takes {number}")
    return sizes


def out_sizes(spatial: Shape, kernel: Sizes, stride: Sizes, padding: Pairs, dilation: Sizes) -> Sizes:
    """How many windows fit along each axis: ⌊(n + padding - dilation (k - 1) - 1) / stride⌋ + 1."""
    return tuple(
        (size + before + after - gap * (k - 1) - 1) // step + 1
        for size, k, step, (before, after), gap in zip(
            spatial, kernel, stride, padding, dilation, strict=True
        )
    )


def bordered(xp: Any, x: Any, padding: Pairs, value: float = 0.0) -> Any:
    """A raw array with a border around its last axes; a negative width cuts off."""
    if not any(before or after for before, after in padding):
        return x
    lead = x.ndim - len(padding)
    inner = (slice(None),) * lead + tuple(
        slice(max(0, -before), size - max(0, -after))
        for size, (before, after) in zip(x.shape[lead:], padding, strict=True)
    )
    x = x[inner]
    wide = [
        max(before, 0) + size + max(after, 0)
        for size, (before, after) in zip(x.shape[lead:], padding, strict=True)
    ]
    result = xp.full((*x.shape[:lead], *wide), value, dtype=x.dtype)
    middle = tuple(
        slice(max(before, 0), max(before, 0) + size)
        for size, (before, _) in zip(x.shape[lead:], padding, strict=True)
    )
    result[(..., *middle)] = x
    return result


def without_border(x: Any, padding: Pairs, spatial: Shape, xp: Any) -> Any:
    """The transpose of `bordered`: the inner part of a raw array, with zeros where the border had cut off."""
    return bordered(xp, x, tuple((-before, -after) for before, after in padding))


def windows_of(xp: Any, x: Any, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    """The view (…, *out, *kernel) of a raw array (…, *spatial) with all windows; no memory is taken."""
    rank = len(kernel)
    out = out_sizes(x.shape[-rank:], kernel, stride, ((0, 0),) * rank, dilation)
    steps = x.strides[-rank:]
    strides = (
        *x.strides[:-rank],
        *[step * jump for step, jump in zip(steps, stride, strict=True)],
        *[step * gap for step, gap in zip(steps, dilation, strict=True)],
    )
    return xp.lib.stride_tricks.as_strided(x, (*x.shape[:-rank], *out, *kernel), strides)


def places(
    kernel: Sizes, out: Sizes, stride: Sizes, dilation: Sizes
) -> Iterator[tuple[Sizes, tuple[slice, ...]]]:
    """For each place in a window, the elements that all windows have there, as one slice."""
    for place in product(*[range(k) for k in kernel]):
        yield (
            place,
            tuple(
                slice(at * gap, at * gap + step * (n - 1) + 1, step)
                for at, gap, step, n in zip(place, dilation, stride, out, strict=True)
            ),
        )


def overlap(xp: Any, windows: Any, size: Shape, stride: Sizes, dilation: Sizes) -> Any:
    """Each element of raw windows (…, *out, *kernel) added at its place in an array (…, *size)."""
    rank = len(size)
    out, kernel = windows.shape[-2 * rank : -rank], windows.shape[-rank:]
    result = xp.zeros((*windows.shape[: -2 * rank], *size), dtype=windows.dtype)
    if 0 not in out:
        for place, inside in places(kernel, out, stride, dilation):
            result[(..., *inside)] += windows[(..., *place)]
    return result


def _windows_shape(shape: Shape, *, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Shape:
    rank = len(kernel)
    out = out_sizes(shape[-rank:], kernel, stride, ((0, 0),) * rank, dilation)
    return (*shape[:-rank], *out, *kernel)


def _windows_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, kernel, stride, dilation in (
        ((5,), (2,), (1,), (1,)),
        ((2, 7), (3,), (2,), (1,)),
        ((2, 5, 6), (2, 2), (1, 3), (2, 1)),
        ((0, 4), (2,), (2,), (1,)),
    ):
        yield (rng.normal(size=shape),), {"kernel": kernel, "stride": stride, "dilation": dilation}


WINDOWS: Op = linear(
    "windows",
    lambda xp, x, *, kernel, stride, dilation: xp.array(windows_of(xp, x, kernel, stride, dilation)),
    lambda ct, x, *, kernel, stride, dilation: apply(
        OVERLAP, ct, size=tuple(x.shape)[-len(kernel) :], stride=stride, dilation=dilation
    ),
    _windows_shape,
    symbol="windows",
    formula="windows(x)",
    derivative="1",
    doc="All windows of a size, as further axes at the end.",
    samples=_windows_samples,
    tags="internal",
)


def _overlap_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for (x,), params in _windows_samples(rng):
        made = _windows_shape(x.shape, **params)
        rank = len(params["kernel"])
        yield (
            (rng.normal(size=made),),
            {"size": x.shape[-rank:], "stride": params["stride"], "dilation": params["dilation"]},
        )


OVERLAP: Op = linear(
    "overlap_add",
    lambda xp, x, *, size, stride, dilation: overlap(xp, x, size, stride, dilation),
    lambda ct, x, *, size, stride, dilation: apply(
        WINDOWS, ct, kernel=tuple(x.shape)[-len(size) :], stride=stride, dilation=dilation
    ),
    lambda shape, *, size, stride, dilation: (*shape[: -2 * len(size)], *size),
    symbol="overlap+",
    formula="overlap_add(x)",
    derivative="1",
    doc="Windows put back where they came from; where they overlap they add up. The transpose of taking windows.",
    samples=_overlap_samples,
    tags="internal",
    flops=lambda shape, **params: count(shape),
)
