"""Programs as PyTorch's tutorials have them run after `import gradlab as torch`. Results are checked against mathematics."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gradlab as torch


def test_linear_regression_by_hand():
    torch.manual_seed(0)
    x = torch.linspace(-1, 1, 50).unsqueeze(1)
    y = 3.0 * x + 2.0
    w = torch.randn(1, 1, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    for _ in range(200):
        loss = ((x @ w + b - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.3 * w.grad
            b -= 0.3 * b.grad
            w.grad.zero_()
            b.grad = None
    assert w.item() == pytest.approx(3.0, abs=1e-3)
    assert b.item() == pytest.approx(2.0, abs=1e-3)


def test_a_polynomial_fitted_to_sin():
    x = torch.linspace(-math.pi, math.pi, 2000, dtype=torch.float64)
    y = torch.sin(x)
    a, b, c, d = (torch.zeros((), dtype=torch.float64, requires_grad=True) for _ in range(4))
    rate = 1e-6
    for _ in range(3000):
        y_pred = a + b * x + c * x**2 + d * x**3
        loss = (y_pred - y).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            for p in (a, b, c, d):
                p -= rate * p.grad
                p.grad = None
    grid = np.linspace(-math.pi, math.pi, 2000)
    best = np.polynomial.polynomial.polyfit(grid, np.sin(grid), 3)
    assert loss.item() < 1.3 * np.sum((np.polynomial.polynomial.polyval(grid, best) - np.sin(grid)) ** 2) + 10


def test_a_two_layer_network_with_gradients_by_hand_and_by_backward():
    torch.manual_seed(1)
    n, d_in, hidden, d_out = 64, 20, 10, 5
    x, y = torch.randn(n, d_in), torch.randn(n, d_out)
    w1, w2 = torch.randn(d_in, hidden, requires_grad=True), torch.randn(hidden, d_out, requires_grad=True)
    h = x.mm(w1) if hasattr(x, "mm") else x @ w1
    h_relu = h.clamp(min=0) if hasattr(h, "clamp") else h.relu()
    y_pred = h_relu @ w2
    loss = (y_pred - y).pow(2).sum()
    loss.backward()
    grad_y = 2.0 * (y_pred - y).detach()
    grad_w2 = h_relu.detach().T @ grad_y
    grad_h = grad_y @ w2.detach().T
    grad_h = torch.where(h.detach() < 0, 0.0, grad_h)
    grad_w1 = x.T @ grad_h
    np.testing.assert_allclose(w1.grad.numpy(), grad_w1.numpy(), rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(w2.grad.numpy(), grad_w2.numpy(), rtol=1e-4, atol=1e-3)


def test_a_function_with_its_own_backward():
    class LegendrePolynomial3(torch.autograd.Function):
        @staticmethod
        def forward(ctx, input):
            ctx.save_for_backward(input)
            return 0.5 * (5 * input**3 - 3 * input)

        @staticmethod
        def backward(ctx, grad_output):
            (input,) = ctx.saved_tensors
            return grad_output * 1.5 * (5 * input**2 - 1)

    x = torch.tensor([0.1, 0.5, -0.3], requires_grad=True)
    LegendrePolynomial3.apply(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 1.5 * (5 * np.array([0.1, 0.5, -0.3]) ** 2 - 1), rtol=1e-6)


def test_the_vector_jacobian_product_of_the_autograd_tutorial():
    inp = torch.eye(4, 5, requires_grad=True)
    out = (inp + 1).pow(2).T
    out.backward(torch.ones_like(out), retain_graph=True)
    first = inp.grad.clone()
    out.backward(torch.ones_like(out), retain_graph=True)
    np.testing.assert_array_equal(inp.grad.numpy(), 2 * first.numpy())
    inp.grad.zero_()
    out.backward(torch.ones_like(out))
    np.testing.assert_array_equal(inp.grad.numpy(), first.numpy())
    assert first[0, 0].item() == 4.0


def test_grad_fn_flags_detach_and_no_grad():
    a = torch.tensor([2.0, 3.0], requires_grad=True)
    b = torch.tensor([6.0, 4.0], requires_grad=True)
    q = 3 * a**3 - b**2
    q.backward(gradient=torch.tensor([1.0, 1.0]))
    assert (9 * a**2 == a.grad).all()
    assert (-2 * b == b.grad).all()
    z = q.detach()
    assert not z.requires_grad
    assert q.requires_grad
    with torch.no_grad():
        assert not (a * 2).requires_grad
    x = torch.rand(5, 5)
    assert not (x + torch.rand(5, 5)).requires_grad
    assert (x + torch.rand((5, 5), requires_grad=True)).requires_grad


def test_hooks_and_retained_gradients():
    v = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    h = v.register_hook(lambda grad: grad * 2)
    v.backward(torch.tensor([1.0, 2.0, 3.0]))
    assert v.grad.tolist() == [2.0, 4.0, 6.0]
    h.remove()
    x = torch.tensor([1.0], requires_grad=True)
    y = x * 2
    y.retain_grad()
    (y**2).sum().backward()
    assert y.grad.tolist() == [4.0]
    assert x.grad.tolist() == [8.0]


def test_jacobian_and_hessian():
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    j = torch.autograd.functional.jacobian(lambda x: x.exp(), x)
    np.testing.assert_allclose(j.numpy(), np.diag(np.exp([1.0, 2.0, 3.0])))
    h = torch.autograd.functional.hessian(lambda x: x.pow(3).sum(), x)
    np.testing.assert_allclose(h.numpy(), np.diag([6.0, 12.0, 18.0]))


def test_higher_derivatives_with_create_graph():
    x = torch.tensor(2.0, requires_grad=True)
    y = x**4
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (gg,) = torch.autograd.grad(g, x, create_graph=True)
    (ggg,) = torch.autograd.grad(gg, x)
    assert (g.item(), gg.item(), ggg.item()) == (32.0, 48.0, 48.0)


def test_gradients_accumulate_over_batches():
    torch.manual_seed(0)
    data, w = torch.randn(8, 3), torch.ones(3, requires_grad=True)
    ((data @ w) ** 2).sum().backward()
    whole = w.grad.clone()
    w.grad = None
    for batch in data.split(2):
        ((batch @ w) ** 2).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), whole.numpy(), rtol=1e-5)


def test_in_place_and_element_assignment():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y[0] = 5
    y.add_(1)
    out = torch.zeros(2)
    out[0] = y[1] ** 2
    (out.sum() + y.sum()).backward()
    assert x.grad.tolist() == [0.0, 2 * 2 * 3.0 + 2.0, 2.0]
