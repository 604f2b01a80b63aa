"""The script and the style that the package ships."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gradlab.widgets import assets

FOLDER = Path(assets.__file__).parent


def test_every_script_in_the_folder_is_part_of_the_whole():
    assert {path.stem for path in FOLDER.glob("*.js")} == set(assets.MODULES)


def test_the_whole_is_one_module_without_links_to_files():
    script = assets.script()
    assert "import " not in re.sub(r"//.*", "", script)
    assert re.findall(r"^export .*", script, re.MULTILINE) == ["export default { render };"]


def test_names_at_top_level_are_unique():
    names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", assets.script(), re.MULTILINE)
    assert len(names) > 40
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("name", assets.MODULES)
def test_a_script_imports_only_from_those_before_it(name):
    links = re.findall(r'from "\./(\w+)\.js"', assets.read(f"{name}.js"))
    order = assets.MODULES
    assert all(order.index(link) < order.index(name) for link in links)


def test_text_enters_the_page_as_text_only():
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert word not in assets.script()


def test_no_request_is_written_down_anywhere():
    addresses = set(re.findall(r"https?://[^\s\"')]+", assets.script() + assets.style()))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}
    for word in ("fetch(", "XMLHttpRequest", "WebSocket", "@import", "url("):
        assert word not in assets.style() + assets.script().replace("url(#", "")


def test_light_and_dark_follow_every_mark_that_pages_set():
    style = assets.style()
    for mark in (
        "prefers-color-scheme:dark",
        "data-jp-theme-light",
        "vscode-dark",
        "html[theme=dark]",
        "--jp-ui-font-family",
    ):
        assert mark in style


def test_the_explorer_is_imported_only_when_it_is_used():
    late = ("anywidget", "ipywidgets", "IPython", "graphviz")
    code = (
        f"import sys, gradlab as gl; gl.Value(1.0); print([name for name in {late} if name in sys.modules])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )
