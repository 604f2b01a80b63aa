"""einsum is complete: every equation that NumPy takes gives what NumPy gives, with the gradient of central differences."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradlab as gl
from gradlab import errors


@st.composite
def equations(draw: st.DrawFn) -> tuple[str, list[tuple[int, ...]]]:
    """An equation over few letters, with shapes: repeated labels, lone labels, ellipses, and sizes of 1 beside others."""
    sizes = {label: draw(st.integers(1, 3)) for label in "abcd"}
    hidden = draw(st.lists(st.integers(1, 3), max_size=2))
    terms, shapes = [], []
    for _ in range(draw(st.integers(1, 3))):
        labels = draw(st.lists(st.sampled_from("abcd"), max_size=3))
        shape = [
            1 if labels.count(one) == 1 and draw(st.integers(0, 4)) == 0 else sizes[one] for one in labels
        ]
        dots = draw(st.booleans())
        place = draw(st.integers(0, len(labels))) if dots else 0
        taken = hidden[draw(st.integers(0, len(hidden))) :] if dots else []
        terms.append("".join(labels[:place]) + ("..." if dots else "") + "".join(labels[place:]))
        shapes.append((*shape[:place], *taken, *shape[place:]))
    left = ",".join(terms)
    used = sorted(set(left) & set(string.ascii_letters))
    if draw(st.booleans()):
        kept = draw(st.lists(st.sampled_from(used), unique=True)) if used else []
        left += "->" + ("..." if "..." in left else "") + "".join(kept)
    return left, shapes


@settings(max_examples=300, deadline=None, derandomize=True)
@given(equations())
def test_einsum_equals_numpy_and_its_gradient_central_differences(
    case: tuple[str, list[tuple[int, ...]]],
) -> None:
    equation, shapes = case
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape) for shape in shapes]
    tensors = [gl.tensor(x, requires_grad=True) for x in arrays]
    z = gl.einsum(equation, *tensors)
    want = np.einsum(equation, *arrays)
    np.testing.assert_allclose(z.detach().numpy(), want, rtol=1e-12, atol=1e-12)
    seed, t = rng.normal(size=z.shape), [rng.normal(size=shape) for shape in shapes]
    z.backward(seed)
    found = sum(np.sum(x.grad.numpy() * d) for x, d in zip(tensors, t, strict=True))
    ends = [
        np.sum(seed * np.einsum(equation, *[x + h * d for x, d in zip(arrays, t, strict=True)]))
        for h in (1e-5, -1e-5)
    ]
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-5, rtol=1e-6, atol=1e-7)


def test_numpys_other_spelling_gives_the_same() -> None:
    x, y = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    want = np.einsum(x, [0, 1], y, [1, 2], [0, 2])
    np.testing.assert_array_equal(gl.einsum(gl.tensor(x), [0, 1], gl.tensor(y), [1, 2], [0, 2]).numpy(), want)
    same = gl.einsum(gl.tensor(x), [..., 0], gl.tensor(x), [..., 0], [...])
    np.testing.assert_allclose(same.numpy(), np.einsum("...a,...a->...", x, x))


@pytest.mark.parametrize(
    ("equation", "shapes", "words"),
    [
        ("ij,jk->ik", [(2, 3), (4, 5)], "label 'j' has size 3 before, and 4 in operand 1"),
        ("ij->ik", [(2, 3)], "label 'k' of the result is in no operand"),
        ("ij->ii", [(2, 3)], "label 'i' stands twice in the result"),
        ("ij,jk->ik", [(2, 3)], "2 terms for 1 operands"),
        ("ijk->i", [(2, 3)], r"'ijk' names 3 axes, and operand 0 has shape \(2, 3\)"),
        ("i->i", [(2, 3)], r"'i' names 1 axes, and operand 0 has shape \(2, 3\)"),
        ("i1->i", [(2, 3)], "'i1' is not made of letters"),
    ],
)
def test_an_equation_that_does_not_fit_is_explained(equation: str, shapes: list[Any], words: str) -> None:
    with pytest.raises(errors.ShapeError, match=f"GL110.*{words}"):
        gl.einsum(equation, *[gl.ones(shape) for shape in shapes])


def test_vectors_of_sizes_two_and_one_give_gradients_of_their_own_shapes() -> None:
    x, y = gl.tensor([1.0, 2.0], requires_grad=True), gl.tensor([3.0], requires_grad=True)
    gl.einsum("i,i", x, y).backward()
    assert x.grad.tolist() == [3.0, 3.0]
    assert y.grad.tolist() == [3.0]
