"""What every verb of a lesson returns: a status in a word and a symbol, a message, and three ways to show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from textwrap import indent
from typing import Any


@dataclass(frozen=True)
class Look:
    """How a status is shown. The edge colour repeats what word and symbol say, and reads on white and on black."""

    symbol: str
    edge: str


STATUSES: Mapping[str, Look] = {
    "not attempted": Look("○", "#8a8f98"),
    "error": Look("!", "#d9730d"),
    "incorrect": Look("✗", "#d9730d"),
    "partly": Look("◐", "#3a86c8"),
    "correct": Look("✓", "#3a86c8"),
}
"""Every status, from the least to the most that was reached."""

RANK = {status: place for place, status in enumerate(STATUSES)}

_BOX = "border-left:4px solid {edge};padding:0.2em 0 0.2em 0.9em;margin:0.4em 0"
_LINE = "margin:0.35em 0;max-width:52em"
_SMALL = "margin:0.35em 0;font-size:0.92em;max-width:52em"


@dataclass(frozen=True, repr=False)
class Result:
    """What a verb has to say. `status` is one of STATUSES, `misconception` the name of the recognised wrong idea or None.

    `code` is shown as a program, `notes` are one-line remarks, `picture` is an SVG text. A result prints nothing by itself.
    """

    status: str
    message: str
    misconception: str | None = None
    title: str = ""
    code: str = ""
    notes: tuple[str, ...] = ()
    picture: str = field(default="", compare=False)

    @property
    def heading(self) -> str:
        """`✓ correct · recall`."""
        head = f"{STATUSES[self.status].symbol} {self.status}"
        return f"{head} · {self.title}" if self.title else head

    def __repr__(self) -> str:
        return "\n".join([self.heading, *self._plain_parts()])

    def _plain_parts(self) -> list[str]:
        program = [indent(self.code, "    ")] if self.code else []
        return [*self._paragraphs(), *program, *self.notes]

    def _paragraphs(self) -> list[str]:
        return [part for part in self.message.split("\n") if part]

    def _repr_markdown_(self) -> str:
        head = f"**{STATUSES[self.status].symbol} {self.status}**" + (
            f" · {self.title}" if self.title else ""
        )
        program = [f"```python\n{self.code}\n```"] if self.code else []
        return "\n\n".join([head, *self._paragraphs(), *program, *(f"*{note}*" for note in self.notes)])

    def _repr_html_(self) -> str:
        look = STATUSES[self.status]
        title = f" · {inline(self.title)}" if self.title else ""
        parts = [f"<strong>{look.symbol} {escape(self.status)}</strong>{title}"]
        parts += [f'<p style="{_LINE}">{inline(part)}</p>' for part in self._paragraphs()]
        parts += self._html_extras()
        if self.code:
            parts.append(f'<pre style="{_LINE}"><code>{escape(self.code)}</code></pre>')
        if self.picture:
            parts.append(f'<div style="margin:0.35em 0">{self.picture}</div>')
        parts += [f'<p style="{_SMALL}"><em>{inline(note)}</em></p>' for note in self.notes]
        return f'<div style="{_BOX.format(edge=look.edge)}">\n' + "\n".join(parts) + "\n</div>"

    def _html_extras(self) -> list[str]:
        return []

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {
            "text/html": self._repr_html_(),
            "text/markdown": self._repr_markdown_(),
            "text/plain": repr(self),
        }


def inline(text: str) -> str:
    """HTML of one line: everything literal, and what stands between backticks as code."""
    pieces = escape(text, quote=False).split("`")
    if len(pieces) % 2 == 0:  # an unpaired backtick is meant literally
        return "`".join(pieces)
    return "".join(f"<code>{piece}</code>" if at % 2 else piece for at, piece in enumerate(pieces))
