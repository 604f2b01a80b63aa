"""Losses at the edges: large scores, shapes that do not fit, classes that do not exist, batches that are empty."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import gradlab as gl
from gradlab import errors

NUMBERS = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "hinge_loss", "soft_margin_loss")
YES_OR_NO = ("binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div", "poisson_nll_loss")


@pytest.mark.parametrize("name", [*NUMBERS, *YES_OR_NO])
def test_a_column_of_predictions_against_a_row_of_targets_is_explained(name: str) -> None:
    x, y = gl.tensor(np.full((3, 1), 0.5)), gl.tensor(np.full(3, 0.5))
    with pytest.raises(
        errors.ShapeError, match=r"GL133.*\(3, 3\): every prediction with every target.*squeeze"
    ):
        getattr(gl, name)(x, y)


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "huber_loss", "binary_cross_entropy_with_logits"])
def test_one_target_for_all_is_no_mistake(name: str) -> None:
    assert getattr(gl, name)(gl.tensor([1.0, 2.0]), 1.0, reduction="none").shape == (2,)


@pytest.mark.parametrize(("target", "loss"), [(0, 0.0), (1, 2000.0)])
def test_cross_entropy_is_exact_for_scores_of_a_thousand(target: int, loss: float) -> None:
    x = gl.tensor([[1000.0, -1000.0]], requires_grad=True)
    z = gl.cross_entropy(x, gl.tensor([target]))
    z.backward()
    assert z.item() == loss
    assert x.grad.tolist() == ([[0.0, 0.0]] if target == 0 else [[1.0, -1.0]])


@pytest.mark.parametrize(("y", "loss", "slope"), [(1.0, 0.0, 0.0), (0.0, 1000.0, 1.0)])
@pytest.mark.parametrize("pos_weight", [None, 1.0])
def test_yes_or_no_is_exact_for_a_logit_of_a_thousand(
    y: float, loss: float, slope: float, pos_weight: Any
) -> None:
    x = gl.tensor([1000.0], requires_grad=True)
    z = gl.binary_cross_entropy_with_logits(x, gl.tensor([y]), pos_weight=pos_weight)
    z.backward()
    assert (z.item(), x.grad.item()) == (loss, slope)


@pytest.mark.parametrize(
    ("name", "y", "loss"),
    [
        ("soft_margin_loss", -1.0, 1000.0),
        ("multilabel_soft_margin_loss", 0.0, 1000.0),
        ("hinge_loss", -1.0, 1001.0),
    ],
)
def test_margins_of_a_thousand_are_finite(name: str, y: float, loss: float) -> None:
    x = gl.tensor([1000.0], requires_grad=True)
    z = getattr(gl, name)(x, gl.tensor([y]))
    z.backward()
    assert (z.item(), x.grad.item()) == (loss, 1.0)


def test_certain_and_wrong_probabilities_lose_a_hundred() -> None:
    p = gl.tensor([0.0, 1.0], requires_grad=True)
    loss = gl.binary_cross_entropy(p, gl.tensor([1.0, 0.0]), reduction="none")
    assert loss.tolist() == pytest.approx([100.0, 100.0])
    loss.sum().backward()
    assert np.isfinite(p.grad.numpy()).all()


def test_probabilities_outside_their_range_are_sent_to_the_logits() -> None:
    with pytest.raises(errors.ArgumentError, match=r"GL132.*with_logits"):
        gl.binary_cross_entropy(gl.tensor([1.5]), gl.tensor([1.0]))


@pytest.mark.parametrize("loss", [gl.cross_entropy, gl.nll_loss, gl.multi_margin_loss])
def test_a_class_that_does_not_exist_is_named(loss: Any) -> None:
    with pytest.raises(errors.IndexingError, match=r"GL024.*from 0 to 3 for 3 classes.*0 to 2"):
        loss(gl.zeros(2, 3), gl.tensor([0, 3]))


@pytest.mark.parametrize("loss", [gl.cross_entropy, gl.nll_loss])
def test_class_numbers_that_are_floats_are_explained(loss: Any) -> None:
    with pytest.raises(errors.DTypeError, match=r"GL015.*float32.*class numbers.*\.long\(\)"):
        loss(gl.zeros(2, 3), gl.tensor([0.0, 1.0]))


@pytest.mark.parametrize("loss", [gl.cross_entropy, gl.nll_loss])
def test_a_column_of_class_numbers_is_explained(loss: Any) -> None:
    with pytest.raises(errors.ShapeError, match=r"GL133.*\(2, 1\).*squeeze\(-1\)"):
        loss(gl.zeros(2, 3), gl.tensor([[0], [1]]))


def test_ignored_targets_count_neither_in_the_sum_nor_in_the_mean() -> None:
    x = gl.tensor([[0.0, 0.0], [5.0, -5.0]], requires_grad=True)
    z = gl.cross_entropy(x, gl.tensor([0, -100]))
    z.backward()
    assert z.item() == pytest.approx(math.log(2))
    assert x.grad.tolist() == [[-0.5, 0.5], [0.0, 0.0]]


def test_a_mean_over_nothing_but_ignored_targets_is_nan_and_says_why() -> None:
    with pytest.warns(errors.GradlabWarning, match=r"GL135.*every target is ignored"):
        assert math.isnan(gl.cross_entropy(gl.zeros(2, 3), gl.tensor([-100, -100])).item())
    assert gl.cross_entropy(gl.zeros(2, 3), gl.tensor([-100, -100]), reduction="sum").item() == 0.0


def test_an_empty_batch_sums_to_zero() -> None:
    assert gl.cross_entropy(gl.zeros(0, 3), gl.zeros(0, dtype=int), reduction="sum").item() == 0.0
    assert gl.mse_loss(gl.zeros(0, 3), gl.zeros(0, 3), reduction="sum").item() == 0.0


def test_class_numbers_and_their_shares_lose_the_same() -> None:
    x = gl.tensor(np.random.default_rng(0).normal(size=(4, 3, 2)))
    index = np.random.default_rng(1).integers(0, 3, size=(4, 2))
    shares = np.moveaxis(np.eye(3)[index], -1, 1)
    for smoothing in (0.0, 0.3):
        a = gl.cross_entropy(x, gl.tensor(index), reduction="sum", label_smoothing=smoothing)
        b = gl.cross_entropy(x, gl.tensor(shares), reduction="sum", label_smoothing=smoothing)
        assert a.item() == pytest.approx(b.item())


def test_cross_entropy_is_one_record_and_a_mean() -> None:
    x = gl.tensor([[1.0, 2.0]], requires_grad=True)
    assert len(gl.Graph.of(gl.cross_entropy(x, gl.tensor([1]))).nodes) == 4


def test_cross_entropy_passes_gradgradcheck() -> None:
    x = gl.tensor(np.random.default_rng(2).normal(size=(3, 4)))
    gl.gradgradcheck(lambda x: gl.cross_entropy(x, gl.tensor([0, 3, 1])), x)


def test_an_unknown_reduction_names_the_known_ones() -> None:
    with pytest.raises(errors.ArgumentError, match=r"GL016.*mean, sum, none"):
        gl.mse_loss(gl.zeros(1), gl.zeros(1), reduction="average")


@pytest.mark.parametrize(
    ("name", "words"),
    [("huber_loss", {"delta": 0.0}), ("smooth_l1_loss", {"beta": -1.0}), ("multi_margin_loss", {"p": 3})],
)
def test_limits_of_parameters_are_said(name: str, words: dict[str, float]) -> None:
    with pytest.raises(errors.ArgumentError, match="GL134"):
        getattr(gl, name)(gl.zeros(1), gl.zeros(1), **words)
