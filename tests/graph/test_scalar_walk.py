"""The scalar walk agrees with the general one, and leaves things as they were when it refuses."""

from __future__ import annotations

import pytest

import gradlab as gl


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_a_sum_of_any_number_hands_its_gradient_to_each(n):
    xs = [gl.Value(float(i)) for i in range(n)]
    gl.total(*xs).backward()
    assert [x.grad for x in xs] == [1.0] * n
