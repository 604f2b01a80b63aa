"""Whole derivatives: Jacobian and Hessian matrices, and products with a Hessian.

A Jacobian is made of products with unit vectors: a JVP gives a column, a VJP a row. Which of the two is cheaper follows from the shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlab.errors import ArgumentError, GraphError
from gradlab.graph import walk
from gradlab.graph.node import FUNCTIONS, Node
from gradlab.graph.recording import enable_grad
from gradlab.transforms.functional import _closed, _plain, _zeros, as_leaf, grad, output

MODES = ("auto", "forward", "reverse")


def _shape(node: Any) -> tuple[int, ...]:
    return tuple(getattr(node, "shape", ()))


def _size(shape: tuple[int, ...]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


def _units(node: Any) -> list[Any]:
    """One seed for each element of a node: 1 there and 0 elsewhere."""
    shape = _shape(node)
    if not shape:
        return [node.seed_like(node.ones(), True)]
    flat = node.ones().reshape(-1) * 0
    units = []
    for place in range(flat.size):
        unit = flat.copy()
        unit[place] = 1
        units.append(node.seed_like(unit.reshape(shape), True))
    return units


def _stacked(parts: list[Any], shape: tuple[int, ...], front: bool) -> Any:
    """Parts in one array, with the axes of `shape` before or behind those of each part. One number stays one."""
    if not shape:
        return parts[0]
    inner = _shape(parts[0])
    if front:
        return FUNCTIONS["reshape"](FUNCTIONS["stack"](parts), (*shape, *inner))
    return FUNCTIONS["reshape"](FUNCTIONS["stack"](parts, axis=-1), (*inner, *shape))


def _rows(out: Any, leaf: Any) -> Any:
    """Reverse mode: one walk back for each element of the output."""
    rows = []
    for unit in _units(out):
        found = walk.cotangents(out, unit, record=True, wrt=[leaf]) if out.needs_grad else {}
        rows.append(found[leaf] if leaf in found else _zeros(leaf))
    return _stacked(rows, _shape(out), front=True)


def _columns(out: Any, leaf: Any) -> Any:
    """Forward mode: one walk forward for each element of the input."""
    order = walk.topological(out, [leaf])
    columns = []
    for unit in _units(leaf):
        with out.quiet():
            found = walk.push_forward(order, {leaf: unit}, record=True)
        columns.append(found[out] if out in found else _zeros(out))
    return _stacked(columns, _shape(leaf), front=False)


def _empty(out: Any, leaf: Any) -> Any:
    """A Jacobian without elements."""
    like = out if _shape(out) else leaf
    return like.seed_like(0.0, True).reshape(-1)[:0].reshape((*_shape(out), *_shape(leaf)))


def jacobian(
    f: Callable[..., Any], argnums: int | tuple[int, ...] = 0, mode: str = "auto", *, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that returns the Jacobian of f with respect to argument `argnums` (a tuple gives a tuple).

    Shapes: output shape followed by argument shape; a single number for one input and one output. `mode` is "forward" (one walk for
    each input element), "reverse" (one for each output element) or "auto", which takes the cheaper one. Raises ArgumentError GL045 for
    another mode, GL044 for an argument that is not there. It is recorded, so it nests to any order.

    >>> gl.jacobian(lambda x: x * x)(gl.tensor([1.0, 2.0])).tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    if mode not in MODES:
        raise ArgumentError("GL045", f"mode is {mode!r}", f"It is one of {', '.join(MODES)}")
    wanted = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        absent = [place for place in wanted if not -len(args) <= place < len(args)]
        if absent:
            what = f"there is no argument {absent[0]}: {len(args)} were given by place"
            raise ArgumentError("GL044", what, "Arguments are counted from 0", "Set argnums to one of them")
        with enable_grad():
            leaves = {place % len(args): as_leaf(args[place]) for place in wanted}
            made = f(*[leaves.get(place, x) for place, x in enumerate(args)], **kwargs)
            made, aux = made if has_aux else (made, None)
            out = output(lambda: made, ())
            found = {place: _one(out, leaf, mode) for place, leaf in leaves.items()}
            if _closed(out, leaves.values()):
                found = {place: _plain(one) for place, one in found.items()}
        chosen = tuple(found[place % len(args)] for place in wanted)
        result = chosen[0] if isinstance(argnums, int) else chosen
        return (result, aux) if has_aux else result

    return wrapped


def _one(out: Any, leaf: Any, mode: str) -> Any:
    rows, columns = _size(_shape(out)), _size(_shape(leaf))
    if rows * columns == 0:
        return _empty(out, leaf)
    forward = mode == "forward" or (mode == "auto" and columns < rows)
    return _columns(out, leaf) if forward else _rows(out, leaf)


def jacfwd(f: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """`jacobian` in forward mode.

    >>> gl.jacfwd(lambda x: x * 3.0)(gl.tensor([1.0])).tolist()
    [[3.0]]
    """
    return jacobian(f, argnums, "forward")


def jacrev(f: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """`jacobian` in reverse mode.

    >>> gl.jacrev(lambda x: x.sum())(gl.tensor([1.0, 2.0])).tolist()
    [1.0, 1.0]
    """
    return jacobian(f, argnums, "reverse")


def hessian(f: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """A function that returns the Hessian of f, which returns one number: forward mode over the gradient.

    Shapes: argument shape twice. Raises GraphError GL030 when f returns several numbers.

    >>> gl.hessian(lambda x: (x * x * x).sum())(gl.tensor([1.0, 2.0])).tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    return jacobian(grad(f, argnums), argnums, "forward")


def hvp(f: Callable[..., Any], x: Any, v: Any) -> tuple[Any, Any]:
    """The gradient of f at x, and the product of the Hessian with v, without making the Hessian: one walk back, one forward.

    Shapes: those of x. Raises GraphError GL030 when f returns several numbers.
    Source: Pearlmutter, Neural Computation 6(1), 1994.

    >>> gradient, product = gl.hvp(lambda x: (x**3).sum(), gl.tensor([1.0, 2.0]), gl.tensor([1.0, 0.0]))
    >>> product.tolist()
    [6.0, 0.0]
    """
    with enable_grad():
        leaf = as_leaf(x)
        out = output(f, [leaf])
        if getattr(out, "numel", lambda: 1)() != 1:
            what = f"hvp needs a function of one number, and this one returns shape {_shape(out)}"
            raise GraphError("GL030", what, fix="Add up its elements with .sum()")
        found = walk.cotangents(out, None, record=True, wrt=[leaf]) if out.needs_grad else {}
        first = found[leaf] if leaf in found else _zeros(leaf)
        tangent = leaf.seed_like(v, True)
        # the gradient is linear in nothing but its own leaves, so a second walk back along v is as cheap as one forward
        pushed = walk.push_forward(walk.topological(first, [leaf]), {leaf: tangent}, record=True)
        second = pushed[first] if first in pushed else _zeros(leaf)
        if _closed(out, [leaf]) and not (isinstance(v, Node) and v.needs_grad):
            return _plain(first), _plain(second)
        return first, second


def vhp(f: Callable[..., Any], x: Any, v: Any) -> tuple[Any, Any]:
    """PyTorch's name for `hvp`: a Hessian is symmetric, so v H and H v are the same numbers.

    >>> gl.vhp(lambda x: (x * x).sum(), gl.tensor([1.0]), gl.tensor([1.0]))[1].tolist()
    [2.0]
    """
    return hvp(f, x, v)
