"""Derivatives of functions: `grad`, `value_and_grad`, `vjp` and `jvp`.

Each runs the function on fresh leaves and walks what was recorded. The derivative is recorded too, so they nest to any order; only
where all arguments are plain numbers or arrays, and nothing else is involved, the results are constants.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from gradlab.backends import is_number
from gradlab.errors import ArgumentError, DataError, GradlabWarning, warn
from gradlab.graph import walk
from gradlab.graph.node import Node
from gradlab.graph.recording import enable_grad
from gradlab.graph.value import Value
from gradlab.transforms.containers import flatten


def as_leaf(x: Any) -> Node:
    """A differentiable node for one argument: numbers become a Value, arrays and lists a Tensor, nodes stay what they are.

    A node gets an identity op on top, so that the function's own graph ends there and nothing leaks into an outer one.
    """
    if isinstance(x, Node) and (isinstance(x, Value) or x.needs_grad):
        return x * 1.0
    if isinstance(x, (list, tuple, Node)) or (hasattr(x, "dtype") and not is_number(x)):
        from gradlab.graph.tensor import Tensor, tensor

        made = x if isinstance(x, Tensor) else tensor(x)
        return made.detach().requires_grad_()  # refuses whole numbers, in the words of GL010
    return Value(x)


def output(f: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Node:
    """f's output on these arguments. Raises DataError GL042 unless it is one node or number."""
    out = f(*args, **(kwargs or {}))
    if isinstance(out, Node):
        return out
    if is_number(out):
        return Value(out, kind="constant")
    name = getattr(f, "__name__", "the function").replace("<lambda>", "the function")
    fix = "Add a return statement" if out is None else "Return one number computed from the arguments"
    what = f"{name} returned {'None' if out is None else type(out).__name__}"
    raise DataError("GL042", what, "A function to differentiate returns one node", fix)


def run(f: Callable[..., Any], args: Sequence[Any]) -> tuple[list[Node], Node]:
    """Call f on leaves made from args. Returns leaves and output. Raises DataError GL042 unless f returns one node or number."""
    leaves = [as_leaf(x) for x in args]
    return leaves, output(f, leaves)


def _zeros(node: Node) -> Node:
    """Zero for every element; not node * 0.0, which is nan where the node is inf."""
    return node.seed_like(0.0 * node.ones(), True)


def _closed(out: Node, leaves: Collection[Node]) -> bool:
    """Whether nothing outside could ask how the result depends on it: all leaves were made here, from plain numbers."""
    if not all(leaf.is_leaf for leaf in leaves):
        return False
    own = set(leaves)
    return not any(
        node.is_leaf and node.needs_grad and node not in own for node in walk.topological(out, own)
    )


def _plain(node: Node) -> Node:
    """The same number or array as a constant, so that `.numpy()` works and the graph can be freed."""
    return node.seed_like(node.primal, True)


def _pull(out: Node, leaves: Mapping[Any, Node], seed: Any, record: bool) -> list[Node]:
    """The cotangent of each leaf, and one warning for all on which the output does not depend."""
    wrt = list(leaves.values())
    found = walk.cotangents(out, seed, record=record, wrt=wrt) if out.needs_grad else {}
    absent = [str(name) for name, leaf in leaves.items() if leaf not in found]
    if absent:
        which = f"argument {absent[0]}" if len(absent) == 1 else f"arguments {', '.join(absent)}"
        text = f"the output does not depend on {which} (counted from 0), so that gradient is zero."
        warn("GL043", text, GradlabWarning)
    made = [found[leaf] if leaf in found else _zeros(leaf) for leaf in wrt]
    return made if record else [leaf.seed_like(one, True) for leaf, one in zip(wrt, made, strict=True)]


