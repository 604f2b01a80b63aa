"""What every node of a graph has, whether it holds one number or an array."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

from gradlab.op import NO_PARAMS, Op
from gradlab.ops import functions

next_index = count(1).__next__
"""The clock of recording: each node, and each later change of a value, takes the next number. Inputs are always older than users."""

last_change = [0]
"""When a value was last changed, on that clock: a graph recorded since then need not be checked for changes edge by edge."""


versions = [False]
"""Whether some tensor was changed in place while recording: then an edge may mean an earlier version of the node it points to."""


def mark_changed(node: Node) -> None:
    """Note that the value of this node is no longer the one that earlier users saw."""
    node.changed = last_change[0] = next_index()


OPERATORS: dict[str, tuple[str, bool]] = {
    "__add__": ("add", False),
    "__radd__": ("add", True),
    "__sub__": ("subtract", False),
    "__rsub__": ("subtract", True),
    "__mul__": ("multiply", False),
    "__rmul__": ("multiply", True),
    "__truediv__": ("divide", False),
    "__rtruediv__": ("divide", True),
    "__pow__": ("power", False),
    "__rpow__": ("power", True),
}
"""Python's operators: the op each one records, and whether its operands are swapped."""

COMPARISONS = {
    "__gt__": "greater",
    "__ge__": "greater_equal",
    "__lt__": "less",
    "__le__": "less_equal",
    "__eq__": "equal",
    "__ne__": "not_equal",
}

MIRRORED = {"__lt__": "__gt__", "__le__": "__ge__", "__gt__": "__lt__", "__ge__": "__le__"}
"""The comparison that Python asks of the other side."""

METHODS = (
    *("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "sigmoid", "relu", "softplus", "abs", "absolute"),
    *(
        "maximum",
        "minimum",
        "add",
        "subtract",
        "sub",
        "multiply",
        "mul",
        "divide",
        "div",
        "power",
        "pow",
        "negative",
        "neg",
    ),
)
"""Ops that are methods too, under the same name, on scalars and on tensors."""


class Node:
    """A node of a recorded graph: a raw value (`primal`), the op that made it, and its inputs in argument order.

    Nothing here points from a node to its users, so a graph is freed as soon as its last node is.
    """

    __slots__ = ("__weakref__", "_grad", "changed", "index", "label", "op", "primal", "scope")
    STATE: ClassVar[tuple[str, ...]] = (
        "_grad",
        "changed",
        "index",
        "label",
        "op",
        "primal",
        "scope",
    )  # all but the inputs

    params: Mapping[str, Any] = NO_PARAMS
    needs_grad: bool
    primal: Any
    op: Op
    inputs: tuple[Node, ...]
    index: int
    changed: int
    label: str
    scope: tuple[str, ...]
    _grad: Any

    __gradlab_apply__: ClassVar[Callable[..., Any]]

    if TYPE_CHECKING:
        # What the walks ask of a node; Value and Tensor answer each in their own way.
        def fit(self, contribution: Any, target: Node, record: bool) -> Any: ...
        def ones(self) -> Any: ...
        def seed_like(self, seed: Any, record: bool) -> Any: ...
        def quiet(self) -> AbstractContextManager[Any]: ...
        def copy_with(self, inputs: tuple[Any, ...], primal: Any) -> Any: ...
        def link(self, inputs: tuple[Any, ...]) -> None: ...
        def hooked(self, ct: Any, record: bool) -> Any: ...

        # Operators and methods come from the tables above; these lines tell editors and type checkers.
        def __add__(self, other: Any) -> Any: ...
        def __radd__(self, other: Any) -> Any: ...
        def __sub__(self, other: Any) -> Any: ...
        def __rsub__(self, other: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...
        def __rmul__(self, other: Any) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...
        def __rtruediv__(self, other: Any) -> Any: ...
        def __pow__(self, other: Any) -> Any: ...
        def __rpow__(self, other: Any) -> Any: ...
        def __lt__(self, other: Any) -> Any: ...
        def __le__(self, other: Any) -> Any: ...
        def __gt__(self, other: Any) -> Any: ...
        def __ge__(self, other: Any) -> Any: ...
        def exp(self) -> Any: ...
        def log(self) -> Any: ...
        def sqrt(self) -> Any: ...
        def sin(self) -> Any: ...
        def cos(self) -> Any: ...
        def tan(self) -> Any: ...
        def tanh(self) -> Any: ...
        def sigmoid(self) -> Any: ...
        def relu(self) -> Any: ...
        def softplus(self) -> Any: ...
        def abs(self) -> Any: ...
        def maximum(self, y: Any) -> Any: ...
        def minimum(self, y: Any) -> Any: ...

    def changed_at(self) -> int:
        """When the value was last changed, on the clock of recording; 0 for never."""
        return self.changed

    @property
    def is_leaf(self) -> bool:
        """Whether nobody computed this node: it was given."""
        return not self.inputs

    @property
    def _prev(self) -> set[Node]:
        """micrograd's name for the inputs, as a set (which hides that x * x uses x twice; `inputs` does not)."""
        return set(self.inputs)

    @property
    def _op(self) -> str:
        """micrograd's name for the symbol of the op; empty for a leaf."""
        return self.op.symbol

    def __neg__(self) -> Any:
        return FUNCTIONS["negative"](self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return FUNCTIONS["abs"](self)

    __hash__ = object.__hash__  # by identity, although == compares values


FUNCTIONS = functions()


def install_methods(cls: type[Node], names: tuple[str, ...]) -> None:
    """Give a node class the public functions of these names as methods."""
    for name in names:
        setattr(cls, name, FUNCTIONS[name])
