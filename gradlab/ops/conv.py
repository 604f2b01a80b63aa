"""The three records of a convolution: the product itself, its transpose in the input, and its transpose in the weight.

Each is linear in both of its inputs, and the derivatives of each are the other two, so second derivatives need nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.op import Op, Rule, Shape, apply
from gradlab.ops.axes import shape_of
from gradlab.ops.families import count
from gradlab.ops.signature import define
from gradlab.ops.sliding import Pairs, Sizes, bordered, out_sizes, overlap, windows_of, without_border

__all__: list[str] = []


def _columns(xp: Any, x: Any, kernel: Sizes, out_shape: Sizes, p: dict[str, Any]) -> Any:
    """All windows of x (n, c, *spatial) as (groups, n · out, c / groups · k)."""
    n, c = x.shape[:2]
    rank, groups = len(kernel), p["groups"]
    view = windows_of(xp, bordered(xp, x, p["padding"]), kernel, p["stride"], p["dilation"])
    view = view[(slice(None), slice(None), *[slice(size) for size in out_shape])]
    view = view.reshape(n, groups, c // groups, *view.shape[2:]) if groups > 1 else view[:, None]
    order = (1, 0, *range(3, 3 + rank), 2, *range(3 + rank, 3 + 2 * rank))
    return view.transpose(order).reshape(groups, n * count(out_shape), c // groups * count(kernel))


def _rows(y: Any, groups: int) -> Any:
    """y (n, o, *out) as (groups, o / groups, n · out)."""
    n, o = y.shape[:2]
    split = y.reshape(n, groups, o // groups, count(y.shape[2:]))
    return split.transpose(1, 2, 0, 3).reshape(groups, o // groups, n * count(y.shape[2:]))


def _images(rows: Any, n: int, out: Sizes) -> Any:
    """The way back from `_rows`."""
    groups, o = rows.shape[:2]
    return rows.reshape(groups, o, n, *out).swapaxes(0, 2).swapaxes(1, 2).reshape(n, groups * o, *out)


def _conv(xp: Any, x: Any, w: Any, *, stride: Sizes, padding: Pairs, dilation: Sizes, groups: int) -> Any:
    p = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    out = out_sizes(x.shape[2:], w.shape[2:], stride, padding, dilation)
    columns = _columns(xp, x, w.shape[2:], out, p)
    weight = w.reshape(groups, w.shape[0] // groups, columns.shape[-1])
    return _images(xp.matmul(weight, columns.swapaxes(1, 2)), x.shape[0], out)


def _conv_x(
    xp: Any, y: Any, w: Any, *, size: Sizes, stride: Sizes, padding: Pairs, dilation: Sizes, groups: int
) -> Any:
    kernel, out, rank = w.shape[2:], y.shape[2:], len(size)
    rows = _rows(y, groups)  # (groups, o / groups, n · out)
    weight = w.reshape(groups, w.shape[0] // groups, w.shape[1] * count(kernel))
    spread = xp.matmul(weight.swapaxes(1, 2), rows).reshape(groups, w.shape[1], *kernel, y.shape[0], *out)
    order = (rank + 2, 0, 1, *range(rank + 3, 2 * rank + 3), *range(2, rank + 2))
    wide = tuple(s + before + after for s, (before, after) in zip(size, padding, strict=True))
    whole = overlap(xp, spread.transpose(order), wide, stride, dilation)
    whole = whole.reshape(y.shape[0], groups * w.shape[1], *wide)
    return without_border(whole, padding, size, xp)


def _conv_w(
    xp: Any, x: Any, y: Any, *, kernel: Sizes, stride: Sizes, padding: Pairs, dilation: Sizes, groups: int
) -> Any:
    p = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    columns = _columns(xp, x, kernel, y.shape[2:], p)
    return xp.matmul(_rows(y, groups), columns).reshape(y.shape[1], x.shape[1] // groups, *kernel)


def _conv_shape(x: Shape, w: Shape, *, stride: Sizes, padding: Pairs, dilation: Sizes, groups: int) -> Shape:
    return (x[0], w[0], *out_sizes(x[2:], w[2:], stride, padding, dilation))


def _conv_x_shape(y: Shape, w: Shape, *, size: Sizes, groups: int, **params: Any) -> Shape:
    return (y[0], w[1] * groups, *size)


def _conv_w_shape(x: Shape, y: Shape, *, kernel: Sizes, groups: int, **params: Any) -> Shape:
    return (y[1], x[1] // groups, *kernel)


GEOMETRIES: tuple[tuple[Shape, Shape, Sizes, Pairs, Sizes, int], ...] = (
    ((2, 2, 5), (3, 2, 2), (1,), ((0, 0),), (1,), 1),
    ((1, 4, 6), (2, 2, 3), (2,), ((2, 1),), (1,), 2),
    ((2, 1, 6, 6), (2, 1, 3, 3), (3, 3), ((1, 1), (1, 1)), (1, 1), 1),  # the stride does not divide
    ((1, 2, 5, 4), (2, 1, 2, 3), (1, 2), ((0, 1), (1, 0)), (2, 1), 2),
    ((1, 1, 3, 3, 3), (1, 1, 2, 2, 2), (1, 1, 1), ((0, 0),) * 3, (1, 1, 1), 1),
    ((1, 1, 6), (1, 1, 2), (1,), ((-1, -2),), (1,), 1),
    ((0, 1, 4), (1, 1, 2), (1,), ((0, 0),), (1,), 1),
)


def _samples(kind: str) -> Any:
    def samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
        for x, w, stride, padding, dilation, groups in GEOMETRIES:
            p: dict[str, Any] = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
            y = _conv_shape(x, w, **p)
            shapes = {"conv": (x, w), "conv_input": (y, w), "conv_weight": (x, y)}[kind]
            extra = {"conv_input": {"size": x[2:]}, "conv_weight": {"kernel": w[2:]}}.get(kind, {})
            yield tuple(rng.normal(size=shape) for shape in shapes), {**p, **extra}

    return samples


def _record(name: str, forward: Any, shape: Any, vjp: tuple[Rule, Rule], flops: Any, **words: Any) -> Op:
    op = define(
        name,
        forward,
        shape,
        jvp=(
            lambda t, z, x, y, **params: apply(op, t, y, **params),
            lambda t, z, x, y, **params: apply(op, x, t, **params),
        ),
        vjp=vjp,
        samples=_samples(name),
        reads="x w" if name == "conv" else "y w" if name == "conv_input" else "x y",
        tags="bilinear smooth internal",
        flops=flops,
        **words,
    )
    return op


CONV: Op = _record(
    "conv",
    _conv,
    _conv_shape,
    (
        lambda ct, z, x, w, **p: apply(CONV_INPUT, ct, w, size=shape_of(x)[2:], **p),
        lambda ct, z, x, w, **p: apply(CONV_WEIGHT, x, ct, kernel=shape_of(w)[2:], **p),
    ),
    lambda x, w, **p: 2 * count(_conv_shape(x, w, **p)) * count(w[1:]),
    symbol="conv",
    formula="conv(x, w)",
    derivatives=("conv_transpose(ct, w)", "conv(x, ct)"),
    doc="Each window of x times the weights, summed: a small matrix product at every place.",
)
CONV_INPUT: Op = _record(
    "conv_input",
    _conv_x,
    _conv_x_shape,
    (
        lambda ct, z, y, w, *, size, **p: apply(CONV, ct, w, **p),
        lambda ct, z, y, w, *, size, **p: apply(CONV_WEIGHT, ct, y, kernel=shape_of(w)[2:], **p),
    ),
    lambda y, w, **p: 2 * count(y) * count(w[1:]),
    symbol="convᵀ",
    formula="conv_transpose(y, w)",
    derivatives=("conv(ct, w)", "conv(ct, y)"),
    doc="The transposed convolution: each element of y spreads the weights over its window.",
)
CONV_WEIGHT: Op = _record(
    "conv_weight",
    _conv_w,
    _conv_w_shape,
    (
        lambda ct, z, x, y, *, kernel, **p: apply(CONV_INPUT, y, ct, size=shape_of(x)[2:], **p),
        lambda ct, z, x, y, *, kernel, **p: apply(CONV, x, ct, **p),
    ),
    lambda x, y, *, kernel, groups, **p: 2 * count(y) * x[1] // groups * count(kernel),
    symbol="conv w",
    formula="conv(x, y)",
    derivatives=("conv_transpose(y, ct)", "conv(x, ct)"),
    doc="What each weight saw: the windows of x times y, summed over all places.",
)
