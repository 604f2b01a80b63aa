"""`Tensor`: a node that holds an array of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from gradlab.backends.numpy import CPU
from gradlab.errors import DTypeError, GraphError, OperandError
from gradlab.graph import walk
from gradlab.graph.node import (
    COMPARISONS,
    FUNCTIONS,
    METHODS,
    NO_PARAMS,
    OPERATORS,
    Node,
    install_methods,
    mark_changed,
    next_index,
)
from gradlab.graph.recording import state
from gradlab.op import Op
from gradlab.ops.leaf import CONSTANT, INPUT, PARAMETER
from gradlab.ops.shape import sum_to

_DEFAULT: dict[str, Any] = {"dtype": np.dtype("float32")}

ARRAY_METHODS = (
    *(
        "sum",
        "mean",
        "max",
        "min",
        "matmul",
        "reshape",
        "view",
        "flatten",
        "transpose",
        "permute",
        "swapaxes",
    ),
    *(
        "broadcast_to",
        "expand_dims",
        "unsqueeze",
        "squeeze",
        "greater",
        "greater_equal",
        "less",
        "less_equal",
        "equal",
        "not_equal",
    ),
)


def set_default_dtype(dtype: Any) -> None:
    """The dtype that `tensor([1.0])` gets from Python numbers with a decimal point: "float32" (the start) or "float64"."""
    chosen = np.dtype(dtype)
    if chosen.kind != "f":
        raise DTypeError(
            "GL010",
            f"the default dtype must be a floating-point type, got {chosen}",
            fix="Use 'float32' or 'float64'",
        )
    _DEFAULT["dtype"] = chosen


def get_default_dtype() -> Any:
    """The dtype that Python numbers with a decimal point become."""
    return _DEFAULT["dtype"]


def _array(data: Any, dtype: Any) -> Any:
    """Raw data as an array: NumPy arrays keep their dtype, Python floats get the default one."""
    if isinstance(data, Tensor):
        data = data.primal
    array = CPU.asarray(_unwrap(data), dtype)
    if dtype is None and array.dtype == np.float64 and not hasattr(data, "dtype"):
        return array.astype(_DEFAULT["dtype"])
    return array


def _unwrap(data: Any) -> Any:
    """Nested lists of nodes as nested lists of numbers."""
    if isinstance(data, (list, tuple)):
        return [_unwrap(one) for one in data]
    return data.primal if isinstance(data, Node) else data


class Tensor(Node):
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

    def __init__(
        self,
        data: Any,
        label: str = "",
        requires_grad: bool = False,
        dtype: Any = None,
        kind: str | None = None,
    ) -> None:
        array = _array(data, dtype)
        if requires_grad and array.dtype.kind != "f":
            fix = "Write tensor(..., dtype=float, requires_grad=True)"
            raise DTypeError(
                "GL010",
                f"a tensor of {array.dtype} cannot require a gradient",
                "Only floating-point numbers can",
                fix,
            )
        self.primal = array
        self.op = {
            "constant": CONSTANT,
            "parameter": PARAMETER,
            "input": INPUT,
            None: PARAMETER if requires_grad else INPUT,
        }[kind]
        self.inputs, self.params, self.label, self.scope = (), NO_PARAMS, label, state.scope or ()
        self.index, self.changed = next_index(), 0
        self.requires_grad, self._grad, self.seed, self._retains = requires_grad, None, None, False

    @staticmethod
    def __gradlab_apply__(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        like = next(arg for arg in args if isinstance(arg, Tensor))
        inputs = tuple(arg if isinstance(arg, Tensor) else as_constant(arg, like, op) for arg in args)
        try:
            primal = CPU.compute(op, tuple(one.primal for one in inputs), params)
        except ValueError:
            op.shape(
                *[one.primal.shape for one in inputs], **params
            )  # says in gradlab's words what does not fit
            raise
        return record(op, inputs, primal, params)

    # --- what it holds ---

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        return self.primal.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.primal.ndim

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self.primal.dtype

    @property
    def device(self) -> str:
        """Where the elements are."""
        return CPU.device

    @property
    def T(self) -> Any:
        """The transpose: all axes reversed."""
        return FUNCTIONS["transpose"](self)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one axis."""
        return self.shape if dim is None else self.shape[dim]

    def numel(self) -> int:
        """The number of elements."""
        return int(self.primal.size)

    def numpy(self) -> Any:
        """The elements as a NumPy array that shares the memory. Raises GraphError GL035 when a gradient is required."""
        if self.requires_grad:
            what = "this tensor requires a gradient, and a plain array would lose track of it"
            raise GraphError("GL035", what, fix="Write .detach().numpy() if that is what you want")
        return self.primal

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def item(self) -> float | int | bool:
        """The only element as a Python number."""
        if self.primal.size != 1:
            raise DTypeError(
                "GL035",
                f"item() needs one element, and this tensor has shape {self.shape}",
                fix="Reduce it first",
            )
        return self.primal.item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        return self.primal.tolist()

    def detach(self) -> Tensor:
        """The same numbers, sharing memory, cut off from the graph."""
        return Tensor(self.primal, label=self.label)

    @property
    def data(self) -> Tensor:
        """The same numbers, cut off from the graph. Setting it is noticed, as for Value."""
        return self.detach()

    @data.setter
    def data(self, data: Any) -> None:
        self.primal = _array(data, self.dtype)
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
        self._grad = None if grad is None else Tensor(grad, dtype=self.dtype)

    def retain_grad(self) -> None:
        """Keep the gradient of this node too, although it is not a leaf."""
        self._retains = True

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Make this leaf require a gradient. Raises DTypeError GL010 for integers."""
        if requires_grad and self.dtype.kind != "f":
            raise DTypeError(
                "GL010",
                f"a tensor of {self.dtype} cannot require a gradient",
                fix="Convert it to floats first",
            )
        self.requires_grad = requires_grad
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
                node._grad = Tensor(total, dtype=node.dtype)
        self.seed = seed

    # --- what the walks ask of a node ---

    def ones(self) -> Any:
        """The seed that makes a local derivative out of a rule."""
        return np.ones(self.shape, self.dtype)

    def seed_like(self, seed: Any, record: bool) -> Any:
        """A seed for walking back from this node: 1 for a single number. Raises GraphError GL030 when there are several."""
        if seed is None and self.primal.size != 1:
            what = f"backward() of a tensor of shape {self.shape} needs a seed: how much each of its {self.numel()} elements counts"
            raise GraphError(
                "GL030", what, fix="Call .sum() first, which counts each once, or pass gradient=..."
            )
        raw = seed.primal if isinstance(seed, Node) else seed
        array = self.ones() if raw is None else np.broadcast_to(np.asarray(raw, dtype=self.dtype), self.shape)
        return seed if record and isinstance(seed, Tensor) else Tensor(array) if record else array

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
        return raw if record or raw.dtype == target.dtype else raw.astype(target.dtype)

    def copy_with(self, inputs: tuple[Any, ...], primal: Any) -> Tensor:
        """This node again, with other inputs. A leaf takes `primal`; an op computes its own."""
        if inputs:
            copy = record(
                self.op,
                inputs,
                CPU.compute(self.op, tuple(one.primal for one in inputs), dict(self.params)),
                self.params,
            )
        else:
            copy = Tensor(np.array(primal, dtype=self.dtype), requires_grad=self.requires_grad)
            copy.op = self.op
        copy.label, copy.scope = self.label, self.scope
        return copy

    # --- Python's protocols ---

    def __getitem__(self, index: Any) -> Any:
        return FUNCTIONS["getitem"](self, index)

    def __len__(self) -> int:
        if not self.shape:
            raise OperandError(
                "GL022", "a tensor with one number has no length", fix="Use .item() for the number"
            )
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[row] for row in range(len(self)))

    def __bool__(self) -> bool:
        if self.primal.size != 1:
            what = f"a tensor of shape {self.shape} is neither true nor false as a whole"
            raise OperandError(
                "GL002",
                what,
                fix="Use (x > 0).numpy().all() or .any(), or where(...) to choose element by element",
            )
        return bool(self.primal)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else repr(self)

    def __repr__(self) -> str:
        name = f"{self.label}, " if self.label else ""
        kind = f"op={self.op.name}" if self.inputs else f"dtype={self.dtype}"
        return f"Tensor({name}shape={self.shape}, {kind})"

    def __str__(self) -> str:
        return f"tensor({np.array2string(self.primal, separator=', ', precision=4, prefix='tensor(')})"

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if id(self) not in memo:
            _, copies = walk.replay(self, {})
            memo.update({id(old): new for old, new in copies.items()})
        return memo[id(self)]

    __array_priority__ = 1000.0
    __array_ufunc__ = None  # NumPy leaves mixed operations to the methods of this class


def tensor(data: Any, dtype: Any = None, requires_grad: bool = False, label: str = "") -> Tensor:
    """A tensor from numbers, nested lists or an array.

    Python floats become float32 (`set_default_dtype` changes that); a NumPy array keeps its dtype; the data are copied.
    Raises DataError GL011 for ragged or non-numeric data, DTypeError GL010 for integers that should require a gradient.

    >>> gl.tensor([[1.0, 2.0], [3.0, 4.0]]).shape
    (2, 2)
    """
    return Tensor(np.array(_array(data, dtype)), label=label, requires_grad=requires_grad)


_new = Tensor.__new__


def as_constant(other: Any, like: Tensor, op: Op) -> Tensor:
    """A plain number or array beside a tensor, as a constant node. A number takes the dtype of the tensor beside it."""
    if isinstance(other, Node):
        what = f"{op.name} cannot combine a Tensor with a Value"
        raise OperandError("GL003", what, fix="Make both tensors with gradlab.tensor(...), or both Values")
    if isinstance(other, (str, bytes, dict, set, type(None), complex)):
        what = (
            f"{op.name} cannot combine a tensor of shape {like.shape} with {type(other).__name__} {other!r}"
        )
        raise OperandError("GL002", what, "The other side must be a tensor, an array or a number")
    return Tensor(other, dtype=like.dtype if _is_weak(other, like) else None, kind="constant")


def _is_weak(other: Any, like: Tensor) -> bool:
    """A Python number never changes the dtype of a tensor beside it, unless a fraction meets whole numbers."""
    if type(other) is float:
        return like.dtype.kind == "f"
    return type(other) is int and like.dtype.kind in "iuf"


def record(op: Op, inputs: tuple[Tensor, ...], primal: Any, params: Any) -> Tensor:
    """A node that remembers its op and inputs if one of them requires a gradient and recording is on; else a plain leaf."""
    scope = state.scope
    node = _new(Tensor)
    node.primal = primal if isinstance(primal, np.ndarray) else np.asarray(primal)
    recorded = (
        scope is not None and node.primal.dtype.kind == "f" and any(one.requires_grad for one in inputs)
    )
    node.op, node.inputs, node.params = (
        (op, inputs, params or NO_PARAMS) if recorded else (CONSTANT, (), NO_PARAMS)
    )
    node.index, node.changed, node.label, node.scope = next_index(), 0, "", scope or ()
    node.requires_grad, node._grad, node.seed, node._retains = recorded, None, None, False
    return node


def _binary_operator(name: str, swap: bool) -> Callable[..., Any]:
    function = FUNCTIONS[name]

    def operator(self: Tensor, other: Any) -> Any:
        return function(other, self) if swap else function(self, other)

    return operator


def _comparison(name: str) -> Callable[..., Any]:
    function = FUNCTIONS[name]

    def compare(self: Tensor, other: Any) -> Any:
        if other is None or isinstance(other, str):
            return NotImplemented
        return function(self, other)

    return compare


def _install() -> None:
    install_methods(Tensor, METHODS + ARRAY_METHODS)
    for method, (name, swap) in {
        **OPERATORS,
        "__matmul__": ("matmul", False),
        "__rmatmul__": ("matmul", True),
    }.items():
        setattr(Tensor, method, _binary_operator(name, swap))
    for method, name in COMPARISONS.items():
        setattr(Tensor, method, _comparison(name))


_install()
