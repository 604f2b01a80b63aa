"""Losses of scores for classes: cross_entropy, nll_loss and those with a margin.

Scores (logits) have the classes along axis 1, or along their only axis; targets are class numbers without that axis.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.errors import ArgumentError, DTypeError, IndexingError, ShapeError, warn
from gradlab.op import Op, Shape, apply
from gradlab.ops.activations import logsigmoid
from gradlab.ops.axes import shape_of
from gradlab.ops.choice import equal, not_equal, relu, where
from gradlab.ops.elementwise import multiply
from gradlab.ops.families import count
from gradlab.ops.gather import ONE_HOT, TAKE
from gradlab.ops.join import zeros_of
from gradlab.ops.losses import fitting, raw, reduced
from gradlab.ops.pieces import moveaxis
from gradlab.ops.reduce import SUM, mean
from gradlab.ops.reduce import sum as sum_
from gradlab.ops.scatter import TAKE_ALONG
from gradlab.ops.shape import expand_dims, reshape, squeeze
from gradlab.ops.signature import define, whole_numbers
from gradlab.ops.softmax import SOFTMAX, log_softmax

__all__ = ["cross_entropy", "nll_loss", "multi_margin_loss", "multilabel_soft_margin_loss"]
FUNCTIONS_ONLY = tuple(__all__)


# --- one record: log-softmax, and the negative logarithm of the right class picked from it ---


def _forward(xp: Any, x: Any, index: Any, *, axis: int) -> Any:
    top = xp.max(x, axis=axis, keepdims=True)
    gap = x - xp.where(xp.isfinite(top), top, 0.0)
    picked = xp.take_along_axis(gap, xp.expand_dims(index, axis), axis)
    with xp.errstate(divide="ignore", invalid="ignore"):
        z = xp.log(xp.sum(xp.exp(gap), axis=axis, keepdims=True)) - picked
    return xp.squeeze(z, axis=axis)


def _gap(x: Any, index: Any, axis: int) -> Any:
    """softmax(x) - onehot(index)."""
    hot = apply(ONE_HOT, index, classes=shape_of(x)[axis])
    hot = moveaxis(hot, -1, axis) if axis != len(shape_of(index)) else hot
    share = apply(SOFTMAX, x, axis=axis)
    return where(not_equal(hot, 0), share - 1.0, share)


def _jvp(t: Any, z: Any, x: Any, index: Any, *, axis: int) -> Any:
    return apply(SUM, t * _gap(x, index, axis), axis=(axis,), keepdims=False)


def _vjp(ct: Any, z: Any, x: Any, index: Any, *, axis: int) -> Any:
    return expand_dims(ct, axis) * _gap(x, index, axis)


def _samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, axis in (((3, 4), 1), ((2, 3, 2), 1), ((4,), 0), ((0, 2), 1), ((2, 1), 1)):
        rest = (*shape[:axis], *shape[axis + 1 :])
        yield (rng.normal(size=shape), rng.integers(0, shape[axis], size=rest)), {"axis": axis}


def _shape(x: Shape, index: Shape, *, axis: int) -> Shape:
    return index


CROSS_ENTROPY: Op = define(
    "cross_entropy_of_classes",
    _forward,
    _shape,
    jvp=(_jvp, None),
    vjp=(_vjp, None),
    symbol="cross entropy",
    formula="log(sum(exp(x))) - x[index]",
    derivatives=("softmax(x) - onehot(index)", ""),
    doc="How surprising the right class is to one who gave the classes the probabilities softmax(x). Exact for every x.",
    samples=_samples,
    reads="x index",
    tags="smooth internal",
    flops=lambda shape, index, **params: 6 * count(shape),
)


# --- what the targets may be ---


def _classes(name: str, x: Any, target: Any, ignore_index: int) -> tuple[int, Any, Any]:
    """The axis of classes, the targets with 0 where they are ignored, and where they are (None for nowhere)."""
    shape, given = shape_of(x), shape_of(target)
    if not shape:
        raise ShapeError("GL133", f"{name} got a single number as input", "Scores have one axis of classes")
    axis = 0 if len(shape) == 1 else 1
    rest = (*shape[:axis], *shape[axis + 1 :])
    if getattr(getattr(target, "dtype", None), "kind", "i") == "f":
        what = f"{name} got targets of dtype {target.dtype} and shape {given} for scores of shape {shape}"
        expected = "Targets are class numbers (whole), or probabilities of the same shape as the scores"
        raise DTypeError("GL015", what, expected, "Write targets.long() for class numbers")
    target = whole_numbers(target, "target")
    if given != rest:
        what = f"{name} got scores of shape {shape} and class numbers of shape {given}"
        fix = "Squeeze the last axis: targets.squeeze(-1)" if given == (*rest, 1) else ""
        raise ShapeError("GL133", what, f"One class number for each row of scores: {rest}", fix)
    index = raw(target)
    ignored = index == ignore_index
    some = bool(ignored.any())
    kept = where(ignored, 0, index) if some else index
    if count(rest) and not 0 <= int(kept.min()) <= int(kept.max()) < shape[axis]:
        what = (
            f"{name} got class numbers from {int(kept.min())} to {int(kept.max())} for {shape[axis]} classes"
        )
        raise IndexingError(
            "GL024",
            what,
            f"They count from 0 to {shape[axis] - 1}",
            "Count classes from 0, or give the last layer more outputs",
        )
    return axis, kept if some else target, ignored if some else None


def _averaged(loss: Any, counts: Any, ignored: Any, reduction: str) -> Any:
    """Reduce losses, of which some do not count; `counts` are weights or None. The mean is one over what counts."""
    if ignored is not None:
        loss = where(ignored, 0.0, loss)
    if reduction != "mean" or (counts is None and ignored is None):
        return reduced(loss, reduction)
    if ignored is not None:
        counts = where(ignored, 0.0, zeros_of(raw(loss)) + 1.0 if counts is None else counts)
    if ignored is not None and bool(ignored.all()) and ignored.size:
        warn(
            "GL135",
            "every target is ignored, so that the mean is 0 / 0, which is nan. Skip this batch, or use reduction='sum'.",
        )
        return sum_(loss) * float("nan")
    return sum_(loss) / sum_(counts)


def _weights(weight: Any, index: Any, classes: int) -> Any:
    if weight is None:
        return None
    if shape_of(weight) != (classes,):
        what = f"the weights have shape {shape_of(weight)}, and there are {classes} classes"
        raise ShapeError("GL133", what, "One weight for each class")
    return apply(TAKE, weight, raw(index), axis=0)


def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """The mean of -x[target], where x = input holds log-probabilities. Shapes: (n, c, …), (n, …) → ().

    With `weight` (one for each class) the mean is weighted; targets equal to `ignore_index` do not count. VJP: -z̄ w / Σ w at the
    targets, 0 elsewhere. Raises ShapeError GL133, IndexingError GL024, DTypeError GL015.

    >>> gl.nll_loss(gl.log(gl.tensor([[0.5, 0.5]])), gl.tensor([1])).item()
    0.693...
    """
    axis, index, ignored = _classes("nll_loss", input, target, ignore_index)
    loss = -squeeze(apply(TAKE_ALONG, input, expand_dims(raw(index), axis), axis=axis), axis)
    counts = _weights(weight, index, shape_of(input)[axis])
    return _averaged(loss if counts is None else loss * counts, counts, ignored, reduction)


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """The mean of -log softmax(x)[target] for scores x = input. Shapes: (n, c, …), class numbers (n, …) → ().

    Targets may be probabilities of the same shape as the scores. `weight` counts classes differently, targets equal to
    `ignore_index` do not count, `label_smoothing` mixes the targets with equal shares. VJP: z̄ (softmax(x) - onehot(target)) / n.
    Exact for scores of ±1000. Raises ShapeError GL133, IndexingError GL024 (no such class), DTypeError GL015, ArgumentError GL132.

    >>> gl.cross_entropy(gl.tensor([[1000.0, -1000.0]]), gl.tensor([1])).item()
    2000.0
    """
    if not 0.0 <= label_smoothing <= 1.0:
        raise ArgumentError(
            "GL132", f"cross_entropy got label_smoothing={label_smoothing!r}", "It lies from 0 to 1"
        )
    if shape_of(target) == shape_of(input) and getattr(getattr(target, "dtype", None), "kind", "") == "f":
        return _of_shares(input, target, weight, reduction, label_smoothing)
    axis, index, ignored = _classes("cross_entropy", input, target, ignore_index)
    classes = shape_of(input)[axis]
    counts = _weights(weight, index, classes)
    loss = apply(CROSS_ENTROPY, input, index, axis=axis)
    loss = loss if counts is None else loss * counts
    if label_smoothing:
        lines = log_softmax(input, axis)
        lines = lines if weight is None else lines * _along(weight, axis, shape_of(input))
        rest = apply(SUM, lines, axis=(axis,), keepdims=False)
        loss = (1.0 - label_smoothing) * loss - (label_smoothing / classes) * rest
    return _averaged(loss, counts, ignored, reduction)


def _along(weight: Any, axis: int, shape: Shape) -> Any:
    return reshape(weight, (-1, *(1,) * (len(shape) - axis - 1)))


def _of_shares(x: Any, target: Any, weight: Any, reduction: str, smoothing: float) -> Any:
    """cross_entropy with probabilities as targets."""
    shape = shape_of(x)
    axis = 0 if len(shape) == 1 else 1
    if smoothing:
        target = target * (1.0 - smoothing) + smoothing / shape[axis]
    lines = log_softmax(x, axis) * target
    if weight is not None:
        lines = lines * _along(weight, axis, shape)
    return reduced(-apply(SUM, lines, axis=(axis,), keepdims=False), reduction)


# --- with a margin ---


def multi_margin_loss(
    input: Any,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """The mean over rows of Σ max(0, margin - x[target] + x[j])^p / c over the other classes j. Shapes: (n, c), (n,) → ().

    VJP: through the classes that come too near. Raises ShapeError GL133, IndexingError GL024, ArgumentError GL134 for p not 1 or 2.

    >>> gl.multi_margin_loss(gl.tensor([[0.0, 0.5]]), gl.tensor([1])).item()
    0.25
    """
    if p not in (1, 2):
        raise ArgumentError("GL134", f"multi_margin_loss got p={p!r}", "The power is 1 or 2")
    if len(shape_of(input)) < 2 and len(shape_of(target)) < 2:
        input, target = reshape(input, (1, -1)), reshape(whole_numbers(target, "target"), -1)
        loss = multi_margin_loss(input, target, p, margin, weight, reduction="none")
        return reduced(reshape(loss, ()), reduction)
    _, index, _ = _classes("multi_margin_loss", input, target, -100)
    place = expand_dims(raw(index), 1)
    classes = shape_of(input)[1]
    near = relu(margin - apply(TAKE_ALONG, input, place, axis=1) + input)
    hot = apply(ONE_HOT, raw(index), classes=classes)
    lines = where(equal(hot, 1), 0.0, near if p == 1 else near * near)
    loss = apply(SUM, lines, axis=(1,), keepdims=False) * (1.0 / (classes or 1))
    counts = _weights(weight, index, classes)
    return reduced(loss if counts is None else loss * counts, reduction)


def multilabel_soft_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """Yes or no for each class by itself: the mean over classes of -y log σ(x) - (1 - y) log σ(-x). Shapes: (n, c), (n, c) → ().

    VJP: z̄ (σ(x) - y) / (n c). Raises ShapeError GL133.

    >>> gl.multilabel_soft_margin_loss(gl.tensor([[0.0]]), gl.tensor([[1.0]])).item()
    0.693...
    """
    fitting("multilabel_soft_margin_loss", input, target)
    loss = -(multiply(target, logsigmoid(input)) + multiply(1.0 - target, logsigmoid(-input)))
    loss = loss if weight is None else multiply(loss, weight)
    return reduced(mean(loss, axis=-1) if shape_of(loss) else loss, reduction)
