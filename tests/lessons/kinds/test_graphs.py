"""A graph as an answer: judged by its structure."""

from __future__ import annotations

import pytest

import gradlab as gl
from gradlab.lessons.kinds import Drawn
from gradlab.lessons.oracle import record

AT = {"x": 2.0, "w": -3.0, "b": 1.0}


def wanted(x, w, b):
    product = x * w
    return product * product - b


GRAPH = Drawn(lambda: record(wanted, AT)[0])


def built(f, **numbers):
    return record(f, {**AT, **numbers})[0]


def other_leaf(x, w, b):
    product = gl.Value(2.0, label="y") * w
    return product * product - b


def unlabelled(x, w, b):
    product = gl.Value(2.0) * w
    return product * product - b


def copied(x, w, b):
    again = gl.Value(-3.0, label="w")
    return (x * w) * (x * again) - b


GRAPHS = {
    "right": (lambda: built(wanted), "correct", "Because"),
    "factors exchanged": (lambda: built(lambda x, w, b: (lambda p: p * p - b)(w * x)), "correct", "Because"),
    "computed twice": (lambda: built(lambda x, w, b: (x * w) * (x * w) - b), "partly", "Compute it once"),
    "a leaf twice": (lambda: built(copied), "partly", "two separate nodes called `w`"),
    "swapped": (lambda: built(lambda x, w, b: (lambda p: b - p * p)(x * w)), "incorrect", "swapped"),
    "another way": (lambda: built(lambda x, w, b: (x * w) ** 2 - b), "partly", "by another graph"),
    "other operations": (
        lambda: built(lambda x, w, b: (lambda p: p + p - b)(x * w)),
        "incorrect",
        "× missing and + too many",
    ),
    "other numbers": (lambda: built(wanted, b=7.0), "partly", "`b` = 1"),
    "cut": (
        lambda: built(lambda x, w, b: (lambda p: p * p - b.data)(x * w)),
        "incorrect",
        "No arrow comes from `b`",
    ),
    "another leaf": (lambda: built(other_leaf), "incorrect", "There is `y` instead"),
    "no label": (lambda: built(unlabelled), "partly", "no name yet"),
    "a bare number": (lambda: float(built(wanted).data), "error", "forgotten where it came from"),
    "a leaf": (lambda: gl.Value(2.0, label="x"), "error", "nothing goes into"),
    "a function": (lambda: wanted, "error", "Call it"),
    "None": (lambda: None, "error", "`None`"),
    "a tensor": (lambda: gl.tensor([1.0, 2.0]) * 2.0, "error", "shape (2,)"),
    "starter": (lambda: ..., "not attempted", "`...`"),
}


@pytest.mark.parametrize(("make", "status", "says"), GRAPHS.values(), ids=GRAPHS)
def test_a_graph_is_judged_by_its_structure(verdict, make, status, says):
    result = verdict(GRAPH, make())
    assert (result.status, says in result.message) == (status, True), result.message


def test_a_bare_number_for_a_graph_is_the_misconception_that_data_cuts_it(verdict):
    assert verdict(GRAPH, 35.0).misconception == "`.data` cuts the graph"


def test_a_very_deep_graph_is_read_without_recursion(verdict):
    node = gl.Value(1.0, label="x")
    for _ in range(5000):
        node = node + 1.0
    assert verdict(GRAPH, node).status == "incorrect"
