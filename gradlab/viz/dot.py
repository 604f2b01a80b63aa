"""DOT text, built with the `graphviz` package: one with placeholders for the layout engine, one with every fact for people.

Node names are `n0, n1, …` only. What a label says never reaches the layout engine, so no label can break it, and no number can
move the picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradlab.viz import cards, theme
from gradlab.viz.labels import shorten

if TYPE_CHECKING:
    from gradlab.viz.view import GraphView, NodeView

NODE_GAP_PX, RANK_GAP_PX = 24, 66
HEAD_PX = 8
PLACEHOLDER = "0.000"
_DOT_STYLE = {
    "pill": "filled,rounded",
    "square": "filled",
    "dashed": "filled,dashed",
    "rounded": "filled,rounded",
    "double": "filled",
}
_ROW_ALIGN = r"\l"


def layout_source(view: GraphView, rankdir: str, size: tuple[int, int]) -> str:
    """DOT for the layout engine: boxes of one size with a placeholder in each, and edges from side to side."""
    tail, head = ("e", "w") if rankdir == "LR" else ("s", "n")
    graph = _digraph(rankdir)
    graph.attr("node", shape="box", fixedsize="true", label=PLACEHOLDER, **_inches(size))
    graph.attr("edge", tailport=tail, headport=head, arrowsize=f"{HEAD_PX / 10:g}")
    for node in view.nodes:
        graph.node(node.id)
    for edge in view.edges:
        graph.edge(edge.source, edge.target, id=edge.id)
    return str(graph.source)


def source(view: GraphView) -> str:
    """DOT with names, values and gradients, to open in any Graphviz tool."""
    graph = _digraph(view.rankdir)
    graph.attr("node", fontname="Helvetica", fontsize="11", shape="box")
    graph.attr("edge", fontname="Helvetica", fontsize="9", color=theme.COLOURS["soft"][0])
    with_shape = any(node.shape for node in view.nodes)
    for node in view.nodes:
        graph.node(node.id, _label(node, with_shape), **_look(node))
    for edge in view.edges:
        graph.edge(edge.source, edge.target)
    return str(graph.source)


def _digraph(rankdir: str) -> Any:
    from graphviz import Digraph

    # Graphviz counts in points; here one point is one pixel. Curved lines keep clear of the boxes.
    gaps = {"nodesep": f"{NODE_GAP_PX / 72:.4f}", "ranksep": f"{RANK_GAP_PX / 72:.4f}"}
    return Digraph("gradlab", graph_attr={"rankdir": rankdir, "splines": "true", **gaps})


def _inches(size: tuple[int, int]) -> dict[str, str]:
    return {"width": f"{size[0] / 72:.4f}", "height": f"{size[1] / 72:.4f}"}


def _label(node: NodeView, with_shape: bool) -> str:
    """The card as lines of text, every character literal: backslashes doubled, and no HTML-like label by accident."""
    title = f"{node.symbol}  {shorten(node.name, 60)}" if node.symbol else shorten(node.name, 60)
    texts = [title, *(f"{label}  {text}" for _, label, text in cards.rows(node, with_shape))]
    texts[-1] += f" {cards.mark(node)}"
    # Graphviz reads `&amp;` and its like in plain labels too, so the ampersand is spelled out.
    return "".join(_escape(text) + _ROW_ALIGN for text in texts)


def _escape(text: str) -> str:
    from graphviz import escape

    return str(escape(text.replace("&", "&amp;")))


def _look(node: NodeView) -> dict[str, str]:
    kind = theme.KINDS[node.kind]
    line, fill = kind.light
    double = {"peripheries": "2"} if kind.shape == "double" else {}
    return {
        "style": _DOT_STYLE[kind.shape],
        "color": line,
        "fillcolor": fill,
        "penwidth": f"{kind.line_px:g}",
        **double,
    }
