"""Labels show literally: nothing disappears, nothing is read as anything but text, nothing is cut in the middle of a sign."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradlab.viz.labels import cut, literal, shorten, width_px


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines", "two↵lines"),
        ("a\tb", "a⇥b"),
        ("nul\0", "nul\\x00"),
        ("\x1b\x7f\x85", "\\x1b\\x7f\\x85"),
        ("a\u202eb", "a\\u202eb"),
        ("\ud800", "\\ud800"),
        ("\ufffe", "\\ufffe"),
        ("שלום", "שלום"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
        ('<&">', '<&">'),
    ],
)
def test_what_cannot_be_shown_becomes_a_visible_sign(text: str, shown: str) -> None:
    assert literal(text) == shown


@given(st.text())
def test_literal_text_is_valid_xml_and_stays_as_it_is(text: str) -> None:
    shown = literal(text)
    assert literal(shown) == shown
    assert all(
        c in "\t\n\r" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c >= "\U00010000" for c in shown
    )
    assert "\n" not in shown


def test_literal_takes_what_is_not_text() -> None:
    assert literal(3) == "3"


@given(st.text(max_size=60), st.floats(40, 300))
def test_cut_text_fits_and_is_the_start_of_the_text(text: str, room: float) -> None:
    shown = cut(text, room)
    assert width_px(shown) <= room + 1e-9
    if shown != text:
        assert shown.endswith("…")
        assert text.startswith(shown[:-1])


def test_text_that_fits_is_left_alone() -> None:
    assert cut("prediction", 200) == "prediction"


@pytest.mark.parametrize("text", ["👩‍👩‍👧" * 5, "e\u0301" * 40])
@pytest.mark.parametrize("room", range(30, 120, 3))
def test_no_sign_is_cut_in_two(text: str, room: int) -> None:
    kept = cut(text, room)[:-1]
    rest = text[len(kept) :]
    assert not kept.endswith("\u200d")
    assert not rest.startswith(("\u200d", "\u0301"))


def test_a_label_of_a_million_characters_costs_no_time() -> None:
    assert len(cut("x" * 1_000_000, 150)) < 40


def test_bold_is_wider_than_regular_and_wide_signs_than_narrow_ones() -> None:
    assert width_px("word") > width_px("word", bold=False)
    assert width_px("木") > width_px("n") > width_px("i")


def test_shorten_counts_characters() -> None:
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdefg", 6) == "abcde…"
