"""The explorer's script and style as strings, from the files that the package ships.

The script is written as small ES modules, which a plain page can import one by one. A widget needs one string, so they are put
one after the other, inputs before users, without the lines that link them: all names at top level are therefore unique.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from gradlab.viz import theme

ROOT = ".gl-explorer"
MODULES = (
    *("dom", "state", "picture", "stage", "leaves", "panel", "player", "modes"),
    *("legend", "film", "keys", "explorer"),
)
_LINK = re.compile(r'^import .* from "\./\w+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def read(name: str) -> str:
    """The text of one of the files beside this one."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def script() -> str:
    """All modules as one ES module whose default export is the widget."""
    return "\n".join(_EXPORT.sub("", _LINK.sub("", read(f"{name}.js"))) for name in MODULES)


@cache
def style() -> str:
    """The colours of every picture, for light and dark, and the explorer's own rules."""
    return f"{theme.css_variables(ROOT)}\n{read('explorer.css')}"
