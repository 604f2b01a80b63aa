"""Where progress lives: one small JSON file in the user's data folder, shared by all notebooks that are open.

A change is a function of one entry. It is applied to what the file holds at that moment, under a lock, so two notebooks do not lose each
other's entries, and the file is replaced as a whole, so a kill in the middle leaves the old one. Changes that cannot be written stay here.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from gradlab.lessons.result import RANK

FORMAT = 1
FILE = "progress.json"
LOCK = "progress.lock"
PATIENCE_S = 2.0
LARGEST_BYTES = 4_000_000


@dataclass(frozen=True)
class Entry:
    """What is remembered of one question. `status` is the best one reached; `predicted` the first prediction, in words."""

    status: str = "not attempted"
    attempts: int = 0
    hints: int = 0
    predicted: str = ""
    revealed: bool = False
    solution: bool = False

    def better(self, status: str) -> Entry:
        """This entry after one more attempt that ended with `status`."""
        best = max(self.status, status, key=RANK.__getitem__)
        return replace(self, status=best, attempts=self.attempts + 1)

    def merged(self, other: Entry) -> Entry:
        """The most that either entry has reached: what loading a saved progress does."""
        return Entry(
            status=max(self.status, other.status, key=RANK.__getitem__),
            attempts=max(self.attempts, other.attempts),
            hints=max(self.hints, other.hints),
            predicted=self.predicted or other.predicted,
            revealed=self.revealed or other.revealed,
            solution=self.solution or other.solution,
        )


Book = dict[str, dict[str, Entry]]
Change = Callable[[Entry], Entry]


class NotProgressError(ValueError):
    """A file that gradlab did not write, or that was damaged. `newer` marks one that a later gradlab wrote."""

    def __init__(self, newer: bool = False) -> None:
        self.newer = newer
        super().__init__("a newer gradlab's progress" if newer else "not a progress file")


def parse(text: str) -> Book:
    """The entries of a progress file. Raises NotProgressError for anything gradlab has not written."""
    try:
        whole = json.loads(text)
        if isinstance(whole["format"], int) and whole["format"] > FORMAT:
            raise NotProgressError(newer=True)
        if whole["format"] != FORMAT:
            raise NotProgressError
        return {
            str(lesson): {str(name): _entry(row) for name, row in rows.items()}
            for lesson, rows in whole["lessons"].items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise error if isinstance(error, NotProgressError) else NotProgressError from None


def _entry(row: Any) -> Entry:
    """One row, with each field of its own type: a row of another shape is somebody else's."""
    known = {key.name: row[key.name] for key in fields(Entry) if key.name in row}
    entry = Entry(**known)
    for key in fields(Entry):
        if type(getattr(entry, key.name)) is not type(key.default):
            raise NotProgressError
    if entry.status not in RANK:
        raise NotProgressError
    return entry


def render(book: Book) -> str:
    """The text of a progress file."""
    rows = {
        lesson: {name: asdict(entry) for name, entry in sorted(entries.items())}
        for lesson, entries in sorted(book.items())
    }
    return json.dumps({"format": FORMAT, "lessons": rows}, indent=1, ensure_ascii=False) + "\n"


def folder() -> Path:
    """The user's data folder for gradlab; `GRADLAB_DATA` puts it elsewhere."""
    elsewhere = os.environ.get("GRADLAB_DATA")
    if elsewhere:
        return Path(elsewhere)
    import platformdirs

    return Path(platformdirs.user_data_dir("gradlab", appauthor=False))


