"""The command: which topics, how thoroughly, and where the figures go."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gradlab.bench import machine, report
from gradlab.bench.model import Benchmark, Package
from gradlab.bench.runner import Result, measure
from gradlab.bench.topics import TOPICS, benchmarks
from gradlab.errors import ArgumentError, StorageError

Say = Callable[[str], None]


def parser() -> argparse.ArgumentParser:
    """The options of `gradlab bench`."""
    about = "Time gradlab beside whichever peers are installed, and compare what they compute."
    made = argparse.ArgumentParser(prog="gradlab bench", description=about)
    made.add_argument("topics", nargs="*", metavar="topic", help=f"{', '.join(TOPICS)} (default: all)")
    made.add_argument("--quick", action="store_true", help="fewer samples, so less certain figures")
    made.add_argument("--json", type=Path, metavar="PATH", help="also write all figures to this file")
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Run `gradlab bench`. Returns 1 when results disagree or gradlab itself fails; a missed target alone is shown, and returns 0.

    Raises ArgumentError GL082 for an unknown topic, StorageError GL080 when the file cannot be written.
    """
    options = parser().parse_args(argv)
    unknown = [name for name in options.topics if name not in TOPICS]
    if unknown:
        raise ArgumentError(
            "GL082", f"there is no topic {unknown[0]!r}", f"The topics are {', '.join(TOPICS)}"
        )
    if options.json is not None:
        _write(options.json, {})  # better to fail before the measuring than after it
    return run({name: benchmarks(name) for name in options.topics or TOPICS}, options.quick, options.json)


def run(
    chosen: dict[str, tuple[Benchmark, ...]], quick: bool = False, path: Path | None = None, say: Say = print
) -> int:
    """Measure these benchmarks by topic and say what came out, each as soon as it is there."""
    packages = _packages(chosen)
    where, versions = machine.describe(), machine.versions(packages)
    missing = {one.distribution: one.advice for one in packages if not one.installed}
    say(report.head(where, versions, missing))
    results: dict[str, list[Result]] = {}
    for topic, rows in chosen.items():
        say(f"\n== {topic} ==")
        results[topic] = []
        for benchmark in rows:
            results[topic].append(measure(benchmark, quick))
            say("\n" + report.text(results[topic][-1]))
    every = [result for some in results.values() for result in some]
    say("\n" + report.summary(every))
    if path is not None:
        topics = {topic: [report.data(result) for result in some] for topic, some in results.items()}
        _write(path, {"machine": machine.describe(), "versions": versions, "quick": quick, "topics": topics})
    return int(any(check.fault and not check.passed for result in every for check in result.checks))


def _packages(chosen: dict[str, tuple[Benchmark, ...]]) -> list[Package]:
    """Every peer once, in the order of the tables."""
    ways = (way for rows in chosen.values() for benchmark in rows for way in benchmark.ways)
    return list(dict.fromkeys(way.package for way in ways if way.package is not None))


def _write(path: Path, what: dict[str, Any]) -> None:
    try:
        path.write_text(json.dumps(what, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        fix = "Choose another file with --json"
        raise StorageError("GL080", f"{path} cannot be written: {error.strerror}", fix=fix) from None
