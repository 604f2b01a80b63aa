"""View data says what was recorded: every use, every kind, every number, and never 0 for what nobody computed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields

import pytest

import gradlab as gl
from gradlab.errors import GraphError, OperandError
from gradlab.viz.view import GraphView, NodeView

Makers = dict[str, Callable[..., gl.Value]]


def by_name(picture: GraphView) -> dict[str, NodeView]:
    return {node.name: node for node in picture.nodes}


def test_the_first_example_has_eight_cards_and_seven_edges(loss: gl.Value) -> None:
    picture = gl.draw(loss)
    assert repr(picture) == "GraphView(nodes=8, edges=7)"
    assert picture.title == "loss = (x·w + b − target)²"
    assert picture.rankdir == "LR"
    assert [node.id for node in picture.nodes] == [f"n{i}" for i in range(8)]
    assert [node.name for node in picture.nodes] == [
        "x",
        "w",
        "b",
        "target",
        "x·w",
        "prediction",
        "error",
        "loss",
    ]
    assert {node.name: node.kind for node in picture.nodes} == {
        "x": "input",
        "w": "parameter",
        "b": "parameter",
        "target": "input",
        "x·w": "operation",
        "prediction": "operation",
        "error": "operation",
        "loss": "loss",
    }


def test_values_and_gradients_are_those_found_by_hand(loss: gl.Value) -> None:
    nodes = by_name(gl.draw(loss))
    expected = {
        "x": (2, 54),
        "w": (-3, -36),
        "b": (1, -18),
        "target": (4, 18),
        "x·w": (-6, -18),
        "prediction": (-5, -18),
        "error": (-9, -18),
        "loss": (81, 1),
    }
    assert {name: (node.value, node.grad) for name, node in nodes.items()} == expected
    assert {node.grad_state for node in nodes.values()} == {"complete"}


def test_each_edge_has_its_local_derivative_and_its_contribution(loss: gl.Value) -> None:
    picture = gl.draw(loss)
    names = {node.id: node.name for node in picture.nodes}
    found = {
        (names[e.source], names[e.target]): (e.slot, e.local, e.contribution, e.symbolic)
        for e in picture.edges
    }
    assert found == {
        ("x", "x·w"): (0, -3, 54, "w"),
        ("w", "x·w"): (1, 2, -36, "x"),
        ("x·w", "prediction"): (0, 1, -18, "1"),
        ("b", "prediction"): (1, 1, -18, "1"),
        ("prediction", "error"): (0, 1, -18, "1"),
        ("target", "error"): (1, -1, 18, "−1"),
        ("error", "loss"): (0, -18, -18, "2·error"),
    }


def test_contributions_to_a_node_add_up_to_its_gradient(any_graph: gl.Value) -> None:
    any_graph.backward()
    picture = gl.draw(any_graph, fold=False, gradients=True)
    for node in picture.nodes:
        handed = [edge.contribution for edge in picture.out_of.get(node.id, ())]
        if handed and node.grad is not None:
            assert sum(handed) == pytest.approx(node.grad, rel=1e-12, abs=1e-12)


def test_a_node_used_twice_gives_two_edges_in_argument_order(make: Makers) -> None:
    picture = gl.draw(make["square"]())
    assert repr(picture) == "GraphView(nodes=2, edges=2)"
    assert [(e.source, e.target, e.slot, e.local, e.contribution) for e in picture.edges] == [
        ("n0", "n1", 0, 3.0, 3.0),
        ("n0", "n1", 1, 3.0, 3.0),
    ]
    assert picture.nodes[1].inputs == ("n0", "n0")
    assert picture.nodes[0].uses == 2


def test_argument_order_is_kept() -> None:
    a, b = gl.Value(8.0, label="a"), gl.Value(2.0, label="b")
    picture = gl.draw(b / a)
    names = {node.id: node.name for node in picture.nodes}
    assert [names[one] for one in picture.nodes[-1].inputs] == ["b", "a"]
    assert picture.nodes[-1].expression == "b / a"


# --- other things that can be drawn ---


def test_a_leaf_alone_a_list_and_a_frozen_graph_can_be_drawn(loss: gl.Value) -> None:
    assert repr(gl.draw(gl.Value(2.0, label="x"))) == "GraphView(nodes=1, edges=0)"
    x = gl.Value(1.0, label="x")
    several = gl.draw([x.tanh(), x.exp()])
    assert [n.kind for n in several.nodes] == ["input", "output", "output"]
    frozen = gl.draw(gl.Graph.of(loss))
    assert [n.name for n in frozen.nodes] == [n.name for n in gl.draw(loss).nodes]
    assert {n.grad_state for n in frozen.nodes} == {"not computed"}
    with gl.no_grad():
        assert repr(gl.draw(gl.Graph.of(loss))) == "GraphView(nodes=8, edges=7)"


@pytest.mark.parametrize(
    "thing", [None, 3.0, "loss", [], [1.0], object(), len, {"a": 1}], ids=lambda thing: type(thing).__name__
)
def test_anything_else_gets_a_clear_error(thing: object) -> None:
    with pytest.raises(OperandError, match="GL060") as caught:
        gl.draw(thing)
    assert "Value" in str(caught.value)


def test_a_model_is_told_to_be_called_first() -> None:
    with pytest.raises(OperandError, match="Call it on an input first"):
        gl.draw(gl.nn.scalar.Neuron(2))


def test_a_cycle_made_by_hand_gives_a_clear_error_and_no_hang() -> None:
    x = gl.Value(1.0, label="x")
    y = x.tanh()
    z = y + x
    y._x = z
    with pytest.raises(GraphError, match="GL033"):
        gl.draw(z)


def test_a_view_with_a_cycle_made_by_hand_gives_a_clear_error() -> None:
    from gradlab.viz.view import EdgeView

    nodes = (NodeView("n0", "a", "operation"), NodeView("n1", "b", "operation"))
    picture = GraphView("cycle", nodes, (EdgeView("e0", "n0", "n1"), EdgeView("e1", "n1", "n0")))
    with pytest.raises(GraphError, match="GL033"):
        picture.svg()
    lost = GraphView("lost", nodes, (EdgeView("e0", "n0", "n7"),))
    with pytest.raises(GraphError, match="GL033"):
        lost.svg()


# --- plain data ---


def test_view_data_is_frozen_and_equal_for_equal_graphs(make: Makers) -> None:
    one, other = gl.draw(make["first"]()), gl.draw(make["first"]())
    assert one == other
    assert one != gl.draw(make["first"](backward=False))
    with pytest.raises(FrozenInstanceError):
        one.title = "x"
    with pytest.raises(FrozenInstanceError):
        one.nodes[0].name = "x"


def test_view_data_does_not_keep_the_graph_alive(make: Makers) -> None:
    import gc
    import weakref

    loss = make["first"]()
    alive = weakref.ref(loss)
    picture = gl.draw(loss)
    picture.svg()
    gc.disable()
    try:
        del loss
        assert alive() is None
    finally:
        gc.enable()


def test_json_holds_every_field_and_numbers_json_does_not_know() -> None:
    x = gl.Value(float("inf"), label="x")
    data = json.loads(gl.draw(x - x).json())
    assert set(data["nodes"][0]) == {one.name for one in fields(NodeView)}
    assert data["nodes"][0]["value"] == "inf"
    assert data["nodes"][1]["value"] == "nan"


def test_drawing_scalars_loads_no_numpy_and_no_widgets() -> None:
    import subprocess
    import sys

    code = (
        "import sys, gradlab as gl\n"
        "x = gl.Value(2.0, label='x'); y = x * x; y.backward()\n"
        "p = gl.draw(y); p.svg(); p.text(); p.dot(); p.json()\n"
        "print([m for m in ('numpy', 'matplotlib', 'ipywidgets', 'anywidget', 'IPython') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
