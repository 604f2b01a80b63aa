"""`gradlab doctor`: one row for each thing gradlab stands on, and what to do where one is missing.

Nothing is changed and nothing is loaded that a row does not ask about. Adding a row is adding a function to ROWS.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

OK, ATTENTION, MISSING = "ok", "attention", "missing"
PATIENCE_S = 10.0  # for a driver that does not answer
SYMBOLS = {OK: "✓", ATTENTION: "!", MISSING: "✗"}


@dataclass(frozen=True)
class Row:
    """One finding: `found` says what is there, `advice` what to do. Only a `required` row that is not ok makes the command fail."""

    name: str
    state: str
    found: str
    advice: str = ""
    required: bool = False


def version_of(distribution: str) -> str:
    """The installed version of a distribution, or an empty text."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _pip(*packages: str) -> str:
    return f"Install with: {sys.executable} -m pip install {' '.join(packages)}"


def _python() -> Iterator[Row]:
    found = f"{platform.python_version()}, {sys.executable}"
    good = sys.version_info >= (3, 11)
    yield Row(
        "Python",
        OK if good else ATTENTION,
        found,
        "" if good else "gradlab needs Python 3.11 or newer.",
        True,
    )


def _gradlab() -> Iterator[Row]:
    folder = Path(__file__).resolve().parent
    version = version_of("gradlab")
    if version:
        yield Row("gradlab", OK, f"{version}, {folder}", required=True)
    else:
        advice = f"{_pip('-e', str(folder.parent))}. Kernels find it only then."
        yield Row("gradlab", ATTENTION, f"run from its source in {folder}, not installed", advice)


def _core() -> Iterator[Row]:
    """What `pip install gradlab` brings. Each is imported, since a broken one is as bad as none."""
    for module, distribution, oldest, purpose in (
        ("numpy", "numpy", (2,), "tensors"),
        ("scipy", "scipy", (1, 13), "special functions"),
        ("matplotlib", "matplotlib", (3, 9), "curves"),
        ("ipywidgets", "ipywidgets", (8,), "widgets"),
        ("anywidget", "anywidget", (0, 9), "widgets"),
    ):
        found = version_of(distribution)
        try:
            importlib.import_module(module)
        except Exception as error:  # a compiled part may fail in any way
            state, text = (
                (ATTENTION, f"{found} cannot be loaded: {error}") if found else (MISSING, "not installed")
            )
            yield Row(distribution, state, f"{text} (for {purpose})", _pip("--upgrade", distribution), True)
            continue
        old = _numbers(found) < oldest
        yield Row(
            distribution,
            ATTENTION if old else OK,
            found,
            _pip("--upgrade", distribution) if old else "",
            True,
        )


def _layout() -> Iterator[Row]:
    """The first engine that works draws; where it is only the built-in one, a better one is named."""
    from gradlab.viz.layout import engine_report

    *rows, last = engine_report()
    used = next((row for row in rows if row.used), last)
    others = [row.rung for row in rows if not row.used and row.found != "not found"]
    found = f"{used.rung}, {used.found}" + (f" (also here: {', '.join(others)})" if others else "")
    built_in = used is last
    advice = (
        f"{_pip('pygraphviz')}. It carries Graphviz, which draws large graphs better." if built_in else ""
    )
    yield Row("layout engine", ATTENTION if built_in else OK, found, advice)


def _application(name: str, distribution: str, purpose: str, oldest: tuple[int, ...]) -> Row:
    found = version_of(distribution)
    if not found:
        return Row(name, MISSING, f"not installed ({purpose})", _pip(distribution))
    if _numbers(found) < oldest:
        return Row(name, ATTENTION, f"{found} is too old for live pictures", _pip("--upgrade", distribution))
    return Row(name, OK, found)


def _applications() -> Iterator[Row]:
    yield _application("JupyterLab", "jupyterlab", "`gradlab lab` opens the lessons in it", (4,))
    yield _application("Notebook", "notebook", "optional: the same lessons in Jupyter Notebook", (7,))
    yield _application("Voilà", "voila", "optional: a lesson as a page without code", (0, 5))


def _front_end_version(extension: str) -> str:
    """The version of a widget front end as Jupyter sees it, or an empty text. It may lie in another place than the Python half."""
    from jupyter_core.paths import jupyter_path

    for folder in jupyter_path("labextensions"):
        try:
            return str(json.loads((Path(folder) / extension / "package.json").read_bytes())["version"])
        except (OSError, ValueError, KeyError):
            continue
    return ""


def _front_ends() -> Iterator[Row]:
    """Half of each widget package is Python, half runs in the browser; live pictures need both, of versions that fit."""
    if importlib.util.find_spec("jupyter_core") is None:
        yield Row("widget front ends", MISSING, "there is no Jupyter here", _pip("jupyterlab"))
        return
    pairs = (
        # ipywidgets 8 speaks with version 5 of what its manager is called in the browser
        ("ipywidgets front end", "@jupyter-widgets/jupyterlab-manager", "jupyterlab_widgets", (5,)),
        ("anywidget front end", "anywidget", "anywidget", _numbers(version_of("anywidget"))[:2]),
    )
    for name, extension, distribution, fitting in pairs:
        found = _front_end_version(extension)
        repair = _pip("--force-reinstall", distribution) + ", then reload the page"
        if not found:
            yield Row(name, MISSING, "Jupyter does not find it, so widgets stay text", repair)
        elif _numbers(found)[: len(fitting)] != fitting:
            wanted = ".".join(map(str, fitting))
            yield Row(name, ATTENTION, f"{found} does not fit the Python half, which needs {wanted}", repair)
        else:
            yield Row(name, OK, found)


