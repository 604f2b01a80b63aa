"""Which cell of a notebook is running: a cell that runs again replaces its explorers instead of adding more."""

from __future__ import annotations

import sys
import weakref
from typing import Any, NamedTuple, Protocol


class Closable(Protocol):
    """What a cell can own."""

    def close(self) -> None:
        """Give everything back."""


class Run(NamedTuple):
    """One execution of one cell."""

    cell: str
    request: str


_owned: dict[str, tuple[str, list[weakref.ref[Any]]]] = {}


def running() -> Run | None:
    """The execution that is going on, or None outside a notebook and inside a widget's callback.

    Notebooks send the id of the cell with each request; without one, the text of the cell tells it again.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    kernel: Any = getattr(shell, "kernel", None)
    parent = kernel.get_parent("shell") if hasattr(kernel, "get_parent") else {}
    if parent.get("header", {}).get("msg_type") != "execute_request":
        return None
    cell = parent.get("metadata", {}).get("cellId") or f"text {parent.get('content', {}).get('code', '')}"
    return Run(str(cell), str(parent.get("header", {}).get("msg_id", "")))


def own(one: Closable, run: Run | None = None) -> None:
    """Let the running cell own `one`. What its earlier executions made is closed."""
    run = run or running()
    if run is None:
        return
    request, made = _owned.get(run.cell, ("", []))
    if request != run.request:
        for reference in made:
            old = reference()
            if old is not None:
                old.close()
        made = []
    _owned[run.cell] = (run.request, [*made, weakref.ref(one)])