class Store:
    """The progress of one person. Reading and changing never raise: what cannot be kept is said in `notes`, once."""

    def __init__(self, place: Path | None = None) -> None:
        self.folder = folder() if place is None else place
        self.notes: list[str] = []
        self._pending: list[tuple[str, str, Change | None]] = []
        self._said: set[str] = set()
        self._last: Book = {}

    def __repr__(self) -> str:
        return f"Store(pending={len(self._pending)})"

    @property
    def in_memory(self) -> bool:
        """Whether something could not be written and lives in this session only."""
        return bool(self._pending)

    def take_notes(self) -> tuple[str, ...]:
        """What has to be said since the last time, each remark once."""
        notes, self.notes = tuple(self.notes), []
        return notes

    def entry(self, lesson: str, question: str) -> Entry:
        """What is known of one question."""
        return self.book().get(lesson, {}).get(question, Entry())

    def book(self) -> Book:
        """Everything known: the file, and on top what could not be written to it."""
        with contextlib.suppress(OSError, NotProgressError):  # said when the next change is written
            self._last = self._read()
        return self._with_pending(self._last)

    def change(self, lesson: str, question: str, change: Change | None) -> Entry:
        """Apply a change to one entry (None forgets it) and keep it, on disk when possible. Returns the entry as it is now."""
        self._pending.append((lesson, question, change))
        try:
            with self._locked():
                book = self._with_pending(self._read_or_put_aside())
                _write(self.folder / FILE, render(book))
        except NotProgressError:
            self._say(
                "A newer gradlab has written the progress file. It is left as it is, "
                "and what you do now is remembered until this notebook is closed."
            )
        except OSError as error:
            why = (error.strerror or "it is in use").lower()
            self._say(
                f"Progress cannot be saved ({why}), so it is remembered until this notebook is closed. "
                "Set GRADLAB_DATA to a folder you can write in to keep it."
            )
        else:
            self._last = book
            self._pending.clear()
        return self.entry(lesson, question)

    def merge(self, text: str) -> int:
        """Take in the entries of a saved progress. Returns how many; raises NotProgressError when it is something else."""
        book = parse(text)
        rows = [(lesson, name, entry) for lesson, entries in book.items() for name, entry in entries.items()]
        for lesson, name, entry in rows:
            self.change(lesson, name, entry.merged)
        return len(rows)

    def _say(self, note: str) -> None:
        if note not in self._said:
            self._said.add(note)
            self.notes.append(note)

    def _with_pending(self, book: Book) -> Book:
        book = {lesson: dict(entries) for lesson, entries in book.items()}
        for lesson, question, change in self._pending:
            entries = book.setdefault(lesson, {})
            if change is None:
                entries.pop(question, None)
            else:
                entries[question] = change(entries.get(question, Entry()))
        return {lesson: entries for lesson, entries in book.items() if entries}

    def _read(self) -> Book:
        path = self.folder / FILE
        if not path.exists():
            return {}
        if path.stat().st_size > LARGEST_BYTES:
            raise NotProgressError
        try:
            return parse(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            raise NotProgressError from None

    def _read_or_put_aside(self) -> Book:
        try:
            return self._read()
        except NotProgressError as error:
            if error.newer:
                raise
        path = self.folder / FILE
        aside = next(
            place
            for number in range(1, 10_000)
            if not (place := path.with_name(f"progress-unreadable-{number}.json")).exists()
        )
        os.replace(path, aside)
        self._say(
            f"The progress file could not be read. It was kept as {aside.name}, and a new one was started."
        )
        return {}

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock beside the file. The system lets go of it when a process dies, so it cannot go stale."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / LOCK, "a+b") as file:
            until = time.monotonic() + PATIENCE_S
            while not _try_lock(file.fileno()):
                if time.monotonic() > until:
                    raise OSError("another notebook is holding it")
                time.sleep(0.01)
            yield  # closing the file unlocks it


def _try_lock(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:
        return _try_lock_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: better unguarded than not at all
        return True
    return True


def _try_lock_windows(handle: int) -> bool:
    try:
        import msvcrt
    except ImportError:  # a Python in the browser: one process only
        return True
    lock: Any = msvcrt
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        lock.locking(handle, lock.LK_NBLCK, 1)
    except OSError:
        return False
    return True


def _write(path: Path, text: str) -> None:
    """Replace the file as a whole, or leave the old one and no litter."""
    unfinished = path.with_name(
        path.name + ".part"
    )  # one name: the lock is held, and a killed write is overwritten
    try:
        with open(unfinished, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
