"""What goes wrong in a learner's function is told inside the explorer, in gradlab's words, and never lost."""

from __future__ import annotations

import json
import math
import re
import time

import pytest

import gradlab as gl
from gradlab.errors import ArgumentError

from .conftest import START, squared_error


@pytest.mark.parametrize(
    ("f", "says"),
    [
        (lambda x: 1 / (x.data - 2.0), "ZeroDivisionError"),
        (lambda x: None, "returned None"),
        (lambda x: "abc", "returned str 'abc'"),
        (lambda x: x.data * 2, "No leaf is recorded"),
        (lambda x: [x, x], "returned list"),
        (lambda x: gl.tensor([1.0, 2.0]), r"shape \(2,\)"),
        (lambda x: x + "a", "GL002"),
    ],
)
def test_a_function_that_fails_is_told_inside_the_widget(explore, f, says):
    explorer = explore(f, x=2.0)
    assert explorer.frame["message"]["kind"] == "error"
    assert re.search(says, explorer.frame["message"]["text"])
    assert explorer.frame["message"]["text"].endswith(".")
    assert [leaf["name"] for leaf in explorer.geometry["leaves"]] == ["x"]  # the way out is still there
    assert repr(explorer) == "GraphExplorer(nodes=0, step=0 of 0)"
    with pytest.raises(ArgumentError):
        explorer.view  # noqa: B018


def test_after_a_failure_the_last_good_picture_stays_and_the_next_edit_mends_it(explore):
    def inverse(x):
        if x.data == 0:
            raise ValueError("no inverse of 0")
        return 1 / x

    explorer = explore(inverse, x=2.0)
    explorer.set(x=0.0)
    message = explorer.frame["message"]
    assert message["stale"]
    assert "inverse raised ValueError: no inverse of 0 (line " in message["text"]
    assert 'raise ValueError("no inverse of 0")' in message["text"]
    assert "At x = 0." in message["text"]
    assert explorer.frame["values"][-1] == "0.5000"
    explorer.set(x=4.0)
    assert explorer.frame["message"] is None
    assert explorer.frame["values"][-1] == "0.2500"


def test_nan_is_shown_and_traced_to_where_it_began(explore):
    explorer = explore(lambda x: gl.log(x) * 2 + 1, x=1.0)
    explorer.set(x=-1.0)
    assert explorer.frame["values"][-1] == "nan"
    assert "log(x) is nan, not a number: it was computed from x = −1." in explorer.frame["message"]["text"]


def test_nan_can_be_typed_into_a_leaf(first):
    first.leaf_edits = {"seq": 1, "values": {"x": "nan"}}
    assert math.isnan(first.value("x"))
    assert "x is nan" in first.frame["message"]["text"]


def test_warnings_of_a_callback_are_shown_not_lost(explore):
    explorer = explore(lambda x: 1 / x, x=1.0)
    explorer.set(x=0.0)
    assert "zero" in explorer.frame["message"]["text"].lower()


def test_a_graph_too_large_for_a_picture_is_a_table(explore, monkeypatch):
    monkeypatch.setattr("gradlab.viz.build.MAX_DRAWN", 5)
    explorer = explore(squared_error, **START)
    assert explorer.geometry["table_only"]
    assert "too many" in explorer.frame["message"]["text"]


def test_twenty_thousand_operations_are_folded_and_quick(explore):
    y = gl.Value(1.0, label="x")
    for _ in range(20_000):
        y = y * 1.0001
    before = time.perf_counter()
    explorer = explore(y)
    assert time.perf_counter() - before < 3
    assert len(explorer.view.nodes) < 20
    assert len(json.dumps(explorer.frame)) < 10_000
    assert explorer.set(x=2.0).value("x") == 2.0


@pytest.mark.parametrize("place", ["gradlab.widgets.session.build", "gradlab.widgets.session.answers.paths"])
def test_a_mistake_of_gradlab_is_told_too(first, monkeypatch, place):
    def broken(*args, **kwargs):
        raise RuntimeError("planted")

    monkeypatch.setattr(place, broken)
    first.mode = "paths"
    first.set(x=3.0)
    assert "RuntimeError: planted" in first.frame["message"]["text"]
    assert first.frame["message"]["kind"] == "error"


def test_leaves_may_have_any_name(explore):
    explorer = explore(lambda f, self, start: f * self + start, f=1.0, self=2.0, start=3.0)
    explorer.set(self=5.0, f=2.0)
    assert explorer.view.nodes[-1].value == 13.0
