"""Topic `pictures`: how soon a graph is seen, and how soon it answers a slider. No peer draws live graphs, so there are targets only."""

from __future__ import annotations

from functools import partial

from gradlab.bench import seeing
from gradlab.bench.model import Benchmark, Way

SIXTY, THREE_HUNDRED = 11, 59  # neurons: 59 and 299 nodes

BENCHMARKS = (
    Benchmark(
        "First picture of 60 nodes",
        "ms",
        (Way("gradlab", partial(seeing.draw_first, SIXTY)),),
        note="View, layout by the first engine that works, and SVG; nothing is cached.",
        at_most=150,
    ),
    Benchmark(
        "First picture of 300 nodes",
        "ms",
        (Way("gradlab", partial(seeing.draw_first, THREE_HUNDRED)),),
        note="Over 150 visible nodes the graph is folded first.",
    ),
    Benchmark(
        "The same 60 nodes with other numbers",
        "ms",
        (Way("gradlab", partial(seeing.draw_again, SIXTY)),),
        note="The layout is cached by the shape of the graph.",
    ),
    Benchmark(
        "Explorer of 60 nodes: the kernel's part of an edit",
        "ms",
        (Way("gradlab", partial(seeing.answer_edit, SIXTY)),),
        note="The whole way from slider to picture (at most 50 ms) is measured in a browser, by tests/browser/test_speed.py and "
        "tests/browser/jupyter/test_hosts.py.",
        rounds=21,
        at_most=15,
    ),
    Benchmark(
        "Explorer of 60 nodes: the message that answers an edit",
        "kB",
        (Way("gradlab", partial(seeing.message_kilobytes, SIXTY)),),
        timed=False,
        rounds=2,
        at_most=10,
    ),
)
