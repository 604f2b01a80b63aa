"""Lessons: `load(name)` opens one; its questions check answers, give hints, take predictions and remember progress.

Everything a lesson asks is data in `course/`, one file a lesson; its text is a notebook of the same name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gradlab.errors import StorageError
from gradlab.lessons import course as _course
from gradlab.lessons.lesson import Lesson, Progress, not_found
from gradlab.lessons.progress import Store
from gradlab.lessons.question import Question
from gradlab.lessons.result import Result

__all__ = ["Heading", "Lesson", "Progress", "Question", "Result", "contents", "load", "notebooks_folder"]


@dataclass(frozen=True)
class Heading:
    """A line of the table of contents: the lesson's name, the question it answers, its notebook, minutes and questions done."""

    name: str
    title: str
    file: str
    minutes: int
    questions: int
    done: int


def load(name: str) -> Lesson:
    """Open a lesson by the name of its notebook, such as `load("00-start-here")`. The name may end in `.ipynb`."""
    wanted = str(name).removesuffix(".ipynb")
    if wanted not in _course.names():
        raise not_found("lesson", name, _course.names())
    return Lesson(wanted, _course.plan(wanted), Store())


def contents() -> tuple[Heading, ...]:
    """The course in order, with how far one has come in each lesson. What `gradlab lessons` prints."""
    book = Store().book()
    headings = []
    for name in _course.names():
        plan, entries = _course.plan(name), book.get(name, {})
        done = sum(entries[task.name].status == "correct" for task in plan.tasks if task.name in entries)
        headings.append(Heading(name, plan.title, f"{name}.ipynb", plan.minutes, len(plan.tasks), done))
    return tuple(headings)


def notebooks_folder() -> Path:
    """The folder with the lessons' notebooks: inside the installed package, or beside it in a source checkout."""
    here = Path(__file__).resolve().parent
    for place in (here / "notebooks", here.parents[1] / "notebooks"):
        if _holds_notebooks(place.glob("*.ipynb") if place.is_dir() else ()):
            return place
    raise StorageError(
        "GL080",
        "the notebooks of the lessons are not there",
        "They come with the package, or stand beside it in a source checkout",
        "Install gradlab again",
    )


def _holds_notebooks(files: Iterable[Path]) -> bool:
    return any(True for _ in files)
