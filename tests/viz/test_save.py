"""Files: each ending gives its format with the same facts, and nothing is half written or lost."""

from __future__ import annotations

import io
import json
import re
import zlib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import ArgumentError, StorageError
from gradlab.viz import figure, theme
from gradlab.viz.build import MAX_DRAWN

Makers = dict[str, Callable[..., gl.Value]]
START = {
    ".png": b"\x89PNG",
    ".pdf": b"%PDF",
    ".svg": b"<?xml",
    ".html": b"<!DOCTYPE",
    ".dot": b"digraph",
    ".json": b"{",
    ".txt": b"loss =",
}


def pixels(path: Path):
    from matplotlib.image import imread

    return imread(path)


@pytest.mark.parametrize("ending", START)
@pytest.mark.parametrize("as_text", [True, False])
def test_each_ending_gives_its_format(loss: gl.Value, tmp_path: Path, ending: str, as_text: bool) -> None:
    path = tmp_path / f"graph{ending.upper() if as_text else ending}"
    gl.draw(loss).save(str(path) if as_text else path)
    assert path.read_bytes().startswith(START[ending])
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", START)
def test_hostile_labels_can_be_saved(hostile_labels: list[str], tmp_path: Path, ending: str) -> None:
    node = gl.Value(1.0, label="loss =")
    for label in hostile_labels:
        node = node + gl.Value(1.0, label=label)
    node.label = "loss ="
    gl.draw(node).save(tmp_path / f"graph{ending}")
    assert (tmp_path / f"graph{ending}").read_bytes().startswith(START[ending])


@pytest.mark.parametrize("ending", [".png", ".pdf"])
@pytest.mark.parametrize("name", ["square", "sixty", "network"])
def test_the_same_picture_gives_the_same_file(make: Makers, tmp_path: Path, ending: str, name: str) -> None:
    for file in ("one", "two"):
        gl.draw(make[name]()).save(tmp_path / (file + ending))
    assert (tmp_path / f"one{ending}").read_bytes() == (tmp_path / f"two{ending}").read_bytes()


def test_no_date_and_no_version_is_written_into_a_file(loss: gl.Value, tmp_path: Path) -> None:
    for ending in (".png", ".pdf"):
        gl.draw(loss).save(tmp_path / f"graph{ending}")
        raw = (tmp_path / f"graph{ending}").read_bytes()
        assert not re.search(rb"CreationDate|Producer|Software|[Mm]atplotlib", raw)


def test_no_label_is_read_as_mathematics_in_a_figure(hostile_label: str) -> None:
    canvas = figure._drawn(gl.draw(gl.Value(1.0, label=hostile_label).tanh()))
    assert not any(text.get_parse_math() for text in canvas.axes.texts)


def test_the_figure_shows_every_text_of_the_svg(loss: gl.Value) -> None:
    picture = gl.draw(loss * 2.0)
    root = ElementTree.fromstring(picture.svg().encode())
    in_svg = sorted(one.text for one in root.iter("{http://www.w3.org/2000/svg}text"))
    canvas = figure._drawn(picture)
    assert sorted(text.get_text() for text in canvas.axes.texts) == in_svg


def test_the_figure_paints_the_colours_of_the_kinds(loss: gl.Value, tmp_path: Path) -> None:
    gl.draw(loss).save(tmp_path / "graph.png")
    image = (pixels(tmp_path / "graph.png")[..., :3] * 255).round().astype(int)
    codes = np.unique(image @ np.array([65536, 256, 1]))
    found = {f"#{code:06x}" for code in codes}
    for kind in ("input", "parameter", "operation", "loss"):
        assert set(theme.KINDS[kind].light) <= found


def test_a_png_is_sharp_and_has_the_shape_of_the_picture(loss: gl.Value, tmp_path: Path) -> None:
    picture = gl.draw(loss)
    picture.save(tmp_path / "graph.png")
    height, width = pixels(tmp_path / "graph.png").shape[:2]
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture.svg())
    assert width == pytest.approx(2 * float(box[1]), abs=2)
    assert height == pytest.approx(2 * float(box[2]), abs=2)


def test_a_very_wide_picture_gets_coarser_instead_of_failing(tmp_path: Path) -> None:
    node = gl.Value(1.0, label="x")
    for _ in range(140):
        node = node.tanh()
    gl.draw(node, rankdir="LR").save(tmp_path / "graph.png")
    assert pixels(tmp_path / "graph.png").shape[1] <= 30_001


def test_a_table_can_be_saved_as_a_picture_too(tmp_path: Path) -> None:
    node = gl.Value(1.0, label="x")
    for _ in range(MAX_DRAWN + 5):
        node = node.tanh()
    gl.draw(node, fold=False).save(tmp_path / "graph.png")
    assert pixels(tmp_path / "graph.png").std() > 0.05


def test_the_state_of_pyplot_does_not_change(loss: gl.Value, tmp_path: Path) -> None:
    import matplotlib
    from matplotlib import pyplot

    before = pyplot.get_fignums(), matplotlib.rcParams.copy()
    gl.draw(loss).save(tmp_path / "graph.png")
    assert (pyplot.get_fignums(), matplotlib.rcParams.copy()) == before


def test_a_pdf_has_real_text(tmp_path: Path) -> None:
    x = gl.Value(1.0, label="readable")
    gl.draw(x).save(tmp_path / "graph.pdf")
    raw = (tmp_path / "graph.pdf").read_bytes()
    streams = [
        zlib.decompress(part) for part in re.findall(rb"stream\r?\n(x.*?)\r?\nendstream", raw, re.DOTALL)
    ]
    assert any(b"Tj" in one or b"TJ" in one for one in streams)


class Page(HTMLParser):
    """Addresses, scripts and text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.tags: set[str] = set()
        self.text = io.StringIO()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [
            value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "action")
        ]

    def handle_data(self, data: str) -> None:
        self.text.write(data)


def test_a_page_stands_alone_and_has_the_table_as_well(hostile_label: str, tmp_path: Path) -> None:
    picture = gl.draw(gl.Value(1.0, label=hostile_label).tanh())
    picture.save(tmp_path / "graph.html")
    page = Page()
    page.feed((tmp_path / "graph.html").read_text(encoding="utf-8"))
    assert page.addresses == []
    assert not page.tags & {"script", "link", "img", "iframe", "b"}
    assert {"svg", "table", "pre"} & page.tags >= {"svg", "pre"}
    assert "tanh" in page.text.getvalue()


def test_json_files_hold_what_json_gives(loss: gl.Value, tmp_path: Path) -> None:
    picture = gl.draw(loss)
    picture.save(tmp_path / "graph.json")
    assert json.loads((tmp_path / "graph.json").read_text(encoding="utf-8")) == json.loads(picture.json())


@pytest.mark.parametrize("name", ["graph", "graph.bmp", "graph.", ".svg"])
def test_an_ending_that_is_not_known_is_explained(loss: gl.Value, tmp_path: Path, name: str) -> None:
    with pytest.raises(ArgumentError, match="GL062") as caught:
        gl.draw(loss).save(tmp_path / name)
    assert ".svg, .png, .pdf" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_or_cannot_be_written_is_explained(loss: gl.Value, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "missing", tmp_path / "file"):
        with pytest.raises(StorageError, match="GL080"):
            gl.draw(loss).save(folder / "graph.svg")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_failed_write_leaves_the_old_file(
    loss: gl.Value, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "graph.svg"
    path.write_text("old")

    def full(self: Path, data: bytes) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(StorageError, match="No space left"):
        gl.draw(loss).save(path)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["graph.svg"]
