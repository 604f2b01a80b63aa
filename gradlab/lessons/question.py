"""A question and its verbs. Each returns a Result; none prints, none raises on an answer, none shows gradlab's own traceback."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gradlab.lessons import stage
from gradlab.lessons.judge import Verdict, judge
from gradlab.lessons.kinds import Drawn
from gradlab.lessons.plan import Task
from gradlab.lessons.progress import Entry, Store
from gradlab.lessons.result import Result

LEVELS = ("nudge", "principle", "first step")

Verb = Callable[..., Result]


def _never_raises(verb: Verb) -> Verb:
    @functools.wraps(verb)
    def guarded(self: Question, *args: Any, **keywords: Any) -> Result:
        try:
            return verb(self, *args, **keywords)
        except Exception as error:
            says = f"`{type(error).__name__}`: {' '.join(str(error).split())}"
            message = f"The lesson itself failed here, not your answer ({says}). Please report it."
            return Result("error", message, title=self.name)

    return guarded


class Question:
    """One question of a lesson: `check`, `hint`, `solution`, `predict`, `reveal`, `reset`."""

    _gradlab_question = True

    def __init__(self, lesson: str, task: Task, store: Store) -> None:
        self.lesson, self.name, self.task = lesson, task.name, task
        self._store = store
        self._hints = 0
        self._asked_for_solution = False
        self._verdict: Verdict | None = None

    def __repr__(self) -> str:
        return f"Question({self.lesson}/{self.name}, {self.entry.status})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        message = f"{self.task.asks}\nWanted: {self.task.kind.wants}."
        return Result(self.entry.status, message, title=self.name)._repr_mimebundle_()

    @property
    def entry(self) -> Entry:
        """What is remembered of this question."""
        return self._store.entry(self.lesson, self.name)

    @_never_raises
    def check(self, value: Any = ...) -> Result:
        """Judge an answer. A right one says why, a known wrong one names the idea behind it and points at it in the picture."""
        verdict = self._judged(value, lambda entry, verdict: entry.better(verdict.status))
        picture = self._picture(verdict, value)
        lines = [verdict.message]
        if stage.RING in picture:
            lines.append(f"In the picture, `{verdict.look}` has a dashed ring.")
        if verdict.status in ("incorrect", "partly"):
            lines.append(f"If you are stuck: `{self._call('hint')}`.")
        return self._result(verdict, "\n".join(lines), picture)

    @_never_raises
    def predict(self, value: Any = ...) -> Result:
        """Say what will happen, before it is shown. Any answer that can be read unlocks `reveal()`."""

        def note(entry: Entry, verdict: Verdict) -> Entry:
            return replace(entry.better(verdict.status), predicted=entry.predicted or verdict.shown)

        verdict = self._judged(value, note)
        if not verdict.shown:
            return self._result(verdict, verdict.message)
        watch = f" and watch `{verdict.look}`" if verdict.look else " to see it"
        message = f"Noted: {verdict.shown}. Run `{self._call('reveal')}`{watch}."
        return self._result(verdict, message)

    @_never_raises
    def reveal(self) -> Result:
        """Play the answer in the explorer, once something was predicted."""
        entry = self.entry
        if not (entry.predicted or entry.attempts):
            message = f"First say what you expect: `{self._call('predict', '…')}`. Then `reveal()` shows what happens."
            return self._plain(message)
        scene = self.task.scene
        if scene is None:
            return self._plain(f"There is nothing to play here. `{self._call('solution')}` shows the answer.")
        self._change(lambda entry: replace(entry, revealed=True))
        return stage.play(scene, self._revealed(entry), entry.status, self.name, self._notes())

    def _revealed(self, entry: Entry) -> str:
        """What was said, what happens, and why."""
        verdict, scene = self._verdict, self.task.scene
        said = verdict.shown if verdict and verdict.shown else entry.predicted
        happens = stage.caption(scene) if scene else ""
        right = verdict is None or verdict.status == "correct"
        idea = "" if right or verdict is None or not verdict.misconception else verdict.message
        told = f"You said {said}. {happens}" if said else happens
        return "\n".join(part for part in (told, idea, self.task.because) if part)

    @_never_raises
    def hint(self) -> Result:
        """A nudge, then the principle, then the first step."""
        if self._hints == len(LEVELS):
            return self._plain(f"That was the last hint. `{self._call('solution')}` shows a whole answer.")
        self._hints += 1
        level = self._hints
        self._change(lambda entry: replace(entry, hints=max(entry.hints, level)))
        title = f"hint {level} of {len(LEVELS)}, {LEVELS[level - 1]}"
        return self._plain(self.task.hints[level - 1], title)

    @_never_raises
    def solution(self) -> Result:
        """A whole answer and why it is right. It asks for one attempt first, and shows it all the same when asked again."""
        if not self.entry.attempts and not self._asked_for_solution:
            self._asked_for_solution = True
            return self._plain(
                "Try once before you look: an answer of your own, even a wrong one, makes the right one stay longer. "
                f"If you would rather see it now, run `{self._call('solution')}` again."
            )
        self._change(lambda entry: replace(entry, solution=True))
        return replace(self._plain(self.task.because, "solution"), code=self.task.solution)

    @_never_raises
    def reset(self) -> Result:
        """Forget everything about this question."""
        self._store.change(self.lesson, self.name, None)
        self._hints, self._asked_for_solution, self._verdict = 0, False, None
        return self._plain("This question is as it was before your first attempt.")

    def _judged(self, value: Any, note: Callable[[Entry, Verdict], Entry]) -> Verdict:
        """The verdict, after it was written down. What was not attempted leaves no trace."""
        verdict = judge(self.task, value)
        if verdict.status != "not attempted":
            self._verdict = verdict
            self._change(lambda entry: note(entry, verdict))
        return verdict

    def _change(self, change: Callable[[Entry], Entry]) -> None:
        self._store.change(self.lesson, self.name, change)

    def _picture(self, verdict: Verdict, value: Any) -> str:
        """A graph that was given is drawn itself; else the question's own picture points at what the message speaks of."""
        if verdict.status in ("not attempted", "error"):
            return ""
        try:
            if isinstance(self.task.kind, Drawn):
                return stage.drawn(value, verdict.look)
            return stage.pointed(self.task.scene, verdict.look) if verdict.look and self.task.scene else ""
        except Exception:  # the message names the node as well, so a picture that fails costs nothing
            return ""

    def _result(self, verdict: Verdict, message: str, picture: str = "") -> Result:
        return Result(
            verdict.status,
            message,
            verdict.misconception,
            self.name,
            notes=self._notes(verdict.status),
            picture=picture,
        )

    def _plain(self, message: str, what: str = "") -> Result:
        title = f"{self.name} · {what}" if what else self.name
        return Result(self.entry.status, message, title=title, notes=self._notes())

    def _notes(self, status: str = "not attempted") -> tuple[str, ...]:
        """Remarks of one line: what the store has to say, and whether an answer was given before an earlier one."""
        before = self.task.after
        early = before and status != "not attempted" and not self._store.entry(self.lesson, before).attempts
        order = (f"This question comes after `{before}`, which has no answer yet.",) if early else ()
        return order + self._store.take_notes()

    def _call(self, verb: str, argument: str = "") -> str:
        return f'lesson.q("{self.name}").{verb}({argument})'
