"""The built-in layout: nothing overlaps, edges go forward and around cards, and the same graph always lies the same way."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradlab.viz import layered
from gradlab.viz.dot import HEAD_PX, NODE_GAP_PX, RANK_GAP_PX

SIZE = (176, 84)
Point = tuple[float, float]


def random_graph(seed: int, count: int, most: int = 3) -> list[tuple[int, int]]:
    rng = random.Random(seed)
    return [
        (rng.randrange(max(0, i - 12), i), i) for i in range(1, count) for _ in range(rng.randint(0, most))
    ]


def sampled(points: list[Point], steps: int = 24) -> list[Point]:
    found = []
    for i in range(0, len(points) - 1, 3):
        a, b, c, d = points[i : i + 4]
        for k in range(steps + 1):
            t = k / steps
            w = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3)
            found.append(
                tuple(sum(x * p[axis] for x, p in zip(w, (a, b, c, d), strict=True)) for axis in (0, 1))
            )
    return found


@given(st.integers(0, 5000), st.integers(1, 40))
def test_cards_keep_their_distance_and_edges_never_run_under_a_card(seed: int, count: int) -> None:
    edges = random_graph(seed, count)
    corners, routes = layered.place(count, edges, SIZE)
    columns: dict[float, list[float]] = {}
    for x, y in corners:
        columns.setdefault(x, []).append(y)
    for ys in columns.values():
        ys.sort()
        assert all(b - a >= SIZE[1] + NODE_GAP_PX - 1e-6 for a, b in pairwise(ys))
    for (source, target), (points, tip) in zip(edges, routes, strict=True):
        assert points[0] == (corners[source][0] + SIZE[0], pytest.approx(corners[source][1] + SIZE[1] / 2))
        assert tip == (corners[target][0], pytest.approx(corners[target][1] + SIZE[1] / 2))
        assert tip[0] - points[-1][0] == HEAD_PX
        for x, y in sampled(points):
            for left, top in corners:
                assert not (left + 0.1 < x < left + SIZE[0] - 0.1 and top < y < top + SIZE[1])


@given(st.integers(0, 5000), st.integers(2, 40))
def test_every_edge_leads_to_a_later_column(seed: int, count: int) -> None:
    edges = random_graph(seed, count)
    corners, _ = layered.place(count, edges, SIZE)
    assert all(corners[t][0] - corners[s][0] >= SIZE[0] + RANK_GAP_PX for s, t in edges)


def test_inputs_stand_beside_the_operation_that_takes_them_in_argument_order() -> None:
    # x, w, b, target, x·w, prediction, error, loss
    edges = [(0, 4), (1, 4), (4, 5), (2, 5), (5, 6), (3, 6), (6, 7)]
    corners, _ = layered.place(8, edges, SIZE)
    columns = [round(x / (SIZE[0] + RANK_GAP_PX)) for x, _ in corners]
    assert columns == [0, 0, 1, 2, 1, 2, 3, 4]
    y = [corner[1] for corner in corners]
    assert y[0] < y[1]
    assert y[4] < y[2]
    assert y[5] < y[3]


def test_a_straight_chain_is_drawn_straight() -> None:
    corners, _ = layered.place(5, [(i, i + 1) for i in range(4)], SIZE)
    assert len({y for _, y in corners}) == 1


def test_crossings_that_can_be_avoided_are_avoided() -> None:
    # two neurons side by side: their inputs need not cross
    edges = [(0, 4), (1, 5), (2, 4), (3, 5), (4, 6), (5, 6)]
    corners, _ = layered.place(7, edges, SIZE)
    order = sorted(range(4), key=lambda i: corners[i][1])
    assert {order[0], order[1]} in ({0, 2}, {1, 3})


def test_sorting_never_adds_crossings_and_mostly_removes_some() -> None:
    def crossings(seed: int, sweeps: int) -> int:
        edges = random_graph(seed, 40)
        slots = layered._with_lanes(40, edges, layered._layers(40, edges))
        layered._order(slots, sweeps)
        position = [0.0] * len(slots.layer_of)
        layered._number(slots.layers, position)
        return layered._crossings(slots, position)

    before = [crossings(seed, 0) for seed in range(30)]
    after = [crossings(seed, 8) for seed in range(30)]
    assert all(a <= b for a, b in zip(after, before, strict=True))
    assert sum(after) < 0.8 * sum(before)


def test_the_same_graph_is_laid_out_the_same_way() -> None:
    edges = random_graph(3, 60)
    assert layered.place(60, edges, SIZE) == layered.place(60, edges, SIZE)


def test_inversions_are_counted() -> None:
    rng = random.Random(0)
    values = [rng.randint(0, 9) for _ in range(60)]
    expected = sum(values[i] > values[j] for i in range(60) for j in range(i + 1, 60))
    assert layered._inversions([float(v) for v in values]) == expected


@given(st.lists(st.tuples(st.floats(-1000, 1000), st.floats(5, 50)), min_size=1, max_size=12))
def test_spreading_keeps_order_and_distance_and_is_the_nearest_that_does(
    slots: list[tuple[float, float]],
) -> None:
    wanted, half = [w for w, _ in slots], [h for _, h in slots]
    placed = layered._spread(wanted, half)
    gaps = [half[i] + half[i + 1] + NODE_GAP_PX for i in range(len(half) - 1)]
    assert all(b - a >= gap - 1e-6 for a, b, gap in zip(placed, placed[1:], gaps, strict=False))
    cost = sum((p - w) ** 2 for p, w in zip(placed, wanted, strict=True))
    for i in range(
        len(placed)
    ):  # moving a slot and all that it pushes, either way, does not bring them nearer
        for step in (-0.5, 0.5):
            moved = list(placed)
            moved[i] += step
            for k in range(i + 1, len(moved)):
                moved[k] = max(moved[k], moved[k - 1] + gaps[k - 1])
            for k in range(i - 1, -1, -1):
                moved[k] = min(moved[k], moved[k + 1] - gaps[k])
            assert sum((p - w) ** 2 for p, w in zip(moved, wanted, strict=True)) >= cost - 1e-6


def test_nothing_and_a_single_card_can_be_laid_out() -> None:
    assert layered.place(0, [], SIZE) == ([], [])
    assert layered.place(1, [], SIZE) == ([(0.0, -42.0)], [])


def test_two_thousand_cards_take_under_a_second() -> None:
    edges = random_graph(1, 2000)
    start = time.process_time()
    layered.place(2000, edges, SIZE)
    assert time.process_time() - start < 1.0


def test_very_long_edges_in_a_long_chain_take_no_quadratic_time() -> None:
    count = 2000
    edges = [(i, i + 1) for i in range(count - 1)] + [(i, count - 1) for i in range(count - 2)]
    start = time.process_time()
    layered.place(count, edges, SIZE)
    assert time.process_time() - start < 2.0
