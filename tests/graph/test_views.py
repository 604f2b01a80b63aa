"""Views share memory with their base; a change of one is seen in all, and gradients stay right or backward() refuses."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import GradlabError, GraphError, ShapeError
from gradlab.graph import walk


def leaf(*shape: int) -> gl.Tensor:
    return gl.tensor(np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape), requires_grad=True, label="w")


VIEWS = {
    "row": (lambda x: x[0], [10.0, 20.0]),
    "element": (lambda x: x[0, 1], 20.0),
    "slice": (lambda x: x[:, 1:], [[20.0], [40.0]]),
    "reshape": (lambda x: x.reshape(4), [10.0, 20.0, 30.0, 40.0]),
    "transpose": (lambda x: x.T, [[10.0, 30.0], [20.0, 40.0]]),
    "view of a view": (lambda x: x.T[1].reshape(1, 2), [[20.0, 40.0]]),
    "unbind": (lambda x: gl.unbind(x)[1], [30.0, 40.0]),
    "narrow": (lambda x: gl.narrow(x, 0, 1, 1), [[30.0, 40.0]]),
    "diagonal": (lambda x: gl.unsqueeze(x, 0)[0], [[10.0, 20.0], [30.0, 40.0]]),
    "detached": (lambda x: x.detach(), [[10.0, 20.0], [30.0, 40.0]]),
}


@pytest.mark.parametrize(("make", "after"), VIEWS.values(), ids=VIEWS)
def test_a_change_of_the_base_is_seen_in_its_views(make, after):
    for requires_grad in (False, True):
        x = leaf(2, 2) * 1.0 if requires_grad else leaf(2, 2).detach().clone()
        view = make(x)
        x *= 10.0
        assert view.tolist() == after


@pytest.mark.parametrize(("make", "after"), VIEWS.values(), ids=VIEWS)
def test_a_change_of_a_view_is_seen_in_the_base(make, after):
    x = leaf(2, 2).detach().clone()
    make(x).fill_(0.0)
    assert (x.numpy() == 0).sum() == np.size(after)


def test_chained_indices_write_into_the_tensor():
    x = gl.tensor(np.zeros((2, 2)))
    x[0][1] = 5.0
    assert x.tolist() == [[0.0, 5.0], [0.0, 0.0]]


def test_writing_through_a_view_of_a_view_carries_gradients_both_ways():
    w, v = leaf(2, 3), gl.tensor(2.0, dtype="float64", requires_grad=True)
    x = w * 1.0
    x.T[1][0] = v * 3.0  # x[0, 1]
    (x * x).sum().backward()
    kept = 2 * w.detach().numpy()
    kept[0, 1] = 0.0
    assert np.array_equal(w.grad.numpy(), kept)
    assert v.grad.item() == 2 * 6.0 * 3.0


def test_a_view_taken_before_the_change_has_the_gradient_of_what_it_shows():
    w = leaf(2, 2)
    x = w * 1.0
    row = x[0]
    x *= 3.0
    (row * row).sum().backward()
    assert w.grad.tolist() == [[2 * 9 * 1.0, 2 * 9 * 2.0], [0.0, 0.0]]


def test_what_was_used_before_the_change_keeps_its_gradient():
    w = leaf(2)
    x = w * 1.0
    before = (x * x).sum()
    x *= 5.0
    (before + x.sum()).backward()
    assert w.grad.tolist() == [2 * 1.0 + 5.0, 2 * 2.0 + 5.0]


@pytest.mark.parametrize(
    "change", [lambda v: v.zero_(), lambda v: v.__setitem__(0, 1.0), lambda v: v.copy_([3.0, 4.0])]
)
def test_a_saved_value_overwritten_through_a_view_is_an_error_not_a_wrong_number(change):
    w = leaf(2, 2)
    x = w * 1.0
    loss = (x * x).sum()
    change(x[0])
    with pytest.raises(GraphError, match="GL032"):
        loss.backward()
    with pytest.raises(GraphError, match="GL032"):
        loss.backward(create_graph=True)


def test_a_leaf_that_requires_a_gradient_may_not_change_through_a_view_either():
    w = leaf(2, 2)
    for change in (
        lambda: w[0].zero_(),
        lambda: w.T.fill_(1.0),
        lambda: w.reshape(4).__setitem__(0, 1.0),
        lambda: w[0].add_(1.0),
    ):
        with pytest.raises(GraphError, match=r"GL034.*'w'.*through a view"):
            change()
    with gl.no_grad():
        w[0].zero_()
    w.data[1] = 7.0
    w.detach().add_(1.0)
    assert w.tolist() == [[1.0, 1.0], [8.0, 8.0]]
    assert w.is_leaf


def test_numbers_that_elements_share_cannot_be_written():
    wide = gl.broadcast_to(gl.tensor([1.0, 2.0]), (3, 2))
    with pytest.raises(GraphError, match=r"GL038.*clone"):
        wide[0, 0] = 5.0
    wide.clone()[0, 0] = 5.0


def test_a_change_keeps_shape_and_type():
    x = gl.tensor([1.0, 2.0])
    with pytest.raises(ShapeError, match="GL020"):
        x += gl.tensor([[1.0], [2.0]])
    whole = gl.tensor([1, 2])
    with pytest.raises(GradlabError, match="GL012"):
        whole += 0.5
    assert x.tolist() == [1.0, 2.0]
    assert whole.tolist() == [1, 2]


def test_a_recurrent_loop_that_fills_a_tensor_has_the_gradient_of_the_recurrence():
    def states_of(w, read):
        states = gl.tensor(np.zeros(6))
        states[0] = 1.0
        for i in range(1, 6):
            states[i] = read(states[i - 1]) * w
        return states.sum()  # 1 + w + w² + … + w⁵

    w = gl.tensor(0.5, dtype="float64", requires_grad=True)
    states_of(w, lambda one: one.clone()).backward()
    assert w.grad.item() == pytest.approx(sum(k * 0.5 ** (k - 1) for k in range(1, 6)), rel=1e-14)
    with pytest.raises(
        GraphError, match=r"GL032.*\.clone\(\)"
    ):  # as in PyTorch: one clock for all of the memory
        states_of(w, lambda one: one).backward()


def test_second_derivatives_see_the_change():
    w = gl.tensor(3.0, dtype="float64", requires_grad=True)
    x = w * 1.0
    x *= w  # w²
    x *= w  # w³
    x.backward(create_graph=True)
    first = w.grad
    assert first.item() == 27.0
    w.grad = None
    first.backward()
    assert w.grad.item() == 18.0


def test_old_versions_are_freed_with_the_graph():
    w = leaf(3)
    x = w * 1.0
    for _ in range(10):
        x *= 2.0
    seen = weakref.ref(x)
    gc.disable()
    try:
        del x
        assert seen() is None
    finally:
        gc.enable()


def test_a_picture_and_a_replay_of_a_changed_graph_show_every_version():
    w = leaf(2)
    x = w * 2.0
    x += 1.0
    loss = (x * x).sum()
    assert [node.op.name for node in walk.topological(loss) if not node.is_leaf] == [
        "multiply",
        "add",
        "multiply",
        "sum",
    ]
    again, _ = walk.replay(loss, {w: np.array([0.0, 1.0])})
    assert again.item() == 1.0 + 9.0
