"""Measuring: A B A B in one process with the garbage collector on, and results compared in the same run.

Before each sample, and outside its time, everything it needs is made and `gc.collect()` runs, so that nobody pays for what another
left behind. The first round warms up and is not counted, but its results are compared like all others.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from gradlab.bench.model import Benchmark, Fresh, Way

Clock = Callable[[], float]


@dataclass
class Measured:
    """What came out for one way: its figures in the benchmark's unit, or why there are none."""

    way: Way
    figures: list[float] = field(default_factory=list)
    difference: float | None = None
    missing: str = ""
    error: str = ""

    @property
    def is_peer(self) -> bool:
        """Whether this is another library's way."""
        return self.way.package is not None

    @property
    def median(self) -> float | None:
        """The middle figure; None if there is none."""
        return statistics.median(self.figures) if self.figures else None


@dataclass(frozen=True)
class Check:
    """One thing that should hold: what, whether it does, and whether it is a fault (a wrong result) or a target (a time)."""

    text: str
    passed: bool
    fault: bool = False


@dataclass(frozen=True)
class Result:
    """A benchmark with what was measured and which of its targets were reached."""

    benchmark: Benchmark
    rows: tuple[Measured, ...]
    checks: tuple[Check, ...]

    def ratio(self, row: Measured) -> float | None:
        """How many times the first way's median this row's is; None for the first way itself or without figures."""
        first = self.rows[0].median
        return None if row is self.rows[0] or not first or row.median is None else row.median / first


@dataclass
class _Runner:
    """A way that is ready to run, with what it returned last."""

    row: Measured
    fresh: Fresh
    rounds: int
    result: Any = None

    @property
    def works(self) -> bool:
        return not self.row.error


def measure(benchmark: Benchmark, quick: bool = False, clock: Clock = time.perf_counter) -> Result:
    """Run all ways of a benchmark in turn. A way that fails is told with its error, and the others go on."""
    rows = [Measured(way) for way in benchmark.ways]
    rounds = max(2, benchmark.rounds // 3) if quick else benchmark.rounds
    with _collector_on():
        runners = list(_ready(rows, rounds, quick))
        for turn in range(rounds + 1):
            taking_part = [one for one in runners if one.works and turn <= one.rounds]
            for one in taking_part:
                _sample(benchmark, one, turn > 0, clock)
            _compare(benchmark, rows[0], taking_part)
    return Result(benchmark, tuple(rows), tuple(_checks(benchmark, rows)))


@contextmanager
def _collector_on() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.enable()
    try:
        yield
    finally:
        if not was_on:
            gc.disable()


def _ready(rows: Iterable[Measured], rounds: int, quick: bool) -> Iterator[_Runner]:
    for row in rows:
        package = row.way.package
        if package is not None and not package.installed:
            row.missing = package.advice
            continue
        most = 1 if quick and row.way.rounds else row.way.rounds or rounds
        try:
            yield _Runner(row, row.way.prepare(), min(rounds, most))
        except Exception as error:  # a peer may fail in any way, and the others go on
            row.error = _told(error)


def _sample(benchmark: Benchmark, one: _Runner, counts: bool, clock: Clock) -> None:
    try:
        run = one.fresh()
        gc.collect()
        start = clock()
        returned = run()
        seconds = clock() - start
        one.result = one.row.way.read(returned) if benchmark.difference else None
    except Exception as error:
        one.row.error = _told(error)
        return
    if counts:
        raw = seconds if benchmark.timed else float(returned)
        one.row.figures.append(raw * benchmark.scale / one.row.way.per)


def _told(error: Exception) -> str:
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0][:120]}" if lines else type(error).__name__


def _compare(benchmark: Benchmark, first: Measured, runners: list[_Runner]) -> None:
    """Note for each way the largest difference so far between what it computed and what the first way did in the same round."""
    if benchmark.difference is None or not runners or runners[0].row is not first or first.error:
        return
    for one in runners[1:]:
        if one.works:
            far = benchmark.difference(runners[0].result, one.result)
            so_far = one.row.difference
            # a nan is a disagreement, and max() would lose it
            one.row.difference = far if so_far is None or not far <= so_far else so_far


def _checks(benchmark: Benchmark, rows: list[Measured]) -> Iterator[Check]:
    own = [row for row in rows if not row.is_peer]
    for row in own:
        if row.error:
            yield Check(f"{row.way.name} failed: {row.error}", False, fault=True)
    for row in rows:
        if row.difference is not None:
            agrees = row.difference <= benchmark.agree
            verb = "agree" if agrees else "DISAGREE"
            text = f"results of {rows[0].way.name} and {row.way.name} {verb}: they differ by {row.difference:.1g} of their size"
            yield Check(f"{text}, at most {benchmark.agree:g} is allowed", agrees, fault=True)
    medians = [row.median for row in own if row.median is not None]
    if benchmark.at_most is not None and medians:
        text = f"at most {benchmark.at_most:g} {benchmark.unit}"
        yield Check(text, max(medians) <= benchmark.at_most)
    if benchmark.flat is not None and len(medians) > 1:
        least = [
            min(row.figures) for row in own if row.figures
        ]  # of all figures, the least depend least on other programs
        spread = max(least) / min(least)
        text = f"about the same for each: they differ by a factor of {spread:.2f}, at most {benchmark.flat:g} is allowed"
        yield Check(text, spread <= benchmark.flat)
    for row in rows:
        wanted, first = benchmark.times_faster.get(row.way.name), rows[0].median
        if wanted is not None and first and row.median is not None:
            ratio = row.median / first
            yield Check(f"{ratio:.1f} times faster than {row.way.name}, at least {wanted:g}", ratio >= wanted)
