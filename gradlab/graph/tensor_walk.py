"""`backward()` once more, for graphs of tensors: the loop in which training spends its time.

It gives what `walk.cotangents` gives (a test compares them) in one pass: nodes wait in a heap, youngest first, from when they get
their first contribution; so nothing is collected and sorted beforehand, and a cotangent is freed as soon as it was handed on.
"""

from __future__ import annotations

import sys
import threading
from heapq import heappop, heappush
from typing import Any

from gradlab.backends import backend_of
from gradlab.backends.arrays import BACKENDS
from gradlab.graph import recorder, walk
from gradlab.graph.node import last_change, versions
from gradlab.graph.recording import is_recording
from gradlab.op import NO_PARAMS
from gradlab.ops.leaf import CONSTANT

_ADDING = threading.RLock()
"""Graphs of several threads may share leaves: their gradients are added up one at a time."""

Found = list[tuple[Any, Any]]


def why_nothing(node: Any) -> tuple[str, str, str]:
    """Why backward() has nothing to do: the three parts of the message."""
    what = "backward() was called on a tensor for which nothing was recorded"
    if not is_recording():
        return what, "Under no_grad() nothing is recorded", "Compute the loss outside of no_grad()"
    why = "None of its inputs requires a gradient, or it was computed under no_grad()"
    return what, why, "Make a leaf with tensor(..., requires_grad=True)"


def backward(root: Any, seed: Any, create_graph: bool, only: list[Any] | None) -> None:
    """Add the gradient of the root to every leaf below it that requires one, or to those in `only`.

    Raises GraphError GL032 where a used value was changed and GL033 on a cycle; then leaves have what they had.
    """
    if create_graph:
        found: Found = _recorded(root, seed, only)
    else:
        with root.quiet():
            found = _walk(root, seed, None if only is None else set(only))
    with _ADDING:
        for node, ct in found:
            _add(node, ct, create_graph)
    for node, _ in found:
        for hook in list(node.extra.after.values()) if node.extra is not None else ():
            hook(node)


def _recorded(root: Any, seed: Any, only: list[Any] | None) -> Found:
    """The same by the general walk, whose rules run on nodes."""
    cotangents = walk.cotangents(root, seed, record=True, wrt=only)
    return [(node, ct) for node, ct in cotangents.items() if _keeps(node, only)]


def _keeps(node: Any, only: Any) -> bool:
    if only is not None:
        return any(node is one for one in only)
    return not node.inputs or (node.extra is not None and node.extra.retains)


def _add(node: Any, ct: Any, create_graph: bool) -> None:
    """Add a complete cotangent to `grad` of a node."""
    before = node._grad
    if create_graph:
        node._grad = ct if before is None else before + ct
        return
    backend = BACKENDS.get(ct.__class__) or backend_of(node.primal)
    if ct.__class__ not in BACKENDS:
        ct = backend.xp.asarray(ct, dtype=node.dtype)
    if before is not None:
        node._grad = recorder.leaf(before.primal + ct, CONSTANT)
        return
    # an array that somebody else holds too is copied; one that was computed for this leaf alone is not
    shared = ct.base is not None or sys.getrefcount(ct) > _ALONE
    node._grad = recorder.leaf(ct.copy() if shared else ct, CONSTANT)


def _references() -> int:
    """What getrefcount says of an array in a pair of a list, seen from two calls down, as in `_add`."""
    seen: list[int] = []

    def look(node: Any, ct: Any) -> None:
        seen.append(sys.getrefcount(ct))

    import numpy as np

    found: Found = [(None, np.zeros(1))]
    for node, ct in found:
        look(node, ct)
    return seen[0]


_ALONE = _references()


def fitted(raw: Any, target: Any) -> Any:
    """A raw contribution in the shape and dtype of an array: summed over what was broadcast, repeated where it is smaller."""
    xp = BACKENDS[target.__class__].xp
    if raw.__class__ is not target.__class__:
        raw = xp.asarray(raw)
    shape = target.shape
    if raw.shape != shape:
        lead = raw.ndim - len(shape)
        if lead >= 0 and raw.shape:
            axes = tuple(range(lead)) + tuple(
                [p + lead for p, size in enumerate(shape) if size == 1 and raw.shape[p + lead] != 1]
            )
            if axes:
                raw = xp.add.reduce(raw, axis=axes if len(axes) > 1 else axes[0], keepdims=True)
            if lead:
                raw = raw.reshape(raw.shape[lead:])
        if raw.shape != shape:
            raw = xp.broadcast_to(raw, shape)
    return raw if raw.dtype is target.dtype else raw.astype(target.dtype, copy=False)


def _walk(root: Any, seed: Any, only: set[Any] | None) -> Found:
    """The complete cotangents of the leaves, and of the nodes that retain theirs."""
    __gradlab_walk__ = "backward"  # noqa: F841  (read by errors.warn_numeric)
    cts: dict[Any, Any] = {root: seed}
    heap: list[tuple[int, Any]] = [(-root.index, root)]
    found: Found = []
    while heap:
        node = heappop(heap)[1]
        ct = cts.pop(node)
        extra, inputs = node.extra, node.inputs
        if extra is not None and extra.hooks:
            ct = node.hooked(ct, False)
        if not inputs or (extra is not None and extra.retains) or only is not None:
            if only is None or node in only:
                found.append((node, ct))
            if not inputs:
                continue
        index = node.index
        if index < last_change[0]:
            if versions[0]:
                walk.relink(node)
                inputs = node.inputs
            walk.check_unchanged(node)
        op, params, z = node.op, node.params, node.primal
        if op.variadic or params is not NO_PARAMS or len(inputs) > 2:
            pairs: Any = _handed(op, ct, z, inputs, params)
        elif len(inputs) == 1:
            x = inputs[0]
            pairs = ((x, op.vjp[0](ct, z, x.primal)),)
        else:
            x, y = inputs
            f, g = op.vjp
            a, b = x.primal, y.primal
            if not y.requires_grad:
                pairs = ((x, f(ct, z, a, b)),) if f is not None else ()
            elif not x.requires_grad:
                pairs = ((y, g(ct, z, a, b)),) if g is not None else ()
            else:
                pairs = (
                    (x, None if f is None else f(ct, z, a, b)),
                    (y, None if g is None else g(ct, z, a, b)),
                )
        for one, got in pairs:
            if got is None or not one.requires_grad:
                continue
            like = one.primal
            if got.__class__ is not like.__class__ or got.shape != like.shape or got.dtype is not like.dtype:
                got = fitted(got, like)
            before = cts.get(one)
            if before is not None:
                cts[one] = before + got
                continue
            if one.index >= index:
                walk.check_acyclic([node])
            cts[one] = got
            heappush(heap, (-one.index, one))
    return found


def _handed(op: Any, ct: Any, z: Any, inputs: tuple[Any, ...], params: Any) -> Any:
    """(input, contribution) for an op with parameters, or with more than two inputs."""
    values = [one.primal for one in inputs]
    if op.variadic:
        return zip(inputs, op.vjp[0](ct, z, *values, **params), strict=True) if op.vjp[0] else ()
    return [
        (one, rule(ct, z, *values, **params))
        for one, rule in zip(inputs, op.vjp, strict=True)
        if rule is not None and one.requires_grad
    ]
