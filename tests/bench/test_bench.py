"""The runner and the report, on benchmarks whose clock and results are made up; the real topics are only opened."""

from __future__ import annotations

import gc
import itertools
import json

import pytest

from gradlab import bench
from gradlab.bench import command, moons, report
from gradlab.bench.model import Benchmark, Package, Way, every_time
from gradlab.bench.runner import measure
from gradlab.bench.topics import TOPICS, benchmarks
from gradlab.errors import ArgumentError, StorageError

HERE = Package("json", "gradlab", "gradlab")
ABSENT = Package("no_such_library", "no-such-library", "no-such-library==1")


def returning(result):
    return lambda: every_time(lambda: result)


class Clock:
    """A clock on which each run takes the next of these times, in seconds."""

    def __init__(self, *seconds):
        self.seconds = itertools.cycle(seconds)
        self.now, self.running = 0.0, False

    def __call__(self):
        if self.running:
            self.now += next(self.seconds)
        self.running = not self.running
        return self.now


def two(peer=HERE, **options):
    ways = (Way("gradlab", returning(1.0)), Way("peer", returning(options.pop("other", 1.0)), peer))
    return Benchmark("adding", "ms", ways, rounds=3, **options)


def test_ratios_count_from_gradlab_and_medians_are_of_the_counted_rounds():
    result = measure(two(times_faster={"peer": 10}), clock=Clock(0.002, 0.030))
    assert [row.median for row in result.rows] == pytest.approx([2.0, 30.0])
    assert [len(row.figures) for row in result.rows] == [3, 3]
    assert result.ratio(result.rows[1]) == pytest.approx(15.0)
    assert [check.passed for check in result.checks] == [True]


def test_a_missed_target_is_shown_and_is_no_fault():
    result = measure(two(times_faster={"peer": 10}), clock=Clock(0.002, 0.006))
    assert [(check.passed, check.fault) for check in result.checks] == [(False, False)]
    assert "✗" in report.text(result)
    assert report.summary([result]).startswith("0 of 1 targets reached")


def test_results_that_disagree_are_a_fault():
    options = {"difference": lambda a, b: abs(a - b), "agree": 1e-12}
    right, wrong = measure(two(**options)), measure(two(other=1.001, **options))
    assert [check.passed for check in right.checks] == [True]
    assert [(check.passed, check.fault) for check in wrong.checks] == [(False, True)]
    assert "DISAGREE" in report.text(wrong)
    assert "1 FAILED" in report.summary([wrong])


def test_a_nan_disagrees():
    options = {"difference": lambda a, b: abs(a - b), "agree": 1e-12}
    assert not measure(two(other=float("nan"), **options)).checks[0].passed


def test_a_peer_that_is_absent_is_said_by_name_with_how_to_install_it():
    result = measure(two(peer=ABSENT, times_faster={"peer": 10}))
    assert result.rows[1].figures == []
    assert "pip install no-such-library==1" in report.text(result)
    assert not result.checks


def test_a_peer_that_fails_stops_nobody_else():
    def failing():
        raise RuntimeError("broken peer")

    ways = (Way("gradlab", returning(1.0)), Way("peer", lambda: every_time(failing), HERE))
    result = measure(Benchmark("adding", "ms", ways, rounds=2))
    assert len(result.rows[0].figures) == 2
    assert "broken peer" in report.text(result)


def test_gradlab_failing_is_a_fault():
    def failing():
        raise RuntimeError("broken")

    result = measure(Benchmark("adding", "ms", (Way("gradlab", lambda: every_time(failing)),)))
    assert [(check.passed, check.fault) for check in result.checks] == [(False, True)]


def test_the_collector_is_on_while_measuring_and_as_it_was_afterwards():
    seen = []
    gc.disable()
    try:
        measure(
            Benchmark("b", "ms", (Way("gradlab", lambda: every_time(lambda: seen.append(gc.isenabled()))),))
        )
        assert not gc.isenabled()
    finally:
        gc.enable()
    assert set(seen) == {True}


def test_counts_are_not_scaled_and_per_divides():
    ways = (Way("gradlab", returning(600.0), per=2),)
    result = measure(Benchmark("bytes", "bytes", ways, timed=False, at_most=299))
    assert result.rows[0].median == 300.0
    assert [check.passed for check in result.checks] == [False]


def test_flat_compares_the_ways_of_gradlab():
    ways = (Way("small", returning(1.0)), Way("large", returning(3.0)))
    spread = Benchmark("width", "units", ways, timed=False, flat=2.0)
    assert [check.passed for check in measure(spread).checks] == [False]


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_is_a_table_and_begins_with_gradlab(topic):
    table = benchmarks(topic)
    assert table
    assert all(benchmark.ways[0].package is None for benchmark in table)
    assert len({benchmark.name for benchmark in table}) == len(table)


def test_the_moons_step_of_gradlab_and_of_micrograd_is_one_step():
    ours, theirs = moons.gradlab()()(), moons.micrograd()()()
    assert moons.difference(moons.read_model(ours), moons.read_model(theirs)) < 1e-12


@pytest.mark.parametrize("row", benchmarks("pictures"), ids=lambda row: row.name)
def test_every_row_about_pictures_runs(row):
    result = measure(row, quick=True)
    assert all(one.figures and not one.error for one in result.rows)


def test_the_command_prints_and_writes_what_it_measured(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "benchmarks", lambda topic: (two(peer=ABSENT),))
    target = tmp_path / "figures.json"
    assert bench.main(["scalar", "--quick", "--json", str(target)]) == 0
    printed = capsys.readouterr().out
    assert "== scalar ==" in printed
    assert "no-such-library" in printed
    assert "adding" in target.read_text(encoding="utf-8")
    assert json.loads(target.read_text(encoding="utf-8"))


def test_a_disagreement_makes_the_command_fail(capsys, monkeypatch):
    wrong = two(other=2.0, difference=lambda a, b: abs(a - b), agree=1e-12)
    monkeypatch.setattr(command, "benchmarks", lambda topic: (wrong,))
    assert bench.main(["scalar", "--quick"]) == 1


def test_an_unknown_topic_names_the_known_ones():
    with pytest.raises(ArgumentError, match=r"GL082.*scalar"):
        bench.main(["speed"])


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(tmp_path):
    with pytest.raises(StorageError, match="GL080"):
        bench.main(["scalar", "--json", str(tmp_path / "no" / "folder.json")])
