"""What travels to the front end."""

from __future__ import annotations

import math

import pytest

from gradlab.widgets.payload import slider_range


@pytest.mark.parametrize("x", [2.0, -3.0, 1.0, 4.0, 0.0, 0.01, -0.5, 1000.0, 1e-7, 1e9, 123.4, 9.99])
def test_a_slider_starts_in_the_middle_and_reaches_past_zero(x):
    row = slider_range(x)
    assert (row["low"] + row["high"]) / 2 == pytest.approx(x)
    assert row["low"] < 0 < row["high"] or x == 0
    assert row["high"] - row["low"] <= 12 * max(abs(x), 0.4)
    assert row["step"] == pytest.approx((row["high"] - row["low"]) / 200)


def test_a_zero_with_rounding_in_it_has_the_range_of_zero():
    assert slider_range(0.1 * 3 - 0.3)["high"] == pytest.approx(2.0)


@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf, 1e308])
def test_a_start_value_at_the_edge_of_the_numbers_still_has_a_slider(x):
    assert all(math.isfinite(one) for one in slider_range(x).values())


def numbers(explorer, name):
    """The formula of a node with # where a number goes."""
    node = next(node for node in explorer.geometry["nodes"] if node["name"] == name)
    text = node["formula"]["numbers"]
    for other in explorer.geometry["nodes"]:
        text = text.replace(f"\ue000{other['id']}\ue001", "#")
    return text


def test_formulas_have_a_place_for_each_number(first):
    assert numbers(first, "x·w") == "# × #"
    assert numbers(first, "prediction") == "# + #"
    assert numbers(first, "squared_error") == "#²"


def test_spoken_sentences_end_in_the_gradient_that_arrived(first):
    says = first.geometry["steps"][6]["say"]
    assert says.startswith("backward step 3 of 5: error hands its gradient to prediction and target;")
    assert "prediction.grad = \ue000re4\ue001." in says


def test_the_legend_lists_every_kind_in_use_and_no_other(first):
    kinds = [row["key"] for row in first.geometry["legend"] if row["sort"] == "kind"]
    assert kinds == ["input", "parameter", "operation", "loss"]


def test_the_legend_explains_partial_gradients_only_where_a_node_is_used_twice(first, explore):
    def states(explorer):
        return {row["key"] for row in explorer.geometry["legend"] if row["sort"] == "state"}

    assert "partial" not in states(first)
    assert "partial" in states(explore(lambda x: x * x, x=1.0))
