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
from gradlab.viz.build import Options, build
from gradlab.viz.names import leaf_kind
from gradlab.viz.text import compact
from gradlab.viz.view import GraphView, NodeView
from gradlab.widgets import answers, assets, cell, fallback, payload, problems
from gradlab.widgets.source import Result, Source, source_of

MAX_SLIDERS = 60
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
        self._source = source
        self._values = dict(source.start)
        self._result: Result | None = None
        self._view: GraphView | None = None
        self._order: list[str] = []
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
        if self._view is None:
            raise ArgumentError("GL063", self.frame["message"]["text"], fix="Mend the function, or move a leaf with set()")
        return self._view

    def value(self, name: str) -> float:
        """The value of the node with this name."""
        return self._number(name, "value")

    def grad(self, name: str) -> float:
        """The gradient of the result with respect to the node with this name."""
        return self._number(name, "grad")

    def _number(self, name: str, which: str) -> float:
        number = getattr(self._named(name), which)
        if number is None:
            raise ArgumentError("GL061", f"{name!r} has no single number as its {which}", fix="Look at .view for arrays and folded nodes")
        return float(number)

    def _named(self, name: str) -> NodeView:
        for node in self.view.nodes:
            if name in (node.name, node.id):
                return node
        names = ", ".join(node.name for node in self.view.nodes[:12])
        raise ArgumentError("GL061", f"the graph has no node named {name!r}", f"Its nodes are {names}")

    @property
    def steps(self) -> int:
        """How many steps forward and backward there are."""
        return len(self.geometry.get("steps", ()))

    @property
    def at(self) -> int:
        """How many of them are taken."""
        return self.steps if self._at == END else min(self._at, self.steps)

    def __repr__(self) -> str:
        nodes = len(self._view.nodes) if self._view is not None else 0
        return f"GraphExplorer(nodes={nodes}, step={self.at} of {self.steps})"

    # --- doing ---

    def set(self, **values: float) -> GraphExplorer:
        """Give leaves new numbers: `set(x=3.0)`. For names that are no Python words: `set(**{"w[0]": 1.0})`."""
        self._values |= self._checked(values)
        self._render()
        return self

    def _checked(self, values: Mapping[str, Any]) -> dict[str, float]:
        unknown = [name for name in values if name not in self._values]
        if unknown:
            raise ArgumentError("GL061", f"there is no leaf named {unknown[0]!r}", f"The leaves are {', '.join(self._values)}")
        return {name: _float(name, x) for name, x in values.items()}

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
            raise ArgumentError("GL061", f"there is no place {place!r}", "A place is a number of steps, 'start', 'forward' or 'end'")
        return self._move(at if at == END else max(0, min(at, self.steps)), now=at != END)

    def select(self, name: str = "") -> GraphExplorer:
        """Select the node with this name, so that its formula is shown; nothing without a name."""
        self._ask(selected=self._named(name).id if name else "")
        return self

    def play(self, *scenes: Mapping[str, float] | str, interval_ms: int = 1200) -> GraphExplorer:
        """Show a sequence: leaf values such as {"b": 1.01}, and "step", "back", "reset", "forward", "end".

        Everything is computed at once; the views show one scene after the other, or the last one where motion is not wanted.
        """
        film = []
        for scene in scenes:
            before = self._view
            if isinstance(scene, str):
                self._go(scene)
            else:
                self._values |= self._checked(scene)
            with self.hold_sync():
                self._render()
            film.append({"frame": self.frame, "at": self._at, "say": self._told(scene, before)})
        self._ask(at=self._at, now=self._at != END, film={"frames": film, "interval_ms": interval_ms})
        return self

    def _go(self, word: str) -> None:
        moves = {"step": self.step, "back": self.back, "reset": self.reset}
        moves.get(word, lambda: self.seek(word))()

    def _told(self, scene: Mapping[str, float] | str, before: GraphView | None) -> str:
        """What an edit did to the result: "b = 1.01: loss 81 → 80.82"."""
        if isinstance(scene, str) or before is None or self._view is None:
            return ""
        root, old = self._view.nodes[-1], before.nodes[-1]
        moved = ", ".join(f"{name} = {compact(self._values[name])}" for name in scene)
        return f"{moved}: {root.name} {compact(old.value)} → {compact(root.value)}"

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
        known = {name: x for name, x in change["new"].get("values", {}).items() if name in self._values}
        self._values |= {name: float(x) for name, x in known.items()}
        self._render()

    def _on_cursor(self, change: Mapping[str, Any]) -> None:
        self._at = int(change["new"].get("at", END))

    def _on_question(self, change: Mapping[str, Any]) -> None:
        if self.mode in ("paths", "check"):
            self._emit(self._view)

    def _on_shape(self, change: Mapping[str, Any]) -> None:
        if self._result is not None:
            self._publish(self._result)

    # --- to the front end ---

    def _render(self) -> None:
        """Run the function and show what came out; a problem is shown beside the last picture that worked."""
        try:
            result = self._source.run(self._values)
        except problems.Problem as problem:
            self._emit(self._view, {"kind": "error", "text": str(problem), "stale": self._view is not None})
        else:
            self._publish(result)

    def _publish(self, result: Result) -> None:
        self._result = result
        self._view = view = build(result.root, self._options(result))
        rankdir = self.rankdir or view.rankdir
        with self.hold_sync():
            if payload.topology_of(view) + rankdir != self.geometry.get("topology"):
                self.geometry = payload.geometry(view, self._leaf_views(result), self._source.start, rankdir)
                self._order = [edge for step in self.geometry["steps"] if step["phase"] == "backward" for edge in step["edges"]]
            self._emit(view, self._note(result, view))

    def _options(self, result: Result) -> Options:
        learned = any(leaf_kind(leaf.op.name, name, True) == "parameter" for name, leaf in result.leaves.items())
        return Options(gradients=True, names=result.names, loss=learned and not result.root.is_leaf, unfold=tuple(self.unfolded))

    def _leaf_views(self, result: Result) -> dict[str, NodeView | None]:
        by_name = {node.name: node for node in self.view.nodes if not node.inputs}
        return {name: by_name.get(name) for name in list(self._values)[:MAX_SLIDERS]}

    def _note(self, result: Result, view: GraphView) -> dict[str, Any] | None:
        texts = [*result.notes, problems.not_finite(view), problems.unused(result.unused), view.notice]
        if len(self._values) > MAX_SLIDERS:
            texts.append(f"The first {MAX_SLIDERS} of {len(self._values)} leaves have a slider; set() moves the others.")
        text = "\n".join(filter(None, texts))
        return {"kind": "note", "text": text, "stale": False} if text else None

    def _emit(self, view: GraphView | None, message: dict[str, Any] | None | str = "keep") -> None:
        """Send the frame. Frames are numbered, so a late one can be dropped, and say which edit they answer."""
        self._sent += 1
        kept = self.frame.get("message") if message == "keep" else message
        with self.hold_sync():
            if view is None:
                leaves = dict.fromkeys(list(self._values)[:MAX_SLIDERS])
                self.geometry = {"title": self._source.title, "leaves": payload.leaf_rows(leaves, self._source.start), "steps": []}
                numbers = payload.leaf_texts(self._values, self.geometry["leaves"])
            else:
                numbers = payload.frame(view, self._order, self._values, self.geometry["leaves"])
            own = {"topology": self.geometry.get("topology", ""), "seq": self._sent, "answers": self._answers}
            self.frame = {**own, **numbers, "message": kept, "answer": self._answer(view)}

    def _answer(self, view: GraphView | None) -> dict[str, Any] | None:
        """What the mode asks about the selected node, or else about the first parameter or leaf."""
        if view is None or self._result is None or self.mode not in ("paths", "check"):
            return None
        edge = next((edge for edge in view.edges if edge.id == self.selected), None)
        node = view.by_id.get(edge.source if edge else self.selected) or _first_leaf(view)
        if self.mode == "paths":
            return answers.paths(view, node)
        result, place = self._result, view.nodes.index(node)
        return answers.check(view, node, lambda x: result.at(place, x))

    def _ask(self, **what: Any) -> None:
        """Ask every view to do something; a view that is opened later does it too, once."""
        self.command = {"id": self.command.get("id", 0) + 1, **what}

    def _move(self, at: int, now: bool = True) -> GraphExplorer:
        self._at = at
        self._ask(at=at, now=now)
        return self

    # --- where no widget can live ---

    def _picture(self) -> dict[str, Any]:
        if self._view is None:
            return {"text/plain": self.frame["message"]["text"]}
        return fallback.still(self._view)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**self._picture(), **{key: one for key, one in data.items() if key == fallback.WIDGET}}, metadata

    def _ipython_display_(self) -> None:
        """Two outputs: the still picture, which stays in a saved notebook, and the live view, which hides it."""
        from IPython.display import publish_display_data

        if not fallback.in_kernel():
            print(fallback.in_words(self._view) if self._view is not None else self._picture()["text/plain"])
            return
        data, metadata = self._repr_mimebundle_()
        publish_display_data({key: one for key, one in data.items() if key != fallback.WIDGET})
        publish_display_data({"text/plain": "", fallback.WIDGET: data[fallback.WIDGET]}, metadata)


def _first_leaf(view: GraphView) -> NodeView:
    leaves = [node for node in view.nodes if not node.inputs and node.grad_state != "none needed"]
    return next((node for node in leaves if node.kind == "parameter"), leaves[0] if leaves else view.nodes[-1])


def _float(name: str, x: Any) -> float:
    try:
        return float(x)
    except (TypeError, ValueError):
        raise ArgumentError("GL061", f"{name} got {problems.describe(x)}", "The explorer moves single numbers") from None


def explore(f: Any, **start: Any) -> GraphExplorer:
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
