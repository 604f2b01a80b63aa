"""The legend: every kind, gradient state and line style that a picture uses, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradlab.viz import theme

if TYPE_CHECKING:
    from gradlab.viz.view import EdgeView, GraphView

DOTTED_WORDS = "no gradient handed on"


@dataclass(frozen=True)
class LegendRow:
    """One entry: `sort` is "kind", "state" or "edge"; `key` names it in the theme; `mark` is its sign, `words` what it means."""

    sort: str
    key: str
    mark: str
    words: str


def legend(view: GraphView) -> list[LegendRow]:
    """The rows for this view, in the order of the theme's tables."""
    kinds = {node.kind for node in view.nodes}
    rows = [LegendRow("kind", kind.key, "", kind.word) for kind in theme.KINDS.values() if kind.key in kinds]
    for state in theme.GRAD_STATES.values():
        nodes = [node for node in view.nodes if node.grad_state == state.key]
        if nodes:
            counts = {(node.added, node.uses) for node in nodes} if state.key == "partial" else set()
            words = (
                theme.state_text(state.key, *counts.pop())
                if len(counts) == 1
                else state.words.format(k="some", m="all")
            )
            rows.append(LegendRow("state", state.key, state.mark, f"gradient {words}"))
    if any(is_dotted(view, edge) for edge in view.edges):
        rows.append(LegendRow("edge", "dotted", "", DOTTED_WORDS))
    return rows


def is_dotted(view: GraphView, edge: EdgeView) -> bool:
    """Once some gradients are there, an edge that has handed none on is dotted."""
    if view.by_id[edge.source].grad_state == "complete":
        return False
    return view.has_gradients
