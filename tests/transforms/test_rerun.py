"""Checkpoints, functions with a backward of their own, custom ops, the nan finder, autograd.grad."""

from __future__ import annotations

import gc
import math

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import ArgumentError, DataError, GradcheckError, GraphError
from gradlab.graph.tensor import Tensor


def leaf(*numbers: float) -> gl.Tensor:
    return gl.tensor(np.array(numbers), requires_grad=True)


# --- checkpoint ---


def chain(n: int, seed: int = 0) -> tuple[list, list]:
    rng = np.random.default_rng(seed)
    weights = [gl.tensor(rng.normal(size=3), requires_grad=True) for _ in range(n)]
    return [lambda x, w=w: gl.tanh(x * w) + x * 0.1 for w in weights], weights


def test_a_checkpointed_chain_has_the_same_gradients_to_the_bit():
    layers, weights = chain(100)
    x = leaf(0.1, 0.2, 0.3)
    out = x
    for layer in layers:
        out = layer(out)
    out.sum().backward()
    plain = [w.grad.numpy().copy() for w in (*weights, x)]
    for segments in (None, 1, 7, 100):
        for w in (*weights, x):
            w.grad = None
        gl.checkpoint_sequential(layers, x, segments).sum().backward()
        for w, want in zip((*weights, x), plain, strict=True):
            np.testing.assert_array_equal(w.grad.numpy(), want)


def alive() -> int:
    gc.collect()
    return sum(isinstance(one, Tensor) for one in gc.get_objects())


def test_a_chain_of_1000_layers_keeps_the_square_root_of_its_values():
    layers, weights = chain(1000)
    x = leaf(0.1, 0.2, 0.3)
    before = alive()
    out = gl.checkpoint_sequential(layers, x)
    kept = alive() - before
    assert kept < 4 * math.sqrt(1000)
    out.sum().backward()
    assert all(w.grad is not None for w in weights)


def test_random_numbers_are_drawn_again_from_the_same_state():
    w = leaf(*np.linspace(0.1, 1.0, 40))

    def f(x):
        return gl.dropout(gl.tanh(x * w), 0.5)

    found = []
    for run in (f, lambda x: gl.checkpoint(f, x)):
        gl.manual_seed(5)
        w.grad = None
        out = run(w * 2.0)
        out.sum().backward()
        found.append((out.tolist(), w.grad.tolist(), gl.rand(2).tolist()))
    assert found[0] == found[1]


def test_checkpoints_nest_return_several_results_and_differentiate_twice():
    x, c = leaf(0.5, 2.0), leaf(3.0, 1.0)

    def f(x):
        return gl.checkpoint(lambda y: gl.sin(y) * c, x * x)

    gl.checkpoint(f, x).sum().backward(create_graph=True)
    np.testing.assert_allclose(
        x.grad.detach().numpy(), np.cos([0.25, 4.0]) * 2 * np.array([0.5, 2.0]) * [3.0, 1.0]
    )
    first, x.grad = x.grad, None
    first.sum().backward()
    t = np.array([0.5, 2.0])
    want = (2 * np.cos(t**2) - 4 * t**2 * np.sin(t**2)) * [3.0, 1.0]
    np.testing.assert_allclose(x.grad.numpy(), want)
    a, b = gl.checkpoint(lambda x: (x * 2.0, x * x), x)
    x.grad = None
    (a + b).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 + 2 * t)


def test_what_cannot_be_checkpointed_says_why():
    with pytest.raises(DataError, match=r"GL042.*NoneType"):
        gl.checkpoint(lambda x: None, leaf(1.0))
    with pytest.raises(ArgumentError, match="GL048"):
        gl.checkpoint_sequential([gl.tanh], leaf(1.0), 2)
    with gl.no_grad():
        assert gl.checkpoint(lambda x: x * 2.0, leaf(1.0)).is_leaf
    x = leaf(1.0)
    assert gl.checkpoint_sequential([], x) is x


# --- functions with a backward of their own ---


