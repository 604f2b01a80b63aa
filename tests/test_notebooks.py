"""The lessons' notebooks: committed as they ran, within their measures, and answerable. `--nbval` compares their outputs beside this.

`faults` is a table of checks over a notebook's JSON. Each of them is tested here with a notebook that breaks it.
"""

from __future__ import annotations

import ast
import copy
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gradlab as gl
from gradlab.lessons import course
from gradlab.lessons.refresh import Notebook, code_cells, normalised, read, source, text

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
TAGS = {"setup", "demo", "exercise", "check", "solution", "timing", "raises-exception"}
KEPT_METADATA = {"kernelspec", "language_info"}
MOST_CELLS, MOST_LINES, MOST_BYTES = 39, 14, 300_000
ALLOWED_MODULES = {"gradlab", "numpy", "matplotlib", "matplotlib.pyplot"}
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}|(?<![\w.])/(?:home|root|tmp|usr|opt|work|Users)/\w|[A-Z]:\\\\")
UNWANTED_WORDS = re.compile(
    r"\b(simply|just|obviously|of course|trivial|dive in|leverage|powerful)\b|!(?=\s|$)", re.IGNORECASE
)


def outputs(notebook: Notebook) -> Iterator[Notebook]:
    for cell in code_cells(notebook):
        yield from cell["outputs"]


def texts_of(output: Notebook) -> Iterator[str]:
    yield "".join(output.get("text", ""))
    for kind, content in output.get("data", {}).items():
        if kind.startswith(("text/", "application/json")):
            yield content if isinstance(content, str) else "".join(map(str, content))


def wrong_counts(notebook: Notebook) -> Iterator[str]:
    counts = [cell["execution_count"] for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts are {counts}"


def no_outputs(notebook: Notebook) -> Iterator[str]:
    if not any(True for _ in outputs(notebook)):
        yield "there are no outputs, so a strict comparison compares nothing"


def standard_error(notebook: Notebook) -> Iterator[str]:
    for output in outputs(notebook):
        if output.get("name") == "stderr":
            yield f"standard error: {''.join(output['text'])[:60]}"


def raised(notebook: Notebook) -> Iterator[str]:
    for cell in code_cells(notebook):
        tolerated = "raises-exception" in cell["metadata"].get("tags", [])
        if any(output["output_type"] == "error" for output in cell["outputs"]) and not tolerated:
            yield f"{cell['id']} raised an error"


def addresses(notebook: Notebook) -> Iterator[str]:
    for output in outputs(notebook):
        for content in texts_of(output):
            found = ADDRESS.search(content)
            if found:
                yield f"an address or a path of one machine: {found[0]}"


def widget_state(notebook: Notebook) -> Iterator[str]:
    if any("widget" in kind for output in outputs(notebook) for kind in output.get("data", {})):
        yield "a live widget is saved, which cannot be found again when the notebook is opened"
    if "OutputModel" in json.dumps(notebook):
        yield "an Output model"
    if not notebook["metadata"].keys() <= KEPT_METADATA:
        yield f"metadata {sorted(notebook['metadata'].keys() - KEPT_METADATA)}"


def other_kernel(notebook: Notebook) -> Iterator[str]:
    name = notebook["metadata"].get("kernelspec", {}).get("name")
    if name != "python3":
        yield f"kernel {name}"


def other_metadata(notebook: Notebook) -> Iterator[str]:
    for cell in notebook["cells"]:
        if not cell["metadata"].keys() <= {"tags"}:
            yield f"{cell['id']} has metadata {sorted(cell['metadata'])}"
        unknown = set(cell["metadata"].get("tags", [])) - TAGS
        if unknown:
            yield f"{cell['id']} has tags {sorted(unknown)}"
        if cell["cell_type"] == "code" and not cell["metadata"].get("tags"):
            yield f"{cell['id']} says by no tag what it is for"


def too_long(notebook: Notebook) -> Iterator[str]:
    if len(notebook["cells"]) > MOST_CELLS:
        yield f"{len(notebook['cells'])} cells"
    for cell in code_cells(notebook):
        lines = source(cell).count("\n") + 1
        if lines > MOST_LINES:
            yield f"{cell['id']} has {lines} lines"


def too_large(notebook: Notebook) -> Iterator[str]:
    size = len(text(notebook).encode())
    if size > MOST_BYTES:
        yield f"{size} bytes"


def private_names(notebook: Notebook) -> Iterator[str]:
    for cell in code_cells(notebook):
        for node in ast.walk(ast.parse(source(cell))):
            modules = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or "."] if isinstance(node, ast.ImportFrom) else []
            yield from (
                f"{cell['id']} imports {module}" for module in modules if module not in ALLOWED_MODULES
            )
            name = node.attr if isinstance(node, ast.Attribute) else ""
            if name.startswith("_"):
                yield f"{cell['id']} uses the private name {name}"
            of_gradlab = (
                isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "gl"
            )
            if of_gradlab and name not in gl.__all__:
                yield f"{cell['id']} uses gl.{name}, which is not public"


