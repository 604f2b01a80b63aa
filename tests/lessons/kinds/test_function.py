"""A function as an answer: judged by what it returns, and its faults told with the learner's line."""

from __future__ import annotations

import pytest

import gradlab as gl
from gradlab.lessons.kinds import Function
from gradlab.lessons.plan import Wrong


def function_without_return(x):
    x * 2


def line(x, w, b):
    return x * w + b


FUNCTION = Function(("x", "w", "b"), line, ((2.0, -3.0, 1.0), (0.0, 5.0, -2.0), (-1.5, 0.5, 4.0)))


def divides(x, w, b):
    return x / (w - w)


def exits(x, w, b):
    raise SystemExit


def recurses(x, w, b):
    return recurses(x, w, b)


def misuses(x, w, b):
    return gl.Value("a")


FUNCTIONS = {
    "right": (line, "correct", "Because"),
    "right, as nodes": (lambda x, w, b: gl.Value(x) * w + b, "correct", "Because"),
    "starter": (lambda x, w, b: ..., "not attempted", "still returns"),
    "no return": (lambda x, w, b: None, "error", "`return`"),
    "too few arguments": (function_without_return, "error", "takes `x`"),
    "raises": (divides, "error", "`ZeroDivisionError`"),
    "leaves": (exits, "error", "`SystemExit`"),
    "never ends": (recurses, "error", "`RecursionError`"),
    "misuses gradlab": (misuses, "error", "GL001"),
    "gives text": (lambda x, w, b: "5", "error", "quotation marks"),
    "gives nan": (lambda x, w, b: float("nan"), "error", "not a number"),
    "right for some": (lambda x, w, b: x * w + b if x > 0 else 0, "partly", "Right for 1 of 3"),
    "constant": (lambda x, w, b: 17, "incorrect", "whatever goes in"),
    "wrong everywhere": (
        lambda x, w, b: x + 10,
        "incorrect",
        "x = 2, w = −3, b = 1 it gives 12, and −5 is wanted",
    ),
    "called": (line(1, 2, 3), "error", "without brackets"),
    "no function": ("line", "error", "the text “line”"),
}


@pytest.mark.parametrize(("value", "status", "says"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_function_is_judged_by_what_it_returns(verdict, value, status, says):
    result = verdict(FUNCTION, value)
    assert (result.status, says in result.message) == (status, True), result.message


def test_code_that_raises_is_shown_with_the_learners_line_and_not_gradlabs(verdict):
    message = verdict(FUNCTION, divides).message
    assert "return x / (w - w)" in message
    assert "gradlab" not in message
    assert "Traceback" not in message


def test_warnings_of_an_answer_are_judged_and_not_printed(verdict):
    result = verdict(FUNCTION, lambda x, w, b: gl.log(gl.Value(0.0)))
    assert "infinite" in result.message


def test_a_wrong_function_is_recognised_by_what_it_does_not_by_how_it_is_written(verdict):
    wrong = Wrong("brackets", lambda: lambda x, w, b: x * (w + b), "b is multiplied too.")
    assert verdict(FUNCTION, lambda x, w, b: x * b + x * w, wrong).misconception == "brackets"
