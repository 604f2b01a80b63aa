"""Paths and checks."""

from __future__ import annotations

import pytest

from gradlab.widgets import answers


def chain_of_squares(x, n=12):
    for _ in range(n):
        x = x * x
    return x


def test_paths_are_counted_without_walking_them_all(explore):
    view = explore(lambda x: chain_of_squares(x), x=1.0).view
    assert answers.count_paths(view, "n0") == 2**12
    assert len(answers.find_paths(view, "n0", 12)) == 12


def test_many_paths_are_shown_in_part_and_the_sum_says_so(explore):
    view = explore(lambda x: chain_of_squares(x), x=1.0).view
    answer = answers.paths(view, view.nodes[0])
    assert answer["lead"].startswith("4096 paths lead from x to")
    assert "The first 12 are shown." in answer["lead"]
    assert answer["sum"].endswith("+ … = 4096")


def test_products_along_all_paths_add_up_to_the_gradient(explore):
    view = explore(lambda x, w: (x * w + x) * (x - w), x=3.0, w=2.0).view
    for node in view.nodes[:2]:
        products = 0.0
        for path in answers.find_paths(view, node.id, 99):
            product = 1.0
            for edge in path:
                product *= edge.local
            products += product
        assert products == pytest.approx(node.grad)


def test_there_is_no_path_from_the_result_to_itself(explore):
    view = explore(lambda x: x * x, x=3.0).view
    assert answers.paths(view, view.nodes[-1])["paths"] == []


def test_a_wrong_gradient_is_found(explore):
    view = explore(lambda x: x * x, x=3.0).view
    assert answers.check(view, view.nodes[0], lambda x: x * x)["agrees"]
    assert not answers.check(view, view.nodes[0], lambda x: x * x * x)["agrees"]


@pytest.mark.parametrize("x", [1e-6, 1.0, 1234.5, 1e6])
def test_the_nudge_fits_the_size_of_the_value(explore, x):
    view = explore(lambda x: x * x, x=x).view
    assert answers.check(view, view.nodes[0], lambda x: x * x)["agrees"]
