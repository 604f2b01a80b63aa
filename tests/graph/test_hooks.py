"""Hooks: told of complete gradients, in order, once a pass, and able to replace them. Also retain_grad, create_graph, inputs=."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import GraphError


def leaf(*numbers: float) -> gl.Tensor:
    return gl.tensor(np.array(numbers), requires_grad=True)


@pytest.mark.parametrize("create_graph", [False, True])
def test_hooks_see_the_complete_gradient_once_in_order_and_may_replace_it(create_graph):
    w = leaf(1.0, 2.0)
    h = w * 3.0
    seen = []
    h.register_hook(lambda g: seen.append(("first", g.tolist())))
    h.register_hook(lambda g: g * 10.0)
    h.register_hook(lambda g: seen.append(("third", g.tolist())))
    w.register_hook(lambda g: seen.append(("leaf", g.tolist())))
    (h * h + h).sum().backward(create_graph=create_graph)
    complete = [2 * 3.0 + 1, 2 * 6.0 + 1]
    tenfold = [10 * one for one in complete]
    assert seen == [("first", complete), ("third", tenfold), ("leaf", [3 * one for one in tenfold])]
    assert w.grad.tolist() == [3 * one for one in tenfold]


def test_a_removed_hook_is_not_called_and_a_handle_is_a_context():
    w = leaf(1.0)
    calls = []
    handle = w.register_hook(lambda g: calls.append(1))
    handle.remove()
    handle.remove()
    with w.register_hook(lambda g: calls.append(2)):
        (w * w).sum().backward()
    (w * w).sum().backward()
    assert calls == [2]


def test_hooks_of_grad_and_of_backward_agree():
    w = leaf(2.0)
    h = w * w
    h.register_hook(lambda g: g * 0.0)
    from gradlab.graph import walk

    found = walk.cotangents(h.sum())
    assert float(found[w][0]) == 0.0


def test_a_hook_registered_before_a_change_in_place_hears_of_the_old_version():
    w = leaf(1.0, 2.0)
    x = w * 1.0
    heard = []
    x.register_hook(lambda g: heard.append(g.tolist()))
    x *= 5.0
    x.sum().backward()
    assert heard == [[5.0, 5.0]]


def test_after_accumulation_the_leaf_is_handed_on():
    w = leaf(1.0, 2.0)
    seen = []
    w.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.tolist()))
    (w * w).sum().backward()
    (w * w).sum().backward()
    assert seen == [[2.0, 4.0], [4.0, 8.0]]
    with pytest.raises(GraphError, match="GL031"):
        (w * 2).register_post_accumulate_grad_hook(print)


def test_a_hook_where_no_gradient_comes_or_of_a_wrong_shape_is_an_error():
    with pytest.raises(GraphError, match=r"GL031.*requires no gradient"):
        gl.tensor([1.0]).register_hook(print)
    with pytest.raises(GraphError, match="GL037"):
        leaf(1.0).register_hook(3)
    w = leaf(1.0, 2.0)
    w.register_hook(lambda g: g.sum())
    with pytest.raises(GraphError, match=r"GL037.*\(2,\)"):
        (w * w).sum().backward()
    assert w.grad is None


def test_only_the_named_inputs_get_a_gradient():
    a, b = leaf(1.0), leaf(2.0)
    (a * b).sum().backward(inputs=[a])
    assert a.grad.tolist() == [2.0]
    assert b.grad is None


def test_retained_gradients_and_second_derivatives():
    w = leaf(2.0)
    h = w**3
    h.retain_grad()
    assert h.retains_grad
    (h * h).sum().backward(create_graph=True, retain_graph=True)
    assert h.grad.tolist() == [16.0]
    assert w.grad.tolist() == [2 * 8.0 * 12.0]
    second = gl.tensor(w.grad.tolist())
    assert not second.requires_grad
    assert w.grad.requires_grad
    with pytest.raises(GraphError, match="GL031"):
        gl.tensor([1.0]).retain_grad()


def test_gradients_do_not_share_memory_with_each_other_or_with_the_seed():
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    seed = np.ones(2)
    (a + b).backward(gl.tensor(seed))
    a.grad.zero_()
    seed[:] = 7.0
    assert b.grad.tolist() == [1.0, 1.0]


def test_copies_take_neither_hooks_nor_shared_memory():
    w = leaf(1.0, 2.0)
    w.register_hook(lambda g: g * 100.0)
    for twin in (copy.copy(w), copy.deepcopy(w), pickle.loads(pickle.dumps(w))):
        (twin * twin).sum().backward()
        assert twin.grad.tolist() == [2.0, 4.0]
        with gl.no_grad():
            twin.zero_()
    assert w.tolist() == [1.0, 2.0]


def test_the_short_walk_gives_what_the_general_walk_gives():
    from gradlab.graph import walk

    rng = np.random.default_rng(0)
    steps = (lambda x, y: x * y, lambda x, y: x + y, lambda x, y: gl.tanh(x), lambda x, y: x - y * y)
    for _ in range(30):
        leaves = [
            gl.tensor(rng.normal(size=shape), requires_grad=True) for shape in ((3, 2), (2,), (3, 1), ())
        ]
        pool = list(leaves)
        for _ in range(12):
            x, y = (pool[i] for i in rng.integers(0, len(pool), 2))
            pool.append(steps[rng.integers(0, len(steps))](x, y))
        loss = gl.total(*[one.sum() for one in pool])
        want = walk.cotangents(loss)
        loss.backward()
        for one in leaves:
            np.testing.assert_allclose(one.grad.numpy(), want[one], rtol=1e-12)


def test_dlpack_goes_out_and_refuses_what_needs_a_gradient():
    x = gl.tensor([1.0, 2.0])
    assert np.from_dlpack(x).tolist() == [1.0, 2.0]
    with pytest.raises(GraphError, match="GL035"):
        np.from_dlpack(leaf(1.0))
