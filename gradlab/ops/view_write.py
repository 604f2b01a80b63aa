"""Writing through a view: the base with the numbers that a view of it was given. Recorded when a view is changed in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gradlab.op import Op, apply
from gradlab.ops.index import GETITEM
from gradlab.ops.join import zeros_of
from gradlab.ops.shape import TRANSPOSE
from gradlab.ops.signature import define

__all__: list[str] = []

Steps = tuple[tuple[Op, Mapping[str, Any]], ...]


def view_of(x: Any, steps: Steps) -> Any:
    """What these view ops show of x."""
    for op, params in steps:
        x = apply(op, x, **params)
    return x


def _view_write(xp: Any, x: Any, y: Any, *, steps: Steps) -> Any:
    z = seen = xp.array(x)
    for op, params in steps:
        seen = op.forward(xp, seen, **params)
    seen[...] = y
    return z


def _samples(rng: Any) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    row, swap = (GETITEM, {"index": (1,)}), (TRANSPOSE, {"axes": (1, 0)})
    for steps, shape in (((row,), (3,)), ((swap, row), (2,)), ((), (2, 3)), ((swap, row, row), ())):
        yield (rng.normal(size=(2, 3)), rng.normal(size=shape)), {"steps": steps}


VIEW_WRITE: Op = define(
    "view_write",
    _view_write,
    lambda x, y, *, steps: x,
    jvp=(
        lambda t, z, x, y, *, steps: apply(VIEW_WRITE, t, zeros_of(y), steps=steps),
        lambda t, z, x, y, *, steps: apply(VIEW_WRITE, zeros_of(x), t, steps=steps),
    ),
    vjp=(
        lambda ct, z, x, y, *, steps: apply(VIEW_WRITE, ct, zeros_of(y), steps=steps),
        lambda ct, z, x, y, *, steps: view_of(ct, steps),
    ),
    symbol="[ ]=",
    formula="put(x, y)",
    derivatives=("1 if kept else 0", "1"),
    doc="x with y written at the place that a view of x shows.",
    samples=_samples,
    tags="smooth internal",
)
