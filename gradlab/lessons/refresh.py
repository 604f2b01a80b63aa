"""Run the notebooks anew and store what they put out: `python -m gradlab.lessons.refresh [NAME …]`, from a source checkout.

Each runs in a new kernel with progress of its own. What differs from run to run is taken out, so that a refresh without a change of
gradlab changes nothing: times, the kernel's version, and live widgets, whose static picture stays.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from gradlab.errors import MissingError
from gradlab.lessons import notebooks_folder

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
LIVE = ("application/vnd.jupyter.widget-view+json", "application/vnd.jupyter.widget-state+json")
LONGEST_S = 60

Notebook = dict[str, Any]
"""A notebook, or a part of one, as JSON."""


def read(name: str) -> Notebook:
    """The notebook of a lesson, as it is stored."""
    notebook: Notebook = json.loads((notebooks_folder() / f"{name}.ipynb").read_text(encoding="utf-8"))
    return notebook


def source(cell: Notebook) -> str:
    """The text of a cell."""
    return "".join(cell["source"])


def code_cells(notebook: Notebook) -> list[Notebook]:
    """The cells that are run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(path: Path) -> Notebook:
    """The notebook at `path` after a run of all its cells in a new kernel."""
    try:
        import nbclient
        import nbformat
    except ImportError:
        raise MissingError(
            "GL081",
            "nbclient is not installed",
            "It runs notebooks without a browser",
            "Install what the tests need: `pip install -e '.[dev]'`",
        ) from None
    notebook = nbformat.read(path, as_version=4)
    before = os.environ.get("GRADLAB_DATA")
    with tempfile.TemporaryDirectory() as data:
        os.environ["GRADLAB_DATA"] = data  # the kernel inherits it
        try:
            resources = {"metadata": {"path": str(path.parent)}}
            nbclient.NotebookClient(notebook, timeout=LONGEST_S, resources=resources).execute()
        finally:
            os.environ.pop("GRADLAB_DATA")
            if before is not None:
                os.environ["GRADLAB_DATA"] = before
    whole: Notebook = json.loads(nbformat.writes(notebook))
    return whole


def normalised(notebook: Notebook) -> Notebook:
    """The notebook without anything that changes from run to run."""
    return {
        "cells": [_cell(cell) for cell in notebook["cells"]],
        "metadata": METADATA,
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(cell: Notebook) -> Notebook:
    tags = cell["metadata"].get("tags")
    kept = {**cell, "metadata": {"tags": tags} if tags else {}}
    if cell["cell_type"] == "code":
        kept["outputs"] = [_output(output) for output in cell["outputs"]]
    return kept


def _output(output: Notebook) -> Notebook:
    if "data" not in output:
        return output
    data = {kind: value for kind, value in output["data"].items() if kind not in LIVE}
    return {**output, "data": data, "metadata": {}}


def text(notebook: Notebook) -> str:
    """The notebook as it stands in its file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main(names: list[str]) -> int:
    """Refresh these lessons, or all of them."""
    for path in sorted(notebooks_folder().glob("*.ipynb")):
        if not names or path.stem in names:
            path.write_text(text(normalised(run(path))), encoding="utf-8")
            print(path.name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
