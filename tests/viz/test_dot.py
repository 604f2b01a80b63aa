"""DOT text that no label can break and no number can move, and that Graphviz itself reads back to the letter."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from html import unescape

import pytest

import gradlab as gl
from gradlab.viz import cards, dot
from gradlab.viz.labels import literal, shorten

Makers = dict[str, Callable[..., gl.Value]]


def layout_source(node: gl.Value) -> str:
    picture = gl.draw(node)
    return dot.layout_source(picture, "LR", cards.card_size(picture))


def drawn_texts(source: str) -> list[str]:
    """What Graphviz writes on its picture."""
    done = subprocess.run(["dot", "-Tsvg"], input=source.encode(), capture_output=True, check=True)
    assert done.stderr == b""
    found = re.findall(r"<text[^>]*>([^<]*)</text>", done.stdout.decode())
    return [unescape(text).replace("\xa0", " ") for text in found]


def test_the_layout_engine_sees_ids_and_placeholders_only(hostile_labels: list[str]) -> None:
    x = gl.Value(12345.678, label="SECRET")
    for label in hostile_labels:
        x = x + gl.Value(2.0, label=label)
    source = layout_source(x)
    assert "SECRET" not in source
    assert "12346" not in source
    statements = [line.strip() for line in source.splitlines()[1:-1]]
    allowed = r"(graph|node|edge) \[[-\w=. \"]+\]|n\d+|n\d+ -> n\d+ \[id=e\d+\]"
    assert [line for line in statements if not re.fullmatch(allowed, line)] == []


def test_the_layout_source_is_the_same_for_other_numbers(make: Makers) -> None:
    one, other = make["first"](), make["first"](backward=False)
    other.data = 1e-300
    assert layout_source(one) == layout_source(other)


@pytest.mark.needs("graphviz")
def test_graphviz_draws_hostile_labels_literally(hostile_label: str) -> None:
    picture = gl.draw(gl.Value(1.0, label=hostile_label).tanh())
    shown = " ".join(drawn_texts(picture.dot())[0].split())
    assert shown == " ".join(shorten(literal(hostile_label), 60).split())


@pytest.mark.needs("graphviz")
def test_graphviz_draws_every_fact_of_a_card(loss: gl.Value) -> None:
    texts = [" ".join(text.split()) for text in drawn_texts(gl.draw(loss).dot())]
    assert texts[:3] == ["x", "value 2.000", "gradient 54.00 ●"]
    assert texts[-3:] == ["² loss", "value 81.00", "gradient 1.000 ●"]


def test_every_use_is_an_edge_and_nothing_is_anything_but_n_and_a_number(make: Makers) -> None:
    source = gl.draw(make["square"]()).dot()
    assert source.count("n0 -> n1") == 2
    assert set(re.findall(r"^\t(\S+)", source, re.MULTILINE)) == {"graph", "node", "edge", "n0", "n1"}


def test_dot_keeps_attributes_that_labels_try_to_smuggle_in_as_text() -> None:
    evil = '"]; n0 [URL="javascript:alert(1)" fontname="<x>'
    source = gl.draw(gl.Value(1.0, label=evil)).dot()
    (line,) = [line for line in source.splitlines() if line.startswith("\tn0")]
    without_strings = re.sub(r'"(\\.|[^"\\])*"', "S", line)
    assert "URL" not in without_strings
    assert "javascript" not in without_strings
