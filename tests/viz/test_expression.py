"""Expressions keep their meaning when they are written: as text, as TeX, with names and with numbers."""

import ast
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradlab.viz.expression import ANY, ATOM, TEX, Term, name_term, tex_name, write

NAMES = {"x": name_term("a"), "y": name_term("b"), "z": name_term("out")}


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("x * y", "a·b"),
        ("x - (y - z)", "a − (b − out)"),
        ("x - y - z", "a − b − out"),
        ("(x + y) * z", "(a + b)·out"),
        ("x * (-y)", "a·(−b)"),
        ("-x * y", "−a·b"),
        ("-(x + y)", "−(a + b)"),
        ("x / (y * z)", "a / (b·out)"),
        ("x / y / z", "a / b / out"),
        ("x / y**2", "a / b²"),
        ("x ** 2", "a²"),
        ("(x + y) ** -1", "(a + b)⁻¹"),
        ("x ** (y - 1)", "a^(b − 1)"),
        ("x ** y ** 2", "a^(b²)"),
        ("(x ** y) ** 2", "(a^b)²"),
        ("(-x) ** 2", "(−a)²"),
        ("sqrt(x)", "√a"),
        ("sqrt(x + y)", "√(a + b)"),
        ("sqrt(x) ** 2", "(√a)²"),
        ("abs(x - y)", "|a − b|"),
        ("transpose(x)", "aᵀ"),
        ("x @ transpose(y)", "a @ bᵀ"),
        ("sigmoid(x)", "σ(a)"),
        ("max(x, y)", "max(a, b)"),
        ("x >= y", "a ≥ b"),
        ("x if z else y", "a if out else b"),
        ("(x if z else y) * 2", "(a if out else b)·2"),
        ("1 if x > y else 0.5 if x == y else 0", "1 if a > b else 0.5 if a = b else 0"),
        ("x[i]", "a[i]"),
    ],
)
def test_expressions_are_written_with_as_few_parentheses_as_they_need(expression: str, text: str) -> None:
    assert write(expression, NAMES).text == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("x / y", r"\frac{a}{b}"),
        ("x ** (y - 1)", "a^{b - 1}"),
        ("sqrt(x + y)", r"\sqrt{a + b}"),
        ("exp(-x)", "e^{-a}"),
        ("(x + y) * z", r"\left(a + b\right) \cdot out"),
        ("relu(x)", r"\operatorname{relu}\left(a\right)"),
        ("1 - z**2", "1 - out^{2}"),
    ],
)
def test_expressions_in_tex(expression: str, text: str) -> None:
    assert write(expression, NAMES, TEX).text == text


@pytest.mark.parametrize(
    ("expression", "number", "text"),
    [
        ("y * x**(y - 1)", 2.0, "2·a"),
        ("y * x**(y - 1)", 3.0, "3·a²"),
        ("y * x**(y - 1)", -1.0, "−1·a⁻²"),
        ("y * x**(y - 1)", 0.5, "0.5·a^(−0.5)"),
        ("x + y", 0.0, "a"),
        ("x - y", 0.0, "a"),
        ("x * y", 1.0, "a"),
        ("x / y", 1.0, "a"),
    ],
)
def test_known_numbers_are_worked_out_where_asked(expression: str, number: float, text: str) -> None:
    assert write(expression, {"x": name_term("a"), "y": number}, reduce=True).text == text


def test_numbers_stay_where_nothing_is_to_be_worked_out() -> None:
    assert write("x + y", {"x": name_term("a"), "y": 0.0}).text == "a + 0"
    assert write("x * y", {"x": -2.0, "y": -3.0}).text == "−2·(−3)"


def test_names_that_are_no_words_get_parentheses_where_a_word_needs_none() -> None:
    assert name_term("w1").level == ATOM
    assert name_term("θ_1").level == ATOM
    assert name_term("x·w + b").level == ANY
    assert write("x * y", {"x": name_term("a + b"), "y": name_term("c")}).text == "(a + b)·c"
    assert write("tanh(x)", {"x": name_term("a + b")}).text == "tanh(a + b)"


@pytest.mark.parametrize(
    ("name", "tex"),
    [
        ("x", "x"),
        ("x1", "x_{1}"),
        ("w_12", "w_{12}"),
        ("loss", r"\mathrm{loss}"),
        ("a_b", r"\text{a\_b}"),
        ("50% {x}", r"\text{50\% \{x\}}"),
        ("\\", r"\textbackslash{}"),
    ],
)
def test_names_in_tex_are_escaped(name: str, tex: str) -> None:
    assert tex_name(name) == tex


LEAVES = st.sampled_from(["x", "y", "2", "0.5", "7"])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        inner.map(lambda t: f"(-{t})"),
        inner.map(lambda t: f"({t})**2"),
        inner.map(lambda t: f"abs({t})"),
    ),
    max_leaves=8,
)
BACK = str.maketrans({"−": "-", "·": "*", "²": "§"})


def value(text: str) -> float | None:
    try:
        return float(
            eval(
                compile(ast.parse(text, mode="eval"), "expression", "eval"), {"x": 1.7, "y": -0.6, "abs": abs}
            )
        )
    except (ZeroDivisionError, OverflowError):
        return None


def read_back(text: str) -> str:
    """Written text as Python again: |…| opens after an operator or at the start, and closes after a value."""
    out, before = "", ""
    for char in text.translate(BACK).replace("§", "**2"):
        if char == "|":
            char = ")" if before and (before.isalnum() or before in ").") else "abs("
        out += char
        before = char[-1] if char != " " else before
    return out


@given(TREES)
def test_what_is_written_means_what_was_given(tree: str) -> None:
    expected = value(tree)
    written = write(tree, {"x": Term("x", ATOM), "y": Term("y", ATOM)}).text
    found = value(read_back(written))
    assert (found is None) == (expected is None)
    if expected is not None and found is not None:
        assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12), written


@given(TREES)
def test_working_numbers_out_changes_no_value(tree: str) -> None:
    expected = value(tree)
    written = write(tree, {"x": Term("x", ATOM), "y": -0.6}, reduce=True).text
    found = value(read_back(written))
    if expected is not None and found is not None:
        assert math.isclose(found, expected, rel_tol=2e-3, abs_tol=1e-3), written
