"""What stands on a card: its texts and its size. The static picture, the figure for files and the explorer read the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradlab.viz import theme
from gradlab.viz.labels import cut, shorten, width_px
from gradlab.viz.text import NOT_COMPUTED, number

if TYPE_CHECKING:
    from gradlab.viz.view import GraphView, NodeView

MIN_WIDTH_PX, MAX_WIDTH_PX, WIDE_MIN_PX = 184, 240, 240
HEAD_PX, ROW_PX, FOOT_PX = 37, 19, 9
CHIP_LEFT, CHIP_TOP, CHIP_HEIGHT = 13.5, 9.5, 23.0
TITLE_CHARS, NUMBER_CHARS = 2000, 9


def pad_px(kind: str) -> int:
    """Space between the side of a card and its text: more where the corners are round."""
    return 19 if theme.KINDS[kind].shape == "pill" else 15


def name_x(node: NodeView) -> float:
    """Where the name starts: after the chip, if the card has one."""
    return CHIP_LEFT + chip_px(node.symbol) + 6.5 if node.symbol else pad_px(node.kind)


def chip_px(symbol: str) -> float:
    """Width of the chip around `symbol`: a circle for one sign, longer for a word such as "tanh"."""
    return max(CHIP_HEIGHT, width_px(symbol, chip_font_px(symbol)) + 12)


def chip_font_px(symbol: str) -> int:
    """Signs are set large, words small."""
    return 16 if len(symbol) == 1 else 11


def card_size(view: GraphView) -> tuple[int, int]:
    """Width and height of every card of the picture. They depend on names and shapes, never on numbers."""
    arrays = any(node.shape for node in view.nodes)
    least = WIDE_MIN_PX if arrays else MIN_WIDTH_PX
    needed = max((name_x(n) + width_px(n.name[:100]) + pad_px(n.kind) for n in view.nodes), default=0)
    width = min(max(least, -(-int(needed + 1) // 8) * 8), MAX_WIDTH_PX)
    return width, HEAD_PX + ROW_PX * (3 if arrays else 2) + FOOT_PX


def name_text(node: NodeView, width: float) -> str:
    """The name, cut to what the card has room for."""
    return cut(node.name, width - name_x(node) - pad_px(node.kind))


def rows(node: NodeView, with_shape: bool) -> list[tuple[str, str, str]]:
    """The rows under the name: (row key, label, text)."""
    shape = [("shape", "shape", shape_text(node) or "scalar")] if with_shape else []
    return [*shape, ("value", "value", value_text(node)), ("gradient", "gradient", grad_text(node))]


def shape_text(node: NodeView) -> str:
    """The shape as Python writes it; empty for a `Value`."""
    return "" if node.shape is None else str(tuple(node.shape))


def value_text(node: NodeView) -> str:
    """The value as one number, or the range of an array's values."""
    return _amount(node.value, node.stats)


def grad_text(node: NodeView) -> str:
    """The gradient as one number or a range, "–" when it was not computed, "none" when none is needed."""
    if node.grad_state == "none needed":
        return "none"
    return NOT_COMPUTED if node.grad_state == "not computed" else _amount(node.grad, node.grad_stats)


def _amount(single: float | None, stats: object) -> str:
    if single is not None or not isinstance(stats, dict) or stats.get("min") is None:
        return _fitting(single)
    low, high = number(stats["min"], 3), number(stats["max"], 3)
    return f"all {low}" if low == high else f"{low} … {high}"


def _fitting(single: float | None) -> str:
    """A number in the room of its row: one with a long exponent gives up digits, which the tooltip keeps."""
    return next(
        (text for digits in (4, 3) if len(text := number(single, digits)) <= NUMBER_CHARS), number(single, 2)
    )


def mark(node: NodeView) -> str:
    """The mark of the gradient's state: ○ ◐ ● or –."""
    return theme.GRAD_STATES[node.grad_state].mark


def state_text(node: NodeView) -> str:
    """The gradient's state in words."""
    return theme.state_text(node.grad_state, node.added, node.uses)


def aria_label(node: NodeView) -> str:
    """One sentence that says what the card shows, for a screen reader."""
    shape = f", shape {shape_text(node)}" if node.shape else ""
    known = node.grad_state in ("complete", "partial")
    gradient = f"gradient {grad_text(node)}, {state_text(node)}" if known else f"gradient {state_text(node)}"
    name = shorten(node.name, 200) or "(empty label)"
    return f"{name}, {theme.KINDS[node.kind].word}{shape}: value {value_text(node)}, {gradient}"


def tooltip(node: NodeView) -> str:
    """Everything known about the node, one fact a line; the name stands there in full."""
    known = node.grad_state in ("complete", "partial")
    facts = [
        shorten(node.name, TITLE_CHARS * 10),
        " · ".join(
            part for part in (node.id, theme.KINDS[node.kind].word, node.op if node.inputs else "") if part
        ),
        node.expression and f"= {shorten(node.expression, TITLE_CHARS)}",
        node.hidden and f"{node.hidden} recorded nodes are folded in here",
        node.scope and f"scope {' / '.join(node.scope)}",
        node.shape is not None
        and " ".join(p for p in (f"shape {shape_text(node)}", node.dtype, node.device) if p),
        f"value {_exact(node.value, node.stats)}",
        f"gradient {_exact(node.grad, node.grad_stats) if known else NOT_COMPUTED} ({state_text(node)})",
        node.source,
    ]
    return "\n".join(str(fact) for fact in facts if fact)


def _exact(single: float | None, stats: object) -> str:
    if single is not None:
        return repr(float(single))
    if not isinstance(stats, dict) or stats.get("min") is None:
        return NOT_COMPUTED
    return ", ".join(
        f"{key} {number(stats[key])}" for key in ("min", "max", "mean", "std") if stats.get(key) is not None
    )
