"""Recording is on, off and on again, by block and by decorator, in each thread for itself."""

from __future__ import annotations

import threading

import pytest

import gradlab as gl
from gradlab.errors import GraphError
from gradlab.graph.recording import is_recording, state


def recorded() -> bool:
    return not (gl.Value(1.0) * 2).is_leaf and (gl.tensor([1.0], requires_grad=True) * 2).requires_grad


def test_blocks_nest_and_give_back_what_was_before():
    with gl.no_grad():
        assert not recorded()
        with gl.enable_grad():
            assert recorded()
            with gl.no_grad():
                assert not recorded()
            assert recorded()
        assert not recorded()
    assert recorded()
    with gl.enable_grad():
        assert recorded()


@pytest.mark.parametrize("how", [gl.no_grad, gl.no_grad()], ids=["bare", "called"])
def test_no_grad_decorates_with_and_without_parentheses(how):
    @how
    def predict(depth):
        """Says something."""
        return recorded() if depth == 0 else predict(depth - 1)

    assert (predict.__name__, predict.__doc__) == ("predict", "Says something.")
    assert predict(2) is False
    assert recorded()


def test_enable_grad_decorates_too():
    @gl.enable_grad
    def f():
        return recorded()

    with gl.no_grad():
        assert f() is True
        assert not recorded()


@pytest.mark.parametrize("block", [gl.no_grad, gl.enable_grad, lambda: gl.scope("layer")])
@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, GeneratorExit])
def test_a_block_that_fails_ends_like_any_other(block, error):
    with pytest.raises(error), block():
        raise error
    assert is_recording()
    assert state.scope == state.suspended == ()


def test_one_scope_may_be_entered_again_inside_itself():
    again = gl.scope("loop")
    with again:
        with again:
            inner = gl.Value(1.0) * 2
        outer = gl.Value(1.0) * 2
    assert (inner.scope, outer.scope, state.scope) == (("loop", "loop"), ("loop",), ())


def test_each_thread_has_its_own_state():
    seen = {}
    inside, done = threading.Event(), threading.Event()

    def other():
        inside.wait(10)
        seen["recorded"], seen["scope"] = recorded(), (gl.Value(1.0) * 2).scope
        with gl.no_grad(), gl.scope("elsewhere"):
            done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with gl.scope("here"), gl.no_grad():
        inside.set()
        done.wait(10)
        thread.join(10)
        assert not recorded()
    assert seen == {"recorded": True, "scope": ()}
    assert state.scope == ()


def test_threads_train_models_of_their_own_at_the_same_time():
    found = {}

    def train(k):
        w = gl.Value(float(k))
        for _ in range(200):
            w.grad = None
            ((w * k - 1.0) ** 2).backward()
            w.data -= 0.3 / k**2 * w.grad
        found[k] = w.data

    threads = [threading.Thread(target=train, args=(k,)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == pytest.approx({k: 1 / k for k in range(1, 5)}, rel=1e-9)


def test_backward_of_what_was_not_recorded_says_why():
    with gl.no_grad():
        value, tensor = gl.Value(1.0) * 2, gl.tensor([1.0], requires_grad=True) * 2
    for node in (value, tensor, gl.Value(1.0, kind="constant"), gl.tensor([1.0]), gl.tensor([1])):
        with pytest.raises(GraphError, match=r"GL031.*no_grad\(\).*\.$"):
            node.backward()


def test_backward_itself_may_run_under_no_grad():
    x, w = gl.Value(3.0), gl.tensor([3.0], requires_grad=True)
    y, z = x * x, (w * w).sum()
    with gl.no_grad():
        y.backward()
        z.backward()
    assert (x.grad, w.grad.item()) == (6.0, 6.0)


def test_no_gradient_is_recorded_on_its_own():
    w = gl.tensor([3.0], requires_grad=True)
    (w * w).sum().backward()
    assert w.grad.is_leaf
    assert not w.grad.requires_grad
