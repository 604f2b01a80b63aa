"""Whether operations are recorded, and under which scope. Each thread has its own state."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator, contextmanager
from typing import Any

Scope = tuple[str, ...]


class _State(threading.local):
    """`scope` is the path that new nodes get, or None while nothing is recorded: one look answers both questions."""

    scope: Scope | None = ()
    suspended: Scope = ()  # the path to return to when recording is enabled inside no_grad


state = _State()


def is_recording() -> bool:
    """Whether operations are being recorded in this thread."""
    return state.scope is not None


def no_grad(function: Callable[..., Any] | None = None) -> Any:
    """Nothing computed inside is recorded, so it has no inputs and no gradient. Also a decorator, with or without parentheses.

    >>> w = gl.Value(3.0)
    >>> with gl.no_grad():
    ...     y = w * 2
    >>> y.is_leaf
    True
    """
    return _silent() if function is None else _silent()(function)


def enable_grad(function: Callable[..., Any] | None = None) -> Any:
    """Record again inside a `no_grad` block. Also a decorator, with or without parentheses.

    >>> w = gl.Value(3.0)
    >>> with gl.no_grad(), gl.enable_grad():
    ...     y = w * 2
    >>> y.is_leaf
    False
    """
    return _heard() if function is None else _heard()(function)


@contextmanager
def _silent() -> Iterator[None]:
    before = state.scope, state.suspended
    state.scope, state.suspended = None, before[1] if before[0] is None else before[0]
    try:
        yield
    finally:
        state.scope, state.suspended = before


@contextmanager
def _heard() -> Iterator[None]:
    before = state.scope
    state.scope = state.suspended if before is None else before
    try:
        yield
    finally:
        state.scope = before


class scope(ContextDecorator):  # noqa: N801  (used like a function)
    """Nodes recorded inside belong to the group `name`; groups nest. Pictures fold them into one box.

    >>> with gl.scope("layer1"):
    ...     h = gl.Value(1.0) * 2
    >>> h.scope
    ('layer1',)
    """

    # A class, because entering a generator takes twice as long, and a network of scalars enters a scope at every neuron.
    __slots__ = ("_before", "_name")
    _before: list[tuple[Scope | None, Scope]]  # a stack: one scope may be entered again inside itself

    def __init__(self, name: str) -> None:
        self._name, self._before = str(name), []

    def _recreate_cm(self) -> scope:
        """As a decorator, a scope of its own for each call, so that calls may nest and run in several threads."""
        return scope(self._name)

    def __enter__(self) -> None:
        now, suspended = before = state.scope, state.suspended
        self._before.append(before)
        if now is None:
            state.suspended = (*suspended, self._name)
        else:
            state.scope = (*now, self._name)

    def __exit__(self, *error: object) -> None:
        state.scope, state.suspended = self._before.pop()


def is_grad_enabled() -> bool:
    """Whether operations are being recorded in this thread: PyTorch's name for it.

    >>> with gl.no_grad():
    ...     gl.is_grad_enabled()
    False
    """
    return state.scope is not None


def set_grad_enabled(mode: bool) -> Any:
    """`enable_grad()` when true, else `no_grad()`: for a `with` block, or as a decorator.

    >>> with gl.set_grad_enabled(False):
    ...     gl.is_grad_enabled()
    False
    """
    return _heard() if mode else _silent()


def inference_mode(mode: Any = True) -> Any:
    """`no_grad` under PyTorch's newer name. Here a tensor made inside may be used in a graph later. Also a decorator.

    >>> with gl.inference_mode():
    ...     gl.is_grad_enabled()
    False
    """
    return _silent()(mode) if callable(mode) else _silent() if mode else _heard()
