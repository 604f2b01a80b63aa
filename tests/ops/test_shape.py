"""Reshaping, transposing and broadcasting: NumPy's results, the inverse in the gradient, and errors that teach."""

from __future__ import annotations

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import GradlabError, ShapeError

X = np.arange(24.0).reshape(2, 3, 4)
WEIGHTS = np.random.default_rng(3).normal(size=24)


def gradient(f, x):
    """The gradient of sum(weights * f(x)): every element has a weight of its own, so no two can be exchanged unnoticed."""
    leaf = gl.tensor(x, requires_grad=True)
    y = f(leaf)
    (y * WEIGHTS[: y.numel()].reshape(y.shape)).sum().backward()
    return y.detach().numpy(), leaf.grad.numpy()


MOVES = [
    ("reshape", lambda x: x.reshape(4, 6), lambda x: x.reshape(4, 6)),
    ("reshape to a tuple", lambda x: x.reshape((6, 4)), lambda x: x.reshape(6, 4)),
    ("reshape with -1", lambda x: x.reshape(2, -1), lambda x: x.reshape(2, -1)),
    ("view", lambda x: x.view(24), lambda x: x.reshape(24)),
    ("flatten", lambda x: x.flatten(), lambda x: x.reshape(24)),
    ("flatten from axis 1", lambda x: x.flatten(1), lambda x: x.reshape(2, 12)),
    ("flatten up to axis 1", lambda x: x.flatten(0, 1), lambda x: x.reshape(6, 4)),
    ("T", lambda x: x.T, lambda x: x.T),
    ("transpose", lambda x: x.transpose(), lambda x: x.transpose()),
    ("a cyclic transpose", lambda x: x.transpose(1, 2, 0), lambda x: x.transpose(1, 2, 0)),
    ("transpose of two axes, as PyTorch", lambda x: x.transpose(0, 2), lambda x: x.swapaxes(0, 2)),
    ("transpose by a tuple", lambda x: x.transpose((2, 0, 1)), lambda x: x.transpose(2, 0, 1)),
    ("negative axes", lambda x: x.transpose(-1, 0, 1), lambda x: x.transpose(-1, 0, 1)),
    ("permute", lambda x: x.permute(2, 0, 1), lambda x: x.transpose(2, 0, 1)),
    ("swapaxes", lambda x: x.swapaxes(-1, 0), lambda x: x.swapaxes(-1, 0)),
    ("expand_dims", lambda x: gl.expand_dims(x, 1), lambda x: np.expand_dims(x, 1)),
    ("unsqueeze at the end", lambda x: x.unsqueeze(-1), lambda x: np.expand_dims(x, -1)),
    ("squeeze", lambda x: x.reshape(2, 1, 12).squeeze(), lambda x: x.reshape(2, 12)),
    ("squeeze of one axis", lambda x: x.reshape(1, 24, 1).squeeze(0), lambda x: x.reshape(24, 1)),
]


@pytest.mark.parametrize(("ours", "numpys"), [row[1:] for row in MOVES], ids=[row[0] for row in MOVES])
def test_elements_go_where_numpy_puts_them_and_gradients_come_back(ours, numpys):
    got, grad = gradient(ours, X)
    np.testing.assert_array_equal(got, numpys(X))
    places = numpys(np.arange(24).reshape(X.shape)).reshape(-1)  # where each element came from
    expected = np.empty(24)
    expected[places] = WEIGHTS
    np.testing.assert_array_equal(grad, expected.reshape(X.shape))


@pytest.mark.parametrize(
    ("before", "after"),
    [((3,), (2, 3)), ((2, 1), (2, 4)), ((), (2, 2)), ((1,), (0,)), ((1, 3, 1), (2, 3, 4))],
)
def test_broadcasting_repeats_and_its_gradient_is_the_sum_over_the_copies(before, after):
    x = gl.tensor(np.random.default_rng(0).normal(size=before), requires_grad=True)
    y = x.broadcast_to(after)
    assert y.shape == after
    y.sum().backward()
    copies = np.prod(after) / max(np.prod(before), 1)
    np.testing.assert_array_equal(x.grad.numpy(), np.full(before, copies))


