"""One number as an answer: each way of not being one has a message of its own."""

from __future__ import annotations

import numpy as np
import pytest

import gradlab as gl
from gradlab.lessons import Result
from gradlab.lessons.kinds import Number
from gradlab.lessons.plan import Wrong

NUMBER = Number(lambda: 14.0)

NOT_JUDGED = {
    "text of the number": ("14", "Leave out the quotation marks: `14`"),
    "text with a decimal comma": ("14,0", "Leave out the quotation marks: `14.0`"),
    "other text": ("fourteen", "This is text"),
    "nan": (float("nan"), "not a number"),
    "numpy nan": (np.float64("nan"), "not a number"),
    "infinite": (float("inf"), "infinite"),
    "None": (None, "`return`"),
    "yes or no": (True, "yes or no"),
    "decimal comma": ((14, 5), "Write the decimal with a point"),
    "one in a list": ([14], "without brackets"),
    "a list": ([1, 2, 3], "list of 3 things"),
    "an array": (np.ones((2, 2)), "array of shape (2, 2)"),
    "one in an array": (np.array([14.0]), "`.item()`"),
    "a function": (abs, "Call it"),
    "a class": (gl.Value, "Call it"),
    "complex": (14 + 1j, "imaginary"),
    "anything else": (object(), "something of type `object`"),
}


@pytest.mark.parametrize(("value", "says"), NOT_JUDGED.values(), ids=NOT_JUDGED)
def test_what_is_no_number_is_an_error_with_its_own_message(verdict, value, says):
    result = verdict(NUMBER, value)
    assert result.status == "error"
    assert says in result.message
    assert "0x" not in result.message


def test_the_messages_for_what_is_no_number_differ(verdict):
    messages = {name: verdict(NUMBER, value).message for name, (value, _) in NOT_JUDGED.items()}
    same = {"nan": "numpy nan", "a function": "a class"}
    assert len(set(messages.values())) >= len(messages) - len(same)


@pytest.mark.parametrize(
    "value", [14, 14.0, np.float32(14), np.int64(14), np.array(14.0), gl.Value(14.0), 14.0000001]
)
def test_a_number_may_come_in_any_form_that_is_one_number(verdict, value):
    assert verdict(NUMBER, value).status == "correct"


@pytest.mark.parametrize(
    ("value", "status", "says"),
    [
        (..., "not attempted", "in place of `...`"),
        (-14, "incorrect", "sign"),
        (14.1, "partly", "rounded"),
        (1.4, "incorrect", "decimal point"),
        (5, "incorrect", "You gave 5"),
        (0, "incorrect", "You gave 0"),
    ],
)
def test_a_wrong_number_is_told_how_it_is_wrong(verdict, value, status, says):
    result = verdict(NUMBER, value)
    assert (result.status, says in result.message) == (status, True)


def test_zero_as_the_right_answer_is_compared_absolutely(verdict):
    assert verdict(Number(lambda: 0.0), 1e-12).status == "correct"
    assert verdict(Number(lambda: 0.0), 0.01).status == "incorrect"


def test_a_known_wrong_answer_is_named_before_it_is_called_a_wrong_sign(verdict):
    wrong = Wrong("a turned sign", lambda: -14.0, "You went the other way.", look="x")
    result = verdict(NUMBER, -14, wrong)
    assert (result.status, result.misconception, result.look) == ("incorrect", "a turned sign", "x")


def test_a_result_of_another_verb_is_no_answer(verdict):
    assert verdict(NUMBER, Result("correct", "yes")).status == "error"
