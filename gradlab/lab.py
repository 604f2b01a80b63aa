"""`gradlab lab`: put a copy of the lessons where the learner can write in it, and open it in JupyterLab.

The learner's work is never overwritten. A small record beside the lessons remembers what gradlab itself has put there, so that
a lesson nobody has changed can be brought up to date, and one that was changed is kept with the new version beside it.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gradlab.errors import ArgumentError, MissingError, StorageError

RECORD = ".gradlab-lessons.json"
FIRST_LESSON = "00-start-here.ipynb"
PATIENCE_S = 15.0
JUPYTER_FOLDERS = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")


@dataclass(frozen=True)
class Delivery:
    """What happened to one file: `outcome` is new, updated, same, kept (the learner's, no news) or beside (a newer one at `beside`)."""

    name: str
    outcome: str
    beside: str = ""


def fingerprint(content: bytes) -> str:
    """A hash of what the learner can write: for a notebook its cells without outputs, so that running a lesson is not changing it."""
    try:
        cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(content)["cells"]]
    except (ValueError, TypeError, KeyError):  # not a notebook, or one that is damaged
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(
            "GL080",
            f"the lessons cannot be written into {folder} ({error.strerror or error})",
            "They need a folder that is yours to write in",
            "Name another one with `gradlab lab --dir FOLDER`",
        ) from None


def _write(path: Path, content: bytes) -> None:
    """Write the whole file or nothing, so that a full disk or a lost battery leaves the old one."""
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=".gradlab-", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(unfinished, 0o644)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise


