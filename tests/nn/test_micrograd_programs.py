"""Programs written for micrograd run on gradlab with only the import changed: same values, same gradients."""

from __future__ import annotations

import random

import micrograd.engine
import micrograd.nn
import pytest

import gradlab
from gradlab.nn import scalar

VALUES = {"gradlab": gradlab.Value, "micrograd": micrograd.engine.Value}


def arithmetic(value):
    """Every operator, on both sides, with reuse and with names bound again."""
    a, b = value(-4.0), value(2.0)
    c = a + b
    d = a * b + b**3
    c += c + 1
    c += 1 + c + (-a)
    d += d * 2 + (b + a).relu()
    d += 3 * d + (b - a).relu()
    e = c - d
    f = e**2
    g = f / 2.0
    g += 10.0 / f
    return g, [a, b]


def one_leaf(value):
    x = value(-4.0)
    z = 2 * x + 2 + x
    q = z.relu() + z * x
    h = (z * z).relu()
    return h + q + q * x, [x]


def reuse(value):
    a, b = value(-2.0), value(3.0)
    d = a * b
    return d * (a + b), [a, b]


@pytest.mark.parametrize("program", [arithmetic, one_leaf, reuse])
def test_values_and_gradients_are_those_of_micrograd(program):
    results = {}
    for name, value in VALUES.items():
        out, leaves = program(value)
        out.backward()
        results[name] = [out.data, *(leaf.grad for leaf in leaves)]
    assert results["gradlab"] == pytest.approx(results["micrograd"], rel=1e-13)


def neuron(tanh):
    """Two inputs, a weight for each, a bias, and an activation: the labelled neuron that courses draw."""
    value = gradlab.Value
    x1, x2 = value(2.0, label="x1"), value(0.0, label="x2")
    w1, w2 = value(-3.0, label="w1"), value(1.0, label="w2")
    b = value(6.8813735870195432, label="b")
    n = x1 * w1 + x2 * w2 + b
    n.label = "n"
    o = tanh(n)
    o.label = "o"
    o.backward()
    return o.data, {leaf.label: leaf.grad for leaf in (x1, x2, w1, w2)}


def with_exp(n):
    e = (2 * n).exp()
    return (e - 1) / (e + 1)


@pytest.mark.parametrize("tanh", [lambda n: n.tanh(), with_exp], ids=["tanh", "exp"])
def test_a_labelled_neuron_has_the_gradients_worked_out_by_hand(tanh):
    out, grads = neuron(tanh)
    # tanh(0.88137...) is 1/sqrt(2), so its slope is 1/2; the rest is x and w times that
    assert out == pytest.approx(0.5**0.5, rel=1e-12)
    assert grads == pytest.approx({"x1": -1.5, "x2": 0.5, "w1": 1.0, "w2": 0.0}, rel=1e-12)


def test_a_walk_by_hand_gives_what_backward_gives():
    a, b = gradlab.Value(2.0), gradlab.Value(-3.0)
    d = a * b
    out = d.tanh()
    out.grad = 1.0
    for node in (out, d):
        node._backward()
    by_hand = a.grad, b.grad
    a2, b2 = gradlab.Value(2.0), gradlab.Value(-3.0)
    (a2 * b2).tanh().backward()
    assert by_hand == (a2.grad, b2.grad)


def test_a_trace_by_hand_finds_nodes_and_edges():
    """The walk that people write to draw a graph themselves."""
    a, b = gradlab.Value(2.0, label="a"), gradlab.Value(-3.0, label="b")
    out = a * b + a
    nodes, edges = set(), set()

    def build(node):
        if node not in nodes:
            nodes.add(node)
            for child in node._prev:
                edges.add((child, node))
                build(child)

    build(out)
    assert len(nodes) == 4
    assert len(edges) == 4
    assert {node._op for node in nodes} == {"", "×", "+"}


def test_gradients_add_up_over_uses():
    a = gradlab.Value(3.0)
    (a + a).backward()
    assert a.grad == 2.0


def test_the_small_network_learns_its_four_examples():
    random.seed(1)
    net = scalar.MLP(3, [4, 4, 1], activation="tanh")
    xs = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
    ys = [1.0, -1.0, -1.0, 1.0]
    losses = []
    for _ in range(60):
        predictions = [net(x) for x in xs]
        loss = sum((out - y) ** 2 for y, out in zip(ys, predictions, strict=True))
        for p in net.parameters():
            p.grad = 0.0
        loss.backward()
        for p in net.parameters():
            p.data += -0.05 * p.grad
        losses.append(loss.data)
    assert losses[-1] < 0.1 * losses[0]
    assert [out.data > 0 for out in predictions] == [y > 0 for y in ys]


@pytest.mark.parametrize("sizes", [(2, [4, 4, 1]), (3, [5, 2]), (1, [1])])
def test_models_are_those_of_micrograd_for_the_same_seed(sizes):
    outputs = {}
    for name, module, value in (
        ("gradlab", scalar, gradlab.Value),
        ("micrograd", micrograd.nn, micrograd.engine.Value),
    ):
        random.seed(1337)
        model = module.MLP(*sizes)
        x = [value(0.5 * i - 0.7) for i in range(sizes[0])]
        out = model(x)
        loss = sum(one * one for one in out) if isinstance(out, list) else out * out
        loss.backward()
        outputs[name] = [
            loss.data,
            *(p.data for p in model.parameters()),
            *(p.grad for p in model.parameters()),
        ]
        assert repr(model) == repr(module.MLP(*sizes))
    assert outputs["gradlab"] == pytest.approx(outputs["micrograd"], rel=1e-12)


def test_zero_grad_forgets_all_gradients():
    model = scalar.MLP(2, [3, 1])
    model([1.0, 2.0]).backward()
    assert any(p.grad for p in model.parameters())
    model.zero_grad()
    assert not any(p.grad for p in model.parameters())
    assert "grad=–" in repr(model.parameters()[0])
