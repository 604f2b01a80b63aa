"""Changing a tensor in place: `w -= rate * w.grad`, `w.grad.zero_()`, `x[0] = 1.0`.

A change puts a new array into the node and notes the time, so that a graph that used the old numbers refuses to run backward. Views
and detached copies keep the old numbers. Where it would break what is being recorded, it is an error that says what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.backends.numpy import CPU
from gradlab.errors import DTypeError, GraphError, IndexingError, OperandError, ShapeError
from gradlab.graph.arrays import to_array
from gradlab.graph.node import FUNCTIONS, Node, mark_changed
from gradlab.graph.recording import is_recording
from gradlab.ops.index import normalize_index

UPDATES = {
    "__iadd__": "add",
    "__isub__": "subtract",
    "__imul__": "multiply",
    "__itruediv__": "divide",
    "__ipow__": "power",
    "__imatmul__": "matmul",
}
"""Python's updating operators and the op of each."""


def check_may_change(self: Any, how: str) -> None:
    """Raises GraphError GL034 where a change in place would be lost to the gradient, or falsify it."""
    if is_recording() and self.requires_grad:
        name = f" {self.label!r}" if self.label else ""
        what = f"{how} would change the tensor{name} in place, and it requires a gradient"
        fix = "Write it inside `with no_grad():` when it is an update, or make a new tensor when it is a computation"
        raise GraphError("GL034", what, "A change in place is not recorded", fix)


def replace(self: Any, array: Any, how: str) -> Any:
    """Put new numbers into a tensor. Raises ShapeError GL020 or DTypeError GL012 when they do not fit into it."""
    if array.dtype.kind == "f" and self.dtype.kind != "f":
        what = f"{how} would put {array.dtype} into a tensor of {self.dtype}"
        raise DTypeError("GL012", what, fix="Convert it with .astype('float32') first")
    if array.shape != self.shape:
        what = f"{how} would turn shape {self.shape} into {array.shape}"
        raise ShapeError(
            "GL020", what, "A change in place keeps the shape", "Write x = x + y instead of x += y"
        )
    self.primal = CPU.cast(array, self.dtype)
    mark_changed(self)
    return self


def _update(method: str, name: str) -> Callable[[Any, Any], Any]:
    function, how = FUNCTIONS[name], f"x {name} y in place"

    def update(self: Any, other: Any) -> Any:
        if is_recording():
            if self.is_leaf:
                check_may_change(self, how)
            return function(self, other)  # while recording, x += 1 makes a new node, as for Value
        return replace(self, function(self, other).primal, how)

    update.__name__ = method
    return update


def zero_(self: Any) -> Any:
    """Set every element to 0, as PyTorch's zero_. Raises GraphError GL034 while recording a tensor that requires a gradient."""
    return fill_(self, 0)


def fill_(self: Any, number: Any) -> Any:
    """Set every element to one number. Raises GraphError GL034 as `zero_`."""
    check_may_change(self, "fill_")
    array = to_array(number, self.dtype)
    return replace(
        self, array + CPU.xp.zeros(self.shape, self.dtype) if array.shape == () else array, "fill_"
    )


def copy_(self: Any, other: Any) -> Any:
    """Take over the numbers of another tensor or array of the same shape. Raises GraphError GL034 as `zero_`."""
    check_may_change(self, "copy_")
    return replace(self, to_array(other), "copy_")


def _set_item(self: Any, index: Any, value: Any) -> None:
    check_may_change(self, "x[i] = y")
    if is_recording() and isinstance(value, Node) and value.needs_grad:
        what = "x[i] = y would cut y off from the graph: an assignment is not recorded"
        raise OperandError(
            "GL034", what, fix="Use where(mask, y, x), or put the parts together in one expression"
        )
    array, parts = self.primal.copy(), normalize_index(index)
    raw = to_array(value, self.dtype if self.dtype.kind == "f" else None)
    if raw.dtype.kind == "f" and self.dtype.kind != "f":
        replace(self, raw, "x[i] = y")  # says that the type does not fit
    try:
        array[parts] = raw
    except IndexError as error:
        raise IndexingError("GL024", f"this index does not fit shape {self.shape}: {error}") from None
    except ValueError:
        what = f"x[i] has shape {array[parts].shape} and y has shape {raw.shape}"
        raise ShapeError("GL020", what, "What is assigned must fit the place") from None
    self.primal = array
    mark_changed(self)


def install_updates(cls: type[Node]) -> None:
    """Give a node class its methods that change it in place."""
    for method, name in UPDATES.items():
        setattr(cls, method, _update(method, name))
    for method, function in {
        "zero_": zero_,
        "fill_": fill_,
        "copy_": copy_,
        "__setitem__": _set_item,
    }.items():
        setattr(cls, method, function)
