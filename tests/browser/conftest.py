"""A browser for the tests: a plain page on which the explorer runs with its real Python side but without a notebook.

`plain(explorer)` opens such a page. Requests that leave it and errors in its console are collected and must stay empty.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
ORIGIN = "http://page.test"
READ = ("geometry", "frame", "command", "cursor", "selected", "mode", "rankdir", "unfolded", "leaf_edits")
WRITTEN = ("geometry", "frame", "command")
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>plain page</title><style>%(style)s
body { margin: 12px; font-family: system-ui; background: %(background)s }</style></head><body %(marks)s><div id="view"></div><script type="module">
import { createModel } from "/model.js";
import explorer from "/explorer.js";
const state = JSON.parse(await window.kernel("{}"));
const send = async (update) => model.receive(JSON.parse(await window.kernel(JSON.stringify(update))));
const model = window.model = createModel(state, (update) => window.delivery ? window.delivery(update, send) : send(update));
const before = performance.now();
window.explorer = explorer;
window.close_view = explorer.render({ model, el: document.getElementById("view") });
document.querySelector("svg.gl-picture").getBoundingClientRect();
window.drawn_ms = performance.now() - before;
window.ready = true;
</script></body></html>"""


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
        names = READ if update == "{}" else [name for name in WRITTEN if getattr(self.explorer, name) is not before[name]]
        return json.dumps({name: getattr(self.explorer, name) for name in names})

    def push(self, *names: str) -> None:
        """Send traits that Python changed by itself."""
        self.page.evaluate("update => window.model.receive(update)", {name: getattr(self.explorer, name) for name in names or WRITTEN})

    def shown(self, which: str) -> dict[str, str]:
        """Texts on the cards by name: `which` is "val", "grad" or "mark"."""
        script = "which => Object.fromEntries([...document.querySelectorAll('#view .gl-node')].map(n => [n.dataset.name, n.querySelector('.gl-' + which).textContent]))"
        return dict(self.page.evaluate(script, which))

    def card(self, name: str) -> Any:
        return self.page.locator(f'#view .gl-node[data-name="{name}"]')

    def said(self) -> str:
        return str(self.page.locator("#view .gl-say").inner_text())

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def button(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name, exact=True)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Any, chromium: str) -> Iterator[Any]:
    """One Chromium for all tests; each test has a context, which is a profile, of its own."""
    running = playwright.chromium.launch(executable_path=chromium, headless=True, args=list(FLAGS))
    yield running
    running.close()


@pytest.fixture
def plain(browser: Any) -> Iterator[Callable[..., Plain]]:
    """Open a plain page: `plain(explorer, width=1240, dark=False, marks='data-jp-theme-light="false"')`."""
    from gradlab.widgets import assets

    files = {"/explorer.js": assets.script(), "/model.js": (HERE / "model.js").read_text(encoding="utf-8")}
    opened: list[Plain] = []

    with ExitStack() as stack:

        def start(explorer: Any, width: int = 1240, height: int = 900, dark: bool = False, marks: str = "", **context: Any) -> Plain:
            scheme = "dark" if dark else "light"
            own = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **context)
            stack.callback(own.close)
            page = own.new_page()
            one = Plain(page, explorer)
            html = PAGE % {"style": assets.style(), "marks": marks, "background": "#111" if dark or "false" in marks or "dark" in marks else "#fff"}

            def answer(route: Any) -> None:
                path = route.request.url.removeprefix(ORIGIN)
                if not route.request.url.startswith(ORIGIN) or path not in {*files, "/", "/favicon.ico"}:
                    one.foreign.append(route.request.url)
                    route.abort()
                elif path in files:
                    route.fulfill(body=files[path], content_type="text/javascript")
                else:
                    route.fulfill(body=html if path == "/" else "", content_type="text/html")

            page.on("console", lambda message: one.problems.append(message.text) if message.type in ("error", "warning") else None)
            page.on("pageerror", lambda error: one.problems.append(f"{error} {error.stack}"))
            page.route("**/*", answer)
            page.expose_function("kernel", one.kernel)
            page.goto(f"{ORIGIN}/")
            page.wait_for_function("window.ready", timeout=15000)
            opened.append(one)
            return one

        yield start
        for one in opened:
            assert one.problems == []
            assert one.foreign == []
