"""Jacobians, Hessians and their products: against mathematics, in both modes, nested, and without perturbation confusion."""

from __future__ import annotations

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import ArgumentError, GraphError

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_the_jacobian_of_a_linear_map_is_its_matrix(mode):
    f = gl.jacobian(lambda x: gl.matmul(A, x), mode=mode)
    np.testing.assert_allclose(f(gl.tensor(np.ones(3))).numpy(), A)
    g = gl.jacobian(lambda x: x * x, mode=mode)(gl.tensor(A)).numpy()
    assert g.shape == (2, 3, 2, 3)
    np.testing.assert_allclose(g.reshape(6, 6), np.diag(2 * A.reshape(-1)))


def test_shapes_from_numbers_to_nothing():
    assert float(gl.jacobian(lambda x: x * x)(3.0)) == 6.0
    assert gl.jacobian(lambda x: x.sum())(gl.tensor([1.0, 2.0])).shape == (2,)
    assert gl.jacobian(lambda x: gl.stack([x, x * x]))(gl.tensor(2.0)).tolist() == [1.0, 4.0]
    assert gl.jacobian(lambda x: x * 2.0)(gl.tensor(np.ones((0, 3)))).shape == (0, 3, 0, 3)
    independent = gl.jacobian(lambda x: gl.tensor([1.0, 2.0]), mode="reverse")(gl.tensor([1.0]))
    assert independent.tolist() == [[0.0], [0.0]]


def test_several_arguments_names_and_extra_results():
    f = gl.jacobian(lambda x, y, k=1.0: (x * y * k, "more"), argnums=(0, 1), has_aux=True)
    (dx, dy), aux = f(gl.tensor([1.0, 2.0]), gl.tensor([3.0, 4.0]), k=2.0)
    assert dx.tolist() == [[6.0, 0.0], [0.0, 8.0]]
    assert dy.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert aux == "more"
    with pytest.raises(ArgumentError, match="GL044"):
        gl.jacobian(lambda x: x, argnums=1)(1.0)
    with pytest.raises(ArgumentError, match=r"GL045.*forward"):
        gl.jacobian(lambda x: x, mode="sideways")


def test_the_hessian_of_a_quadratic_form_is_its_symmetric_part_and_hvp_multiplies_by_it():
    rng = np.random.default_rng(0)
    Q, x, v = rng.normal(size=(4, 4)), rng.normal(size=4), rng.normal(size=4)

    def f(x):
        return (x * gl.matmul(Q, x)).sum()

    np.testing.assert_allclose(gl.hessian(f)(x).numpy(), Q + Q.T, rtol=1e-12)
    gradient, product = gl.hvp(f, x, v)
    np.testing.assert_allclose(gradient.numpy(), (Q + Q.T) @ x, rtol=1e-12)
    np.testing.assert_allclose(product.numpy(), (Q + Q.T) @ v, rtol=1e-12)
    with pytest.raises(GraphError, match="GL030"):
        gl.hvp(lambda x: x * x, x, v)
    with pytest.raises(GraphError, match="GL030"):
        gl.hessian(lambda x: x * x)(x)


def test_transforms_nest_to_any_order():
    third = gl.jacobian(gl.hessian(lambda x: (x**4).sum()))(np.array([1.0, 2.0])).numpy()
    assert third[0, 0, 0] == 24.0
    assert third[1, 1, 1] == 48.0
    assert np.count_nonzero(third) == 2
    assert (
        float(
            gl.grad(lambda x: gl.hvp(lambda y: (y**3).sum(), x, gl.tensor(np.ones(2)))[1].sum())(
                np.array([1.0, 2.0])
            )[1]
        )
        == 6.0
    )


def test_no_perturbation_is_confused_with_an_outer_one():
    assert float(gl.grad(lambda x: x * gl.grad(lambda y: x + y)(1.0))(1.0)) == 1.0
    assert float(gl.jvp(lambda x: x * gl.jvp(lambda y: x * y, (2.0,), (1.0,))[1], (3.0,), (1.0,))[1]) == 6.0
    assert float(gl.grad(lambda x: x * gl.jvp(lambda y: x * y, (2.0,), (1.0,))[1])(3.0)) == 6.0
    assert float(gl.jvp(lambda x: x * gl.grad(lambda y: x * y * y)(2.0), (3.0,), (1.0,))[1]) == 24.0
    twice = gl.jacobian(lambda x: x * gl.jacobian(lambda y: x * y)(x).sum())(gl.tensor(np.array([1.0, 2.0])))
    assert twice.shape == (2, 2)


def test_gradients_of_nested_containers_have_their_form():
    from typing import NamedTuple

    class Layer(NamedTuple):
        w: object
        b: object

    params = {
        "first": Layer(gl.tensor([1.0, 2.0]), gl.tensor(0.5)),
        "rest": [gl.tensor(3.0), (gl.tensor(4.0),)],
    }

    def loss(p, x):
        h = (p["first"].w * x).sum() + p["first"].b
        return h * p["rest"][0] * p["rest"][1][0]

    (value, aux), found = gl.value_and_grad(lambda p, x: (loss(p, x), x), has_aux=True)(params, 2.0)
    assert value.item() == 6.5 * 12
    assert aux == 2.0
    assert isinstance(found["first"], Layer)
    assert found["first"].w.tolist() == [24.0, 24.0]
    assert found["first"].b.item() == 12.0
    assert found["rest"][0].item() == 6.5 * 4
    assert found["rest"][1][0].item() == 6.5 * 3
    assert gl.grad(lambda p: p["a"] * p["a"])({"a": 3.0})["a"].data == 6.0
    with pytest.warns(gl.errors.GradlabWarning, match=r"GL043.*0\['b'\]"):
        assert gl.grad(lambda p: p["a"] * 1.0)({"a": 1.0, "b": 2.0})["b"].data == 0.0
