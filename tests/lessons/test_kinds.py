"""Every kind of answer: what it accepts, and that each way of being wrong has a message of its own."""

from __future__ import annotations

import numpy as np
import pytest

import gradlab as gl
from gradlab.lessons.judge import judge
from gradlab.lessons.kinds import Array, Choice, Drawn, Function, Names, Number, Order
from gradlab.lessons.oracle import record
from gradlab.lessons.plan import Task, Wrong


def asked(kind, *wrong, **more):
    return Task("q", "What is it?", kind, ("one", "two", "three"), "solution", "Because.", wrong, **more)


def verdict(kind, value, *wrong):
    return judge(asked(kind, *wrong), value)


def function_without_return(x):
    x * 2


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
def test_what_is_no_number_is_an_error_with_its_own_message(value, says):
    result = verdict(NUMBER, value)
    assert result.status == "error"
    assert says in result.message
    assert "0x" not in result.message


def test_the_messages_for_what_is_no_number_differ():
    messages = {name: verdict(NUMBER, value).message for name, (value, _) in NOT_JUDGED.items()}
    same = {"nan": "numpy nan", "a function": "a class"}
    assert len(set(messages.values())) >= len(messages) - len(same)


@pytest.mark.parametrize(
    "value", [14, 14.0, np.float32(14), np.int64(14), np.array(14.0), gl.Value(14.0), 14.0000001]
)
def test_a_number_may_come_in_any_form_that_is_one_number(value):
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
def test_a_wrong_number_is_told_how_it_is_wrong(value, status, says):
    result = verdict(NUMBER, value)
    assert (result.status, says in result.message) == (status, True)


def test_zero_as_the_right_answer_is_compared_absolutely():
    assert verdict(Number(lambda: 0.0), 1e-12).status == "correct"
    assert verdict(Number(lambda: 0.0), 0.01).status == "incorrect"


def test_a_known_wrong_answer_is_named_before_it_is_called_a_wrong_sign():
    wrong = Wrong("a turned sign", lambda: -14.0, "You went the other way.", look="x")
    result = verdict(NUMBER, -14, wrong)
    assert (result.status, result.misconception, result.look) == ("incorrect", "a turned sign", "x")


CHOICE = Choice({"rises": "", "falls": "it gets smaller"}, lambda: "falls", synonyms={"down": "falls"})


@pytest.mark.parametrize(
    "value",
    ["falls", "FALLS", " Falls. ", "down", "it gets smaller", "It gets  smaller", ["falls"], "'falls'"],
)
def test_a_choice_is_read_without_case_spaces_and_by_synonym(value):
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
def test_what_is_no_option_is_an_error_that_lists_them(value, says):
    result = verdict(CHOICE, value)
    assert result.status == "error"
    assert says in result.message
    assert '`"rises"`' in result.message


NAMES = Names(("x·w", "prediction", "loss"), lambda: ("x·w", "loss"))


@pytest.mark.parametrize("value", [["x·w", "loss"], ("LOSS", "x*w"), {"loss", "x × w"}, "x*w, loss"])
def test_names_are_read_in_any_order_and_spelling(value):
    assert verdict(NAMES, value).status == "correct"


def test_labelled_nodes_are_names():
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
def test_names_that_are_wrong_are_told_how(value, status, says):
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
def test_an_order_is_judged_by_what_needs_what(value, status, says):
    result = verdict(ORDER, value)
    assert (result.status, says in result.message) == (status, True), result.message


def test_every_order_that_the_graph_allows_is_right():
    free = Order(("left", "right", "sum"), lambda: {"sum": ["left", "right"]})
    assert verdict(free, ["left", "right", "sum"]).status == "correct"
    assert verdict(free, ["right", "left", "sum"]).status == "correct"
    assert verdict(free, ["right", "sum", "left"]).status == "incorrect"


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
def test_a_function_is_judged_by_what_it_returns(value, status, says):
    result = verdict(FUNCTION, value)
    assert (result.status, says in result.message) == (status, True), result.message


def test_code_that_raises_is_shown_with_the_learners_line_and_not_gradlabs():
    message = verdict(FUNCTION, divides).message
    assert "return x / (w - w)" in message
    assert "gradlab" not in message
    assert "Traceback" not in message


def test_warnings_of_an_answer_are_judged_and_not_printed():
    result = verdict(FUNCTION, lambda x, w, b: gl.log(gl.Value(0.0)))
    assert "infinite" in result.message


def test_a_wrong_function_is_recognised_by_what_it_does_not_by_how_it_is_written():
    wrong = Wrong("brackets", lambda: lambda x, w, b: x * (w + b), "b is multiplied too.")
    assert verdict(FUNCTION, lambda x, w, b: x * b + x * w, wrong).misconception == "brackets"


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
def test_several_numbers_are_judged_by_place_and_shape(kind, value, status, says):
    result = verdict(kind, value)
    assert (result.status, says in result.message) == (status, True), result.message


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
def test_a_graph_is_judged_by_its_structure(make, status, says):
    result = verdict(GRAPH, make())
    assert (result.status, says in result.message) == (status, True), result.message


def test_a_bare_number_for_a_graph_is_the_misconception_that_data_cuts_it():
    assert verdict(GRAPH, 35.0).misconception == "`.data` cuts the graph"


def test_a_very_deep_graph_is_read_without_recursion():
    node = gl.Value(1.0, label="x")
    for _ in range(5000):
        node = node + 1.0
    assert verdict(GRAPH, node).status == "incorrect"


@pytest.mark.parametrize("kind", [NUMBER, CHOICE, NAMES, ORDER, FUNCTION, PAIR, GRAPH])
def test_a_result_of_another_verb_is_no_answer(kind):
    from gradlab.lessons import Result

    assert verdict(kind, Result("correct", "yes")).status == "error"
