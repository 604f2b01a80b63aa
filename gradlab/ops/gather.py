"""Reading and writing at positions that are themselves an array: take, gather, and their transposes that add.

Here the positions are an input of the op, as a placeholder may be; `x[i]` and `index_put` hold theirs as a parameter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.errors import IndexingError, ShapeError
from gradlab.op import Op, apply
from gradlab.ops.axes import normalize_axis, shape_of
from gradlab.ops.choice import equal, where
from gradlab.ops.families import count
from gradlab.ops.join import zeros_of
from gradlab.ops.shape import reshape
from gradlab.ops.signature import cut, define, either, whole_numbers

__all__ = ["take", "index_select", "embedding", "index_add", "one_hot"]
FUNCTIONS_ONLY = ("embedding", "one_hot")


def checked(function: Any, *args: Any, **params: Any) -> Any:
    """Apply an op; an index out of range becomes IndexingError GL024."""
    try:
        return apply(function, *args, **params)
    except IndexError as error:
        raise IndexingError("GL024", f"{function.name}: {error}", "Positions count from 0 to n - 1") from None


# --- whole slices: take, and index_add as its transpose ---


def _take_vjp(ct: Any, z: Any, x: Any, index: Any, *, axis: int) -> Any:
    shape, picks = shape_of(x), count(shape_of(index))
    slices = reshape(ct, (*shape[:axis], picks, *shape[axis + 1 :]))
    return apply(INDEX_ADD, zeros_of(x), reshape(index, (picks,)), slices, axis=axis)


def _take_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, picks, axis in (
        ((4,), (3,), 0),
        ((4, 2), (2, 3), 0),
        ((2, 3), (2,), 1),
        ((2, 3), (), 1),
        ((3, 2), (0,), 0),
    ):
        yield (rng.normal(size=shape), rng.integers(0, shape[axis], size=picks)), {"axis": axis}


TAKE: Op = define(
    "take",
    lambda xp, x, index, *, axis: xp.take(x, index, axis=axis),
    lambda x, index, *, axis: (*x[:axis], *index, *x[axis + 1 :]),
    jvp=(lambda t, z, x, index, *, axis: apply(TAKE, t, index, axis=axis), None),
    vjp=(_take_vjp, None),
    symbol="take",
    formula="take(x, index)",
    derivatives=("1", ""),
    doc="The slices of x at the given positions along an axis. Positions that repeat add their gradients.",
    samples=_take_samples,
    reads="index",
    tags="smooth",
)


def _add_slices(xp: Any, x: Any, index: Any, y: Any, *, axis: int) -> Any:
    z = xp.array(x)
    front, rows = xp.moveaxis(z, axis, 0), xp.moveaxis(y, axis, 0)
    if rows.ndim == 1 or xp.__name__ != "numpy" or not rows.size:
        xp.add.at(front, index, rows)
        return z
    # sorted by position, each run of equal positions is one sum: far quicker than adding slice by slice
    place = xp.where(index < 0, index + front.shape[0], index)
    order = xp.argsort(place, kind="stable")
    run = place[order]
    starts = xp.flatnonzero(xp.concatenate([[True], run[1:] != run[:-1]]))
    front[run[starts]] += xp.add.reduceat(rows[order], starts, axis=0)
    return z


def _index_add_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape, picks, axis in (((4,), 3, 0), ((3, 2), 5, 0), ((2, 3), 2, 1), ((3, 2), 0, 0)):
        y = rng.normal(size=(*shape[:axis], picks, *shape[axis + 1 :]))
        yield (rng.normal(size=shape), rng.integers(-1, shape[axis], size=picks), y), {"axis": axis}


INDEX_ADD: Op = define(
    "index_add",
    _add_slices,
    lambda x, index, y, *, axis: x,
    jvp=(
        lambda t, z, x, index, y, *, axis: t,
        None,
        lambda t, z, x, index, y, *, axis: apply(INDEX_ADD, zeros_of(x), index, t, axis=axis),
    ),
    vjp=(
        lambda ct, z, x, index, y, *, axis: ct,
        None,
        lambda ct, z, x, index, y, *, axis: apply(TAKE, ct, index, axis=axis),
    ),
    symbol="index add",
    formula="x + add_at(y)",
    derivatives=("1", "", "1"),
    doc="x with slices added at the given positions along an axis. Positions that repeat add up.",
    samples=_index_add_samples,
    reads="x index",
    tags="smooth",
)


def take(x: Any, index: Any, axis: int | None = None, *, dim: int | None = None) -> Any:
    """The slices of x at `index` along `axis`, or elements of the flattened x without one.

    Shapes: (n, m), (k,), axis=0 → (k, m). VJP: each slice's cotangent added where it came from. Raises IndexingError GL024.
    """
    index, axis = whole_numbers(index), either(axis, dim)
    if axis is None:
        return take(reshape(x, -1), index, 0)
    return checked(TAKE, x, index, axis=normalize_axis(axis, len(shape_of(x))))


def index_select(x: Any, dim: int, index: Any) -> Any:
    """PyTorch's `take` along one axis."""
    index = whole_numbers(index)
    return take(x if shape_of(x) else reshape(x, 1), reshape(index, -1), dim)


