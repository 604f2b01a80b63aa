"""What is selected is explained, and the keyboard reaches everything."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.needs("browser")


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
