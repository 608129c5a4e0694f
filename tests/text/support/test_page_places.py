"""The nearest sentences of a page, and the short passage that a reader sees of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.support.page_places import (
    MAX_SHOWN,
    find_nearest_sentences,
    find_page_place,
    find_shown_span,
    read_claim,
    read_page_text,
    remove_stop_words,
)

MENU = "Home News Sport Weather Shop Contact Careers Privacy Imprint Newsletter Search Login " * 6
CARRIES = "The dam at Kelder holds 90 million cubic metres."


def show(claim: str, page: str) -> str:
    """Return the passage that is shown for a claim."""
    read = read_page_text(page)
    parsed = read_claim(claim, read.language)
    place = find_page_place(parsed, read)
    assert place is not None
    start, end = find_shown_span(parsed, read, place)
    return page[start:end]


@pytest.mark.parametrize(
    ("claim", "page", "shown"),
    [
        (
            "The Kelder dam holds 90 million cubic metres.",
            f"Weather was fine. {CARRIES} Visitors like the cake. Trains stop nearby.",
            CARRIES,
        ),
        (
            "The dam at Kelder, opened in 1931 by Queen Maud, holds 90 million cubic metres.",
            f"Weather was fine. {CARRIES} Queen Maud opened it in 1931. Trains stop nearby.",
            f"{CARRIES} Queen Maud opened it in 1931.",
        ),
        (
            "Der Damm bei Kelder fasst 90 Millionen Kubikmeter.",
            "Das Wetter war schön. Der Damm bei Kelder fasst 90 Millionen Kubikmeter Wasser. Es gibt Kuchen.",
            "Der Damm bei Kelder fasst 90 Millionen Kubikmeter Wasser.",
        ),
        (
            "该湖面积为52平方公里。",
            "天气很好。该湖面积为47平方公里。火车站在附近。",
            "该湖面积为47平方公里。",
        ),
    ],
)  # fmt: skip
def test_the_sentences_that_carry_a_claim_are_shown(claim: str, page: str, shown: str) -> None:
    assert show(claim, page) == shown


def test_a_menu_run_into_a_sentence_is_cut_around_the_words_of_the_claim() -> None:
    shown = show("The dam at Kelder holds 90 million cubic metres.", f"{MENU} {CARRIES}")
    assert len(shown) <= MAX_SHOWN
    assert "dam at Kelder holds 90 million cubic metres" in shown


def test_each_nearest_sentence_adds_to_those_before() -> None:
    page = (
        "The dam is old. The dam is old and grey. Maud opened the dam. It cost 4 million crowns."
        " Rain fell. Visitors like the dam."
    )
    read = read_page_text(page)
    claim = read_claim("Maud opened the dam, which cost 4 million crowns.", read.language)
    assert find_nearest_sentences(claim, read, 2) == [2, 3]
    assert find_nearest_sentences(claim, read, 0) == []
    assert find_nearest_sentences(read_claim("Frogs sang.", ""), read, 5) == []


@pytest.mark.parametrize(
    ("text", "language", "kept"),
    [
        ("Der Damm ist alt.", "de", ["Damm"]),
        ("Le barrage est ancien.", "fr", ["barrage", "ancien"]),
        ("El dique es muy antiguo.", "es", ["dique", "antiguo"]),
        ("यह बाँध है।", "hi", ["बाँध"]),
    ],
)
def test_stop_words_are_removed(text: str, language: str, kept: list[str]) -> None:
    left = remove_stop_words(text, language)
    assert all(word in left for word in kept)
    assert len(left) < len(text)


@given(st.text(max_size=120), st.text(max_size=900))
def test_what_is_shown_is_short_and_within_the_page(claim: str, page: str) -> None:
    read = read_page_text(page)
    parsed = read_claim(claim, read.language)
    place = find_page_place(parsed, read)
    if place is None:
        return
    start, end = find_shown_span(parsed, read, place)
    assert 0 <= start <= end <= len(page)
    assert end - start <= MAX_SHOWN
