"""Which way a figure goes: the other way is told, the same way, a bound and a mixed text are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.support import check_support
from research_core.text.support.directions import find_reversed_figures

TEXT = "The plant made 12 percent more cars than the year before, while its costs fell by 3 percent. Taxes take up to 9 percent."


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
            "Goes the other way in the passage: 12 percent.",
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
