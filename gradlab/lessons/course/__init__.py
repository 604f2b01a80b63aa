"""The course: one file a lesson, found by its name. `lesson_03_backpropagation.py` holds what `03-backpropagation.ipynb` asks."""

from __future__ import annotations

import importlib
import pkgutil

from gradlab.lessons.plan import Plan

_PREFIX = "lesson_"


def names() -> list[str]:
    """The names of all lessons, in order. Reads the folder's listing only."""
    files = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name.removeprefix(_PREFIX).replace("_", "-") for name in files if name.startswith(_PREFIX))


def plan(name: str) -> Plan:
    """What the lesson of this name asks."""
    module = importlib.import_module(f"{__name__}.{_PREFIX}{name.replace('-', '_')}")
    found: Plan = module.PLAN
    return found
