"""Further element-wise ops at their awkward points, on scalars and on arrays; expected slopes come from mathematics."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gradlab as gl

pytestmark = pytest.mark.filterwarnings("ignore::gradlab.errors.NumericWarning")
inf, nan = math.inf, math.nan


def slope(f, x, scalar):
    leaf = gl.Value(x) if scalar else gl.tensor(np.array(x), requires_grad=True)
    out = f(leaf)
    out.backward()
    return float(out), float(leaf.grad)


@pytest.mark.parametrize("scalar", [True, False], ids=["Value", "Tensor"])
@pytest.mark.parametrize(
    ("f", "x", "value", "derivative"),
    [
        (gl.relu6, 6.0, 6.0, 0.0),
        (gl.relu6, 0.0, 0.0, 0.0),
        (gl.relu6, nan, nan, nan),
        (gl.hardswish, 3.0, 3.0, 1.0),
        (gl.hardswish, -3.0, 0.0, 0.0),
        (gl.hardtanh, 1.0, 1.0, 0.0),
        (lambda x: gl.clip(x, -1.0, 2.0), 2.0, 2.0, 1.0),
        (lambda x: gl.clip(x, -1.0, 2.0), -1.0, -1.0, 1.0),
        (lambda x: gl.clip(x, -1.0, 2.0), 2.5, 2.0, 0.0),
        (lambda x: gl.clip(x, -1.0, 2.0), nan, nan, nan),
        (gl.sinc, 0.0, 1.0, 0.0),
        (gl.sinc, 1e-9, 1.0, -(math.pi**2) * 1e-9 / 3),
        (gl.sign, 0.0, 0.0, 0.0),
        (gl.logsigmoid, -1000.0, -1000.0, 1.0),
        (gl.logsigmoid, 1000.0, 0.0, 0.0),
        (gl.reciprocal, 0.0, inf, -inf),
        (gl.rsqrt, 0.0, inf, -inf),
        (gl.log1p, -1.0, -inf, inf),
        (gl.atanh, 1.0, inf, inf),
        (gl.asin, 2.0, nan, nan),
        (gl.nan_to_num, nan, 0.0, 0.0),
        (lambda x: gl.hypot(x, 0.0), 0.0, 0.0, 0.0),
        (lambda x: gl.atan2(x, 0.0), 0.0, 0.0, 0.0),
        (lambda x: gl.xlogy(x, 0.0), 0.0, 0.0, 0.0),
        (lambda x: gl.xlogy(x, 3.0), 0.0, 0.0, math.log(3.0)),
        (lambda y: gl.xlogy(0.0, y), 0.0, 0.0, 0.0),
        (lambda x: gl.logaddexp(x, 1.0), 1.0, 1.0 + math.log(2), 0.5),
        (lambda x: gl.fmax(x, 2.0), nan, 2.0, 0.0),
        (lambda x: gl.fmin(x, 2.0), 2.0, 2.0, 0.5),
        (lambda x: gl.elu(x, 1.0), 0.0, 0.0, 1.0),
        (lambda x: gl.leaky_relu(x, 0.1), 0.0, 0.0, 0.1),
        (lambda x: gl.remainder(x, 3.0), -1.0, 2.0, 1.0),
    ],
)
def test_value_and_slope(scalar, f, x, value, derivative):
    found = slope(f, x, scalar)
    np.testing.assert_allclose(found, (value, derivative), rtol=1e-7, atol=1e-12)


def test_second_derivatives_where_two_are_equal_or_zero():
    assert float(gl.grad(gl.grad(lambda x: gl.logaddexp(x, 1.0)))(1.0)) == pytest.approx(0.25)
    assert float(gl.grad(gl.grad(gl.sinc))(0.0)) == pytest.approx(-(math.pi**2) / 3)
