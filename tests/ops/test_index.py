"""Indexing: NumPy's elements, gradients that add up over repeated indices, and indices that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import DataError, GradlabError, IndexingError

X = np.arange(12.0).reshape(3, 4)
INDICES = [
    0, -1, (1, 2), slice(None), slice(None, None, -1), slice(0, 0), (slice(1, 3), 0), (Ellipsis, 1), (None, 0), None, Ellipsis,
    [0, 0, 1], ([0, 2], [1, 1]), np.array([2, 2, 2]), X > 5, [True, False, True], (slice(None), [0, 0]), (), np.int64(1),
    (np.array(1), slice(None)), [], True, [[0, 1], [1, 2]],
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_elements_are_numpys_and_each_gets_as_much_gradient_as_it_was_read(index):
    x = gl.tensor(X, requires_grad=True)
    y = x[index]
    np.testing.assert_array_equal(y.detach().numpy(), X[index])
    y.sum().backward()
    reads = np.zeros(12)
    np.add.at(reads, np.arange(12).reshape(X.shape)[index].reshape(-1), 1.0)
    np.testing.assert_array_equal(x.grad.numpy(), reads.reshape(X.shape))


def test_repeated_indices_add():
    x = gl.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x[[0, 0, 1]].sum().backward()
    assert x.grad.tolist() == [2.0, 1.0, 0.0]


def test_second_order_through_an_index_is_exact():
    x = np.array([1.0, 2.0, 3.0])
    grad = gl.grad(lambda x: (gl.grad(lambda x: (x[[0, 0, 2]] ** 3).sum())(x)).sum())
    np.testing.assert_allclose(grad(x).numpy(), [12.0, 0.0, 18.0], rtol=1e-14)


def test_nodes_may_be_indices():
    x = gl.tensor(X, requires_grad=True)
    rows = gl.tensor([0, 2])
    assert x[rows].tolist() == X[[0, 2]].tolist()
    assert x[x > 5.0].tolist() == X[X > 5].tolist()
    assert x[gl.tensor(1)].tolist() == X[1].tolist()
    assert x[rows, gl.tensor([1, 1])].tolist() == [1.0, 9.0]


def test_an_index_that_changes_later_does_not_change_the_gradient():
    x, index = gl.tensor([1.0, 2.0, 3.0], requires_grad=True), np.array([0, 0, 1])
    y = x[index].sum()
    index[:] = 2
    y.backward()
    assert x.grad.tolist() == [2.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "index",
    [3, -4, (0, 4), (0, 0, 0), [0, 5], "a", 1.5, {0}, {"a": 1}, gl.Value(1.0), [0.5], np.array([0.5]), np.array(["a"]),
     [True, False], gl.tensor([1.0]), (0, "b"), slice("a", None), object(), b"1", [[True]]],
    ids=str,
)  # fmt: skip
def test_an_index_that_does_not_fit_is_refused(index):
    with pytest.raises((IndexingError, DataError)) as caught:
        gl.tensor(X, requires_grad=True)[index]
    assert caught.value.code in ("GL024", "GL011")
    assert str(caught.value).endswith(".")
    assert "line " in str(caught.value)


def test_indexing_works_on_lists_and_arrays_too():
    assert gl.getitem([1.0, 2.0, 3.0], 1) == 2.0
    with pytest.raises(IndexingError, match="GL024"):
        gl.getitem([1.0, 2.0, 3.0], 3)


def test_an_index_error_is_an_index_error_so_that_old_style_iteration_ends():
    assert issubclass(IndexingError, IndexError)
    assert issubclass(IndexingError, GradlabError)
    assert [row.shape for row in gl.tensor(X)] == [(4,)] * 3


def test_a_tensor_with_one_whole_number_is_an_index_for_python():
    assert [10, 20, 30][gl.tensor(1)] == 20
    assert list(range(gl.tensor(3))) == [0, 1, 2]
    with pytest.raises(TypeError):
        range(gl.tensor(1.5))
