"""Where no widget can live: terminals, saved notebooks, converters."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

from gradlab.widgets import fallback

CODE = "import gradlab as gl\ngl.explore(lambda x, w: x * w, x=2.0, w=-3.0)"


def test_the_mime_bundle_has_a_picture_a_table_and_the_live_view(first):
    data, _ = first._repr_mimebundle_()
    assert set(data) == {"text/plain", "image/svg+xml", fallback.WIDGET}
    assert data["text/plain"].endswith(fallback.HOW) or fallback.HOW in data["text/plain"]
    root = ET.fromstring(data["image/svg+xml"])
    assert "gl-static" in root.get("class")
    assert "JupyterLab" in "".join(root.itertext())
    assert root.get("width") == "100%"
    assert root.get("viewBox")


def test_a_terminal_gets_the_table_and_one_line(first, capsys):
    first._ipython_display_()
    said = capsys.readouterr().out
    assert "squared_error" in said
    assert "81.00" in said
    assert said.rstrip().endswith("`gradlab lab`.")


def test_a_function_that_fails_tells_the_terminal_why(explore, capsys):
    explore(lambda x: None, x=1.0)._ipython_display_()
    assert "returned None" in capsys.readouterr().out


def test_a_plain_script_shows_the_short_repr():
    code = f"{CODE.replace('gl.explore', 'print(gl.explore')})"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "GraphExplorer(nodes=3, step=3 of 3)\n"
    assert done.stderr == ""


def executed(monkeypatch, still, editor=False):
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv(fallback.STILL_ONLY, "1" if still else "")
    monkeypatch.delenv("VSCODE_PID", raising=False)
    if editor:
        monkeypatch.setenv("VSCODE_PID", "1")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CODE)])
    NotebookClient(book, kernel_name="python3", timeout=60).execute()
    return book


def test_a_saved_notebook_keeps_the_picture_in_an_ordinary_output_and_nbconvert_shows_it(monkeypatch):
    from nbconvert import HTMLExporter

    book = executed(monkeypatch, still=False)
    assert "image/svg+xml" in book.cells[0].outputs[0].data
    assert fallback.WIDGET in book.cells[0].outputs[-1].data
    html, _ = HTMLExporter().from_notebook_node(book)
    pictures = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    assert "Run the cell in JupyterLab" in base64.b64decode(pictures[0]).decode()


def test_notebooks_run_to_be_saved_can_ask_for_the_still_picture_alone(monkeypatch):
    outputs = executed(monkeypatch, still=True).cells[0].outputs
    assert [set(one.data) for one in outputs] == [{"image/svg+xml", "text/plain"}]


def test_an_editor_that_cannot_hide_the_still_picture_gets_one_output_with_both(monkeypatch):
    outputs = executed(monkeypatch, still=False, editor=True).cells[0].outputs
    assert [set(one.data) for one in outputs] == [{"image/svg+xml", "text/plain", fallback.WIDGET}]