def _read_record(folder: Path) -> dict[str, list[str]]:
    """Per file the fingerprints of all that gradlab has put there. A lost or damaged record only makes it more careful."""
    try:
        record = json.loads((folder / RECORD).read_bytes())["delivered"]
        return {str(name): [str(mark) for mark in marks] for name, marks in record.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _place_beside(target: Path, content: bytes, known: list[str]) -> Path:
    """Write the new version as NAME.new.ipynb, or NAME.new-2.ipynb when the learner has worked in the first."""
    number = 1
    while True:
        mark = ".new" if number == 1 else f".new-{number}"
        path = target.with_name(f"{target.stem}{mark}{target.suffix}")
        if not path.exists() or fingerprint(path.read_bytes()) in known:
            _write(path, content)
            return path
        number += 1


def _deliver_one(content: bytes, target: Path, known: list[str]) -> Delivery:
    """Bring one file; `known` gains the fingerprint of what was brought."""
    mine = fingerprint(content)
    theirs = fingerprint(target.read_bytes()) if target.exists() else None
    seen = mine in known
    if not seen:
        known.append(mine)
    if theirs is None:
        _write(target, content)
        return Delivery(target.name, "new")
    if theirs == mine:
        return Delivery(target.name, "same")
    if theirs in known:
        _write(target, content)
        return Delivery(target.name, "updated")
    if seen:  # changed by the learner, and nothing newer than what they had
        return Delivery(target.name, "kept")
    return Delivery(target.name, "beside", _place_beside(target, content, known).name)


def deliver(source: Path, folder: Path) -> list[Delivery]:
    """Copy every lesson, picture and table from `source` into `folder` without losing any of the learner's work."""
    if folder.resolve() == source.resolve():
        raise ArgumentError(
            "GL082",
            f"{folder} holds gradlab's own lessons",
            "Your copy needs a folder of its own",
            "Name another one with `gradlab lab --dir FOLDER`",
        )
    with _writing(folder):
        record = _read_record(folder)
        deliveries = []
        for path in sorted(source.rglob("*")):
            relative = path.relative_to(source)
            if path.is_dir() or any(part.startswith((".", "_")) for part in relative.parts):
                continue
            (folder / relative).parent.mkdir(parents=True, exist_ok=True)
            known = record.setdefault(relative.as_posix(), [])
            deliveries.append(_deliver_one(path.read_bytes(), folder / relative, known))
        if any(delivery.outcome in ("new", "updated", "beside") for delivery in deliveries):
            _write(folder / RECORD, json.dumps({"delivered": record}, indent=1).encode())
    return deliveries


def report(folder: Path, deliveries: list[Delivery]) -> str:
    """The deliveries in words: one line of sums, and a line for each file that the learner has changed."""
    words = {"new": "copied", "updated": "brought up to date", "same": "already there"}
    sums = [
        f"{count} {word}"
        for outcome, word in words.items()
        if (count := sum(delivery.outcome == outcome for delivery in deliveries))
    ]
    lines = [f"Your lessons are in {folder.resolve()}" + (f" ({', '.join(sums)})." if sums else ".")]
    for delivery in deliveries:
        if delivery.outcome == "kept":
            lines.append(f"  {delivery.name} is as you left it.")
        if delivery.outcome == "beside":
            lines.append(
                f"  {delivery.name} is as you left it; gradlab's new version is beside it as {delivery.beside}."
            )
    return "\n".join(lines)


@contextlib.contextmanager
def jupyter_environment(environment: dict[str, str]) -> Iterator[tuple[dict[str, str], list[str]]]:
    """JupyterLab's environment, and which of its folders moved, for this run, because the home directory cannot be written to."""
    from jupyter_core import paths

    homes = (paths.jupyter_config_dir(), paths.jupyter_data_dir(), paths.jupyter_runtime_dir())
    moved = [name for name, home in zip(JUPYTER_FOLDERS, homes, strict=True) if not can_write_in(Path(home))]
    if not moved:
        yield environment, moved
        return
    with tempfile.TemporaryDirectory(prefix="gradlab-jupyter-", ignore_cleanup_errors=True) as substitute:
        kernels = ("IPYTHONDIR", "MPLCONFIGDIR")  # they would warn in the learner's first cell
        folders = {name: os.path.join(substitute, name.lower()) for name in (*kernels, *moved)}
        yield folders | environment | {name: folders[name] for name in moved}, moved


def can_write_in(folder: Path) -> bool:
    """Whether a file can be made in this folder, which is made first where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def jupyter_command(folder: Path, port: int | None, browser: bool) -> list[str]:
    """The words that start JupyterLab on this machine only, with its normal token, at the first lesson."""
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.root_dir={folder.resolve()}",
        f"--LabApp.default_url=/lab/tree/{FIRST_LESSON}",
        "--ServerApp.answer_yes=True",  # Ctrl-C ends it without a question that times out
    ]
    if port is not None:
        command.append(f"--ServerApp.port={port}")
    if not browser:
        command.append("--ServerApp.open_browser=False")
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # containers; it refuses to start there otherwise
        command.append("--ServerApp.allow_root=True")
    return command


def trust(folder: Path, deliveries: list[Delivery], environment: dict[str, str]) -> None:
    """Sign what was just delivered, so that JupyterLab shows its pictures before a cell is run. Without a signature it shows tables."""
    fresh = {"new": "name", "updated": "name", "beside": "beside"}
    names = [getattr(one, fresh[one.outcome]) for one in deliveries if one.outcome in fresh]
    notebooks = [str(path) for path in folder.rglob("*.ipynb") if path.name in names]
    if notebooks:
        command = [sys.executable, "-m", "nbformat.sign", *notebooks]
        subprocess.run(
            command, env=environment, capture_output=True, check=False
        )  # a missing signature costs no work


class _AskedToStop(Exception):
    """Raised by a signal, to leave the wait for JupyterLab."""


def _stay_until_it_ends(command: list[str], environment: dict[str, str]) -> int:
    """Run JupyterLab until it ends. Ctrl-C reaches it too, since it shares the terminal; a request to terminate is handed on."""

    def ask(number: int, frame: object) -> None:
        raise _AskedToStop(number)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    process = subprocess.Popen(command, env=environment)
    try:
        return process.wait()
    except _AskedToStop as asked:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        if asked.args[0] == signal.SIGTERM:
            process.terminate()
        return _end(process)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(process: subprocess.Popen[bytes]) -> int:
    """Let JupyterLab close its kernels. It can miss its own end when a request is just being answered, so patience has a limit."""
    try:
        return process.wait(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return 0


def main(folder: Path, *, port: int | None = None, browser: bool = True) -> int:
    """Deliver the lessons into `folder` and run JupyterLab there until it is stopped."""
    from gradlab.lessons import notebooks_folder

    if importlib.util.find_spec("jupyterlab") is None:
        raise MissingError(
            "GL081",
            f"JupyterLab is not installed for {sys.executable}",
            "`gradlab lab` opens the lessons in it",
            f"Install it with `{sys.executable} -m pip install jupyterlab`",
        )
    deliveries = deliver(Path(notebooks_folder()), folder)
    print(report(folder, deliveries))
    with jupyter_environment(dict(os.environ)) as (environment, moved):
        if moved:
            print(
                "Your home directory cannot be written to, so JupyterLab keeps its settings for this run only."
            )
        trust(folder, deliveries, environment)
        print("Starting JupyterLab, for this machine only. Ctrl-C stops it.", flush=True)
        return _stay_until_it_ends(jupyter_command(folder, port, browser), environment)


def overview() -> str:
    """The course as text: a symbol and a word for how far one is, the lesson's name, its question, its minutes."""
    from gradlab.lessons import contents

    rows = []
    for heading in contents():
        symbol = "✓" if heading.done == heading.questions else "◐" if heading.done else "○"
        done = f"{symbol} {heading.done} of {heading.questions} done"
        rows.append((done, heading.name, f"{heading.title} ({heading.minutes} min)"))
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    lines = [f"{done:{widths[0]}}  {name:{widths[1]}}  {title}" for done, name, title in rows]
    return "\n".join([*lines, "", "`gradlab lab` opens them."])
