"""Whatever Graphviz is there, or is broken, or hangs: there is a picture, and it stays still while its numbers change."""

from __future__ import annotations

import math
import os
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import gradlab as gl
from gradlab.viz import engines, layout
from gradlab.viz.layout import Geometry, engine_report
from gradlab.viz.view import GraphView

Makers = dict[str, Callable[..., gl.Value]]
NO_MODULE = "gradlab_no_such_module"


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without any Graphviz: PATH has one empty folder, and neither package is installed."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(engines.VARIABLE, raising=False)
    monkeypatch.setattr(engines, "find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "pygraphviz", raising=False)
    monkeypatch.setattr(engines.sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(engines.sys, "executable", str(tmp_path / "python"))
    return tmp_path


def program(folder: Path, name: str, body: str) -> Path:
    """A program of this name that runs some Python."""
    path = folder / name
    path.write_text(f"#!{REAL_PYTHON}\nimport sys, time\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


REAL_PYTHON = sys.executable
# Answers as dot would for two cards and one edge, whatever it is asked.
GOOD = """
sys.stdin.read()
print('{"bb": "0,0,418,84", "objects": [{"name": "n0", "pos": "88,42"}, {"name": "n1", "pos": "330,42"}],'
      ' "edges": [{"id": "e0", "pos": "e,242,42 176,42 190,42 220,42 234,42"}]}')
"""


def small() -> GraphView:
    x = gl.Value(2.0, label="x")
    return gl.draw(x.tanh())


def sound(picture: GraphView, geometry: Geometry) -> None:
    """Cards do not overlap, stand inside the picture, and every edge joins the borders of its cards."""
    assert set(geometry.nodes) == {node.id for node in picture.nodes}
    assert set(geometry.edges) == {edge.id for edge in picture.edges}
    boxes = list(geometry.nodes.values())
    for i, (x, y, w, h) in enumerate(boxes):
        assert x >= 0
        assert y >= 0
        assert x + w <= geometry.width
        assert y + h <= geometry.height
        for x2, y2, w2, h2 in boxes[:i]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y
    across = 0 if geometry.rankdir == "LR" else 1
    for edge in picture.edges:
        start, tip = geometry.curves[edge.id][0], geometry.tips[edge.id]
        source, target = geometry.nodes[edge.source], geometry.nodes[edge.target]
        assert start[across] == pytest.approx(source[across] + source[2 + across], abs=1.5)
        assert tip[across] == pytest.approx(target[across], abs=1.5)
        assert geometry.edges[edge.id][0].startswith(f"M{start[0]:g} {start[1]:g}C")
        assert 4 < tip[across] - geometry.curves[edge.id][-1][across] < 10


def under_cards(geometry: Geometry) -> list[str]:
    """Edges that run under a card."""
    found = []
    for key, points in geometry.curves.items():
        for i in range(0, len(points) - 1, 3):
            for k in range(21):
                t = k / 20
                x, y = (
                    sum(math.comb(3, n) * t**n * (1 - t) ** (3 - n) * points[i + n][axis] for n in range(4))
                    for axis in (0, 1)
                )
                if any(
                    left + 2 < x < left + w - 2 and t2 + 2 < y < t2 + h - 2
                    for left, t2, w, h in geometry.nodes.values()
                ):
                    found.append(key)
    return found


# --- the rungs ---


@pytest.mark.needs("graphviz")
def test_dot_on_path_is_used_where_it_is(any_graph: gl.Value, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(engines.VARIABLE, raising=False)
    picture = gl.draw(any_graph)
    geometry = layout.layout(picture)
    assert os.path.basename(geometry.engine) == "dot"
    sound(picture, geometry)
    assert under_cards(geometry) == []


@pytest.mark.needs("pygraphviz")
@pytest.mark.parametrize("rankdir", ["LR", "TB"])
def test_pygraphviz_is_used_where_no_program_is(
    any_graph: gl.Value, bare: Path, monkeypatch: pytest.MonkeyPatch, rankdir: str
) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda name: object())
    picture = gl.draw(any_graph, rankdir=rankdir)
    geometry = layout.layout(picture)
    assert geometry.engine == "pygraphviz"
    sound(picture, geometry)
    assert under_cards(geometry) == []


@pytest.mark.parametrize("rankdir", ["LR", "TB"])
def test_without_any_graphviz_the_built_in_layout_draws(
    any_graph: gl.Value, bare: Path, rankdir: str
) -> None:
    picture = gl.draw(any_graph, rankdir=rankdir)
    geometry = layout.layout(picture)
    assert geometry.engine == "builtin"
    sound(picture, geometry)
    assert under_cards(geometry) == []


def test_the_variable_wins_over_path(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(bare, "dot", GOOD)
    chosen = program(bare, "my-dot", GOOD)
    monkeypatch.setenv(engines.VARIABLE, str(chosen))
    assert layout.layout(small()).engine == str(chosen)
    monkeypatch.setenv(engines.VARIABLE, "my-dot")
    assert layout.layout(small()).engine == str(chosen)
    monkeypatch.delenv(engines.VARIABLE)
    assert layout.layout(small()).engine == str(bare / "dot")
    monkeypatch.setenv(engines.VARIABLE, "builtin")
    assert layout.layout(small()).engine == "builtin"


def test_graphviz_pure_is_found_beside_the_interpreter(
    bare: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "scripts"
    folder.mkdir()
    pure = program(folder, "graphviz-pure", GOOD)
    monkeypatch.setattr(engines.sysconfig, "get_path", lambda name: str(folder))
    assert layout.layout(small()).engine == str(pure)
    program(bare, "dot", GOOD)
    layout.forget_layouts()
    assert layout.layout(small()).engine == str(bare / "dot")


def test_programs_are_asked_for_json_geometry(bare: Path) -> None:
    program(bare, "dot", f"open({str(bare / 'asked')!r}, 'w').write(' '.join(sys.argv[1:]))\n{GOOD}")
    layout.layout(small())
    assert (bare / "asked").read_text() == "-Kdot -Tjson0"


@pytest.mark.parametrize(
    "body",
    [
        "sys.exit(3)",
        "print('not json')",
        "print('{}')",
        'print(\'{"bb": "0,0,1,1", "objects": []}\')',
        "print(sys.stdin.read())",
        "sys.stdout.buffer.write(bytes(range(256)))",
        GOOD.replace("e,242,42 176,42", "176,42"),
        GOOD.replace("88,42", "left,right"),
    ],
    ids=["status", "text", "empty", "no cards", "echo", "bytes", "no arrow", "no numbers"],
)
def test_a_broken_dot_is_passed_over_and_reported(bare: Path, body: str) -> None:
    broken = program(bare, "dot", body)
    picture = small()
    geometry = layout.layout(picture)
    assert geometry.engine == "builtin"
    sound(picture, geometry)
    rows = {row.rung: row for row in engine_report()}
    assert rows["dot on PATH"].found != str(broken)
    assert rows["built-in layout"].used


def test_a_dot_that_cannot_be_started_is_passed_over(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bare / "dot").write_text("no program")
    (bare / "dot").chmod(0o755)
    assert layout.layout(small()).engine == "builtin"
    monkeypatch.setenv(engines.VARIABLE, str(bare / "missing" / "dot"))
    assert layout.layout(small()).engine == "builtin"
    assert "could not be started" in next(row.found for row in engine_report())


def test_a_dot_that_hangs_costs_its_time_limit_once(
    bare: Path, monkeypatch: pytest.MonkeyPatch, make: Makers
) -> None:
    monkeypatch.setattr(engines, "TIMEOUT_S", 0.4)
    program(bare, "dot", "time.sleep(60)")
    start = time.perf_counter()
    assert layout.layout(small()).engine == "builtin"
    first = time.perf_counter() - start
    assert 0.3 < first < 3
    start = time.perf_counter()
    assert layout.layout(gl.draw(make["first"]())).engine == "builtin"
    assert time.perf_counter() - start < 0.2


def test_an_installed_but_broken_pygraphviz_is_passed_over(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(**_: object) -> None:
        raise RuntimeError("no plugin")

    monkeypatch.setitem(sys.modules, "pygraphviz", SimpleNamespace(AGraph=fails))
    assert layout.layout(small()).engine == "builtin"
    assert any("no plugin" in row.found for row in engine_report())


def test_fontconfig_lines_are_caught_and_other_lines_passed_on(
    bare: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Loud:
        def __init__(self, string: str) -> None:
            assert "digraph" in string

        def draw(self, format: str, prog: str) -> bytes:
            os.write(2, b"Fontconfig error: Cannot load default config file\nsomething else\n")
            return (
                b'{"bb": "0,0,418,84", "objects": [{"name": "n0", "pos": "88,42"}, {"name": "n1", "pos": "330,42"}],'
                b' "edges": [{"id": "e0", "pos": "e,242,42 176,42 190,42 220,42 234,42"}]}'
            )

        def close(self) -> None:
            pass

    stub = ModuleType("pygraphviz")
    stub.AGraph = Loud
    monkeypatch.setitem(sys.modules, "pygraphviz", stub)
    assert layout.layout(small()).engine == "pygraphviz"
    assert capfd.readouterr().err == "something else\n"


def test_the_report_names_every_rung_with_advice(bare: Path) -> None:
    rows = engine_report()
    assert [row.rung for row in rows] == [
        "$GRADLAB_DOT",
        "dot on PATH",
        "graphviz-pure",
        "pygraphviz",
        "built-in layout",
    ]
    assert [row.used for row in rows] == [False] * 4 + [True]
    assert all(row.advice for row in rows)
    program(bare, "dot", GOOD)
    rows = engine_report()
    assert [row.used for row in rows] == [False, True, False, False, False]


def test_large_pictures_do_not_ask_graphviz(bare: Path) -> None:
    program(bare, "dot", "open('asked', 'w')")
    x = gl.Value(1.0, label="x")
    for _ in range(layout.MAX_ENGINE_NODES):
        x = x.tanh()
    assert layout.layout(gl.draw(x, fold=False)).engine == "builtin"
    assert engines._failures == {}
