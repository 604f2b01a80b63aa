"""Scopes nest, name what is recorded inside, and go back to what was before."""

from __future__ import annotations

import pytest

import gradlab as gl
from gradlab.graph.recording import state


def test_scopes_nest_and_end_where_they_began():
    with gl.scope("layer1"):
        with gl.scope("neuron2"):
            inner = gl.Value(1.0) * 2
        outer = inner + 1
    after = outer + 1
    assert (inner.scope, outer.scope, after.scope) == (("layer1", "neuron2"), ("layer1",), ())


def test_a_scope_ends_when_its_block_fails():
    with pytest.raises(KeyError), gl.scope("layer1"):
        raise KeyError
    assert state.scope == ()


def test_a_decorated_function_may_call_itself():
    @gl.scope("block")
    def block(x, depth):
        return block(x * 2, depth - 1) if depth else x * 3

    assert block(gl.Value(1.0), 2).scope == ("block",) * 3
    assert state.scope == ()


def test_a_scope_opened_while_nothing_is_recorded_names_what_is_recorded_inside():
    with gl.no_grad(), gl.scope("layer1"):
        silent = gl.Value(1.0) * 2
        with gl.enable_grad():
            heard = gl.Value(1.0) * 2
    assert silent.is_leaf
    assert heard.scope == ("layer1",)
    assert state.scope == ()
