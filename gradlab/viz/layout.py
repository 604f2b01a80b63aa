"""Where cards and edges go: `layout(view)` gives a `Geometry` in pixels, from the first layout engine that works.

A geometry depends on the topology and on the names only, never on the numbers, so a picture stays still while its values change.
"""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import hypot
from typing import TYPE_CHECKING, Any

from gradlab.errors import GraphError
from gradlab.viz import cards, dot, engines, layered

if TYPE_CHECKING:
    from gradlab.viz.view import GraphView, NodeView

Point = tuple[float, float]
Box = tuple[float, float, float, float]
Curve = tuple[list[Point], Point]

MARGIN_PX = 12
# Graphviz takes 20 ms for 40 cards and seconds for some graphs of 600; beyond this size the built-in layout is asked at once.
MAX_ENGINE_NODES, MAX_ENGINE_EDGES = 200, 400
_CACHE_SIZE = 64
WIDE_CARDS = 7
_PARALLEL_GAP_PX = 15


@dataclass(frozen=True)
class Geometry:
    """Positions in px, y down. Shared by the static picture and the explorer, so both look the same.

    nodes: {id: (x, y, width, height)} with the top left corner. edges: {id: (d, (label_x, label_y))} where `d` is an SVG path
    from the border of the source to where the arrow head begins. curves: the same paths as points (first point, then
    three per Bézier piece). tips: where each arrow head ends, on the border of the target.
    """

    engine: str
    width: float
    height: float
    rankdir: str
    nodes: Mapping[str, Box]
    edges: Mapping[str, tuple[str, Point]]
    curves: Mapping[str, tuple[Point, ...]] = field(default_factory=dict)
    tips: Mapping[str, Point] = field(default_factory=dict)


_cache: OrderedDict[str, Geometry] = OrderedDict()


def layout(view: GraphView, rankdir: str | None = None) -> Geometry:
    """Lay out `view` (left to right, or top to bottom with `rankdir="TB"`). The same topology is laid out once.

    Raises GraphError GL033 when the view has a cycle or an edge from a node that it does not have.
    """
    rankdir = rankdir or view.rankdir
    _check(view)
    size = cards.card_size(view)
    key = _topology_hash(view, rankdir, size)
    if key in _cache:
        _cache.move_to_end(key)
        return _cache[key]
    geometry = _cache[key] = _fresh(view, rankdir, size)
    if len(_cache) > _CACHE_SIZE:
        _cache.popitem(last=False)
    return geometry


def forget_layouts() -> None:
    """Empty the cache, and ask engines again that have failed."""
    _cache.clear()
    engines.forget_failures()


def engine_report() -> list[engines.EngineRow]:
    """The layout engines as rows for `gradlab doctor`: which is used, what was found, and what to do about the others.

    Each rung is tried with a small graph, so the answer is what the next picture will use.
    """
    from gradlab.viz.view import EdgeView, GraphView, NodeView

    nodes = (NodeView("n0", "x", "input"), NodeView("n1", "y", "output", inputs=("n0",)))
    probe = GraphView("probe", nodes, (EdgeView("e0", "n0", "n1"),))
    engines.forget_failures()
    return engines.report(_fresh(probe, "LR", cards.card_size(probe)).engine)


def _check(view: GraphView) -> None:
    """Views that gradlab builds are in topological order. One made by hand may not be, and no layout could draw a cycle forward."""
    place = {node.id: i for i, node in enumerate(view.nodes)}
    for edge in view.edges:
        if edge.source not in place or edge.target not in place:
            raise GraphError("GL033", f"edge {edge.id!r} leads to a node that the view does not have")
        if place[edge.source] >= place[edge.target]:
            what = f"edge {edge.id!r} leads back from {edge.source!r} to {edge.target!r}, so the view has a cycle or is out of order"
            raise GraphError("GL033", what, "Every node must stand after its inputs")


