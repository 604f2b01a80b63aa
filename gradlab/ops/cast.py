"""Changing the data type, and copying. Both are linear; the transpose of a change of type changes it back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlab.backends.arrays import cast
from gradlab.op import Op, apply
from gradlab.ops.axes import dtype_of
from gradlab.ops.families import linear

__all__ = ["astype", "clone"]


def _samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    for shape in ((), (3,), (0, 2)):
        yield (rng.normal(size=shape),), {"dtype": "float64"}


ASTYPE: Op = linear(
    "astype",
    lambda xp, x, *, dtype: cast(xp, xp.asarray(x), xp.dtype(dtype)),
    lambda ct, x, *, dtype: apply(ASTYPE, ct, dtype=dtype_of(x)),
    lambda shape, *, dtype: shape,
    symbol="as type",
    formula="astype(x)",
    derivative="1",
    doc="The same numbers in another data type.",
    samples=_samples,
    tags="view",
)


def astype(x: Any, dtype: Any) -> Any:
    """The same numbers as another data type, such as "float64" or "int64"; the fraction is cut off where the type has none.

    Shapes: any → the same. VJP: the cotangent, in the type of x. Whole numbers and booleans have no gradient.
    Raises DTypeError GL013 when there is no such type, DataError GL012 where nan or inf would become a whole number.
    """
    from gradlab.backends.numpy import CPU

    return apply(ASTYPE, x, dtype=str(CPU.dtype(dtype)))


CLONE: Op = linear(
    "clone",
    lambda xp, x: xp.array(x),
    lambda ct, x: ct,
    lambda shape: shape,
    symbol="copy",
    formula="x",
    derivative="1",
    doc="The same numbers in memory of their own.",
    samples=lambda rng: (((rng.normal(size=shape),), {}) for shape in ((), (3,), (0, 2))),
)


def clone(x: Any) -> Any:
    """The same numbers in memory of their own: what is changed in the copy is not changed in x.

    Shapes: any → the same. VJP: the cotangent, as it is.

    >>> x = gl.tensor([1.0, 2.0])
    >>> y = x.clone()
    >>> y[0] = 5.0
    >>> x.tolist()
    [1.0, 2.0]
    """
    return apply(CLONE, x)
