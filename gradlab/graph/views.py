"""Views and versions: what happens to a graph when a tensor is changed in place while it is being recorded.

A view (`x[0]`, `x.T`, `x.reshape(...)`) looks into the memory of its base, as in NumPy and PyTorch: a change of one is seen in all. A
recorded change gives the tensor a new place in the graph, and what it was before stays as a node of its own, its `past`, to which
earlier users belong. Nothing keeps a list of users or of views: a walk finds the version an edge means by its time (`walk.version_at`), and
a view that is used after its base was changed is recorded again first (`refreshed`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradlab.backends import backend_of
from gradlab.graph import recorder
from gradlab.graph.node import mark_changed, next_index, versions
from gradlab.graph.recorder import Extra, viewed
from gradlab.graph.recording import state
from gradlab.op import NO_PARAMS, Op
from gradlab.ops.leaf import CONSTANT
from gradlab.ops.view_write import VIEW_WRITE

Step = tuple[Op, Mapping[str, Any]]


def base_of(node: Any) -> tuple[Any, list[Step]]:
    """The tensor that this one is a view of in the graph, and the view ops on the way from there to here."""
    steps: list[Step] = []
    while (found := viewed(node)) is not None and found[1] is not None:
        node = found[0]
        steps.append((found[1], found[2]))
    return node, steps[::-1]


def memory_of(node: Any) -> Any:
    """The tensor whose memory this one looks into, through views and detached copies."""
    while (found := viewed(node)) is not None:
        node = found[0]
    return node


def change_graph(node: Any, op: Op, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> None:
    """Give a tensor a new place in the graph; what it was becomes its past, and `node` among the inputs means that past."""
    old = recorder.Tensor.__new__(recorder.Tensor)
    for name in recorder.Tensor.STATE:
        setattr(old, name, getattr(node, name))
    old.inputs = node.inputs
    old.extra, fresh = node.extra or Extra(), Extra()
    fresh.retains, old.extra.retains = old.extra.retains, False
    fresh.past, node.extra = old, fresh
    node.inputs = tuple(old if one is node else one for one in inputs)
    node.op, node.params, node.scope = op, params or NO_PARAMS, state.scope or ()
    node.index, node.requires_grad = next_index(), True
    versions[0] = True


def refreshed(node: Any) -> Any:
    """The tensor itself. A view whose base got a new place in the graph since is first recorded again, from the base as it is now."""
    if not versions[0] or state.scope is None:
        return node
    chain, one = [], node
    while (found := viewed(one)) is not None and found[1] is not None:
        chain.append((one, found))
        one = found[0]
    for view, (parent, op, params) in reversed(chain):
        if parent.requires_grad and parent.index > view.index:
            change_graph(view, op, (parent,), params)
    return node


def write(node: Any, value: Any, fresh: bool) -> None:
    """Put new numbers into the memory of a tensor; record it where a gradient could flow through it.

    `value` has the shape and dtype of `node`: an array, or a tensor when it may carry a gradient. It is `fresh` when it was computed
    for this and nobody else has it: then the tensor takes its place in the graph.
    """
    base, steps = base_of(node)
    raw, carries = getattr(value, "primal", value), getattr(value, "requires_grad", False)
    tracked = state.scope is not None and (base.requires_grad or carries)
    before = None  # the old numbers, where the rule of the new op reads them
    if tracked and fresh and carries and value.op.reads:
        before = node.primal.copy(), node.changed
    backend_of(node.primal).xp.copyto(node.primal, raw)
    mark_changed(memory_of(base))
    if not tracked:
        return
    mark_changed(base)
    if fresh and carries and not steps:
        change_graph(base, value.op, value.inputs, value.params)
    else:
        value = recorder.leaf(raw.copy(), CONSTANT) if value is raw else value
        change_graph(base, VIEW_WRITE, (base, value), {"steps": tuple(steps)})
        refreshed(node)
    if before is not None:
        old = node.extra.past
        old.primal, old.changed = before
        old.extra.viewed = None
