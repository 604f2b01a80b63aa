"""`Graph`: a recorded graph, frozen into plain data that can be compared, hashed, verified and recorded again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gradlab.backends import describe
from gradlab.errors import ArgumentError, GraphError, OperandError, ShapeError
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


def _comparable(param: Any) -> Any:
    """A parameter in a form whose text says all of it; the text of a long array leaves out its middle."""
    if isinstance(param, (tuple, list)):
        return tuple(_comparable(one) for one in param)
    return (str(param.dtype), param.shape, param.tobytes()) if hasattr(param, "tobytes") else param


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
        key=repr(_comparable(params)),
        source=None if node.inputs else node.copy_with((), node.primal),
    )


def _fresh(node: GraphNode, data: Any) -> Any:
    """A leaf of a frozen graph once more, with these data."""
    assert node.source is not None
    leaf = node.source.copy_with((), data)
    if node.shape is not None and leaf.shape != node.shape:
        what = (
            f"leaf {node.label or node.id} has shape {node.shape}, and the new data have shape {leaf.shape}"
        )
        raise ShapeError("GL061", what, "A frozen graph keeps its shapes")
    return leaf


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
        listed = roots if isinstance(roots, (list, tuple)) else [roots]
        if not listed or not all(isinstance(root, Node) for root in listed):
            what = f"Graph.of takes a node or a list of nodes, got {describe(roots)}"
            raise OperandError("GL050", what, fix="Pass the node that was computed last, such as the loss")
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
        """Record the graph again on fresh leaves, some with other data by id or label. Returns the output nodes.

        Raises ArgumentError GL061 for a name that no leaf has, ShapeError GL061 for data of another shape.
        """
        data = dict(data or {})
        made: dict[str, Any] = {}
        for node in self.nodes:
            if node.source is not None:
                named = next((name for name in (node.id, node.label) if name in data), None)
                made[node.id] = _fresh(node, node.source.primal if named is None else data[named])
                continue
            inputs = tuple(made[one] for one in node.inputs)
            made[node.id] = inputs[0].__gradlab_apply__(node.op, inputs, dict(node.params))
            made[node.id].label, made[node.id].scope = node.label, node.scope
        unknown = data.keys() - {
            name for node in self.nodes if node.source is not None for name in (node.id, node.label)
        }
        if unknown:
            leaves = ", ".join(node.label or node.id for node in self.nodes if node.source is not None)
            raise ArgumentError(
                "GL061", f"this graph has no leaf {min(unknown)!r}", f"Its leaves are {leaves}"
            )
        return [made[output] for output in self.outputs]

    @property
    def edges(self) -> int:
        """The number of edges; a node used twice by one op gives two."""
        return sum(len(node.inputs) for node in self.nodes)

    def __repr__(self) -> str:
        return f"Graph(nodes={len(self.nodes)}, edges={self.edges})"
