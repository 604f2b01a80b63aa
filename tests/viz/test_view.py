"""View data says what was recorded: every use, every kind, every number, and never 0 for what nobody computed."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import GraphError, OperandError
from gradlab.graph.walk import topological
from gradlab.viz.view import GraphView, NodeView, view

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


def test_not_computed_differs_from_zero() -> None:
    a, zero = gl.Value(3.0, label="a"), gl.Value(0.0, label="zero")
    y = a * zero
    before = by_name(gl.draw(y))
    assert (before["a"].grad, before["a"].grad_state) == (None, "not computed")
    y.backward()
    after = by_name(gl.draw(y))
    assert (after["a"].grad, after["a"].grad_state) == (0.0, "complete")


def test_a_node_that_backward_does_not_reach_stays_not_computed() -> None:
    x, condition = gl.Value(2.0, label="x"), gl.Value(1.0, label="condition")
    y = gl.where(condition, x, 0.0)
    y.backward()
    assert by_name(gl.draw(y))["condition"].grad_state == "not computed"


def test_constants_need_no_gradient() -> None:
    y = gl.Value(2.0, label="x") * 3.0
    y.backward()
    constant = by_name(gl.draw(y))["3"]
    assert (constant.kind, constant.grad_state, constant.grad) == ("constant", "none needed", None)


def test_a_nameless_exponent_stands_in_the_symbol() -> None:
    x = gl.Value(2.0, label="x")
    for exponent, symbol in ((2, "²"), (-1, "⁻¹"), (0.5, "^0.5"), (10, "¹⁰")):
        picture = gl.draw(x**exponent)
        assert len(picture.nodes) == 2
        assert picture.nodes[-1].symbol == symbol


def test_an_exponent_with_a_name_or_another_use_keeps_its_card() -> None:
    x, two = gl.Value(2.0, label="x"), gl.Value(2.0, label="two", kind="constant")
    assert len(gl.draw(x**two).nodes) == 3
    shared = gl.Value(2.0, kind="constant")
    assert len(gl.draw(x**shared + shared).nodes) == 4


def test_gradients_on_request_touch_nothing_and_agree_with_backward(make: Makers) -> None:
    fresh = make["first"](backward=False)
    nodes = list(gl.Graph.of(fresh).nodes)
    shown = gl.draw(fresh, gradients=True)
    assert fresh._grad is None
    assert list(gl.Graph.of(fresh).nodes) == nodes
    assert [n.grad for n in shown.nodes] == [n.grad for n in gl.draw(make["first"]()).nodes]
    hidden = gl.draw(make["first"](), gradients=False)
    assert {n.grad_state for n in hidden.nodes} == {"not computed"}
    assert all(edge.contribution is None for edge in hidden.edges)


def test_drawing_changes_no_node(loss: gl.Value) -> None:
    def state() -> list[tuple[object, ...]]:
        return [(n.data, n._grad, n.label, n.changed, n.inputs) for n in topological(loss)]

    before = state()
    gl.draw(loss).svg()
    gl.draw(loss, gradients=True)
    assert state() == before


def test_two_backward_passes_show_what_the_leaf_holds_and_what_one_pass_adds(loss: gl.Value) -> None:
    loss.backward()
    picture = gl.draw(loss)
    nodes = by_name(picture)
    assert nodes["w"].grad == -72
    assert nodes["error"].grad == -18
    edge = next(e for e in picture.edges if e.source == nodes["w"].id)
    assert edge.contribution == -36


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("w", "parameter"), ("b", "parameter"), ("w1", "parameter"), ("W_12", "parameter"), ("bias", "parameter"),
        ("weights", "parameter"), ("θ", "parameter"), ("theta0", "parameter"), ("w[3]", "parameter"),
        ("x", "input"), ("width", "input"), ("bird", "input"), ("target", "input"), ("wx", "input"),
    ],
)  # fmt: skip
def test_conventional_names_are_parameters(name: str, kind: str) -> None:
    assert gl.draw(gl.Value(1.0, label=name)).nodes[0].kind == kind


def test_what_the_user_said_wins_over_names() -> None:
    picture = by_name(
        gl.draw(gl.Value(1.0, label="x", kind="parameter") * gl.Value(1.0, label="w", kind="constant"))
    )
    assert picture["x"].kind == "parameter"
    assert picture["w"].kind == "constant"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("loss", "loss"),
        ("cost", "loss"),
        ("L", "loss"),
        ("total_loss", "loss"),
        ("mse", "loss"),
        ("o", "output"),
        ("closs", "output"),
    ],
)
def test_the_last_node_is_a_loss_by_name_and_an_output_otherwise(name: str, kind: str) -> None:
    y = gl.Value(1.0, label="x").tanh()
    y.label = name
    assert gl.draw(y).nodes[-1].kind == kind
    assert gl.draw(y, loss=True).nodes[-1].kind == "loss"


def test_nameless_nodes_are_called_by_their_expression_and_long_ones_by_their_id() -> None:
    x, w = gl.Value(1.0, label="input_vector"), gl.Value(1.0, label="weight_vector")
    h = (x * w).tanh()
    picture = gl.draw(h + h * h)
    names = [node.name for node in picture.nodes]
    assert names[2:] == [
        "input_vector·weight_vector",
        "tanh(input_vector·weight_vector)",
        "n4",
        "tanh(input_vector·weight_vector) + n4",
    ]
    assert picture.nodes[4].expression == "tanh(input_vector·weight_vector)·tanh(input_vector·weight_vector)"
    assert picture.nodes[5].expression == "tanh(input_vector·weight_vector) + n4"


def test_given_names_title_and_direction_are_used() -> None:
    x = gl.Value(1.0, label="x")
    h = x * 2.0
    picture = view(h.tanh(), names={h: "hidden", x: "ignored?"}, title="my graph", rankdir="TB")
    assert picture.title == "my graph"
    assert picture.rankdir == "TB"
    assert [n.name for n in picture.nodes] == ["ignored?", "2", "hidden", "tanh(hidden)"]


def test_an_empty_label_is_no_name_and_blanks_are_visible() -> None:
    picture = gl.draw(gl.Value(1.0, label="") + gl.Value(2.0, label="  "))
    assert [n.name for n in picture.nodes[:2]] == ["n0", "␣␣"]


def test_hostile_labels_stay_literal(hostile_label: str) -> None:
    picture = gl.draw(gl.Value(1.0, label=hostile_label).tanh())
    name = picture.nodes[0].name
    assert len(name) >= len(hostile_label)
    visible = [c for c in hostile_label if c.isalnum()]
    assert [c for c in name if c in visible][: len(visible)] or not visible
    assert name in picture.nodes[1].expression
    json.loads(picture.json())


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


def test_a_value_changed_after_use_is_told_instead_of_a_wrong_number(make: Makers) -> None:
    loss = make["first"](backward=False)
    prediction = loss.inputs[0].inputs[0]
    w = prediction.inputs[0].inputs[1]
    w.data = 7.0
    picture = gl.draw(loss, gradients=True)
    assert "'w' was changed after" in picture.notice
    edge = next(e for e in picture.edges if e.symbolic == "w")
    assert edge.local is None
    assert by_name(picture)["x"].grad_state == "not computed"


def test_no_warning_is_given_a_second_time() -> None:
    x = gl.Value(0.0, label="x")
    with pytest.warns(gl.errors.NumericWarning):
        y = (1.0 / x).tanh() * (1.0 / x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y.backward()
    picture = gl.draw(y, gradients=True)  # warnings are errors here
    assert picture.nodes[-1].value == float("inf")


# --- tensors ---


def linear_loss() -> tuple[gl.Tensor, dict[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    arrays = {"X": rng.normal(size=(5, 3)), "W": rng.normal(size=(3, 4)), "b": np.zeros(4)}
    tensors = {name: gl.tensor(a, requires_grad=name != "X", label=name) for name, a in arrays.items()}
    h = (tensors["X"] @ tensors["W"] + tensors["b"]).tanh()
    h.label = "h"
    loss = (h * h).mean()
    loss.label = "loss"
    return loss, arrays


def test_tensors_show_shape_dtype_device_and_statistics() -> None:
    loss, arrays = linear_loss()
    loss.backward()
    nodes = by_name(gl.draw(loss))
    w = nodes["W"]
    assert (w.shape, w.dtype, w.device, w.value, w.kind) == ((3, 4), "float64", "cpu", None, "parameter")
    for key, expected in (("min", np.min), ("max", np.max), ("mean", np.mean), ("std", np.std)):
        assert w.stats[key] == pytest.approx(expected(arrays["W"]))
    assert sum(w.stats["histogram"]["counts"]) == 12
    assert w.stats["sample"] == pytest.approx(arrays["W"].ravel().tolist())
    assert nodes["X"].kind == "input"
    assert nodes["X"].grad_state == "none needed"
    assert (nodes["loss"].shape, nodes["loss"].kind) == ((), "loss")


def test_gradients_between_the_leaves_of_a_tensor_graph_come_from_a_walk() -> None:
    loss, arrays = linear_loss()
    assert by_name(gl.draw(loss))["h"].grad_state == "not computed"
    loss.backward()
    nodes = by_name(gl.draw(loss))
    h = np.tanh(arrays["X"] @ arrays["W"] + arrays["b"])
    assert nodes["h"].grad_state == "complete"
    assert nodes["h"].grad_stats["max"] == pytest.approx((2 * h / h.size).max())
    w = arrays["X"].T @ (2 * h / h.size * (1 - h * h))
    assert nodes["W"].grad_stats["min"] == pytest.approx(w.min())


def test_at_most_64_values_of_a_large_array_travel() -> None:
    x = gl.tensor(np.ones(100_000), requires_grad=True, label="x")
    text = gl.draw(x.sum()).json()
    assert len(text) < 6000
    assert len(json.loads(text)["nodes"][0]["stats"]["sample"]) == 64


@pytest.mark.parametrize(
    "array",
    [np.array([]), np.full(3, np.nan), np.array([1.0, np.inf]), np.array([1e308, -1e308]), np.zeros((2, 0))],
)
def test_odd_arrays_are_drawn_too(array: np.ndarray) -> None:
    x = gl.tensor(array, requires_grad=True, label="x")
    picture = gl.draw(x + x)
    json.loads(picture.json())
    picture.svg()


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
