"""Reductions: axes, shapes and gradients as NumPy and mathematics have them."""

from __future__ import annotations

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import OperandError, ShapeError

X = np.arange(24.0).reshape(2, 3, 4)
AXES = [None, 0, 1, -1, (0, 2), (1, 0), (), (-1, -3), [0, 1]]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min"])
def test_numbers_and_shapes_are_those_of_numpy(name, axis, keepdims):
    wanted = tuple(axis) if isinstance(axis, list) else axis
    expected = getattr(np, name)(X, axis=wanted, keepdims=keepdims)
    for got in (
        getattr(gl, name)(gl.tensor(X), axis, keepdims),
        getattr(gl.tensor(X), name)(axis=axis, keepdims=keepdims),
        getattr(gl.tensor(X), name)(dim=axis, keepdim=keepdims),
    ):
        assert got.shape == expected.shape
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-14)


def test_the_mean_over_several_axes_divides_by_their_sizes():
    x = gl.tensor(X, requires_grad=True)
    x.mean(axis=(0, 2)).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full(X.shape, 1 / 8))


@pytest.mark.parametrize("axis", [3, -4, (0, 3), "a", 1.0, (0, 0), (0, -3), [[0]]])
def test_an_axis_that_does_not_exist_is_refused(axis):
    with pytest.raises(ShapeError, match=r"GL022.*\.$"):
        gl.tensor(X).sum(axis=axis)


def test_a_single_number_has_no_axis():
    with pytest.raises(ShapeError, match="A single number has no axes"):
        gl.tensor(1.0).sum(axis=0)
    assert gl.tensor(3.0).sum().item() == gl.tensor(3.0).max().item() == gl.tensor(3.0).mean().item() == 3.0


def test_sums_of_booleans_and_whole_numbers_stay_whole_and_have_no_gradient():
    total = (gl.tensor([1.0, 2.0, 3.0], requires_grad=True) > 1.5).sum()
    assert (total.item(), total.dtype.kind, total.requires_grad) == (2, "i", False)


def test_lists_and_generators_of_nodes_are_added_up_as_one_node():
    values = [gl.Value(float(i)) for i in range(5)]
    for total in (gl.sum(values), gl.sum(v for v in values), gl.sum(tuple(values))):
        assert total.op.name == "total"
        assert total.data == 10.0
    assert gl.sum([values[1], 2.0, 3]).data == 6.0
    assert gl.mean(values).data == 2.0
    assert gl.mean(v for v in values).data == 2.0
    tensors = [gl.tensor([1.0, 2.0]), gl.tensor([3.0, 4.0])]
    assert gl.sum(tensors).tolist() == [4.0, 6.0]
    assert gl.mean(tensors).tolist() == [2.0, 3.0]


@pytest.mark.parametrize("name", ["max", "min"])
def test_the_extreme_of_a_list_of_nodes_names_pythons_function(name):
    values = [gl.Value(1.0), gl.Value(2.0)]
    with pytest.raises(OperandError, match=rf"Python's {name}\(\.\.\.\)"):
        getattr(gl, name)(values)
    assert {"max": max, "min": min}[name](values) is values[name == "max"]


def test_reductions_of_plain_numbers_and_lists_are_numpys():
    assert gl.sum(2.0) == gl.mean(2) == gl.max(2) == gl.min([2, 3]) == 2
    assert gl.sum([1, 2, 3]) == 6
    assert gl.sum([]) == 0
    assert gl.sum(i for i in range(4)) == 6
    np.testing.assert_array_equal(gl.sum(X, axis=0), X.sum(axis=0))


def test_an_array_op_on_a_value_says_so():
    with pytest.raises(OperandError, match=r"GL002.*works on arrays"):
        gl.sum(gl.Value(2.0))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_empty_arrays_reduce_and_their_gradients_are_empty(name, shape):
    x = gl.tensor(np.zeros(shape), requires_grad=True)
    for axis in (None, 0, -1):
        y = getattr(x, name)(axis=axis)
        x.grad = None
        y.sum().backward()
        assert x.grad.shape == shape
        assert y.shape == np.sum(np.zeros(shape), axis=axis).shape
