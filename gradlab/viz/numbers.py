"""The numbers in a view: values, gradients and derivatives of nodes, as they are stored or as a walk finds them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from gradlab.errors import GraphError
from gradlab.graph import walk
from gradlab.graph.node import Node
from gradlab.viz import stats

Derivatives = tuple[list[float | None], dict[int, float | None]]


class Numbers:
    """Reads numbers off nodes, and walks the graph again where they are not stored. Stores nothing on a node.

    `gradients`: True walks the graph, False shows none, None shows what backward() left. `stale` collects what had to be left out
    because a value was changed after it was used.
    """

    def __init__(self, root: Node, seed: Any, gradients: bool | None) -> None:
        self.root, self.seed, self.gradients = root, seed, gradients
        self.stale: list[str] = []

    @cached_property
    def cotangents(self) -> Mapping[Node, Any] | None:
        """Gradients by node from a walk, None if none is wanted: scalars keep theirs, tensors keep only the seed."""
        seed = self.seed if self.seed is not None else getattr(self.root, "seed", None)
        if self.gradients is False or not self.root.needs_grad or not (self.gradients or seed is not None):
            return None
        try:
            return walk.cotangents(self.root, seed)
        except GraphError as error:
            self._note(error)
            return None

    def gradient(self, node: Node) -> Any:
        """The gradient that the node holds, or the one that a walk finds; None when it was not computed."""
        if self.gradients is None and self.seed is None and node._grad is not None:
            return node._grad.primal if isinstance(node._grad, Node) else node._grad
        return None if self.cotangents is None else self.cotangents.get(node)

    def of(self, node: Node) -> dict[str, Any]:
        """Value, gradient and state of one node, as fields of a NodeView."""
        value, value_stats = _amount(node.primal)
        gradient = self.gradient(node) if node.needs_grad and self.gradients is not False else None
        grad, grad_stats = _amount(gradient)
        state = "none needed" if not node.needs_grad else "not computed" if gradient is None else "complete"
        facts = {
            "value": value,
            "stats": value_stats,
            "grad": grad,
            "grad_stats": grad_stats,
            "grad_state": state,
        }
        shape = getattr(node.primal, "shape", None)
        if shape is None:
            return facts
        return {
            **facts,
            "shape": tuple(shape),
            "dtype": str(node.primal.dtype),
            "device": getattr(node, "device", None),
        }

    def together(self, members: list[Node]) -> dict[str, Any]:
        """Value and gradient of many nodes on one card, as ranges."""
        parts = [self.of(node) for node in members]
        states = {part["grad_state"] for part in parts} - {"none needed"}
        state = "none needed" if not states else "complete" if states == {"complete"} else "not computed"
        return {
            "stats": _joint([(part["value"], part["stats"]) for part in parts]),
            "grad_stats": _joint([(p["grad"], p["grad_stats"]) for p in parts])
            if state == "complete"
            else None,
            "grad_state": state,
        }

    def derivatives(self, node: Node) -> Derivatives:
        """Local derivatives and contributions by slot, where everything is one number and nothing changed since."""
        inputs = node.inputs
        nothing: list[float | None] = [None] * len(inputs)
        if not node.needs_grad or any(getattr(one.primal, "size", 1) != 1 for one in (node, *inputs)):
            return nothing, {}
        try:
            found = [_amount(one)[0] for one in walk.local_derivatives(node)]
            ct = None if self.gradients is False else self._cotangent(node)
            handed = (
                {} if ct is None else {s: _amount(c)[0] for s, _, c in walk.contributions(node, ct, False)}
            )
        except GraphError as error:
            self._note(error)
            return nothing, {}
        return found, handed

    def _cotangent(self, node: Node) -> Any:
        """What arrived at a node in one pass: found by a walk, or what a scalar in between holds."""
        return self.gradient(node) if self.cotangents is None else self.cotangents.get(node)

    def _note(self, error: GraphError) -> None:
        if error.code != "GL032":
            raise error
        self.stale.append(f"Some derivatives are not shown: {error.what}.")


def _joint(amounts: list[tuple[float | None, dict[str, Any] | None]]) -> dict[str, Any]:
    """Statistics of many nodes: all of them for single numbers, the range alone where arrays take part."""
    if all(array is None for _, array in amounts):
        return stats.spread([value for value, _ in amounts if value is not None])
    ends = [end for value, array in amounts for end in ((array["min"], array["max"]) if array else (value,))]
    known = [end for end in ends if end is not None]
    return {"min": min(known, default=None), "max": max(known, default=None)}


def plain_number(node: Node) -> float | None:
    """The number of a node without a shape, or with the empty shape."""
    return float(node.primal) if getattr(node.primal, "shape", ()) == () else None


def _amount(data: Any) -> tuple[float | None, dict[str, Any] | None]:
    """One number, or the statistics of many."""
    if data is None:
        return None, None
    if getattr(data, "size", 1) == 1:
        return float(data.item() if hasattr(data, "item") else data), None
    return None, stats.summary(data)
