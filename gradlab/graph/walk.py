"""The walks over a graph: in order, backward with VJP rules, forward with JVP rules, and once more with other leaves.

All are loops, never recursion, so the depth of a graph does not matter; all cost time in proportion to its edges.
Source: the two modes are those of Baydin et al., JMLR 18(153), 2018, §3.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any

from gradlab.errors import GraphError
from gradlab.graph.node import Node, last_change, versions

_by_index = attrgetter("index")
Contribution = tuple[int, Node, Any]


def roots_of(roots: Node | Iterable[Node]) -> list[Node]:
    """One node or several as a list."""
    return [roots] if isinstance(roots, Node) else list(roots)


def topological(roots: Node | Iterable[Node], stop: Collection[Node] = ()) -> list[Node]:
    """All nodes that the roots depend on, inputs before users, in the order of recording; not what lies below those in `stop`."""
    stack = list(dict.fromkeys(roots_of(roots)))
    seen, ends = set(stack), set(stop)  # sets: a list would compare nodes by value
    order: list[Node] = []
    add, push, take = seen.add, stack.append, order.append
    while stack:
        node = stack.pop()
        take(node)
        if versions[0]:
            relink(node)
        for one in () if node in ends else node.inputs:
            if one not in seen:
                add(one)
                push(one)
    order.sort(key=_by_index)
    return order


def version_at(node: Any, index: int) -> Any:
    """The version of a node that a user recorded at `index` has used; None when there is none that old."""
    while node is not None and node.index > index:
        extra = getattr(node, "extra", None)
        node = None if extra is None else extra.past
    return node


def relink(node: Any) -> None:
    """Point the edges of a node at the versions it used. An edge without one that old stays (it may close a cycle)."""
    if any(one.index > node.index for one in node.inputs):
        found = [(one, version_at(one, node.index)) for one in node.inputs]
        node.link(tuple(one if version is None else version for one, version in found))


def check_acyclic(order: list[Node]) -> None:
    """An input is always older than its user; if not, somebody tied a cycle by hand. Raises GraphError GL033 naming it."""
    for node in order:
        for one in node.inputs:
            if one.index >= node.index:
                what = f"node {_name(node)} depends on itself through {_name(one)}"
                raise GraphError(
                    "GL033",
                    what,
                    "A graph must not have a cycle",
                    "Make a new node instead of changing .inputs",
                )


def _name(node: Node) -> str:
    return repr(node.label) if node.label else f"made by {node.op.name}"


def check_unchanged(node: Node) -> None:
    """What the rules of this node read must be as it was when it was recorded. Raises GraphError GL032 naming what changed."""
    names = node.op.arg_names * len(node.inputs) if node.op.variadic else node.op.arg_names
    for name, one in zip(names, node.inputs, strict=True):
        if name in node.op.reads and one.changed_at() > node.index:
            _refuse_changed(one, node)
    if "z" in node.op.reads and node.changed_at() > node.index:
        _refuse_changed(node, node)


def _refuse_changed(changed: Node, user: Node) -> None:
    times = f"recorded at {user.index}, changed at {changed.changed_at()}"
    what = f"the value of {_name(changed)} was changed after {user.op.name} had used it ({times})"
    raise GraphError(
        "GL032",
        what,
        "backward() needs the value that was used",
        "Compute the result again, then call backward(); or let the op work on a .clone() of what you change",
    )


def check_unchanged_since(order: list[Node]) -> None:
    """`check_unchanged` for a whole order; nothing to look at when no value was changed since its first op was recorded."""
    first = next((node.index for node in order if not node.is_leaf), 0)
    if last_change[0] > first:
        for node in order:
            check_unchanged(node)


def contributions(
    node: Node, ct: Any, record: bool, wanted: Collection[Node] | None = None
) -> list[Contribution]:
    """What a node hands on to its inputs when its own cotangent is `ct`: (slot, input, contribution) for each that needs one.

    With `wanted`, only those inputs are asked.
    """
    asked = [one.needs_grad and (wanted is None or one in wanted) for one in node.inputs]
    z: Any = node if record else node.primal
    values: list[Any] = list(node.inputs) if record else [one.primal for one in node.inputs]
    __gradlab_walk__ = "backward"  # noqa: F841
    if node.op.variadic:
        (rule,) = node.op.vjp
        handed = rule(ct, z, *values, **node.params) if rule else [None] * len(values)
    else:
        pairs = zip(asked, node.op.vjp, strict=True)
        handed = [rule(ct, z, *values, **node.params) if rule and ask else None for ask, rule in pairs]
    return [
        (slot, one, node.fit(contribution, one, record))
        for slot, (one, contribution) in enumerate(zip(node.inputs, handed, strict=True))
        if contribution is not None and asked[slot]
    ]


def pull_steps(
    order: list[Node],
    cotangents: dict[Node, Any],
    record: bool = False,
    wanted: Collection[Node] | None = None,
) -> Iterator[tuple[Node, Any, list[Contribution]]]:
    """Walk backward one node at a time, adding contributions into `cotangents` (which holds the seeds).

    Yields (node, its complete cotangent, what it hands on) before the contributions are added. With `record` the rules run on nodes,
    so that the gradient is itself a graph.
    """
    check_acyclic(order)
    check_unchanged_since(order)
    for node in reversed(order):
        ct = cotangents.get(node)
        if ct is None:
            continue
        extra = getattr(node, "extra", None)
        if extra is not None and extra.hooks:
            ct = cotangents[node] = node.hooked(ct, record)
        if not node.inputs:
            continue
        handed = contributions(node, ct, record, wanted)
        yield node, ct, handed
        for _, one, contribution in handed:
            cotangents[one] = contribution if one not in cotangents else cotangents[one] + contribution


def cotangents(
    root: Node, seed: Any = None, record: bool = False, wrt: Collection[Node] | None = None
) -> dict[Node, Any]:
    """The gradient of the root with respect to every node below it that needs one. Changes nothing on the nodes.

    With `wrt`, only what lies between those nodes and the root is walked.
    """
    found: dict[Node, Any] = {root: root.seed_like(seed, record)}
    order, wanted = topological(root, wrt or ()), None
    if wrt is not None:
        wanted = set(wrt)
        for node in order:
            if not wanted.isdisjoint(node.inputs):
                wanted.add(node)
        order = [node for node in order if node in wanted]
    with root.quiet():
        for _ in pull_steps(order, found, record, wanted):
            pass
    return found


def local_derivatives(node: Node) -> list[Any]:
    """The derivative of a node with respect to each of its inputs, by slot; None where none is needed.

    For tensors this is what the node hands on when every element of its cotangent is 1.
    """
    found: list[Any] = [None] * len(node.inputs)
    check_unchanged(node)
    with node.quiet():
        for slot, _, contribution in contributions(node, node.seed_like(node.ones(), False), False):
            found[slot] = contribution
    return found


def push_forward(order: list[Node], tangents: Mapping[Node, Any], record: bool = False) -> dict[Node, Any]:
    """Tangents of all nodes that depend on those given: forward mode. With `record` the tangents are nodes themselves."""
    check_acyclic(order)
    found = dict(tangents)
    __gradlab_walk__ = "forward"  # noqa: F841
    for node in order:
        if not node.inputs or node in tangents or not any(one in found for one in node.inputs):
            continue
        z: Any = node if record else node.primal
        values: list[Any] = list(node.inputs) if record else [one.primal for one in node.inputs]
        total = None
        if node.op.variadic and node.op.jvp[0]:
            total = node.op.jvp[0](tuple(found.get(one) for one in node.inputs), z, *values, **node.params)
        else:
            for one, rule in zip(node.inputs, node.op.jvp, strict=True):
                if rule is not None and one in found:
                    tangent = rule(found[one], z, *values, **node.params)
                    total = tangent if total is None else total + tangent
        if total is not None:
            found[node] = node.fit(total, node, record)
    return found


def replay(root: Node, substitutes: Mapping[Node, Any]) -> tuple[Any, dict[Node, Any]]:
    """Record the same ops again on copies, some leaves with other data. Returns the new root and new node by old node.

    A computed node among the substitutes is held at its number, as if it were a leaf. Labels, scopes and kinds are kept; the old
    nodes are untouched.
    """
    copies: dict[Node, Any] = {}
    order = topological(root)
    check_acyclic(order)
    for node in order:
        inputs = () if node in substitutes else tuple(copies[one] for one in node.inputs)
        copies[node] = node.copy_with(inputs, substitutes.get(node, node.primal))
    return copies[root], copies