def wrong_shape(notebook: Notebook) -> Iterator[str]:
    cells = notebook["cells"]
    first = source(cells[0])
    if cells[0]["cell_type"] != "markdown" or not re.match(r"# .+\?\n", first):
        yield "the title is not a question"
    if (
        len(
            re.findall(
                r"^# ",
                "\n".join(source(cell) for cell in cells if cell["cell_type"] == "markdown"),
                re.MULTILINE,
            )
        )
        != 1
    ):
        yield "there is not exactly one title"
    if first.count("\n- ") != 3 or "You will be able to" not in first:
        yield "what one will be able to do does not stand there in three lines"
    if code_cells(notebook)[0]["metadata"].get("tags") != ["setup"]:
        yield "the first code cell is not the setup"
    last = source(cells[-1])
    for part in ("## In short", "**A common mistake.**", "**Words learned.**", "**Next.**"):
        if part not in last:
            yield f"the end lacks {part}"


def voice(notebook: Notebook) -> Iterator[str]:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            for found in UNWANTED_WORDS.finditer(re.sub(r"`[^`]*`", "", source(cell))):
                yield f"{cell['id']} says {found[0]!r}"


CHECKS: tuple[Callable[[Notebook], Iterator[str]], ...] = (
    wrong_counts,
    no_outputs,
    standard_error,
    raised,
    addresses,
    widget_state,
    other_kernel,
    other_metadata,
    too_long,
    too_large,
    private_names,
    wrong_shape,
    voice,
)


def faults(notebook: Notebook) -> list[str]:
    return [fault for check in CHECKS for fault in check(notebook)]


NAMES = course.names()


def test_every_notebook_has_its_course_file_and_the_other_way_round():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_keeps_its_measures(name):
    assert faults(read(name)) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_is_stored_as_refresh_stores_it(name):
    stored = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    assert text(normalised(json.loads(stored))) == stored


@pytest.mark.parametrize("name", NAMES)
def test_the_title_is_the_one_in_the_table_of_contents(name):
    assert source(read(name)["cells"][0]).splitlines()[0] == f"# {course.plan(name).title}"


@pytest.mark.parametrize("name", NAMES)
def test_links_to_other_lessons_lead_somewhere(name):
    for cell in read(name)["cells"]:
        for target in re.findall(r"\]\(([^)#]+\.ipynb)\)", source(cell)):
            assert (FOLDER / target).is_file()


# --- the guard is guarded ---


def spoil(path: str, value: Any) -> Callable[[Notebook], None]:
    """A change of one place of the second code cell, or of the whole notebook when the path starts with a slash."""

    def change(notebook: Notebook) -> None:
        at: Any = notebook if path.startswith("/") else code_cells(notebook)[1]
        *way, last = path.strip("/").split(".")
        for step in way:
            at = at[int(step)] if step.lstrip("-").isdigit() else at[step]
        at[last] = value

    return change


def stream(name: str, content: str) -> list[Notebook]:
    return [{"output_type": "stream", "name": name, "text": content}]


LIVE = {
    "output_type": "display_data",
    "metadata": {},
    "data": {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}},
}

