"""One number format everywhere, and a table that lines up."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradlab as gl
from gradlab.viz.text import MAX_ROWS, compact, display_width, number


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (2.0, "2.000"),
        (-3, "−3.000"),
        (81.0, "81.00"),
        (-18.0, "−18.00"),
        (0.0, "0.000"),
        (-0.0, "0.000"),
        (1234.5678, "1235"),
        (12345.678, "12346"),
        (999999.0, "999999"),
        (999999.7, "1.000e6"),
        (1e6, "1.000e6"),
        (-1.5e-7, "−1.500e−7"),
        (0.001, "0.001000"),
        (0.00099999, "0.001000"),
        (0.000099999, "1.000e−4"),
        (0.5, "0.5000"),
        (999.96, "1000"),
        (1e300, "1.000e300"),
        (5e-324, "4.941e−324"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "nan"),
        (None, "–"),
    ],
)
def test_numbers_have_four_significant_digits_and_a_true_minus(x: float | None, text: str) -> None:
    assert number(x) == text


def test_not_computed_differs_from_zero() -> None:
    assert number(None) != number(0.0)


@given(st.floats(-1.79e308, 1.79e308))
def test_a_number_can_be_read_back_and_fits_its_column(x: float) -> None:
    text = number(x)
    assert math.isclose(float(text.replace("−", "-")), x, rel_tol=5.1e-4, abs_tol=0)
    assert len(text) <= 11
    assert "-" not in text


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (2.0, "2"),
        (-1.0, "−1"),
        (0.5, "0.5"),
        (0.0, "0"),
        (1 / 3, "0.3333"),
        (100.0, "100"),
        (1e7, "1e7"),
        (None, "–"),
    ],
)
def test_compact_numbers_have_no_zeros_at_the_end(x: float | None, text: str) -> None:
    assert compact(x) == text


def test_the_table_lists_every_node_and_lines_up(loss: gl.Value) -> None:
    lines = gl.draw(loss).text().splitlines()
    assert lines[0] == "loss = (x·w + b − target)²"
    rows = lines[1:]
    assert len(rows) == 1 + 8
    start = rows[0].index("kind")
    assert [row[start:].split()[0] for row in rows[1:]] == [
        "input", "parameter", "parameter", "input", "operation", "operation", "operation", "loss",
    ]  # fmt: skip
    assert rows[5].split() == ["n4", "x·w", "operation", "×", "n0,", "n1", "−6.000", "−18.00", "●"]


def test_wide_signs_take_two_columns() -> None:
    assert display_width("木a") == 3
    x = gl.Value(1.0, label="木木")
    rows = gl.draw(x * 2.0).text().splitlines()[1:]
    columns = {
        display_width(row[: row.index(word)])
        for row, word in zip(rows, ("kind", "input", "constant", "output"), strict=True)
    }
    assert len(columns) == 1


def test_a_long_table_shows_its_ends_and_says_what_it_leaves_out() -> None:
    node = gl.Value(1.0, label="x")
    for _ in range(100):
        node = node.tanh()
    lines = gl.draw(node, fold=False).text().splitlines()
    assert len(lines) == MAX_ROWS + 3
    assert f"… {101 - MAX_ROWS} more nodes …" in lines
    assert lines[2].startswith("n0 ")
    assert lines[-1].startswith("n100 ")
