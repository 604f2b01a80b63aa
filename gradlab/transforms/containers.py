"""Nested containers of parameters: dicts, lists, tuples and named tuples, taken apart into their leaves and put together again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.graph.node import Node


def is_container(x: object) -> bool:
    """Whether x holds parameters, and is not itself one: a list of plain numbers is an array."""
    if isinstance(x, dict):
        return True
    return isinstance(x, (list, tuple)) and any(
        isinstance(one, (Node, dict)) or hasattr(one, "dtype") or is_container(one) for one in x
    )


def flatten(x: Any) -> tuple[list[tuple[str, Any]], Callable[[list[Any]], Any]]:
    """The leaves of a nested container with their paths, and the function that puts other leaves into the same places.

    A dict is read in the order of its keys as they were entered. What is no container is one leaf with an empty path.
    """
    leaves: list[tuple[str, Any]] = []
    return leaves, _take(x, "", leaves)


def _take(part: Any, path: str, leaves: list[tuple[str, Any]]) -> Callable[[list[Any]], Any]:
    """Add the leaves of a part, and return how to build it again from all leaves. (A nested function would be a reference cycle.)"""
    if not is_container(part):
        place = len(leaves)
        leaves.append((path, part))
        return lambda found: found[place]
    if isinstance(part, dict):
        builders = {key: _take(one, f"{path}[{key!r}]", leaves) for key, one in part.items()}
        return lambda found: {key: build(found) for key, build in builders.items()}
    made = [_take(one, f"{path}[{place}]", leaves) for place, one in enumerate(part)]
    kind: Any = type(part)
    if hasattr(kind, "_fields"):  # a named tuple takes its fields one by one
        return lambda found: kind(*[build(found) for build in made])
    return lambda found: kind([build(found) for build in made])
