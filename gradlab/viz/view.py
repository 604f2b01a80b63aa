"""View data: a graph as frozen plain data, the only thing that pictures, tables, formulas and the explorer read.

`draw(x)` makes a `GraphView` from a `Value`, a `Tensor`, a `Graph` or a list of nodes. Nothing in it refers to the nodes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

WIDE_PX = 1500


@dataclass(frozen=True, slots=True)
class NodeView:
    """One card of the picture. `value` and `grad` are None where there is no single number to show.

    kind: input, parameter, constant, operation, output or loss. grad_state: "none needed", "not computed", "partial" or
    "complete". `uses` counts the edges that hand this node a gradient; `added` counts those already added up.
    `hidden` counts the recorded nodes that a fold put behind this card (0: an ordinary node) and `fold` names that fold.
    """

    id: str
    name: str
    kind: str
    symbol: str = ""
    op: str = ""
    scope: tuple[str, ...] = ()
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    device: str | None = None
    value: float | None = None
    stats: Mapping[str, Any] | None = None
    grad: float | None = None
    grad_stats: Mapping[str, Any] | None = None
    grad_state: str = "not computed"
    inputs: tuple[str, ...] = ()
    source: str | None = None
    expression: str = ""
    uses: int = 0
    added: int = 0
    hidden: int = 0
    fold: str = ""


@dataclass(frozen=True, slots=True)
class EdgeView:
    """One use of a node: `source` is argument number `slot` of `target`.

    `local` is the derivative of the target by this argument, `symbolic` the same as a formula ("x", "2·error"), and
    `contribution` what this use adds to the gradient of the source (upstream gradient times local derivative).
    """

    id: str
    source: str
    target: str
    slot: int = 0
    local: float | None = None
    contribution: float | None = None
    symbolic: str = ""


@dataclass(frozen=True, repr=False)
class GraphView:
    """A graph as plain data, in topological order. Shows itself in a notebook; `save` writes it to a file.

    `total` counts the recorded nodes, folded ones included; `notice` says what the picture leaves out, if anything.
    """

    title: str
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]
    rankdir: str = "LR"
    total: int = 0
    notice: str = ""
    table_only: bool = False

    def __repr__(self) -> str:
        return f"GraphView(nodes={len(self.nodes)}, edges={len(self.edges)})"

    @cached_property
    def by_id(self) -> Mapping[str, NodeView]:
        """Node views by their id."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def into(self) -> Mapping[str, tuple[EdgeView, ...]]:
        """Edges by the node they lead to, in argument order."""
        return _grouped(self.edges, "target")

    @cached_property
    def out_of(self) -> Mapping[str, tuple[EdgeView, ...]]:
        """Edges by the node they come from."""
        return _grouped(self.edges, "source")

    @cached_property
    def has_gradients(self) -> bool:
        """Whether any gradient was computed."""
        return any(node.grad_state in ("complete", "partial") for node in self.nodes)

    def svg(self) -> str:
        """The picture as the text of an SVG document: cards, edges and legend, for light and dark pages."""
        from gradlab.viz.svg import svg

        return svg(self)

    def text(self) -> str:
        """The graph as a table, one node a line."""
        from gradlab.viz.text import table

        return table(self)

    def dot(self) -> str:
        """The graph in Graphviz's language, with names, values and gradients."""
        from gradlab.viz.dot import source

        return source(self)

    def json(self) -> str:
        """All of the view data as JSON text; numbers that JSON does not know are "nan", "inf" and "-inf"."""
        from gradlab.viz.save import as_json

        return as_json(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file; the ending says how: .svg, .png, .pdf, .dot, .html, .json or .txt.

        Raises ArgumentError GL062 for another ending, StorageError GL080 when the file cannot be written.
        """
        from gradlab.viz.save import save

        save(self, path)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        """What IPython asks for. A wide picture comes with the wish to be shown in its own size, with a scroll bar."""
        data = {"text/plain": self.text(), "image/svg+xml": self.svg()}
        return (data, {"image/svg+xml": {"unconfined": True}}) if self._is_wide() else data

    def _is_wide(self) -> bool:
        from gradlab.viz.layout import layout

        return not self.table_only and layout(self).width > WIDE_PX


def _grouped(edges: Iterable[EdgeView], end: str) -> dict[str, tuple[EdgeView, ...]]:
    groups: dict[str, list[EdgeView]] = {}
    for edge in edges:
        groups.setdefault(getattr(edge, end), []).append(edge)
    return {key: tuple(group) for key, group in groups.items()}


def view(
    x: Any,
    *,
    seed: Any = None,
    gradients: bool | None = None,
    names: Mapping[Any, str] | None = None,
    title: str | None = None,
    loss: bool = False,
    fold: bool | None = None,
    unfold: Collection[str] = (),
    rankdir: str | None = None,
) -> GraphView:
    """The graph below `x` (a `Value`, a `Tensor`, a `Graph` or a list of nodes) as plain data. Nothing on the nodes changes.

    gradients: None shows what `backward()` has computed, True computes them for the picture (with `seed`), False shows none.
    names: names for nodes without a label. title: the heading, else the formula of the last node. loss: the last node is a loss.
    fold: True folds scopes, sums and chains, False folds nothing, None folds when there are more than 150 cards; `unfold` keeps
    single folds open, by the `fold` of their card. rankdir: "LR", "TB", or None for whichever fits a page.

    Raises OperandError GL060 for anything that is not a graph, GraphError GL033 for a graph with a cycle.
    """
    from gradlab.viz.build import Options, build

    return build(x, Options(seed, gradients, names or {}, title, loss, fold, unfold, rankdir))


draw = view
