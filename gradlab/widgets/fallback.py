"""What is shown where no widget can live: the picture as SVG and the graph as a table, each with one line on how to get the live one."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradlab.viz.view import GraphView

HOW = "This is a still picture. Run the cell in JupyterLab, Notebook 7 or Voila to move the sliders and step through it."
HOW_TERMINAL = (
    "Open this in JupyterLab, Notebook 7 or Voila to move the sliders and step through it: `gradlab lab`."
)
MARK = "gl-static"
WIDGET = "application/vnd.jupyter.widget-view+json"
STILL_ONLY = "GRADLAB_STILL"
"""Set to 1 where notebooks are run to be saved: outputs then hold the still picture only, and nothing that a reader cannot see."""
HUSH = (
    '<style class="gl-hush">.jp-OutputArea-child:has(style.gl-hush), .jp-OutputArea-child:has(style.gl-hush) + '
    ".jp-OutputArea-child:has(> .jupyter-widgets):not(:has(> .jupyter-widgets *)) {display:none}</style>"
)
"""Below the still picture a reopened notebook would say that it has no model for the live one. The picture says it better."""


def in_kernel() -> bool:
    """Whether somebody behind a notebook protocol is looking, and not a terminal."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def still(view: GraphView) -> dict[str, Any]:
    """An ordinary output: nbconvert, GitHub and a reopened notebook show it without any widget."""
    told = replace(view, notice=f"{view.notice} {HOW}".strip())
    return {"text/plain": told.text(), "image/svg+xml": marked(told.svg())}


def in_words(view: GraphView) -> str:
    """The graph as a table, for a terminal."""
    return f"{view.text()}\n{HOW_TERMINAL}"


def shows_one_output() -> bool:
    """Whether the notebook is one that puts outputs where the live picture cannot hide the still one: VS Code, Colab."""
    return not still_only() and ("VSCODE_PID" in os.environ or "google.colab" in sys.modules)


def still_only() -> bool:
    """Whether only the still picture is wanted."""
    return os.environ.get(STILL_ONLY, "") not in ("", "0")


def marked(svg: str) -> str:
    """The picture with the mark by which the live explorer hides it, and as wide as the page lets it be."""
    head, tag, rest = svg.partition(">")
    head = re.sub(r' (width|height|style)="[^"]*"', "", head)
    return head.replace('class="', f'width="100%" class="{MARK} ', 1) + tag + rest
