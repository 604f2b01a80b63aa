"""Neurons, layers and a multi-layer perceptron over `Value`: small enough to draw node by node.

A neuron is one product per weight and one sum node (Σ) over the products and the bias, then its activation. Layers and neurons are
scopes, so that pictures fold them. Source: the classes follow micrograd (Karpathy, 2020).
"""

from __future__ import annotations

import operator
import random
from collections.abc import Sequence
from typing import Any

from gradlab.errors import ArgumentError, ShapeError
from gradlab.graph.recording import scope
from gradlab.graph.value import Value, weighted_sum

# methods, which need not ask what they were given
ACTIVATIONS: dict[str, Any] = {
    "relu": Value.relu,
    "tanh": Value.tanh,
    "sigmoid": Value.sigmoid,
    "linear": None,
}
_WORDS = {"relu": "ReLU", "tanh": "Tanh", "sigmoid": "Sigmoid", "linear": "Linear"}


def _size(n: Any, of: str) -> int:
    """A number of inputs or neurons. Raises ArgumentError GL090 unless it is a whole number of at least 1."""
    if isinstance(n, bool) or not hasattr(n, "__index__") or operator.index(n) < 1:
        raise ArgumentError("GL090", f"{of} is {n!r}", "It must be a whole number of at least 1")
    return operator.index(n)


def _count(x: Any) -> int:
    try:
        return len(x)
    except TypeError:
        what = f"a model was called with {type(x).__name__}"
        fix = "Write the inputs as a list, [x] for a single one"
        raise ShapeError("GL090", what, "It takes a list of numbers or Values", fix) from None


class Module:
    """What neurons, layers and networks share: parameters that can be listed and whose gradients can be forgotten."""

    def parameters(self) -> list[Value]:
        """Every parameter once, in a fixed order."""
        return []

    def zero_grad(self) -> None:
        """Forget the gradients of all parameters, so that the next backward() starts from nothing."""
        for parameter in self.parameters():
            parameter._grad = None


class Neuron(Module):
    """activation(w₁x₁ + … + wₙxₙ + b). Shapes: n numbers → one Value.

    Weights are drawn uniformly from (-1, 1) by Python's `random`, or by `rng`; the bias starts at 0. `nonlin=False` leaves the
    activation out, as in micrograd. Raises ShapeError GL090 for another number of inputs.
    """

    def __init__(self, nin: int, nonlin: bool = True, activation: str = "relu", rng: Any = random) -> None:
        if activation not in ACTIVATIONS:
            raise ArgumentError(
                "GL090", f"there is no activation {activation!r}", f"Choose one of {', '.join(ACTIVATIONS)}"
            )
        places = range(1, _size(nin, "the number of inputs") + 1)
        self.w = [Value(rng.uniform(-1, 1), label=f"w{i}", kind="parameter") for i in places]
        self.b = Value(0.0, label="b", kind="parameter")
        self.activation = activation if nonlin else "linear"

    def __call__(self, x: Sequence[Any]) -> Value:
        """The output for inputs x, numbers or Values."""
        if _count(x) != len(self.w):
            what = f"this neuron has {len(self.w)} weights and was given {len(x)} inputs"
            raise ShapeError("GL090", what, "There must be one input for each weight")
        act = weighted_sum(self.w, x, self.b)
        function = ACTIVATIONS[self.activation]
        return act if function is None else function(act)

    def parameters(self) -> list[Value]:
        """The weights, then the bias."""
        return [*self.w, self.b]

    def __repr__(self) -> str:
        return f"{_WORDS[self.activation]}Neuron({len(self.w)})"


class Layer(Module):
    """`nout` neurons that see the same `nin` inputs. Shapes: nin numbers → list of nout Values, or one Value if nout is 1."""

    def __init__(self, nin: int, nout: int, **kwargs: Any) -> None:
        self.neurons = [Neuron(nin, **kwargs) for _ in range(_size(nout, "the number of neurons"))]
        self._scopes = [f"neuron{i}" for i in range(1, nout + 1)]

    def __call__(self, x: Sequence[Any]) -> Any:
        """The outputs of all neurons."""
        out = []
        for name, neuron in zip(self._scopes, self.neurons, strict=True):
            with scope(name):
                out.append(neuron(x))
        return out[0] if len(out) == 1 else out

    def parameters(self) -> list[Value]:
        """The parameters of all neurons."""
        return [p for neuron in self.neurons for p in neuron.parameters()]

    def __repr__(self) -> str:
        return f"Layer of [{', '.join(str(neuron) for neuron in self.neurons)}]"


class MLP(Module):
    """Layers one after the other; the last has no activation. `MLP(2, [16, 16, 1])` takes 2 numbers and gives one.

    Shapes: nin numbers → nouts[-1] Values (one Value if that is 1).
    """

    def __init__(self, nin: int, nouts: Sequence[int], activation: str = "relu", rng: Any = random) -> None:
        if not isinstance(nouts, (list, tuple)) or not nouts:
            raise ArgumentError(
                "GL090", f"the layer sizes are {nouts!r}", "They are a list, such as [16, 16, 1]"
            )
        sizes = [nin, *nouts]
        last = len(nouts) - 1
        self.layers = [
            Layer(sizes[i], sizes[i + 1], nonlin=i != last, activation=activation, rng=rng)
            for i in range(len(nouts))
        ]
        self._scopes = [f"layer{i}" for i in range(1, len(nouts) + 1)]

    def __call__(self, x: Sequence[Any]) -> Any:
        """The prediction for inputs x, numbers or Values."""
        _count(x)
        out: Any = [
            one if isinstance(one, Value) else Value(one, label=f"x{i}") for i, one in enumerate(x, 1)
        ]
        for name, layer in zip(self._scopes, self.layers, strict=True):
            if isinstance(out, Value):
                out = [out]
            with scope(name):
                out = layer(out)
        return out

    def parameters(self) -> list[Value]:
        """The parameters of all layers."""
        return [p for layer in self.layers for p in layer.parameters()]

    def __repr__(self) -> str:
        return f"MLP of [{', '.join(str(layer) for layer in self.layers)}]"
