"""Real notebook servers for the tests: JupyterLab, which serves Notebook 7 too, and Voila, each with folders of its own."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

IDLE = "() => window.jupyterapp?.shell.currentWidget?.context?.sessionContext?.session?.kernel?.status === 'idle'"
SETTINGS = {
    "apputils-extension/notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "apputils-extension/themes": {"theme": "JupyterLab Light", "adaptive-theme": False},
}
# What the hosts complain about on a page without gradlab. Nothing else is allowed.
NOTEBOOK_PROBLEMS = (
    "Cannot read properties of undefined (reading 'schema')",
    "Command 'filebrowser:open-path' not registered.",
)
VOILA_FONT = "https://cdn.jsdelivr.net/npm/@fortawesome/fontawesome-free@%5E5/css/"
VOILA_PROBLEMS = (
    "Failed to load resource: net::ERR_NAME_NOT_RESOLVED",
    "Failed to load resource: net::ERR_INTERNET_DISCONNECTED",
    "Error: The getter for the shared module is not a function.",
)


@dataclass
class Visit:
    """A page of a real notebook server, with what it complained about and whom it asked."""

    page: Any
    origin: str
    problems: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    allowed: tuple[str, ...] = ()
    allowed_foreign: tuple[str, ...] = ()

    def assert_quiet(self) -> None:
        """No error in the console and no request to anybody else, but for what the host itself does, by name."""
        assert [text for text in self.problems if not text.startswith(self.allowed or ("\0",))] == []
        assert [url for url in self.foreign if not url.startswith(self.allowed_foreign or ("\0",))] == []

    def listen(self) -> Visit:
        self.page.on(
            "console", lambda message: self.problems.append(message.text) if message.type == "error" else None
        )
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self._ask(request.url))
        return self

    def _ask(self, url: str) -> None:
        if not url.startswith((self.origin, self.origin.replace("http", "ws", 1), "data:", "blob:")):
            self.foreign.append(url)

    def run_all(self) -> None:
        """Wait for the kernel, since commands given earlier are lost, and run every cell."""
        self.page.wait_for_function(IDLE, timeout=60000)
        self.page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")

    def command(self, name: str, **args: Any) -> None:
        self.page.evaluate("([name, args]) => window.jupyterapp.commands.execute(name, args)", [name, args])

    def views(self, count: int = 1) -> Any:
        """The explorers on the page, once there are `count`."""
        found = self.page.locator(".gl-explorer .gl-picture")
        found.nth(count - 1).wait_for(timeout=60000)
        return found


@dataclass
class Server:
    """A JupyterLab server that also serves Notebook 7 and Voila, with folders of its own."""

    origin: str
    token: str
    folder: Path
    browser: Any
    stack: ExitStack

    def write(self, name: str, *cells: str) -> str:
        """Save a notebook with these code cells."""
        made = [
            {
                "cell_type": "code",
                "id": f"cell-{i}",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": one,
            }
            for i, one in enumerate(cells)
        ]
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        book = {"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
        (self.folder / name).write_text(json.dumps(book), encoding="utf-8")
        return name

    def open(self, path: str, width: int = 1400, height: int = 1000, dark: bool = False) -> Visit:
        own = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        self.stack.callback(own.close)
        visit = Visit(own.new_page(), self.origin).listen()
        mark = "&" if "?" in path else "?"
        visit.page.goto(f"{self.origin}{path}{mark}token={self.token}")
        return visit

    def lab(self, name: str, **options: Any) -> Visit:
        return self.open(f"/lab/tree/{name}?reset", **options)

    def notebook(self, name: str, **options: Any) -> Visit:
        visit = self.open(f"/notebooks/{name}", **options)
        visit.allowed = NOTEBOOK_PROBLEMS
        return visit

    def outputs(self, name: str, cell: int = 0) -> Any:
        """The outputs of a cell as they are saved."""
        return json.loads((self.folder / name).read_text(encoding="utf-8"))["cells"][cell]["outputs"]


def _environment(home: Path, repository: Path) -> dict[str, str]:
    """Folders of its own for a server, so that nobody's settings matter and none are changed."""
    for name, content in SETTINGS.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    places = {
        **{f"JUPYTER_{name.upper()}_DIR": name for name in ("config", "data", "runtime")},
        "IPYTHONDIR": "ipython",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    }
    python = os.pathsep.join(filter(None, (str(repository), os.environ.get("PYTHONPATH"))))
    return os.environ | {name: str(home / place) for name, place in places.items()} | {"PYTHONPATH": python}


@contextmanager
def _running(
    command: Sequence[str], environment: dict[str, str], folder: Path, address: str
) -> Iterator[None]:
    with (folder.parent / "log").open("w+") as log:
        process = subprocess.Popen(
            [sys.executable, *command], env=environment, cwd=folder, stdout=log, stderr=log
        )
        try:
            _wait_for(address, process, log)
            yield
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """A server can miss its own end when a request is just being answered; what it serves is a test's and may be lost."""
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def server(browser: Any, tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[Server]:
    """JupyterLab, which serves Notebook 7 too: `server.lab("x.ipynb")` and `server.notebook("x.ipynb")` open pages of it."""
    folder = tmp_path_factory.mktemp("jupyter") / "notebooks"
    folder.mkdir()
    token, port = secrets.token_hex(16), _free_port()
    options = {
        "--ip": "127.0.0.1",
        "--port": port,
        "--ServerApp.port_retries": 0,
        "--ServerApp.root_dir": folder,
        "--IdentityProvider.token": token,
        "--ServerApp.allow_root": True,
        **{f"--{app}.expose_app_in_browser": True for app in ("LabApp", "JupyterNotebookApp")},
    }
    command = ["-m", "jupyterlab", "--no-browser", *(f"{name}={value}" for name, value in options.items())]
    origin = f"http://127.0.0.1:{port}"
    with (
        ExitStack() as stack,
        _running(
            command, _environment(folder.parent, repository), folder, f"{origin}/api/status?token={token}"
        ),
    ):
        yield Server(origin, token, folder, browser, stack)


@pytest.fixture(scope="module")
def voila(
    browser: Any, tmp_path_factory: pytest.TempPathFactory, repository: Path
) -> Iterator[Callable[..., Visit]]:
    """Voila: `voila("x.ipynb", *cells)` saves a notebook and opens it."""
    folder = tmp_path_factory.mktemp("voila") / "notebooks"
    folder.mkdir()
    port = _free_port()
    origin = f"http://127.0.0.1:{port}"
    command = ["-m", "voila", str(folder), "--no-browser", f"--port={port}", "--Voila.ip=127.0.0.1"]
    with ExitStack() as stack, _running(command, _environment(folder.parent, repository), folder, origin):
        site = Server(origin, "", folder, browser, stack)

        def start(name: str, *cells: str, **options: Any) -> Visit:
            visit = site.open(f"/voila/render/{site.write(name, *cells)}", **options)
            visit.allowed, visit.allowed_foreign = VOILA_PROBLEMS, (VOILA_FONT,)
            return visit

        yield start


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Any) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
        if process.poll() is not None:
            break
    log.seek(0)
    pytest.fail(f"JupyterLab did not start:\n{log.read()[-3000:]}")
