"""A browser for the tests: a plain page on which the explorer runs with its real Python side but without a notebook.

`plain(explorer)` opens such a page. Requests that leave it and errors in its console are collected and must stay empty.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ORIGIN = "http://page.test"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
READ = ("geometry", "frame", "command", "cursor", "selected", "mode", "rankdir", "unfolded", "leaf_edits")
WRITTEN = ("geometry", "frame", "command")


@dataclass
class Plain:
    """A page with one explorer on it. `problems` are console errors, `foreign` the requests that left the page."""

    page: Any
    explorer: Any
    problems: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def kernel(self, update: str) -> str:
        """Apply what the front end wrote, as the comm does, and answer with what Python wrote since."""
        before = {name: getattr(self.explorer, name) for name in WRITTEN}
        for name, value in json.loads(update).items():
            setattr(self.explorer, name, value)
        names = (
            READ
            if update == "{}"
            else [name for name in WRITTEN if getattr(self.explorer, name) is not before[name]]
        )
        return json.dumps({name: getattr(self.explorer, name) for name in names})

    def push(self, *names: str) -> None:
        """Send traits that Python changed by itself."""
        self.page.evaluate(
            "update => window.model.receive(update)",
            {name: getattr(self.explorer, name) for name in names or WRITTEN},
        )

    def ask(self, probe: str, *args: Any) -> Any:
        """What one of the functions in probes.js says."""
        return self.page.evaluate("([probe, args]) => window.probes[probe](...args)", [probe, list(args)])

    def shown(self, which: str) -> dict[str, str]:
        """Texts on the cards by name: `which` is "val", "grad" or "mark"."""
        return dict(self.ask("cards", which))

    def card(self, name: str) -> Any:
        return self.page.locator(f'#view .gl-node[data-name="{name}"]')

    def said(self) -> str:
        return str(self.page.locator("#view .gl-say").text_content())

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def button(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name, exact=True)


def loss(x: Any, w: Any, b: Any, target: Any) -> Any:
    """The first example."""
    prediction = x * w + b
    error = prediction - target
    return error**2


START = {"x": 2.0, "w": -3.0, "b": 1.0, "target": 4.0}


def by_hand(x: float, w: float, b: float, target: float) -> tuple[float, dict[str, float]]:
    """Value and gradients of the first example, by the chain rule on paper."""
    error = x * w + b - target
    return error**2, {"x": 2 * error * w, "w": 2 * error * x, "b": 2 * error, "target": -2 * error}


def number(text: str) -> float:
    return float(text.replace("−", "-"))


@pytest.fixture
def assert_right() -> Callable[..., None]:
    """Every number on the cards of the first example is what paper gives, to the four digits that are shown."""

    def check(page: Plain, **values: float) -> None:
        value, grads = by_hand(**{**START, **values})
        assert number(page.shown("val")["loss"]) == pytest.approx(value, rel=6e-4)
        shown = page.shown("grad")
        assert {name: number(shown[name]) for name in grads} == pytest.approx(grads, rel=6e-4, abs=1e-9)

    return check


@pytest.fixture
def first(plain: Callable[..., Plain], explore: Callable[..., Any]) -> Plain:
    """A plain page with the first example."""
    return plain(explore(loss, **START))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shots", help="a folder for pictures of the pages in real notebooks, to be looked at")


@pytest.fixture
def explore() -> Iterator[Callable[..., Any]]:
    """`explore`, with everything it made closed afterwards."""
    from gradlab.widgets.explorer import explore as make

    made = []

    def start(f: Any, /, **values: Any) -> Any:
        made.append(make(f, **values))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.fixture(scope="session")
def site() -> dict[str, str]:
    """The files of the plain page, by their path."""
    from gradlab.widgets import assets

    own = {
        f"/{name}": (HERE / name).read_text(encoding="utf-8")
        for name in ("page.html", "model.js", "probes.js")
    }
    return {**own, "/explorer.js": assets.script(), "/explorer.css": assets.style()}


@pytest.fixture
def plain(browser: Any, site: dict[str, str]) -> Iterator[Callable[..., Plain]]:
    """Open a plain page: `plain(explorer, width=1240, dark=False, body='data-jp-theme-light="false"')`."""
    opened: list[Plain] = []

    def start(
        explorer: Any,
        width: int = 1240,
        height: int = 900,
        dark: bool = False,
        body: str = "",
        **context: Any,
    ) -> Plain:
        size = {"width": width, "height": height}
        own = browser.new_context(viewport=size, color_scheme="dark" if dark else "light", **context)
        one = Plain(own.new_page(), explorer)
        opened.append(one)
        one.page.on(
            "console",
            lambda said: one.problems.append(said.text) if said.type in ("error", "warning") else None,
        )
        one.page.on("pageerror", lambda error: one.problems.append(f"{error} {error.stack}"))
        one.page.route("**/*", lambda route: _answer(route, site, body, one.foreign))
        one.page.expose_function("kernel", one.kernel)
        one.page.goto(f"{ORIGIN}/page.html")
        one.page.wait_for_function("window.ready", timeout=15000)
        return one

    yield start
    for one in opened:
        one.page.context.close()
    assert [one.problems for one in opened if one.problems] == []
    assert [one.foreign for one in opened if one.foreign] == []


def _answer(route: Any, site: dict[str, str], body: str, foreign: list[str]) -> None:
    url = route.request.url
    path = url.removeprefix(ORIGIN)
    if path == "/favicon.ico":
        route.fulfill(body="")
    elif url.startswith(ORIGIN) and path in site:
        text = site[path].replace("<body>", f"<body {body}>") if path.endswith(".html") else site[path]
        route.fulfill(body=text, content_type=TYPES[Path(path).suffix])
    else:
        foreign.append(url)
        route.abort()
