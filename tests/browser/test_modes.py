"""Paths, check and predict: what the mode switch of the picture offers."""

from __future__ import annotations

import pytest

import gradlab as gl

pytestmark = pytest.mark.needs("browser")


def two_ways(x, w):
    straight = x * w
    square = x * x
    return straight + square


@pytest.fixture
def page(plain, explore):
    return plain(explore(two_ways, x=3.0, w=2.0))


def choose(page, mode):
    page.page.get_by_role("radio", name=mode).click()
    return page.page.get_by_role("region", name=mode)


def test_paths_show_each_product_and_their_sum(page):
    page.card("x").click()
    panel = choose(page, "paths")
    panel.get_by_text("3 paths lead from x to two_ways.").wait_for()
    rows = panel.get_by_role("button").all_inner_texts()
    assert [row.split("\n") for row in rows] == [
        ["x → straight → two_ways", "2 × 1 = 2.000"],
        ["x → square → two_ways", "3 × 1 = 3.000"],
        ["x → square → two_ways", "3 × 1 = 3.000"],
    ]
    panel.get_by_text("∂two_ways/∂x = 2.000 + 3.000 + 3.000 = 8.000").wait_for()


def test_pointing_at_a_path_lights_it_up_with_its_factors(page):
    page.card("x").click()
    panel = choose(page, "paths")
    panel.get_by_role("button").nth(0).hover()
    lit = page.page.locator(".gl-edge[data-picked]")
    assert [edge.get_attribute("aria-label") for edge in lit.all()] == [
        "edge from x to straight",
        "edge from straight to two_ways",
    ]
    assert page.page.locator(".gl-pill[data-shown] text").all_text_contents() == ["2.000", "1.000"]
    assert page.card("square").get_attribute("data-dim") == ""
    page.page.mouse.move(5, 5)
    assert lit.count() == 0


def test_paths_follow_the_sliders(page):
    page.card("x").click()
    panel = choose(page, "paths")
    page.page.get_by_label("x, number").fill("1")
    page.press("Enter")
    panel.get_by_text("∂two_ways/∂x = 2.000 + 1.000 + 1.000 = 4.000").wait_for()


def test_check_puts_differences_beside_the_chain_rule(page):
    panel = choose(page, "check")
    page.card("square").click()
    panel.get_by_text("Nudge square by 0.0001").wait_for()
    assert panel.get_by_role("cell").all_inner_texts()[2:] == ["1.00000000", "1.00000000"]
    panel.get_by_text("● They agree.").wait_for()


def test_check_admits_where_both_differ(plain, explore):
    page = plain(explore(lambda x: gl.relu(x), x=0.0))
    choose(page, "check").get_by_text("They differ. At a kink").wait_for()


def test_predict_hides_every_number_until_it_was_predicted(page):
    panel = choose(page, "predict")
    shown = page.shown("val")
    assert (shown["x"], shown["straight"], shown["two_ways"]) == ("3.000", "?", "?")
    assert set(page.shown("grad").values()) == {"?"}
    panel.get_by_text("What is the value of straight?").wait_for()
    box = panel.get_by_role("textbox")
    box.fill("-6")
    box.press("Enter")
    panel.get_by_text("✗ The size is right, the sign is not.").wait_for()
    assert page.shown("val")["straight"] == "?"
    box.fill("7")
    box.press("Enter")
    panel.get_by_text("✗ Not yet. Put the numbers of the inputs into the formula.").wait_for()
    box.fill("abc")
    box.press("Enter")
    panel.get_by_text("✗ A prediction is a number such as 2.5 or −3.").wait_for()
    box.fill("6")
    box.press("Enter")
    panel.get_by_text("✓ The value of straight is 6.000, as predicted.").wait_for()
    assert page.shown("val")["straight"] == "6.000"
    panel.get_by_text("What is the value of square?").wait_for()


def test_no_text_gives_away_what_is_hidden(page):
    choose(page, "predict")
    page.card("square").click()
    page.page.locator("summary").click()
    texts = page.ask("everyText")
    for number in ("9.000", "15.00", "6.000", "8.000"):
        assert number not in texts


def test_a_selected_node_is_asked_for_first_and_can_be_shown(page):
    panel = choose(page, "predict")
    page.card("w").click()
    panel.get_by_text("What is the gradient of w?").wait_for()
    panel.get_by_role("button", name="show it").click()
    panel.get_by_text("The gradient of w is 3.000.").wait_for()
    assert page.shown("grad")["w"] == "3.000"
    panel.get_by_text("Every number of this node has been seen.").wait_for()


def test_new_numbers_are_new_questions(page):
    panel = choose(page, "predict")
    panel.get_by_role("button", name="show it").click()
    assert page.shown("val")["straight"] == "6.000"
    page.page.get_by_label("x, number").fill("4")
    page.press("Enter")
    assert page.shown("val")["straight"] == "?"


def test_leaving_predict_shows_everything_again(page):
    choose(page, "predict")
    page.page.get_by_role("radio", name="values").click()
    assert page.shown("val")["two_ways"] == "15.00"


def test_modes_are_one_stop_for_tab_and_move_by_arrows(page):
    page.page.get_by_role("radio", name="values").focus()
    page.press("ArrowRight")
    assert page.page.evaluate("document.activeElement.textContent") == "paths"
    assert page.page.locator('[role=radio][tabindex="0"]').count() == 1


def test_search_finds_nodes_in_a_large_graph_only(plain, explore, page):
    assert not page.page.get_by_label("find a node").is_visible()

    def sum_of_squares(**leaves):
        total = 0.0
        for x in leaves.values():
            total = total + x * x
        return total

    large = plain(explore(sum_of_squares, **{f"x{i}": float(i) for i in range(8)}))
    large.page.get_by_label("find a node").fill("x3")
    found = large.page.locator(".gl-node:not([data-dim])")
    assert large.page.locator(".gl-found").inner_text() == f"{found.count()} found"
    large.press("Enter")
    assert "x3" in large.page.evaluate("document.activeElement.dataset.name")
