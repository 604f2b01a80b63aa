"""One training step of a small network on two half moons, as gradlab, micrograd and three array libraries take it.

Everybody starts with the same weights, sees the same points, and returns the loss with the gradient of each parameter, in the same
order: for each neuron its weights, then its bias. The step is that of micrograd's demo: forward, hinge loss with L2, backward, update.
Each sample takes the first step again: over many steps rounding alone drives two trainings apart.
"""

from __future__ import annotations

import importlib
import itertools
import math
import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from gradlab.bench.model import Fresh, Run, every_time

SIZES = (2, 16, 16, 1)
POINTS = 100
SEED = 1337
RATE, L2 = 0.1, 1e-4

Gradients = tuple[float, list[float]]


@cache
def points() -> tuple[list[list[float]], list[float]]:
    """Two interleaved half circles with noise, by the formula of scikit-learn's make_moons (which is not needed), labels -1 and 1."""
    rng = random.Random(1)
    xs, labels = [], []
    for i in range(POINTS // 2):
        angle = math.pi * i / (POINTS // 2 - 1)
        upper, lower = (math.cos(angle), math.sin(angle)), (1 - math.cos(angle), 0.5 - math.sin(angle))
        for (x, y), label in ((upper, -1.0), (lower, 1.0)):
            xs.append([x + rng.gauss(0, 0.1), y + rng.gauss(0, 0.1)])
            labels.append(label)
    return xs, labels


def start() -> list[float]:
    """The first parameters, as micrograd draws them."""
    rng = random.Random(SEED)
    parameters = []
    for inputs, neurons in itertools.pairwise(SIZES):
        for _ in range(neurons):
            parameters += [rng.uniform(-1, 1) for _ in range(inputs)] + [0.0]
    return parameters


def difference(one: Gradients, other: Gradients) -> float:
    """How far two results are apart: the largest relative difference of the losses and of each gradient."""
    pairs = [(one[0], other[0]), *zip(one[1], other[1], strict=True)]
    return max((_relative(x, y) for x, y in pairs), key=lambda far: (far != far, far))


def _relative(x: float, y: float) -> float:
    return 0.0 if x == y else abs(x - y) / max(abs(x), abs(y))


# --- over single numbers: gradlab and micrograd, each with its own network ---


def with_model(mlp: Any, value: Any, total: Callable[[Sequence[Any]], Any]) -> Fresh:
    """The step with a library's own MLP over its own values; `total` is how it adds up many of them."""
    random.seed(SEED)
    model = mlp(SIZES[0], list(SIZES[1:]))
    first = [p.data for p in model.parameters()]
    xs, labels = points()

    def fresh() -> Run:
        for p, number in zip(model.parameters(), first, strict=True):
            p.data = number
        return step

    def step() -> tuple[float, Any]:
        scores = [model([value(x) for x in row]) for row in xs]
        losses = [(1 + -label * score).relu() for label, score in zip(labels, scores, strict=True)]
        loss = total(losses) * (1.0 / len(losses)) + L2 * total([p * p for p in model.parameters()])
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= RATE * p.grad
        return loss.data, model

    return fresh


def read_model(returned: tuple[float, Any]) -> Gradients:
    """The loss and the gradients that a step left in its model."""
    loss, model = returned
    return loss, [p.grad for p in model.parameters()]


def gradlab() -> Fresh:
    """gradlab's step."""
    import gradlab as gl
    from gradlab.nn.scalar import MLP

    return with_model(MLP, gl.Value, gl.sum)


def micrograd() -> Fresh:
    """micrograd's step."""
    from micrograd.engine import Value
    from micrograd.nn import MLP

    return with_model(MLP, Value, sum)


# --- over arrays without axes: the same network spelled out, since these libraries have none over single numbers ---


def loss_of(parameters: Sequence[Any], relu: Callable[[Any], Any]) -> Any:
    """The same loss from a flat list of parameters, in whatever they are made of."""
    layers = _layers(parameters)
    xs, labels = points()
    loss: Any = 0.0
    for row, label in zip(xs, labels, strict=True):
        outputs: list[Any] = list(row)
        for place, layer in enumerate(layers):
            sums = [_neuron(neuron, outputs) for neuron in layer]
            outputs = sums if place == len(layers) - 1 else [relu(one) for one in sums]
        loss = loss + relu(1 + -label * outputs[0])
    squares: Any = 0.0
    for p in parameters:
        squares = squares + p * p
    return loss * (1.0 / POINTS) + L2 * squares


def _layers(parameters: Sequence[Any]) -> list[list[list[Any]]]:
    each = iter(parameters)
    shapes = itertools.pairwise(SIZES)
    return [[[next(each) for _ in range(i + 1)] for _ in range(n)] for i, n in shapes]


def _neuron(neuron: Sequence[Any], inputs: Sequence[Any]) -> Any:
    act = neuron[-1]
    for w, x in zip(neuron, inputs, strict=False):
        act = act + w * x
    return act


def torch() -> Fresh:
    """PyTorch's step, on 0-d tensors of 64-bit floats."""
    import torch as library

    def fresh() -> Run:
        parameters = [library.tensor(p, dtype=library.float64, requires_grad=True) for p in start()]
        return lambda: step(parameters)

    def step(parameters: Sequence[Any]) -> Gradients:
        loss = loss_of(parameters, library.relu)
        loss.backward()
        with library.no_grad():
            for p in parameters:
                p -= RATE * p.grad
        return loss.item(), [p.grad.item() for p in parameters]

    return fresh


def mygrad() -> Fresh:
    """MyGrad's step, on 0-d tensors."""
    library: Any = importlib.import_module("mygrad")  # its types say less than what it does

    def step() -> Gradients:
        parameters = [library.tensor(p) for p in start()]
        loss = loss_of(parameters, lambda x: library.maximum(x, 0.0))
        loss.backward()
        for p in parameters:
            p.data -= RATE * p.grad
        return loss.item(), [float(p.grad) for p in parameters]

    return every_time(step)


def autograd() -> Fresh:
    """The step of HIPS autograd, on NumPy numbers."""
    import autograd.numpy as library
    from autograd import value_and_grad

    both = value_and_grad(lambda parameters: loss_of(parameters, lambda x: library.maximum(x, 0.0)))

    def step() -> Gradients:
        parameters = start()
        loss, gradients = both(parameters)
        parameters[:] = [p - RATE * g for p, g in zip(parameters, gradients, strict=True)]
        return float(loss), [float(g) for g in gradients]

    return every_time(step)
