"""Figures of a sentence in a text: all forms and units, fractions in words, and directions (the
other way is told; the same way, a bound and a mixed text are not).
"""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.text.support import check_support
from research_core.text.support.figures import (
    _FIGURE,
    _match_figures,
    find_missing_figures,
    find_missing_fractions,
    find_reversed_figures,
    remove_fractions,
)


@pytest.mark.parametrize(
    ("sentence", "text", "lost"),
    [
        ("It is 5 km long.", "It is 5 miles long.", ["5 km"]),
        ("It is 5 km long.", "It is 5 kilometres long.", []),
        ("It is 5 km long.", "Length: 5", ["5 km"]),
        ("It is 5 km long.", "Length in kilometres: 5", []),
        ("It is 5 km long.", "Lengths in kilometres\n\n| Boa | 5 |", []),
        ("It is 5 km long.", "It is on page 5.\n\nThe road is 9 km long.", ["5 km"]),
        ("There were 1.5 million.", "There were 1,500,000 of them.", []),
        ("There were 1,500,000.", "There were 1.5 million of them.", []),
        ("There were 1.5 million.", "There were 1.5 thousand of them.", ["1.5"]),
        ("There were 20 ships.", "Twenty ships took part.", []),
        ("It rose by 50 percent.", "It rose by 50%.", []),
        ("It rose by 50 percent.", "It took 50 years.", ["50 percent"]),
        ("It cost $5 billion.", "It cost 5 billion dollars.", []),
        ("It cost $5 billion.", "It cost 5 billion euros.", ["$5 billion"]),
        ("It fell in 2019 [3].", "It fell in 2019.", []),
        ("It fell in 2018.", "It fell in 2019.", ["2018"]),
        ("It earned $2.5bn.", "It earned $2.7bn.", ["2.5"]),
        ("It weighs 50kg.", "It weighs 70kg.", ["50"]),
        ("It is 1,200km long.", "It is 1,700km long.", ["1200"]),
        ("It weighs 50kg.", "It weighs 50 kilograms.", []),
        ("Three laws came into force.", "Laws came into force.", ["Three"]),
        ("Three laws came into force.", "The 3 laws came into force.", []),
        ("Both or two laws of a three-dimensional space.", "Laws of a space.", []),
        ("A dozen ships and seven boats.", "Twelve ships, 7 boats.", []),
        ("There were six ships.", "Sixteen ships and sixty boats.", ["six"]),
        ("Three million were sold.", "3 million were sold.", []),
        ("Three million were sold.", "3 thousand were sold.", ["Three million"]),
        ("It took twenty-five days.", "It took 25 days.", []),
        ("It took 25 days.", "It took twenty-five days.", []),
        ("It took twenty-five days.", "It took twenty-six days.", ["twenty-five days"]),
        ("It took three weeks.", "It took three months.", ["three weeks"]),
        ("It is a six-year-old ship.", "It is a ship.", ["six-year"]),
        (
            "Fıve ships, 3 MİLLİON sold.",
            "Five ships, 3 mıllion sold, ſix bought.",
            [],
        ),  # letters that IGNORECASE takes for i and s
    ],
)
def test_figures_are_compared_by_value_and_unit(sentence: str, text: str, lost: list[str]) -> None:
    assert find_missing_figures(sentence, text) == lost


SIGNS = (
    "$", " ", "€", "5", "1", "2.5", "one", "TEN", "both", "once", " million", "k", " km", "%", "st",
    "_", "-", ",", ".", "ſ", "\u00a0", "1,000",
)  # fmt: skip


@given(st.lists(st.sampled_from(SIGNS), max_size=12).map("".join) | st.text(max_size=40))
def test_figures_are_found_as_their_pattern_finds_them_when_it_is_tried_everywhere(
    text: str,
) -> None:
    assert [match.span() for match in _match_figures(text)] == [
        match.span() for match in _FIGURE.finditer(text)
    ]


# ---------------------------------------------------------------- fractions in words


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


@example("TWO HALF")
@example("two half a third")
@given(
    st.text(max_size=200)
    | st.lists(
        st.sampled_from("a one two half halves thirds - of 2/3 ½ 50 % 0.5".split()), max_size=12
    ).map(" ".join)
)
def test_every_text_holds_its_own_fractions(text: str) -> None:
    assert find_missing_fractions(text, text) == []


# ---------------------------------------------------------------- directions

TEXT = (
    "The plant made 12 percent more cars than the year before, while its costs fell by 3 percent."
    " Taxes take up to 9 percent."
)


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("The plant made 12 percent more cars.", []),
        ("The plant made 12% fewer cars.", ["12%"]),
        ("Output grew 12 percent.", []),
        ("Output dropped 12 percent.", ["12 percent"]),
        ("Costs rose by 3 percent.", ["3 percent"]),
        ("Costs fell by 3 percent.", []),
        ("Taxes fell 9 percent.", []),  # up to is no way
        ("It made less than 12 percent of all.", []),  # a bound
        ("Costs rose by 4 percent.", []),  # another figure
        ("The plant made 12 cars more.", []),  # no unit
        ("Costs rose or fell by 3 percent.", []),
    ],
)
def test_only_a_figure_that_goes_the_other_way_is_told(sentence: str, told: list[str]) -> None:
    assert find_reversed_figures(sentence, TEXT) == told


def test_a_text_that_says_both_ways_turns_nothing() -> None:
    assert (
        find_reversed_figures(
            "Costs rose 3 percent.", "Costs fell 3 percent in May. Costs rose 3 percent in June."
        )
        == []
    )


@given(st.text(max_size=200))
def test_no_text_turns_itself(text: str) -> None:
    assert find_reversed_figures(text, text) == []


@pytest.mark.parametrize(
    ("sentence", "state", "note"),
    [
        ("The plant made 12 percent more cars than the year before.", "supported", ""),
        (
            "The plant made 12 percent fewer cars than the year before.",
            "partly",
            "The passage says the opposite: 12 percent.",
        ),
        (
            "The plant made 12 percentage points more cars than the year before.",
            "partly",
            "Not in the passage: 12 percentage points.",
        ),
        (
            "The plant made $12 more cars than the year before.",
            "partly",
            "Not in the passage: $12.",
        ),
    ],
)
def test_a_figure_that_is_another_thing_is_never_supported(
    sentence: str, state: str, note: str
) -> None:
    assert check_support(sentence, [TEXT]) == (state, note)
