"""Numbers on cards are true: what was computed, what was not, what several passes added, and what arrays hold."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import gradlab as gl
from gradlab.graph.walk import topological
from gradlab.viz.view import GraphView, NodeView

Makers = dict[str, Callable[..., gl.Value]]


def by_name(picture: GraphView) -> dict[str, NodeView]:
    return {node.name: node for node in picture.nodes}


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
