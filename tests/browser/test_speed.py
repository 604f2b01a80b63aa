"""How quick the explorer is. Medians are printed; the bounds are three times what is wanted, so that a busy machine does not matter."""

from __future__ import annotations

import statistics
import time

import pytest

pytestmark = pytest.mark.needs("browser")

WIDTH = 1240


def row_of_neurons(count):
    """A sum of tanh(w·x), squared against a target: about six cards for each term."""

    def loss(**leaves):
        total = leaves["b"]
        for i in range(count):
            unit = leaves[f"w{i}"] * leaves[f"x{i}"]
            total = total + unit.tanh()
        return (total - leaves["target"]) ** 2

    start = {"b": 0.5, "target": 1.0}
    for i in range(count):
        start |= {f"w{i}": 0.1 * i - 0.3, f"x{i}": 1.0 - 0.2 * i}
    return loss, start


def test_sixty_nodes_are_drawn_and_redrawn_quickly(plain, explore):
    from gradlab.viz.layout import forget_layouts

    loss, start = row_of_neurons(11)
    forget_layouts()
    before = time.perf_counter()
    explorer = explore(loss, **start)
    made_ms = 1e3 * (time.perf_counter() - before)
    assert 55 <= len(explorer.view.nodes) <= 65
    pages = [plain(explorer, width=WIDTH) for _ in range(3)]
    drawn_ms = statistics.median(page.page.evaluate("window.drawn_ms") for page in pages)
    page = pages[-1]
    edits_ms = statistics.median(page.ask("edit_times", 40))
    print(
        f"first draw {made_ms:.0f} ms in Python + {drawn_ms:.0f} ms in the browser; slider to picture {edits_ms:.1f} ms"
    )
    assert made_ms + drawn_ms <= 3 * 150
    assert edits_ms <= 3 * 50


def test_a_hundred_and_fifty_nodes_follow_the_slider_too(plain, explore):
    loss, start = row_of_neurons(28)
    explorer = explore(loss, **start)
    assert len(explorer.view.nodes) > 140
    edits_ms = statistics.median(plain(explorer, width=WIDTH).ask("edit_times", 20))
    print(f"{len(explorer.view.nodes)} nodes: slider to picture {edits_ms:.1f} ms")
    assert edits_ms <= 3 * 100
