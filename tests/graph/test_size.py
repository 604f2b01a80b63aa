"""Depth, width and number of graphs do not matter: no recursion, linear cost, nothing left behind."""

from __future__ import annotations

import copy
import gc
import pickle
import tracemalloc
import weakref

import pytest

import gradlab as gl
from gradlab.graph import walk

DEEP = 100_000


def chain(n, x):
    for _ in range(n):
        x = x * 1.0
    return x


@pytest.mark.parametrize(
    "make", [lambda: gl.Value(2.0), lambda: gl.tensor(2.0, requires_grad=True)], ids=["Value", "Tensor"]
)
def test_a_deep_chain_is_built_walked_copied_drawn_and_freed(make):
    x = make()
    out = chain(DEEP if isinstance(x, gl.Value) else DEEP // 10, x)
    out.backward()
    assert float(x.grad) == 1.0
    twin = copy.deepcopy(out)
    assert float(twin) == 2.0
    assert len(walk.topological(twin)) == len(walk.topological(out))
    assert "<svg" in gl.draw(out).svg()
    gone = weakref.ref(out)
    del out, twin
    assert gone() is None


def test_a_deep_value_can_be_pickled():
    assert float(pickle.loads(pickle.dumps(chain(10_000, gl.Value(2.0))))) == 2.0


def test_ten_thousand_doublings_are_not_ten_thousand_paths():
    x = first = gl.Value(1.0)
    for _ in range(10_000):
        x = (x + x) / 2
    x.backward()
    assert first.grad == 1.0


def test_a_wide_sum_hands_one_contribution_to_each_input_with_one_rule_call():
    calls = []
    op = gl.total.op
    rule = op.vjp[0]
    values = [gl.Value(float(i)) for i in range(8_000)]
    out = gl.sum(values)

    def counted(*args):
        calls.append(len(args))
        return rule(*args)

    object.__setattr__(op, "vjp", (counted,))
    try:
        out.backward()
    finally:
        object.__setattr__(op, "vjp", (rule,))
    assert len(calls) == 1  # not one for each input, which would make 8,000² steps of it
    assert {value.grad for value in values} == {1.0}


def test_many_graphs_leave_nothing_behind_without_the_collector():
    def once():
        x, w = gl.Value(2.0), gl.Value(3.0)
        ((x * w).tanh() + w).backward()
        gl.grad(lambda v: v * v)(2.0)
        t = gl.tensor([1.0, 2.0], requires_grad=True)
        (t * t).sum().backward()

    once()
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        for _ in range(300):
            once()
        after = len(gc.get_objects())
    finally:
        gc.enable()
    assert after - before < 30


def test_a_scalar_node_takes_at_most_300_bytes():
    x = gl.Value(1.5)
    n = 10_000
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        nodes = [x]
        for _ in range(n):
            nodes.append(nodes[-1] * x)
        nodes[-1].backward()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert (after - before) / n <= 300
