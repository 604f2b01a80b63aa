"""Changing a tensor in place: `w -= rate * w.grad`, `w.grad.zero_()`, `x[0] = 1.0`, `x.add_(y)`.

The numbers are changed in the tensor's own memory, so views, detached copies and everybody else who looks there sees the change, as in
PyTorch and NumPy. The time is noted: a graph that used the old numbers refuses to run backward. While recording, the change itself is
recorded (`views.write`), but a leaf that requires a gradient must not change: that is an error which says what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.backends import backend_of
from gradlab.errors import DTypeError, GraphError, IndexingError, ShapeError
from gradlab.graph.arrays import to_array
from gradlab.graph.node import FUNCTIONS, Node, mark_changed
from gradlab.graph.recording import is_recording
from gradlab.graph.views import base_of, memory_of, refreshed, write

UPDATES = {
    "__iadd__": "add",
    "__isub__": "subtract",
    "__imul__": "multiply",
    "__itruediv__": "divide",
    "__ipow__": "power",
    "__imatmul__": "matmul",
}
"""Python's updating operators and the op of each."""

ENDING_IN_UNDERSCORE = (
    *("add", "sub", "subtract", "mul", "multiply", "div", "divide", "pow", "remainder", "maximum", "minimum"),
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "square", "reciprocal"),
    *("abs", "neg", "negative", "sign", "floor", "ceil", "round", "trunc", "clip", "clamp", "nan_to_num"),
    *("sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "sigmoid", "relu", "erf"),
    *("masked_fill", "index_fill", "index_copy", "index_add", "index_put", "scatter", "scatter_add"),
    *(
        "tril",
        "triu",
        "cumsum",
        "cumprod",
        "lerp",
        "addcmul",
        "addcdiv",
        "fmod",
        "frac",
        "clamp_min",
        "clamp_max",
    ),
)
"""PyTorch's methods that change a tensor in place are named after a function, with an underscore: `x.exp_()`."""


def check_may_change(self: Any, how: str) -> None:
    """Raises GraphError GL034 where a change in place would falsify the gradient of a leaf, GL038 where elements share memory."""
    base, _ = base_of(self)
    if is_recording() and base.requires_grad and base.is_leaf:
        name = f" {base.label!r}" if base.label else ""
        part = "" if base is self else ", through a view of it"
        what = f"{how} would change the leaf tensor{name} in place{part}, and it requires a gradient"
        fix = "Write it inside `with no_grad():` when it is an update, or make a new tensor when it is a computation"
        raise GraphError("GL034", what, "Its gradient would belong to numbers that are gone", fix)
    if not getattr(self.primal.flags, "writeable", True):
        what = f"{how} would change numbers that several elements share, as after broadcast_to or expand"
        raise GraphError("GL038", what, fix="Make a copy first, with .clone()")


def _update(self: Any, other: Any, how: str, fresh: bool = False) -> Any:
    """Put the numbers of `other`, an array or a node, into a tensor. Raises ShapeError GL020 or DTypeError GL012 when they do not fit."""
    if other.dtype.kind == "f" and self.dtype.kind != "f":
        what = f"{how} would put {other.dtype} into a tensor of {self.dtype}"
        raise DTypeError("GL012", what, fix="Convert it with .astype('float32') first")
    if other.shape != self.shape:
        what = f"{how} would turn shape {self.shape} into {other.shape}"
        fix = "Write x = x + y instead of x += y"
        raise ShapeError("GL020", what, "A change in place keeps the shape", fix)
    if other.dtype != self.dtype:
        other = (
            FUNCTIONS["astype"](other, self.dtype)
            if isinstance(other, Node)
            else backend_of(other).cast(other, self.dtype)
        )
    write(self, other, fresh)
    return self


_AT_ONCE = ("add", "subtract", "multiply")
"""Updates that NumPy and CuPy can do without a copy in between, and that never leave their domain."""


def _at_once(self: Any, other: Any, name: str) -> bool:
    """Update without a copy, where nothing is recorded, converted or repeated. Returns whether it was done."""
    array, raw = self.primal, getattr(other, "primal", other)
    plain = raw.__class__ is float or (
        raw.__class__ is array.__class__ and raw.dtype is array.dtype and raw.shape == array.shape
    )
    if plain and array.dtype.kind == "f":
        getattr(backend_of(array).xp, name)(array, raw, out=array)
        mark_changed(memory_of(self))
    return plain and array.dtype.kind == "f"


