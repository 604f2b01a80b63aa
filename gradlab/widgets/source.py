"""What is explored: a function called with fresh leaves at every edit, or a graph recorded again with other numbers in its leaves."""

from __future__ import annotations

import difflib
import functools
import inspect
import math
import numbers
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import CodeType, FrameType
from typing import Any, Protocol

from gradlab.errors import ArgumentError, GradlabWarning
from gradlab.graph.node import Node
from gradlab.graph.value import Value
from gradlab.graph.walk import replay, topological
from gradlab.viz.build import drawn_nodes
from gradlab.widgets import problems

MAX_LISTED = 64


@dataclass(frozen=True, eq=False)
class Result:
    """One run: the root of the recorded graph, its leaf of each name, names for nodes that have none, and what was remarkable."""

    root: Node
    leaves: Mapping[str, Node]
    names: Mapping[Node, str]
    notes: tuple[str, ...] = ()

    @cached_property
    def unused(self) -> list[str]:
        """Leaves that the root does not depend on."""
        used = set(topological(self.root))
        return [name for name, leaf in self.leaves.items() if leaf not in used]

    def at(self, place: int, x: float) -> float:
        """The value of the root with `x` in the node that is drawn as number `place`. Nothing is changed."""
        node = drawn_nodes(self.root)[place]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(replay(self.root, {node: x})[0].primal)


class Source(Protocol):
    """Something with named leaves that can be run."""

    title: str
    start: dict[str, float]
    kinds: dict[str, str | None]

    def run(self, values: Mapping[str, float]) -> Result:
        """Record the graph for these values. Raises Problem in gradlab's words."""


class FunctionSource:
    """A function of numbers. Each argument without another meaning is a leaf; local variables name what is in between."""

    def __init__(self, f: Callable[..., Any], start: Mapping[str, Any]) -> None:
        self.f = f
        self.title = problems.name_of(f)
        self.signature = _signature(f)
        given = _start_values(f, self.signature, start)
        self.start = {name: _number(name, one) for name, one in given.items()}
        self.kinds = {name: one.op.name if isinstance(one, Value) else None for name, one in given.items()}

    def run(self, values: Mapping[str, float]) -> Result:
        """Call the function with new leaves. Raises Problem when it raises or returns something that is no node."""
        leaves = {name: Value(x, label=name, kind=self._kind(name)) for name, x in values.items()}
        oldest = min((leaf.index for leaf in leaves.values()), default=0)
        arguments = _bind(self.signature, leaves)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                returned, variables = call_watched(self.f, *arguments)
            except Exception as error:
                raise problems.raised(self.f, error, values) from error
        root = _checked(self.f, returned)
        names = _variable_names(variables, oldest)
        if root not in names and self.title.isidentifier() and not root.is_leaf:
            names[root] = self.title
        return Result(root, leaves, names, tuple(_remarks(heard)))

    def _kind(self, name: str) -> str | None:
        kind = self.kinds[name]
        return kind if kind in ("input", "parameter", "constant") else None


class NodeSource:
    """A graph that is there already. Editing a leaf records the same operations again; the given nodes stay as they are."""

    def __init__(self, root: Node, start: Mapping[str, Any]) -> None:
        self.root = root
        self.title = root.label or "graph"
        self.nodes = _named_leaves(root)
        unknown = [name for name in start if name not in self.nodes]
        if unknown:
            raise _unknown_leaf(unknown[0], "this graph", list(self.nodes))
        self.start = {
            name: _number(name, start.get(name, float(leaf.primal))) for name, leaf in self.nodes.items()
        }
        self.kinds: dict[str, str | None] = {name: leaf.op.name for name, leaf in self.nodes.items()}

    def run(self, values: Mapping[str, float]) -> Result:
        """The graph with these numbers in its leaves."""
        edited = {
            leaf: values[name]
            for name, leaf in self.nodes.items()
            if not _same(values[name], float(leaf.primal))
        }
        if not edited:
            return Result(self.root, self.nodes, _told_apart(self.nodes))
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            root, copies = replay(self.root, edited)
        leaves = {name: copies[leaf] for name, leaf in self.nodes.items()}
        return Result(root, leaves, _told_apart(leaves), tuple(_remarks(heard)))


def source_of(f: Any, start: Mapping[str, Any]) -> Source:
    """The source for `f`: a node or a function. Raises ArgumentError GL060 for anything else."""
    if isinstance(f, Node):
        return NodeSource(f, start)
    if callable(f):
        return FunctionSource(f, start)
    what = f"explore got {problems.describe(f)}"
    raise ArgumentError(
        "GL060",
        what,
        "It takes a function of numbers, or a node",
        "Write explore(lambda x: x * x, x=2.0), for example",
    )


def _same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


# --- start values -------------------------------------------------------------------------------------------------------------


