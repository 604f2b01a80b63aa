"""The explorer on a plain page, with its real Python side: what a learner does, by mouse and by keyboard."""

from __future__ import annotations

import pytest

import gradlab as gl

pytestmark = pytest.mark.needs("browser")

START = {"x": 2.0, "w": -3.0, "b": 1.0, "target": 4.0}


def loss(x, w, b, target):
    prediction = x * w + b
    error = prediction - target
    return error**2


def by_hand(x, w, b, target):
    """Value and gradients of the loss, by the chain rule on paper."""
    error = x * w + b - target
    return error**2, {"x": 2 * error * w, "w": 2 * error * x, "b": 2 * error, "target": -2 * error}


def number(text):
    return float(text.replace("−", "-"))


def assert_right(page, **values):
    """Every number on the cards of the first example is what paper gives, to the four digits that are shown."""
    value, grads = by_hand(**{**START, **values})
    assert number(page.shown("val")["loss"]) == pytest.approx(value, rel=6e-4)
    shown = page.shown("grad")
    for name, grad in grads.items():
        assert number(shown[name]) == pytest.approx(grad, rel=6e-4, abs=1e-9)


@pytest.fixture
def first(plain, explore):
    return plain(explore(loss, **START))


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


# --- editing ---


def test_the_first_view_shows_every_number(first):
    assert_right(first)
    assert first.shown("val") == {
        **{"x": "2.000", "w": "−3.000", "b": "1.000", "target": "4.000"},
        **{"x·w": "−6.000", "prediction": "−5.000", "error": "−9.000", "loss": "81.00"},
    }


