"""`Value`: a node that holds one Python float. It needs nothing but the standard library."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from gradlab.backends import number, scalar
from gradlab.errors import ArgumentError, GraphError, OperandError
from gradlab.graph import scalar_walk, walk
from gradlab.graph.copying import install_copying
from gradlab.graph.node import (
    COMPARISONS,
    METHODS,
    MIRRORED,
    OPERATORS,
    Node,
    install_methods,
    mark_changed,
    next_index,
)
from gradlab.graph.protocols import install_protocols, refuse
from gradlab.graph.recording import Scope, state
from gradlab.graph.scalar_walk import MANY
from gradlab.graph.single import delegate, is_single, refuse_operand, to_float
from gradlab.op import REGISTRY, Op
from gradlab.ops.elementwise import total
from gradlab.ops.leaf import CONSTANT, KINDS


class Value(Node):
    """One number in a graph: its value, its gradient, and how it was computed.

    `data` is a float. `grad` is the derivative of the node on which `backward()` was called with respect to this one; it is 0.0
    before, and pictures show it as "–" until it is computed. `label` is its name in pictures. `kind` says what a leaf is: "input",
    "parameter" or "constant" (no gradient). Shapes: none, one number. Raises DataError GL001 for anything that is not one number.

    >>> x = gl.Value(2.0, label="x")
    >>> y = x * x
    >>> y.backward()
    >>> x.grad
    4.0

    Source: the names follow micrograd (Karpathy, 2020).
    """

    # Inputs sit in two slots, not in a tuple: half as many objects for Python's garbage collector to look at.
    __slots__ = ("_x", "_y")

    def __init__(self, data: object, label: str = "", kind: str | None = None) -> None:
        if kind not in KINDS:
            raise ArgumentError(
                "GL014", f"kind is {kind!r}", "A leaf is an 'input', a 'parameter' or a 'constant'"
            )
        self.primal = data if data.__class__ is float else to_float(data)
        self.op = KINDS[kind]
        self._x = self._y = None
        self.index = next_index()
        self.changed = 0
        self.label = label
        self.scope = state.scope or ()
        self._grad = None

    @staticmethod
    def __gradlab_apply__(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        if not _VALUES.issuperset(map(type, args)):
            args = tuple(
                [
                    one if one.__class__ is Value else as_constant(one, op, slot)
                    for slot, one in enumerate(args)
                ]
            )
        if "scalar" not in op.tags:
            what = f"{op.name} works on arrays, and a Value is one number"
            raise OperandError("GL002", what, fix="Use gradlab.tensor(...) instead of Value")
        primal = op.forward(scalar, *[node.primal for node in args])
        return primal if "comparison" in op.tags else record(op, args, primal)

    @property
    def inputs(self) -> tuple[Value, ...]:  # type: ignore[override]
        """The nodes this one was computed from, in argument order; a node used twice is there twice."""
        x, y = self._x, self._y
        if y is None:
            return () if x is None else (x,)
        return x if y is MANY else (x, y)

    @property
    def is_leaf(self) -> bool:
        """Whether nobody computed this node: it was given."""
        return self._x is None

    @property
    def needs_grad(self) -> bool:  # type: ignore[override]
        """Whether a gradient is computed for this node: for all but constants."""
        return self.op is not CONSTANT

    @property
    def data(self) -> float:
        """The number. Setting it is noticed: a graph that used the old number refuses to run backward through it."""
        return self.primal

    @data.setter
    def data(self, data: object) -> None:
        self.primal = to_float(data)
        mark_changed(self)

    @property
    def grad(self) -> float:
        """The gradient; 0.0 before backward()."""
        return 0.0 if self._grad is None else self._grad

    @grad.setter
    def grad(self, grad: object) -> None:
        self._grad = None if grad is None else to_float(grad)

    def backward(self) -> None:
        """Compute the gradient of this node with respect to every node it depends on.

        Leaves add it to what they have (so a second call gives twice as much); nodes in between hold the gradient of this call.
        Raises GraphError GL031 when nothing was recorded, GL032 when a value was changed after it was used.
        """
        if self.op is CONSTANT:
            what = "backward() was called on a number for which nothing was recorded"
            fix = "Compute it outside no_grad(), from a Value"
            raise GraphError("GL031", what, "It is a constant, or was computed under no_grad()", fix)
        scalar_walk.backward(self)

    def _backward(self) -> None:
        """micrograd's single step: hand this node's gradient on to its inputs, adding to what they have."""
        for _, node, contribution in walk.contributions(self, self.grad, False):
            node._grad = contribution if node._grad is None else node._grad + contribution

    # --- what the walks ask of a node ---

    def fit(self, contribution: Any, target: Node, record: bool) -> Any:
        """A contribution in the form its target needs; numbers always fit."""
        return contribution

    def ones(self) -> float:
        """The seed that makes a local derivative out of a rule."""
        return 1.0

    def seed_like(self, seed: Any, record: bool) -> Any:
        """A seed for walking back from this node: 1 unless given; a node when the walk itself is recorded."""
        if record and seed.__class__ is Value:
            return seed
        number = 1.0 if seed is None else seed.primal if seed.__class__ is Value else to_float(seed)
        return Value(number, kind="constant") if record else number

    def quiet(self) -> AbstractContextManager[Any]:
        """Where the walk does its arithmetic; floats need no precautions."""
        return nullcontext()

    def copy_with(self, inputs: tuple[Any, ...], primal: Any) -> Value:
        """This node again, with other inputs. A leaf takes `primal`; an op computes its own."""
        if inputs:
            copy = record(self.op, inputs, self.op.forward(scalar, *[one.primal for one in inputs]))
        else:
            copy = Value(0.0)
            copy.op = self.op
            copy.primal = primal if primal.__class__ is bool else to_float(primal)
        copy.label, copy.scope = self.label, self.scope
        return copy

    def detach(self) -> Value:
        """A new leaf with the same number, cut off from the graph."""
        return Value(self.primal, label=self.label)

    def item(self) -> float:
        """The number, as PyTorch and NumPy call it."""
        return self.primal

    def __repr__(self) -> str:
        name = f"{self.label}, " if self.label else ""
        grad = "–" if self._grad is None else f"{self._grad}"
        return f"Value({name}data={self.primal}, grad={grad})"

    def __format__(self, spec: str) -> str:
        return format(self.primal, spec) if spec else repr(self)

    def __float__(self) -> float:
        return self.primal

    def __int__(self) -> int:
        return int(self.primal)

    def __bool__(self) -> bool:
        return self.primal != 0.0

    def link(self, inputs: tuple[Any, ...]) -> None:
        """Set the inputs of a new node."""
        many = len(inputs) > 2 or self.op.variadic
        self._x, self._y = (inputs, MANY) if many else (*inputs, None, None)[:2]  # type: ignore[assignment]


_new = object.__new__
_VALUES = frozenset({Value})


def as_constant(other: Any, op: Op, slot: int | None = None) -> Value:
    """A plain number beside a Value, as a constant node. Raises OperandError GL002 or GL003 for what is not a number."""
    if other.__class__ is not float and not is_single(other):
        refuse_operand(op, other)
    node = Value(other, kind="constant")
    if isinstance(other, bool) and slot is not None and op.vjp[0 if op.variadic else slot] is None:
        node.primal = other  # the condition of `where` stays a boolean
    return node


def record(op: Op, inputs: tuple[Value, ...], primal: float) -> Value:
    """A node that remembers its op and inputs; a constant under `no_grad`."""
    if len(inputs) > 2 or op.variadic:
        return _record(op, inputs, MANY, primal, state.scope)
    return _record(op, inputs[0], inputs[1] if len(inputs) == 2 else None, primal, state.scope)


def _record(op: Op, x: Any, y: Any, primal: float, scope: Scope | None) -> Value:
    node = _new(Value)
    node.primal = primal
    if scope is None:
        node.op, node._x, node._y, node.scope = CONSTANT, None, None, ()
    else:
        node.op = op
        node._x = x
        node._y = y
        node.scope = scope
    node.index = next_index()
    node.changed = 0
    node.label = ""
    node._grad = None
    return node


def weighted_sum(weights: Sequence[Any], xs: Sequence[Any], bias: Any) -> Any:
    """bias + w₁x₁ + … + wₙxₙ: the nodes that `total(bias, *products)` records, at once, because neurons spend their time here."""
    if not _VALUES.issuperset(map(type, (bias, *weights, *xs))):
        return total(bias, *[w * x for w, x in zip(weights, xs, strict=True)])
    scope, pairs = state.scope, zip(weights, xs, strict=True)
    products = [_record(_MULTIPLY, w, x, w.primal * x.primal, scope) for w, x in pairs]
    terms = (bias, *products)
    return _record(_TOTAL, terms, MANY, sum([term.primal for term in terms]), scope)


_MULTIPLY, _TOTAL = REGISTRY["multiply"], REGISTRY["total"]


def _binary_operator(op: Op, swap: bool, reflected: str) -> Callable[..., Any]:
    forward = op.forward

    def operator(self: Value, other: Any) -> Any:
        if other.__class__ is not Value:
            if not is_single(other):
                return refuse_operand(op, other) if swap else delegate(other, reflected, self, op)
            other = Value(other, kind="constant")
        x, y = (other, self) if swap else (self, other)
        return _record(op, x, y, forward(scalar, x.primal, y.primal), state.scope)

    return operator


def _unary_method(op: Op) -> Callable[..., Any]:
    forward = op.forward

    def method(self: Value) -> Any:
        return _record(op, self, None, forward(scalar, self.primal), state.scope)

    method.__name__ = op.name
    method.__doc__ = op.doc
    return method


def _comparison(op: Op, method: str) -> Callable[..., Any]:
    def compare(self: Value, other: Any) -> Any:
        if other.__class__ is Value:
            return op.forward(scalar, self.primal, other.primal)
        if isinstance(other, numbers.Real):  # as it is: a whole number may be larger than any float
            return bool(op.forward(scalar, self.primal, other))
        if is_single(other):
            return op.forward(scalar, self.primal, number(other))
        return delegate(other, MIRRORED[method], self, op) if method in MIRRORED else NotImplemented

    return compare


def _install() -> None:
    install_methods(Value, METHODS)
    install_protocols(Value)
    install_copying(Value)
    for name in METHODS:
        op = REGISTRY.get(name)
        if op is not None and len(op.arg_names) == 1:
            setattr(Value, name, _unary_method(op))
    for method, (name, swap) in OPERATORS.items():
        reflected = "__r" + method.removeprefix("__")
        setattr(Value, method, _binary_operator(REGISTRY[name], swap, reflected))
    for method, name in COMPARISONS.items():
        setattr(Value, method, _comparison(REGISTRY[name], method))
    Value.__neg__ = _unary_method(REGISTRY["negative"])  # type: ignore[method-assign]
    for method in ("__matmul__", "__rmatmul__"):
        setattr(
            Value, method, refuse("@", "It multiplies matrices, and a Value is one number", "Use * instead")
        )


_install()
