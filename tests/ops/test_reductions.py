"""Reductions at their awkward points, against NumPy and against numbers worked out by hand."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradlab as gl
from gradlab.errors import NumericWarning, ShapeError


def leaf(x):
    return gl.tensor(np.array(x, dtype=float), requires_grad=True)


def gradient(f, x):
    x = leaf(x)
    f(x).backward()
    return x.grad.numpy()


def hessian(f, x):
    x = np.array(x, dtype=float)
    rows = [gl.grad(lambda v, i=i: gl.grad(f)(v)[i])(x).detach().numpy() for i in range(len(x))]
    return np.array(rows)


@pytest.mark.parametrize(
    ("x", "want"),
    [([2.0, 0.0, 3.0], [0, 6, 0]), ([0.0, 0.0, 3.0], [0, 0, 0]), ([2.0, 3.0], [3, 2]), ([5.0], [1])],
)
def test_prod_is_exact_with_zeros(x, want):
    np.testing.assert_array_equal(gradient(gl.prod, x), want)


def test_prod_has_an_exact_second_derivative_at_two_zeros():
    np.testing.assert_array_equal(hessian(gl.prod, [0.0, 0.0, 6.0]), [[0, 6, 0], [6, 0, 0], [0, 0, 0]])


@given(st.lists(st.sampled_from([0.0, 1.0, -2.0, 3.0]), min_size=1, max_size=9))
def test_prod_gradient_is_the_product_of_the_others(x):
    want = [math.prod(x[:i] + x[i + 1 :]) for i in range(len(x))]
    np.testing.assert_array_equal(gradient(gl.prod, x), want)


@given(st.lists(st.sampled_from([0.0, 1.0, -2.0, 3.0]), min_size=1, max_size=7))
def test_cumprod_gradient_is_the_sum_of_its_products_without_one(x):
    want = [sum(math.prod(x[:i] + x[i + 1 : end]) for end in range(i + 1, len(x) + 1)) for i in range(len(x))]
    np.testing.assert_array_equal(gradient(lambda v: gl.cumprod(v, axis=0).sum(), x), want)


def test_cumprod_has_an_exact_second_derivative_at_zeros():
    # x, xy, xyz at (0, 0, 6): d²/dxdy = 1 + z
    want = [[0, 7, 0], [7, 0, 0], [0, 0, 0]]
    np.testing.assert_array_equal(hessian(lambda v: gl.cumprod(v, axis=0).sum(), [0.0, 0.0, 6.0]), want)


AXES = [None, 0, -1, (0, 2), (-1, 0), ()]
NAMES = ["sum", "mean", "prod", "var", "std", "median", "max", "min", "all", "any"]


@pytest.mark.parametrize(("name", "axis", "keepdims"), list(itertools.product(NAMES, AXES, [False, True])))
def test_reduction_equals_numpy(name, axis, keepdims):
    x = np.random.default_rng(1).normal(size=(2, 3, 4)).round(1)
    want = getattr(np, name)(x, axis=axis, keepdims=keepdims) if (name, axis) != ("median", ()) else x
    for got in (
        getattr(gl, name)(x, axis=axis, keepdims=keepdims),
        getattr(gl, name)(leaf(x), dim=axis, keepdim=keepdims).detach().numpy() if axis is not None else want,
    ):
        np.testing.assert_allclose(got, want, rtol=1e-13)


@pytest.mark.parametrize("order", [0, 1, 2, 3.5, -1, math.inf, -math.inf])
def test_norm_of_any_order_equals_numpy_and_has_no_slope_at_zero(order):
    x = np.random.default_rng(2).normal(size=(3, 4))
    np.testing.assert_allclose(gl.norm(x, order, axis=1), np.linalg.norm(x, order, axis=1), rtol=1e-13)
    np.testing.assert_array_equal(gradient(lambda v: gl.norm(v, order), [0.0, 0.0]), [0, 0])


def test_norm_squared_is_flat_at_zero():
    np.testing.assert_array_equal(gradient(lambda v: gl.norm(v) ** 2, [0.0, 0.0]), [0, 0])


def test_std_of_equal_values_has_no_slope_at_any_order():
    np.testing.assert_array_equal(gradient(gl.std, [3.0, 3.0, 3.0]), [0, 0, 0])
    assert np.isfinite(hessian(gl.std, [3.0, 3.0, 3.0])).all()


def test_ties_share_and_the_shares_add_up_to_one():
    np.testing.assert_allclose(gradient(gl.max, [2.0, 2.0, 1.0]), [0.5, 0.5, 0])
    np.testing.assert_allclose(gradient(gl.median, [2.0, 2.0, 2.0]), [1 / 3] * 3)
    np.testing.assert_allclose(gradient(gl.median, [1.0, 2.0, 2.0, 3.0]), [0, 0.5, 0.5, 0])
    np.testing.assert_allclose(gradient(gl.median, [1.0, 1.0, 2.0, 3.0]), [0.25, 0.25, 0.5, 0])


def test_shares_are_as_precise_as_the_tensor_at_second_order():
    x = leaf([1.0, 1.0, 1.0])
    first = gl.grad(lambda v: gl.max(v))(x)
    np.testing.assert_allclose(first.detach().numpy(), np.full(3, 1 / 3), rtol=1e-15)


@pytest.mark.parametrize("f", [gl.logsumexp, lambda v: gl.softmax(v).sum(), lambda v: gl.log_softmax(v)[0]])
def test_a_row_of_minus_infinity_has_gradient_zero(f):
    np.testing.assert_array_equal(gradient(f, [-np.inf, -np.inf]), [0, 0])


def test_large_logits_stay_exact():
    np.testing.assert_array_equal(gl.log_softmax(np.array([1000.0, -1000.0])), [0, -2000])
    np.testing.assert_array_equal(gl.softmax(np.array([1000.0, -1000.0])), [1, 0])
    assert gl.logsumexp(np.array([1000.0, 1000.0])) == 1000 + math.log(2)


def test_nan_is_not_hidden():
    for f in (gl.max, gl.median, gl.logsumexp, gl.prod, gl.norm, lambda v: gl.softmax(v)[0]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumericWarning)
            assert np.isnan(gradient(f, [1.0, np.nan, 2.0])).any()


def test_too_few_elements_for_ddof_are_nan_of_the_right_shape_with_a_warning():
    with pytest.warns(NumericWarning, match=r"GL101.*ddof=1"):
        z = gl.var(np.ones((2, 1)), axis=1, correction=1)
    assert z.shape == (2,)
    assert np.isnan(z).all()


@pytest.mark.parametrize("name", ["max", "min", "median", "argmax", "argmin", "logsumexp"])
def test_nothing_to_choose_from_is_an_error_that_says_so(name):
    with pytest.raises(ShapeError, match=r"GL025.*no elements"):
        getattr(gl, name)(np.zeros((2, 0)), axis=1)


def test_argmax_takes_the_first_of_a_tie_and_flattens_without_an_axis():
    x = np.array([[1.0, 3.0], [3.0, 2.0]])
    assert gl.argmax(x) == 1
    np.testing.assert_array_equal(gl.argmax(x, axis=0, keepdims=True), [[1, 0]])
    assert gl.argmax(leaf(x), keepdim=True).shape == (1, 1)
    assert not gl.argmin(leaf(x)).requires_grad
