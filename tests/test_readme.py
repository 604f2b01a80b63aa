"""The README keeps its promises: its code runs, its pictures are gradlab's own, its addresses are the one public address.

`python tests/test_readme.py` draws the pictures anew.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import tomllib
import urllib.parse
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from gradlab import cli

REPOSITORY = Path(__file__).resolve().parent.parent
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
FIRST_LESSON = "notebooks/00-start-here.ipynb"
FIRST_GRAPH = """
import gradlab as gl
x, w, b, target = (gl.Value(number, label=name) for name, number in dict(x=2.0, w=-3.0, b=1.0, target=4.0).items())
prediction = x * w + b
prediction.label = "prediction"
loss = (prediction - target) ** 2
loss.label = "loss"
loss.backward()
gl.draw(loss)
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def run(code: str) -> tuple[object, str]:
    """What the last expression of some code gives, and what was printed on the way."""
    tree = ast.parse(code)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    names: dict[str, object] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "README.md", "exec"), names)
        return eval(compile(ast.Expression(last.value), "README.md", "eval"), names), printed.getvalue()


def pictures() -> dict[str, str]:
    """The pictures of the README by file name, drawn now."""
    codes = {"first-graph.svg": FIRST_GRAPH, "ten-lines.svg": blocks("python")[0]}
    return {name: run(code)[0].svg() for name, code in codes.items()}


def texts(svg: str) -> list[str]:
    """All that a picture says. Places and curves, which differ between versions of Graphviz, and styles are left out."""
    leaves = (one for one in ET.fromstring(svg).iter() if not list(one) and not one.tag.endswith("style"))
    said = ("".join(leaf.itertext()).strip() for leaf in leaves)
    return sorted(text for text in said if text)


def test_the_pictures_say_what_gradlab_draws_today():
    committed = {
        path.name: path.read_text(encoding="utf-8") for path in (REPOSITORY / ".github/images").glob("*.svg")
    }
    assert {name: texts(svg) for name, svg in committed.items()} == {
        name: texts(svg) for name, svg in pictures().items()
    }


def test_the_first_picture_shows_numbers_that_mathematics_gives():
    # with p = 2·(−3) + 1 = −5: loss = (p − 4)² = 81, and 2(p − 4) = −18 times 2 at w, times −3 at x
    said = texts((REPOSITORY / ".github/images/first-graph.svg").read_text(encoding="utf-8"))
    assert {"81.00", "−18.00", "−36.00", "54.00", "−5.000"} <= set(said)


@pytest.mark.parametrize("name", ["first-graph.svg", "ten-lines.svg"])
def test_the_pictures_are_shown_and_know_light_and_dark(name):
    assert f"](.github/images/{name})" in README
    svg = (REPOSITORY / ".github/images" / name).read_text(encoding="utf-8")
    assert "prefers-color-scheme" in svg
    assert len(svg) < 30_000


def test_the_code_runs_and_prints_what_it_says():
    ten, live = blocks("python")
    assert len([line for line in ten.splitlines() if line]) == 10
    for line in ten.splitlines():
        if "print(" in line:
            assert run(ten)[1].strip() == line.rpartition("# ")[2]
    explorer = run(live)[0]
    explorer.close()


def test_there_are_two_commands_each_in_a_block_of_its_own():
    first, second = (block.splitlines() for block in blocks("sh"))
    for (command,) in (first, second):
        assert command.startswith("python3 -m venv .venv && ")
    assert first[0].endswith("gradlab lab")
    assert second[0].endswith("pytest")
    extras = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(re.findall(r'"\.\[(\w+)\]"', "".join(first + second))) <= set(extras)


def test_every_command_that_is_named_exists():
    named = set(re.findall(r"`gradlab (\w+)`", README))
    assert {"lab", "doctor", "lessons"} <= named <= {command.name for command in cli.COMMANDS}


def test_the_badge_and_every_link_follow_the_one_public_address():
    addresses = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    (address,) = addresses.values()
    place = address.removeprefix("https://github.com/")
    lesson = urllib.parse.quote(f"lab/tree/{FIRST_LESSON}", safe="")
    assert f"(https://mybinder.org/v2/gh/{place}/HEAD?urlpath={lesson})" in README
    assert (REPOSITORY / FIRST_LESSON).is_file()
    for page in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        text = (REPOSITORY / page).read_text(encoding="utf-8")
        foreign = [link for link in re.findall(r"github\.com/([\w.-]+/[\w.-]+)", text) if link != place]
        assert foreign == [], page
        missing = [
            link
            for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
            if not (REPOSITORY / link).exists()
        ]
        assert missing == [], page


if __name__ == "__main__":
    for name, svg in pictures().items():
        (REPOSITORY / ".github/images" / name).write_text(svg, encoding="utf-8")
