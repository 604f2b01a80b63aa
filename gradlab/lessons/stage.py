"""What a question shows: a static picture that points at a node, and the explorer that plays an answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gradlab.lessons import oracle, speech
from gradlab.lessons.kinds.choice import folded
from gradlab.lessons.plan import Scene
from gradlab.lessons.result import Result

RING_PX = 6
PAUSE_MS = 1500
RING = "<title>look here</title>"
_CARD = re.compile(
    r'<g class="card [^>]*>.*?(?=<rect class="box")<rect class="box" width="([\d.]+)" height="([\d.]+)"',
    re.DOTALL,
)


@dataclass(frozen=True, repr=False)
class Played(Result):
    """The result of a reveal: its message, and under it the explorer where one can be shown, else a static picture."""

    widget: Any = field(default=None, compare=False)

    def _ipython_display_(self) -> None:
        from IPython.display import display, publish_display_data

        publish_display_data(self._repr_mimebundle_())
        if self.widget is not None:
            display(self.widget)


def caption(scene: Scene) -> str:
    """The caption with the result before and after the move, both computed."""
    before = oracle.value(scene.f, scene.start)
    after = oracle.value(scene.f, {**scene.start, **scene.move})
    return scene.caption.format(before=speech.number(before), after=speech.number(after))


def play(scene: Scene, message: str, status: str, title: str, notes: tuple[str, ...]) -> Result:
    """The scene in the explorer, moving from its start to where it ends. A picture of the end where there is no explorer."""
    try:
        widget = _explorer(scene)
    except Exception:  # whatever keeps a widget from being made, the answer can still be seen
        return Result(
            status, message, title=title, notes=notes, picture=_picture(scene, scene.select, scene.move)
        )
    return Played(status, message, title=title, notes=notes, widget=widget)


def _explorer(scene: Scene) -> Any:
    from gradlab.widgets.explorer import explore

    explorer = explore(scene.f, **scene.start)
    if scene.select:
        explorer.select(scene.select)
    if scene.move:
        explorer.play("end", dict(scene.move), interval_ms=PAUSE_MS)  # first as it was, then as it is
    return explorer


def pointed(scene: Scene, look: str) -> str:
    """The picture of the scene's start as SVG, with a ring around one node and without the numbers it hides."""
    return _picture(scene, look, {}, scene.hide)


def _picture(scene: Scene, look: str, move: Mapping[str, float], hide: Collection[str] = ()) -> str:
    from gradlab.widgets.source import source_of

    result = source_of(scene.f, scene.start).run({**scene.start, **move})
    return drawn(result.root, look, result.names, hide)


def drawn(
    root: Any, look: str = "", names: Mapping[Any, str] | None = None, hide: Collection[str] = ()
) -> str:
    """A graph as SVG, with a ring around the node of this name. `names` are for nodes without a label."""
    from gradlab import draw

    view = draw(root, gradients=False, names=names)
    if hide:
        view = replace(view, nodes=tuple(replace(n, value=None) if n.name in hide else n for n in view.nodes))
    shown = [folded(node.name) for node in view.nodes]
    return ringed(view.svg(), shown.index(folded(look))) if folded(look) in shown else view.svg()


def ringed(svg: str, place: int) -> str:
    """The picture with a dashed ring around its card number `place`. Cards stand in the order of the nodes."""
    for number, card in enumerate(_CARD.finditer(svg)):
        if number == place:
            width, height = float(card[1]) + 2 * RING_PX, float(card[2]) + 2 * RING_PX
            ring = (
                f'<rect x="{-RING_PX}" y="{-RING_PX}" width="{width:g}" height="{height:g}" rx="18" fill="none"'
                ' stroke="#d9730d" stroke-width="3" stroke-dasharray="8 5">'
                f"{RING}</rect>"
            )
            start = svg.index(">", card.start()) + 1
            return svg[:start] + ring + svg[start:]
    return svg
