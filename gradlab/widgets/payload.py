"""What the front end is told, as plain JSON: the geometry when the topology changes, and a small frame for every change of numbers.

Sentences and formulas are sent once, with marks where a number belongs; the front end puts the frame's texts in.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from gradlab.op import REGISTRY
from gradlab.viz import cards, expression, formula, theme
from gradlab.viz.expression import ATOM, Term
from gradlab.viz.labels import shorten
from gradlab.viz.layout import Geometry, Point, layout
from gradlab.viz.legend import legend
from gradlab.viz.text import NOT_COMPUTED, number
from gradlab.viz.timeline import timeline

if TYPE_CHECKING:
    from gradlab.viz.view import EdgeView, GraphView, NodeView

NUMBERS = replace(
    expression.UNICODE,
    binary={
        **expression.UNICODE.binary,
        ast.Mult: ("{} × {}", expression.PRODUCT, expression.PRODUCT, expression.POWER),
    },
)
"""Formulas with numbers in them: a cross between two numbers reads better than a dot."""


def mark(key: str) -> str:
    """Where a number goes: two private characters that no label can contain after it was made literal."""
    return f"\ue000{key}\ue001"


def topology_of(view: GraphView) -> str:
    """A short name for what the picture depends on: nodes with their names and kinds, and edges; never the numbers."""
    nodes = [
        (n.id, n.name, n.kind, n.symbol, n.expression, n.grad_state == "none needed", n.shape, n.hidden)
        for n in view.nodes
    ]
    edges = [(e.id, e.source, e.target, e.symbolic) for e in view.edges]
    return blake2b(repr((nodes, edges)).encode("utf-8", "replace"), digest_size=8).hexdigest()


# --- geometry: on a change of topology ----------------------------------------------------------------------------------------


def geometry(
    view: GraphView, leaves: Mapping[str, NodeView | None], start: Mapping[str, float], rankdir: str
) -> dict[str, Any]:
    """Everything that stays while numbers change."""
    plan = _no_plan(view) if view.table_only else layout(view, rankdir)
    root = view.nodes[-1]
    steps = [_step(view, step) for step in timeline(view)]
    handing = {edge for step in steps if step["phase"] == "backward" for edge in step["edges"]}
    return {
        "topology": topology_of(view) + rankdir,
        "title": view.title,
        "rankdir": rankdir,
        "width": plan.width,
        "height": plan.height,
        "root": root.id,
        "kinds": {key: {"shape": kind.shape, "radius": kind.radius} for key, kind in theme.KINDS.items()},
        "nodes": [_node(view, node, plan.nodes[node.id]) for node in view.nodes],
        "edges": [
            _edge(edge, edge.id in handing, *plan.edges[edge.id], plan.tips[edge.id]) for edge in view.edges
        ],
        "leaves": leaf_rows(leaves, start),
        "legend": _legend(view),
        "steps": steps,
        "table_only": view.table_only,
    }


def _no_plan(view: GraphView) -> Geometry:
    """A graph that is too large for a picture is a table."""
    nowhere = (0.0, 0.0)
    boxes = {node.id: (0.0, 0.0, 1.0, 1.0) for node in view.nodes}
    paths = {edge.id: ("M0 0", nowhere) for edge in view.edges}
    return Geometry("none", 1, 1, "LR", boxes, paths, tips={edge.id: nowhere for edge in view.edges})


def _node(view: GraphView, node: NodeView, box: Sequence[float]) -> dict[str, Any]:
    x, y, width, height = box
    head = (
        cards.CHIP_LEFT,
        cards.CHIP_TOP,
        cards.chip_px(node.symbol),
        cards.CHIP_HEIGHT,
        cards.chip_font_px(node.symbol),
    )
    told = formula.explain(view, node.id)
    return {
        "id": node.id, "name": node.name, "short": cards.name_text(node, width), "kind": node.kind, "symbol": node.symbol,
        "operation": node.op if node.inputs else "", "inputs": list(node.inputs), "leaf": not node.inputs,
        "needs": node.grad_state != "none needed", "hint": f"= {node.expression}" if node.inputs else node.kind,
        "x": x, "y": y, "w": width, "h": height, "pad": cards.pad_px(node.kind), "name_x": cards.name_x(node),
        "chip": dict(zip(("left", "top", "width", "height", "font"), head, strict=True)) if node.symbol else None,
        "value_y": height - 30, "grad_y": height - 11, "shape": cards.shape_text(node), "hidden": node.hidden, "fold": node.fold,
        "formula": {"caption": told["caption"], "chain": told["chain"], "numbers": _with_numbers(view, node)},
    }  # fmt: skip


def _with_numbers(view: GraphView, node: NodeView) -> str:
    """The formula with marks for the inputs' values: "‹n3› + ‹n2›". Empty where values are arrays or steps are folded."""
    op = REGISTRY.get(node.op)
    inputs = [view.by_id[one] for one in node.inputs]
    if op is None or node.hidden or not inputs or any(one.value is None for one in inputs):
        return ""
    operands: list[Term | float] = [Term(mark(one.id), ATOM) for one in inputs]
    if op.name == "power" and len(operands) == 1:
        operands.append(_exponent(node.symbol))
    complete = op.variadic or len(operands) == len(op.arg_names)
    return formula.of_op(op, operands, NUMBERS).text if complete else ""


