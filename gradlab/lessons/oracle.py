"""The right answers. The engine computes them, and a second way that shares nothing with it has to agree, or the lesson says so.

Values are computed once by recording and once in plain Python floats; gradients once backward and once by central differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

Numbers = Mapping[str, float]


class DisagreementError(AssertionError):
    """The two ways of computing an answer differ: a fault of the lesson or of the engine, never of the learner."""


def _agree(one: float, other: float, what: str, within: float) -> float:
    same = math.isclose(one, other, rel_tol=within, abs_tol=within) or (math.isnan(one) and math.isnan(other))
    if not same:
        raise DisagreementError(f"{what}: the engine says {one!r}, the second way {other!r}")
    return one


def record(f: Callable[..., Any], at: Numbers) -> tuple[Any, dict[str, Any]]:
    """Run `f` on fresh leaves named after its arguments. Returns the result and the leaves."""
    from gradlab import Value

    leaves = {name: Value(float(number), label=name) for name, number in at.items()}
    return f(**leaves), leaves


def plain(f: Callable[..., Any], at: Numbers) -> float:
    """`f` in plain Python floats."""
    result = f(**{name: float(number) for name, number in at.items()})
    return float(getattr(result, "data", result))


def value(f: Callable[..., Any], at: Numbers) -> float:
    """The value of `f`, by the engine and in plain floats."""
    return _agree(float(record(f, at)[0].data), plain(f, at), "value", 1e-12)


def gradient(f: Callable[..., Any], at: Numbers, wrt: str) -> float:
    """The derivative of `f` by one argument, backward and by central differences."""
    root, leaves = record(f, at)
    root.backward()
    step = 1e-5 * max(1.0, abs(at[wrt]))
    above, below = (plain(f, {**at, wrt: at[wrt] + move}) for move in (step, -step))
    return _agree(float(leaves[wrt].grad), (above - below) / (2 * step), f"gradient by {wrt}", 1e-6)


def change(f: Callable[..., Any], at: Numbers, to: Numbers) -> float:
    """By how much `f` changes when some arguments move to other numbers."""
    return value(f, {**at, **to}) - value(f, at)


def later(function: Callable[..., Any], *args: Any, **keywords: Any) -> Callable[[], Any]:
    """This call, kept for when its answer is needed: course files are data and compute nothing when they are read."""
    return partial(function, *args, **keywords)


def moved(steps: Callable[..., Mapping[str, Any]], at: Numbers, wrt: str) -> frozenset[str]:
    """The names of the steps that change when one argument does: found in the recorded graph, and by moving the argument."""
    from gradlab.graph.walk import topological

    nodes, leaves = record(steps, at)
    follows = {name for name, node in nodes.items() if any(leaf is leaves[wrt] for leaf in topological(node))}
    here = steps(**{name: float(number) for name, number in at.items()})
    there = steps(**{name: float(number) for name, number in at.items()} | {wrt: at[wrt] + 0.37})
    changes = {name for name in here if here[name] != there[name]}
    if follows != changes:
        raise DisagreementError(
            f"what follows {wrt}: the graph says {sorted(follows)}, moving it {sorted(changes)}"
        )
    return frozenset(follows)


def needs(steps: Callable[..., Mapping[str, Any]], at: Numbers) -> dict[str, list[str]]:
    """For each step the other steps that its recorded graph contains, in the order of the table."""
    from gradlab.graph.walk import topological

    nodes, _ = record(steps, at)
    parts = {name: {id(node) for node in topological(root)} for name, root in nodes.items()}
    return {
        name: [other for other, node in nodes.items() if other != name and id(node) in parts[name]]
        for name in nodes
    }


def arrows(f: Callable[..., Any], at: Numbers) -> int:
    """How many arrows the picture of `f` has: one for each input of each operation."""
    from gradlab.graph.walk import topological

    return sum(len(node.inputs) for node in topological(record(f, at)[0]))


def of_kind(f: Callable[..., Any], at: Numbers, kind: str) -> frozenset[str]:
    """The names of the nodes that the picture of `f` shows as this kind."""
    from gradlab import draw

    return frozenset(node.name for node in draw(record(f, at)[0]).nodes if node.kind == kind)