def test_dragging_a_slider_changes_all_numbers_in_the_same_picture(first):
    first.page.evaluate(
        "window.picture = document.querySelector('.gl-picture'); window.cards = [...document.querySelectorAll('.gl-node')]"
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


def test_a_number_can_be_typed_even_beyond_the_slider(first):
    box = first.page.get_by_label("w, number")
    box.fill("−100,5")
    box.press("Enter")
    assert_right(first, w=-100.5)
    assert float(first.page.get_by_label("w, slider").get_attribute("min")) <= -100.5


def test_what_is_no_number_is_told_and_changes_nothing(first):
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
def test_a_slider_moves_by_keys(first, key, x):
    first.page.get_by_label("x, slider").focus()
    first.press(key)
    assert_right(first, x=x)


def test_arrow_keys_move_the_number_box(first):
    first.page.get_by_label("b, number").focus()
    first.press("ArrowUp", "ArrowUp", "Shift+ArrowUp")
    assert_right(first, b=1.24)


def test_nan_in_a_leaf_reaches_the_loss_and_is_explained(first):
    box = first.page.get_by_label("x, number")
    box.fill("nan")
    box.press("Enter")
    assert first.shown("val")["loss"] == "nan"
    assert "x is nan" in first.page.get_by_role("alert").inner_text()


def test_fifty_rapid_edits_end_on_the_last_value_and_leave_no_backlog(first):
    first.page.evaluate("""() => {
        window.sent = 0; window.drawn = 0;
        window.delivery = (update, send) => { if (update.leaf_edits) window.sent += 1; setTimeout(() => send(update), 60); };
        new MutationObserver(() => window.drawn += 1).observe(document.querySelector('[data-name=loss] .gl-val'), { childList: true, characterData: true, subtree: true });
        const slider = document.querySelector('[data-leaf=x] .gl-range');
        for (let i = 1; i <= 50; i++) { slider.value = String(i / 10); slider.dispatchEvent(new Event('input', { bubbles: true })); }
    }""")
    first.page.wait_for_function("document.querySelector('[data-name=x] .gl-val').textContent === '5.000'")
    first.page.wait_for_timeout(200)
    assert_right(first, x=5.0)
    assert first.page.evaluate("window.sent") == 2  # the first one, and the last
    assert first.page.evaluate("window.drawn") <= 2


def test_a_late_frame_is_dropped(first):
    first.page.get_by_label("x, number").fill("3")
    first.press("Enter")
    assert_right(first, x=3.0)
    first.page.evaluate(
        """() => { const old = structuredClone(window.model.get('frame')); old.seq -= 1; old.values = old.values.map(() => 'late'); window.model.receive({ frame: old }); }"""
    )
    assert_right(first, x=3.0)


def test_a_kernel_that_keeps_silent_is_told_and_asked_again(first):
    first.page.evaluate("window.delivery = () => {}")
    first.page.get_by_label("x, slider").focus()
    first.press("ArrowRight", "ArrowRight")
    first.page.get_by_text("The kernel has not answered yet").wait_for(timeout=5000)
    first.page.evaluate("window.delivery = undefined")
    first.press("ArrowRight")
    first.page.get_by_text("The kernel has not answered yet").wait_for(state="hidden", timeout=8000)
    assert_right(first, x=2.15)


def test_two_views_of_one_model_both_follow(first):
    first.page.evaluate(
        """() => { const el = document.body.appendChild(document.createElement('div')); el.id = 'second'; window.explorer.render({ model: window.model, el }); }"""
    )
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


# --- stepping ---


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


def test_scrubbing_shows_any_step(first):
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


# --- selecting ---


def test_a_selected_node_shows_symbols_then_numbers_then_the_result(first):
    first.card("prediction").click()
    formula = first.page.get_by_role("group", name="formula").inner_text().split("\n")
    assert " ".join(formula) == (
        "value prediction = x·w + b = −6.000 + 1.000 = −5.000 "
        "gradient ∂loss/∂prediction = ∂loss/∂error · ∂error/∂prediction = −18.00 × 1 = −18.00 ×"
    )
    first.button("clear the selection").click()
    assert first.card("prediction").get_attribute("aria-pressed") == "false"


def test_a_selected_edge_shows_local_derivative_times_upstream(first):
    first.page.locator('[aria-label="edge from w to x·w"] .gl-hit').dispatch_event("click")
    text = " ".join(first.page.get_by_role("group", name="formula").inner_text().split("\n"))
    assert "∂x·w/∂w = x = 2.000" in text or "∂(x·w)/∂w = x = 2.000" in text
    assert "= 2.000 × (−18.00) = −36.00" in text


def test_parallel_edges_are_two_and_each_can_be_selected(plain, explore):
    page = plain(explore(lambda x: x * x, x=3.0))
    assert page.page.locator(".gl-edge").count() == 2
    page.card("x").click()
    uses = page.page.get_by_role("group", name="uses of the selected node").get_by_role("button")
    assert uses.all_inner_texts() == ["● from x·x: 3.000", "● from x·x: 3.000"]
    uses.nth(1).click()
    assert page.page.locator('.gl-edge[aria-pressed="true"]').count() == 1


# --- the keyboard in the picture ---


def focused(page):
    return page.page.evaluate(
        "document.activeElement.dataset?.name ?? document.activeElement.getAttribute('aria-label')"
    )


def test_tab_enters_the_picture_once_and_leaves_it_again(first):
    first.page.get_by_label("b, number").focus()
    first.press("Tab")
    assert focused(first) == "x"
    first.press("Tab")
    assert focused(first) == "draw from top to bottom"
    assert first.page.locator('.gl-picture [tabindex="0"]').count() == 1


def test_arrows_follow_edges_and_enter_selects(first):
    first.card("x").focus()
    seen = []
    for key in (
        "ArrowRight",
        "ArrowRight",
        "ArrowRight",
        "ArrowRight",
        "ArrowLeft",
        "ArrowLeft",
        "ArrowLeft",
        "ArrowLeft",
        "ArrowDown",
        "End",
        "Home",
    ):
        first.press(key)
        seen.append(focused(first))
    assert seen == ["x·w", "prediction", "error", "loss", "error", "prediction", "x·w", "x", "w", "loss", "x"]
    first.press("Enter")
    assert first.card("x").get_attribute("aria-pressed") == "true"


def test_up_and_down_move_between_inputs_of_the_same_node(first):
    first.card("prediction").focus()
    first.press("ArrowLeft", "ArrowDown")
    assert focused(first) == "b"
    first.press("ArrowUp")
    assert focused(first) == "x·w"


def test_arrows_turn_with_the_picture(first):
    first.button("draw from top to bottom").click()
    first.button("draw from left to right").wait_for()
    first.card("x").focus()
    first.press("ArrowDown")
    assert focused(first) == "x·w"


def test_escape_leaves_to_what_is_around(first):
    first.page.evaluate("document.getElementById('view').tabIndex = -1")
    first.card("x").focus()
    first.press("Escape")
    assert first.page.evaluate("document.activeElement.id") == "view"


def test_a_notebooks_shortcuts_are_kept_away_at_the_root_and_at_all_that_can_have_focus(first):
    assert first.page.locator(".gl-explorer").get_attribute("data-lm-suppress-shortcuts") == "true"
    first.page.get_by_role("radio", name="predict").click()
    focusable = ".gl-explorer :is(button, input, summary, [tabindex]):not([data-lm-suppress-shortcuts])"
    assert first.page.locator(focusable).count() == 0


# --- changes of topology, problems ---


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
