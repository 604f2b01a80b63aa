"""The table of ops. Importing this package registers every op; `functions()` gives the public function of each by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

FILES = (
    # element by element
    *("elementwise", "choice", "exponents", "angles", "rounding", "activations"),
    # over axes
    *("reduce", "statistics", "products", "softmax", "sorting"),
    # shapes and places
    *(
        "shape",
        "join",
        "arrange",
        "pieces",
        "pad",
        "triangles",
        "index",
        "gather",
        "scatter",
        "writing",
        "view_write",
    ),
    # linear algebra
    *("linear", "contraction", "vectors", "matrices", "determinants", "cholesky"),
    # windows
    *("sliding", "conv", "convolutions", "pooling", "max_pooling"),
    # chance
    *("random",),
    # layers
    *("gates", "normalization", "attention"),
    # losses
    *("losses", "losses_of_chances", "losses_of_classes", "losses_of_pairs"),
    # data types
    *("cast",),
)
"""The files of ops in reading order. A file's `__all__` are public names; all but its `FUNCTIONS_ONLY` are methods of tensors too."""

MODULES = tuple(import_module(f"{__name__}.{name}") for name in FILES)
LEAVES = import_module(f"{__name__}.leaf")


def functions() -> dict[str, Callable[..., Any]]:
    """Public function of each op and alias, by name, in reading order."""
    return {name: getattr(module, name) for module in MODULES for name in module.__all__}


def methods() -> tuple[str, ...]:
    """The public functions that tensors have as methods: those whose first argument is the array they work on."""
    return tuple(
        name
        for module in MODULES
        for name in module.__all__
        if name not in getattr(module, "FUNCTIONS_ONLY", ())
    )
