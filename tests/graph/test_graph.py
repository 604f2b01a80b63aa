"""The frozen graph: plain data that can be compared, verified and recorded again."""

from __future__ import annotations

import dataclasses

import pytest

import gradlab as gl
from gradlab.errors import GraphError


def recorded(x=2.0, w=-3.0):
    x, w = gl.Value(x, label="x"), gl.Value(w, label="w")
    return (x * w + x).tanh()


def test_it_says_how_large_it_is():
    assert repr(gl.Graph.of(recorded())) == "Graph(nodes=5, edges=5)"


def test_graphs_of_the_same_structure_are_equal_whatever_their_numbers():
    assert gl.Graph.of(recorded()) == gl.Graph.of(recorded(5.0, 6.0))
    assert hash(gl.Graph.of(recorded())) == hash(gl.Graph.of(recorded(5.0, 6.0)))
    assert gl.Graph.of(recorded()) != gl.Graph.of(gl.Value(2.0, label="x") * 3)


def test_it_is_recorded_again_with_other_numbers_and_keeps_the_first():
    graph = gl.Graph.of(recorded())
    (out,) = graph.instantiate({"w": 4.0})
    assert float(out) == float(recorded(2.0, 4.0))
    (again,) = graph.instantiate()
    assert float(again) == float(recorded())


def test_it_draws_as_the_node_it_was_made_of():
    assert gl.draw(gl.Graph.of(recorded())).text() == gl.draw(recorded()).text()


def test_it_is_not_moved_by_what_happens_to_the_nodes():
    x = gl.Value(2.0, label="x")
    graph = gl.Graph.of(x * x)
    x.data = 100.0
    assert float(graph.instantiate()[0]) == 4.0


def broken(**changes):
    graph = gl.Graph.of(recorded())
    nodes = list(graph.nodes)
    nodes[2] = dataclasses.replace(nodes[2], **changes)
    return tuple(nodes), graph.outputs


@pytest.mark.parametrize(
    "changes",
    [{"id": "n7"}, {"inputs": ("n0", "n4")}, {"inputs": ("n0",)}, {"inputs": ()}],
    ids=["id", "order", "arity", "leaf"],
)
def test_a_broken_rule_names_its_node(changes):
    with pytest.raises(GraphError, match=r"GL050.*(n2|n7)"):
        gl.Graph(*broken(**changes))


def test_an_output_that_is_no_node_is_refused():
    graph = gl.Graph.of(recorded())
    with pytest.raises(GraphError, match=r"GL050.*n99"):
        gl.Graph(graph.nodes, ("n99",))
