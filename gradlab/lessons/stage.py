"""What a question shows: a static picture that points at a node, and the explorer that plays an answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gradlab.lessons import oracle, speech
from gradlab.lessons.plan import Scene
from gradlab.lessons.result import Result


@dataclass(frozen=True, repr=False)
class Played(Result):
    """The result of a reveal: its message, and under it the explorer where one can be shown, else a static picture."""

    widget: Any = field(default=None, compare=False)

    def _ipython_display_(self) -> None:
        from IPython.display import display

        display(self._repr_mimebundle_(), raw=True)
        if self.widget is not None:
            display(self.widget)


def caption(scene: Scene) -> str:
    """The caption with the result before and after the move, both computed."""
    before = oracle.value(scene.f, scene.start)
    after = oracle.value(scene.f, {**scene.start, **scene.move})
    return scene.caption.format(before=speech.number(before), after=speech.number(after))


def play(scene: Scene, message: str, status: str, title: str, notes: tuple[str, ...]) -> Result:
    """Show the scene after its move, with the eye on the selected node."""
    widget = _explorer(scene)
    picture = "" if widget is not None else pointed(scene, scene.select, moved=True)
    return Played(status, message, title=title, notes=notes, picture=picture, widget=widget)


def pointed(scene: Scene, look: str, *, moved: bool = False) -> str:
    return ""


def _explorer(scene: Scene) -> Any:
    return None
