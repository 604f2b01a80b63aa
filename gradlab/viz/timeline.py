"""The steps of a graph: forward once through the operations, then backward from the seed, each with the sentence that says it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gradlab.viz.labels import shorten

if TYPE_CHECKING:
    from gradlab.viz.view import EdgeView, GraphView, NodeView

NAME_CHARS = 40
MAX_NAMES = 4
_NOUNS = {
    "add": "addition",
    "subtract": "subtraction",
    "multiply": "multiplication",
    "divide": "division",
    "power": "the power",
    "negative": "the minus sign",
    "total": "the sum",
    "sum": "the sum",
    "mean": "the mean",
    "matmul": "the matrix product",
}


def timeline(view: GraphView) -> list[dict[str, Any]]:
    """Steps as plain data: phase "forward" or "backward", node id, ids of the edges used, and a sentence for the spoken line.

    Forward: one step for each operation. Backward: the seed, then one step for each operation that has a gradient to hand on.
    """
    computed = [node for node in view.nodes if node.inputs]
    forward = [_step("forward", node, view.into.get(node.id, ()), _forward(view, node)) for node in computed]
    handing = [node for node in reversed(computed) if node.grad_state != "none needed"]
    backward = [_step("backward", view.nodes[-1], (), _seed(view.nodes[-1]))] if handing else []
    backward += [_step("backward", node, handed(view, node), _backward(view, node)) for node in handing]
    return _numbered(forward) + _numbered(backward)


def handed(view: GraphView, node: NodeView) -> tuple[EdgeView, ...]:
    """The edges along which a node hands its gradient on: those to inputs that need one."""
    return tuple(e for e in view.into.get(node.id, ()) if view.by_id[e.source].grad_state != "none needed")


def _step(phase: str, node: NodeView, edges: Sequence[EdgeView], sentence: str) -> dict[str, Any]:
    return {"phase": phase, "node": node.id, "edges": [edge.id for edge in edges], "sentence": sentence}


def _numbered(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    count = len(steps)
    return [
        {**step, "sentence": f"{step['phase']} step {place} of {count}: {step['sentence']}"}
        for place, step in enumerate(steps, 1)
    ]


def _forward(view: GraphView, node: NodeView) -> str:
    if node.hidden:
        return f"{_name(node)} computes its {node.hidden} folded nodes from {_names(view, view.into.get(node.id, ()))}."
    name = _name(node)
    what = "" if node.name == node.expression else f" = {shorten(node.expression, 2 * NAME_CHARS)}"
    return f"{name}{what} is computed from {_names(view, view.into.get(node.id, ()))}."


def _seed(root: NodeView) -> str:
    return f"the gradient of {_name(root)} with respect to itself is 1; this is the seed."


def _backward(view: GraphView, node: NodeView) -> str:
    edges = handed(view, node)
    if not edges:
        return f"{_name(node)} has nobody to hand its gradient to: its inputs need none."
    return f"{_name(node)} hands its gradient to {_names(view, edges)}; {_how(node, edges)}."


def _how(node: NodeView, edges: Sequence[EdgeView]) -> str:
    """What the operation does to a gradient that passes, told from its derivatives."""
    noun = _NOUNS.get(node.op, node.op or "this card")
    rules = [edge.symbolic for edge in edges]
    if node.hidden or not all(rules):
        return "the steps inside are folded" if node.hidden else f"{noun} passes it back by its rule"
    if set(rules) == {"1"}:
        return f"{noun} passes it on unchanged"
    if set(rules) <= {"1", "−1"}:
        return (
            f"{noun} passes it on, its sign turned for the second"
            if len(rules) > 1
            else f"{noun} turns its sign"
        )
    factors = [shorten(rule, NAME_CHARS) for rule in dict.fromkeys(rules)]
    return f"{noun} multiplies it by {_joined(factors)}" + (", in this order" if len(factors) > 1 else "")


def _names(view: GraphView, edges: Sequence[EdgeView]) -> str:
    counts: dict[str, int] = {}
    for edge in edges:
        counts[edge.source] = counts.get(edge.source, 0) + 1
    return _joined(
        [
            _name(view.by_id[key]) + (" twice" if many == 2 else f" {many} times" if many > 2 else "")
            for key, many in counts.items()
        ]
    )


def _joined(texts: list[str]) -> str:
    if len(texts) > MAX_NAMES:
        return ", ".join(texts[: MAX_NAMES - 1]) + f" and {len(texts) - MAX_NAMES + 1} more"
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def _name(node: NodeView) -> str:
    return shorten(node.name, NAME_CHARS) or node.id
