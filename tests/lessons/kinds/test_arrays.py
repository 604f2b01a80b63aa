"""Several numbers as an answer: judged by place and by shape."""

from __future__ import annotations

import numpy as np
import pytest

from gradlab.lessons.kinds import Array

PAIR = Array(lambda: [1.0, -2.0], names=("w", "b"))
MATRIX = Array(lambda: np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))


@pytest.mark.parametrize(
    ("kind", "value", "status", "says"),
    [
        (PAIR, (1, -2), "correct", "Because"),
        (PAIR, {"b": -2, "w": 1}, "correct", "Because"),
        (PAIR, (-2, 1), "partly", "another order"),
        (PAIR, (-1, 2), "incorrect", "every sign"),
        (PAIR, (1, 7), "partly", "1 of 2"),
        (PAIR, (1, ...), "not attempted", "`...`"),
        (PAIR, {"w": 1}, "partly", "`b` is missing"),
        (PAIR, (1, 2, 3), "error", "3 numbers given, 2 wanted"),
        (PAIR, (1, "-2"), "error", "`b`: This is the text"),
        (PAIR, (1, float("nan")), "error", "`b`: This is nan"),
        (PAIR, 1.0, "error", "one number"),
        (PAIR, None, "error", "`None`"),
        (MATRIX, np.arange(1.0, 7.0).reshape(2, 3), "correct", "Because"),
        (MATRIX, np.arange(1.0, 7.0).reshape(2, 3).T, "error", "transpose"),
        (MATRIX, np.arange(1.0, 7.0), "error", "Its shape is (6,), and (2, 3) is wanted"),
        (MATRIX, [[1, 2, 3], [4, 5, 6]], "error", "This is a list"),
        (MATRIX, np.full((2, 3), np.nan), "error", "Number 1: This is nan"),
        (MATRIX, "matrix", "error", "the text “matrix”"),
        (MATRIX, 0 * np.ones((2, 3)) + 9, "incorrect", "not it"),
        (Array(lambda: [[1.0], [2.0]], as_list=True), [[1], [2, 3]], "error", "different lengths"),
    ],
)
def test_several_numbers_are_judged_by_place_and_shape(verdict, kind, value, status, says):
    result = verdict(kind, value)
    assert (result.status, says in result.message) == (status, True), result.message
