"""Graphs of extreme shape over single numbers: deep, wide, many."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

from gradlab.bench.model import Fresh, Run, every_time

Leaf = Callable[[float], Any]


def gradlab_leaf() -> Leaf:
    """How gradlab makes a leaf."""
    import gradlab as gl

    return gl.Value


def micrograd_leaf() -> Leaf:
    """How micrograd makes a leaf."""
    from micrograd.engine import Value

    leaf: Leaf = Value
    return leaf


def torch_leaf() -> Leaf:
    """How PyTorch makes a leaf without axes."""
    import torch

    return lambda x: torch.tensor(x, dtype=torch.float64, requires_grad=True)


# --- deep ---


def _chain(leaf: Leaf, depth: int) -> Any:
    x = start = leaf(1.0)
    for _ in range(depth):
        x = x * start
    return x


def build_chain(leaf_of: Callable[[], Leaf], depth: int) -> Fresh:
    """Recording a chain; it is freed outside the time, when the result is dropped."""
    leaf = leaf_of()
    return every_time(lambda: _chain(leaf, depth))


def pull_chain(leaf_of: Callable[[], Leaf], depth: int) -> Fresh:
    """Walking back through a chain that was recorded before."""
    leaf = leaf_of()

    def fresh() -> Run:
        end = _chain(leaf, depth)
        return lambda: end.backward()

    return fresh


def free_chain(leaf_of: Callable[[], Leaf], depth: int) -> Fresh:
    """Dropping a chain that was recorded and walked back before."""
    leaf = leaf_of()

    def fresh() -> Run:
        held = [_chain(leaf, depth)]
        held[0].backward()
        return held.clear

    return fresh


# --- wide ---


def fan_in(kind: str, width: int) -> Fresh:
    """One sum of many leaves, as one node ("total") or as a "chain" of additions, and the walk back."""
    import gradlab as gl

    leaves = [gl.Value(float(i)) for i in range(width)]
    add = {"total": gl.sum, "chain": sum}[kind]
    return every_time(lambda: add(leaves).backward())


# --- many ---


def bytes_per_node(leaf_of: Callable[[], Leaf], depth: int = 5_000) -> Fresh:
    """Memory that a chain takes, for each of its nodes."""
    leaf = leaf_of()

    def run() -> float:
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            end = _chain(leaf, depth)
            held = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
        del end
        return held / depth

    return every_time(run)


def left_behind(leaf_of: Callable[[], Leaf], graphs: int = 300) -> Fresh:
    """Objects that only the collector could find after this many small graphs were dropped."""
    leaf = leaf_of()

    def run() -> int:
        gc.disable()
        try:
            before = len(gc.get_objects())
            for i in range(graphs):
                x, w = leaf(float(i)), leaf(2.0)
                loss = (x * w + x * x).relu() * w
                loss.backward()
                del x, w, loss
            return len(gc.get_objects()) - before
        finally:
            gc.enable()

    return every_time(run)
