"""The gradient check: what backward() says against what central differences say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gradlab.errors import DTypeError, GradcheckError
from gradlab.graph import walk
from gradlab.graph.node import Node
from gradlab.graph.recording import enable_grad
from gradlab.graph.single import to_float
from gradlab.graph.value import Value
from gradlab.transforms.functional import run

EPS = 6e-6
"""The step: about the cube root of the rounding error of a 64-bit float, where rounding and curvature errors balance."""


@dataclass(frozen=True)
class GradcheckRow:
    """One element: which input, which index, backward's answer, the central difference, and their distance."""

    input: int
    index: tuple[int, ...]
    backward: float
    numeric: float

    @property
    def error(self) -> float:
        """The distance between the two answers, relative to the larger of 1 and their size."""
        if self.backward == self.numeric or (self.backward != self.backward and self.numeric != self.numeric):
            return 0.0
        gap = abs(self.backward - self.numeric) / max(1.0, abs(self.backward), abs(self.numeric))
        return gap if gap == gap else float("inf")


@dataclass(frozen=True)
class GradcheckReport:
    """The rows of a gradient check. True when all agree within the tolerance."""

    rows: tuple[GradcheckRow, ...]
    tolerance: float

    @property
    def max_error(self) -> float:
        """The largest error of all rows; 0 when there are none."""
        return max((row.error for row in self.rows), default=0.0)

    def __bool__(self) -> bool:
        return self.max_error <= self.tolerance

    def __repr__(self) -> str:
        word = "agrees" if self else "disagrees"
        return f"GradcheckReport({word}, elements={len(self.rows)}, max_error={self.max_error:.1e})"


def _elements(x: Any) -> Iterator[tuple[tuple[int, ...], float]]:
    if getattr(x, "shape", None) is None:
        yield (), float(x)
        return
    import numpy as np

    for index in np.ndindex(*x.shape):
        yield index, float(x[index])


def _moved(x: Any, index: tuple[int, ...], to: float) -> Any:
    if getattr(x, "shape", None) is None:
        return to
    moved = x.copy()
    moved[index] = to
    return moved


def _raw(x: Any, place: int) -> Any:
    if isinstance(x, Value) or not (isinstance(x, (Node, list, tuple)) or hasattr(x, "dtype")):
        return x.primal if isinstance(x, Value) else to_float(x)
    from gradlab.graph.arrays import to_array

    array = x.primal if isinstance(x, Node) else to_array(x, None if hasattr(x, "dtype") else "float64")
    if str(array.dtype) != "float64":
        what = f"gradcheck got input {place} with dtype {array.dtype}"
        why = "Central differences subtract two nearly equal numbers, which 32 bits or whole numbers cannot resolve"
        raise DTypeError("GL041", what, why, "Make the input with dtype='float64'")
    return array.copy()


def _total(out: Node) -> float:
    return float(getattr(out.primal, "sum", lambda: out.primal)())


def gradcheck(
    f: Callable[..., Any],
    *inputs: Any,
    eps: float = EPS,
    tolerance: float = 1e-6,
    raise_exception: bool = True,
) -> GradcheckReport:
    """Compare the gradients of f (summed, if it returns an array) with central differences, element by element.

    `inputs` are numbers, Values, lists, or float64 arrays or tensors; a single tuple of them is taken too. `eps` is the step,
    relative to numbers larger than 1.
    Returns a report that is true when every relative error is at most `tolerance`. Raises GradcheckError GL040 otherwise (unless
    `raise_exception` is false), DTypeError GL041 for 32-bit inputs, DataError GL042 when f returns no node.

    >>> gl.gradcheck(lambda x, y: x * y.exp(), 2.0, 0.5)
    GradcheckReport(agrees, elements=2, max_error=...)
    """
    if (
        len(inputs) == 1
        and isinstance(inputs[0], (tuple, list))
        and any(isinstance(x, Node) or hasattr(x, "shape") for x in inputs[0])
    ):
        inputs = tuple(inputs[0])
    raw = [_raw(x, place) for place, x in enumerate(inputs)]
    with enable_grad():
        leaves, out = run(f, raw)
        found = walk.cotangents(out, getattr(out, "ones", lambda: None)()) if out.needs_grad else {}
    rows = []
    for place, (x, leaf) in enumerate(zip(raw, leaves, strict=True)):
        for index, at in _elements(x):
            step = eps * max(1.0, abs(at))  # else it would vanish beside a large number
            below, above = at - step, at + step
            ends = []
            for to in (below, above):
                moved = [_moved(x, index, to) if place == other else one for other, one in enumerate(raw)]
                ends.append(_total(run(f, moved)[1]))
            backward = float(found[leaf][index]) if index and leaf in found else float(found.get(leaf, 0.0))
            rows.append(GradcheckRow(place, index, backward, (ends[1] - ends[0]) / (above - below)))
    report = GradcheckReport(tuple(rows), tolerance)
    if not report and raise_exception:
        worst = max(rows, key=lambda row: row.error)
        where = f"input {worst.input}" + (f" at {worst.index}" if worst.index else "")
        what = f"the gradient of {where} is {worst.backward:.6g} by backward() and {worst.numeric:.6g} by central differences"
        raise GradcheckError(
            "GL040",
            what,
            fix="Look for a wrong rule, a kink near this point, or a value cut off with .data or float()",
        )
    return report