@pytest.mark.parametrize(
    ("shape_x", "shape_y"),
    [
        ((2, 3), (3,)),
        ((2, 1), (1, 3)),
        ((), (2, 3)),
        ((3,), ()),
        ((1,), (4,)),
        ((2, 3), (2, 3)),
        ((4, 1, 3), (2, 1)),
        ((0, 3), (3,)),
        ((1, 1), ()),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_have_the_shape_and_type_of_their_primals_after_broadcasting(shape_x, shape_y, dtype):
    rng = np.random.default_rng(1)
    ax, ay = rng.normal(size=shape_x).astype(dtype), rng.normal(size=shape_y).astype(dtype)
    x, y = gl.tensor(ax, requires_grad=True), gl.tensor(ay, requires_grad=True)
    (x * y).sum().backward()
    spread_x, spread_y = np.broadcast_arrays(ax, ay)
    for leaf, other in ((x, spread_y), (y, spread_x)):
        assert (leaf.grad.shape, leaf.grad.dtype) == (leaf.shape, dtype)
        lead = other.ndim - leaf.ndim
        axes = tuple(range(lead)) + tuple(
            i + lead for i, n in enumerate(leaf.shape) if n == 1 and other.shape[i + lead] != 1
        )
        expected = other.astype("float64").sum(axis=axes, keepdims=True).reshape(leaf.shape)
        np.testing.assert_allclose(leaf.grad.numpy(), expected, rtol=1e-5)


BAD = [
    ("GL023", lambda x: x.reshape(5, 5)),
    ("GL023", lambda x: x.reshape(-1, -1)),
    ("GL023", lambda x: x.reshape(-2, -12)),
    ("GL023", lambda x: x.reshape(-1, 7)),
    ("GL023", lambda x: x.reshape(-1, 0)),
    ("GL023", lambda x: x.reshape()),
    ("GL027", lambda x: x.reshape(2.0, 12)),
    ("GL027", lambda x: x.reshape("24")),
    ("GL027", lambda x: x.reshape(None)),
    ("GL026", lambda x: x.transpose(0, 0, 1)),
    ("GL026", lambda x: x.transpose(0)),
    ("GL026", lambda x: x.permute(0, 1)),
    ("GL022", lambda x: x.transpose(0, 1, 3)),
    ("GL022", lambda x: x.swapaxes(0, 3)),
    ("GL022", lambda x: x.transpose("a", 0, 1)),
    ("GL022", lambda x: x.squeeze(0)),
    ("GL022", lambda x: x.squeeze(7)),
    ("GL022", lambda x: x.unsqueeze(5)),
    ("GL022", lambda x: x.flatten(2, 1)),
    ("GL022", lambda x: x.flatten(3)),
    ("GL022", lambda x: x.size(3)),
    ("GL020", lambda x: x.broadcast_to(2, 3)),
    ("GL020", lambda x: x.broadcast_to(2, 3, 5)),
    ("GL020", lambda x: x.broadcast_to(-1, 3, 4)),
    ("GL027", lambda x: x.broadcast_to("abc")),
    ("GL020", lambda x: x + gl.tensor([1.0, 2.0, 3.0])),
    ("GL020", lambda x: gl.where(x > 0, x, gl.tensor([1.0, 2.0]))),
    ("GL020", lambda x: gl.total(x, x, gl.tensor([1.0, 2.0]))),
    ("GL020", lambda x: gl.add(X, np.ones(3))),
]


@pytest.mark.parametrize(("code", "f"), BAD)
def test_what_does_not_fit_is_a_shape_error_that_says_what_would(code, f):
    with pytest.raises(ShapeError) as caught:
        f(gl.tensor(X, requires_grad=True))
    assert caught.value.code == code
    assert str(caught.value).startswith(f"{code} ShapeError: ")
    assert str(caught.value).endswith(".")
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, GradlabError)


def test_squeeze_and_flatten_of_a_single_number():
    assert gl.tensor(2.0).squeeze().shape == ()
    assert gl.tensor(2.0).flatten().shape == (1,)
    assert gl.tensor(2.0).T.shape == ()
    assert gl.tensor(2.0).reshape(()).shape == ()
    assert gl.tensor([2.0]).reshape(()).shape == ()