def fitting_direction(nodes: Sequence[NodeView]) -> str:
    """Left to right, unless that is much wider than a page and higher than wide would fit better."""
    depth: dict[str, int] = {}
    for node in nodes:
        depth[node.id] = max((depth.get(source, 0) + 1 for source in node.inputs), default=0)
    columns = max(depth.values(), default=0) + 1
    rows: dict[int, int] = {}
    for node in nodes:
        if node.inputs:
            rows[depth[node.id]] = rows.get(depth[node.id], 0) + 1
    return "TB" if columns > WIDE_CARDS and max(rows.values(), default=1) * 2 <= columns else "LR"


def _topology_hash(view: GraphView, rankdir: str, size: tuple[int, int]) -> str:
    """What decides the geometry: edges, sizes, direction, and which engines can be found."""
    digest = blake2b(digest_size=16)
    where = (os.environ.get(engines.VARIABLE), os.environ.get("PATH"))
    digest.update(repr((rankdir, size, where, [node.id for node in view.nodes])).encode("utf-8", "replace"))
    digest.update(repr([(edge.id, edge.source, edge.target) for edge in view.edges]).encode())
    return digest.hexdigest()


def _fresh(view: GraphView, rankdir: str, size: tuple[int, int]) -> Geometry:
    if 0 < len(view.nodes) <= MAX_ENGINE_NODES and len(view.edges) <= MAX_ENGINE_EDGES:
        for engine in engines.candidates():
            try:
                boxes, curves = _read(view, engine.run(dot.layout_source(view, rankdir, size)), size)
            except engines.EngineFailure as error:
                engines.remember_failure(engine, str(error))
            else:
                return _geometry(view, engine.name, rankdir, boxes, curves)
    return _geometry(view, engines.BUILT_IN, rankdir, *_built_in(view, rankdir, size))


def _read(view: GraphView, answer: str, size: tuple[int, int]) -> tuple[dict[str, Box], dict[str, Curve]]:
    """Graphviz's JSON as boxes and curves, with y turned downwards."""
    width, height = size
    try:
        data: dict[str, Any] = json.loads(answer)
        top = float(data["bb"].split(",")[3])
        centres = {item["name"]: _point(item["pos"], top) for item in data["objects"]}
        boxes = {n.id: (*_corner(centres[n.id], size), float(width), float(height)) for n in view.nodes}
        found = {item["id"]: _curve(item["pos"], top) for item in data.get("edges", ())}
        return boxes, {edge.id: found[edge.id] for edge in view.edges}
    except (KeyError, ValueError, IndexError, TypeError, AttributeError) as error:
        raise engines.EngineFailure(f"gave an answer that is no geometry ({type(error).__name__})") from error


def _point(text: str, top: float) -> Point:
    x, y = text.split(",")[-2:]
    return float(x), top - float(y)


def _corner(centre: Point, size: tuple[int, int]) -> Point:
    return centre[0] - size[0] / 2, centre[1] - size[1] / 2


def _curve(text: str, top: float) -> Curve:
    """`e,x,y x,y x,y …`: the tip of the arrow head, then the points of the curve."""
    first, *rest = text.split()
    if not first.startswith("e,") or len(rest) % 3 != 1:
        raise ValueError(text)
    return [_point(part, top) for part in rest], _point(first, top)


def _built_in(
    view: GraphView, rankdir: str, size: tuple[int, int]
) -> tuple[dict[str, Box], dict[str, Curve]]:
    """The layered layout runs from left to right; for top to bottom the plane is mirrored before and after."""
    turned = rankdir == "TB"
    place_of = {node.id: i for i, node in enumerate(view.nodes)}
    pairs = [(place_of[edge.source], place_of[edge.target]) for edge in view.edges]
    corners, routes = layered.place(len(view.nodes), pairs, (size[1], size[0]) if turned else size)
    flip: Callable[[Point], Point] = (lambda p: (p[1], p[0])) if turned else (lambda p: p)
    boxes = {
        n.id: (*flip(corner), float(size[0]), float(size[1]))
        for n, corner in zip(view.nodes, corners, strict=True)
    }
    curves = {
        e.id: ([flip(p) for p in points], flip(tip))
        for e, (points, tip) in zip(view.edges, routes, strict=True)
    }
    return boxes, curves


