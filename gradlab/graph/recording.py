"""Whether operations are recorded, and under which scope. Each thread has its own state."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

Scope = tuple[str, ...]


class _State(threading.local):
    """`scope` is the path that new nodes get, or None while nothing is recorded: one look answers both questions."""

    scope: Scope | None = ()
    suspended: Scope = ()  # the path to return to when recording is enabled inside no_grad


state = _State()


def is_recording() -> bool:
    """Whether operations are being recorded in this thread."""
    return state.scope is not None


@contextmanager
def no_grad() -> Iterator[None]:
    """Nothing computed inside is recorded, so it has no inputs and no gradient. Also a decorator.

    >>> w = gl.Value(3.0)
    >>> with gl.no_grad():
    ...     y = w * 2
    >>> y.is_leaf
    True
    """
    before = state.scope, state.suspended
    state.scope, state.suspended = None, before[1] if before[0] is None else before[0]
    try:
        yield
    finally:
        state.scope, state.suspended = before


@contextmanager
def enable_grad() -> Iterator[None]:
    """Record again inside a `no_grad` block. Also a decorator."""
    before = state.scope
    state.scope = state.suspended if before is None else before
    try:
        yield
    finally:
        state.scope = before


@contextmanager
def scope(name: str) -> Iterator[None]:
    """Nodes recorded inside belong to the group `name`; groups nest. Pictures fold them into one box.

    >>> with gl.scope("layer1"):
    ...     h = gl.Value(1.0) * 2
    >>> h.scope
    ('layer1',)
    """
    before = state.scope, state.suspended
    if before[0] is None:
        state.suspended = (*before[1], str(name))
    else:
        state.scope = (*before[0], str(name))
    try:
        yield
    finally:
        state.scope, state.suspended = before
