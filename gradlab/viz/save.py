"""Writing a picture to a file, each kind by its ending."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradlab.errors import ArgumentError, StorageError
from gradlab.viz import theme
from gradlab.viz.labels import literal

if TYPE_CHECKING:
    from gradlab.viz.view import GraphView


def save(view: GraphView, path: str | os.PathLike[str]) -> None:
    """Write `view` to `path`. The file is complete or not there at all: it is written beside its place and then moved."""
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in WRITERS:
        what = f"a picture cannot be saved as {target.name!r}"
        raise ArgumentError(
            "GL062", what, f"The ending says how: {', '.join(WRITERS)}", "Try save('graph.svg')"
        )
    data = WRITERS[ending](view)
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(data)
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True) if draft.parent.is_dir() else None
        what = f"{str(target)!r} could not be written: {error.strerror or type(error).__name__}"
        raise StorageError(
            "GL080", what, fix="Choose a folder that exists and that you may write to"
        ) from error


def as_json(view: GraphView) -> str:
    """The view data as JSON text."""
    return json.dumps(_plain(asdict(view)), ensure_ascii=False, allow_nan=False)


def _plain(data: Any) -> Any:
    """Data that JSON can hold: nan and inf as words, halves of surrogate pairs as signs."""
    if isinstance(data, float):
        return data if math.isfinite(data) else "nan" if math.isnan(data) else "inf" if data > 0 else "-inf"
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_plain(value) for value in data]
    return data.encode("utf-8", "replace").decode() if isinstance(data, str) else data


def _page(view: GraphView) -> str:
    """A page that needs nothing else: the picture, and the same facts as a table."""
    title = escape(literal(view.title))
    style = (
        f"{theme.css_variables('body')}\nbody{{margin:24px;background:var(--gl-panel);color:var(--gl-ink);font-family:{theme.FONT}}}"
        "figure{margin:0;overflow-x:auto}pre{overflow-x:auto;font-size:13px}"
    )
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
    table = escape("\n".join(map(literal, view.text().split("\n"))))
    body = f"<figure>{view.svg()}</figure>\n<details><summary>The same as a table</summary><pre>{table}</pre></details>"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}<style>{style}</style></head>\n<body>\n{body}\n</body></html>\n'


def _figure(form: str) -> Callable[[GraphView], bytes]:
    def write(view: GraphView) -> bytes:
        from gradlab.viz.figure import render

        return render(view, form)

    return write


def _text(make: Callable[[GraphView], str]) -> Callable[[GraphView], bytes]:
    return lambda view: make(view).encode("utf-8", "replace")


WRITERS: dict[str, Callable[[GraphView], bytes]] = {
    ".svg": _text(lambda view: f'<?xml version="1.0" encoding="UTF-8"?>\n{view.svg()}\n'),
    ".png": _figure("png"),
    ".pdf": _figure("pdf"),
    ".dot": _text(lambda view: view.dot()),
    ".html": _text(_page),
    ".json": _text(lambda view: view.json() + "\n"),
    ".txt": _text(lambda view: view.text() + "\n"),
}
