"""`explore(f, x=2.0)`: a graph to move, to step through and to ask, in a notebook.

Traits are plain JSON and each has one writer. The kernel writes `geometry` (when the topology changes), `frame` (for every change of
numbers) and `command` (what Python asks the views to do); the front end writes the others. Every number and every text about numbers
is made here, so the front end can step through them without a kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets as t

from gradlab.errors import ArgumentError
from gradlab.viz.text import compact
from gradlab.viz.view import GraphView
from gradlab.widgets import assets, cell, fallback
from gradlab.widgets.session import Session
from gradlab.widgets.source import Source, source_of

END = -1
"""The cursor's place when all steps are done, however many there are."""


class GraphExplorer(anywidget.AnyWidget):
    """A live graph: sliders for its leaves, steps forward and backward, formulas, paths, checks and predictions.

    Made by `explore`. From Python: `value("x")` and `grad("x")` read, `set(x=3.0)` edits, `step()`, `back()`, `reset()` and
    `seek("forward")` move the cursor, `select("x")` opens a formula, `play({"x": 2.1}, "step")` shows a sequence, `view` is the
    picture's data and `close()` gives everything back.
    """

    _esm = assets.script()
    _css = assets.style()

    geometry = t.Dict().tag(sync=True)
    frame = t.Dict().tag(sync=True)
    command = t.Dict().tag(sync=True)
    leaf_edits = t.Dict().tag(sync=True)
    cursor = t.Dict({"at": END, "now": False, "command": 0}).tag(sync=True)
    selected = t.Unicode("").tag(sync=True)
    mode = t.Enum(("values", "paths", "check", "predict"), "values").tag(sync=True)
    rankdir = t.Enum(("", "LR", "TB"), "").tag(sync=True)
    unfolded = t.List(t.Unicode()).tag(sync=True)

    def __init__(self, source: Source) -> None:
        self._session = Session(source)
        self._at, self._sent, self._answers = END, 0, 0
        super().__init__()
        self._render()
        self.observe(self._on_edit, "leaf_edits")
        self.observe(self._on_cursor, "cursor")
        self.observe(self._on_question, ["selected", "mode"])
        self.observe(self._on_shape, ["rankdir", "unfolded"])

    # --- reading ---

    @property
    def view(self) -> GraphView:
        """The graph as plain data, with all values and gradients. Raises ArgumentError GL063 while the function gives no graph."""
        return self._session.view

    def value(self, name: str) -> float:
        """The value of the node with this name."""
        return self._session.number(name, "value")

    def grad(self, name: str) -> float:
        """The gradient of the result with respect to the node with this name."""
        return self._session.number(name, "grad")

    @property
    def steps(self) -> int:
        """How many steps forward and backward there are."""
        return len(self.geometry.get("steps", ()))

    @property
    def at(self) -> int:
        """How many of them are taken."""
        return self.steps if self._at == END else min(self._at, self.steps)

    def __repr__(self) -> str:
        drawn = self._session.drawn
        return f"GraphExplorer(nodes={len(drawn.nodes) if drawn else 0}, step={self.at} of {self.steps})"

    # --- doing ---

    def set(self, /, **values: float) -> GraphExplorer:
        """Give leaves new numbers: `set(x=3.0)`. For names that are no Python words: `set(**{"w[0]": 1.0})`."""
        self._session.edit(values)
        self._render()
        return self

    def step(self) -> GraphExplorer:
        """One step on; after the last one it starts over."""
        return self._move(min(1, self.steps) if self.at >= self.steps else self.at + 1)

    def back(self) -> GraphExplorer:
        """One step back."""
        return self._move(max(0, self.at - 1))

    def reset(self) -> GraphExplorer:
        """To the start: only the leaves have values."""
        return self._move(0)

    def seek(self, place: int | str) -> GraphExplorer:
        """To a place: a number of steps, "start", "forward" (all values, no gradient yet) or "end" (everything)."""
        forward = sum(step["phase"] == "forward" for step in self.geometry.get("steps", ()))
        places = {"start": 0, "forward": forward, "end": END}
        at = places.get(place, place) if isinstance(place, str) else place
        if not isinstance(at, int) or isinstance(at, bool):
            raise ArgumentError(
                "GL061",
                f"there is no place {place!r}",
                "A place is a number of steps, 'start', 'forward' or 'end'",
            )
        return self._move(at if at == END else max(0, min(at, self.steps)), now=at != END)

    def select(self, name: str = "") -> GraphExplorer:
        """Select the node with this name, so that its formula is shown; nothing without a name."""
        self._ask(selected=self._session.named(name).id if name else "")
        return self

    def play(self, *scenes: Mapping[str, float] | str, interval_ms: int = 1200) -> GraphExplorer:
        """Show a sequence: leaf values such as {"b": 1.01}, and "step", "back", "reset", "forward", "end".

        Everything is computed at once; the views show one scene after the other, or the last one where motion is not wanted.
        """
        film = []
        for scene in scenes:
            before = self._session.drawn
            if isinstance(scene, str):
                self._go(scene)
            else:
                self._session.edit(scene)
                self._render()
            film.append({"frame": self.frame, "at": self._at, "say": self._told(scene, before)})
        self._ask(at=self._at, now=self._at != END, film={"scenes": film, "interval_ms": interval_ms})
        return self

    def _go(self, word: str) -> None:
        moves = {"step": self.step, "back": self.back, "reset": self.reset}
        moves.get(word, lambda: self.seek(word))()

    def _told(self, scene: Mapping[str, float] | str, before: GraphView | None) -> str:
        """What an edit did to the result: "b = 1.01: loss 81 → 80.82"."""
        now = self._session.drawn
        if isinstance(scene, str) or before is None or now is None:
            return ""
        moved = ", ".join(f"{name} = {compact(self._session.values[name])}" for name in scene)
        return f"{moved}: {now.nodes[-1].name} {compact(before.nodes[-1].value)} → {compact(now.nodes[-1].value)}"

    def close(self) -> None:
        """Close the explorer and the widgets inside it."""
        layout = getattr(self, "layout", None)
        self.unobserve_all()
        super().close()
        if layout is not None:
            layout.close()

    # --- from the front end ---

    def _on_edit(self, change: Mapping[str, Any]) -> None:
        seq = int(change["new"].get("seq", 0))
        if seq <= self._answers:
            return  # older than what is on the screen
        self._answers = seq
        values = change["new"].get("values", {})
        self._session.edit({name: x for name, x in values.items() if name in self._session.values})
        self._render()

    def _on_cursor(self, change: Mapping[str, Any]) -> None:
        self._at = int(change["new"].get("at", END))

    def _on_question(self, change: Mapping[str, Any]) -> None:
        if self.mode in ("paths", "check"):
            self._emit()

    def _on_shape(self, change: Mapping[str, Any]) -> None:
        self._render()

    # --- to the front end ---

    def _render(self) -> None:
        self._session.run(self.unfolded)
        self._emit()

    def _emit(self) -> None:
        """Send the frame, and the geometry before it if it changed. Frames are numbered, so that a late one can be dropped; they say
        which edit they answer."""
        self._sent += 1
        with self.hold_sync():
            if self._session.new_geometry(self.rankdir):
                self.geometry = self._session.geometry
            numbers = {"seq": self._sent, "answers": self._answers}
            answer = self._session.answer(
                self.mode, self.selected
            )  # first: it may have something to say as well
            self.frame = {**numbers, **self._session.frame(), "answer": answer}

    def _ask(self, **what: Any) -> None:
        """Ask every view to do something; a view that is opened later does it too, once. What no view has done yet is kept."""
        number = self.command.get("id", 0)
        waiting = self.command if number > self.cursor.get("command", 0) else {}
        self.command = {**waiting, **what, "id": number + 1}

    def _move(self, at: int, now: bool = True) -> GraphExplorer:
        self._at = at
        self._ask(at=at, now=now)
        return self

    # --- where no widget can live ---

    def _picture(self) -> dict[str, Any]:
        drawn = self._session.drawn
        return fallback.still(drawn) if drawn else {"text/plain": self.frame["message"]["text"]}

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        live = {key: one for key, one in data.items() if key == fallback.WIDGET}
        return {**self._picture(), **live}, metadata

    def _ipython_display_(self) -> None:
        """The still picture, which stays in a saved notebook, and the live view, which hides it."""
        from IPython.display import publish_display_data

        drawn = self._session.drawn
        if not fallback.in_kernel():
            print(fallback.in_words(drawn) if drawn else self._picture()["text/plain"])
            return
        data, metadata = self._repr_mimebundle_()
        if fallback.shows_one_output():
            publish_display_data(data, metadata)
            return
        publish_display_data(self._picture())
        if not fallback.still_only():
            publish_display_data({"text/html": fallback.HUSH, "text/plain": ""})
            publish_display_data({fallback.WIDGET: data[fallback.WIDGET], "text/plain": ""}, metadata)


def explore(f: Any, /, **start: Any) -> GraphExplorer:
    """Explore how a number is computed, and how its gradient comes about: a function with start values, or a node.

    `f` is called with new `Value` leaves, one for each argument, whenever a leaf is edited; its local variables name what is in
    between. A node's own leaves can be edited as well; the node stays as it is. Start values are numbers or Values.
    Raises ArgumentError GL060 for something that cannot be explored, GL061 when start values and arguments do not fit.

    >>> gl.explore(lambda x, w: x * w, x=2.0, w=-3.0)
    GraphExplorer(nodes=3, step=3 of 3)
    """
    explorer = GraphExplorer(source_of(f, start))
    cell.own(explorer)
    return explorer