def _signature(f: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(f)
    except (TypeError, ValueError):
        return None  # some built-in functions have none


def _start_values(
    f: Callable[..., Any], signature: inspect.Signature | None, start: Mapping[str, Any]
) -> dict[str, Any]:
    """Start values in the order of the arguments; an argument whose default is a number is a leaf as well."""
    if signature is None:
        return dict(start)
    parameters = signature.parameters.values()
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters)
    named = [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    unknown = [name for name in start if name not in {one.name for one in named}]
    if unknown and not takes_any:
        raise _unknown_leaf(unknown[0], problems.name_of(f), [one.name for one in named])
    missing = [one.name for one in named if one.default is one.empty and one.name not in start]
    if missing:
        what = f"{problems.name_of(f)} needs {', '.join(missing)}, and no start value was given for {'it' if len(missing) == 1 else 'them'}"
        raise ArgumentError(
            "GL061", what, fix=f"Write explore(f, {', '.join(f'{name}=1.0' for name in missing)})"
        )
    given = {
        one.name: start.get(one.name, one.default)
        for one in named
        if one.name in start or _is_number(one.default)
    }
    return {**given, **{name: start[name] for name in unknown}}


def _unknown_leaf(name: str, where: str, known: list[str]) -> ArgumentError:
    close = difflib.get_close_matches(name, known, 1)
    names = ", ".join(known[:12]) + (" …" if len(known) > 12 else "")
    expected = f"Its leaves are {names}" if known else "It has no leaf that can be moved"
    return ArgumentError(
        "GL061",
        f"{where} has no leaf named {name!r}",
        expected,
        f"Did you mean {close[0]!r}?" if close else "",
    )


def _is_number(one: Any) -> bool:
    return isinstance(one, numbers.Real) and not isinstance(one, bool)


def _number(name: str, one: Any) -> float:
    if isinstance(one, Value) or _is_number(one) or getattr(one, "shape", None) == ():
        return float(one.primal if isinstance(one, Node) else one)
    what = f"the start value of {name} is {problems.describe(one)}"
    raise ArgumentError("GL061", what, "The explorer moves single numbers", f"Write {name}=2.0, for example")


def _bind(
    signature: inspect.Signature | None, leaves: Mapping[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    positional = (
        [one.name for one in signature.parameters.values() if one.kind is one.POSITIONAL_ONLY]
        if signature
        else []
    )
    first = [leaves[name] for name in positional if name in leaves]
    return first, {name: leaf for name, leaf in leaves.items() if name not in positional}


# --- calling, and the names of what is in between -----------------------------------------------------------------------------


def call_watched(
    f: Callable[..., Any], args: list[Any], kwargs: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Call `f`, and read its local variables at the moment it returns."""
    code, before = _code_of(f), sys.getprofile()
    variables: dict[str, Any] = {}

    def watch(frame: FrameType, event: str, arg: Any) -> None:
        if event == "return" and frame.f_code is code:
            variables.clear()
            variables.update(frame.f_locals)

    sys.setprofile(watch if code else before)
    try:
        returned = f(*args, **kwargs)
    finally:
        sys.setprofile(before)
    return returned, variables


def _code_of(f: Any) -> CodeType | None:
    while isinstance(f, functools.partial):
        f = f.func
    f = inspect.unwrap(f)
    f = getattr(f, "__func__", f)
    code = getattr(f, "__code__", None)
    return code or getattr(type(f).__call__, "__code__", None)


def _variable_names(variables: Mapping[str, Any], oldest: int) -> dict[Node, str]:
    """Nodes made in this run are called after the variable that holds them; in a list, with an index."""
    names: dict[Node, str] = {}
    for name, held in variables.items():
        items = (
            [(f"{name}[{i}]", one) for i, one in enumerate(held[:MAX_LISTED])]
            if isinstance(held, (list, tuple))
            else [(name, held)]
        )
        for label, one in items:
            if isinstance(one, Node) and not one.is_leaf and not one.label and one.index > oldest:
                names.setdefault(one, label)
    return names


def _named_leaves(root: Node) -> dict[str, Node]:
    """Leaves that hold one number and are no constants, each under a name of its own."""
    found: dict[str, Node] = {}
    for node in topological(root):
        if node.is_leaf and node.needs_grad and getattr(node, "shape", ()) == ():
            base = node.label or f"leaf {len(found) + 1}"
            name, again = base, 2
            while name in found:
                name, again = f"{base} ({again})", again + 1
            found[name] = node
    return found


def _told_apart(leaves: Mapping[str, Node]) -> dict[Node, str]:
    """Names for leaves whose own label is missing or shared, so that each slider and its card say the same."""
    return {leaf: name for name, leaf in leaves.items() if name != leaf.label}


def _checked(f: Callable[..., Any], returned: Any) -> Node:
    if not isinstance(returned, Node):
        raise problems.returned(f, returned)
    if getattr(returned, "shape", ()) not in ((), None):
        raise problems.returned_array(f, returned)
    return returned


def _remarks(heard: list[warnings.WarningMessage]) -> list[str]:
    texts = (
        one.message.text if isinstance(one.message, GradlabWarning) else str(one.message) for one in heard
    )
    return list(dict.fromkeys(texts))[:3]