def _operator(method: str, name: str) -> Callable[[Any, Any], Any]:
    function, how = FUNCTIONS[name], f"x {name} y in place"

    def update(self: Any, other: Any) -> Any:
        check_may_change(self, how)
        if not is_recording() and name in _AT_ONCE and _at_once(self, other, name):
            return self
        return _update(self, function(refreshed(self), other), how, fresh=True)

    update.__name__ = method
    return update


def _underscored(name: str) -> Callable[..., Any]:
    function = FUNCTIONS[name]

    def update(self: Any, *args: Any, **words: Any) -> Any:
        check_may_change(self, f"{name}_")
        alpha = words.pop("alpha", None) if name in ("add", "sub") else None
        if alpha is not None:
            args = (args[0] * alpha, *args[1:])
        return _update(self, function(refreshed(self), *args, **words), f"{name}_", fresh=True)

    update.__name__ = f"{name}_"
    update.__doc__ = f"`{name}`, and the result takes the place of this tensor's numbers. Raises GraphError GL034 as `zero_`."
    return update


def zero_(self: Any) -> Any:
    """Set every element to 0, as PyTorch's zero_. Raises GraphError GL034 while recording a leaf that requires a gradient."""
    return fill_(self, 0)


def fill_(self: Any, value: Any) -> Any:
    """Set every element to one number. Raises GraphError GL034 as `zero_`."""
    check_may_change(self, "fill_")
    return _update(self, _spread(self, value, self.shape), "fill_")


def copy_(self: Any, other: Any) -> Any:
    """Take over the numbers of another tensor or array, broadcast to this shape. Raises GraphError GL034 as `zero_`."""
    check_may_change(self, "copy_")
    return _update(self, _spread(self, other, self.shape), "copy_")


def _spread(self: Any, value: Any, shape: tuple[int, ...]) -> Any:
    """What is to be written, with the shape of its place and, where nothing says otherwise, the dtype of the tensor."""
    if not isinstance(value, Node):
        value = to_array(value, self.dtype if self.dtype.kind == "f" else None, like=self.primal)
    elif not hasattr(value, "dtype"):
        value = to_array(value.primal, self.dtype, like=self.primal)
    lead = len(value.shape) - len(shape)
    if lead > 0 and set(value.shape[:lead]) == {1}:  # NumPy lets leading axes of size 1 go
        value = value.reshape(value.shape[lead:])
    if value.shape == shape:
        return value
    try:
        if isinstance(value, Node):
            return FUNCTIONS["broadcast_to"](value, shape)
        return backend_of(value).xp.broadcast_to(value, shape)
    except ValueError:
        what = f"the place has shape {shape} and what is written has shape {value.shape}"
        raise ShapeError("GL020", what, "What is assigned must fit the place") from None


def _set_item(self: Any, index: Any, value: Any) -> None:
    """x[index] = value, as in NumPy. Where several values are written to one element, the last one counts, and only it gets a gradient."""
    check_may_change(self, "x[i] = y")
    place = FUNCTIONS["getitem"](refreshed(self), index)
    spread = _spread(self, value, place.shape)
    base, _ = base_of(place)
    if base is base_of(self)[0]:
        _update(place, spread, "x[i] = y")
        return
    try:
        _update(
            self, FUNCTIONS["index_put"](self, index, spread), "x[i] = y", fresh=True
        )  # an index that copies: lists, masks
    except IndexError as error:
        raise IndexingError("GL024", f"this index does not fit shape {self.shape}: {error}") from None


def install_updates(cls: type[Node]) -> None:
    """Give a node class its methods that change it in place."""
    for method, name in UPDATES.items():
        setattr(cls, method, _operator(method, name))
    for name in ENDING_IN_UNDERSCORE:
        if name in FUNCTIONS:
            setattr(cls, f"{name}_", _underscored(name))
    for method, function in {
        "zero_": zero_,
        "fill_": fill_,
        "copy_": copy_,
        "__setitem__": _set_item,
    }.items():
        setattr(cls, method, function)