class Exp(gl.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        z = x.exp()
        ctx.save_for_backward(z)
        return z

    @staticmethod
    def backward(ctx, ct):
        (z,) = ctx.saved_tensors
        return ct * z


class Product(gl.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor, y):
        ctx.save_for_backward(x, y)
        ctx.factor = factor
        return x * y * factor, x + y

    @staticmethod
    def backward(ctx, ct, other):
        x, y = ctx.saved_tensors
        return ct * y * ctx.factor + other, None, ct * x * ctx.factor + other


def test_a_function_of_ones_own_has_first_and_second_derivatives():
    assert gl.gradcheck(lambda x: Exp.apply(x * 2.0), np.array([0.3, -0.2]))
    assert gl.autograd.gradgradcheck(lambda x: Exp.apply(x * 2.0), np.array([0.3, -0.2]))

    def f(x, y):
        p, s = Product.apply(x, 3.0, y)
        return p * s

    assert gl.gradcheck(f, np.array([0.3, -0.2]), np.array([1.0, 2.0]))
    assert gl.autograd.gradgradcheck(f, np.array([0.3, -0.2]), np.array([1.0, 2.0]))


def test_a_second_derivative_through_a_saved_intermediate_is_refused_not_wrong():
    class Square(gl.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x * 2.0)
            return x * x

        @staticmethod
        def backward(ctx, ct):
            return ct * ctx.saved_tensors[0]

    x = leaf(3.0)
    Square.apply(x).sum().backward()
    assert x.grad.tolist() == [6.0]
    with pytest.raises(GraphError, match=r"GL047.*Square"):
        Square.apply(x).sum().backward(create_graph=True)


def test_a_function_that_returns_its_argument_or_too_few_gradients():
    class Identity(gl.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x

        @staticmethod
        def backward(ctx, ct):
            return ct

    x, y = leaf(1.0), leaf(2.0)
    out = Identity.apply(x, y)
    assert out is not x
    with pytest.raises(DataError, match=r"GL042.*1 gradients for 2"):
        out.sum().backward()
    with pytest.raises(GraphError, match="GL046"):
        gl.jvp(lambda a: Exp.apply(a), (x,), (gl.tensor([1.0]),))


def test_a_custom_op_works_on_tensors_and_arrays_and_a_wrong_rule_is_refused():
    cube = gl.custom_op(
        "cube",
        lambda xp, x: x**3,
        [lambda ct, z, x: ct * 3.0 * x**2],
        [lambda t, z, x: t * 3.0 * x**2],
        samples=[([0.5, 2.0],)],
    )
    assert gl.gradcheck(cube, np.array([0.3, 1.2]))
    assert gl.autograd.gradgradcheck(cube, np.array([0.3, 1.2]))
    assert cube(np.array([2.0])).tolist() == [8.0]
    assert gl.jvp(cube, (2.0 * np.ones(1),), (np.ones(1),))[1].tolist() == [12.0]
    with pytest.raises(GradcheckError, match=r"GL140.*VJP.*input 0"):
        gl.custom_op("cube", lambda xp, x: x**3, [lambda ct, z, x: ct * 2.0 * x**2], samples=[([0.5, 2.0],)])
    with pytest.raises(GradcheckError, match=r"GL140.*JVP"):
        gl.custom_op(
            "cube",
            lambda xp, x: x**3,
            [lambda ct, z, x: ct * 3.0 * x**2],
            [lambda t, z, x: t],
            samples=[([0.5, 2.0],)],
        )
    for bad in ({"vjp": [], "samples": [(1.0,)]}, {"vjp": [None], "samples": []}):
        with pytest.raises(ArgumentError, match="GL141"):
            gl.custom_op("cube", lambda xp, x: x**3, **bad)
    only_back = gl.custom_op("sq", lambda xp, x: x * x, [lambda ct, z, x: ct * 2.0 * x], samples=[(1.0,)])
    with pytest.raises(GraphError, match="GL046"):
        gl.jvp(only_back, (np.ones(1),), (np.ones(1),))


# --- autograd.grad and backward ---


def test_autograd_grad_leaves_grad_alone_and_takes_computed_inputs_and_seeds():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    h = x * y
    loss = (h * h).sum()
    gx, gh = gl.autograd.grad(loss, [x, h])
    assert gh.tolist() == [6.0, 16.0]
    assert gx.tolist() == [18.0, 64.0]
    assert x.grad is None
    (seeded,) = gl.autograd.grad([h, h], x, [gl.tensor([1.0, 0.0]), gl.tensor([0.0, 1.0])])
    assert seeded.tolist() == [3.0, 4.0]
    with pytest.raises(GraphError, match="GL030"):
        gl.autograd.grad(h, x)
    with pytest.raises(GraphError, match="GL049"):
        gl.autograd.grad(loss, leaf(1.0))
    assert gl.autograd.grad(loss, leaf(1.0), allow_unused=True) == (None,)
    assert gl.autograd.grad(loss, leaf(1.0), materialize_grads=True)[0].tolist() == [0.0]
    with pytest.raises(GraphError, match="GL031"):
        gl.autograd.grad(gl.tensor(1.0), x)
    with pytest.raises(ArgumentError, match="GL044"):
        gl.autograd.grad([loss], x, [])


def test_the_functional_names_of_pytorch():
    def f(x, y):
        return (x * y).sum()

    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    jx, jy = gl.autograd.functional.jacobian(f, (x, y))
    assert (jx.tolist(), jy.tolist()) == ([3.0, 4.0], [1.0, 2.0])
    assert gl.autograd.functional.hessian(lambda x: (x**3).sum(), x).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert gl.autograd.functional.vjp(lambda x: x * x, x, gl.tensor([1.0, 1.0]))[1].tolist() == [2.0, 4.0]
    assert gl.autograd.functional.jvp(lambda x: x * x, x, gl.tensor([1.0, 0.0]))[1].tolist() == [2.0, 0.0]
    value, product = gl.autograd.functional.hvp(lambda x: (x**3).sum(), x, gl.tensor([1.0, 0.0]))
    assert (value.sum(), product.tolist()) == (9.0, [6.0, 0.0])
    assert gl.autograd.functional.vhp(lambda x: (x**3).sum(), x, gl.tensor([0.0, 1.0]))[1].tolist() == [
        0.0,
        12.0,
    ]


def test_gradgradcheck_finds_a_second_derivative_that_is_wrong():
    class Wrong(gl.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, ct):
            (x,) = ctx.saved_tensors
            return ct * 3.0 * x * x.detach()  # right at first order only

    assert gl.gradcheck(Wrong.apply, np.array([1.0, 2.0]))
    with pytest.raises(GradcheckError, match="GL040"):
        gl.autograd.gradgradcheck(Wrong.apply, np.array([1.0, 2.0]))


# --- the nan finder ---


@pytest.mark.filterwarnings("ignore::gradlab.errors.NumericWarning")
def test_the_first_bad_node_is_found_forward_and_backward():
    x = gl.tensor([1.0, -1.0], requires_grad=True, label="x")
    report = gl.find_nan((gl.exp(gl.log(x)) * 2.0).sum())
    assert (report.phase, report.node.op.name) == ("forward", "log")
    assert "x: shape (2,), -1 … 1" in report.text
    assert "1e-12" in report.cure
    n = gl.tensor([0.0, 2.0], requires_grad=True, label="n")
    masked = gl.where(n == 0, 0.0, 1.0 / n * n * 0.0 + gl.sqrt(n))
    report = gl.find_nan(masked.sum())
    assert report
    assert report.phase in ("forward", "backward")
    safe = gl.where(n == 0, 1.0, n)
    healthy = gl.where(n == 0, 0.0, gl.sqrt(safe) / safe)
    assert not gl.find_nan(healthy.sum())
    root = gl.Value(0.0, label="a")
    report = gl.find_nan(gl.where(True, 1.0, 0.0) * gl.sqrt(root))
    assert (report.phase, report.node.op.name) == ("backward", "sqrt")
    assert gl.find_nan(gl.tensor([1, 2])).text == "everything is finite."
    assert gl.find_nan(gl.tensor([float("nan")], label="raw")).text.endswith("it was given so.")
    with pytest.raises(GraphError, match="GL031"):
        gl.find_nan(3.0)


@pytest.mark.parametrize("enabled", [True, False])
def test_recording_can_be_switched_by_a_flag(enabled):
    x = leaf(1.0)
    with gl.set_grad_enabled(enabled):
        assert gl.is_grad_enabled() is enabled
        assert (x * 2.0).requires_grad is enabled
    with gl.inference_mode(), gl.enable_grad():
        assert gl.is_grad_enabled()
    with gl.inference_mode(not enabled):
        assert gl.is_grad_enabled() is enabled

    @gl.inference_mode
    def f():
        return gl.is_grad_enabled()

    @gl.inference_mode()
    def g():
        return gl.is_grad_enabled()

    assert not f()
    assert not g()
