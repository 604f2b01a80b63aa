"""The topics of `gradlab bench`: one file each, with a table `BENCHMARKS`."""

from __future__ import annotations

import importlib

from gradlab.bench.model import Benchmark

TOPICS = {
    "scalar": "gradlab.bench.topics.scalar",
    "pictures": "gradlab.bench.topics.pictures",
}


def benchmarks(topic: str) -> tuple[Benchmark, ...]:
    """The table of a topic. It is imported only when asked for."""
    table: tuple[Benchmark, ...] = importlib.import_module(TOPICS[topic]).BENCHMARKS
    return table
