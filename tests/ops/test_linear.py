"""The matrix product in every combination of ranks, against einsum and by its defining property."""

from __future__ import annotations

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import OperandError, ShapeError

PAIRS = [
    ((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((3, 3), (3,)), ((5, 2, 3), (3, 2)), ((2, 3), (5, 3, 2)),
    ((1, 2, 3), (5, 3, 2)), ((2, 1, 2, 3), (4, 3, 2)), ((3,), (2, 3, 2)), ((2, 2, 3), (3,)), ((0, 3), (3, 2)), ((2, 0), (0, 3)),
    ((1, 1), (1, 1)), ((4, 0, 3), (3, 2)),
]  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_product_and_both_gradients_agree_with_central_differences(pair, dtype):
    rng = np.random.default_rng(0)
    ax, ay = (rng.normal(size=shape) for shape in pair)
    x, y = (gl.tensor(a.astype(dtype), requires_grad=True) for a in (ax, ay))
    z = x @ y
    expected = ax @ ay
    assert (z.shape, z.dtype) == (expected.shape, dtype)
    weights = rng.normal(size=expected.shape)
    np.testing.assert_allclose(z.detach().numpy(), expected, rtol=1e-4, atol=1e-5)
    (z * weights.astype(dtype)).sum().backward()
    for leaf, at, other in ((x, ax, lambda a: a @ ay), (y, ay, lambda a: ax @ a)):
        assert (leaf.grad.shape, leaf.grad.dtype) == (leaf.shape, dtype)
        numeric = np.zeros(at.shape)
        for place in np.ndindex(at.shape):
            step = np.zeros(at.shape)
            step[place] = 1.0  # linear: any step is exact
            numeric[place] = np.sum(weights * (other(at + step) - other(at)))
        np.testing.assert_allclose(leaf.grad.numpy(), numeric, rtol=1e-3, atol=1e-4)


def test_arrays_and_lists_on_either_side():
    x = gl.tensor([[1.0, 2.0], [3.0, 4.0]])
    for product in (
        np.eye(2, dtype="float32") @ x,
        x @ np.eye(2, dtype="float32"),
        x @ [[1, 0], [0, 1]],
        [[1, 0], [0, 1]] @ x,
    ):
        assert isinstance(product, gl.Tensor)
        assert product.tolist() == x.tolist()


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        ((2, 3), (4, 4), "inner sizes 3 and 4 differ"),
        ((3,), (4,), "inner sizes 3 and 4 differ"),
        ((3,), (4, 2), "inner sizes 3 and 4 differ"),
        ((), (3,), "a single number has no inner size"),
        ((2, 2), (), "a single number has no inner size"),
    ],
)
def test_inner_sizes_that_differ_are_named(x, y, words):
    for left, right in ((gl.tensor(np.ones(x)), gl.tensor(np.ones(y))), (np.ones(x), np.ones(y))):
        with pytest.raises(ShapeError, match=f"GL021.*{words}"):
            gl.matmul(left, right)


def test_stacks_that_do_not_fit_are_named():
    with pytest.raises(ShapeError, match="GL020"):
        gl.tensor(np.ones((2, 3, 4))) @ gl.tensor(np.ones((5, 4, 3)))


@pytest.mark.parametrize("other", ["a", None, {}, 1j, gl.Value(2.0)], ids=str)
def test_what_is_no_matrix_is_refused_from_either_side(other):
    x = gl.tensor(np.ones((2, 2)))
    for product in (
        lambda: x @ other,
        lambda: other @ x,
        lambda: gl.matmul(x, other),
        lambda: gl.matmul(other, x),
    ):
        with pytest.raises(OperandError, match=r"GL00[234]"):
            product()
