"""`Graph`: a recorded graph, frozen into plain data that can be compared, hashed, verified and recorded again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gradlab.errors import GraphError
from gradlab.graph import walk
from gradlab.graph.node import Node
from gradlab.op import REGISTRY, Op


@dataclass(frozen=True)
class GraphNode:
    """One node of a frozen graph. `inputs` are the ids of its inputs in argument order.

    `source` is the recorded node's copy of a leaf (its data, label and kind); ops have none, since they are computed.
    Equality is that of structure: op, inputs, parameters, shape, dtype, label and scope, not the numbers.
    """

    id: str
    op: Op
    inputs: tuple[str, ...]
    params: tuple[tuple[str, Any], ...] = field(compare=False)
    shape: tuple[int, ...] | None
    dtype: str
    label: str
    scope: tuple[str, ...]
    key: str  # the parameters as text: arrays in an index can be neither compared nor hashed
    source: Node | None = field(default=None, compare=False, repr=False)


def _freeze(node: Node, ids: Mapping[Node, str]) -> GraphNode:
    params = tuple(sorted(node.params.items()))
    shape = getattr(node, "shape", None)
    return GraphNode(
        id=ids[node],
        op=node.op,
        inputs=tuple(ids[one] for one in node.inputs),
        params=params,
        shape=None if shape is None else tuple(shape),
        dtype=str(getattr(node, "dtype", "float")),
        label=node.label,
        scope=node.scope,
        key=repr(params),
        source=None if node.inputs else node.copy_with((), node.primal),
    )


@dataclass(frozen=True, repr=False)
class Graph:
    """A frozen graph: `nodes` in topological order and the ids of its `outputs`. Built and verified by `Graph.of(loss)`.

    Two graphs are equal when they have the same structure. Raises GraphError GL050 when a rule is broken, naming the node.

    >>> x = gl.Value(2.0, label="x")
    >>> gl.Graph.of(x * x)
    Graph(nodes=2, edges=2)
    """

    nodes: tuple[GraphNode, ...]
    outputs: tuple[str, ...]

    def __post_init__(self) -> None:
        self.verify()

    @classmethod
    def of(cls, roots: Node | list[Node] | tuple[Node, ...]) -> Graph:
        """Freeze what was recorded for one node or several. The recorded nodes are not kept or changed."""
        order = walk.topological(roots)
        walk.check_acyclic(order)
        ids = {node: f"n{place}" for place, node in enumerate(order)}
        return cls(
            tuple(_freeze(node, ids) for node in order), tuple(ids[root] for root in walk.roots_of(roots))
        )

    def verify(self) -> None:
        """Check every rule of a graph: ids in order, inputs before users, ops known, as many inputs as the op takes."""
        seen: set[str] = set()
        for place, node in enumerate(self.nodes):
            arity = len(node.op.arg_names)
            rules = {
                f"its id should be n{place}": node.id == f"n{place}",
                "its op is not registered": REGISTRY.get(node.op.name) is node.op,
                "an input does not come before it": all(one in seen for one in node.inputs),
                f"{node.op.name} takes {arity} inputs": node.op.variadic or len(node.inputs) == arity,
                "a leaf needs its data": bool(node.inputs) or node.source is not None,
            }
            broken = [rule for rule, holds in rules.items() if not holds]
            if broken:
                raise GraphError(
                    "GL050", f"node {node.id} ({node.op.name}) breaks a rule of graphs: {broken[0]}"
                )
            seen.add(node.id)
        for output in self.outputs:
            if output not in seen:
                raise GraphError("GL050", f"output {output} is not a node of this graph")

    def instantiate(self, data: Mapping[str, Any] | None = None) -> list[Any]:
        """Record the graph again on fresh leaves, some with other data by id or label. Returns the output nodes."""
        data = data or {}
        made: dict[str, Any] = {}
        kind = type(next(node.source for node in self.nodes if node.source is not None))
        for node in self.nodes:
            if node.source is not None:
                number = data.get(node.id, data.get(node.label, node.source.primal))
                made[node.id] = node.source.copy_with((), number)
                continue
            made[node.id] = kind.__gradlab_apply__(
                node.op, tuple(made[one] for one in node.inputs), dict(node.params)
            )
            made[node.id].label, made[node.id].scope = node.label, node.scope
        return [made[output] for output in self.outputs]

    @property
    def edges(self) -> int:
        """The number of edges; a node used twice by one op gives two."""
        return sum(len(node.inputs) for node in self.nodes)

    def __repr__(self) -> str:
        return f"Graph(nodes={len(self.nodes)}, edges={self.edges})"
