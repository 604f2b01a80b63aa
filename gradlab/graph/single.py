"""One number from what people write: which operands are one, and what to say about those that are not."""

from __future__ import annotations

from typing import Any

from gradlab.backends import describe, is_number, number, remedy
from gradlab.errors import DataError, OperandError
from gradlab.graph.node import Node
from gradlab.op import Op


def is_single(x: object) -> bool:
    """Whether x is one real number: a plain one, or an array of no axes. Nodes are not: they would be cut off from their graph."""
    if isinstance(x, (float, int)):
        return True
    if getattr(x, "shape", None) == ():
        return getattr(getattr(x, "dtype", None), "kind", "-") in "biuf" and not isinstance(x, Node)
    return is_number(x) and not isinstance(x, complex)


def to_float(data: object) -> float:
    """One number as a Python float. Raises DataError GL001 for anything else, saying what would work."""
    if is_single(data):
        return number(data)
    raise DataError("GL001", f"a Value holds one number, got {_describe(data)}", fix=_remedy(data))


def refuse_operand(op: Op, other: object) -> None:
    """Raises OperandError GL003 for a tensor beside a Value, GL002 for anything else that is not one number."""
    what = f"{op.name} cannot combine a Value with {_describe(other)}"
    if isinstance(other, Node):
        raise OperandError("GL003", what, fix="Make both tensors with gradlab.tensor(...), or both Values")
    raise OperandError("GL002", what, "The other side must be a number or a Value", _remedy(other))


def _describe(data: object) -> str:
    return f"a node, {data!r}" if isinstance(data, Node) else describe(data)


def _remedy(data: object) -> str:
    if isinstance(data, Node):
        return "Use the node as it is, or Value(node.item()) for a new leaf with the same number"
    if isinstance(data, (list, tuple)) or hasattr(data, "shape"):
        return "Use gradlab.tensor(...) for many numbers in one node, or a list of Values"
    return remedy(data)


def delegate(other: Any, method: str, node: Node, op: Op) -> Any:
    """The answer of an unknown class's own reflected method, as Python's protocol asks; raises OperandError if it has none."""
    reflected = getattr(type(other), method, None)
    builtin = type(other).__module__ == "builtins" or isinstance(other, Node) or hasattr(other, "shape")
    answer = NotImplemented if reflected is None or builtin else reflected(other, node)
    if answer is NotImplemented:
        refuse_operand(op, other)
    return answer
