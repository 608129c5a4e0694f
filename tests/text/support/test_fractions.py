"""Fractions in words: which forms of a text say the same, which do not, and what is no fraction."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.support import check_support
from research_core.text.support.fractions import find_missing_fractions, remove_fractions


@pytest.mark.parametrize(
    ("sentence", "text", "lost"),
    [
        ("Half of all sales were made online.", "Many sales were made online.", ["Half"]),
        ("Half of all sales were made online.", "50% of all sales were made online.", []),
        ("Half of all sales were made online.", "Sales online halved.", []),
        ("Half of all sales were made online.", "49.6 percent of sales were made online.", []),
        ("Half of all sales were made online.", "44 percent of sales were made online.", ["Half"]),
        ("Two thirds of the reefs died.", "One third of the reefs died.", ["Two thirds"]),
        ("Two thirds of the reefs died.", "Two-thirds of them are dead.", []),
        ("Two thirds of the reefs died.", "⅔ of them are dead.", []),
        ("Two thirds of the reefs died.", "2/3 of them are dead.", []),
        ("Two thirds of the reefs died.", "About 67 per cent are dead.", []),
        ("Two thirds of the reefs died.", "Between 66 and 70 % are dead.", []),
        ("Two thirds of the reefs died.", "The share is 0.667.", []),
        ("Two thirds of the reefs died.", "The share is 10.667.", ["Two thirds"]),
        ("A quarter of them left.", "Three quarters of them left.", ["A quarter"]),
        ("One-fourth of them left.", "A quarter of them left.", []),
        ("Roughly one third of all adults smoke.", "Of all adults, roughly one third smoke.", []),
        ("Two-thirds voted for it.", "It had a two-third majority.", []),
        ("Two thirds voted for it.", "2⁄3 voted for it.", []),
        ("Two and a half years passed.", "2.5 years passed.", []),
        ("It shrank for two quarters.", "It shrank for 2 quarters.", []),
        ("Half left.", "9" * 5000 + "% left.", ["Half"]),
        ("It failed a third time.", "It failed.", []),
        ("It has a half-life of a day.", "It decays.", []),
        ("Two thırds left, ſixth too.", "All left.", []),  # letters that only look like others
        ("Half of x² left.", "① and ½ of x left.", []),
    ],
)
def test_a_fraction_is_met_by_what_says_the_same(sentence: str, text: str, lost: list[str]) -> None:
    assert find_missing_fractions(sentence, text) == lost


def test_the_parts_of_a_fraction_are_no_numbers() -> None:
    assert remove_fractions("Three quarters of 12 ships.").split() == ["of", "12", "ships."]
    assert (
        check_support("Three quarters of the ships sank.", ["Of the ships 75% sank."])[1]
        != "Not in the passage: Three."
    )


@given(
    st.text(max_size=200)
    | st.lists(
        st.sampled_from("a one two half halves thirds - of 2/3 ½ 50 % 0.5".split()), max_size=12
    ).map(" ".join)
)
def test_every_text_holds_its_own_fractions(text: str) -> None:
    assert find_missing_fractions(text, text) == []
