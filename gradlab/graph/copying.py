"""Copies of nodes: `copy.copy`, `copy.deepcopy` and `pickle`. All are loops over the graph, so its depth does not matter.

A deep copy of a node is a copy of everything it was computed from, with numbers, gradients and times of change, and computes nothing.
"""

from __future__ import annotations

import copy
from typing import Any

from gradlab.graph import walk
from gradlab.graph.node import Node, last_change, next_index


def _twin(node: Node, inputs: tuple[Node, ...]) -> Node:
    """A node with the same state, an array of its own, and other inputs."""
    made = object.__new__(type(node))
    for name in type(node).STATE:
        setattr(made, name, getattr(node, name))
    if hasattr(node, "extra"):
        made.primal, made.extra = node.primal.copy(), copied_extra(node.extra)  # type: ignore[attr-defined]
    made.link(inputs)
    return made


def copied_extra(extra: Any) -> Any:
    """Of the extra state a copy takes over only whether the gradient is kept; hooks and shared memory stay with the original."""
    if extra is None or not extra.retains:
        return None
    made = type(extra)()
    made.retains = True
    return made


def _copy(self: Node) -> Node:
    return _twin(self, self.inputs)


def _deepcopy(self: Node, memo: dict[int, Any]) -> Node:
    for node in walk.topological(self):
        if id(node) not in memo:
            made = _twin(node, tuple(memo[id(one)] for one in node.inputs))
            made._grad = copy.copy(node._grad)
            memo[id(node)] = made
    return memo[id(self)]


# --- pickle: leaves by themselves, so that several graphs keep sharing them; a computed node with a table of what is below it ---


def _state(node: Node) -> dict[str, Any]:
    state = {name: getattr(node, name) for name in type(node).STATE}
    if hasattr(node, "extra"):
        state["extra"] = copied_extra(node.extra)
    return {**state, "params": dict(node.params)} if node.params else {**state, "params": None}


def _reduce(self: Node) -> tuple[Any, ...]:
    if self.is_leaf:
        return load_leaf, (type(self), _state(self))
    order = walk.topological(self)
    places = {node: place for place, node in enumerate(order)}
    times = [(node.index, node.changed) for node in order]
    table = [
        node if node.is_leaf else (_state(node), tuple(places[one] for one in node.inputs)) for node in order
    ]
    return load_graph, (type(self), table, times)


def _load(kind: type[Node], state: dict[str, Any], inputs: tuple[Node, ...]) -> Node:
    made = object.__new__(kind)
    params = state.pop("params")
    for name, value in state.items():
        if name != "params":
            setattr(made, name, value)
    if params is not None:
        setattr(made, "params", params)  # noqa: B010  (only a Tensor has a place for them)
    made.index, made.changed = next_index(), 0
    made.link(inputs)
    return made


def load_leaf(kind: type[Node], state: dict[str, Any]) -> Node:
    """A leaf read back. It is new on this process's clock."""
    return _load(kind, state, ())


def load_graph(kind: type[Node], table: list[Any], times: list[tuple[int, int]]) -> Node:
    """The last node of a table read back, with all below it. Recordings and changes keep their order on this process's clock."""
    nodes: list[Node] = []
    events = [(index, place, False) for place, (index, _) in enumerate(times)]
    events += [(changed, place, True) for place, (_, changed) in enumerate(times) if changed]
    for _, place, is_change in sorted(events):
        if is_change:
            nodes[place].changed = last_change[0] = next_index()
        elif isinstance(table[place], Node):
            nodes.append(table[place])
        else:
            state, inputs = table[place]
            nodes.append(_load(kind, state, tuple(nodes[one] for one in inputs)))
    return nodes[-1]


def install_copying(cls: type[Node]) -> None:
    """Give a node class the methods that Python's copy and pickle look for."""
    for name, function in {"__copy__": _copy, "__deepcopy__": _deepcopy, "__reduce__": _reduce}.items():
        setattr(cls, name, function)
