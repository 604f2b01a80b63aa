"""Joining, splitting, moving and padding arrays, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradlab as gl
from gradlab.errors import ArgumentError, ShapeError

rng = np.random.default_rng(3)
MODES = [
    "constant",
    "edge",
    "reflect",
    "symmetric",
    "wrap",
    "linear_ramp",
    "maximum",
    "mean",
    "median",
    "minimum",
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", [2, (1, 3), ((0, 1), (2, 0)), ((7, 9), (3, 11))])
def test_pad_equals_numpy_in_every_mode(mode, width):
    x = rng.normal(size=(4, 3))
    np.testing.assert_allclose(gl.pad(x, width, mode), np.pad(x, width, mode), rtol=1e-13)


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("constant", {"constant_values": 3}),
        ("constant", {"constant_values": ((1, 2), (3, 4))}),
        ("linear_ramp", {"end_values": (5, -4)}),
        ("mean", {"stat_length": 2}),
        ("maximum", {"stat_length": ((1, 2), (3, 1))}),
        ("reflect", {"reflect_type": "odd"}),
        ("symmetric", {"reflect_type": "odd"}),
    ],
)
@pytest.mark.parametrize("width", [2, ((1, 2), (8, 5))])
def test_pad_takes_numpys_further_words(mode, words, width):
    x = rng.normal(size=(4, 3))
    np.testing.assert_allclose(gl.pad(x, width, mode, **words), np.pad(x, width, mode, **words), rtol=1e-13)


@pytest.mark.parametrize("mode", MODES)
def test_pad_gradient_equals_central_differences(mode):
    seed = rng.normal(size=(7, 8))
    report = gl.gradcheck(lambda x: (gl.pad(x, ((1, 2), (2, 3)), mode) * seed).sum(), rng.normal(size=(4, 3)))
    assert report.max_error < 1e-8


def test_pad_says_what_does_not_fit():
    with pytest.raises(ArgumentError, match=r"GL016.*'mirror' is not known.*reflect"):
        gl.pad(np.ones(3), 1, "mirror")
    with pytest.raises(ShapeError, match=r"GL028.*pad_width"):
        gl.pad(np.ones((2, 2)), ((1, 1), (1, 1), (1, 1)))


def test_same_input_twice_gets_both_gradients():
    x = gl.tensor([1.0, 2.0], requires_grad=True)
    (gl.concatenate([x, x]) * np.arange(4.0)).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2, 4])


def test_concatenate_of_many_is_one_node_and_costs_linear_time():
    xs = [gl.tensor([float(i)], requires_grad=True) for i in range(5000)]
    out = gl.concatenate(xs)
    assert len(out.inputs) == 5000
    out.sum().backward()
    assert all(x.grad.item() == 1 for x in xs)


def test_joining_what_does_not_fit_names_the_shapes():
    with pytest.raises(ShapeError, match=r"GL028.*\(2, 3\) and \(2, 4\)"):
        gl.concatenate([np.ones((2, 3)), np.ones((2, 4))])
    with pytest.raises(ShapeError, match=r"GL028.*stack.*\(2,\) and \(3,\)"):
        gl.stack([np.ones(2), np.ones(3)])
    with pytest.raises(ShapeError, match=r"GL028.*no arrays"):
        gl.concatenate([])


CALLS = {
    "tile": [((2, 3), (2,)), ((2, 3), (2, 1, 3)), ((), (2, 2))],
    "roll": [((2, 3), 2), ((2, 3), (1, -1), (0, 1)), ((2, 3), 1, 1), ((2, 3), (1, 2), 0)],
    "flip": [((2, 3),), ((2, 3), 1), ((2, 3, 2), (0, -1))],
    "moveaxis": [((2, 3, 4), 0, -1), ((2, 3, 4), (0, 1), (-1, 0))],
    "rot90": [((2, 3), k) for k in (-1, 0, 1, 2, 3)],
    "diagonal": [((3, 4),), ((2, 3, 4), 1, 0, 2), ((2, 3, 4), -1, 2, 1)],
    "trace": [((3, 4),), ((2, 3, 4), 1, 0, 2)],
    "tril": [((3, 4),), ((2, 3, 3), -1)],
    "triu": [((3, 4), 1), ((2, 3, 3), -1)],
    "diag": [((3,),), ((3,), -2), ((3, 2),), ((2, 4), 1)],
    "diff": [((2, 4),), ((2, 4), 2), ((2, 4), 1, 0)],
    "take": [((3, 4), np.array([[0, 2], [-1, 0]]), 1), ((3, 4), np.array([5, 5]))],
    "sort": [((3, 4),), ((3, 4), 0), ((3, 4), None)],
    "argsort": [((3, 4),), ((3, 4), 0), ((3, 4), None)],
    "cumsum": [((3, 4),), ((3, 4), 1), ((3, 4), -2)],
    "cumprod": [((3, 4),), ((3, 4), 0)],
}


@pytest.mark.parametrize(("name", "call"), [(name, call) for name, calls in CALLS.items() for call in calls])
def test_function_equals_numpy(name, call):
    shape, *args = call
    x = rng.normal(size=shape)
    want = getattr(np, name)(x, *args)
    np.testing.assert_allclose(getattr(gl, name)(x, *args), want, rtol=1e-13)
    np.testing.assert_allclose(getattr(gl, name)(gl.tensor(x), *args).numpy(), want, rtol=1e-13)


@pytest.mark.parametrize("name", ["vstack", "hstack", "dstack", "column_stack", "concatenate", "stack"])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 3, 2)])
def test_stacks_equal_numpy(name, shape):
    xs = [rng.normal(size=shape) for _ in range(3)]
    np.testing.assert_array_equal(getattr(gl, name)(xs), getattr(np, name)(xs))


@pytest.mark.parametrize(
    ("shape", "where"), [((6, 2), 3), ((7, 2), [2, 5]), ((7, 2), [2, 9]), ((7, 2), [-2])]
)
def test_split_equals_numpy(shape, where):
    x = rng.normal(size=shape)
    for got, want in zip(gl.split(x, where), np.split(x, where), strict=True):
        np.testing.assert_array_equal(got, want)


def test_split_with_pytorchs_words_means_what_pytorch_means():
    assert [part.shape[0] for part in gl.split(np.ones((7, 2)), 3, dim=0)] == [3, 3, 1]
    assert [part.shape[0] for part in gl.split(np.ones((7, 2)), [4, 3], dim=0)] == [4, 3]
    assert [part.shape[0] for part in gl.chunk(np.ones((7, 2)), 3)] == [3, 3, 1]
    with pytest.raises(ShapeError, match=r"GL028.*3 equal pieces of an axis of size 7"):
        gl.split(np.ones((7, 2)), 3)


@given(st.lists(st.integers(0, 4), min_size=3, max_size=3))
def test_repeat_with_a_list_of_counts_equals_numpy(counts):
    x = gl.tensor(np.array([1.0, 2.0, 3.0]), requires_grad=True)
    z = gl.repeat(x, counts, axis=0)
    np.testing.assert_array_equal(z.detach().numpy(), np.repeat([1.0, 2.0, 3.0], counts))
    z.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), counts)


def test_repeat_sends_pytorchs_spelling_to_tile():
    with pytest.raises(ShapeError, match=r"GL028.*tile"):
        gl.repeat(np.ones(3), 2, 3)


def test_expand_keeps_a_size_with_minus_one():
    assert gl.expand(np.ones((3, 1)), 2, -1, 4).shape == (2, 3, 4)
    with pytest.raises(ShapeError, match=r"GL020.*-1 keeps"):
        gl.expand(np.ones(3), -1, 3)


def test_narrow_select_unbind_and_unflatten_are_views_of_the_right_part():
    x = rng.normal(size=(4, 6))
    np.testing.assert_array_equal(gl.narrow(x, 1, 2, 3), x[:, 2:5])
    np.testing.assert_array_equal(gl.select(x, 1, -1), x[:, -1])
    np.testing.assert_array_equal(gl.unbind(x, 1)[2], x[:, 2])
    assert gl.unflatten(x, 1, (2, -1)).shape == (4, 2, 3)
    with pytest.raises(ShapeError, match=r"GL028.*narrow asks for 5"):
        gl.narrow(x, 0, 1, 5)
