"""New tensors and random numbers: shapes, types, seeds, and errors that teach."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import gradlab as gl
from gradlab.errors import ArgumentError, DeviceError, DTypeError, ShapeError


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "rand", "randn"])
def test_sizes_come_one_by_one_or_as_a_tuple(name):
    make = getattr(gl, name)
    assert make(2, 3).shape == make((2, 3)).shape == make([2, 3]).shape == (2, 3)
    assert make(()).shape == make().shape == ()
    assert make(0, 2).shape == (0, 2)
    assert make(2).dtype == "float32"
    assert make(2, dtype="float64", requires_grad=True).requires_grad
    with pytest.raises(ArgumentError, match="GL130"):
        make(2, -1)
    with pytest.raises(ShapeError, match="GL027"):
        make(2.5)


def test_ranges_agree_with_numpy():
    assert gl.arange(2, 9, 3).tolist() == [2, 5, 8]
    assert gl.arange(3.0).dtype == "float32"
    np.testing.assert_allclose(gl.linspace(0, 1, 7, dtype="float64").numpy(), np.linspace(0, 1, 7))
    np.testing.assert_allclose(gl.logspace(0, 3, 4, base=2.0).numpy(), [1, 2, 4, 8])
    assert gl.eye(2, 3).tolist() == np.eye(2, 3).tolist()
    with pytest.raises(ArgumentError, match="GL130"):
        gl.arange(0, 5, 0)
    with pytest.raises(ArgumentError, match="GL130"):
        gl.linspace(0, 1, -2)


def test_a_grid_hands_gradients_back_to_its_lines():
    x, y = gl.tensor([1.0, 2.0], requires_grad=True), gl.tensor([3.0, 4.0, 5.0], requires_grad=True)
    rows, columns = gl.meshgrid(x, y)
    (rows * columns).sum().backward()
    assert x.grad.tolist() == [12.0, 12.0]
    assert y.grad.tolist() == [3.0, 3.0, 3.0]
    for ours, theirs in zip(
        gl.meshgrid(x, y, indexing="xy"), np.meshgrid([1.0, 2.0], [3.0, 4.0, 5.0]), strict=True
    ):
        np.testing.assert_array_equal(ours.detach().numpy(), theirs)


def test_integers_cannot_require_a_gradient_and_other_devices_are_named():
    with pytest.raises(DTypeError, match="GL010"):
        gl.zeros(2, dtype="int64", requires_grad=True)
    with pytest.raises(DeviceError, match=r"GL161.*cuda"):
        gl.zeros(2, device="cuda")


def test_data_are_copied_but_a_tensor_stays_itself():
    raw = np.ones(2)
    x = gl.from_numpy(raw)
    raw[0] = 9.0
    assert x.tolist() == [1.0, 1.0]
    assert gl.as_tensor(x) is x
    assert gl.as_tensor(x, dtype=gl.float32).dtype == gl.float32


@pytest.mark.parametrize(
    "make",
    [
        lambda: gl.rand(3),
        lambda: gl.randn(3),
        lambda: gl.randint(0, 100, (3,)),
        lambda: gl.randperm(10),
        lambda: gl.normal(gl.zeros(3), 1.0),
        lambda: gl.uniform(1.0, 2.0, (3,)),
        lambda: gl.bernoulli(gl.full((8,), 0.5)),
        lambda: gl.multinomial(gl.ones(9), 5),
        lambda: gl.dropout(gl.ones(20), 0.5),
        lambda: gl.alpha_dropout(gl.ones(20), 0.5),
    ],
)
def test_one_seed_makes_every_draw_repeat(make):
    gl.manual_seed(3)
    first, second = make().tolist(), make().tolist()
    gl.manual_seed(3)
    assert make().tolist() == first
    assert first != second
    state = gl.get_rng_state()
    third = make().tolist()
    gl.set_rng_state(state)
    assert make().tolist() == third


def test_moments_of_what_is_drawn():
    gl.manual_seed(0)
    assert abs(float(gl.randn(20_000).mean())) < 0.03
    assert abs(float(gl.rand(20_000).mean()) - 0.5) < 0.01
    kept = gl.dropout(gl.ones(20_000), 0.25)
    assert abs(float((kept == 0).astype("float32").mean()) - 0.25) < 0.02
    assert float(kept.max()) == pytest.approx(1 / 0.75)
    x = gl.alpha_dropout(gl.randn(50_000), 0.2)
    assert abs(float(x.mean())) < 0.03
    assert abs(float(x.std()) - 1.0) < 0.03


def test_dropout_at_the_ends_and_its_gradient():
    x = gl.tensor([1.0, float("inf"), 3.0], requires_grad=True)
    assert gl.dropout(x, 0.0) is x
    assert gl.dropout(x, 0.7, training=False) is x
    finite = gl.tensor([1.0, 2.0], requires_grad=True)
    gone = gl.dropout(finite, 1.0)
    assert gone.tolist() == [0.0, 0.0]
    gone.sum().backward()
    assert finite.grad.tolist() == [0.0, 0.0]
    gl.manual_seed(1)
    y = gl.tensor(np.ones(50), requires_grad=True)
    z = gl.dropout(y, 0.5)
    z.sum().backward()
    assert y.grad.tolist() == z.tolist()
    planes = gl.feature_dropout(gl.ones(4, 5, 3, 3), 0.5).numpy().reshape(20, 9)
    assert (planes == planes[:, :1]).all()
    for p in (-0.1, 1.5):
        with pytest.raises(ArgumentError, match="GL132"):
            gl.dropout(x, p)


def test_a_fork_draws_for_itself_and_threads_do_not_disturb_it():
    gl.manual_seed(1)
    wanted = gl.rand(2).tolist()
    found = []

    def work():
        with gl.fork_rng(7):
            found.append(gl.rand(2).tolist())

    gl.manual_seed(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert gl.rand(2).tolist() == wanted
    assert found == [found[0]] * 4


def test_draws_that_cannot_be_made_say_why():
    for bad in (
        lambda: gl.manual_seed(-1),
        lambda: gl.manual_seed("a"),
        lambda: gl.set_rng_state({}),
        lambda: gl.randint(3, 3),
    ):
        with pytest.raises(ArgumentError, match="GL131"):
            bad()
    for bad in (lambda: gl.multinomial(gl.tensor([1.0, 0.0]), 2), lambda: gl.normal(0.0, -1.0, (2,))):
        with pytest.raises(ArgumentError, match="GL131"):
            bad()
    with pytest.raises(ArgumentError, match="GL132"):
        gl.bernoulli(gl.tensor([2.0]))
