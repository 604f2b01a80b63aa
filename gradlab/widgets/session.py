"""What is explored right now: the values of the leaves, the last run that worked, and what is to be said about it.

Knows nothing of widgets. The explorer asks it for a geometry when the topology has changed, and for a frame after every change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from gradlab.errors import ArgumentError
from gradlab.viz.build import Options, build
from gradlab.viz.names import leaf_kind
from gradlab.viz.view import GraphView, NodeView
from gradlab.widgets import answers, payload, problems
from gradlab.widgets.source import Result, Source

MAX_SLIDERS = 60
Message = dict[str, Any] | None


class Session:
    """Runs a source and keeps its last good picture."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.values = dict(source.start)
        self.result: Result | None = None
        self.drawn: GraphView | None = None
        self.message: Message = None
        self.geometry: dict[str, Any] = {}
        self.order: list[str] = []

    def run(self, unfold: Collection[str] = ()) -> None:
        """Run with the present values. A problem becomes the message, beside the last picture that worked."""
        try:
            self.result = self.source.run(self.values)
            self.drawn = build(self.result.root, self._options(self.result, unfold))
            self.message = self._note(self.result, self.drawn)
        except Exception as error:  # a callback has nobody to raise to
            self._tell(error)

    def _tell(self, error: Exception) -> None:
        self.message = {"kind": "error", "text": problems.text_of(error), "stale": self.drawn is not None}

    def _options(self, result: Result, unfold: Collection[str]) -> Options:
        kinds = (leaf_kind(leaf.op.name, name, True) for name, leaf in result.leaves.items())
        loss = "parameter" in kinds and not result.root.is_leaf
        return Options(gradients=True, names=result.names, loss=loss, unfold=tuple(unfold))

    def _note(self, result: Result, view: GraphView) -> Message:
        texts = [*result.notes, problems.not_finite(view), problems.unused(result.unused), view.notice]
        if len(self.values) > MAX_SLIDERS:
            texts.append(
                f"The first {MAX_SLIDERS} of {len(self.values)} leaves have a slider; set() moves the others."
            )
        text = "\n".join(filter(None, texts))
        return {"kind": "note", "text": text, "stale": False} if text else None

    # --- reading and editing ---

    @property
    def view(self) -> GraphView:
        """The picture's data. Raises ArgumentError GL063 while there is none."""
        if self.drawn is None:
            what = self.message["text"] if self.message else "there is no picture yet"
            raise ArgumentError("GL063", what, fix="Mend the function, or move a leaf with set()")
        return self.drawn

    def named(self, name: str) -> NodeView:
        """The node with this name or id."""
        for node in self.view.nodes:
            if name in (node.name, node.id):
                return node
        names = ", ".join(node.name for node in self.view.nodes[:12])
        raise ArgumentError("GL061", f"the graph has no node named {name!r}", f"Its nodes are {names}")

    def number(self, name: str, which: str) -> float:
        """The value or gradient of a node."""
        number = getattr(self.named(name), which)
        if number is None:
            fix = "Look at .view for arrays and folded nodes"
            raise ArgumentError("GL061", f"{name!r} has no single number as its {which}", fix=fix)
        return float(number)

    def edit(self, values: Mapping[str, Any]) -> None:
        """Give leaves new values. Raises ArgumentError GL061 for an unknown name or something that is no number."""
        unknown = [name for name in values if name not in self.values]
        if unknown:
            known = ", ".join(self.values)
            raise ArgumentError("GL061", f"there is no leaf named {unknown[0]!r}", f"The leaves are {known}")
        self.values |= {name: _float(name, x) for name, x in values.items()}

    # --- for the front end ---

    def new_geometry(self, rankdir: str) -> bool:
        """Bring `geometry` up to date; whether it had to change."""
        if self.drawn is None:
            kinds: dict[str, NodeView | None] = dict.fromkeys(list(self.values)[:MAX_SLIDERS])
            rows = payload.leaf_rows(kinds, self.source.start)
            changed, self.geometry = (
                not self.geometry,
                {"title": self.source.title, "leaves": rows, "steps": []},
            )
            return changed
        rankdir = rankdir or self.drawn.rankdir
        if payload.topology_of(self.drawn) + rankdir == self.geometry.get("topology"):
            return False
        by_name = {node.name: node for node in self.drawn.nodes if not node.inputs}
        leaves = {name: by_name.get(name) for name in list(self.values)[:MAX_SLIDERS]}
        self.geometry = payload.geometry(self.drawn, leaves, self.source.start, rankdir)
        backward = [step for step in self.geometry["steps"] if step["phase"] == "backward"]
        self.order = [edge for step in backward for edge in step["edges"]]
        return True

    def frame(self) -> dict[str, Any]:
        """Numbers as texts, in the order of the geometry, and the message."""
        rows = self.geometry["leaves"]
        if self.drawn is None:
            numbers = payload.leaf_texts(self.values, rows)
        else:
            numbers = payload.frame(self.drawn, self.order, self.values, rows)
        return {"topology": self.geometry.get("topology", ""), **numbers, "message": self.message}

    def answer(self, mode: str, selected: str) -> dict[str, Any] | None:
        """What a mode asks about the selected node or edge, or else about the first parameter or leaf."""
        if self.drawn is None or self.result is None or mode not in ("paths", "check"):
            return None
        try:
            return self._answer(self.drawn, self.result, mode, selected)
        except Exception as error:
            self._tell(error)
            return None

    def _answer(self, view: GraphView, result: Result, mode: str, selected: str) -> dict[str, Any]:
        edge = next((edge for edge in view.edges if edge.id == selected), None)
        node = view.by_id.get(edge.source if edge else selected) or _first_leaf(view)
        if mode == "paths":
            return answers.paths(view, node)
        place = view.nodes.index(node)
        return answers.check(view, node, lambda x: result.at(place, x))


def _first_leaf(view: GraphView) -> NodeView:
    leaves = [node for node in view.nodes if not node.inputs and node.grad_state != "none needed"]
    return next(
        (node for node in leaves if node.kind == "parameter"), leaves[0] if leaves else view.nodes[-1]
    )


def _float(name: str, x: Any) -> float:
    try:
        return float(x)
    except (TypeError, ValueError):
        what = f"{name} got {problems.describe(x)}"
        raise ArgumentError("GL061", what, "The explorer moves single numbers") from None
