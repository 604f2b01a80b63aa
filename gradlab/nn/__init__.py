"""Models. `nn.scalar` builds networks out of single numbers, so that every multiplication is a node;
`nn.functional` has layers and losses as functions."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["functional", "scalar"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return importlib.import_module(f"gradlab.nn.{name}")
    raise AttributeError(f"module 'gradlab.nn' has no attribute {name!r}")
