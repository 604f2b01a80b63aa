"""How lessons speak of what a learner gave them: short, deterministic, and without addresses."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

LONGEST = 40


def number(x: float) -> str:
    """A number as it is said in a sentence: 81, −18, 80.82, never 81.0000. Six digits, a real minus sign."""
    if math.isnan(x):
        return "nan"
    text = "∞" if math.isinf(x) else f"{abs(x):.6g}"
    return "−" + text if x < 0 and text != "0" else text


def quoted(text: str) -> str:
    """Text in quotation marks on one line, cut when it is long."""
    line = " ".join(text.split())
    return f"“{line if len(line) <= LONGEST else line[: LONGEST - 1] + '…'}”"


def listed(parts: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    words = list(parts)
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def code(parts: Iterable[str]) -> list[str]:
    """Names in backticks."""
    return [f"`{part}`" for part in parts]


def counted(count: int, one: str, many: str = "") -> str:
    """`1 arrow`, `2 arrows`."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def is_node(value: Any) -> bool:
    """Whether this is a node of a graph. Asked of its attributes, so that no floor above has to be loaded for it."""
    return not isinstance(value, type) and all(hasattr(value, name) for name in ("inputs", "op", "data"))


def is_array(value: Any) -> bool:
    """Whether this is an array: something with a shape and a dtype that turns into lists."""
    return not isinstance(value, type) and all(hasattr(value, name) for name in ("shape", "dtype", "tolist"))


def _sized(value: Any) -> str:
    return f"{type(value).__name__} of {counted(len(value), 'thing')}"


def described(value: Any) -> str:
    """What a learner gave, in words: `the number 2`, `the text “2”`, `a list of 3 things`, `the function half`."""
    if value is None:
        return "`None`"
    if isinstance(value, bool):
        return f"`{value}`"
    if isinstance(value, int | float) and not hasattr(value, "dtype"):
        return f"the number {number(float(value)) if abs(value) < 1e300 else 'out of range'}"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if is_node(value):
        label = getattr(value, "label", "")
        return f"the node `{label}`" if label else "a node without a label"
    if is_array(value):
        return f"an array of shape {tuple(value.shape)}"
    if isinstance(value, list | tuple | dict | set | frozenset):
        return f"a {_sized(value)}"
    if isinstance(value, type):
        return f"the class `{value.__name__}`"
    if callable(value):
        name = getattr(value, "__name__", type(value).__name__)
        return "a lambda" if name == "<lambda>" else f"the function `{name}`"
    return f"something of type `{type(value).__name__}`"
