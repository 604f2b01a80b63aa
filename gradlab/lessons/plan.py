"""The records a course file is made of: a lesson, its questions, the wrong answers it recognises, and what a reveal plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Unfit:
    """Why something cannot be judged as it stands (status error), or how near it came (partly, incorrect)."""

    message: str
    status: str = "error"
    look: str = ""
    misconception: str | None = None


class Kind(Protocol):
    """A kind of answer. It reads what a learner gives, and compares two answers that were read."""

    @property
    def wants(self) -> str:
        """What an answer is, in words: `one number`."""
        ...

    def expected(self) -> Any:
        """The right answer, computed."""
        ...

    def read(self, value: Any) -> Any:
        """What was given, in the form that is compared; or an Unfit that says why it cannot be."""
        ...

    def same(self, one: Any, other: Any) -> bool:
        """Whether two answers that were read are the same answer."""
        ...

    def near(self, given: Any, expected: Any) -> Unfit | None:
        """How a wrong answer differs, when the difference has a shape of its own."""
        ...

    def show(self, answer: Any) -> str:
        """An answer that was read, in words."""
        ...


@dataclass(frozen=True)
class Scene:
    """What a picture of a question shows: a function at start values, and for a reveal where its leaves move.

    `select` names the node the eye should go to. `caption` may use `{before}` and `{after}`, the result at both ends.
    `hide` names the nodes whose numbers would give the answer away; a picture that points shows them without.
    """

    f: Callable[..., Any]
    start: Mapping[str, float]
    move: Mapping[str, float] = field(default_factory=dict)
    select: str = ""
    caption: str = ""
    hide: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wrong:
    """A wrong answer with the idea behind it. `answer` makes it, `says` names it in one sentence, `look` points at a node."""

    misconception: str
    answer: Callable[[], Any]
    says: str
    look: str = ""


@dataclass(frozen=True)
class Task:
    """One question. `because` explains the right answer; `gained` says what can be done now; `after` must come first.

    `solution` is a program that replaces the starter in the notebook.
    """

    name: str
    asks: str
    kind: Kind
    hints: tuple[str, str, str]
    solution: str
    because: str
    wrong: tuple[Wrong, ...] = ()
    scene: Scene | None = None
    after: str = ""


@dataclass(frozen=True)
class Plan:
    """A lesson of the course: its question, how long it takes, and what it asks."""

    title: str
    minutes: int
    tasks: tuple[Task, ...]
