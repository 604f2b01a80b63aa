"""The picture as PNG or PDF, drawn by matplotlib from the same geometry and the same texts as the SVG.

The figure is made with matplotlib's object interface, so no state of pyplot changes and no window opens.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from math import atan2, cos, sin
from typing import TYPE_CHECKING, Any

from gradlab.viz import cards, theme
from gradlab.viz.dot import HEAD_PX
from gradlab.viz.labels import cut, literal, shorten
from gradlab.viz.layout import Geometry, layout
from gradlab.viz.legend import LegendRow, is_dotted, legend
from gradlab.viz.svg import (
    HEADING_PX,
    LEGEND_ROW_PX,
    LINE_PX,
    MIN_WIDTH_PX,
    SIDE_PX,
    legend_lines,
    legend_px,
    wrapped,
)
from gradlab.viz.text import table

if TYPE_CHECKING:
    from gradlab.viz.view import GraphView, NodeView

PX_PER_INCH = 96
POINTS_PER_PX = 72 / PX_PER_INCH
# Small pictures are drawn twice as sharp as a screen; large ones get coarser, for matplotlib refuses 2**16 dots on a side and
# a file of many megabytes helps nobody.
DOTS_PER_PX, MAX_DOTS, MAX_AREA = 2.0, 30_000, 12_000_000


def render(view: GraphView, form: str) -> bytes:
    """The picture of `view` in the light theme as the bytes of a "png" or "pdf" file."""
    canvas = _drawn(view)
    buffer = io.BytesIO()
    area = (MAX_AREA / (canvas.width * canvas.height)) ** 0.5
    dots = min(DOTS_PER_PX, MAX_DOTS / max(canvas.width, canvas.height), area)
    # no date and no version, so that the same picture gives the same file
    blank = {"Software": None} if form == "png" else {"CreationDate": None, "Creator": None, "Producer": None}
    with warnings.catch_warnings():
        # A sign that no installed font has is drawn as a box; the SVG leaves that to the reader's fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        canvas.figure.savefig(buffer, format=form, dpi=PX_PER_INCH * dots, metadata=blank)
    return buffer.getvalue()


def _drawn(view: GraphView) -> _Canvas:
    if view.table_only or not view.nodes:
        return _table(view)
    geometry = layout(view)
    width = max(geometry.width, MIN_WIDTH_PX)
    notice = wrapped(view.notice, width - 2 * SIDE_PX)
    top = HEADING_PX + LINE_PX * len(notice)
    foot = top + geometry.height
    rows = legend_lines(legend(view), width)
    canvas = _Canvas(width, foot + 20 + LEGEND_ROW_PX * len(rows))
    _heading(canvas, view, width, notice)
    canvas.move((width - geometry.width) / 2, top)
    for edge in view.edges:
        _edge(canvas, geometry, edge.id, is_dotted(view, edge))
    with_shape = any(node.shape for node in view.nodes)
    for node in view.nodes:
        _card(canvas, node, geometry.nodes[node.id], with_shape)
    canvas.move(0, 0)
    canvas.line([(0, foot + 4), (width, foot + 4)], "line", 1)
    _legend(canvas, rows, foot + 12)
    return canvas


class _Canvas:
    """A figure that is drawn on in pixels, with y down and theme colours by name."""

    def __init__(self, width: float, height: float) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.width, self.height = width, height
        self.figure = Figure(
            figsize=(width / PX_PER_INCH, height / PX_PER_INCH), facecolor=theme.COLOURS["bg"][0]
        )
        FigureCanvasAgg(self.figure)
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_xlim(0, width)
        self.axes.set_ylim(height, 0)
        self.axes.axis("off")
        self.move(0, 0)

    def move(self, left: float, top: float) -> None:
        """Count positions from here."""
        self.left, self.top = left, top

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        colour: str = "ink",
        bold: bool = False,
        align: str = "left",
    ) -> None:
        """One line of text on a base line. Nothing in it is read as mathematics."""
        self.axes.text(
            self.left + x,
            self.top + y,
            literal(text),
            fontsize=size * POINTS_PER_PX,
            color=theme.COLOURS[colour][0],
            fontweight="bold" if bold else "normal",
            fontfamily="DejaVu Sans",
            ha=align,
            va="baseline",
            parse_math=False,
        )

    def box(
        self, x: float, y: float, size: tuple[float, float], radius: float, style: dict[str, Any]
    ) -> None:
        """A rectangle with round corners."""
        self._path(_rounded(x, y, size, min(radius, size[0] / 2, size[1] / 2)), style)

    def curve(self, points: Iterable[tuple[float, float]], dotted: bool) -> None:
        """Bézier pieces."""
        line = (0, (1.2, 2.4)) if dotted else "solid"
        style = {"fill": False, "edgecolor": theme.COLOURS["soft"][0], "linewidth": 1.2, "linestyle": line}
        self._path(points, style)

    def _path(self, points: Iterable[tuple[float, float]], style: dict[str, Any]) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        vertices = [(self.left + x, self.top + y) for x, y in points]
        codes = [Path.MOVETO, *[Path.CURVE4] * (len(vertices) - 1)]
        self.axes.add_patch(PathPatch(Path(vertices, codes), **style))

    def polygon(self, points: list[tuple[float, float]], colour: str) -> None:
        """A filled shape."""
        from matplotlib.patches import Polygon

        corners = [(self.left + x, self.top + y) for x, y in points]
        self.axes.add_patch(
            Polygon(corners, closed=True, facecolor=theme.COLOURS[colour][0], edgecolor="none")
        )

    def line(
        self, points: list[tuple[float, float]], colour: str, width: float, dotted: bool = False
    ) -> None:
        """A straight line."""
        from matplotlib.lines import Line2D

        xs, ys = [self.left + x for x, _ in points], [self.top + y for _, y in points]
        style: Any = (0, (1.2, 2.4)) if dotted else "solid"
        self.axes.add_line(
            Line2D(xs, ys, color=theme.COLOURS[colour][0], linewidth=width * POINTS_PER_PX, linestyle=style)
        )


def _rounded(x: float, y: float, size: tuple[float, float], radius: float) -> list[tuple[float, float]]:
    """The outline of a box as Bézier pieces: four sides and four quarter circles, clockwise from the top left."""
    pull = radius * 0.4477  # a quarter circle's control points stand this far from the corner
    right, bottom = x + size[0], y + size[1]
    corners = (
        ((right, y), (-1, 0), (0, 1)),
        ((right, bottom), (0, -1), (-1, 0)),
        ((x, bottom), (1, 0), (0, -1)),
        ((x, y), (0, 1), (1, 0)),
    )
    points = [(x + radius, y)]
    for (cx, cy), (ax, ay), (bx, by) in corners:
        start, end = (cx + ax * radius, cy + ay * radius), (cx + bx * radius, cy + by * radius)
        points += [points[-1], start, start]
        points += [(cx + ax * pull, cy + ay * pull), (cx + bx * pull, cy + by * pull), end]
    return points


def _heading(canvas: _Canvas, view: GraphView, width: float, notice: list[str]) -> None:
    canvas.text(SIDE_PX, 25, cut(view.title, width - 2 * SIDE_PX, 15), 15, bold=True)
    for place, line in enumerate(notice):
        canvas.text(SIDE_PX, 45 + place * LINE_PX, line, 12, "soft")


def _edge(canvas: _Canvas, geometry: Geometry, edge_id: str, dotted: bool) -> None:
    points, (x, y) = geometry.curves[edge_id], geometry.tips[edge_id]
    canvas.curve(points, dotted)
    turn, half = atan2(y - points[-1][1], x - points[-1][0]), HEAD_PX / 2 + 0.5
    back = (x - HEAD_PX * cos(turn), y - HEAD_PX * sin(turn))
    side = (half * sin(turn), -half * cos(turn))
    canvas.polygon(
        [(x, y), (back[0] + side[0], back[1] + side[1]), (back[0] - side[0], back[1] - side[1])], "soft"
    )


def _style(key: str) -> dict[str, Any]:
    kind = theme.KINDS[key]
    line = {"linestyle": (0, (3, 2.2))} if kind.shape == "dashed" else {}
    return {
        "edgecolor": kind.light[0],
        "facecolor": kind.light[1],
        "linewidth": kind.line_px * POINTS_PER_PX,
        **line,
    }


def _box(
    canvas: _Canvas,
    key: str,
    corner: tuple[float, float],
    size: tuple[float, float],
    radius: float,
    inset: float,
) -> None:
    kind, style = theme.KINDS[key], _style(key)
    canvas.box(*corner, size, radius, style)
    if kind.shape == "double":
        inner = {**style, "facecolor": "none", "linewidth": POINTS_PER_PX}
        canvas.box(
            corner[0] + inset,
            corner[1] + inset,
            (size[0] - 2 * inset, size[1] - 2 * inset),
            max(radius - 2, 1),
            inner,
        )


def _card(canvas: _Canvas, node: NodeView, box: tuple[float, float, float, float], with_shape: bool) -> None:
    x, y, width, height = box
    pad = cards.pad_px(node.kind)
    _box(canvas, node.kind, (x, y), (width, height), theme.KINDS[node.kind].radius, 3.5)
    if node.symbol:
        symbol = shorten(node.symbol, 12)
        chip, size = cards.chip_px(symbol), cards.chip_font_px(symbol)
        style = {
            **_style(node.kind),
            "facecolor": theme.COLOURS["bg"][0],
            "linewidth": 0.9,
            "linestyle": "solid",
        }
        canvas.box(
            x + cards.CHIP_LEFT, y + cards.CHIP_TOP, (chip, cards.CHIP_HEIGHT), cards.CHIP_HEIGHT / 2, style
        )
        middle = y + cards.CHIP_TOP + cards.CHIP_HEIGHT / 2 + size * 0.36
        canvas.text(x + cards.CHIP_LEFT + chip / 2, middle, symbol, size, bold=True, align="center")
    canvas.text(x + cards.name_x(node), y + 26, cards.name_text(node, width), 14, bold=True)
    canvas.line([(x + pad, y + cards.HEAD_PX), (x + width - pad, y + cards.HEAD_PX)], "line", 1)
    known = node.grad_state in ("complete", "partial")
    for place, (key, label, text) in enumerate(cards.rows(node, with_shape)):
        base = y + cards.HEAD_PX + 17 + place * cards.ROW_PX
        colour = "soft" if key == "gradient" and not known else "ink"
        canvas.text(x + pad, base, label, 12, "soft")
        canvas.text(x + width - pad - 16, base, text, 13 if key == "gradient" else 14, colour, align="right")
    canvas.text(x + width - pad, base, cards.mark(node), 11, "done" if known else "soft", align="right")


def _legend(canvas: _Canvas, lines: list[list[LegendRow]], top: float) -> None:
    for place, line in enumerate(lines):
        x, y = float(SIDE_PX), top + place * LEGEND_ROW_PX
        for row in line:
            _sample(canvas, row, x, y)
            x += legend_px(row)


def _sample(canvas: _Canvas, row: LegendRow, x: float, y: float) -> None:
    canvas.text(x + (16 if row.sort == "state" else 30), y + 13, row.words, 12, "soft")
    if row.sort == "state":
        known = row.key in ("complete", "partial")
        canvas.text(x + 5, y + 13, row.mark, 12, "done" if known else "soft", align="center")
    elif row.sort == "edge":
        canvas.line([(x, y + 9), (x + 22, y + 9)], "soft", 1.6, dotted=True)
    else:
        _box(canvas, row.key, (x, y + 2), (22, 13), min(theme.KINDS[row.key].radius / 3, 6.5), 2.5)


def _table(view: GraphView) -> _Canvas:
    lines = [literal(line) for line in table(view).split("\n")] if view.nodes else ["Nothing was recorded."]
    canvas = _Canvas(max(MIN_WIDTH_PX, 8.2 * max(map(len, lines)) + 2 * SIDE_PX), LINE_PX * len(lines) + 24)
    for place, line in enumerate(lines):
        canvas.axes.text(
            SIDE_PX,
            22 + place * LINE_PX,
            line,
            fontsize=13 * POINTS_PER_PX,
            family="DejaVu Sans Mono",
            parse_math=False,
        )
    return canvas
