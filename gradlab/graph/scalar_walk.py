"""`backward()` once more, for scalar graphs: the loops in which training on single numbers spends its time.

They give what `walk.topological` and `walk.cotangents` give (a test compares them) at a quarter of the cost: no generator, no list of
contributions, the inputs of a Value read from its two slots, and no set and no dictionary: what a node has in `_grad` says whether it
was seen and what it was handed so far.
"""

from __future__ import annotations

import threading
from operator import attrgetter
from typing import Any

from gradlab.graph import walk
from gradlab.ops.leaf import CONSTANT

MANY = "many"
"""In the second slot of a Value: the first slot holds a tuple of all inputs."""

_by_index = attrgetter("index")

_ONE_AT_A_TIME = threading.RLock()
"""Graphs of several threads may share leaves, and a walk keeps its notes in them."""


def backward(root: Any) -> None:
    """Give every node below the root its gradient; leaves add it to what they have.

    Raises GraphError GL032 where a used value was changed and GL033 on a cycle; then leaves have what they had.
    """
    with _ONE_AT_A_TIME:
        _backward(root)


def _backward(root: Any) -> None:
    order: list[Any] = []
    leaves: list[tuple[Any, Any]] = []
    # In `_grad`: seen, and handed nothing yet. New each time, so that none left behind can mislead.
    waiting = object()
    try:
        _collect(root, waiting, order, leaves)
        walk.check_unchanged_since(order)
        root._grad = 1.0
        _pull_back(order, waiting)
        for leaf, before in leaves:
            if leaf._grad is waiting:
                leaf._grad = before
            elif before is not None:
                leaf._grad = before + leaf._grad
    except BaseException:  # Ctrl-C too, wherever it strikes
        for node in order:
            node._grad = None
        for leaf, before in leaves:
            leaf._grad = before
        raise


def _collect(root: Any, waiting: object, order: list[Any], leaves: list[tuple[Any, Any]]) -> None:
    """Mark all nodes below the root: ops go into `order`, inputs before users, leaves into `leaves` with the gradient they had."""
    if root._x is None:
        leaves.append((root, root._grad))
        return
    root._grad = waiting
    order.append(root)
    tied = False
    for node in order:  # grows while it is walked
        x, y, index = node._x, node._y, node.index
        for one in x if y is MANY else (x,) if y is None else (x, y):
            if one._grad is not waiting:
                if one._x is None:
                    leaves.append((one, one._grad))
                else:
                    order.append(one)
                one._grad = waiting
            if one.index >= index:
                tied = True
    order.sort(key=_by_index)
    if tied:
        walk.check_acyclic(order)


def _pull_back(order: list[Any], waiting: object) -> None:
    __gradlab_walk__ = "backward"  # noqa: F841  (read by errors.warn_numeric)
    for node in reversed(order):
        ct = node._grad
        if ct is waiting:  # nothing depends on it, as on the branch that `where` did not look at
            node._grad = None
            continue
        x, y, op = node._x, node._y, node.op
        if y is MANY:
            values = [one.primal for one in x]
            if op.variadic:
                handed = op.vjp[0](ct, node.primal, *values)
            else:
                handed = [rule and rule(ct, node.primal, *values) for rule in op.vjp]
            for one, contribution in zip(x, handed, strict=True):
                if contribution is not None and one.op is not CONSTANT:
                    before = one._grad
                    one._grad = contribution if before is waiting else before + contribution
        elif y is None:
            contribution = op.vjp[0](ct, node.primal, x.primal)
            before = x._grad
            x._grad = contribution if before is waiting else before + contribution
        else:
            u, v, z = x.primal, y.primal, node.primal
            f, g = op.vjp
            if x.op is not CONSTANT:
                contribution = f(ct, z, u, v)
                before = x._grad
                x._grad = contribution if before is waiting else before + contribution
            if y.op is not CONSTANT:
                contribution = g(ct, z, u, v)
                before = y._grad
                y._grad = contribution if before is waiting else before + contribution
