"""Benchmarks as data: what is measured, how gradlab and each peer do it, and what should come out."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Run = Callable[[], Any]
"""What is timed. It returns what was computed or, in a benchmark that is not `timed`, the number itself."""

Fresh = Callable[[], Run]
"""Called before each sample and not timed: makes what the run works on."""

SECONDS_TO = {"s": 1.0, "ms": 1e3, "µs": 1e6, "ns": 1e9}


@dataclass(frozen=True)
class Package:
    """A library that may be absent: the module to look for, the distribution that brings it, and what pip is asked for."""

    module: str
    distribution: str
    requirement: str

    @property
    def installed(self) -> bool:
        """Whether it is there; it is not imported for that."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """Its installed version, or an empty text."""
        try:
            return importlib.metadata.version(self.distribution)
        except importlib.metadata.PackageNotFoundError:
            return ""

    @property
    def advice(self) -> str:
        """How to install it."""
        return f"pip install {self.requirement}"


@dataclass(frozen=True)
class Way:
    """One way to do it: gradlab's (without a `package`), or a peer's.

    `prepare` runs once and imports what it needs. `per` divides the figure, for figures per input or per node. `rounds` is the most
    samples it takes part in, for slow peers. `read` gives, untimed, what is compared with the other ways.
    """

    name: str
    prepare: Callable[[], Fresh]
    package: Package | None = None
    per: int = 1
    rounds: int | None = None
    read: Callable[[Any], Any] = field(default=lambda result: result)


@dataclass(frozen=True)
class Benchmark:
    """One row of a topic. The first way is the one that others are compared with.

    Targets: `at_most` bounds the median of every way of gradlab, `times_faster` is the least ratio to a peer by name, `flat` the
    factor by which the least figures of gradlab's own ways may differ. `difference` says how far two results are apart, relatively,
    and `agree` how far they may be.
    """

    name: str
    unit: str
    ways: tuple[Way, ...]
    note: str = ""
    timed: bool = True
    rounds: int = 7
    at_most: float | None = None
    times_faster: Mapping[str, float] = field(default_factory=dict)
    flat: float | None = None
    difference: Callable[[Any, Any], float] | None = None
    agree: float = 0.0

    @property
    def scale(self) -> float:
        """What a raw figure is multiplied with: seconds become the unit, counts stay."""
        return SECONDS_TO[self.unit.split()[0]] if self.timed else 1.0


def every_time(run: Run) -> Fresh:
    """For a run that needs nothing new for each sample."""
    return lambda: run
