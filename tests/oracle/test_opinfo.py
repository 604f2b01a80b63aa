"""PyTorch's OpInfo samples agree with gradlab: values, gradients, second derivatives. Deviations are listed with their reasons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from judge import Row, Verdict, entries, judge
from table import ROWS

import gradlab as gl
from gradlab.op import REGISTRY, Op

pytestmark = pytest.mark.needs("oracle")

LEAST_ROWS, LEAST_SAMPLES, LEAST_SECOND = 250, 6_500, 4_500


@cache
def verdict(row_id: str) -> Verdict:
    return judge(next(row for row in ROWS if row.id == row_id))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_pytorch_agrees(row: Row) -> None:
    found = verdict(row.id)
    assert found.faults == []
    assert found.samples > 0, "every sample deviates, so nothing was compared"


@pytest.mark.parametrize("row", [row for row in ROWS if row.deviations], ids=lambda row: row.id)
def test_every_deviation_in_the_table_occurs(row: Row) -> None:
    assert set(verdict(row.id).deviating) == set(row.deviations)


def test_enough_was_compared() -> None:
    rows = [verdict(row.id) for row in ROWS]
    assert len({row.name for row in ROWS}) >= LEAST_ROWS
    assert sum(found.samples for found in rows) >= LEAST_SAMPLES
    assert sum(found.second for found in rows) >= LEAST_SECOND


def test_rows_name_entries_of_pytorch_once() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)
    assert {row.id for row in ROWS} <= set(entries())


# --- the judge is judged ---


def twice(rule: Any) -> Any:
    """A VJP rule that gives twice what it should."""

    def doubled(ct: Any, *args: Any, **params: Any) -> Any:
        got = rule(ct, *args, **params)
        return tuple(2.0 * one for one in got) if isinstance(got, tuple) else 2.0 * got

    return rule and doubled


@contextmanager
def broken(op: Op) -> Iterator[None]:
    """The record with every VJP rule wrong: whichever way the engine takes to it, it finds these."""
    right = op.vjp
    object.__setattr__(op, "vjp", tuple(twice(rule) for rule in right))  # frozen for everybody else
    try:
        yield
    finally:
        object.__setattr__(op, "vjp", right)


PLANTED = {
    "exp": "exp",
    "prod": "prod",
    "concatenate": "cat",
    "take_along_axis": "gather",
    "softmax": "softmax",
}


@pytest.mark.parametrize(("op", "row"), PLANTED.items())
def test_a_rule_broken_on_purpose_is_found(op: str, row: str) -> None:
    with broken(REGISTRY[op]):
        found = judge(next(one for one in ROWS if one.id == row), limit=3)
    assert any("gradient" in text for text in found.faults)


def test_a_wrong_value_a_wrong_shape_and_a_crash_are_found() -> None:
    for call, word in (
        (lambda x: gl.exp(x) + 1e-6, "value 0"),
        (lambda x: gl.reshape(gl.exp(x), (1, *x.shape)), "has shape"),
        (lambda x: gl.exp(x)[99, 99, 99], "IndexingError"),
    ):
        found = judge(Row("exp", call), limit=1)
        assert any(word in text for text in found.faults)
