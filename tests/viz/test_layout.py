"""A layout depends on the topology and the names only: it stays still while numbers change, and is made once."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

import gradlab as gl
from gradlab.viz import layout

Makers = dict[str, Callable[..., gl.Value]]


def test_new_numbers_do_not_move_the_picture_nor_lay_it_out_again(
    make: Makers, monkeypatch: pytest.MonkeyPatch
) -> None:
    geometry = layout.layout(gl.draw(make["first"]()))
    monkeypatch.setattr(layout, "_fresh", lambda *_: pytest.fail("laid out again"))
    other = make["first"](backward=False)
    assert layout.layout(gl.draw(other)) is geometry
    leaves = [(1e300, "x"), (-1e-300, "w"), (0.123456, "b"), (math.nan, "target")]
    x, w, b, target = (gl.Value(value, label=name) for value, name in leaves)
    prediction = x * w + b
    error = prediction - target
    loss = error**2
    prediction.label, error.label, loss.label = "prediction", "error", "loss"
    assert layout.layout(gl.draw(loss)) is geometry


def test_another_topology_or_direction_is_laid_out_anew(make: Makers) -> None:
    picture = gl.draw(make["square"]())
    x = gl.Value(3.0, label="x")
    other = gl.draw(x * gl.Value(3.0, label="y"))
    assert layout.layout(picture) is not layout.layout(other)
    assert layout.layout(picture) is not layout.layout(picture, "TB")


def test_the_cache_does_not_grow_without_end() -> None:
    node = gl.Value(1.0, label="x")
    for _ in range(90):
        node = node.tanh()
        layout.layout(gl.draw(node))
    assert len(layout._cache) <= 64


def test_two_uses_by_one_operation_are_two_parallel_lines(make: Makers) -> None:
    for rankdir in ("LR", "TB"):
        picture = gl.draw(make["square"](), rankdir=rankdir)
        geometry = layout.layout(picture)
        along = 1 if rankdir == "LR" else 0
        first, second = (geometry.curves[e.id] for e in picture.edges)
        assert all(10 <= b[along] - a[along] <= 20 for a, b in zip(first, second, strict=True))
        tips = [geometry.tips[e.id] for e in picture.edges]
        assert tips[1][along] - tips[0][along] >= 10


def test_many_parallel_edges_stay_on_their_card() -> None:
    x = gl.Value(1.0, label="x")
    picture = gl.draw(gl.total(*[x] * 12))
    geometry = layout.layout(picture)
    tips = [geometry.tips[e.id] for e in picture.edges]
    _, y, _, h = geometry.nodes[picture.nodes[-1].id]
    across = 1 if geometry.rankdir == "LR" else 0
    assert len(set(tips)) == 12
    if across:
        assert all(y < tip[1] < y + h for tip in tips)


def test_label_places_lie_on_their_edges(loss: gl.Value) -> None:
    picture = gl.draw(loss)
    geometry = layout.layout(picture)
    for edge in picture.edges:
        x, y = geometry.edges[edge.id][1]
        points = geometry.curves[edge.id]
        assert points[0][0] < x < points[-1][0]
        assert min(p[1] for p in points) <= y <= max(p[1] for p in points)


def test_nothing_ever_asks_for_orthogonal_lines(repository: Path) -> None:
    word = "splines=" + "ortho"
    texts = [
        path.read_text() for path in (repository / "gradlab").rglob("*") if path.suffix in (".py", ".js")
    ]
    assert texts
    assert not any(word in text or '"' + "ortho" in text for text in texts)


def test_a_long_narrow_graph_runs_downwards_and_a_wide_one_to_the_right(make: Makers) -> None:
    x = gl.Value(1.0, label="x")
    for _ in range(layout.WIDE_CARDS - 1):
        x = x.tanh()
    assert gl.draw(x).rankdir == "LR"
    assert gl.draw(x.tanh()).rankdir == "TB"
    assert gl.draw(make["sixty"]()).rankdir == "LR"
    assert gl.draw(x.tanh(), rankdir="LR").rankdir == "LR"
