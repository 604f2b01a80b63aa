"""Pictures that change their shape, functions that fail, names from anywhere."""

from __future__ import annotations

import pytest

import gradlab as gl

pytestmark = pytest.mark.needs("browser")


def test_a_branch_gives_a_new_layout_in_the_same_svg_and_keeps_the_selection(plain, explore):
    def branch(x, w):
        scaled = x * w
        return scaled.tanh() if x.data > 0 else scaled + 1

    page = plain(explore(branch, x=1.0, w=2.0))
    page.page.evaluate("window.picture = document.querySelector('.gl-picture')")
    page.card("scaled").click()
    page.page.get_by_label("x, number").fill("-1")
    page.press("Enter")
    page.card("1").wait_for()
    assert page.shown("val")["branch"] == "−1.000"
    assert page.card("scaled").get_attribute("aria-pressed") == "true"
    assert page.page.evaluate("window.picture === document.querySelector('.gl-picture')")


def test_a_function_that_raises_tells_so_until_it_works_again(plain, explore):
    def inverse(x):
        if x.data == 0:
            raise ValueError("no inverse of 0")
        return 1 / x

    page = plain(explore(inverse, x=2.0))
    box = page.page.get_by_label("x, number")
    box.fill("0")
    box.press("Enter")
    assert "inverse raised ValueError: no inverse of 0" in page.page.get_by_role("alert").inner_text()
    page.button("one step").click()
    assert "no inverse of 0" in page.page.get_by_role("alert").inner_text()
    box.fill("4")
    box.press("Enter")
    page.page.get_by_role("alert").wait_for(state="hidden")
    assert page.shown("val")["inverse"] == "0.2500"


def test_a_function_that_fails_at_first_keeps_its_sliders_and_can_be_mended(plain, explore):
    page = plain(explore(lambda x: gl.log(x) if x.data > 0 else None, x=-1.0))
    assert "returned None" in page.page.get_by_role("alert").inner_text()
    page.page.get_by_label("x, number").fill("1")
    page.press("Enter")
    page.card("f").or_(page.card("log(x)")).wait_for()
    assert page.page.get_by_role("alert").count() == 0


def test_labels_from_anywhere_are_text(plain, explore):
    evil = "<img src=x onerror=alert(1)>"
    x = gl.Value(2.0, label=evil)
    page = plain(explore(x * 3))
    assert page.page.locator(".gl-explorer img").count() == 0
    assert evil in page.card(evil).get_attribute("aria-label")


def test_folds_open_and_close(plain, explore):
    def deep(x, w):
        with gl.scope("layer"):
            for _ in range(170):
                x = x * w
        return x.tanh()

    page = plain(explore(deep, x=1.0, w=1.0))
    folded = page.page.locator(".gl-node").count()
    page.card("layer").click()
    page.page.get_by_role("button", name="open layer").click()
    page.page.get_by_role("button", name="fold everything again").wait_for()
    assert page.explorer.unfolded
    page.page.get_by_role("button", name="fold everything again").click()
    page.card("layer").wait_for()
    assert page.page.locator(".gl-node").count() == folded
