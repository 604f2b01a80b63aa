"""Derivatives of functions against mathematics, and the gradient check against planted faults."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradlab as gl
from gradlab.errors import DataError, DTypeError, GradcheckError
from gradlab.op import function_of

FINITE = st.floats(-2.0, 2.0)


def test_derivatives_of_every_order_of_a_cube():
    f = lambda x: x**3  # noqa: E731
    orders = []
    for _ in range(4):
        f = gl.grad(f)
        orders.append(float(f(2.0)))
    assert orders == [12.0, 12.0, 6.0, 0.0]


def test_an_inner_derivative_is_not_confused_with_the_outer_one():
    assert float(gl.grad(lambda x: x * gl.grad(lambda y: x + y)(1.0))(1.0)) == 1.0


def test_argnums_choose_the_arguments():
    value, (dx, dy) = gl.value_and_grad(lambda x, y: x * y * y, argnums=(0, 1))(2.0, 3.0)
    assert (float(value), float(dx), float(dy)) == (18.0, 9.0, 12.0)


@given(FINITE, FINITE, FINITE)
def test_forward_mode_along_t_is_reverse_mode_times_t(x, y, t):
    def f(a, b):
        return (a * b).sin() + a.exp() * b

    _, pushed = gl.jvp(f, (x, y), (t, 1.0))
    _, pull = gl.vjp(f, x, y)
    dx, dy = pull()
    assert float(pushed) == pytest.approx(float(dx) * t + float(dy), rel=1e-12, abs=1e-12)
    assert float(dx) == pytest.approx(math.cos(x * y) * y + math.exp(x) * y, rel=1e-12, abs=1e-12)


def test_a_constant_function_has_gradient_zero_and_one_warning():
    with pytest.warns(gl.errors.GradlabWarning, match="does not depend"):
        assert float(gl.grad(lambda x: gl.Value(3.0))(1.0)) == 0.0


@pytest.mark.parametrize("returned", [None, "2", [1.0]])
def test_a_function_that_returns_no_node_says_so(returned):
    with pytest.raises(DataError, match="GL042"):
        gl.grad(lambda x: returned)(1.0)


def test_gradcheck_agrees_with_right_rules_and_counts_the_elements():
    report = gl.gradcheck(lambda a, b: (a @ b).tanh(), np.ones((2, 3)) / 3, np.array([0.1, -0.2, 0.5]))
    assert report
    assert len(report.rows) == 9
    assert report.max_error < 1e-8


def planted():
    op = dataclasses.replace(gl.exp.op, name="wrong_exp", vjp=(lambda ct, z, x: ct * z * 1.001,))
    return function_of(op)


def test_gradcheck_finds_a_wrong_rule_and_names_the_input():
    wrong = planted()
    with pytest.raises(GradcheckError, match=r"GL040.*input 0.*central differences"):
        gl.gradcheck(lambda x: wrong(x), 0.5)
    assert not gl.gradcheck(lambda x: wrong(x), 0.5, raise_exception=False)


def test_gradcheck_refuses_32_bits_and_says_what_to_do():
    with pytest.raises(DTypeError, match=r"GL041.*float64"):
        gl.gradcheck(lambda x: x * x, np.ones(2, np.float32))
