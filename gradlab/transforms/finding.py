"""The nan finder: which node was the first to leave the finite range, on the way forward or back, and what usually helps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from gradlab.backends import backend_of
from gradlab.errors import GraphError
from gradlab.graph import walk
from gradlab.graph.node import Node

CURES = {
    "log": "Keep the argument above zero: log(x + 1e-12), or log_softmax instead of log(softmax(x))",
    "sqrt": "Keep the argument above zero: sqrt(x + 1e-12), or norm, which knows its slope at zero",
    "divide": "Keep the divisor away from zero before dividing: x / where(y == 0, 1, y)",
    "power": "Keep the base above zero, or use a whole-number exponent",
    "exp": "Subtract the largest argument first, as softmax and logsumexp do",
    "where": "Choose the arguments before the function, not its results: where(ok, f(where(ok, x, 1)), 0)",
    "multiply": "0 · inf is nan: look at which factor became infinite",
}
"""The usual cure, by op."""

MASKED = (
    "A branch that where(...) does not show was computed all the same, and 0 · inf on the way back is nan. "
    "Choose the arguments before the function, not its results: where(ok, f(where(ok, x, 1)), 0)"
)


@dataclass(frozen=True)
class NanReport:
    """What the finder found: `node`, its `phase` ("forward" or "backward"), what went in, and the usual cure. False when all is finite."""

    node: Any
    phase: str
    text: str
    cure: str

    def __bool__(self) -> bool:
        return self.node is not None

    def __repr__(self) -> str:
        return f"NanReport({self.text}{' ' + self.cure + '.' if self.cure else ''})"


def _finite(x: Any) -> bool:
    raw = getattr(x, "primal", x)
    if isinstance(raw, float):
        return math.isfinite(raw)
    if raw.dtype.kind != "f":
        return True
    return bool(backend_of(raw).xp.isfinite(raw).all())


def _name(node: Node) -> str:
    return f"{node.op.name} (node {node.label!r})" if node.label else node.op.name


def _shown(node: Node) -> str:
    raw = node.primal
    if isinstance(raw, float):
        return f"{node.label or node.op.name} = {raw:.4g}"
    bad = int(raw.size - int(backend_of(raw).xp.isfinite(raw).sum())) if raw.dtype.kind == "f" else 0
    size = f"{raw.min():.4g} … {raw.max():.4g}" if raw.size else "empty"
    return f"{node.label or node.op.name}: shape {raw.shape}, {f'{bad} not finite' if bad else size}"


def find_nan(loss: Any) -> NanReport:
    """The first node whose value is nan or inf although its inputs are finite; if there is none, the first whose gradient is.

    Takes a `Value` or `Tensor` that was recorded. The report is false when everything is finite. Raises GraphError GL031 for
    something that is no node.

    >>> x = gl.tensor([0.0, 1.0], requires_grad=True, label="x")
    >>> report = gl.find_nan(gl.where(x > 0, gl.sqrt(x), 0.0).sum())
    >>> report.phase, report.node.op.name
    ('backward', 'sqrt')
    """
    if not isinstance(loss, Node):
        raise GraphError("GL031", f"find_nan looks at a node, got {type(loss).__name__}")
    order = walk.topological(loss)
    for node in order:
        if not _finite(node):
            shown = "; ".join(_shown(one) for one in node.inputs)
            text = f"forward: {_name(node)} gave nan or inf" + (
                f" from {shown}." if shown else ", it was given so."
            )
            return NanReport(node, "forward", text, CURES.get(node.op.name, ""))
    return _backward(loss, order) if loss.needs_grad else NanReport(None, "", "everything is finite.", "")


def _backward(loss: Any, order: list[Node]) -> NanReport:
    chosen = any(node.op.name == "where" for node in order)
    import warnings

    with loss.quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seed = loss.seed_like(loss.ones(), False)
        for node, _, handed in walk.pull_steps(order, {loss: seed}):
            for _, one, contribution in handed:
                if not _finite(contribution):
                    shown = "; ".join(_shown(x) for x in node.inputs)
                    text = f"backward: the gradient that {_name(node)} hands to {one.label or one.op.name} is nan or inf, from {shown}."
                    return NanReport(
                        node, "backward", text, MASKED if chosen else CURES.get(node.op.name, "")
                    )
    return NanReport(None, "", "everything is finite, gradients too.", "")
