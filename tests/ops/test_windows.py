"""Convolutions and pooling: sizes that do not divide, ties, nan, and the words of their errors."""

from __future__ import annotations

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import ShapeError


def by_hand(x, w, stride, padding):
    """A 2-d convolution as its definition says, element by element."""
    n, _c, _, _ = x.shape
    o, _, kh, kw = w.shape
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    h, v = (wide.shape[2] - kh) // stride + 1, (wide.shape[3] - kw) // stride + 1
    z = np.zeros((n, o, h, v))
    for i in range(h):
        for j in range(v):
            window = wide[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw]
            z[:, :, i, j] = np.einsum("nchw,ochw->no", window, w)
    return z


@pytest.mark.parametrize(("size", "kernel", "stride", "padding"), [(16, 7, 3, 2), (7, 3, 2, 0), (5, 2, 4, 1)])
def test_strides_that_do_not_divide(size, kernel, stride, padding):
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(2, 3, size, size)), rng.normal(size=(4, 3, kernel, kernel))
    z = gl.conv2d(gl.tensor(x), gl.tensor(w), stride=stride, padding=padding)
    np.testing.assert_allclose(z.numpy(), by_hand(x, w, stride, padding), atol=1e-12)
    assert gl.gradcheck(
        lambda x, w: gl.conv2d(x, w, stride=stride, padding=padding).sum(), (x[:1, :1], w[:1, :1])
    )


def test_the_weight_of_the_mean_over_a_batch_has_its_gradient_added_up():
    x = gl.ones(3, 1, 2, 2)
    w = gl.ones(1, 1, 2, 2, requires_grad=True)
    gl.conv2d(x, w).sum().backward()
    assert w.grad.tolist() == [[[[3.0, 3.0], [3.0, 3.0]]]]


def test_transposed_convolution_is_the_transpose():
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(2, 3, 6, 5)), rng.normal(size=(4, 3, 3, 2))
    z = gl.conv2d(gl.tensor(x), gl.tensor(w), stride=(2, 1), padding=1, dilation=(1, 2))
    y = rng.normal(size=z.shape)
    back = gl.conv_transpose2d(
        gl.tensor(y), gl.tensor(w), stride=(2, 1), padding=1, dilation=(1, 2), output_padding=(1, 0)
    )
    assert back.shape == x.shape
    assert float((z * y).sum()) == pytest.approx(float((back * x).sum()))


def test_ties_in_a_window_share_the_gradient():
    x = gl.ones(1, 2, 2, requires_grad=True)
    gl.max_pool2d(x, 2).sum().backward()
    assert x.grad.tolist() == [[[0.25, 0.25], [0.25, 0.25]]]


def test_nan_in_a_window_is_not_hidden():
    x = gl.tensor([[[1.0, float("nan")], [0.0, 2.0]]], requires_grad=True)
    z = gl.max_pool2d(x, 2)
    assert np.isnan(z.item())
    z.sum().backward()
    assert np.isnan(x.grad.numpy()).any()


def test_a_padded_border_never_wins_and_never_counts():
    x = gl.full((1, 2, 2), -5.0)
    assert gl.max_pool2d(x, 2, padding=1).tolist() == [[[-5.0, -5.0], [-5.0, -5.0]]]
    assert gl.avg_pool2d(x, 2, padding=1, count_include_pad=False).tolist() == [[[-5.0, -5.0], [-5.0, -5.0]]]


@pytest.mark.parametrize(
    ("call", "code", "says"),
    [
        (lambda: gl.conv2d(gl.ones(1, 3, 4, 4), gl.ones(2, 1, 3, 3)), "GL122", "3 channels of input"),
        (lambda: gl.conv2d(gl.ones(4, 4), gl.ones(2, 1, 3, 3)), "GL122", "(batch, channels, height, width)"),
        (lambda: gl.conv2d(gl.ones(1, 1, 4, 4), gl.ones(2, 3, 3)), "GL122", "weight of shape (2, 3, 3)"),
        (lambda: gl.conv2d(gl.ones(1, 1, 2, 2), gl.ones(1, 1, 3, 3)), "GL121", "does not fit into 2"),
        (lambda: gl.conv2d(gl.ones(1, 1, 4, 4), gl.ones(1, 1, 3, 3), stride=0), "GL120", "stride"),
        (lambda: gl.conv2d(gl.ones(1, 1, 4, 4), gl.ones(1, 1, 3, 3), padding=(1, 2, 3)), "GL120", "padding"),
        (lambda: gl.conv2d(gl.ones(1, 1, 4, 4), gl.ones(1, 1, 3, 3), gl.ones(2)), "GL122", "bias"),
        (lambda: gl.conv2d(gl.ones(1, 3, 4, 4), gl.ones(2, 1, 3, 3), groups=2), "GL122", "groups=2"),
        (
            lambda: gl.conv2d(gl.ones(1, 1, 4, 4), gl.ones(1, 1, 3, 3), padding="same", stride=2),
            "GL120",
            "same",
        ),
        (lambda: gl.max_pool2d(gl.ones(1, 4, 4), 2, padding=2), "GL120", "half the window"),
        (lambda: gl.avg_pool2d(gl.ones(1, 0, 4), 2), "GL121", "does not fit into 0"),
        (
            lambda: gl.conv_transpose2d(gl.ones(1, 1, 2, 2), gl.ones(1, 1, 2, 2), output_padding=1),
            "GL120",
            "output",
        ),
    ],
)
def test_errors_say_what_does_not_fit(call, code, says):
    with pytest.raises(ShapeError) as caught:
        call()
    assert code in str(caught.value)
    assert says in str(caught.value)


def test_empty_batches_pass_through():
    x = gl.zeros(0, 2, 5, 5, requires_grad=True)
    w = gl.ones(3, 2, 3, 3, requires_grad=True)
    z = gl.max_pool2d(gl.conv2d(x, w), 2)
    assert z.shape == (0, 3, 1, 1)
    z.sum().backward()
    assert x.grad.shape == x.shape
    assert (w.grad.numpy() == 0).all()


def test_max_unpool_puts_values_back():
    x = gl.tensor([[[1.0, 2.0, 0.0, 9.0], [3.0, 4.0, 1.0, 1.0]]], requires_grad=True)
    values, places = gl.max_pool2d(x, 2, return_indices=True)
    assert places.tolist() == [[[5, 3]]]
    back = gl.max_unpool2d(values, places, 2)
    assert back.tolist() == [[[0.0, 0.0, 0.0, 9.0], [0.0, 4.0, 0.0, 0.0]]]