def _kernel() -> Iterator[Row]:
    """The kernel called python3 may belong to another Python, where gradlab cannot be imported."""
    if importlib.util.find_spec("jupyter_client") is None or importlib.util.find_spec("ipykernel") is None:
        yield Row("Python kernel", MISSING, "not installed (it runs the cells)", _pip("ipykernel"))
        return
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        program = KernelSpecManager().get_kernel_spec("python3").argv[0]
    except NoSuchKernel:
        yield Row("Python kernel", MISSING, "no kernel named python3", _pip("--force-reinstall", "ipykernel"))
        return
    if os.path.basename(program) == program or os.path.samefile(program, sys.executable):
        yield Row("Python kernel", OK, f"python3 runs {sys.executable}")
    else:
        advice = f"Make it this one: {sys.executable} -m ipykernel install --sys-prefix"
        yield Row("Python kernel", ATTENTION, f"python3 runs another Python, {program}", advice)


def _nvidia() -> str:
    """The driver's own line about the first GPU, or an empty text."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return ""
    query = [program, "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return (answer.stdout.splitlines() or [""])[0].strip()


def _gpu() -> Iterator[Row]:
    card = _nvidia()
    cupy = next(
        (f"{name} {version_of(name)}" for name in ("cupy-cuda13x", "cupy-cuda12x") if version_of(name)), ""
    )
    if not card:
        found = "no NVIDIA driver answers; everything runs on the processor" + (
            f" ({cupy} is installed)" if cupy else ""
        )
        yield Row("GPU", ATTENTION if cupy else OK, found)
    elif not cupy:
        # driver 580 is the first that runs CUDA 13
        driver = _numbers(card.rpartition(",")[2])
        package = "cupy-cuda13x" if driver >= (580,) else "cupy-cuda12x"
        yield Row("GPU", MISSING, f"{card}, but CuPy is not installed", _pip(package))
    else:
        yield Row("GPU", OK, f"{card}, {cupy}")


def _browser() -> Iterator[Row]:
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    advice = "Only gradlab's own browser tests need it."
    yield Row("Chromium", OK if found else MISSING, found or "not found (optional)", "" if found else advice)


def _data_folder() -> Iterator[Row]:
    from gradlab.lab import can_write_in
    from gradlab.lessons import progress

    folder = progress.folder()
    if can_write_in(folder):
        yield Row("data folder", OK, f"{folder} keeps your progress")
    else:
        advice = (
            "Progress is forgotten when a lesson is closed. Set GRADLAB_DATA to a folder you can write in."
        )
        yield Row("data folder", ATTENTION, f"{folder} cannot be written to", advice)


ROWS: tuple[Callable[[], Iterator[Row]], ...] = (
    _python,
    _gradlab,
    _core,
    _layout,
    _applications,
    _front_ends,
    _kernel,
    _gpu,
    _browser,
    _data_folder,
)


def examine() -> list[Row]:
    """Every row, in order. The doctor still speaks when a part of the house is broken: that is a row as well."""
    found: list[Row] = []
    for rows in ROWS:
        try:
            found.extend(rows())
        except Exception as error:
            name = rows.__name__.strip("_").replace("_", " ")
            text = f"could not be examined ({type(error).__name__}: {error})"
            found.append(Row(name, ATTENTION, text, _pip("--force-reinstall", "gradlab")))
    return found


def table(rows: list[Row]) -> str:
    """The rows as text: symbol, word, name, what was found, and below it what to do."""
    names = max(len(row.name) for row in rows)
    words = max(map(len, SYMBOLS))
    indent = " " * (2 + words + 2 + names + 2)
    lines = []
    for row in rows:
        lines.append(f"{SYMBOLS[row.state]} {row.state:{words}}  {row.name:{names}}  {row.found}")
        if row.advice:
            lines.append(textwrap.indent(row.advice, indent))
    return "\n".join(lines)


def summary(rows: list[Row]) -> str:
    """One closing sentence: does gradlab run here?"""
    broken = [row.name for row in rows if row.required and row.state != OK]
    if broken:
        return f"gradlab does not run properly here until this is mended: {', '.join(broken)}."
    others = sum(row.state != OK for row in rows)
    if not others:
        return "Everything is in place."
    return f"gradlab runs here. {others} optional part{'s are' if others > 1 else ' is'} missing or needs a look, see above."


def main(*, as_json: bool = False) -> int:
    """Print the rows; the exit status is 0 unless something required is not ok."""
    rows = examine()
    print(
        json.dumps([asdict(row) for row in rows], indent=1)
        if as_json
        else f"{table(rows)}\n\n{summary(rows)}"
    )
    return int(any(row.required and row.state != OK for row in rows))
