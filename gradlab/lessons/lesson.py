"""A lesson: its questions by name, and how far one has come in it."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from html import escape
from pathlib import Path
from typing import Any

from gradlab.errors import ArgumentError
from gradlab.lessons.plan import Plan
from gradlab.lessons.progress import Entry, NotProgressError, Store, parse, render
from gradlab.lessons.question import Question
from gradlab.lessons.result import STATUSES, Result

SAVED_AS = "gradlab-progress.json"


class NameNotFoundError(ArgumentError):
    """A lesson or question that does not exist. A notebook shows the message alone, without gradlab's own lines."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def not_found(what: str, name: object, names: list[str]) -> NameNotFoundError:
    """The error for a name that is not among `names`, with the nearest one."""
    near = get_close_matches(str(name), names, n=1)
    return NameNotFoundError(
        "GL070",
        f"there is no {what} called {str(name)!r}",
        f"There are {', '.join(names)}" if names else "There are none yet",
        f"Did you mean {near[0]!r}?" if near else "",
    )


@dataclass(frozen=True, repr=False)
class Progress(Result):
    """How far one has come in a lesson. `rows` holds the entry of each question; `save` writes everything to a file."""

    rows: Mapping[str, Entry] = field(default_factory=dict)
    saved: str = ""

    def save(self, path: str | os.PathLike[str] = SAVED_AS) -> Result:
        """Write the progress of all lessons to a file that can be downloaded, and loaded again with `progress(load=path)`."""
        target = Path(path)
        try:
            if target.exists() and not _is_progress(target):
                return Result(
                    "error", f"`{target.name}` exists and is something else. Give another name.", title="save"
                )
            target.write_text(self.saved, encoding="utf-8")
        except OSError as error:
            why = (error.strerror or "unknown reason").lower()
            return Result("error", f"`{target.name}` could not be written: {why}.", title="save")
        load = f'lesson.progress(load="{target.name}")'
        return Result(
            self.status, f"Saved as `{target.name}`. On another machine, `{load}` takes it in.", title="save"
        )

    def _table(self) -> list[tuple[str, str, str]]:
        return [
            (name, f"{STATUSES[entry.status].symbol} {entry.status}", str(entry.attempts))
            for name, entry in self.rows.items()
        ]

    def _plain_parts(self) -> list[str]:
        width = max([len(name) for name in self.rows] or [0])
        lines = [
            f"  {name:<{width}}  {status:<15}  attempts {attempts}"
            for name, status, attempts in self._table()
        ]
        return [*self._paragraphs(), *lines, *self.notes]

    def _repr_markdown_(self) -> str:
        rows = ["| question | status | attempts |", "| --- | --- | --- |"]
        rows += [f"| {' | '.join(row)} |" for row in self._table()]
        return super()._repr_markdown_() + "\n\n" + "\n".join(rows)

    def _html_extras(self) -> list[str]:
        left = 'style="text-align:left"'
        head = "".join(f"<th {left}>{word}</th>" for word in ("question", "status", "attempts"))
        body = [
            "<tr>" + "".join(f"<td {left}>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._table()
        ]
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        return [
            table,
            *([_download(self.saved)] if any(entry.attempts for entry in self.rows.values()) else []),
        ]


def _download(text: str) -> str:
    data = base64.b64encode(text.encode()).decode()
    return (
        f'<p><a download="{SAVED_AS}" href="data:application/json;base64,{data}">Download {SAVED_AS}</a></p>'
    )


def _is_progress(path: Path) -> bool:
    try:
        parse(path.read_text(encoding="utf-8"))
    except (NotProgressError, UnicodeDecodeError):
        return False
    return True


class Lesson:
    """One lesson: `q(name)` gives a question, `progress()` says how far one has come."""

    def __init__(self, name: str, plan: Plan, store: Store) -> None:
        self.name, self.title, self.minutes = name, plan.title, plan.minutes
        self._store = store
        self._questions = {task.name: Question(name, task, store) for task in plan.tasks}

    def __repr__(self) -> str:
        return f"Lesson({self.name}, questions={len(self._questions)})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return self.progress()._repr_mimebundle_()

    @property
    def questions(self) -> tuple[str, ...]:
        """The names of the questions, in order."""
        return tuple(self._questions)

    def q(self, name: str) -> Question:
        """The question of this name. Raises an error that lists the names when there is none."""
        if name not in self._questions:
            raise not_found("question", name, list(self._questions))
        return self._questions[name]

    def progress(self, *, load: str | os.PathLike[str] | None = None) -> Progress:
        """How far one has come. `load` first takes in a file that `progress().save()` has written; what was reached stays."""
        notes = (*self._load(load),) if load is not None else ()
        book = self._store.book()
        rows = {name: book.get(self.name, {}).get(name, Entry()) for name in self._questions}
        done = sum(entry.status == "correct" for entry in rows.values())
        begun = any(entry.attempts for entry in rows.values())
        status = "correct" if done == len(rows) else "partly" if begun else "not attempted"
        notes += self._store.take_notes()
        if self._store.in_memory:
            notes += ("Kept in memory only: it is gone when the notebook is closed. Download it below.",)
        return Progress(
            status, self._message(rows, done), None, self.title, "", notes, "", rows, render(book)
        )

    def _message(self, rows: Mapping[str, Entry], done: int) -> str:
        following = next((name for name, entry in rows.items() if entry.status != "correct"), "")
        message = f"{done} of {len(rows)} questions answered correctly."
        return message + (f" The next one is `{following}`." if following else "")

    def _load(self, path: str | os.PathLike[str]) -> list[str]:
        name = Path(path).name
        try:
            count = self._store.merge(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            return [f"`{name}` could not be read: {(error.strerror or 'unknown reason').lower()}."]
        except (NotProgressError, UnicodeDecodeError):
            return [
                f"`{name}` is not a progress file that this gradlab can read, so nothing was taken from it."
            ]
        return [f"{count} {'entry' if count == 1 else 'entries'} taken in from `{name}`."]
