"""What Python and NumPy may try with a node beside arithmetic: round it, use an operator that has no derivative, call a NumPy function.

Each either does what gradlab's own function does, or says what to do instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.errors import OperandError
from gradlab.graph.node import FUNCTIONS, Node

_WHOLE = (
    "It is constant between its jumps, so it has no useful derivative",
    "Use / instead, or float(x) for a plain number",
)
_BITS = "It works on whole numbers and booleans, which have no derivative", "Use .numpy() on the masks first"
UNSUPPORTED = {
    "//": (("__floordiv__", "__rfloordiv__"), *_WHOLE),
    "%": (("__mod__", "__rmod__"), *_WHOLE),
    "divmod": (("__divmod__", "__rdivmod__"), *_WHOLE),
    "&": (("__and__", "__rand__"), *_BITS),
    "|": (("__or__", "__ror__"), *_BITS),
    "^": (("__xor__", "__rxor__"), "In Python it is exclusive or", "Use ** for powers"),
    "~": (("__invert__",), *_BITS),
    "<<": (("__lshift__", "__rlshift__"), *_BITS),
    ">>": (("__rshift__", "__rrshift__"), *_BITS),
}
"""Python's operators that no op stands for: their methods, why, and what to do instead."""

_NUMPY_NAMES = {"amax": "max", "amin": "min", "absolute": "abs"}
_ABOUT_THE_SHAPE = ("shape", "ndim", "size", "zeros_like", "ones_like", "full_like", "empty_like")
_REDUCING = {"axis", "keepdims"}


def refuse(symbol: str, why: str, fix: str) -> Callable[..., Any]:
    """A method for an operator without an op. It raises OperandError GL004."""

    def operator(self: Node, *others: Any) -> Any:
        raise OperandError("GL004", f"gradlab has no operator {symbol} between nodes", why, fix)

    return operator


def _round(self: Node, digits: int | None = None) -> Any:
    """The number, rounded, as a plain Python number."""
    return round(float(self), digits)  # type: ignore[arg-type]


def _numpy_operation(self: Node, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """NumPy's exp(x) is gradlab's exp(x); of what gradlab does not have, NumPy gets plain arrays, where nothing is lost by that."""
    if kwargs.get("out") is not None:
        what = f"numpy.{ufunc.__name__} cannot write a node into an array"
        raise OperandError(
            "GL036", what, fix="Write a = a + x instead of a += x, so that the result is a new node"
        )
    function = FUNCTIONS.get(_NUMPY_NAMES.get(ufunc.__name__, ufunc.__name__))
    if function is not None and method == "__call__" and not kwargs:
        return function(*inputs)
    plain = [_plain(x, ufunc.__name__) for x in inputs]
    try:
        return getattr(ufunc, method)(*plain, **kwargs)
    except TypeError:
        what = f"numpy.{ufunc.__name__} does not work on these operands"
        raise OperandError(
            "GL002", what, fix="Look at their types, and convert one with .astype(...)"
        ) from None


def _numpy_function(
    self: Node, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """NumPy's sum(x) is gradlab's sum(x); of what gradlab does not have, NumPy gets plain arrays, where nothing is lost by that."""
    name = function.__name__
    own = FUNCTIONS.get(_NUMPY_NAMES.get(name, name))
    if own is not None and kwargs.keys() <= _REDUCING:
        return own(*args, **kwargs)
    if name in _ABOUT_THE_SHAPE:
        return function(*[x.primal if isinstance(x, Node) else x for x in args], **kwargs)
    return function(*_plain(args, name), **{key: _plain(x, name) for key, x in kwargs.items()})


def _plain(x: Any, name: str) -> Any:
    """x without nodes. Raises OperandError GL002 for a Value, GraphError GL035 for a tensor that requires a gradient."""
    if isinstance(x, (list, tuple)):
        return type(x)([_plain(one, name) for one in x])
    if not isinstance(x, Node):
        return x
    if not hasattr(x, "numpy"):
        raise OperandError(
            "GL002", f"numpy.{name} does not know nodes", fix="Use float(x) for a plain number"
        )
    return x.numpy()


def install_protocols(cls: type[Node]) -> None:
    """Give a node class these methods."""
    for symbol, (methods, why, fix) in UNSUPPORTED.items():
        for method in methods:
            setattr(cls, method, refuse(symbol, why, fix))
    for name, function in {
        "__round__": _round,
        "__array_ufunc__": _numpy_operation,
        "__array_function__": _numpy_function,
    }.items():
        setattr(cls, name, function)
