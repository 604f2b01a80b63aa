"""`Tensor`: a node that holds an array of numbers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from gradlab.backends.numpy import CPU
from gradlab.errors import ArgumentError, DTypeError, GraphError, ShapeError
from gradlab.graph import walk
from gradlab.graph.arrays import beside, computable, to_array
from gradlab.graph.copying import install_copying
from gradlab.graph.inplace import install_updates
from gradlab.graph.node import (
    COMPARISONS,
    FUNCTIONS,
    NO_PARAMS,
    OPERATORS,
    Node,
    install_methods,
    mark_changed,
    next_index,
)
from gradlab.graph.protocols import install_protocols
from gradlab.graph.reading import ArrayReading
from gradlab.graph.recording import state
from gradlab.op import Op
from gradlab.ops import methods
from gradlab.ops.leaf import CONSTANT, INPUT, KINDS, PARAMETER
from gradlab.ops.shape import sum_to


class Tensor(ArrayReading, Node):
    """An array in a graph: its numbers, its gradient, and how it was computed. Make one with `gradlab.tensor(...)`.

    Shapes: any. `grad` is None before `backward()` and then has the shape and dtype of the tensor; it is kept on leaves and after
    `retain_grad()`. Raises DataError GL011 for data that are not a regular array of numbers, DTypeError GL010 for integers that
    should require a gradient.

    >>> w = gl.tensor([1.0, 2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> w.grad.tolist()
    [2.0, 4.0]

    Source: the names follow PyTorch (Paszke et al., 2019).
    """

    __slots__ = ("_retains", "inputs", "params", "requires_grad", "seed")
    STATE = (*Node.STATE, "_retains", "params", "requires_grad", "seed")

    def __init__(
        self,
        data: Any,
        label: str = "",
        requires_grad: bool = False,
        dtype: Any = None,
        kind: str | None = None,
    ) -> None:
        if kind not in KINDS or (kind == "constant" and requires_grad):
            what = "a constant cannot require a gradient" if kind == "constant" else f"kind is {kind!r}"
            raise ArgumentError("GL014", what, "A leaf is an 'input', a 'parameter' or a 'constant'")
        _fill(self, to_array(data, dtype), KINDS[kind] if kind else INPUT, label)
        if requires_grad:
            self.requires_grad_()
            self.op = KINDS[kind or "parameter"]

    @staticmethod
    def __gradlab_apply__(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        inputs = tuple(one if isinstance(one, Tensor) else leaf(one, CONSTANT) for one in beside(op, args))
        return record(op, inputs, _compute(op, inputs, params), params)

    def detach(self) -> Tensor:
        """The same numbers, cut off from the graph."""
        return leaf(self.primal, INPUT, self.label)

    @property
    def data(self) -> Tensor:
        """The same numbers, cut off from the graph. Setting it is noticed, as for Value."""
        return self.detach()

    @data.setter
    def data(self, data: Any) -> None:
        self.primal = to_array(data, self.dtype)
        mark_changed(self)

    # --- gradients ---

    @property
    def needs_grad(self) -> bool:  # type: ignore[override]
        """Whether a gradient is computed for this node."""
        return self.requires_grad

    @property
    def grad(self) -> Tensor | None:
        """The gradient, a tensor of the same shape and dtype; None before backward()."""
        return self._grad

    @grad.setter
    def grad(self, grad: Any) -> None:
        array = None if grad is None else to_array(grad, self.dtype)
        if array is not None and array.shape != self.shape:
            what = f"a gradient of shape {array.shape} was given to a tensor of shape {self.shape}"
            raise ShapeError("GL037", what, "A gradient has the shape of its tensor")
        self._grad = None if array is None else leaf(array, CONSTANT)

    def retain_grad(self) -> None:
        """Keep the gradient of this node too, although it is not a leaf."""
        self._retains = True

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Make this leaf require a gradient. Raises DTypeError GL010 for integers."""
        if requires_grad and self.dtype.kind != "f":
            what, why = (
                f"a tensor of {self.dtype} cannot require a gradient",
                "Only floating-point numbers can",
            )
            raise DTypeError("GL010", what, why, "Write tensor(..., dtype=float, requires_grad=True)")
        if not requires_grad and self.inputs:
            what = "a computed tensor requires a gradient because its inputs do"
            raise GraphError("GL031", what, fix="Use .detach() for its numbers alone")
        self.requires_grad = requires_grad
        if not self.inputs:
            self.op = PARAMETER if requires_grad else INPUT
        return self

    def backward(self, gradient: Any = None) -> None:
        """Compute the gradients of this tensor and add them to `grad` of the leaves that require one.

        `gradient` is the seed: how much each element of this tensor counts; shapes: that of the tensor. One number needs none.
        Raises GraphError GL030 without a seed, GL031 when nothing was recorded, GL032 when a value was changed after use.
        """
        if not self.requires_grad:
            what = "backward() was called on a tensor for which nothing was recorded"
            why = "None of its inputs requires a gradient, or it was computed under no_grad()"
            raise GraphError("GL031", what, why, "Make a leaf with tensor(..., requires_grad=True)")
        seed = self.seed_like(gradient, False)
        for node, ct in walk.cotangents(self, seed).items():
            assert isinstance(node, Tensor)
            if not node.inputs or node._retains:
                arrived = np.asarray(ct, dtype=node.dtype)
                total = arrived.copy() if node._grad is None else node._grad.primal + arrived
                node._grad = leaf(total, CONSTANT)
        self.seed = seed

    # --- what the walks ask of a node ---

    def ones(self) -> Any:
        """The seed that makes a local derivative out of a rule."""
        return np.ones(self.shape, self.dtype)

    def seed_like(self, seed: Any, record: bool) -> Any:
        """A seed for walking back from this node: 1 for a single number. Raises GraphError GL030 when there are several."""
        if seed is None and self.primal.size != 1:
            many = f"how much each of its {self.numel()} elements counts"
            what = f"backward() of a tensor of shape {self.shape} needs a seed: {many}"
            raise GraphError(
                "GL030",
                what,
                fix="Call .sum() first, which counts each once, or pass a gradient of that shape",
            )
        array = self.ones() if seed is None else to_array(seed, self.dtype)
        if array.shape not in ((), self.shape):
            what = f"the seed has shape {array.shape} and the tensor {self.shape}"
            raise ShapeError("GL037", what, "A seed says for each element how much it counts")
        if array.shape != self.shape:
            array = np.full(self.shape, array)
        if not record:
            return array
        recorded = isinstance(seed, Tensor) and seed.requires_grad and seed.shape == self.shape
        return FUNCTIONS["astype"](seed, self.dtype) if recorded else leaf(array, CONSTANT)

    def quiet(self) -> AbstractContextManager[Any]:
        """Where the walk does its arithmetic: inf and nan travel on silently; ops that make them warn in gradlab's words."""
        return np.errstate(all="ignore")

    def fit(self, contribution: Any, target: Node, record: bool) -> Any:
        """A contribution with the shape and dtype of its target: summed over what was broadcast, repeated where it is smaller."""
        assert isinstance(target, Tensor)
        raw = contribution if record else np.asarray(contribution)
        if raw.shape != target.shape:
            raw = sum_to(raw, target.shape) if raw.ndim >= target.ndim and raw.shape != () else raw
            raw = FUNCTIONS["broadcast_to"](raw, target.shape) if raw.shape != target.shape else raw
        return raw if raw.dtype == target.dtype else FUNCTIONS["astype"](raw, target.dtype)

    def copy_with(self, inputs: tuple[Any, ...], primal: Any) -> Tensor:
        """This node again, with other inputs. A leaf takes `primal`; an op computes its own."""
        if inputs:
            copy = record(self.op, inputs, _compute(self.op, inputs, dict(self.params)), self.params)
        else:
            copy = leaf(to_array(primal, self.dtype), self.op)
            copy.requires_grad = self.requires_grad
        copy.label, copy.scope = self.label, self.scope
        return copy

    def link(self, inputs: tuple[Any, ...]) -> None:
        """Set the inputs of a new node."""
        self.inputs = inputs

    def __repr__(self) -> str:
        name = f"{self.label}, " if self.label else ""
        kind = f"op={self.op.name}" if self.inputs else f"dtype={self.dtype}"
        return f"Tensor({name}shape={self.shape}, {kind})"


def tensor(data: Any, dtype: Any = None, requires_grad: bool = False, label: str = "") -> Tensor:
    """A tensor from numbers, nested lists or an array.

    Python floats become float32 (`set_default_dtype` changes that); a NumPy array keeps its dtype; the data are copied.
    Raises DataError GL011 for ragged or non-numeric data, DTypeError GL010 for integers that should require a gradient.

    >>> gl.tensor([[1.0, 2.0], [3.0, 4.0]]).shape
    (2, 2)
    """
    return Tensor(data, label=label, requires_grad=requires_grad, dtype=dtype)


def _fill(node: Tensor, primal: Any, op: Op, label: str = "") -> None:
    """The state of a leaf."""
    node.primal, node.op, node.label, node.scope = primal, op, label, state.scope or ()
    node.inputs, node.params, node.index, node.changed = (), NO_PARAMS, next_index(), 0
    node.requires_grad, node._grad, node.seed, node._retains = False, None, None, False


def leaf(array: Any, op: Op = INPUT, label: str = "") -> Tensor:
    """A leaf around an array that nobody else will change."""
    node = Tensor.__new__(Tensor)
    _fill(node, array if isinstance(array, np.ndarray) else np.asarray(array), op, label)
    return node


def _compute(op: Op, inputs: tuple[Tensor, ...], params: Any) -> Any:
    return CPU.compute(op, tuple(computable(op, [one.primal for one in inputs])), params)


def record(op: Op, inputs: tuple[Tensor, ...], primal: Any, params: Any) -> Tensor:
    """A node that remembers its op and inputs if one of them requires a gradient and recording is on; else a plain leaf."""
    node = leaf(primal, CONSTANT)
    if state.scope is not None and node.primal.dtype.kind == "f" and any(one.requires_grad for one in inputs):
        node.op, node.inputs, node.params, node.requires_grad = op, inputs, params or NO_PARAMS, True
    return node


def _operator(name: str, swap: bool) -> Callable[..., Any]:
    function = FUNCTIONS[name]

    def operator(self: Tensor, other: Any) -> Any:
        return function(other, self) if swap else function(self, other)

    return operator


def _same(name: str) -> Callable[..., Any]:
    function = FUNCTIONS[name]

    def compare(self: Tensor, other: Any) -> Any:
        known = isinstance(other, (int, float, list, tuple, Node)) or hasattr(other, "dtype")
        return function(self, other) if known else NotImplemented

    return compare


def _install() -> None:
    install_methods(Tensor, methods())
    install_protocols(Tensor)
    install_updates(Tensor)
    install_copying(Tensor)
    matmul = {"__matmul__": ("matmul", False), "__rmatmul__": ("matmul", True)}
    for method, (name, swap) in {**OPERATORS, **matmul}.items():
        setattr(Tensor, method, _operator(name, swap))
    for name, dtype in (("float", "float32"), ("double", "float64")):
        setattr(Tensor, name, lambda self, dtype=dtype: self.astype(dtype))
    for method, name in COMPARISONS.items():
        setattr(Tensor, method, _same(name) if name in ("equal", "not_equal") else _operator(name, False))


_install()