def value_and_grad(
    f: Callable[..., Any], argnums: int | tuple[int, ...] = 0, *, has_aux: bool = False
) -> Callable[..., tuple[Any, Any]]:
    """A function that returns f's value and its gradient with respect to argument `argnums` (a tuple gives a tuple).

    An argument may be a nested container (dict, list, tuple, named tuple) of tensors: its gradient is one of the same form. Arguments
    given by name are passed on. With `has_aux`, f returns (value, anything) and so does the first result.
    Shapes: the gradient has the shape of its argument. Raises GraphError GL030 when f returns more than one number, ArgumentError
    GL044 when there is no such argument.

    >>> value, gradient = gl.value_and_grad(lambda p: p["w"] * p["w"])({"w": gl.tensor(3.0)})
    >>> gradient["w"].item()
    6.0
    """
    wanted = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    def wrapped(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        absent = [place for place in wanted if not -len(args) <= place < len(args)]
        if absent:
            what = f"there is no argument {absent[0]}: {len(args)} were given by place"
            raise ArgumentError("GL044", what, "Arguments are counted from 0", "Set argnums to one of them")
        with enable_grad():
            given, leaves, builders = list(args), {}, {}
            for place in dict.fromkeys(place % len(args) for place in wanted):
                parts, build = flatten(args[place])
                made = {f"{place}{path}": as_leaf(x) for path, x in parts}
                leaves.update(made)
                given[place] = build(list(made.values()))
                builders[place] = list(made), build
            result = f(*given, **kwargs)
            result, aux = result if has_aux else (result, None)
            out = output(lambda: result, ())
            closed = _closed(out, leaves.values())
            grads = dict(zip(leaves, _pull(out, leaves, None, record=not closed), strict=True))
            out = _plain(out) if closed else out
        found = {place: build([grads[name] for name in names]) for place, (names, build) in builders.items()}
        chosen = tuple(found[place % len(args)] for place in wanted)
        value = (out, aux) if has_aux else out
        return value, chosen[0] if isinstance(argnums, int) else chosen

    return wrapped


def grad(
    f: Callable[..., Any], argnums: int | tuple[int, ...] = 0, *, has_aux: bool = False
) -> Callable[..., Any]:
    """The derivative of f as a function; of a container of parameters, a container of gradients. Nest it for higher derivatives.

    With `has_aux`, f returns (value, anything), and the result is (gradient, anything). Raises as `value_and_grad`.

    >>> float(gl.grad(gl.grad(lambda x: x**3))(2.0))
    12.0
    """
    pair = value_and_grad(f, argnums, has_aux=has_aux)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        value, found = pair(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return wrapped


def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Node, Callable[..., tuple[Node, ...]]]:
    """f's output and the function that maps a cotangent of the output to the cotangents of the inputs (reverse mode).

    Shapes: a cotangent has the shape of what it belongs to.
    """
    with enable_grad():
        leaves, out = run(f, primals)
        closed = _closed(out, leaves)

    def pull(ct: Any = None) -> tuple[Node, ...]:
        record = not closed or (isinstance(ct, Node) and ct.needs_grad)
        with enable_grad():
            return tuple(_pull(out, dict(enumerate(leaves)), ct, record))

    return _plain(out) if closed else out, pull


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Node, Node]:
    """f's output and its directional derivative along `tangents` (forward mode, one walk for any number of outputs).

    Shapes: a tangent has the shape of its primal; the result has the shape of the output.
    """
    if len(primals) != len(tangents):
        what = f"jvp got {len(primals)} primals and {len(tangents)} tangents"
        raise ArgumentError("GL044", what, "There must be one tangent for each primal")
    with enable_grad():
        leaves, out = run(f, primals)
        given = {leaf: leaf.seed_like(t, True) for leaf, t in zip(leaves, tangents, strict=True)}
        with out.quiet():
            found = walk.push_forward(walk.topological(out, leaves), given, record=True)
        tangent = found[out] if out in found else _zeros(out)
        if _closed(out, leaves) and not any(isinstance(t, Node) and t.needs_grad for t in tangents):
            return _plain(out), _plain(tangent)
        return out, tangent
