"""A neuron's sum of products is recorded in one go, and is what the operators would have recorded."""

from __future__ import annotations

import random

import pytest

import gradlab as gl
from gradlab.graph import walk
from gradlab.graph.value import weighted_sum
from gradlab.nn.scalar import MLP, Neuron


def spelled_out(weights, xs, bias):
    return gl.total(bias, *[w * x for w, x in zip(weights, xs, strict=True)])


def told(root):
    """Everything that a picture or a walk could see of a graph, by place instead of by identity."""
    order = walk.topological(root)
    place = {node: i for i, node in enumerate(order)}
    return [(n.op, n.primal, n.scope, n.label, tuple(place[one] for one in n.inputs)) for n in order]


@pytest.mark.parametrize("n", [0, 1, 2, 16])
def test_it_records_the_nodes_that_the_operators_record(n):
    rng = random.Random(n)
    numbers = [rng.uniform(-1, 1) for _ in range(2 * n + 1)]

    def run(build):
        nodes = [gl.Value(x, label=f"v{i}") for i, x in enumerate(numbers)]
        with gl.scope("neuron"):
            root = build(nodes[:n], nodes[n : 2 * n], nodes[-1])
        told_before = told(root)
        root.backward()
        return told_before, [node.grad for node in nodes]

    assert run(weighted_sum) == run(spelled_out)


def test_numbers_among_the_inputs_become_constants():
    neuron = Neuron(2, nonlin=False, rng=random.Random(0))
    w1, w2 = (w.data for w in neuron.w)
    out = neuron([2.0, gl.Value(3.0)])
    out.backward()
    assert out.data == pytest.approx(w1 * 2.0 + w2 * 3.0, rel=1e-15)
    assert [w.grad for w in neuron.w] == [2.0, 3.0]


def test_a_weight_replaced_by_a_number_still_works():
    neuron = Neuron(2, nonlin=False)
    neuron.w = [0.5, gl.Value(2.0)]
    assert neuron([4.0, 1.0]).data == 4.0


def test_nothing_is_recorded_under_no_grad():
    with gl.no_grad():
        out = MLP(2, [3, 1])([1.0, 2.0])
    assert out.is_leaf


@pytest.mark.parametrize(("x", "slope"), [(-1.0, 0.0), (0.0, 0.0), (1.0, 1.0), (float("inf"), 1.0)])
def test_relu_has_its_conventional_slope_everywhere(x, slope):
    leaf = gl.Value(x)
    leaf.relu().backward()
    assert leaf.grad == slope


def test_the_slope_of_relu_at_nan_is_nan():
    leaf = gl.Value(float("nan"))
    leaf.relu().backward()
    assert leaf.grad != leaf.grad