def _geometry(
    view: GraphView, engine: str, rankdir: str, boxes: dict[str, Box], curves: dict[str, Curve]
) -> Geometry:
    """Move everything into the first quadrant, set parallel edges apart, and write the paths."""
    _fan_out(view, curves, rankdir)
    xs = [x for box in boxes.values() for x in (box[0], box[0] + box[2])]
    ys = [y for box in boxes.values() for y in (box[1], box[1] + box[3])]
    xs += [x for points, _ in curves.values() for x, _ in points]
    ys += [y for points, _ in curves.values() for _, y in points]
    left, top = min(xs, default=0.0) - MARGIN_PX, min(ys, default=0.0) - MARGIN_PX
    moved = {key: tuple(_moved(points, left, top)) for key, (points, _) in curves.items()}
    return Geometry(
        engine=engine,
        width=round(max(xs, default=0.0) - left + MARGIN_PX, 1),
        height=round(max(ys, default=0.0) - top + MARGIN_PX, 1),
        rankdir=rankdir,
        nodes={key: (round(x - left, 1), round(y - top, 1), w, h) for key, (x, y, w, h) in boxes.items()},
        edges={key: (path(points), middle(points)) for key, points in moved.items()},
        curves=moved,
        tips={key: _moved([tip], left, top)[0] for key, (_, tip) in curves.items()},
    )


def _fan_out(view: GraphView, curves: dict[str, Curve], rankdir: str) -> None:
    """Edges between the same two cards (`x*x`) end side by side, in argument order, so each can be seen and counted."""
    groups: dict[tuple[str, str], list[str]] = {}
    for edge in sorted(view.edges, key=lambda e: e.slot):
        groups.setdefault((edge.source, edge.target), []).append(edge.id)
    for ids in groups.values():
        if len(ids) < 2:
            continue
        base = _mean_curve([curves[key] for key in ids])
        room = min(_PARALLEL_GAP_PX, 60 / (len(ids) - 1))
        for place, key in enumerate(ids):
            curves[key] = _beside(base, (place - (len(ids) - 1) / 2) * room, rankdir)


def _mean_curve(curves: list[Curve]) -> Curve:
    """The middle of curves that an engine has bent apart, or the first one if they cannot be compared."""
    first, tip = curves[0]
    if any(len(points) != len(first) for points, _ in curves):
        return curves[0]
    count = len(curves)
    middle_points = [
        (sum(x for x, _ in same) / count, sum(y for _, y in same) / count)
        for same in zip(*(p for p, _ in curves), strict=True)
    ]
    return middle_points, tip


def _beside(curve: Curve, distance: float, rankdir: str) -> Curve:
    """The curve moved sideways by `distance`, so that parallel edges never cross. At its ends it moves along the cards' sides."""
    points, tip = curve
    along = (1.0, 0.0) if rankdir == "LR" else (0.0, 1.0)
    moved = []
    for i, (x, y) in enumerate(points):
        dx, dy = along
        if 0 < i < len(points) - 1:
            dx, dy = points[i + 1][0] - points[i - 1][0], points[i + 1][1] - points[i - 1][1]
        length = hypot(dx, dy) or 1.0
        moved.append(
            (x - dy / length * distance, y + dx / length * distance)
            if rankdir == "LR"
            else (x + dy / length * distance, y - dx / length * distance)
        )
    return moved, (tip[0], tip[1] + distance) if rankdir == "LR" else (tip[0] + distance, tip[1])


def _moved(points: Sequence[Point], left: float, top: float) -> list[Point]:
    return [(round(x - left, 1), round(y - top, 1)) for x, y in points]


def path(points: Sequence[Point]) -> str:
    """An SVG path through Bézier points."""
    texts = [f"{x:g} {y:g}" for x, y in points]
    return f"M{texts[0]}" + "".join(f"C{' '.join(texts[i : i + 3])}" for i in range(1, len(texts), 3))


def middle(points: Sequence[Point]) -> Point:
    """The point half way along a curve, where its label stands."""
    pieces = (len(points) - 1) // 3
    piece, t = divmod(pieces / 2, 1)
    if piece == pieces:
        return points[-1]
    a, b, c, d = points[3 * int(piece) : 3 * int(piece) + 4]
    s = 1 - t
    weights = (s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t)
    x, y = (sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1))
    return round(x, 1), round(y, 1)
