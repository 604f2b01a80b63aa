"""What the modes of the explorer ask the kernel: the paths from a leaf to the result, and a gradient beside central differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradlab.viz.labels import shorten
from gradlab.viz.text import compact, number

if TYPE_CHECKING:
    from gradlab.viz.view import EdgeView, GraphView, NodeView

MAX_PATHS = 12
DIGITS = 9


def paths(view: GraphView, node: NodeView) -> dict[str, Any]:
    """Each path from `node` to the root with the product of the local derivatives along it, and their sum."""
    root = view.nodes[-1]
    top, bottom = shorten(root.name, 40), shorten(node.name, 40)
    count = count_paths(view, node.id)
    found = find_paths(view, node.id, MAX_PATHS)
    lead = f"{count} {'path leads' if count == 1 else 'paths lead'} from {bottom} to {top}."
    lead += f" The first {len(found)} are shown." if count > len(found) else ""
    if any(edge.local is None for path in found for edge in path) or node.id == root.id or not found:
        lead = f"There is no path of single numbers from {bottom} to {top}. Select another node."
        return {"mode": "paths", "lead": lead, "paths": [], "sum": ""}
    products = [math.prod(edge.local or 0.0 for edge in path) for path in found]
    terms = [number(one) if i == 0 else _bracketed(number(one)) for i, one in enumerate(products)]
    if count > len(found):
        terms.append("…")
    total = f"= {' + '.join(terms)} = " if count > 1 else "= "
    return {
        "mode": "paths",
        "lead": f"{lead} Along a path the local derivatives are multiplied.",
        "paths": [_path(view, path, product) for path, product in zip(found, products, strict=True)],
        "sum": f"∂{top}/∂{bottom} {total}{number(node.grad)}",
    }


def _path(view: GraphView, path: list[EdgeView], product: float) -> dict[str, Any]:
    stops = [view.by_id[path[0].source], *(view.by_id[edge.target] for edge in path)]
    factors = [compact(edge.local) for edge in path]
    written = " × ".join([factors[0], *map(_bracketed, factors[1:])])
    return {
        "edges": [edge.id for edge in path],
        "route": " → ".join(shorten(stop.name, 24) for stop in stops),
        "product": f"{written} = {number(product)}" if len(path) > 1 else number(product),
    }


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("−") else text


def _handing(view: GraphView, source: str) -> list[EdgeView]:
    return [edge for edge in view.out_of.get(source, ()) if edge.symbolic or edge.local is not None]


def count_paths(view: GraphView, source: str) -> int:
    """How many paths lead from a node to the root, without walking them all."""
    counts = {view.nodes[-1].id: 1}
    for node in reversed(view.nodes[:-1]):
        counts[node.id] = sum(counts.get(edge.target, 0) for edge in _handing(view, node.id))
    return counts.get(source, 0)


def find_paths(view: GraphView, source: str, limit: int) -> list[list[EdgeView]]:
    """The first `limit` paths from a node to the root, as lists of edges."""
    root = view.nodes[-1].id
    found: list[list[EdgeView]] = []
    waiting: list[list[EdgeView]] = [[edge] for edge in reversed(_handing(view, source))]
    while waiting and len(found) < limit:
        path = waiting.pop()
        if path[-1].target == root:
            found.append(path)
        else:
            waiting += [[*path, edge] for edge in reversed(_handing(view, path[-1].target))]
    return found


def check(view: GraphView, node: NodeView, at: Callable[[float], float]) -> dict[str, Any]:
    """The gradient of `node` beside what the root does when the node is nudged. `at(x)` is the root's value with x in the node."""
    top, bottom = shorten(view.nodes[-1].name, 40), shorten(node.name, 40)
    if node.value is None or node.grad is None or any(one.hidden for one in view.nodes):
        lead = f"{bottom} is no single number with a gradient. Select another node."
        return {"mode": "check", "lead": lead, "rows": [], "verdict": "", "agrees": True}
    step = 10.0 ** round(math.log10(1e-5 * max(1.0, abs(node.value)))) if math.isfinite(node.value) else 1e-5
    low, high = at(node.value - step), at(node.value + step)
    slope = (high - low) / (2 * step)
    scale = max(abs(slope), abs(node.grad), 1.0)
    rounding = 1e-15 * max(abs(low), abs(high)) / step  # what double precision loses in the difference
    agrees = abs(slope - node.grad) <= 1e-6 * scale + rounding
    nudge = f"{step:.7f}".rstrip("0").rstrip(".")
    return {
        "mode": "check",
        "lead": f"Nudge {bottom} by {nudge} down and up, and see what {top} does:",
        "rows": [
            [f"{top} at {bottom} − {nudge}", number(low, DIGITS)],
            [f"{top} at {bottom} + {nudge}", number(high, DIGITS)],
            ["difference ÷ distance", number(slope, DIGITS)],
            ["gradient by the chain rule", number(node.grad, DIGITS)],
        ],
        "verdict": "● They agree."
        if agrees
        else "○ They differ. At a kink, a jump or nan the slope depends on the side one looks from.",
        "agrees": agrees,
    }