SPOILED: dict[str, tuple[Callable[[Notebook], None], str]] = {
    "a cell ran twice": (spoil("execution_count", 7), "execution counts"),
    "a cell never ran": (spoil("execution_count", None), "execution counts"),
    "stripped": (lambda notebook: [cell.update(outputs=[]) for cell in code_cells(notebook)], "no outputs"),
    "a warning": (spoil("outputs", stream("stderr", "Warning")), "standard error"),
    "an error": (
        spoil("outputs", [{"output_type": "error", "ename": "E", "evalue": "", "traceback": []}]),
        "raised an error",
    ),
    "an address": (spoil("outputs", stream("stdout", "<object at 0x7f83078b3920>")), "address"),
    "a path": (spoil("outputs", stream("stdout", "in /home/" + "ada/lesson")), "path of one machine"),
    "a live widget": (spoil("outputs", [LIVE]), "live widget"),
    "widget state": (spoil("/metadata.widgets", {}), "metadata ['widgets']"),
    "an Output widget": (spoil("outputs", stream("stdout", "OutputModel")), "Output model"),
    "another kernel": (spoil("/metadata.kernelspec.name", "my-venv"), "kernel my-venv"),
    "an unknown tag": (spoil("metadata.tags", ["hide-input"]), "tags ['hide-input']"),
    "no tag": (spoil("metadata", {}), "by no tag"),
    "a collapsed cell": (spoil("metadata.collapsed", True), "has metadata"),
    "a long cell": (spoil("source", "x = 1\n" * 15), "lines"),
    "too many cells": (lambda notebook: notebook["cells"].extend([notebook["cells"][-1]] * 40), "cells"),
    "too large": (spoil("outputs", stream("stdout", "." * 300_000)), "bytes"),
    "a private module": (
        spoil("source", "from gradlab.graph.walk import topological"),
        "imports gradlab.graph.walk",
    ),
    "another package": (spoil("source", "import torch"), "imports torch"),
    "a private name": (spoil("source", "x._grad"), "private name _grad"),
    "an unknown name": (spoil("source", "gl.walk"), "gl.walk"),
    "no question": (spoil("/cells.0.source", "# Graphs\n"), "not a question"),
    "no summary": (spoil("/cells.-1.source", "The end."), "lacks ## In short"),
    "another voice": (spoil("/cells.2.source", "Simply run it!"), "says 'Simply'"),
}


@pytest.mark.parametrize(("change", "fault"), SPOILED.values(), ids=SPOILED)
def test_the_guard_finds_what_is_wrong(change, fault):
    notebook = copy.deepcopy(read("00-start-here"))
    change(notebook)
    assert any(fault in found for found in faults(notebook)), faults(notebook)


CHANGED = {
    "another picture": ("<p>81</p><svg><path d='1'/></svg>", "<p>81</p><svg>\n<path d='2'/></svg>", "passed"),
    "another number": ("<p>81</p>", "<p>80.82</p>", "failed"),
    "another number beside a picture": (
        "<svg><path d='1'/></svg> 81",
        "<svg><path d='1'/></svg> 80.82",
        "failed",
    ),
}
"""What is stored, what is shown now, and whether the strict comparison may overlook it."""


def _cell(number: int, stored: str, now: str) -> Notebook:
    data = {"text/html": stored, "text/plain": "<IPython.core.display.HTML object>"}
    output = {"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": data}
    code = f"from IPython.display import HTML\nHTML({now!r})"
    return {
        "cell_type": "code",
        "id": f"c{number}",
        "metadata": {},
        "execution_count": number,
        "source": code,
        "outputs": [output],
    }


def test_the_strict_comparison_sees_texts_and_numbers_and_overlooks_only_pictures(tmp_path, pytestconfig):
    cells = [_cell(number, stored, now) for number, (stored, now, _) in enumerate(CHANGED.values(), 1)]
    small = {"cells": cells, "metadata": read(NAMES[0])["metadata"], "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "small.ipynb").write_text(json.dumps(small), encoding="utf-8")
    root = FOLDER.parent
    sanitize = root / pytestconfig.getoption("nbval_sanitize_with")
    options = [
        "--nbval",
        "--nbval-current-env",
        f"--nbval-sanitize-with={sanitize}",
        "--no-header",
        "-rA",
        "-c",
        os.devnull,
    ]
    command = [sys.executable, "-m", "pytest", *options, f"--rootdir={tmp_path}", str(tmp_path)]
    said = subprocess.run(command, cwd=root, capture_output=True, text=True).stdout
    outcomes = [
        outcome.lower()
        for _, outcome in sorted(
            (at, word) for word, at in re.findall(r"^(PASSED|FAILED) \S+::Cell (\d)", said, re.M)
        )
    ]
    assert outcomes == [outcome for _, _, outcome in CHANGED.values()], said
