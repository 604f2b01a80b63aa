"""From an answer to a verdict: read it, compare it with the right answer, then with each wrong one that is known."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from gradlab.lessons.plan import Task, Unfit, Wrong
from gradlab.lessons.result import Result


@dataclass(frozen=True)
class Verdict:
    """What an answer amounts to. `look` names the node of the picture to point at, `shown` is the answer in words."""

    status: str
    message: str
    misconception: str | None = None
    look: str = ""
    shown: str = ""


def judge(task: Task, value: Any) -> Verdict:
    """The verdict on one answer. It may call the learner's code, but raises nothing of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a division by zero in an answer is judged, not printed
        return _judge(task, value)


def _judge(task: Task, value: Any) -> Verdict:
    if value is Ellipsis:
        return Verdict("not attempted", f"{task.asks} Put your answer in place of `...`: {task.kind.wants}.")
    if isinstance(value, Result) or hasattr(value, "_gradlab_question"):
        return Verdict("error", "This is what a verb of a lesson returned. Give it your own answer instead.")
    given = task.kind.read(value)
    if isinstance(given, Unfit):
        asks = f"{task.asks} " if given.status == "not attempted" else ""
        return Verdict(given.status, asks + given.message, given.misconception, given.look)
    shown, expected = task.kind.show(given), task.kind.expected()
    if task.kind.same(given, expected):
        return Verdict("correct", task.because, shown=shown)
    wrong = recognised(task, given)
    if wrong:
        return Verdict("incorrect", wrong.says, wrong.misconception, wrong.look, shown)
    near = task.kind.near(given, expected)
    if near:
        return Verdict(near.status, near.message, near.misconception, near.look, shown)
    return Verdict("incorrect", f"You gave {shown}, and that is not it.", shown=shown)


def recognised(task: Task, given: Any) -> Wrong | None:
    """The listed wrong answer that was given, if it is one of them."""
    for wrong in task.wrong:
        known = task.kind.read(wrong.answer())
        if not isinstance(known, Unfit) and task.kind.same(given, known):
            return wrong
    return None
