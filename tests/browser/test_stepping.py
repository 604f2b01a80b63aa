"""Steps forward and backward, by mouse, keyboard and from Python; gradients that are partial on the way."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.needs("browser")


def test_stepping_by_mouse_goes_forward_then_backward_and_back(first):
    first.button("back to the start").click()
    assert set(first.shown("grad").values()) == {"–"}
    assert [name for name, text in first.shown("val").items() if text == "–"] == [
        "x·w",
        "prediction",
        "error",
        "loss",
    ]
    assert first.page.locator(".gl-progress").inner_text() == "at the start"
    step = first.button("one step")
    step.click()
    assert first.shown("val")["x·w"] == "−6.000"
    assert first.said() == "forward step 1 of 4: x·w is computed from x and w. (x·w) = −6.000."
    for _ in range(5):
        step.click()
    assert first.said().startswith("backward step 2 of 5: loss hands its gradient to error;")
    assert first.said().endswith("error.grad = −18.00.")
    assert first.shown("grad")["error"] == "−18.00"
    assert first.shown("mark")["prediction"] == "○"
    first.button("one step back").click()
    assert first.shown("grad")["error"] == "–"
    assert first.page.locator(".gl-progress").inner_text() == "backward 1 of 5"


def test_stepping_by_keyboard_works_from_anywhere_inside(first):
    first.page.get_by_label("x, slider").focus()
    first.press("[", "[")
    assert first.page.locator(".gl-progress").inner_text() == "backward 3 of 5"
    first.press("]")
    assert first.page.locator(".gl-progress").inner_text() == "backward 4 of 5"


def test_a_slider_moved_half_way_recomputes_what_is_computed_so_far(first):
    first.explorer.seek("forward")
    first.push("command")
    first.page.get_by_label("x, number").fill("3")
    first.press("Enter")
    assert first.shown("val")["loss"] == "144.0"
    assert set(first.shown("grad").values()) == {"–"}


def test_the_step_hands_its_gradient_along_edges_that_carry_the_number(first):
    first.explorer.seek(8)
    first.push("command")
    pills = first.page.locator(".gl-pill[data-shown] text")
    assert pills.all_text_contents() == ["−18.00", "−18.00"]
    backward = first.page.locator('.gl-edge[data-state="backward"]')
    assert [edge.get_attribute("aria-label") for edge in backward.all()] == [
        "edge from x·w to prediction",
        "edge from b to prediction",
    ]
    assert first.card("prediction").get_attribute("data-now") == "backward"


def test_run_goes_to_the_end_and_pause_stops_it(first):
    first.page.clock.install()
    first.button("back to the start").click()
    first.button("run").click()
    first.page.clock.run_for(1900)
    first.button("pause").click()
    assert first.page.locator(".gl-progress").inner_text() == "forward 3 of 4"
    first.page.clock.run_for(5000)
    assert first.page.locator(".gl-progress").inner_text() == "forward 3 of 4"
    first.button("run").click()
    first.page.clock.run_for(9000)
    assert first.page.locator(".gl-progress").inner_text() == "backward 5 of 5"
    assert first.button("run").is_visible()


def test_scrubbing_shows_any_step(first, assert_right):
    first.page.get_by_label("steps taken").fill("4")
    assert first.shown("val")["loss"] == "81.00"
    assert set(first.shown("grad").values()) == {"–"}
    first.page.get_by_label("steps taken").fill("9")
    assert_right(first)


def test_python_can_step_and_select_in_every_view(first):
    first.explorer.seek(6).select("error")
    first.push("command")
    assert first.page.locator(".gl-progress").inner_text() == "backward 2 of 5"
    assert first.card("error").get_attribute("aria-pressed") == "true"
    assert first.explorer.at == 6


def test_a_played_sequence_ends_where_python_is(first):
    first.explorer.play({"b": 1.01}, {"b": 1.02}, "forward", interval_ms=30)
    first.push()
    first.page.wait_for_function("document.querySelector('.gl-progress').textContent === 'forward 4 of 4'")
    assert first.shown("val")["b"] == "1.020"
    assert first.explorer.at == 4


def test_gradients_are_partial_until_every_use_was_added(plain, explore):
    page = plain(explore(lambda x: x * x + x, x=3.0))
    first_use = len(page.explorer.geometry["steps"]) - 1
    page.explorer.seek(first_use)
    page.push("command")
    assert page.shown("grad")["x"] == "1.000"
    assert page.shown("mark")["x"] == "◐"
    assert "1 of 3 added" in page.card("x").get_attribute("aria-label")
    page.button("one step").click()
    assert (page.shown("grad")["x"], page.shown("mark")["x"]) == ("7.000", "●")


def test_constants_need_no_gradient(plain, explore):
    page = plain(explore(lambda x: x * 3 + 1, x=3.0))
    assert page.shown("grad")["3"] == "none"
    assert page.shown("mark")["3"] == "–"
