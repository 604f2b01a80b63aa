"""Graphs that many pictures are tested with."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

import gradlab as gl
from gradlab.viz import layout


@pytest.fixture(autouse=True)
def _fresh_layouts() -> Iterator[None]:
    layout.forget_layouts()
    yield
    layout.forget_layouts()


def first_example(backward: bool = True) -> gl.Value:
    """loss = (x·w + b − target)² at x = 2, w = −3, b = 1, target = 4: every gradient is easily found by hand."""
    x, w, b, target = (
        gl.Value(v, label=n) for v, n in ((2.0, "x"), (-3.0, "w"), (1.0, "b"), (4.0, "target"))
    )
    prediction = x * w + b
    error = prediction - target
    loss = error**2
    prediction.label, error.label, loss.label = "prediction", "error", "loss"
    if backward:
        loss.backward()
    return loss


def square() -> gl.Value:
    """y = x·x at x = 3, backward done."""
    x = gl.Value(3.0, label="x")
    y = x * x
    y.label = "y"
    y.backward()
    return y


def network(points: int = 1, scopes: bool = True) -> gl.Value:
    """The mean loss of a 2-16-16-1 network over some points."""
    rng = random.Random(0)
    model = gl.nn.scalar.MLP(2, [16, 16, 1], rng=rng)
    total = gl.Value(0.0, kind="constant")
    for _ in range(points):
        inputs = [gl.Value(rng.uniform(-1, 1), label=f"x{i}") for i in (1, 2)]
        total = total + (_plain(model, inputs) if not scopes else model(inputs)) ** 2
    loss = total / points
    loss.label = "loss"
    return loss


def _plain(model: object, x: list[gl.Value]) -> gl.Value:
    """The same network as people write it out: sums of products, no scopes."""
    for depth, layer in enumerate(model.layers):
        sums = [sum((w * one for w, one in zip(n.w, x, strict=True)), n.b) for n in layer.neurons]
        x = sums if depth == len(model.layers) - 1 else [one.relu() for one in sums]
    return x[0]


def sixty() -> gl.Value:
    """About sixty cards: four neurons of four inputs, and a loss."""
    rng = random.Random(1)
    xs = [gl.Value(rng.uniform(-2, 2), label=f"x{i}") for i in range(4)]
    hidden = []
    for j in range(4):
        total = gl.Value(0.1, label=f"b{j}")
        for i, x in enumerate(xs[: 4 - j % 2]):
            total = total + x * gl.Value(rng.uniform(-1, 1), label=f"w{j}{i}")
        hidden.append(total.tanh())
    loss = (sum(hidden[1:], hidden[0]) - 1.0) ** 2
    loss.label = "loss"
    loss.backward()
    return loss


GRAPHS: dict[str, Callable[[], gl.Value]] = {
    "first example": first_example,
    "x·x": square,
    "sixty cards": sixty,
    "network": network,
}


@pytest.fixture
def loss() -> gl.Value:
    return first_example()


@pytest.fixture(params=GRAPHS, ids=str)
def any_graph(request: pytest.FixtureRequest) -> gl.Value:
    return GRAPHS[request.param]()


@pytest.fixture
def make() -> dict[str, Callable[..., gl.Value]]:
    """The makers of graphs by name."""
    return {"first": first_example, "square": square, "network": network, "sixty": sixty}


HOSTILE_LABELS = {
    "markup": "<b>&amp;</b><script>alert(1)</script>",
    "record": "{a|b}|<port>",
    "quotes": "\"double\" and 'single'",
    "backslash": "back\\slash\\n\\l\\",
    "dot syntax": "a; b: c -> d & e // f # g",
    "newline": "two\nlines",
    "tab": "two\tcolumns",
    "control": "nul\0 bell\x07 escape\x1b delete\x7f c1\x85",
    "emoji": "family 👩‍👩‍👧 and 😀",
    "right to left": "שלום עולם",
    "override": "abc\u202edef",
    "surrogate": "half \ud800 pair",
    "no character": "end \ufffe\uffff",
    "long": "x" * 10_240,
    "mathematics": "$\\alpha$ {0} %s",
    "cdata": "]]> <![CDATA[",
    "spaces": "  two  spaces  ",
}


@pytest.fixture(params=HOSTILE_LABELS, ids=str)
def hostile_label(request: pytest.FixtureRequest) -> str:
    return HOSTILE_LABELS[request.param]


@pytest.fixture
def hostile_labels() -> list[str]:
    return list(HOSTILE_LABELS.values())
