"""Reading and writing at positions: repeated indices add, overwritten writers get nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradlab as gl
from gradlab.errors import DTypeError, IndexingError, ShapeError

rng = np.random.default_rng(5)


def leaf(x):
    return gl.tensor(np.array(x, dtype=float), requires_grad=True)


def test_repeated_positions_add_their_gradients():
    for read in (
        lambda x: x[[0, 0, 1]],
        lambda x: gl.take(x, [0, 0, 1], 0),
        lambda x: gl.gather(x, 0, np.array([0, 0, 1])),
        lambda x: gl.take_along_axis(x, np.array([0, 0, -3]), 0),
    ):
        x = leaf([1.0, 2.0, 3.0])
        read(x).sum().backward()
        assert x.grad.numpy().sum() == 3
        assert x.grad.numpy()[0] >= 2


def test_of_two_writers_only_the_last_gets_a_gradient():
    x, y = leaf([1.0, 2.0, 3.0]), leaf([4.0, 5.0, 6.0])
    z = gl.index_put(x, ([0, 0, 2],), y)
    np.testing.assert_array_equal(z.detach().numpy(), [5, 2, 6])
    (z * np.array([1.0, 10.0, 100.0])).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0, 10, 0])
    np.testing.assert_array_equal(y.grad.numpy(), [0, 1, 100])


def test_scatter_gives_the_gradient_to_the_last_writer_too():
    x, y = leaf([1.0, 2.0, 3.0]), leaf([4.0, 5.0])
    gl.scatter(x, 0, np.array([1, 1]), y).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [1, 0, 1])
    np.testing.assert_array_equal(y.grad.numpy(), [0, 1])


@given(st.lists(st.integers(-4, 3), min_size=0, max_size=8), st.booleans())
def test_index_put_writes_what_numpy_writes(places, accumulate):
    x, y = rng.normal(size=(4, 2)), rng.normal(size=(len(places), 2))
    want = x.copy()
    if accumulate:
        np.add.at(want, places, y) if places else None
    else:
        for place, row in zip(places, y, strict=True):
            want[place] = row
    got = gl.index_put(x, (np.array(places, dtype=int),), y, accumulate)
    np.testing.assert_allclose(got, want)


@pytest.mark.parametrize(
    ("index", "shape"),
    [
        (1, ()),
        (slice(None, None, 2), (3,)),
        ((..., [0, 2]), (1, 2)),
        (np.eye(4, 3) > 0, ()),
        (([0, 1], [2, 2]), (2,)),
    ],
)
def test_index_put_broadcasts_and_passes_the_gradient_check(index, shape):
    x, y, seed = rng.normal(size=(4, 3)), rng.normal(size=shape), rng.normal(size=(4, 3))
    want = x.copy()
    want[index] = y
    np.testing.assert_array_equal(gl.index_put(x, index, y), want)
    assert gl.gradcheck(lambda a, b: (gl.index_put(a, index, b) * seed * a).sum(), x, y)


@given(st.lists(st.integers(-5, 4), min_size=0, max_size=20))
def test_index_add_equals_adding_one_by_one(places):
    x, y = rng.normal(size=(5, 3)), rng.normal(size=(len(places), 3))
    want = x.copy()
    for place, row in zip(places, y, strict=True):
        want[place] += row
    np.testing.assert_allclose(gl.index_add(x, 0, np.array(places, dtype=int), y), want, rtol=1e-12)


def test_embedding_reads_rows_and_the_padding_row_gets_no_gradient():
    weight = leaf(rng.normal(size=(4, 2)))
    gl.embedding([[0, 1], [1, 3]], weight, padding_idx=3).sum().backward()
    np.testing.assert_array_equal(weight.grad.numpy(), [[1, 1], [2, 2], [0, 0], [0, 0]])


def test_positions_out_of_range_or_not_whole_are_refused_in_words():
    with pytest.raises(IndexingError, match=r"GL024"):
        gl.take(np.ones(3), [3], 0)
    with pytest.raises(IndexingError, match=r"GL024"):
        gl.embedding([7], np.ones((3, 2)))
    with pytest.raises(DTypeError, match=r"GL015.*float64"):
        gl.take(np.ones(3), np.array([0.5]), 0)
    with pytest.raises(ShapeError, match=r"GL029"):
        gl.gather(np.ones((2, 3)), 0, np.zeros((2, 4), int))
    with pytest.raises(IndexingError, match=r"GL024.*3 classes"):
        gl.one_hot([0, 3], 3)


def test_masks_fill_and_select():
    x = leaf([1.0, 2.0, 3.0])
    filled = gl.masked_fill(x, x > 1.5, -1.0)
    np.testing.assert_array_equal(filled.detach().numpy(), [1, -1, -1])
    filled.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [1, 0, 0])
    np.testing.assert_array_equal(gl.masked_select(x, x > 1.5).detach().numpy(), [2, 3])


def test_topk_sends_the_gradient_to_the_chosen():
    x = leaf([3.0, 1.0, 2.0])
    values, indices = gl.topk(x, 2)
    np.testing.assert_array_equal(values.detach().numpy(), [3, 2])
    np.testing.assert_array_equal(indices.numpy(), [0, 2])
    (values * np.array([1.0, 10.0])).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [1, 0, 10])
    with pytest.raises(ShapeError, match=r"GL029.*4 of 3"):
        gl.topk(x, 4)


def test_sorting_in_either_order_is_stable():
    x = np.array([1.0, 0.0, 1.0, 0.0])
    np.testing.assert_array_equal(gl.argsort(x), [1, 3, 0, 2])
    np.testing.assert_array_equal(gl.argsort(x, descending=True), [0, 2, 1, 3])


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_equals_numpy(side):
    line, x = np.sort(rng.normal(size=5)), rng.normal(size=(2, 3))
    np.testing.assert_array_equal(gl.searchsorted(line, x, side), np.searchsorted(line, x, side))
