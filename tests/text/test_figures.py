"""Figures read from sentences, and whether two can be true of one thing."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.figures import parse_figures


@pytest.mark.parametrize(
    ("text", "unit", "low", "high"),
    [
        ("The reef lost 37 percent.", "%", 36.5, 37.5),
        ("The reef lost 37.5 % of it.", "%", 37.45, 37.55),
        ("It fell by 5 per cent.", "%", 4.5, 5.5),
        ("They dive to 2,035 m.", "m", 2034.5, 2035.5),
        ("They dive to 2.1 km.", "m", 2050, 2150),
        ("It cost $3.1 million.", "$", 3.05e6, 3.15e6),
        ("It cost US$3.1bn.", "$", 3.05e9, 3.15e9),
        ("It cost $112.414 million.", "$", 112.4135e6, 112.4145e6),
        ("It cost 23 euros.", "€", 22.5, 23.5),
        ("He asks $45 an hour.", "$/hour", 42.75 + 1.75, 45.5),
        ("At least 101 people fled.", "peopl", 100.5, inf),
        ("Up to 101 people fled.", "peopl", -inf, 101.5),
        ("About 111 people fled.", "peopl", 110.5 - 11.15, 111.5 + 11.15),
        ("Nearly 111 people fled.", "peopl", 111.5 - 11.15, 111.5),
        ("Between 11 and 15 percent of it.", "%", 10.5, 15.5),
        ("It takes 11 or 15 minutes.", "s", 630, 930),
        ("It takes 11–15 minutes.", "s", 630, 930),
        ("It held at -5 °C.", "°C", -5.5, -4.5),
        ("It is 2,000 m deep.", "m", 1900, 2100),
        ("There are 3 million of them, or 3 million seals.", "seal", 2.5e6, 3.5e6),
    ],
)
def test_a_figure_and_how_far_it_reaches(text: str, unit: str, low: float, high: float) -> None:
    found = parse_figures(text)
    assert [(one.unit, one.low, one.high) for one in found] == [
        (unit, pytest.approx(low), pytest.approx(high))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "It happened in 2019.",
        "On 3 May it fell.",
        "Table 2 shows it.",
        "COVID-19 came.",
        "He scored 3 of 10 goals.",
        "It rose from 10 to 15 percent.",
        "1.234 people came.",
        "See section 9 here.",
        "No. 4 is theirs.",
        "At 10:30 it rang.",
        "Boeing 747 planes fly.",
        "There were 2019 people.",
        "The 12-month-old child walks.",
        "It is for infants aged 7 months.",
        "It is for people 65 years and older.",
        "Give it to those under 5 years of age.",
    ],
)
def test_what_could_be_misread_is_no_figure(text: str) -> None:
    assert parse_figures(text) == ()


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("It is 40 percent.", "It is 15 percent.", True),
        ("It is 2,035 m.", "It is 2,100 m.", False),  # the second may be rounded
        ("It is 2,035 m.", "It is 2,300 m.", True),
        ("It took over 11 days.", "It took over 15 days.", False),
        (
            "It took over 11 days.",
            "It took over 33 days.",
            True,
        ),  # whoever knew of 33 would not have said 11
        ("It took over 11 days.", "It took 33 days.", False),
        ("Less than 11 percent came.", "Less than 45 percent came.", True),
        ("Nearly 93 percent of it.", "It is 41 percent.", True),
        ("Up to 11 people came.", "Up to 12 people came.", False),
        ("It is 2 km.", "It is 2,035 m.", False),
        ("It is 3.1 million people.", "It is 3 million people.", False),
        ("It is 2 percent.", "It is 3 percent.", True),
        ("At least 100 people died.", "In all 120 people died.", False),
        ("At least 150 people died.", "In all 120 people died.", True),
        ("Up to 150 people died.", "In all 120 people died.", False),
        ("It is 10 to 15 percent.", "It is 12-20 percent.", False),
        ("It is 10 to 15 percent.", "It is 17-20 percent.", True),
        ("About 100 people came.", "In all 108 people came.", False),
        ("It costs $40.", "It costs €50.", False),
        ("It costs $40 per hour.", "It costs $400 per day.", False),
        ("It fell by 10 percent.", "It fell to 60 percent.", False),
        ("It is 5 kg.", "It is 5,000 g.", False),
        ("It is 5 kg.", "It is 9,000 g.", True),
    ],
)
def test_figures_differ_where_no_value_fits_both(one: str, other: str, differ: bool) -> None:
    (a,), (b,) = parse_figures(one), parse_figures(other)
    assert (a.differs(b), b.differs(a)) == (differ, differ)


@given(st.text(alphabet="0123456789.,$€% -–tomkfra°CperandUS/\n", max_size=200))
def test_any_text_gives_figures_that_agree_with_themselves(text: str) -> None:
    for one in parse_figures(text):
        assert one.low <= one.high
        assert one.unit
        assert not one.differs(one) or one.low == one.high


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Cut it by 15% below that.", "15%"),
        ("It cost $5 million and more.", "$5 million"),
        ("It cost $40 per hour.", "$40 per hour"),
        ("It is 11 percent.", "11 percent"),
        ("It took 11 to 15 days in all.", "11 to 15 days"),
    ],
)
def test_the_word_behind_a_figure_is_no_part_of_it(text: str, written: str) -> None:
    assert [one.text for one in parse_figures(text)] == [written]
