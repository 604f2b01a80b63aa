"""Values that change: after use they are noticed, updates are allowed where nothing is recorded, and everything else is refused."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import DataError, DTypeError, GraphError, IndexingError, OperandError, ShapeError


def parameter(*numbers: float) -> gl.Tensor:
    return gl.tensor(list(numbers), requires_grad=True, label="w")


# --- Value ---


def test_a_value_changed_after_use_is_refused_by_name():
    x = gl.Value(2.0, label="x")
    y = x * x
    x.data = 5.0
    with pytest.raises(GraphError, match=r"GL032.*'x' was changed after multiply had used it.*\.$"):
        y.backward()
    assert x.grad == 0.0
    (x * x).backward()
    assert x.grad == 10.0


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x + 3.0,
        lambda x: x - 3.0,
        lambda x: -x,
        lambda x: x.exp(),
        lambda x: gl.total(x, x, x),
        lambda x: x.tanh(),
    ],
)
def test_a_change_is_harmless_where_no_rule_reads_the_input(f):
    x = gl.Value(2.0)
    y = f(x)
    expected = gl.grad(f)(2.0)
    x.data = 5.0
    y.backward()
    assert x.grad == float(expected)


def test_a_changed_result_is_refused_where_the_rule_reads_it():
    x = gl.Value(2.0)
    y = x.exp()
    z = y + 1.0
    y.data = 0.0
    with pytest.raises(GraphError, match="GL032"):
        z.backward()


def test_a_change_elsewhere_is_no_hindrance():
    x, other = gl.Value(2.0), gl.Value(1.0)
    y = x * x
    other.data = 7.0
    y.backward()
    assert x.grad == 4.0


def test_changing_before_use_is_training():
    x = gl.Value(2.0)
    for _ in range(3):
        x.grad = 0.0
        y = x * x
        y.backward()
        x.data -= 0.25 * x.grad
    assert x.data == 0.25


def test_plus_equals_makes_a_new_value():
    x = alias = gl.Value(1.0)
    x += 1
    assert (x.data, alias.data, x is alias) == (2.0, 1.0, False)
    x *= x
    x.backward()
    assert alias.grad == 4.0


# --- Tensor ---

IN_PLACE = [
    ("w += 1", lambda w: w.__iadd__(1.0), [2.0, 3.0]),
    ("w -= 1", lambda w: w.__isub__(1.0), [0.0, 1.0]),
    ("w *= 2", lambda w: w.__imul__(2.0), [2.0, 4.0]),
    ("w /= 2", lambda w: w.__itruediv__(2.0), [0.5, 1.0]),
    ("w **= 2", lambda w: w.__ipow__(2), [1.0, 4.0]),
    ("w[0] = 9", lambda w: w.__setitem__(0, 9.0), [9.0, 2.0]),
    ("w[:] = [3, 4]", lambda w: w.__setitem__(slice(None), [3.0, 4.0]), [3.0, 4.0]),
    ("w[w > 1] = 0", lambda w: w.__setitem__(w > 1, 0), [1.0, 0.0]),
    ("w.zero_()", lambda w: w.zero_(), [0.0, 0.0]),
    ("w.fill_(5)", lambda w: w.fill_(5), [5.0, 5.0]),
    ("w.copy_([7, 8])", lambda w: w.copy_([7.0, 8.0]), [7.0, 8.0]),
]
WAYS = pytest.mark.parametrize(
    ("change", "after"), [row[1:] for row in IN_PLACE], ids=[row[0] for row in IN_PLACE]
)


@WAYS
def test_a_parameter_is_not_changed_in_place_while_recording(change, after):
    w = parameter(1.0, 2.0)
    with pytest.raises(GraphError, match=r"GL034.*'w'.*`with no_grad\(\):`") as caught:
        change(w)
    assert str(caught.value).endswith(".")
    assert w.tolist() == [1.0, 2.0]


@WAYS
def test_under_no_grad_a_parameter_is_updated_and_stays_one(change, after):
    w = parameter(1.0, 2.0)
    before = w
    with gl.no_grad():
        result = change(w)
    assert result is before or result is None
    assert w.tolist() == after
    assert w.requires_grad
    assert w.is_leaf
    assert w.dtype == "float32"


@WAYS
def test_a_change_under_no_grad_is_noticed_by_a_graph_that_used_the_old_numbers(change, after):
    w = parameter(1.0, 2.0)
    loss = (w * w).sum()
    with gl.no_grad():
        change(w)
    with pytest.raises(GraphError, match=r"GL032.*'w'"):
        loss.backward()
    assert w.grad is None


@WAYS
def test_views_and_detached_copies_show_the_new_numbers_and_copies_keep_the_old(change, after):
    w = parameter(1.0, 2.0)
    views = [w.detach(), w.reshape(2, 1), w.T, w[:], w.data, w.detach().numpy(), np.asarray(w.detach())]
    copies = [w.clone(), w.detach().numpy().copy(), copy.deepcopy(w), w * 1.0]
    with gl.no_grad():
        change(w)
    for view in views:
        assert np.asarray(getattr(view, "primal", view)).reshape(-1).tolist() == after
    for one in copies:
        assert np.asarray(getattr(one, "primal", one)).tolist() == [1.0, 2.0]


@WAYS
def test_a_plain_tensor_may_change_at_any_time(change, after):
    x = gl.tensor([1.0, 2.0])
    result = change(x)
    assert (x if result is None else result).tolist() == after


def test_the_loop_of_every_tutorial_trains():
    w, x, y = (
        parameter(0.0, 0.0),
        gl.tensor([[1.0, 2.0], [2.0, -1.0], [1.0, 1.0]]),
        gl.tensor([5.0, 0.0, 3.0]),
    )
    for _ in range(200):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        with gl.no_grad():
            w -= 0.1 * w.grad
        w.grad.zero_()
    assert w.tolist() == pytest.approx([1.0, 2.0], abs=1e-3)
    for way in (lambda: setattr(w, "grad", None), lambda: w.grad.fill_(0)):
        (w * w).sum().backward()
        way()
        assert w.grad is None or w.grad.tolist() == [0.0, 0.0]


def test_the_older_way_of_updating_trains_too():
    w = parameter(4.0)
    for _ in range(50):
        (w * w).sum().backward()
        w.data -= 0.1 * w.grad
        w.grad = None
    assert w.item() == pytest.approx(4.0 * 0.8**50, rel=1e-4)


def test_plus_equals_of_a_recorded_tensor_is_recorded_and_every_name_of_it_sees_it():
    w = parameter(1.0, 2.0)
    total = alias = w * 2.0
    total += w
    assert total is alias
    assert alias.tolist() == [3.0, 6.0]
    total.sum().backward()
    assert w.grad.tolist() == [3.0, 3.0]


def test_adding_up_a_loss_from_zero_records():
    w = parameter(1.0, 2.0)
    total = gl.tensor(0.0)
    for _ in range(3):
        total += (w * w).sum()
    total.backward()
    assert w.grad.tolist() == [6.0, 12.0]


def test_an_element_can_be_set_to_something_recorded():
    c, w = gl.tensor([0.0, 0.0]), parameter(3.0)
    c[0] = w[0] ** 2
    c[1] = w[0] * 5.0
    assert c.tolist() == [9.0, 15.0]
    (c * c).sum().backward()
    assert w.grad.tolist() == [2 * 9.0 * 6.0 + 2 * 15.0 * 5.0]


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (ShapeError, lambda x: x.copy_([1.0, 2.0, 3.0])),
        (ShapeError, lambda x: x.__setitem__(slice(None), [1.0, 2.0, 3.0])),
        (IndexingError, lambda x: x.__setitem__(5, 1.0)),
        (IndexingError, lambda x: x.__setitem__("a", 1.0)),
        (DataError, lambda x: x.__setitem__(0, "a")),
        (DataError, lambda x: x.fill_(None)),
        (DataError, lambda x: setattr(x, "data", "a")),
        (ShapeError, lambda x: setattr(x, "grad", [1.0, 2.0, 3.0])),
        (DataError, lambda x: setattr(x, "grad", "a")),
        (OperandError, lambda x: x.__iadd__("a")),
    ],
)
def test_what_does_not_fit_leaves_the_tensor_as_it_was(kind, change):
    x = gl.tensor([1.0, 2.0])
    with gl.no_grad(), pytest.raises(kind) as caught:
        change(x)
    assert str(caught.value).endswith(".")
    assert x.tolist() == [1.0, 2.0]


def test_an_update_keeps_shape_and_type():
    w, whole = parameter(1.0, 2.0), gl.tensor([1, 2])
    with gl.no_grad():
        with pytest.raises(ShapeError, match="GL020"):
            w += gl.tensor([[1.0, 1.0], [2.0, 2.0]])
        w += np.array([1.0, 1.0])  # float64
        with pytest.raises(DTypeError, match="GL012"):
            whole += 0.5
        with pytest.raises(DTypeError, match="GL012"):
            whole[0] = 0.5
        whole += 1
    assert (w.dtype, w.tolist()) == ("float32", [2.0, 3.0])
    assert (whole.dtype, whole.tolist()) == ("int64", [2, 3])


def test_an_element_keeps_the_precision_of_its_tensor():
    x = gl.tensor([0.0, 0.0], dtype="float64")
    x[0] = 0.1
    x[1:] = [0.2]
    assert x.tolist() == [0.1, 0.2]


# --- arrays that somebody else holds ---


def test_an_array_changed_by_its_owner_does_not_change_the_tensor():
    array = np.array([1.0, 2.0])
    w = gl.tensor([3.0, 4.0], dtype="float64", requires_grad=True)
    leaves = [gl.tensor(array), gl.Tensor(array), gl.Tensor(array, requires_grad=True)]
    loss = (w * array).sum() + (array * w).sum() + (w @ array) + gl.where(array > 1, w, 0.0).sum()
    array[:] = 100.0
    assert [leaf.tolist() for leaf in leaves] == [[1.0, 2.0]] * 3
    loss.backward()
    assert w.grad.tolist() == [3.0, 7.0]


def test_a_mask_changed_by_its_owner_does_not_change_the_gradient():
    w, mask = parameter(1.0, 2.0), np.array([True, False])
    loss = gl.where(mask, w, 0.0).sum()
    mask[:] = True
    loss.backward()
    assert w.grad.tolist() == [1.0, 0.0]


def test_arrays_handed_out_are_read_only_and_copies_are_not():
    x = gl.tensor([1.0, 2.0])
    for array in (x.numpy(), np.asarray(x)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5.0
    copy = np.array(x)
    copy[0] = 5.0
    assert x.tolist() == [1.0, 2.0]


def test_a_plain_array_of_a_parameter_is_refused_and_the_error_says_how():
    w = parameter(1.0)
    for way in (w.numpy, lambda: np.asarray(w), lambda: np.array(w), lambda: (w * 2).numpy()):
        with pytest.raises(GraphError, match=r"GL035.*\.detach\(\)\.numpy\(\)"):
            way()
    assert w.detach().numpy().tolist() == [1.0]


# --- cycles ---


def test_a_cycle_tied_by_hand_is_named():
    x = gl.Value(1.0, label="x")
    y = x * 2.0
    y.label = "y"
    z = y + 1.0
    y._x = z
    a = gl.tensor([1.0], requires_grad=True)
    b = a * 2.0
    b.label = "b"
    c = b + 1.0
    b.inputs = (c, b.inputs[1])
    walks = [z.backward, c.sum().backward, lambda: gl.Graph.of(z), lambda: gl.Graph.of(c)]
    for walk in walks:
        with pytest.raises(GraphError, match=r"GL033.*'[yb]' depends on itself"):
            walk()
