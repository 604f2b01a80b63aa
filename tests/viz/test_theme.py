"""The table of colours keeps its promises: readable in light and dark, and told apart without seeing red or green."""

import colorsys
import re

import pytest

from gradlab.viz import theme

SURFACES = ("bg", "panel", *(f"{key}-bg" for key in theme.KINDS))
TEXTS = ("ink", "soft", "done", "now")


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_computed_as_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(
        4.48, abs=0.005
    )  # the well-known grey that just fails


@pytest.mark.parametrize("which", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("text", TEXTS)
def test_text_on_every_surface_has_contrast_of_at_least_4_5(which: int, surface: str, text: str) -> None:
    assert contrast(theme.COLOURS[text][which], theme.COLOURS[surface][which]) >= 4.5


@pytest.mark.parametrize("which", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("key", theme.KINDS)
def test_borders_stand_out_from_the_card_and_from_the_page(which: int, key: str) -> None:
    line = theme.COLOURS[key][which]
    assert contrast(line, theme.COLOURS[f"{key}-bg"][which]) >= 3
    assert contrast(line, theme.COLOURS["bg"][which]) >= 3


@pytest.mark.parametrize("which", [0, 1], ids=["light", "dark"])
def test_input_and_parameter_are_blue_and_orange(which: int) -> None:
    def hue(key: str) -> float:
        colour = theme.COLOURS[key][which]
        return colorsys.rgb_to_hsv(*(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)))[0] * 360

    assert 190 <= hue("input") <= 250
    assert 15 <= hue("parameter") <= 45


def test_every_kind_differs_from_every_other_without_colour() -> None:
    looks = {(kind.shape, kind.radius, kind.line_px) for kind in theme.KINDS.values()}
    assert len(looks) == len(theme.KINDS)


def test_kinds_and_states_are_those_of_the_view_data() -> None:
    assert list(theme.KINDS) == ["input", "parameter", "constant", "operation", "output", "loss"]
    assert {key: state.mark for key, state in theme.GRAD_STATES.items()} == {
        "not computed": "○",
        "partial": "◐",
        "complete": "●",
        "none needed": "–",
    }
    assert theme.state_text("partial", 1, 2) == "1 of 2 added"


@pytest.mark.parametrize(
    ("mark", "dark"),
    [
        ("(prefers-color-scheme:dark)", True),
        ('[data-jp-theme-light="false"]', True),
        ('[data-jp-theme-light="true"]', False),
        ("vscode-dark", True),
        ("vscode-high-contrast", True),
        ("vscode-light", False),
        ("html[theme=dark]", True),
        ("html[theme=light]", False),
    ],
)
def test_every_mark_that_a_page_may_set_chooses_its_theme(mark: str, dark: bool) -> None:
    css = theme.css_variables("#root")
    rules = re.findall(r"([^{}]+)\{(?:#root\{)?([^{}]+)\}", css.replace("@media ", ""))
    bodies = [body for selector, body in rules if mark in selector]
    assert bodies
    wanted = theme.COLOURS["bg"][dark]
    assert all(f"--gl-bg:{wanted}" in body for body in bodies)


def test_every_colour_has_a_variable_and_the_root_stands_in_every_rule() -> None:
    css = theme.css_variables(".somewhere")
    assert all(f"--gl-{name}:" in css for name in theme.COLOURS)
    assert all(".somewhere" in line for line in css.splitlines())
