"""How an op on tensors is run and recorded.

`run` is the short way: one or two operands, tensors of one kind or Python numbers beside them. Everything else (lists, arrays, mixed
types, three operands) goes through `careful`, which converts, and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gradlab.backends import backend_of
from gradlab.backends.arrays import BACKENDS, explain_failure
from gradlab.backends.numpy import CPU, hearing
from gradlab.graph.arrays import beside, computable
from gradlab.graph.node import next_index, versions
from gradlab.graph.recording import state
from gradlab.op import NO_PARAMS, RUNNERS, Op, dispatch
from gradlab.ops.leaf import CONSTANT, INPUT

if TYPE_CHECKING:
    from gradlab.graph.tensor import Tensor as TensorType

Tensor: Any = None
"""The class of the nodes made here; `tensor.py` enters it, since it lies above."""

ABSENT: dict[str, Any] = {"label": "", "changed": 0, "_grad": None, "seed": None}
"""What the slots hold that most nodes never fill: computed nodes leave them empty, which saves a third of the time to make one."""

FLOAT32, FLOAT64 = np.dtype("float32"), np.dtype("float64")


class Extra:
    """What few tensors have: hooks, the wish to keep a gradient, the tensor they are a view of, and the version before a change."""

    __slots__ = ("after", "hooks", "past", "retains", "viewed")

    def __init__(self) -> None:
        self.hooks: dict[int, Any] = {}  # called with a gradient when it is complete
        self.after: dict[int, Any] = {}  # called with a leaf when its gradient was added
        self.retains = False
        self.viewed: tuple[Any, Op | None, Mapping[str, Any]] | None = None
        self.past: TensorType | None = None


def extra_of(node: Any) -> Extra:
    """The extra state of a tensor, made when it is first needed."""
    if node.extra is None:
        node.extra = Extra()
    return node.extra


def leaf(array: Any, op: Op = INPUT, label: str = "") -> Any:
    """A leaf around an array that nobody else will change."""
    node = Tensor.__new__(Tensor)
    node.primal = array if array.__class__ in BACKENDS else np.asarray(array)
    node.op, node.label, node.scope = op, label, state.scope or ()
    node.inputs, node.params, node.index, node.changed = (), NO_PARAMS, next_index(), 0
    node.requires_grad, node._grad, node.seed, node.extra = False, None, None, None
    return node


def _constant(array: Any) -> Any:
    """A constant beside a tensor: the leaf that is made most often."""
    node = Tensor.__new__(Tensor)
    node.primal, node.op, node.inputs, node.params = array, CONSTANT, (), NO_PARAMS
    node.index, node.scope, node.requires_grad, node.extra = next_index(), state.scope or (), False, None
    return node


def _number(x: Any, array: Any) -> Any:
    """A Python number beside an array of floats as a constant of that type; None where it needs care."""
    dtype = array.dtype
    limit = 3.0e38 if dtype is FLOAT32 else 1.7e308 if dtype is FLOAT64 else 0.0
    if not -limit < x < limit:
        return None
    if array.__class__ is np.ndarray:
        return _constant(np.array(x, dtype))
    return _constant(BACKENDS[array.__class__].asarray(x, dtype))


def record(op: Op, inputs: tuple[Any, ...], z: Any, params: Mapping[str, Any], needs: bool) -> Any:
    """A node for a result. It remembers its op and inputs if one of them requires a gradient and recording is on."""
    node = Tensor.__new__(Tensor)
    node.primal = z if z.__class__ in BACKENDS else np.asarray(z)
    node.index, node.extra = next_index(), None
    scope = state.scope
    if needs and scope is not None and not op.cuts:
        node.op, node.inputs, node.params = op, inputs, params or NO_PARAMS
        node.scope, node.requires_grad = scope, True
        return node
    node.op, node.inputs, node.params, node.scope, node.requires_grad = (
        CONSTANT,
        (),
        NO_PARAMS,
        scope or (),
        False,
    )
    if op.views and shares(node.primal, inputs[0].primal):
        extra_of(node).viewed = inputs[0], op, params
    return node


def owner(array: Any) -> Any:
    """The array whose memory this one looks into."""
    while array.base is not None and array.base.__class__ is array.__class__:
        array = array.base
    return array


def shares(z: Any, x: Any) -> bool:
    """Whether the result of a view op looks into the memory of its input."""
    return owner(z) is owner(x)


def viewed(node: Any) -> tuple[Any, Op | None, Mapping[str, Any]] | None:
    """What this tensor is a view of: (tensor, op, parameters of the op), or None when its memory is its own."""
    if node.extra is not None and node.extra.viewed is not None:
        return node.extra.viewed
    if node.inputs and node.op.views and shares(node.primal, node.inputs[0].primal):
        return node.inputs[0], node.op, node.params
    return None


def run(op: Op, args: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
    """Run an op on tensors: compute it, and record it when an operand requires a gradient."""
    inputs: tuple[Any, ...]
    arrays: tuple[Any, ...]
    if versions[0]:
        return careful(op, args, params)
    if len(args) == 2:
        x, y = args
        if x.__class__ is Tensor:
            a = x.primal
            if y.__class__ is not Tensor:
                y = _number(y, a) if y.__class__ is float or y.__class__ is int else None
                if y is None:
                    return careful(op, args, params)
            b = y.primal
        else:
            b = y.primal
            x = _number(x, b) if x.__class__ is float or x.__class__ is int else None
            if x is None:
                return careful(op, args, params)
            a = x.primal
        if a.dtype is not b.dtype or a.__class__ is not b.__class__:
            return careful(op, args, params)
        inputs, arrays, needs = (x, y), (a, b), x.requires_grad or y.requires_grad
    elif len(args) == 1:
        (x,) = inputs = args
        if x.__class__ is not Tensor:
            return careful(op, args, params)
        a, needs = x.primal, x.requires_grad
        arrays = (a,)
    else:
        return careful(op, args, params)
    try:
        if a.__class__ is np.ndarray and not op.hears and params is NO_PARAMS:
            z = hearing.silent.run(op.forward, np, *arrays)  # what CPU.forward does, without the call
        else:
            z = BACKENDS[a.__class__].forward(op, arrays, params)
    except (TypeError, ValueError) as error:
        explain_failure(op, arrays, params, error)
    except RuntimeError:
        z = CPU.forward(op, arrays, params)  # an op inside an op
    return record(op, inputs, z, params, needs)


def run_raw(op: Op, args: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
    """Run an op whose first operand is a NumPy array: as in a rule that runs on raw arrays, or because a tensor stands second."""
    for one in args:
        if one.__class__ is not np.ndarray or one.dtype.kind != "f":
            return dispatch(op, args, params)
    if op.hears:
        return CPU.compute(op, args, params)
    try:
        return hearing.silent.run(op.forward, np, *args, **params)
    except (TypeError, ValueError) as error:
        explain_failure(op, args, params, error)
    except RuntimeError:
        return CPU.compute(op, args, params)


def careful(op: Op, args: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
    """`run` for operands of every kind: lists, arrays, numbers and tensors of different types."""
    if versions[0]:
        from gradlab.graph.views import refreshed

        args = tuple(refreshed(one) if isinstance(one, Tensor) else one for one in args)
    inputs = tuple([one if isinstance(one, Tensor) else leaf(one, CONSTANT) for one in beside(op, args)])
    z = compute(op, inputs, params)
    needs = any(one.requires_grad for one in inputs) and z.dtype.kind == "f"
    return record(op, inputs, z, params, needs)


def compute(op: Op, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
    """The raw result of an op on tensors. Raises DeviceError GL160 where they are on different devices."""
    arrays = tuple(computable(op, [one.primal for one in inputs]))
    return backend_of(*arrays).compute(op, arrays, params)


def again(op: Op, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
    """An op computed and recorded again on other inputs, for a graph that is replayed."""
    z = compute(op, inputs, params)
    return record(op, inputs, z, params, any(one.requires_grad for one in inputs) and z.dtype.kind == "f")


RUNNERS[np.ndarray] = run_raw
