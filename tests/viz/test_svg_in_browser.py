"""The static picture in a real browser: colours, contrast and room for the text are what people get to see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import gradlab as gl
from gradlab.viz import theme

pytestmark = pytest.mark.needs("browser")

Makers = dict[str, Callable[..., gl.Value]]
# For each text: its colour and that of what is painted under its middle, from the browser's own computed styles.
CONTRAST = """() => {
  const rgb = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const luminance = c => c.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const under = text => {
    const box = text.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    const painted = [...document.querySelectorAll("svg rect")].filter(rect => {
      const r = rect.getBoundingClientRect();
      return r.x <= x && x <= r.right && r.y <= y && y <= r.bottom && getComputedStyle(rect).fill !== "none";
    });
    return getComputedStyle(painted.at(-1)).fill;
  };
  return [...document.querySelectorAll("svg text")].map(text => {
    const [a, b] = [rgb(getComputedStyle(text).fill), rgb(under(text))].map(luminance).sort((p, q) => q - p);
    return [text.textContent, (a + 0.05) / (b + 0.05)];
  });
}"""
# Texts that reach over the side of their card.
OVERFLOWING = """() => [...document.querySelectorAll("svg g.card")].flatMap(card => {
  const box = card.querySelector(".box").getBoundingClientRect();
  return [...card.querySelectorAll("text")].filter(text => {
    const t = text.getBoundingClientRect();
    return t.x < box.x || t.right > box.right || t.y < box.y - 1 || t.bottom > box.bottom + 1;
  }).map(text => text.textContent);
})"""
# Rows whose number runs into its label, and names that run under the chip.
COLLIDING = """() => [...document.querySelectorAll("svg g.card")].flatMap(card => {
  const texts = [...card.querySelectorAll("text")].map(t => [t.textContent, t.getBoundingClientRect()]);
  const found = [];
  for (const [i, [one, a]] of texts.entries()) for (const [other, b] of texts.slice(i + 1))
    if (a.width && b.width && Math.abs(a.y + a.height / 2 - b.y - b.height / 2) < 5 && a.x < b.right && b.x < a.right)
      found.push(`${one} | ${other}`);
  return found;
})"""


@pytest.fixture
def show(browser: Any) -> Iterator[Callable[..., Any]]:
    """A page with pictures on it, in one colour scheme. Nothing may be requested or complained about."""
    pages, problems = [], []

    def open_page(*pictures: gl.draw, scheme: str = "light", marks: str = "") -> Any:
        page = browser.new_page(color_scheme=scheme, viewport={"width": 1400, "height": 900})
        pages.append(page)
        page.on("console", lambda message: problems.append(message.text))
        page.on("request", lambda request: problems.append(request.url))
        page.set_content(f"<!doctype html><body {marks}>{''.join(f'<div>{p.svg()}</div>' for p in pictures)}")
        return page

    yield open_page
    for page in pages:
        page.close()
    assert problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast_of_at_least_4_5(show: Callable[..., Any], make: Makers, scheme: str) -> None:
    graphs = (make["first"](), make["first"](backward=False), make["first"]() * 2.0, make["network"]())
    found = show(*map(gl.draw, graphs), scheme=scheme).evaluate(CONTRAST)
    assert len(found) > 150
    assert [one for one in found if one[1] < 4.5] == []


@pytest.mark.parametrize(
    ("scheme", "marks", "dark"),
    [
        ("light", "", False),
        ("dark", "", True),
        ("light", 'data-jp-theme-light="false"', True),
        ("dark", 'data-jp-theme-light="true"', False),
        ("light", 'class="vscode-dark"', True),
        ("dark", 'class="vscode-light"', False),
        ("light", 'class="vscode-high-contrast"', True),
    ],
)
def test_the_page_decides_between_light_and_dark(
    show: Callable[..., Any], loss: gl.Value, scheme: str, marks: str, dark: bool
) -> None:
    page = show(gl.draw(loss), scheme=scheme, marks=marks)
    painted = page.evaluate("getComputedStyle(document.querySelector('svg rect.bg')).fill")
    wanted = theme.COLOURS["bg"][dark]
    assert painted == "rgb({}, {}, {})".format(*(int(wanted[i : i + 2], 16) for i in (1, 3, 5)))


def test_text_stays_on_its_card_and_clear_of_other_text(show: Callable[..., Any], make: Makers) -> None:
    x, w = gl.Value(-0.0012345, label="W" * 60), gl.Value(123456.7, label="i" * 80)
    wide = (x * w + gl.Value(-1.5e-300, label="name of usual length")).tanh()
    wide.backward()
    page = show(*map(gl.draw, (make["first"](), make["sixty"](), make["network"](scopes=False), wide)))
    assert page.evaluate(OVERFLOWING) == []
    assert page.evaluate(COLLIDING) == []


def test_two_pictures_on_one_page_keep_their_own_looks(show: Callable[..., Any], make: Makers) -> None:
    page = show(gl.draw(make["first"]()), gl.draw(make["square"]()), gl.draw(make["first"]()))
    assert page.evaluate("document.querySelectorAll('[id]').length") == 0
    fills = page.evaluate(
        "[...document.querySelectorAll('.k-input .box')].map(b => getComputedStyle(b).fill)"
    )
    assert len(fills) >= 5
    assert len(set(fills)) == 1
    page.set_content(f"<p class='card name box'>text</p>{gl.draw(make['square']()).svg()}")
    assert page.evaluate("getComputedStyle(document.querySelector('p')).fontWeight") == "400"


def test_a_wide_picture_shrinks_a_little_and_then_scrolls(show: Callable[..., Any], make: Makers) -> None:
    page = show(gl.draw(make["sixty"]()))
    shown, natural = page.evaluate(
        "(s => [s.getBoundingClientRect().width, s.viewBox.baseVal.width])(document.querySelector('svg'))"
    )
    assert 0.69 <= shown / natural < 1


def test_edges_end_at_the_border_of_their_card(show: Callable[..., Any], loss: gl.Value) -> None:
    script = """() => [...document.querySelectorAll("svg g.edge path.head")].map(head => {
      const h = head.getBoundingClientRect();
      return Math.min(...[...document.querySelectorAll("svg g.card .box")].map(b => b.getBoundingClientRect())
        .filter(b => b.y < h.y && h.bottom < b.bottom).map(b => Math.abs(b.x - h.right)));
    })"""
    distances = show(gl.draw(loss)).evaluate(script)
    assert len(distances) == 7
    assert max(distances) < 3
