"""The table of ops. Importing this package registers every op; `functions()` gives the public function of each by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.ops import (
    activations,
    angles,
    arrange,
    cast,
    choice,
    elementwise,
    exponents,
    gather,
    index,
    join,
    leaf,
    linear,
    pad,
    pieces,
    products,
    reduce,
    rounding,
    scatter,
    shape,
    softmax,
    sorting,
    statistics,
    triangles,
    writing,
)

MODULES = (
    *(elementwise, choice, exponents, angles, rounding, activations),
    *(reduce, statistics, products, softmax, sorting),
    *(shape, join, arrange, pieces, pad, triangles, index, gather, scatter, writing),
    *(linear, cast),
)
LEAVES = leaf


def functions() -> dict[str, Callable[..., Any]]:
    """Public function of each op and alias, by name, in reading order."""
    return {name: getattr(module, name) for module in MODULES for name in module.__all__}
