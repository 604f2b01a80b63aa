"""The rungs of the layout ladder: where a Graphviz can be found, how it is run, and what was wrong with those that failed.

Order: `$GRADLAB_DOT`; `dot` on PATH; the `graphviz-pure` command; the library in pygraphviz; gradlab's own layered layout, which
always works. `GRADLAB_DOT=builtin` asks for the last one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

VARIABLE = "GRADLAB_DOT"
BUILT_IN = "builtin"
TIMEOUT_S = 2.0
# Geometry as JSON without drawing operations; nothing in it was set in a font.
_ARGUMENTS = ("-Kdot", "-Tjson0")


class EngineFailure(Exception):
    """A layout engine that could not be run, or whose answer makes no sense. Never leaves the layout module."""


@dataclass(frozen=True)
class Engine:
    """A layout engine that was found: a name for people, and `run(dot_text)` giving JSON text."""

    name: str
    run: Callable[[str], str]


@dataclass(frozen=True)
class EngineRow:
    """One row of `engine_report()`: a rung, whether it is the one in use, what was found, and what to do about it."""

    rung: str
    used: bool
    found: str
    advice: str


@dataclass(frozen=True)
class _Rung:
    name: str
    find: Callable[[], Engine | None]
    advice: str


_failures: dict[str, str] = {}
_stderr_lock = threading.Lock()


def candidates() -> Iterator[Engine]:
    """Every engine that is there and has not failed in this process, best first."""
    if os.environ.get(VARIABLE, "").strip().lower() == BUILT_IN:
        return
    for rung in _RUNGS:
        engine = rung.find()
        if engine is not None and engine.name not in _failures:
            yield engine


def remember_failure(engine: Engine, reason: str) -> None:
    """Do not ask this engine again in this process: a broken one would cost its time limit at every picture."""
    _failures[engine.name] = reason


def forget_failures() -> None:
    """Ask every engine again, for example after Graphviz was installed."""
    _failures.clear()


def report(used: str) -> list[EngineRow]:
    """The ladder as rows for `gradlab doctor`; `used` is the name of the engine that gave the last answer."""
    rows = []
    for rung in _RUNGS:
        engine = rung.find()
        found = "not found" if engine is None else _failures.get(engine.name, engine.name)
        in_use = engine is not None and engine.name == used
        rows.append(EngineRow(rung.name, in_use, found, "" if in_use else rung.advice))
    advice = "Pictures work; `pip install pygraphviz` gives smoother ones." if used == BUILT_IN else ""
    rows.append(EngineRow("built-in layout", used == BUILT_IN, "always there", advice))
    return rows


def _from_variable() -> Engine | None:
    command = os.environ.get(VARIABLE, "").strip()
    if not command or command.lower() == BUILT_IN:
        return None
    return _program(shutil.which(command) or command)


def _from_path() -> Engine | None:
    found = shutil.which("dot")
    return _program(found) if found else None


def _from_pure() -> Engine | None:
    """`graphviz-pure` stands beside the interpreter, which need not be on PATH in a notebook kernel."""
    folders = os.pathsep.join((sysconfig.get_path("scripts"), os.path.dirname(sys.executable)))
    found = shutil.which("graphviz-pure") or shutil.which("graphviz-pure", path=folders)
    return _program(found) if found else None


def _from_pygraphviz() -> Engine | None:
    loaded = sys.modules.get("pygraphviz")
    return Engine("pygraphviz", _run_library) if loaded is not None or find_spec("pygraphviz") else None


_RUNGS = (
    _Rung(f"${VARIABLE}", _from_variable, f"Set {VARIABLE} to the path of a dot program to choose one."),
    _Rung(
        "dot on PATH",
        _from_path,
        "Install Graphviz with the system's package manager, or not at all: a rung below works too.",
    ),
    _Rung(
        "graphviz-pure",
        _from_pure,
        "`pip install graphviz-pure` gives a dot program without a system package.",
    ),
    _Rung(
        "pygraphviz",
        _from_pygraphviz,
        "`pip install pygraphviz` gives the Graphviz library without a system package.",
    ),
)


def _program(path: str) -> Engine:
    return Engine(path, lambda text: _run_program(path, text))


def _run_program(path: str, text: str) -> str:
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    try:
        done = subprocess.run(
            [path, *_ARGUMENTS],
            input=text.encode(),
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
            creationflags=flags,
        )
    except subprocess.TimeoutExpired as error:
        raise EngineFailure(f"gave no answer within {TIMEOUT_S:g} s") from error
    except (OSError, ValueError) as error:
        raise EngineFailure(f"could not be started ({type(error).__name__})") from error
    if done.returncode:
        raise EngineFailure(f"ended with status {done.returncode}: {_first_line(done.stderr)}")
    return done.stdout.decode("utf-8", "replace")


def _run_library(text: str) -> str:
    """Graphviz inside this process. It cannot be stopped, but it is only asked about small graphs."""
    try:
        with _quiet_stderr():
            from pygraphviz import AGraph

            graph = AGraph(string=text)
            answer = graph.draw(format="json0", prog="dot")
            graph.close()
    except Exception as error:
        raise EngineFailure(f"{type(error).__name__}: {error}") from error
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else str(answer or "")


@contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Catch what the library writes to file descriptor 2: Fontconfig complains there where no font is set up.

    Whatever is not about fonts is passed on, so that nothing gets lost.
    """
    with _stderr_lock, tempfile.TemporaryFile() as caught:
        try:
            kept = os.dup(2)
        except OSError:  # no descriptor 2, for example under pythonw
            yield
            return
        try:
            os.dup2(caught.fileno(), 2)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            caught.seek(0)
            rest = [line for line in caught.read().splitlines(keepends=True) if b"ontconfig" not in line]
            if rest:
                os.write(2, b"".join(rest))


def _first_line(raw: bytes) -> str:
    lines = [
        line
        for line in raw.decode("utf-8", "replace").splitlines()
        if line.strip() and "ontconfig" not in line
    ]
    return lines[0][:200] if lines else "no message"
