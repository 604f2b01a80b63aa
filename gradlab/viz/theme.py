"""The look of every picture, as tables: kinds of node, states of a gradient, colours for light and dark.

The static picture, its legend and the explorer all read these tables, so a colour or a word stands once.
"""

from __future__ import annotations

from dataclasses import dataclass

FONT = 'system-ui, -apple-system, "Segoe UI", sans-serif'


@dataclass(frozen=True)
class Kind:
    """One kind of node: its word, its shape and its colours. `light` and `dark` are (line, fill)."""

    key: str
    word: str
    shape: str
    radius: int
    line_px: float
    light: tuple[str, str]
    dark: tuple[str, str]


# Blue against orange, with grey and violet: told apart by every common kind of colour vision, and the shape says it again.
_ALL_KINDS = (
    Kind("input", "input", "pill", 26, 1.5, ("#0b62b8", "#e8f1fb"), ("#6cb2f5", "#152738")),
    Kind("parameter", "parameter", "square", 5, 2.0, ("#a84b00", "#fdf0e3"), ("#f2a65a", "#33230f")),
    Kind("constant", "constant", "dashed", 9, 1.5, ("#566273", "#ffffff"), ("#a3afbe", "#14181d")),
    Kind("operation", "operation", "rounded", 13, 1.5, ("#495668", "#f3f5f8"), ("#b4c0cf", "#20262e")),
    Kind("output", "output", "double", 13, 1.5, ("#495668", "#f3f5f8"), ("#b4c0cf", "#20262e")),
    Kind("loss", "loss", "double", 5, 1.5, ("#6a3fa0", "#f3edfa"), ("#c3a1f0", "#2a2038")),
)
KINDS: dict[str, Kind] = {kind.key: kind for kind in _ALL_KINDS}


@dataclass(frozen=True)
class GradState:
    """One state of a gradient: its key in the view data, its mark, and its words (`{k}`, `{m}` are counts)."""

    key: str
    mark: str
    words: str


_ALL_STATES = (
    GradState("not computed", "○", "not computed"),
    GradState("partial", "◐", "{k} of {m} added"),
    GradState("complete", "●", "complete"),
    GradState("none needed", "–", "none needed"),
)
GRAD_STATES: dict[str, GradState] = {state.key: state for state in _ALL_STATES}

# name: (light, dark). `ink` and `soft` are text; the others are surfaces, lines and accents.
COLOURS: dict[str, tuple[str, str]] = {
    "bg": ("#ffffff", "#14181d"),
    "panel": ("#f6f8fa", "#1b2027"),
    "line": ("#d4dae1", "#343c47"),
    "ink": ("#1b2430", "#e8edf3"),
    "soft": ("#566273", "#a3afbe"),
    "now": ("#a84b00", "#f2a65a"),
    "done": ("#0b62b8", "#6cb2f5"),
    "halo": ("rgba(168,75,0,.22)", "rgba(242,166,90,.28)"),
    **{kind.key: (kind.light[0], kind.dark[0]) for kind in _ALL_KINDS},
    **{f"{kind.key}-bg": (kind.light[1], kind.dark[1]) for kind in _ALL_KINDS},
}

# Where a page says which theme it has: JupyterLab, Notebook and Voila; VS Code; Colab; Jupyter Book; gradlab itself.
LIGHT_MARKS = (
    '[data-jp-theme-light="true"] {root}',
    "body.vscode-light {root}",
    "html[theme=light] {root}",
    "html[data-theme=light] {root}",
    "{root}.gl-light",
)
DARK_MARKS = (
    '[data-jp-theme-light="false"] {root}',
    "body.vscode-dark {root}",
    "body.vscode-high-contrast:not(.vscode-high-contrast-light) {root}",
    "html[theme=dark] {root}",
    "html[data-theme=dark] {root}",
    "{root}.gl-dark",
)


def state_text(state: str, added: int = 0, uses: int = 0) -> str:
    """The words of a gradient state, such as "1 of 2 added".

    Example: `state_text("partial", 1, 2)` gives `"1 of 2 added"`.
    """
    return GRAD_STATES[state].words.format(k=added, m=uses)


def css_variables(root: str = ".gl") -> str:
    """CSS custom properties `--gl-…` on `root`: light, and dark wherever a page or the system says dark.

    A mark that the page sets wins over the system's setting, in both directions.
    """
    light, dark = _declarations(0), _declarations(1)
    return (
        f"{root}{{color-scheme:light;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{{root}{{color-scheme:dark;{dark}}}}}\n"
        f"{_selectors(LIGHT_MARKS, root)}{{color-scheme:light;{light}}}\n"
        f"{_selectors(DARK_MARKS, root)}{{color-scheme:dark;{dark}}}"
    )


def _declarations(which: int) -> str:
    return ";".join(f"--gl-{name}:{pair[which]}" for name, pair in COLOURS.items())


def _selectors(marks: tuple[str, ...], root: str) -> str:
    return ",".join(mark.format(root=root) for mark in marks)
