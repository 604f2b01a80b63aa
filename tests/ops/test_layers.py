"""Normalisation, attention and gates at their awkward points."""

from __future__ import annotations

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import ArgumentError, ShapeError
from gradlab.nn import functional


def test_equal_values_are_normalised_to_zero_with_a_finite_gradient():
    x = gl.full((2, 3), 7.0, requires_grad=True)
    z = gl.layer_norm(x, 3)
    assert z.tolist() == [[0.0, 0.0, 0.0]] * 2
    (z * gl.tensor([1.0, 2.0, 4.0])).sum().backward()
    assert np.isfinite(x.grad.numpy()).all()


def test_batch_norm_moves_its_running_figures_as_defined():
    x = gl.tensor([[1.0], [3.0], [8.0]], dtype="float64")
    mean, var = gl.zeros(1, dtype="float64"), gl.ones(1, dtype="float64")
    gl.batch_norm(x, mean, var, training=True, momentum=0.25)
    assert mean.item() == pytest.approx(0.25 * 4.0)
    assert var.item() == pytest.approx(0.75 + 0.25 * 13.0)  # (9 + 1 + 16) / (3 - 1)


def test_batch_norm_outside_training_leaves_them_alone():
    mean, var = gl.zeros(1), gl.ones(1)
    z = gl.batch_norm(gl.tensor([[2.0]]), mean, var, eps=0.0)
    assert z.tolist() == [[2.0]]
    assert (mean.item(), var.item()) == (0.0, 1.0)


def test_batch_norm_of_one_value_says_that_it_has_no_variance():
    with pytest.raises(ArgumentError, match="GL123"):
        gl.batch_norm(gl.tensor([[2.0, 1.0]]), training=True)
    with pytest.raises(ArgumentError, match="running figures"):
        gl.batch_norm(gl.tensor([[2.0, 1.0]]))


def test_a_query_that_may_see_nothing_gets_zero_and_no_nan():
    q = gl.ones(1, 2, requires_grad=True)
    seen = gl.scaled_dot_product_attention(
        q, gl.ones(2, 2), gl.ones(2, 3), attn_mask=gl.tensor([[False, False]])
    )
    assert seen.tolist() == [[0.0, 0.0, 0.0]]
    seen.sum().backward()
    assert q.grad.tolist() == [[0.0, 0.0]]


def test_a_causal_query_sees_no_later_key():
    values = gl.tensor([[1.0], [100.0]])
    seen = gl.scaled_dot_product_attention(gl.zeros(2, 2), gl.zeros(2, 2), values, is_causal=True)
    assert seen.tolist() == [[1.0], [50.5]]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: gl.linear(gl.ones(2, 3), gl.ones(4, 2)), "weight of shape (4, 2)"),
        (lambda: gl.layer_norm(gl.ones(2, 3), 2), "normalise over (2,)"),
        (lambda: gl.group_norm(gl.ones(2, 3), 2), "2 groups for 3 channels"),
        (lambda: gl.layer_norm(gl.ones(2, 3), 3, gl.ones(2)), "weight of shape (2,)"),
        (lambda: gl.prelu(gl.ones(2, 3), gl.ones(2)), "2 slopes"),
        (lambda: gl.glu(gl.ones(3)), "even size"),
        (lambda: gl.pixel_shuffle(gl.ones(3, 2, 2), 2), "(3, 2, 2)"),
        (
            lambda: gl.scaled_dot_product_attention(gl.ones(2, 3), gl.ones(2, 2), gl.ones(2, 2)),
            "queries (2, 3)",
        ),
    ],
)
def test_what_does_not_fit_is_named(call, says):
    with pytest.raises(ShapeError) as caught:
        call()
    assert says in str(caught.value)


def test_large_logits_do_not_overflow():
    x = gl.tensor([-1000.0, 0.0, 1000.0], requires_grad=True)
    for f in (gl.selu, gl.celu, gl.mish, gl.softsign, gl.tanhshrink):
        x.grad = None
        z = f(x)
        z.sum().backward()
        assert np.isfinite(z.numpy(force=True)).all()
        assert np.isfinite(x.grad.numpy()).all()


def test_fold_is_the_transpose_of_unfold():
    rng = np.random.default_rng(2)
    x = gl.tensor(rng.normal(size=(2, 3, 7, 6)))
    options = {"kernel_size": (3, 2), "dilation": (1, 2), "padding": (1, 0), "stride": (3, 1)}
    columns = functional.unfold(x, **options)
    y = gl.tensor(rng.normal(size=columns.shape))
    back = functional.fold(y, (7, 6), **options)
    assert float((columns * y).sum()) == pytest.approx(float((back * x).sum()))
    assert gl.gradcheck(lambda y: functional.fold(y, (7, 6), **options).sum(), (y.numpy(),))


def test_functional_names_are_those_of_gradlab():
    for name in functional.SHARED:
        assert getattr(functional, name) is getattr(gl, name)
