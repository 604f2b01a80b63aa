"""What was recorded, before anything is drawn: the roots of what was asked for, and which nodes get a card."""

from __future__ import annotations

from typing import Any

from gradlab.errors import OperandError
from gradlab.graph import walk
from gradlab.graph.graph import Graph
from gradlab.graph.node import Node
from gradlab.graph.recording import enable_grad
from gradlab.viz.numbers import plain_number


def roots_of(x: Any) -> list[Node]:
    """The nodes to draw, from a node, a graph or a list. Raises OperandError GL060 for anything else."""
    if isinstance(x, Node):
        return [x]
    if isinstance(x, Graph):
        with enable_grad():  # a frozen graph holds no nodes: it is recorded once more, also inside no_grad
            x = x.instantiate()
    if isinstance(x, (list, tuple)) and x and all(isinstance(one, Node) for one in x):
        return list(x)
    kind = "None" if x is None else type(x).__name__
    fix = (
        "Call it on an input first, and draw the result"
        if callable(x)
        else "Make numbers into nodes with Value(2.0) or tensor([1.0])"
    )
    raise OperandError(
        "GL060", f"draw() got {kind}", "It draws a Value, a Tensor, a Graph or a list of nodes", fix
    )


def exponents_of(nodes: list[Node]) -> set[int]:
    """Nameless constants that serve as the exponent of one power and nothing else: they are drawn as "²", not as a card."""
    uses: dict[int, int] = {}
    for node in nodes:
        for slot, one in enumerate(node.inputs):
            if one.op.name == "constant":
                exponent = (
                    slot == 1 and node.op.name == "power" and not one.label and plain_number(one) is not None
                )
                uses[id(one)] = uses.get(id(one), 0) + (1 if exponent else 2)
    return {key for key, count in uses.items() if count == 1}


def drawn_nodes(root: Node) -> list[Node]:
    """The recorded nodes that get a card when nothing is folded, in the order of their ids: the first is n0."""
    nodes = walk.topological(root)
    exponents = exponents_of(nodes)
    return [node for node in nodes if id(node) not in exponents]
