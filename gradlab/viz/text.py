"""Numbers and graphs as plain text: one number format for every picture, and the table for terminals."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gradlab.viz.labels import shorten

if TYPE_CHECKING:
    from gradlab.viz.view import GraphView

NOT_COMPUTED = "–"
MINUS = "−"
MAX_ROWS = 60
_NAME_CHARS = 28


def number(x: float | None, digits: int = 4) -> str:
    """`x` with 4 significant digits and a true minus sign; "–" for what was not computed.

    Example: `number(-18)` gives `"−18.00"`, `number(0.0)` gives `"0.000"`, `number(None)` gives `"–"`.
    """
    if x is None:
        return NOT_COMPUTED
    x = float(x)
    if math.isnan(x):
        return "nan"
    sign = MINUS if x < 0 else ""
    return sign + ("∞" if math.isinf(x) else _magnitude(abs(x), digits))


def _magnitude(size: float, digits: int) -> str:
    if size == 0:
        return f"{0:.{digits - 1}f}"
    rounded = float(f"{size:.{digits - 1}e}")
    if 10**digits <= rounded and size < 999_999.5:
        return f"{size:.0f}"
    if 1e-3 <= rounded < 10**digits:
        return f"{size:#.{digits}g}".rstrip(".")
    mantissa, exponent = f"{size:.{digits - 1}e}".split("e")
    return f"{mantissa}e{exponent.lstrip('+-0') if exponent[0] == '+' else MINUS + exponent.lstrip('+-0')}"


def compact(x: float | None) -> str:
    """A number as people write it in a formula: as `number` does, without zeros at the end.

    Example: `compact(2.0)` gives `"2"`, `compact(0.5)` gives `"0.5"`.
    """
    text = number(x)
    mantissa, e, exponent = text.partition("e")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + e + exponent


def table(view: GraphView, max_rows: int = MAX_ROWS) -> str:
    """The graph as a table, one node a line. A long graph shows its first and last lines, and says how many are left out."""
    from gradlab.viz import cards

    rows = [("node", "name", "kind", "from", "value", "gradient", "")]
    for node in view.nodes:
        state = cards.mark(node)
        source = ", ".join(node.inputs[:4]) + (
            f", … {len(node.inputs)} in all" if len(node.inputs) > 4 else ""
        )
        made = f"{node.symbol} {source}".strip()
        name = shorten(node.name, _NAME_CHARS)
        value = cards.value_text(node) + (f" {cards.shape_text(node)}" if node.shape else "")
        rows.append((node.id, name, node.kind, made, value, cards.grad_text(node), state))
    lines = _aligned(rows, max_rows)
    return "\n".join([view.title, *([view.notice] if view.notice else []), *lines])


def _aligned(rows: Sequence[tuple[str, ...]], max_rows: int) -> list[str]:
    left_out = len(rows) - 1 - max_rows
    if left_out > 0:
        half = max_rows // 2
        rows = [*rows[: half + 1], *rows[len(rows) - (max_rows - half) :]]
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(_pad, row, widths, _RIGHT)).rstrip() for row in rows]
    if left_out > 0:
        lines.insert(half + 1, f"… {left_out} more nodes …")
    return lines


_RIGHT = (False, False, False, False, True, True, False)


def _pad(text: str, width: int, right: bool) -> str:
    space = " " * (width - display_width(text))
    return space + text if right else text + space


def display_width(text: str) -> int:
    """Columns that `text` takes in a terminal: wide characters take two, accents none."""
    total = 0
    for char in text:
        if not (unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf")):
            total += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return total
