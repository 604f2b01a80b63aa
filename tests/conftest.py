"""One policy for all tests: fixed seeds, no learner's folders, and skips only with a reason that the gate can forbid.

A test that needs more than `pip install -e ".[dev]"` brings says so: `@pytest.mark.needs("browser")`. Where the thing is absent the
test is skipped with its reason. GRADLAB_REQUIRE=browser,graphviz turns those skips into failures, and then a skip without
a `needs` mark fails as well, so that nothing can stay untested by accident.
"""

from __future__ import annotations

import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

REQUIRED = {word for word in os.environ.get("GRADLAB_REQUIRE", "").split(",") if word}

settings.register_profile("gradlab", derandomize=True, deadline=None, database=None)
settings.load_profile("gradlab")


def chromium_path() -> str | None:
    """A Chromium or Chrome on this machine: $GRADLAB_CHROMIUM, or the first known name on PATH."""
    named = os.environ.get("GRADLAB_CHROMIUM")
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    return named or next(filter(None, map(shutil.which, names)), None)


def has_modules(*names: str) -> bool:
    return all(importlib.util.find_spec(name) is not None for name in names)


NEEDS: dict[str, tuple[Callable[[], object], str]] = {
    "browser": (
        lambda: chromium_path() and has_modules("playwright"),
        "no Chromium found: install it, or set GRADLAB_CHROMIUM to its path",
    ),
    "graphviz": (lambda: shutil.which("dot"), "no `dot` on PATH: install Graphviz"),
    "pygraphviz": (lambda: has_modules("pygraphviz"), "pygraphviz is not installed"),
    "repo2docker": (lambda: has_modules("repo2docker"), "repo2docker is not installed"),
    "environments": (
        lambda: "environments" in REQUIRED,
        "makes whole new environments, which takes minutes: set GRADLAB_REQUIRE=environments to run it",
    ),
    "oracle": (lambda: has_modules("torch", "jax"), 'no judges: pip install -e ".[oracle]"'),
    "cuda": (lambda: has_modules("cupy"), "no CuPy, so no GPU to ask"),
}
"""What a test can need beyond the plain installation: a question whether it is there, and the reason given when it is not."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", f"needs(*names): skipped where one is absent; names: {', '.join(NEEDS)}"
    )
    # progress, caches and settings of whoever runs the tests are neither read nor written, here and in every kernel
    home = tempfile.mkdtemp(prefix="gradlab-tests-")
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    for name in (
        "GRADLAB_DATA",
        "XDG_DATA_HOME",
        "XDG_CONFIG_HOME",
        "IPYTHONDIR",
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR",
    ):
        os.environ[name] = os.path.join(home, name.lower())
    os.environ["PYTHONHASHSEED"] = "0"  # for child processes


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        for name in mark.args:
            present, reason = NEEDS[name]
            if not present():
                (pytest.fail if name in REQUIRED else pytest.skip)(f"{name}: {reason}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    if REQUIRED and report.skipped and not hasattr(report, "wasxfail"):
        needed = {name for mark in item.iter_markers("needs") for name in mark.args}
        if not needed or needed <= REQUIRED:
            report.outcome, report.longrepr = (
                "failed",
                f"skipped, which is forbidden here: {report.longrepr[-1]}",
            )
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report = yield
    if REQUIRED and report.skipped:
        report.outcome, report.longrepr = (
            "failed",
            f"{collector.nodeid} was skipped whole, which is forbidden here",
        )
    return report


@pytest.fixture(autouse=True)
def _seeded() -> None:
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)


def _fetch(address: str) -> bytes:
    for _ in range(100):
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return answer.read()
        except urllib.error.HTTPError:
            raise
        except urllib.error.URLError:
            time.sleep(0.1)
    raise AssertionError(f"nothing answers at {address}")


@pytest.fixture
def fetch() -> Callable[[str], bytes]:
    """The page at an address. A server prints its address a moment before it listens, so a few refusals are normal."""
    return _fetch


def _lesson_address(process: subprocess.Popen[str]) -> str:
    said = ""
    for line in process.stdout:
        said += line
        address = re.search(r"http://127\.0\.0\.1:\d+/lab/tree/00-start-here\.ipynb\?token=\w+", line)
        if address:
            return address[0]
    raise AssertionError(said)


@pytest.fixture
def lesson_address() -> Callable[[subprocess.Popen[str]], str]:
    """The address of the first lesson, with its token, as soon as a running `gradlab lab` prints it."""
    return _lesson_address


CHROMIUM_FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """One Chromium for all tests that are marked as needing it; a context of it is a profile of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=chromium_path(), args=list(CHROMIUM_FLAGS))
        yield running
        running.close()


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the source tree."""
    return Path(__file__).resolve().parent.parent
