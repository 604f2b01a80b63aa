"""Leaves are edited by slider, number box and arrow keys; the newest edit wins."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.needs("browser")


def drag(page, name, share):
    """Drag the thumb of a slider to a share of its length; the value that it says afterwards."""
    slider = page.page.get_by_label(f"{name}, slider")
    box = slider.bounding_box()
    low, high, now = (
        float(slider.get_attribute("min")),
        float(slider.get_attribute("max")),
        float(slider.input_value()),
    )
    at = box["x"] + 7.5 + (box["width"] - 15) * (now - low) / (high - low)
    middle = box["y"] + box["height"] / 2
    page.page.mouse.move(at, middle)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 7.5 + (box["width"] - 15) * share, middle, steps=8)
    page.page.mouse.up()
    return float(slider.input_value())


def test_the_first_view_shows_every_number(first, assert_right):
    assert_right(first)
    assert first.shown("val") == {
        "x": "2.000",
        "w": "−3.000",
        "b": "1.000",
        "target": "4.000",
        "x·w": "−6.000",
        "prediction": "−5.000",
        "error": "−9.000",
        "loss": "81.00",
    }


def test_dragging_a_slider_changes_all_numbers_in_the_same_picture(first, assert_right):
    first.page.evaluate(
        "window.picture = document.querySelector('.gl-picture'), window.cards = [...document.querySelectorAll('.gl-node')], 0"
    )
    x = drag(first, "x", 0.8)
    assert x > 4
    first.page.wait_for_function(
        "x => Math.abs(Number(document.querySelector('[data-leaf=x] .gl-number').value) - x) < 1e-3", arg=x
    )
    assert_right(first, x=x)
    assert first.page.evaluate(
        "window.picture === document.querySelector('.gl-picture') && window.cards.every(card => card.isConnected)"
    )


def test_a_number_can_be_typed_even_beyond_the_slider(first, assert_right):
    box = first.page.get_by_label("w, number")
    box.fill("−100,5")
    box.press("Enter")
    assert_right(first, w=-100.5)
    assert float(first.page.get_by_label("w, slider").get_attribute("min")) <= -100.5


def test_what_is_no_number_is_told_and_changes_nothing(first, assert_right):
    box = first.page.get_by_label("w, number")
    box.fill("abc")
    box.press("Enter")
    assert (
        first.page.get_by_role("alert").inner_text()
        == "w needs a number such as 2.5 or −3; “abc” is not one. w stays −3.000."
    )
    assert box.get_attribute("aria-invalid") == "true"
    assert_right(first)
    box.fill("2")
    box.press("Enter")
    assert first.page.get_by_role("alert").count() == 0
    assert_right(first, w=2.0)


@pytest.mark.parametrize(
    ("key", "x"), [("ArrowRight", 2.05), ("ArrowDown", 1.95), ("PageUp", 2.5), ("Home", -3.0), ("End", 7.0)]
)
def test_a_slider_moves_by_keys(first, key, x, assert_right):
    first.page.get_by_label("x, slider").focus()
    first.press(key)
    assert_right(first, x=x)


def test_arrow_keys_move_the_number_box(first, assert_right):
    first.page.get_by_label("b, number").focus()
    first.press("ArrowUp", "ArrowUp", "Shift+ArrowUp")
    assert_right(first, b=1.24)


def test_nan_in_a_leaf_reaches_the_loss_and_is_explained(first):
    box = first.page.get_by_label("x, number")
    box.fill("nan")
    box.press("Enter")
    assert first.shown("val")["loss"] == "nan"
    assert "x is nan" in first.page.get_by_role("alert").inner_text()


def test_fifty_rapid_edits_end_on_the_last_value_and_leave_no_backlog(first, assert_right):
    first.ask("rush", 60)
    first.page.wait_for_function("document.querySelector('[data-name=x] .gl-val').textContent === '5.000'")
    first.page.wait_for_timeout(200)
    assert_right(first, x=5.0)
    assert first.page.evaluate("window.sent") == 2  # the first one, and the last
    assert first.page.evaluate("window.drawn") <= 2


def test_a_late_frame_is_dropped(first, assert_right):
    first.page.get_by_label("x, number").fill("3")
    first.press("Enter")
    assert_right(first, x=3.0)
    first.ask("late_frame")
    assert_right(first, x=3.0)


def test_a_kernel_that_keeps_silent_is_told_and_asked_again(first, assert_right):
    first.page.evaluate("window.delivery = () => {}")
    first.page.get_by_label("x, slider").focus()
    first.press("ArrowRight", "ArrowRight")
    first.page.get_by_text("The kernel has not answered yet").wait_for(timeout=5000)
    first.page.evaluate("window.delivery = undefined")
    first.press("ArrowRight")
    first.page.get_by_text("The kernel has not answered yet").wait_for(state="hidden", timeout=8000)
    assert_right(first, x=2.15)


def test_two_views_of_one_model_both_follow(first, assert_right):
    first.ask("second_view")
    first.page.locator("#view").get_by_label("x, number").fill("3")
    first.press("Enter")
    assert_right(first, x=3.0)
    assert first.page.locator("#second [data-name=loss] .gl-val").text_content() == first.shown("val")["loss"]
    first.page.locator("#second").get_by_role("button", name="back to the start", exact=True).click()
    assert first.shown("val")["loss"] == "–"


def test_closing_a_view_leaves_no_listener_behind(first):
    first.page.evaluate("window.close_view()")
    assert first.page.evaluate("window.model.listeners()") == 0
    assert first.page.locator(".gl-explorer").count() == 0
