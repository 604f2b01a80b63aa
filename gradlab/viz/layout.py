"""Where cards and edges go: `layout(view)` gives a `Geometry` in pixels, from the first layout engine that works.

A geometry depends on the topology and on the names only, never on the numbers, so a picture stays still while its values change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradlab.viz.view import GraphView

Point = tuple[float, float]
Box = tuple[float, float, float, float]


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


def layout(view: GraphView, rankdir: str | None = None) -> Geometry:
    """Lay out `view` (left to right, or top to bottom with `rankdir="TB"`). The same topology is laid out once."""
    raise NotImplementedError
