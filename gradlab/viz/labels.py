"""Labels as people wrote them, made safe to show: every character visible, cut to a width, measured without a font engine."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

ELLIPSIS = "…"
ZERO_WIDTH_JOINER = "\u200d"

# Advance widths of DejaVu Sans Bold for U+0020 to U+007E in 1/100 em: the widest usual interface font, so text measured with
# it fits in the others too.
_BOLD = (
    35, 46, 52, 84, 70, 100, 87, 31, 46, 46, 52, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 40, 40, 84,
    84, 84, 58, 100, 77, 76, 73, 83, 68, 68, 82, 84, 37, 37, 77, 64, 100, 84, 85, 73, 85, 77, 72, 68, 81, 77, 110, 77, 72,
    73, 46, 37, 46, 84, 50, 50, 67, 72, 59, 72, 68, 44, 72, 71, 34, 34, 67, 34, 104, 71, 69, 72, 72, 49, 60, 48, 71, 65,
    92, 65, 65, 58, 71, 37, 71, 84,
)  # fmt: skip
# The bold face is about a tenth wider than the regular one.
_REGULAR_SHARE = 0.91

# What must not reach a picture as it is: control characters (XML forbids most), halves of surrogate pairs, code points that
# are no characters, and marks that turn the direction of the text around them.
_UNSHOWABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff]"
    "|[\U0001fffe\U0001ffff\U0002fffe\U0002ffff\U0010fffe\U0010ffff]"
)


def literal(text: object) -> str:
    """`text` with every character that cannot be shown replaced by a visible sign: a newline by ↵, a tab by ⇥, NUL by \\x00.

    Example: `literal("a\\tb")` gives `"a⇥b"`.
    """
    return _UNSHOWABLE.sub(_sign, str(text))


def _sign(match: re.Match[str]) -> str:
    code = ord(match.group())
    return _SIGNS.get(code) or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )


# In every usual font, unlike Unicode's pictures of control characters.
_SIGNS = {0x0A: "↵", 0x09: "⇥", 0x0D: "\\r"}


def _char_em(char: str) -> float:
    code = ord(char)
    if 0x20 <= code <= 0x7E:
        return _BOLD[code - 0x20] / 100
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0.0
    return 1.1 if unicodedata.east_asian_width(char) in "WF" else 0.75


def width_px(text: str, size_px: float = 14.0, bold: bool = True) -> float:
    """About how wide `text` is when set in the interface font, on the safe side."""
    return sum(map(_char_em, text)) * size_px * (1.0 if bold else _REGULAR_SHARE)


@lru_cache(maxsize=4096)
def cut(text: str, room_px: float, size_px: float = 14.0, bold: bool = True) -> str:
    """`text`, or as much of its start as fits into `room_px`, ending in an ellipsis. No emoji or accent is cut in two."""
    # No visible text of 400 characters fits on a card, and a label may have a million.
    if len(text) <= 400 and width_px(text, size_px, bold) <= room_px:
        return text
    room = room_px - width_px(ELLIPSIS, size_px, bold)
    kept, used = 0, 0.0
    scale = size_px * (1.0 if bold else _REGULAR_SHARE)
    for char in text[:400]:
        used += _char_em(char) * scale
        if used > room:
            break
        kept += 1
    while kept and (text[kept - 1] == ZERO_WIDTH_JOINER or _char_em(text[kept]) == 0.0):
        kept -= 1
    return text[:kept].rstrip() + ELLIPSIS


def shorten(text: str, length: int) -> str:
    """`text` cut to `length` characters, for tables and sentences."""
    return text if len(text) <= length else text[: max(length - 1, 0)].rstrip() + ELLIPSIS
