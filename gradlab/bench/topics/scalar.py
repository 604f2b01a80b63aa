"""Topic `scalar`: the engine on single numbers. How fast, how deep, how wide, how large, and what it leaves behind."""

from __future__ import annotations

from functools import partial

from gradlab.bench import graphs, moons, starting
from gradlab.bench.model import Benchmark, Way
from gradlab.bench.peers import AUTOGRAD, MICROGRAD, MYGRAD, NUMPY, TORCH

DEPTH = 100_000
WIDTHS = (500, 2_000, 8_000)


def _by_width(kind: str) -> tuple[Way, ...]:
    return tuple(Way(f"{n:,} inputs", partial(graphs.fan_in, kind, n), per=n) for n in WIDTHS)


BENCHMARKS = (
    Benchmark(
        "One training step of the moons MLP 2-16-16-1 on 100 points",
        "ms",
        (
            Way("gradlab", moons.gradlab, read=moons.read_model),
            Way("micrograd", moons.micrograd, MICROGRAD, read=moons.read_model),
            Way("PyTorch", moons.torch, TORCH, rounds=2),
            Way("autograd", moons.autograd, AUTOGRAD, rounds=1),
            Way("MyGrad", moons.mygrad, MYGRAD, rounds=1),
        ),
        note="Forward, hinge loss with L2, backward, update; every product is a node. gradlab and micrograd use their own nn.MLP, the "
        "others the same network on arrays without axes. Same seed and points (by gradlab's own formula, without scikit-learn).",
        times_faster={"micrograd": 10},
        difference=moons.difference,
        agree=1e-12,
    ),
    Benchmark(
        f"A chain of {DEPTH:,} products: recording it",
        "ms",
        (
            Way("gradlab", partial(graphs.build_chain, graphs.gradlab_leaf, DEPTH)),
            Way("PyTorch", partial(graphs.build_chain, graphs.torch_leaf, DEPTH), TORCH),
        ),
        note="micrograd walks back by recursion, so it cannot go this deep.",
        rounds=5,
    ),
    Benchmark(
        f"A chain of {DEPTH:,} products: backward",
        "ms",
        (
            Way("gradlab", partial(graphs.pull_chain, graphs.gradlab_leaf, DEPTH)),
            Way("PyTorch", partial(graphs.pull_chain, graphs.torch_leaf, DEPTH), TORCH),
        ),
        rounds=5,
    ),
    Benchmark(
        f"A chain of {DEPTH:,} products: freeing it",
        "ms",
        (
            Way("gradlab", partial(graphs.free_chain, graphs.gradlab_leaf, DEPTH)),
            Way("PyTorch", partial(graphs.free_chain, graphs.torch_leaf, DEPTH), TORCH),
        ),
        rounds=5,
    ),
    Benchmark(
        "Fan-in as one sum node: recording and backward",
        "ns per input",
        _by_width("total"),
        note="gl.sum of a list of Values. Linear means the same time per input for every width.",
        flat=2.0,
    ),
    Benchmark("Fan-in as a chain of +: recording and backward", "ns per input", _by_width("chain"), flat=2.0),
    Benchmark(
        "Memory of a scalar node",
        "bytes",
        (
            Way("gradlab", partial(graphs.bytes_per_node, graphs.gradlab_leaf)),
            Way("micrograd", partial(graphs.bytes_per_node, graphs.micrograd_leaf), MICROGRAD),
        ),
        note="A recorded product with its number, by tracemalloc.",
        timed=False,
        rounds=2,
        at_most=300,
    ),
    Benchmark(
        "Objects left behind by 300 graphs with the collector off",
        "objects",
        (
            Way("gradlab", partial(graphs.left_behind, graphs.gradlab_leaf)),
            Way("micrograd", partial(graphs.left_behind, graphs.micrograd_leaf), MICROGRAD),
        ),
        note="Each graph is recorded, run backward and dropped.",
        timed=False,
        rounds=2,
        at_most=0,
    ),
    Benchmark(
        "Starting: import and the first scalar, in a new process",
        "ms",
        (
            Way("gradlab", partial(starting.milliseconds_of, "import gradlab; gradlab.Value(2.0)")),
            Way("micrograd", partial(starting.milliseconds_of, starting.MICROGRAD), MICROGRAD),
            Way(
                "PyTorch",
                partial(starting.milliseconds_of, "import torch; torch.tensor(2.0)"),
                TORCH,
                rounds=2,
            ),
        ),
        note="Timed inside the new process, without the start of Python itself.",
        timed=False,
        rounds=7,
    ),
    Benchmark(
        "Starting: what the first tensor takes over `import numpy`",
        "ms",
        (
            Way("gradlab", partial(starting.milliseconds_of, starting.TENSOR, "import numpy")),
            Way("NumPy", partial(starting.milliseconds_of, "import numpy"), NUMPY),
        ),
        note="gradlab: import and gl.tensor, in a process that has imported NumPy already. NumPy: its own import.",
        timed=False,
        rounds=7,
        at_most=150,
    ),
)
