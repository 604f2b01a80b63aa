"""`Tensor`: a node that holds an array of numbers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np

from gradlab.backends import backend_of
from gradlab.errors import ArgumentError, DTypeError, GraphError, ShapeError
from gradlab.graph import recorder, tensor_walk
from gradlab.graph.arrays import to_array
from gradlab.graph.copying import install_copying
from gradlab.graph.hooks import TensorHooks
from gradlab.graph.inplace import install_updates
from gradlab.graph.moving import install_moving
from gradlab.graph.node import (
    COMPARISONS,
    FUNCTIONS,
    OPERATORS,
    Node,
    install_methods,
    mark_changed,
    next_index,
)
from gradlab.graph.protocols import install_protocols
from gradlab.graph.reading import ArrayReading
from gradlab.graph.recorder import ABSENT, extra_of, leaf, viewed
from gradlab.graph.recording import state
from gradlab.op import NO_PARAMS, REGISTRY, RUNNERS
from gradlab.ops import methods
from gradlab.ops.leaf import CONSTANT, INPUT, KINDS, PARAMETER
from gradlab.ops.shape import sum_to


class Tensor(ArrayReading, TensorHooks, Node):
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

    __slots__ = ("extra", "inputs", "params", "requires_grad", "seed")
    STATE = (*Node.STATE, "params", "requires_grad", "seed")
    __array_priority__: ClassVar[float] = 1000.0

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
        self.primal, self.op, self.label, self.scope = (
            to_array(data, dtype),
            KINDS[kind] if kind else INPUT,
            label,
            state.scope or (),
        )
        self.inputs, self.params, self.index, self.changed = (), NO_PARAMS, next_index(), 0
        self.requires_grad, self._grad, self.seed, self.extra = False, None, None, None
        if requires_grad:
            self.requires_grad_()
            self.op = KINDS[kind or "parameter"]

    __gradlab_apply__ = staticmethod(recorder.run)

    def __getattr__(self, name: str) -> Any:
        """Slots that most nodes never fill."""
        if name in ABSENT:
            return ABSENT[name]
        raise AttributeError(f"a Tensor has no attribute {name!r}")

    def changed_at(self) -> int:
        """When the numbers were last changed, directly or through memory that is shared with views."""
        changed, node = self.changed, self
        while (found := viewed(node)) is not None:
            node = found[0]
            changed = max(changed, node.changed)
        return changed

    def detach(self) -> Tensor:
        """The same numbers in the same memory, cut off from the graph. What is changed in one is changed in both."""
        alone = leaf(self.primal, INPUT, self.label)
        extra_of(alone).viewed = self, None, NO_PARAMS
        return alone

    @property
    def data(self) -> Tensor:
        """The same numbers, cut off from the graph. Changing or setting them is noticed, as for Value."""
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

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Compute the gradients of this tensor and add them to `grad` of the leaves that require one.

        `gradient` is the seed: how much each element of this tensor counts; shapes: that of the tensor. One number needs none.
        `create_graph` records the gradients too, so that they can be differentiated. `inputs` names the only leaves that get one.
        `retain_graph` is taken for PyTorch's sake: here a graph lives as long as somebody holds it.
        Raises GraphError GL030 without a seed, GL031 when nothing was recorded, GL032 when a value was changed after use.
        """
        if not self.requires_grad:
            raise GraphError("GL031", *tensor_walk.why_nothing(self))
        seed = self.seed_like(gradient, create_graph)
        only = None if inputs is None else [inputs] if isinstance(inputs, Node) else list(inputs)
        tensor_walk.backward(self, seed, create_graph, only)
        self.seed = getattr(seed, "primal", seed)

    # --- what the walks ask of a node ---

    def ones(self) -> Any:
        """The seed that makes a local derivative out of a rule."""
        return backend_of(self.primal).xp.ones(self.shape, self.dtype)

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
            array = backend_of(self.primal).xp.full(self.shape, array)
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
        if not record:
            return tensor_walk.fitted(contribution, target.primal)
        raw = contribution
        if raw.shape != target.shape:
            raw = sum_to(raw, target.shape) if raw.ndim >= target.ndim and raw.shape != () else raw
            raw = FUNCTIONS["broadcast_to"](raw, target.shape) if raw.shape != target.shape else raw
        return raw if raw.dtype == target.dtype else FUNCTIONS["astype"](raw, target.dtype)

    def copy_with(self, inputs: tuple[Any, ...], primal: Any) -> Tensor:
        """This node again, with other inputs. A leaf takes `primal`; an op computes its own."""
        if inputs:
            copy = recorder.again(self.op, inputs, self.params)
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


def _operator(name: str, swap: bool) -> Callable[..., Any]:
    op, run = REGISTRY[name], recorder.run

    def operator(self: Tensor, other: Any) -> Any:
        return run(op, (other, self) if swap else (self, other), NO_PARAMS)

    return operator


def _same(name: str) -> Callable[..., Any]:
    function = FUNCTIONS[name]

    def compare(self: Tensor, other: Any) -> Any:
        known = isinstance(other, (int, float, list, tuple, Node)) or hasattr(other, "dtype")
        return function(self, other) if known else NotImplemented

    return compare


def _install() -> None:
    recorder.Tensor = Tensor
    RUNNERS[Tensor] = recorder.run
    install_methods(Tensor, methods())
    install_protocols(Tensor)
    install_updates(Tensor)
    install_copying(Tensor)
    install_moving(Tensor)
    matmul = {"__matmul__": ("matmul", False), "__rmatmul__": ("matmul", True)}
    for method, (name, swap) in {**OPERATORS, **matmul}.items():
        setattr(Tensor, method, _operator(name, swap))
    for method, name in COMPARISONS.items():
        setattr(Tensor, method, _same(name) if name in ("equal", "not_equal") else _operator(name, False))


_install()
