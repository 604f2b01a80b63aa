"""The scalar walk agrees with the general one, and leaves no trace when it refuses."""

from __future__ import annotations

import random
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import gradlab as gl
from gradlab.errors import GraphError
from gradlab.graph import walk

UNARY = ("tanh", "sigmoid", "relu", "sin", "softplus", "abs")


def a_random_graph(seed: int, ops: int = 60) -> gl.Value:
    rng = random.Random(seed)
    nodes = [gl.Value(rng.uniform(-1, 1), label=f"x{i}") for i in range(4)]
    for _ in range(ops):
        x, y, z = (rng.choice(nodes[-12:]) for _ in range(3))
        makers = (
            lambda x=x: getattr(x, rng.choice(UNARY))(),
            lambda x=x, y=y: x * y,
            lambda x=x, y=y: x - y * 0.5,
            lambda x=x, y=y, z=z: gl.total(x, y, z, x),
            lambda x=x, y=y, z=z: gl.where(x > 0, y, z),
            lambda x=x, y=y: x.maximum(y),
        )
        nodes.append(rng.choice(makers)())
    return gl.total(*nodes[-3:])


@pytest.mark.parametrize("seed", range(12))
def test_every_gradient_is_that_of_the_general_walk(seed):
    loss = a_random_graph(seed)
    expected = walk.cotangents(loss)
    loss.backward()
    for node in walk.topological(loss):
        assert node._grad == expected.get(node), node


def test_leaves_add_and_nodes_in_between_hold_the_last_call():
    x = gl.Value(0.3)
    hidden = x.tanh()
    loss = hidden * x * x
    loss.backward()
    once, between = x.grad, hidden.grad
    loss.backward()
    assert (x.grad, hidden.grad) == (2 * once, between)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_a_sum_of_any_number_hands_its_gradient_to_each(n):
    xs = [gl.Value(float(i)) for i in range(n)]
    gl.total(*xs).backward()
    assert [x.grad for x in xs] == [1.0] * n


def test_what_only_a_condition_looks_at_is_not_computed():
    x, y, s = gl.Value(1.0), gl.Value(2.0), gl.Value(3.0)
    condition = s * 2.0
    gl.where(condition, x, y).backward()
    assert (x._grad, y._grad, condition._grad, s._grad) == (1.0, 0.0, None, None)


def test_a_constant_never_gets_a_gradient():
    x, c = gl.Value(2.0), gl.Value(3.0, kind="constant")
    (x * c + c).backward()
    assert (x._grad, c._grad) == (3.0, None)


def test_a_leaf_alone_is_its_own_gradient():
    x = gl.Value(2.0)
    x.backward()
    x.backward()
    assert x.grad == 2.0


def test_after_a_refusal_leaves_have_the_gradients_they_had():
    x, w = gl.Value(2.0), gl.Value(5.0)
    (w * w).backward()
    y = x * w
    loss = y * y
    w.data = 6.0
    with pytest.raises(GraphError, match="GL032"):
        loss.backward()
    assert (x._grad, w._grad, y._grad) == (None, 10.0, None)
    again = x * w
    again.backward()
    assert (x.grad, w.grad) == (6.0, 12.0)


def test_after_a_warning_that_stops_it_leaves_have_the_gradients_they_had():
    x, w = gl.Value(0.0), gl.Value(1.0)
    (w * 4.0).backward()
    with pytest.warns(gl.errors.NumericWarning):
        loss = x.log() * w
    with pytest.raises(gl.errors.NumericWarning):  # 1 / 0 in the rule of log; warnings are errors here
        loss.backward()
    assert (x._grad, w._grad) == (None, 4.0)


def test_a_cycle_tied_by_hand_is_refused():
    x = gl.Value(1.0)
    y = x * 2.0
    z = y + 1.0
    y._x = z
    with pytest.raises(GraphError, match="GL033"):
        z.backward()


def test_threads_whose_graphs_share_a_leaf_add_up_all_they_find():
    shared = gl.Value(1.0)
    graphs = [gl.total(*[shared * float(i) for i in range(200)]) for _ in range(80)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that threads interrupt each other in the middle of a walk
    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda graph: graph.backward(), graphs))
    finally:
        sys.setswitchinterval(before)
    assert shared.grad == 80 * sum(range(200))
