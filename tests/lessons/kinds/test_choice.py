"""Words as answers: options, names, and names in an order."""

from __future__ import annotations

import pytest

import gradlab as gl
from gradlab.lessons.kinds import Choice, Names, Order

CHOICE = Choice({"rises": "", "falls": "it gets smaller"}, lambda: "falls", synonyms={"down": "falls"})


@pytest.mark.parametrize(
    "value",
    ["falls", "FALLS", " Falls. ", "down", "it gets smaller", "It gets  smaller", ["falls"], "'falls'"],
)
def test_a_choice_is_read_without_case_spaces_and_by_synonym(verdict, value):
    assert verdict(CHOICE, value).status == "correct"


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("fals", 'Did you mean `"falls"`'),
        ("seven", "not among the answers"),
        (7, "quotation marks"),
        (None, "None"),
    ],
)
def test_what_is_no_option_is_an_error_that_lists_them(verdict, value, says):
    result = verdict(CHOICE, value)
    assert result.status == "error"
    assert says in result.message
    assert '`"rises"`' in result.message


NAMES = Names(("x·w", "prediction", "loss"), lambda: ("x·w", "loss"))


@pytest.mark.parametrize("value", [["x·w", "loss"], ("LOSS", "x*w"), {"loss", "x × w"}, "x*w, loss"])
def test_names_are_read_in_any_order_and_spelling(verdict, value):
    assert verdict(NAMES, value).status == "correct"


def test_labelled_nodes_are_names(verdict):
    node = gl.Value(1.0, label="loss")
    assert verdict(NAMES, [node, "x*w"]).status == "correct"


@pytest.mark.parametrize(
    ("value", "status", "says"),
    [
        (["loss"], "partly", "1 more is missing"),
        (["loss", "x*w", "prediction"], "partly", "`prediction` does not belong"),
        (["prediction"], "incorrect", "not it"),
        ([], "error", "empty"),
        ([...], "not attempted", "`...`"),
        (["loss", "loss"], "error", "twice"),
        (["lost"], "error", "no “lost” here"),
        ([3], "error", "the number 3"),
        (3, "error", "in a list"),
    ],
)
def test_names_that_are_wrong_are_told_how(verdict, value, status, says):
    result = verdict(NAMES, value)
    assert (result.status, says in result.message) == (status, True), result.message


ORDER = Order(("c", "b", "a", "d"), lambda: {"b": ["a"], "c": ["a", "b"], "d": ["c"]})


@pytest.mark.parametrize(
    ("value", "status", "says"),
    [
        (["a", "b", "c", "d"], "correct", "Because"),
        ("a → b → c → d", "correct", "Because"),
        (["d", "c", "b", "a"], "incorrect", "backwards"),
        (["b", "a", "c", "d"], "incorrect", "`b` needs `a`"),
        (["a", "b"], "partly", "2 names of 4"),
        ({"a", "b", "c", "d"}, "error", "no order"),
        (["a", ..., ..., "d"], "not attempted", "`...`"),
    ],
)
def test_an_order_is_judged_by_what_needs_what(verdict, value, status, says):
    result = verdict(ORDER, value)
    assert (result.status, says in result.message) == (status, True), result.message


def test_every_order_that_the_graph_allows_is_right(verdict):
    free = Order(("left", "right", "sum"), lambda: {"sum": ["left", "right"]})
    assert verdict(free, ["left", "right", "sum"]).status == "correct"
    assert verdict(free, ["right", "left", "sum"]).status == "correct"
    assert verdict(free, ["right", "sum", "left"]).status == "incorrect"