def _exponent(symbol: str) -> float:
    """An exponent that has no card stands in the symbol of its power: "²", "^0.5"."""
    return float(symbol.lstrip("^").translate(_PLAIN_DIGITS))


_PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")


def _edge(edge: EdgeView, hands: bool, path: str, label: Point, tip: Point) -> dict[str, Any]:
    return {
        "id": edge.id, "source": edge.source, "target": edge.target, "slot": edge.slot, "hands": hands,
        "d": path, "d_back": f"{path}L{tip[0]:g} {tip[1]:g}", "lx": label[0], "ly": label[1], "derivative": edge.symbolic or "…",
    }  # fmt: skip


def leaf_rows(leaves: Mapping[str, NodeView | None], start: Mapping[str, float]) -> list[dict[str, Any]]:
    """A row for each slider, inputs before parameters. A leaf that the result does not use has no node, but keeps its slider."""
    rows = [
        {
            "id": f"l{i}",
            "name": name,
            "node": node.id if node else "",
            "kind": node.kind if node else "input",
            **slider_range(start[name]),
        }
        for i, (name, node) in enumerate(leaves.items())
    ]
    return sorted(rows, key=lambda row: row["kind"] == "parameter")


def slider_range(x: float) -> dict[str, float]:
    """A range around a start value that reaches past zero, and a step: 2 gives −3 to 7 in steps of 0.05.

    Example: `slider_range(0.0)` gives `{"low": -2.0, "high": 2.0, "step": 0.02}`.
    """
    size = abs(2 * x) if 1e-9 < abs(x) < 1e300 else 2.0  # also for nan, and for a zero with rounding in it
    power = 10.0 ** (len(f"{size:.0f}") - 1) if size >= 1 else float(f"1e{int(f'{size:e}'.split('e')[1])}")
    half = next(nice * power for nice in (1, 2, 5, 10, 20) if nice * power >= size * 0.999)
    middle = x if x == x and abs(x) < 1e300 else 0.0
    return {"low": middle - half, "high": middle + half, "step": half / 100}


def _legend(view: GraphView) -> list[dict[str, str]]:
    """The rows of the still picture's legend, and the state that only steps can show: some uses added, not all."""
    rows = [
        {"sort": row.sort, "key": row.key, "mark": row.mark, "word": row.words}
        for row in legend(view)
        if row.sort != "edge"
    ]
    seen = {row["key"] for row in rows}
    later = ["not computed", *(["partial"] if any(len(edges) > 1 for edges in view.out_of.values()) else [])]
    states = [theme.GRAD_STATES[key] for key in later if key not in seen]
    return [
        *rows,
        *({"sort": "state", "key": s.key, "mark": s.mark, "word": _LATER_WORDS[s.key]} for s in states),
    ]


_LATER_WORDS = {"not computed": "gradient not computed", "partial": "gradient partly added"}


def _step(view: GraphView, step: Mapping[str, Any]) -> dict[str, Any]:
    node = view.by_id[step["node"]]
    if step["phase"] == "forward":
        says = f" {_atom(node)} = {mark('v' + node.id)}."
    else:
        says = "".join(
            f" {_atom(view.by_id[e.source])}.grad = {mark('r' + e.id)}."
            for e in view.edges
            if e.id in step["edges"]
        )
    return {
        "phase": step["phase"],
        "node": step["node"],
        "edges": list(step["edges"]),
        "say": step["sentence"] + says,
    }


def _atom(node: NodeView) -> str:
    """A name that something can be written behind: a longer expression gets parentheses."""
    name = expression.name_term(shorten(node.name, 40))
    return name.text if name.level == ATOM else f"({name.text})"


# --- frame: on every change ---------------------------------------------------------------------------------------------------


def frame(
    view: GraphView, order: Sequence[str], values: Mapping[str, float], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The numbers as texts, in the order of the geometry. `order` lists the edges as the backward steps use them."""
    running = running_sums(view, order)
    return {
        "values": [cards.value_text(node) for node in view.nodes],
        "grads": [cards.grad_text(node) for node in view.nodes],
        "edges": [
            [number(e.local), number(e.contribution), running.get(e.id, NOT_COMPUTED)] for e in view.edges
        ],
        **leaf_texts(values, rows),
    }


def leaf_texts(values: Mapping[str, float], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Each leaf as Python writes it, and as it is shown, in the order of the sliders."""
    return {"leaves": [[repr(values[row["name"]]), number(values[row["name"]])] for row in rows]}


def running_sums(view: GraphView, order: Sequence[str]) -> dict[str, str]:
    """The gradient of each edge's source once that edge has handed its contribution on."""
    by_id = {edge.id: edge for edge in view.edges}
    sums: dict[str, float] = {}
    told = {}
    for key in order:
        edge = by_id[key]
        sums[edge.source] = sums.get(edge.source, 0.0) + (edge.contribution or 0.0)
        told[key] = number(sums[edge.source]) if edge.contribution is not None else NOT_COMPUTED
    return told
