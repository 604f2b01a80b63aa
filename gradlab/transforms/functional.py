"""Derivatives of functions: `grad`, `value_and_grad`, `vjp` and `jvp`.

Each runs the function on fresh leaves and walks what was recorded. The derivative is recorded too, so they nest to any order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradlab.errors import DataError, GradlabWarning, warn
from gradlab.graph import walk
from gradlab.graph.node import Node
from gradlab.graph.recording import enable_grad
from gradlab.graph.value import Value


def as_leaf(x: Any) -> Node:
    """A differentiable node for one argument: numbers become a Value, arrays and lists a Tensor, nodes stay what they are.

    A node gets an identity op on top, so that the function's own graph ends there and nothing leaks into an outer one.
    """
    if isinstance(x, Value):
        return x * 1.0
    if isinstance(x, Node) and x.needs_grad:
        return x * 1.0
    if hasattr(x, "__len__") or isinstance(x, Node) or getattr(x, "shape", None):
        from gradlab.graph.tensor import Tensor, tensor

        made = x if isinstance(x, Tensor) else tensor(x)
        return Tensor(made.primal, requires_grad=True)  # refuses whole numbers, in the words of GL010
    return Value(x)


def run(f: Callable[..., Any], args: Sequence[Any]) -> tuple[list[Node], Node]:
    """Call f on leaves made from args. Returns leaves and output. Raises DataError GL042 unless f returns one node or number."""
    leaves = [as_leaf(x) for x in args]
    out = f(*leaves)
    if isinstance(out, Node):
        return leaves, out
    if isinstance(out, (int, float)):
        return leaves, Value(out, kind="constant")
    name = getattr(f, "__name__", "the function")
    fix = "Add a return statement" if out is None else "Return one number computed from the arguments"
    raise DataError(
        "GL042", f"{name} returned {type(out).__name__}", "A function to differentiate returns one node", fix
    )


def _zero_like(node: Node) -> Node:
    return node * 0.0


def _pull(out: Node, leaves: list[Node], seed: Any) -> list[Node]:
    found = walk.cotangents(out, seed, record=True) if out.needs_grad else {}
    if not any(leaf in found for leaf in leaves):
        warn("GL042", "the output does not depend on the input, so the gradient is zero", GradlabWarning)
    return [found[leaf] if leaf in found else _zero_like(leaf) for leaf in leaves]


def value_and_grad(
    f: Callable[..., Any], argnums: int | tuple[int, ...] = 0
) -> Callable[..., tuple[Node, Any]]:
    """A function that returns f's value and its gradient with respect to argument `argnums` (a tuple gives a tuple).

    Shapes: the gradient has the shape of its argument. Raises GraphError GL030 when f returns more than one number.
    """

    def wrapped(*args: Any) -> tuple[Node, Any]:
        wanted = (argnums,) if isinstance(argnums, int) else tuple(argnums)
        with enable_grad():
            chosen = list(args)
            leaves = {place: as_leaf(args[place]) for place in wanted}
            for place, leaf in leaves.items():
                chosen[place] = leaf
            out = run_output(f, chosen)
            grads = _pull(out, [leaves[place] for place in wanted], None)
        return out, grads[0] if isinstance(argnums, int) else tuple(grads)

    return wrapped


def run_output(f: Callable[..., Any], args: Sequence[Any]) -> Node:
    """f's output on these arguments as they are; the errors of `run`."""
    return run(lambda: f(*args), ())[1] if args else run(f, ())[1]


def grad(f: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """The derivative of f as a function. Nest it for higher derivatives.

    >>> float(gl.grad(gl.grad(lambda x: x**3))(2.0))
    12.0
    """
    pair = value_and_grad(f, argnums)

    def wrapped(*args: Any) -> Any:
        return pair(*args)[1]

    return wrapped


def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Node, Callable[..., tuple[Node, ...]]]:
    """f's output and the function that maps a cotangent of the output to the cotangents of the inputs (reverse mode).

    Shapes: a cotangent has the shape of what it belongs to.
    """
    with enable_grad():
        leaves, out = run(f, primals)

    def pull(ct: Any = None) -> tuple[Node, ...]:
        with enable_grad():
            return tuple(_pull(out, leaves, ct))

    return out, pull


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Node, Node]:
    """f's output and its directional derivative along `tangents` (forward mode, one walk for any number of outputs).

    Shapes: a tangent has the shape of its primal; the result has the shape of the output.
    """
    with enable_grad():
        leaves, out = run(f, primals)
        given = {leaf: leaf.seed_like(t, True) for leaf, t in zip(leaves, tangents, strict=True)}
        with out.quiet():
            found = walk.push_forward(walk.topological(out), given, record=True)
        return out, found.get(out, _zero_like(out))
