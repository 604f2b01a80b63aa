"""What it takes to see a graph: laying out, drawing, and answering the edit of a leaf."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from gradlab.bench.model import Fresh, Run, every_time


def row_of_neurons(units: int) -> tuple[Callable[..., Any], dict[str, float]]:
    """A loss over a row of tanh neurons that share a bias, and its start values: five cards a neuron and four more."""

    def loss(**leaves: Any) -> Any:
        total = leaves["b"]
        for i in range(units):
            total = total + (leaves[f"w{i}"] * leaves[f"x{i}"]).tanh()
        return (total - leaves["target"]) ** 2

    start = {"b": 0.5, "target": 1.0}
    for i in range(units):
        start |= {f"w{i}": 0.1 * i - 0.3, f"x{i}": 1.0 - 0.2 * i}
    return loss, start


def _recorded(units: int) -> Any:
    import gradlab as gl

    loss, start = row_of_neurons(units)
    root = loss(**{name: gl.Value(number, label=name) for name, number in start.items()})
    root.backward()
    return root


def draw_first(units: int) -> Fresh:
    """Drawing a graph whose shape was never laid out before."""
    import gradlab as gl
    from gradlab.viz.layout import forget_layouts

    root = _recorded(units)

    def fresh() -> Run:
        forget_layouts()
        return lambda: gl.draw(root).svg()

    return fresh


def draw_again(units: int) -> Fresh:
    """Drawing a graph whose shape is known: only its numbers may be new."""
    import gradlab as gl

    root = _recorded(units)
    gl.draw(root).svg()
    return every_time(lambda: gl.draw(root).svg())


def _explorer(units: int) -> Any:
    import gradlab as gl

    loss, start = row_of_neurons(units)
    return gl.explore(loss, **start)


def answer_edit(units: int) -> Fresh:
    """From the front end's edit of a leaf to the new frame: the kernel's part of moving a slider."""
    explorer = _explorer(units)
    seq = 0

    def edit() -> None:
        nonlocal seq
        seq += 1
        explorer.leaf_edits = {"seq": seq, "values": {"w3": str(0.01 * seq)}}

    return every_time(edit)


def message_kilobytes(units: int) -> Fresh:
    """The size of the frame that answers an edit, in kilobytes of JSON."""
    explorer = _explorer(units)

    def run() -> float:
        explorer.set(w3=0.25)
        return len(json.dumps(explorer.frame).encode()) / 1e3

    return every_time(run)
