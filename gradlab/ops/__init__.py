"""The table of ops. Importing this package registers every op; `functions()` gives the public function of each by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.ops import (
    activations,
    angles,
    cast,
    choice,
    elementwise,
    exponents,
    index,
    leaf,
    linear,
    reduce,
    rounding,
    shape,
)

MODULES = (elementwise, choice, exponents, angles, rounding, activations, reduce, shape, index, linear, cast)
LEAVES = leaf


def functions() -> dict[str, Callable[..., Any]]:
    """Public function of each op and alias, by name, in reading order."""
    return {name: getattr(module, name) for module in MODULES for name in module.__all__}
