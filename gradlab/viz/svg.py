"""The static picture: one SVG file with cards, edges and legend, light and dark, for people who see it and people who hear it.

It holds no ids, so any number of pictures can stand on one page; its style applies to its own class only. Every text is escaped.
Colours are CSS variables with a plain colour before them, for programs that know no variables.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from math import atan2, degrees
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from gradlab.viz import cards, theme
from gradlab.viz.dot import HEAD_PX
from gradlab.viz.labels import cut, literal, shorten, width_px
from gradlab.viz.layout import Geometry, layout
from gradlab.viz.legend import LegendRow, is_dotted, legend
from gradlab.viz.text import number, table

if TYPE_CHECKING:
    from gradlab.viz.view import EdgeView, GraphView, NodeView

MIN_WIDTH_PX, SIDE_PX = 420, 14
HEADING_PX, LINE_PX, LEGEND_ROW_PX = 38, 17, 22
MAX_DESCRIBED = 60
# A page may shrink a wide picture this much; beyond that it scrolls, so that the text stays readable.
MIN_SCALE = 0.7


def svg(view: GraphView) -> str:
    """The picture of `view` as the text of an SVG document. The same view gives the same text."""
    if view.table_only or not view.nodes:
        return _table_picture(view)
    geometry = layout(view)
    width = max(geometry.width, MIN_WIDTH_PX)
    head, top = _heading(view, width)
    rows = legend_lines(legend(view), width)
    foot = top + geometry.height
    height = foot + 12 + LEGEND_ROW_PX * len(rows) + 8
    body = [
        *head,
        f'<g transform="translate({_n((width - geometry.width) / 2)} {_n(top)})">',
        *(_edge(view, geometry, edge) for edge in view.edges),
        *_cards(view, geometry),
        "</g>",
        f'<path class="line" d="M0 {_n(foot + 4)}H{_n(width)}"/>',
        *_legend(rows, foot + 12),
    ]
    return _document(view, width, height, body)


def _document(view: GraphView, width: float, height: float, body: Iterable[str]) -> str:
    style = _style()
    name = f"gl-{blake2b(style.encode(), digest_size=4).hexdigest()}"
    label = f"computational graph of {shorten(view.nodes[-1].name, 80)}" if view.nodes else "an empty graph"
    size = f'width="{_n(width)}" height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}"'
    opening = f'class="{name}" {size} style="min-width:{_n(width * MIN_SCALE)}px" role="group" aria-label={_attribute(label)}'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {opening}>',
            f"<title>{_text(shorten(view.title, 200))}</title>",
            f"<desc>{_text(_description(view))}</desc>",
            f"<style>{style.replace('&', f'.{name}')}</style>",
            f'<rect class="bg" width="{_n(width)}" height="{_n(height)}" rx="8"/>',
            *body,
            "</svg>",
        ]
    )


def _description(view: GraphView) -> str:
    """The graph in sentences, for whoever does not see it."""
    counts = f"{len(view.nodes)} nodes and {len(view.edges)} edges."
    if len(view.nodes) > MAX_DESCRIBED:
        return " ".join(filter(None, (counts, view.notice)))
    return " ".join(
        filter(None, (counts, view.notice, *(f"{cards.aria_label(node)}." for node in view.nodes)))
    )


def _heading(view: GraphView, width: float) -> tuple[list[str], float]:
    room = width - 2 * SIDE_PX
    parts = [f'<text class="title" x="{SIDE_PX}" y="25">{_text(cut(view.title, room, 15))}</text>']
    lines = wrapped(view.notice, room)
    parts += [
        f'<text class="notice" x="{SIDE_PX}" y="{_n(45 + i * LINE_PX)}">{_text(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return parts, HEADING_PX + LINE_PX * len(lines)


def wrapped(text: str, room_px: float) -> list[str]:
    """A notice as lines that fit."""
    lines = [""] if text else []
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_px(longer, 12, bold=False) > room_px:
            lines.append(word)
        else:
            lines[-1] = longer
    return [cut(line, room_px, 12, bold=False) for line in lines]


# --- edges ---


def _edge(view: GraphView, geometry: Geometry, edge: EdgeView) -> str:
    d, _ = geometry.edges[edge.id]
    kind = "edge dotted" if is_dotted(view, edge) else "edge"
    source, target = view.by_id[edge.source].name, view.by_id[edge.target].name
    facts = [f"{shorten(source, 200)} → {shorten(target, 200)}"]
    if edge.symbolic or edge.local is not None:
        facts.append(f"local derivative {' = '.join(filter(None, (edge.symbolic, number(edge.local))))}")
    if edge.contribution is not None:
        facts.append(f"contribution to the gradient {number(edge.contribution)}")
    head = _arrow_head(geometry, edge.id)
    return f'<g class="{kind}"><title>{_text(chr(10).join(facts))}</title><path d="{d}"/>{head}</g>'


def _arrow_head(geometry: Geometry, edge_id: str) -> str:
    """A triangle from the end of the curve to the border of the card. A marker would need an id."""
    (x0, y0), (x1, y1) = geometry.curves[edge_id][-1], geometry.tips[edge_id]
    turn = degrees(atan2(y1 - y0, x1 - x0))
    half = HEAD_PX / 2 + 0.5
    return f'<path class="head" transform="translate({_n(x1)} {_n(y1)}) rotate({_n(turn)})" d="M0 0L{-HEAD_PX} {-half}V{half}z"/>'


# --- cards ---


def _cards(view: GraphView, geometry: Geometry) -> Iterable[str]:
    with_shape = any(node.shape for node in view.nodes)
    for node in view.nodes:
        x, y, width, height = geometry.nodes[node.id]
        state = node.grad_state.replace(" ", "-")
        yield (
            f'<g class="card k-{node.kind} s-{state}" transform="translate({_n(x)} {_n(y)})" role="img"'
            f" aria-label={_attribute(cards.aria_label(node))}><title>{_text(cards.tooltip(node))}</title>"
            + _box(node.kind, width, height)
            + _chip(node)
            + f'<text class="name" x="{_n(cards.name_x(node))}" y="26">{_text(cards.name_text(node, width))}</text>'
            + _rows(node, width, with_shape)
            + "</g>"
        )


def _box(key: str, width: float, height: float) -> str:
    kind = theme.KINDS[key]
    box = f'<rect class="box" width="{_n(width)}" height="{_n(height)}" rx="{kind.radius}"/>'
    if kind.shape != "double":
        return box
    inset = f'x="3.5" y="3.5" width="{_n(width - 7)}" height="{_n(height - 7)}" rx="{kind.radius - 2}"'
    return f'{box}<rect class="inner" {inset}/>'


def _chip(node: NodeView) -> str:
    if not node.symbol:
        return ""
    symbol = shorten(node.symbol, 12)
    width, size = cards.chip_px(symbol), cards.chip_font_px(symbol)
    top, high = cards.CHIP_TOP, cards.CHIP_HEIGHT
    place = f'x="{cards.CHIP_LEFT}" y="{top}" width="{_n(width)}" height="{high}" rx="{high / 2}"'
    middle = (
        f'x="{_n(cards.CHIP_LEFT + width / 2)}" y="{_n(top + high / 2 + size * 0.36)}" font-size="{size}"'
    )
    return f'<rect class="chip" {place}/><text class="symbol" {middle}>{_text(symbol)}</text>'


def _rows(node: NodeView, width: float, with_shape: bool) -> str:
    pad = cards.pad_px(node.kind)
    parts = [f'<path class="line" d="M{pad} {cards.HEAD_PX}H{_n(width - pad)}"/>']
    right = width - pad - 16
    for place, (key, label, text) in enumerate(cards.rows(node, with_shape)):
        y = cards.HEAD_PX + 17 + place * cards.ROW_PX
        parts.append(f'<text class="label" x="{pad}" y="{y}">{label}</text>')
        parts.append(f'<text class="{key}" x="{_n(right)}" y="{y}">{_text(text)}</text>')
    parts.append(f'<text class="mark" x="{_n(width - pad)}" y="{y}">{cards.mark(node)}</text>')
    return "".join(parts)


# --- legend ---


def legend_px(row: LegendRow) -> float:
    """Room that an entry of the legend takes."""
    return width_px(row.words, 12, bold=False) + (32 if row.sort != "state" else 20) + 18


def legend_lines(rows: list[LegendRow], width: float) -> list[list[LegendRow]]:
    """The entries of the legend, set in as many lines as they need."""
    lines: list[list[LegendRow]] = [[]]
    used = 0.0
    for row in rows:
        if lines[-1] and used + legend_px(row) > width - 2 * SIDE_PX:
            lines.append([])
            used = 0.0
        lines[-1].append(row)
        used += legend_px(row)
    return lines


def _legend(lines: list[list[LegendRow]], top: float) -> Iterable[str]:
    for place, line in enumerate(lines):
        x, y = float(SIDE_PX), top + place * LEGEND_ROW_PX
        for row in line:
            yield f'<g class="legend" transform="translate({_n(x)} {_n(y)})">{_sample(row)}</g>'
            x += legend_px(row)


def _sample(row: LegendRow) -> str:
    if row.sort == "state":
        mark = f'<text class="mark s-{row.key.replace(" ", "-")}" x="5" y="13">{row.mark}</text>'
        return f'{mark}<text x="16" y="13">{_text(row.words)}</text>'
    words = f'<text x="30" y="13">{_text(row.words)}</text>'
    if row.sort == "edge":
        return f'<g class="edge dotted"><path d="M0 9H22"/></g>{words}'
    kind = theme.KINDS[row.key]
    radius = min(kind.radius / 3, 6.5)
    inner = (
        '<rect class="inner" x="2.5" y="4.5" width="17" height="8" rx="1"/>' if kind.shape == "double" else ""
    )
    return f'<g class="k-{row.key}"><rect class="box" y="2" width="22" height="13" rx="{_n(radius)}"/>{inner}</g>{words}'


# --- table, style, text ---


def _table_picture(view: GraphView) -> str:
    """A graph without cards, or with too many of them, as its table."""
    lines = table(view).splitlines()[1 + bool(view.notice) :] if view.nodes else ["Nothing was recorded."]
    width = max(MIN_WIDTH_PX, 8.0 * max(map(len, lines)) + 2 * SIDE_PX)
    head, top = _heading(view, width)
    rows = [
        f'<text class="cell" x="{SIDE_PX}" y="{_n(top + 14 + i * LINE_PX)}">{_text(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return _document(view, width, top + LINE_PX * len(lines) + 14, [*head, *rows])


def _paint(what: str, name: str) -> str:
    """A colour for programs that know CSS variables, after one for those that do not."""
    return f"{what}:{theme.COLOURS[name][0]};{what}:var(--gl-{name})"


def _style() -> str:
    """The style sheet, with & where the class of the picture goes."""
    ink, soft, line = _paint("fill", "ink"), _paint("fill", "soft"), _paint("stroke", "line")
    kinds = [
        f"& .k-{kind.key} .box{{{_paint('fill', kind.key + '-bg')};{_paint('stroke', kind.key)};stroke-width:{kind.line_px:g}"
        f"{';stroke-dasharray:4 3' if kind.shape == 'dashed' else ''}}}\n"
        f"& .k-{kind.key} .inner{{fill:none;{_paint('stroke', kind.key)}}}\n"
        f"& .k-{kind.key} .chip{{{_paint('stroke', kind.key)}}}"
        for kind in theme.KINDS.values()
    ]
    rules = (
        f"&{{font-family:{theme.FONT};font-variant-numeric:tabular-nums;max-width:100%;height:auto}}",
        f"& text{{{ink};white-space:pre;unicode-bidi:isolate}}",
        f"& .bg{{{_paint('fill', 'bg')}}}",
        "& .title{font-size:15px;font-weight:650}",
        f"& .notice{{font-size:12px;{soft}}}",
        f"& .line{{fill:none;{line}}}",
        f"& .edge path{{fill:none;{_paint('stroke', 'soft')};stroke-width:1.6}}",
        "& .edge.dotted path{stroke-dasharray:2 4}",
        f"& .edge .head{{{soft};stroke:none}}",
        f"& .chip{{{_paint('fill', 'bg')};stroke-width:1.2}}",
        "& .symbol{text-anchor:middle;font-weight:600}",
        "& .name{font-size:14px;font-weight:650}",
        f"& .label{{font-size:12px;{soft}}}",
        "& .value,& .shape{font-size:14px;text-anchor:end}",
        "& .gradient{font-size:13px;text-anchor:end}",
        f"& .card .mark{{font-size:11px;text-anchor:end;{_paint('fill', 'done')}}}",
        f"& .legend text{{font-size:12px;{soft}}}",
        f"& .legend .mark{{text-anchor:middle;{_paint('fill', 'done')}}}",
        f"& .s-not-computed .gradient,& .s-not-computed .mark,& .legend .mark.s-not-computed{{{soft}}}",
        f"& .s-none-needed .gradient,& .s-none-needed .mark,& .legend .mark.s-none-needed{{{soft}}}",
        "& .cell{font:13px ui-monospace,Menlo,Consolas,monospace}",
    )
    return "\n".join((theme.css_variables("&"), *rules, *kinds))


def _n(x: float) -> str:
    """A coordinate: one decimal at most, and none where it is not needed."""
    return f"{round(x, 1):g}" if abs(x) < 1e5 else f"{x:.0f}"


def _text(text: str) -> str:
    """Text for an element: unshowable characters become signs, markup becomes text. Tooltips keep their line breaks."""
    return escape("\n".join(map(literal, text.split("\n"))))


def _attribute(text: str) -> str:
    return quoteattr(literal(text))
