"""What nodes are called, what kind they are, and which constants are drawn as part of a symbol."""

from __future__ import annotations

import json

import pytest

import gradlab as gl
from gradlab.viz.view import GraphView, NodeView, view


def by_name(picture: GraphView) -> dict[str, NodeView]:
    return {node.name: node for node in picture.nodes}


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


def test_a_tensor_that_asks_for_no_gradient_is_no_parameter_whatever_its_name() -> None:
    w = gl.tensor([1.0, 2.0], label="w")
    v = gl.tensor([1.0, 2.0], label="x", requires_grad=True)
    kinds = {node.name: node.kind for node in gl.draw((v * w).sum()).nodes}
    assert (kinds["w"], kinds["x"]) == ("input", "parameter")
