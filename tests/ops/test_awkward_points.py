"""Every awkward point of the conventions, on a Value and on tensors of both types, 0-d and 1-d, at first and second order."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import NumericWarning

nan, inf = math.nan, math.inf


def as_value(x: float) -> Any:
    return gl.Value(x)


def as_tensor(dtype: str, shape: tuple[int, ...]) -> Callable[[float], Any]:
    def make(x: float) -> Any:
        return gl.tensor(np.full(shape, x, dtype), requires_grad=True)

    return make


KINDS = [pytest.param(as_value, id="Value")] + [
    pytest.param(as_tensor(dtype, shape), id=f"{dtype}{list(shape)}")
    for dtype in ("float32", "float64")
    for shape in ((), (2,))
]


def numbers(x: Any) -> list[float]:
    """All elements of a Value, a tensor, or a gradient, as Python floats."""
    x = getattr(x, "primal", x)
    return [float(one) for one in np.asarray(x).reshape(-1)]


def gradients(y: Any, *leaves: Any) -> list[Any]:
    y.backward() if isinstance(y, gl.Value) else y.sum().backward()
    return [leaf.grad for leaf in leaves]


def assert_all(x: Any, expected: float) -> None:
    for one in numbers(x):
        assert one == pytest.approx(expected, rel=1e-6, abs=1e-6, nan_ok=True), (one, expected)


# f, x, f(x), f'(x), f''(x); each silent
UNARY = [
    ("relu(0)", lambda x: x.relu(), 0.0, 0.0, 0.0, 0.0),
    ("relu(-1)", lambda x: x.relu(), -1.0, 0.0, 0.0, 0.0),
    ("relu(inf)", lambda x: x.relu(), inf, inf, 1.0, 0.0),
    ("relu(nan)", lambda x: x.relu(), nan, nan, nan, None),
    ("abs(0)", lambda x: abs(x), 0.0, 0.0, 0.0, 0.0),
    ("abs(-0.0)", lambda x: abs(x), -0.0, 0.0, 0.0, 0.0),
    ("abs(nan)", lambda x: abs(x), nan, nan, nan, None),
    ("abs(-inf)", lambda x: abs(x), -inf, inf, -1.0, 0.0),
    ("maximum(x, x)", lambda x: x.maximum(x), 3.0, 3.0, 1.0, 0.0),
    ("minimum(x, x)", lambda x: x.minimum(x), 3.0, 3.0, 1.0, 0.0),
    ("maximum(x, c) at a tie", lambda x: x.maximum(3.0), 3.0, 3.0, 0.5, 0.0),
    ("minimum(x, c) at a tie", lambda x: x.minimum(3.0), 3.0, 3.0, 0.5, 0.0),
    ("maximum(inf, -inf)", lambda x: x.maximum(-inf), inf, inf, 1.0, 0.0),
    ("maximum(-inf, inf)", lambda x: x.maximum(inf), -inf, inf, 0.0, 0.0),
    ("minimum(inf, -inf)", lambda x: x.minimum(-inf), inf, -inf, 0.0, 0.0),
    ("maximum(x, nan)", lambda x: x.maximum(nan), 1.0, nan, nan, None),
    ("x**0 at 0", lambda x: x**0, 0.0, 1.0, 0.0, 0.0),
    ("x**1 at 0", lambda x: x**1, 0.0, 0.0, 1.0, 0.0),
    ("x**2 at 0", lambda x: x**2, 0.0, 0.0, 0.0, 2.0),
    ("x**3 at 0", lambda x: x**3, 0.0, 0.0, 0.0, 0.0),
    ("x**2 at -2", lambda x: x**2, -2.0, 4.0, -4.0, 2.0),
    ("x**-1 at -2", lambda x: x**-1, -2.0, -0.5, -0.25, -0.25),
    ("x**0.0 at nan", lambda x: x**0, nan, 1.0, 0.0, 0.0),
    ("0**y at 2", lambda y: 0.0**y, 2.0, 0.0, 0.0, 0.0),
    ("0**y at 0", lambda y: 0.0**y, 0.0, 1.0, 0.0, 0.0),
    ("2**x at 3", lambda x: 2**x, 3.0, 8.0, 8 * math.log(2), 8 * math.log(2) ** 2),
    ("x**x at 1", lambda x: x**x, 1.0, 1.0, 1.0, 2.0),
    ("2 - x", lambda x: 2 - x, 5.0, -3.0, -1.0, 0.0),
    ("2 / x", lambda x: 2 / x, 4.0, 0.5, -0.125, 0.0625),
    ("x * x", lambda x: x * x, 3.0, 9.0, 6.0, 2.0),
    ("x + x", lambda x: x + x, 3.0, 6.0, 2.0, 0.0),
    ("x - x", lambda x: x - x, 3.0, 0.0, 0.0, 0.0),
    ("x / x", lambda x: x / x, 3.0, 1.0, 0.0, 0.0),
    ("softplus(1000)", lambda x: x.softplus(), 1000.0, 1000.0, 1.0, 0.0),
    ("softplus(-1000)", lambda x: x.softplus(), -1000.0, 0.0, 0.0, 0.0),
    ("softplus(0)", lambda x: x.softplus(), 0.0, math.log(2), 0.5, 0.25),
    ("softplus(nan)", lambda x: x.softplus(), nan, nan, nan, None),
    ("sigmoid(1000)", lambda x: x.sigmoid(), 1000.0, 1.0, 0.0, 0.0),
    ("sigmoid(-1000)", lambda x: x.sigmoid(), -1000.0, 0.0, 0.0, 0.0),
    ("sigmoid(0)", lambda x: x.sigmoid(), 0.0, 0.5, 0.25, 0.0),
    ("sigmoid(nan)", lambda x: x.sigmoid(), nan, nan, nan, None),
    ("sigmoid(inf)", lambda x: x.sigmoid(), inf, 1.0, 0.0, 0.0),
    ("sigmoid(-inf)", lambda x: x.sigmoid(), -inf, 0.0, 0.0, 0.0),
    ("tanh(1000)", lambda x: x.tanh(), 1000.0, 1.0, 0.0, 0.0),
    ("tanh(-1000)", lambda x: x.tanh(), -1000.0, -1.0, 0.0, 0.0),
    ("exp(-1000)", lambda x: x.exp(), -1000.0, 0.0, 0.0, 0.0),
    ("exp(-(x**2)) at 0", lambda x: (-(x**2)).exp(), 0.0, 1.0, 0.0, -2.0),
    ("sin(inf)", lambda x: x.sin(), inf, nan, nan, None),
    ("cos(-inf)", lambda x: x.cos(), -inf, nan, nan, None),
    ("tan(0)", lambda x: x.tan(), 0.0, 0.0, 1.0, 0.0),
    ("where takes the other branch", lambda x: gl.where(x <= 0, x.exp(), 1 + x), 1.0, 2.0, 1.0, 0.0),
    ("inf - inf", lambda x: x - x, inf, nan, 0.0, None),
    ("log(inf)", lambda x: x.log(), inf, inf, 0.0, None),
    ("sqrt(inf)", lambda x: x.sqrt(), inf, inf, 0.0, None),
]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize(
    ("f", "x", "value", "first", "second"), [row[1:] for row in UNARY], ids=[row[0] for row in UNARY]
)
def test_value_slope_and_curvature(make, f, x, value, first, second):
    leaf = make(x)
    y = f(leaf)
    assert_all(y, value)
    assert_all(gradients(y, leaf)[0], first)
    if second is not None:
        slope = gl.grad(lambda t: gl.sum(f(t)) if isinstance(t, gl.Tensor) else f(t))
        again = gl.grad(lambda t: gl.sum(slope(t)) if isinstance(t, gl.Tensor) else slope(t))
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", message="GL043"
            )  # straight lines: the slope does not depend on x
            assert_all(again(make(x)), second)


# f, x, f(x), f'(x), code of the forward warning, code of the backward warning
LOUD = [
    ("log(0)", lambda x: x.log(), 0.0, -inf, inf, "GL102", "GL102"),
    ("log(-1)", lambda x: x.log(), -1.0, nan, -1.0, "GL102", None),
    ("sqrt(0)", lambda x: x.sqrt(), 0.0, 0.0, inf, None, "GL103"),
    ("sqrt(-1)", lambda x: x.sqrt(), -1.0, nan, nan, "GL103", None),
    ("1/x at 0", lambda x: 1 / x, 0.0, inf, -inf, "GL101", None),
    ("1/x at -0.0", lambda x: 1 / x, -0.0, -inf, -inf, "GL101", None),
    ("x/0 at 0", lambda x: x / 0, 0.0, nan, inf, "GL101", "GL101"),
    ("x**-1 at 0", lambda x: x**-1, 0.0, inf, -inf, "GL104", "GL104"),
    ("x**-2 at 0", lambda x: x**-2, 0.0, inf, -inf, "GL104", "GL104"),
    ("x**0.5 at 0", lambda x: x**0.5, 0.0, 0.0, inf, None, "GL104"),
    ("x**(1/3) at -8", lambda x: x ** (1 / 3), -8.0, nan, nan, "GL104", "GL104"),
    ("(-2)**y", lambda y: (-2.0) ** y, 2.0, 4.0, nan, None, "GL104"),
    ("exp(1000)", lambda x: x.exp(), 1000.0, inf, inf, "GL105", None),
    ("10**400", lambda x: 10**x, 400.0, inf, inf, "GL105", None),
]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize(
    ("f", "x", "value", "first", "forward", "backward"),
    [row[1:] for row in LOUD],
    ids=[row[0] for row in LOUD],
)
def test_leaving_the_finite_numbers_warns_with_a_code_and_computes_on(
    make, f, x, value, first, forward, backward
):
    leaf = make(x)
    leaf.label = "p"
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        y = f(leaf)
    assert {w.message.code for w in heard} == ({forward} if forward else set())
    assert_all(y, value)
    with warnings.catch_warnings(record=True) as heard_back:
        warnings.simplefilter("always")
        (grad,) = gradients(y, leaf)
    assert {w.message.code for w in heard_back} == ({backward} if backward else set())
    assert_all(grad, first)
    for warning in [*heard, *heard_back]:
        assert warning.category is NumericWarning
        assert warning.filename == __file__, "the warning points at the line of whoever wrote the program"
        assert str(warning.message).endswith(".")
        assert "'p'" in str(warning.message)


@pytest.mark.parametrize("make", KINDS)
def test_the_infinite_slope_of_sqrt_names_the_op_and_teaches(make):
    leaf = make(0.0)
    y = leaf.sqrt()
    with pytest.warns(
        NumericWarning, match=r"GL103: the derivative of sqrt is not finite.*sqrt\(x \+ 1e-12\)"
    ) as heard:
        gradients(y, leaf)
    assert len(heard) == 1
    y = gl.sqrt(make(0.0))
    y.label = "root"
    with pytest.warns(NumericWarning, match="'root'"):
        gradients(y)


@pytest.mark.parametrize("make", KINDS)
def test_nan_stays_nan_where_the_mathematics_has_no_answer(make):
    for f in (lambda x: (x**2).sqrt(), lambda x: x * x**0.5 / x):
        leaf = make(0.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumericWarning)
            (grad,) = gradients(f(leaf), leaf)
        assert_all(grad, nan)


@pytest.mark.parametrize("make", KINDS)
def test_the_branch_of_where_that_was_not_chosen_is_exactly_zero(make):
    leaf = make(-4.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumericWarning)
        (grad,) = gradients(gl.where(leaf > 0, leaf.log(), 0.0), leaf)
    assert_all(grad, 0.0)  # 0 * (1 / -4): a finite slope, multiplied by the exact zero that where hands on
    inner = make(-4.0)
    safe = gl.where(inner > 0, inner, 1.0)
    (grad,) = gradients(gl.where(inner > 0, safe.sqrt(), 0.0), inner)
    assert_all(grad, 0.0)


@pytest.mark.parametrize("make", KINDS)
def test_both_sides_of_a_tie_get_half(make):
    for op in ("maximum", "minimum"):
        x, y = make(2.0), make(2.0)
        for grad in gradients(getattr(x, op)(y), x, y):
            assert_all(grad, 0.5)


@pytest.mark.parametrize("make", KINDS)
def test_power_has_both_gradients(make):
    x, y = make(3.0), make(2.0)
    gx, gy = gradients(x**y, x, y)
    assert_all(gx, 6.0)
    assert_all(gy, 9 * math.log(3))


@pytest.mark.parametrize("make", [as_value, as_tensor("float32", ()), as_tensor("float64", ())])
def test_the_derivatives_of_a_bell_at_0_are_1_0_minus2_0_12(make):
    f = lambda x: (-(x**2)).exp()  # noqa: E731
    for expected in (1.0, 0.0, -2.0, 0.0, 12.0):
        assert_all(f(make(0.0)), expected)
        f = gl.grad(f)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extremes_share_the_gradient_equally_over_ties(dtype):
    for op in (gl.max, gl.min):
        x = gl.tensor(np.array([[1, 1, 1], [0, 2, 2]], dtype), requires_grad=True)
        y = op(x, axis=1)
        y.sum().backward()
        third = [1 / 3] * 3
        other = [0.0, 0.5, 0.5] if op is gl.max else [1.0, 0.0, 0.0]
        np.testing.assert_allclose(x.grad.numpy(), [third, other], rtol=1e-6)
        assert x.grad.dtype == dtype


def test_shares_are_exact_in_a_recorded_gradient_too():
    x = gl.tensor(np.ones(3), requires_grad=True)
    grad = gl.grad(lambda x: gl.max(x))(x)
    assert grad.tolist() == [1 / 3] * 3


@pytest.mark.parametrize("op", [gl.max, gl.min])
def test_nan_in_a_row_makes_its_extreme_and_its_gradient_nan_silently(op):
    x = gl.tensor([[1.0, nan], [1.0, 2.0]], requires_grad=True)
    y = op(x, axis=1)
    assert math.isnan(y[0].item())
    y.sum().backward()
    assert np.isnan(x.grad.numpy()).tolist() == [[True, True], [False, False]]


def test_infinite_extremes_have_finite_gradients():
    x = gl.tensor([inf, inf, 1.0], requires_grad=True)
    gl.max(x).backward()
    assert x.grad.tolist() == [0.5, 0.5, 0.0]


def test_the_mean_of_ones_is_one():
    for n in range(1, 200):
        assert gl.mean(gl.tensor(np.ones(n))).item() == 1.0


def test_the_mean_over_nothing_is_nan_of_the_right_shape_and_hands_nothing_on():
    x = gl.tensor(np.zeros((2, 0)), requires_grad=True)
    y = x.mean(axis=1)
    assert y.shape == (2,)
    assert np.isnan(y.detach().numpy()).all()
    y.sum().backward()
    assert x.grad.shape == (2, 0)


@pytest.mark.parametrize("op", [gl.max, gl.min])
def test_an_extreme_of_nothing_is_refused_and_beside_nothing_is_empty(op):
    with pytest.raises(gl.errors.ShapeError, match="GL025"):
        op(gl.tensor(np.zeros((2, 0))), axis=1)
    assert op(gl.tensor(np.zeros((2, 0))), axis=0).shape == (0,)
