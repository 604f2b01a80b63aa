"""How the explorer looks: contrast, nothing cut off, nothing on top of each other, in light and dark, wide and narrow."""

from __future__ import annotations

import pytest

import gradlab as gl

pytestmark = pytest.mark.needs("browser")


def loss(x, w, b, target):
    prediction = x * w + b
    error = prediction - target
    return error**2


def neuron(x1, x2, w1, w2, b):
    n = x1 * w1 + x2 * w2 + b
    return n.tanh()


def long_names():
    x = gl.Value(-1234567.0, label="a very long name of a leaf that goes on and on")
    y = x * x
    y.label = "a square with <angle> and {curly} brackets"
    return y + gl.Value(1e-9, label="ε") * 3


CASES = {
    "first": (loss, {"x": 2.0, "w": -3.0, "b": 1.0, "target": 4.0}),
    "neuron": (neuron, {"x1": 2.0, "x2": 0.0, "w1": -3.0, "w2": 1.0, "b": 6.8813735870195432}),
    "double": (lambda x: x * x, {"x": -1.5e-5}),
    "long": (long_names, {}),
}
MARKS = {
    "system light": ({}, False),
    "system dark": ({"dark": True}, True),
    "JupyterLab dark": ({"body": 'data-jp-theme-light="false"'}, True),
    "JupyterLab light on a dark system": ({"dark": True, "body": 'data-jp-theme-light="true"'}, False),
    "VS Code dark": ({"body": 'class="vscode-dark"'}, True),
}


def open_case(plain, explore, name, **options):
    f, start = CASES[name]
    return plain(explore(f() if name == "long" else f, **start), **options)


@pytest.mark.parametrize("name", MARKS)
def test_every_text_has_a_contrast_of_four_and_a_half_at_least(plain, explore, name):
    options, dark = MARKS[name]
    page = open_case(plain, explore, "neuron", **options)
    seen = []
    page.page.locator("summary").click()
    for mode, place in (("values", 11), ("paths", 0), ("check", 3), ("predict", 8)):
        page.page.get_by_role("radio", name=mode).click()
        page.explorer.seek(place)
        page.push("command")
        page.page.wait_for_timeout(200)
        seen += page.ask("contrasts")
    assert len(seen) > 300
    assert sorted(one for one in seen if one[0] < 4.5) == []
    ground = page.page.evaluate("getComputedStyle(document.querySelector('.gl-frame')).backgroundColor")
    assert (ground == "rgb(20, 24, 29)") is dark


def test_the_contrast_check_finds_grey_on_grey(plain, explore):
    page = open_case(plain, explore, "first")
    page.page.add_style_tag(
        content=".gl-say { color: #999 !important } .gl-node .gl-label { fill: #aaa !important }"
    )
    found = {one[1] for one in page.ask("contrasts") if one[0] < 4.5}
    assert found == {"gl-say", "gl-label"}


def test_the_overlap_check_finds_texts_that_are_too_long(plain, explore):
    page = open_case(plain, explore, "first")
    page.page.evaluate("document.querySelector('.gl-val').textContent = '−1234567890.12345'")
    assert {one[0] for one in page.ask("overlaps")} >= {"on top of each other"}


def test_jupyterlabs_font_is_used(plain, explore):
    page = open_case(plain, explore, "first", body='style="--jp-ui-font-family: monospace"')
    assert page.page.evaluate(
        "getComputedStyle(document.querySelector('.gl-explorer')).fontFamily"
    ).startswith("monospace")


@pytest.mark.parametrize("width", [1240, 900, 600, 400])
@pytest.mark.parametrize("name", CASES)
def test_nothing_is_cut_off_or_on_top_of_each_other(plain, explore, name, width):
    page = open_case(plain, explore, name, width=width)
    assert page.ask("overlaps") == []
    assert page.ask("outside") == []
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_number_boxes_have_room_for_seven_signs(plain, explore):
    page = plain(explore(lambda x: x * x, x=-0.12345))
    box = page.page.get_by_label("x, number")
    assert box.input_value() == "−0.1235" or box.input_value() == "−0.1234"
    assert box.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_the_whole_first_example_is_in_sight_from_six_hundred_pixels_on(plain, explore):
    page = open_case(plain, explore, "first", width=860)
    assert page.page.evaluate(
        "(() => { const stage = document.querySelector('.gl-stage'); return stage.scrollWidth <= stage.clientWidth })()"
    )


def test_a_step_out_of_sight_is_brought_into_sight(plain, explore):
    page = open_case(plain, explore, "neuron", width=500, reduced_motion="reduce")
    page.explorer.seek(1)
    page.push("command")
    box = page.page.locator('[data-now="forward"] .gl-box').bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 500
    page.explorer.seek(7)
    page.push("command")
    box = page.page.locator('[data-now="backward"] .gl-box').bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 500


def test_ctrl_and_wheel_zoom_the_picture_and_the_plain_wheel_scrolls_the_page(plain, explore):
    page = open_case(plain, explore, "first", height=300)
    width = "document.querySelector('.gl-picture').getBoundingClientRect().width"
    before = page.page.evaluate(width)
    page.page.mouse.move(600, 200)
    page.page.mouse.wheel(0, 120)
    page.page.wait_for_function("scrollY > 50")
    assert page.page.evaluate(width) == before
    page.page.keyboard.down("Control")
    page.page.mouse.wheel(0, -200)
    page.page.keyboard.up("Control")
    page.page.wait_for_function(f"{width} > {before * 1.2}")


def test_the_tools_zoom_too_and_fit_again(plain, explore):
    page = open_case(plain, explore, "first")
    width = "document.querySelector('.gl-picture').getBoundingClientRect().width"
    before = page.page.evaluate(width)
    page.button("zoom in").click()
    assert page.page.evaluate(width) > before * 1.2
    page.button("show the whole picture").click()
    assert page.page.evaluate(width) == pytest.approx(before, rel=0.05)


def test_every_control_has_a_name(plain, explore):
    page = open_case(plain, explore, "first")
    assert page.ask("nameless") == []
    snapshot = page.page.locator(".gl-explorer").aria_snapshot()
    for line in (
        'slider "x, slider"',
        'textbox "x, number"',
        'radiogroup "mode"',
        'toolbar "steps"',
        'slider "steps taken"',
        "status",
        'button "loss, loss power, value 81.00, gradient 1.000, complete"',
    ):
        assert line in snapshot


def test_the_table_says_the_same_as_the_picture(plain, explore):
    page = open_case(plain, explore, "first")
    page.page.locator("summary").click()
    rows = page.page.locator(".gl-table tbody tr")
    cells = [row.locator("th, td").all_inner_texts() for row in rows.all()]
    assert {row[0]: row[4] for row in cells} == page.shown("val")
    assert {row[0]: row[5] for row in cells} == page.shown("grad")
    page.page.get_by_label("x, number").fill("3")
    page.press("Enter")
    assert rows.nth(7).locator("td").nth(3).inner_text() == "144.0"


def test_less_motion_is_respected(plain, explore):
    page = open_case(plain, explore, "first", reduced_motion="reduce")
    assert (
        page.page.evaluate("getComputedStyle(document.querySelector('.gl-box')).transitionDuration") == "0s"
    )


def test_the_still_picture_hides_beside_the_live_one_only(plain, explore):
    page = open_case(plain, explore, "first")
    shown = page.ask("as_outputs")
    assert shown == ["none", "block", "block", "block", "block", "block"]