def embedding(index: Any, weight: Any, padding_idx: int | None = None) -> Any:
    """The rows of `weight` at `index`; the row `padding_idx` gets no gradient. Shapes: (…), (n, d) → (…, d).

    VJP: each row's cotangent added where it came from. Raises IndexingError GL024 when there is no such row.
    """
    index = whole_numbers(index)
    rows = checked(TAKE, weight, index, axis=0)
    if padding_idx is None:
        return rows
    padding = equal(index, padding_idx % shape_of(weight)[0])
    return where(reshape(padding, (*shape_of(index), 1)), getattr(rows, "detach", lambda: rows)(), rows)


def index_add(x: Any, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Any:
    """x with the slices of `source` added at `index` along an axis; repeated positions add up. Shapes: (n, m), 0, (k,), (k, m) → (n, m)."""
    index = reshape(whole_numbers(index), -1)
    place = normalize_axis(dim, len(shape_of(x)) or 1)
    if not shape_of(x):
        return reshape(index_add(reshape(x, 1), 0, index, reshape(source, -1), alpha=alpha), ())
    wanted = (*shape_of(x)[:place], count(shape_of(index)), *shape_of(x)[place + 1 :])
    if shape_of(source) != wanted:
        source = reshape(source, wanted) if not shape_of(source) else source
        if shape_of(source) != wanted:
            what = f"index_add needs a source of shape {wanted}, got {shape_of(source)}"
            raise ShapeError("GL029", what, "One slice of the source for each position")
    return checked(INDEX_ADD, x, index, source if alpha == 1 else source * float(alpha), axis=place)


def _one_hot_samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape in ((3,), (2, 2), (), (0,)):
        yield (rng.integers(0, 4, size=shape),), {"classes": 4}


ONE_HOT: Op = cut(
    "one_hot",
    lambda xp, index, *, classes: xp.asarray(xp.expand_dims(index, -1) == xp.arange(classes), dtype=int),
    lambda index, *, classes: (*index, classes),
    symbol="one hot",
    formula="one_hot(index)",
    doc="Rows of zeros with a 1 at the given position.",
    samples=_one_hot_samples,
)


def one_hot(index: Any, num_classes: int = -1) -> Any:
    """Rows of zeros with a 1 at each position of `index`, as whole numbers. Shapes: (n,) → (n, num_classes). No gradient.

    Without `num_classes` it is the largest position + 1. Raises IndexingError GL024 when a position is not in range.
    """
    index = whole_numbers(index)
    raw = getattr(index, "primal", index)
    classes = (int(raw.max()) + 1 if raw.size else 0) if num_classes in (-1, None) else num_classes
    if raw.size and not 0 <= int(raw.min()) <= int(raw.max()) < classes:
        raise IndexingError(
            "GL024", f"one_hot with {classes} classes got {int(raw.min())} … {int(raw.max())}"
        )
    return apply(ONE_HOT, index, classes=classes)
