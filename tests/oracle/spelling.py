"""How rows of the oracle's table are written, and the reasons for which gradlab deviates."""

from __future__ import annotations

from typing import Any

from judge import Row

import gradlab as gl

NUMBER = "a single number has no axes, and gradlab says so"
EMPTY = "PyTorch's old rule that an empty vector joins everything"
SQUEEZE = "NumPy's rule: naming an axis to squeeze that is not of size 1 is an error"
THRESHOLD = "softplus is exact; PyTorch replaces it by x beyond a threshold"


def is_number(x: Any, *args: Any, **words: Any) -> bool:
    """A 0-d array that is asked about its axes."""
    return getattr(x, "shape", None) == () and bool(
        [a for a in args if a not in ((), [])] or {"dim"} & set(words)
    )


ON_NUMBER = {NUMBER: is_number}


def plain(*names: str, **words: Any) -> list[Row]:
    """Rows whose function has PyTorch's name and signature."""
    return [Row(name, getattr(gl, name.rsplit(".", 1)[-1]), **words) for name in names]


def called(name: str, call: Any, **words: Any) -> Row:
    """A row that is spelled in another way. `name` may hold a variant: div/floor_rounding."""
    name, _, variant = name.partition("/")
    return Row(name, call, variant, **words)
