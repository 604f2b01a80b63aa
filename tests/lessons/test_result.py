"""Results show themselves in three ways, always with a word and a symbol."""

from __future__ import annotations

import re

import pytest

from gradlab.lessons.result import RANK, STATUSES, Result, inline


@pytest.mark.parametrize("status", STATUSES)
def test_every_form_says_the_status_in_a_word_and_a_symbol(status):
    result = Result(status, "A message.", title="recall")
    for form in result._repr_mimebundle_().values():
        assert status in form
        assert STATUSES[status].symbol in form
        assert "A message." in form


def test_symbols_differ_so_that_no_status_is_told_by_colour_alone():
    assert len({look.symbol for look in STATUSES.values()}) == len(STATUSES)


def test_statuses_are_ranked_from_nothing_to_correct():
    assert sorted(STATUSES, key=RANK.__getitem__) == [
        "not attempted",
        "error",
        "incorrect",
        "partly",
        "correct",
    ]


def _luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("page", ["#ffffff", "#111111"])
def test_the_edge_can_be_seen_in_light_and_in_dark(status, page):
    light, dark = sorted((_luminance(STATUSES[status].edge), _luminance(page)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 3  # what WCAG asks of parts that are not text


def test_html_sets_no_text_or_page_colour_so_that_every_theme_reads():
    html = Result("incorrect", "A message.", notes=("A note.",), code="x = 1")._repr_html_()
    assert not re.search(r"(?<![-\w])(color|background)\s*:", html)


def test_what_a_learner_wrote_is_literal_in_html():
    html = Result("error", "This is `<b>&` and <script>.", title="<i>", code="a < b")._repr_html_()
    assert "<script>" not in html
    assert "<b>" not in html
    assert "<i>" not in html
    assert "<code>&lt;b&gt;&amp;</code>" in html
    assert "a &lt; b" in html


def test_an_unpaired_backtick_stays_a_backtick():
    assert inline("one ` only") == "one ` only"
    assert inline("`two` of them") == "<code>two</code> of them"


def test_the_plain_form_is_the_repr_and_holds_program_and_notes():
    result = Result(
        "correct", "First.\nSecond.", title="own", code="def f():\n    return 1", notes=("A note.",)
    )
    assert repr(result) == "✓ correct · own\nFirst.\nSecond.\n    def f():\n        return 1\nA note."
    assert "```python\ndef f():\n    return 1\n```" in result._repr_markdown_()
