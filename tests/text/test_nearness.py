"""How near words are in meaning: what says the same in other words is near, forms of a word are
one, and any text gives finite signs.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.nearness import measure_nearness, nearest_word

ASKED = "doctors who treat infections of the lung"
SAME, OTHER = (
    "Physicians heal pneumonia and other pulmonary diseases.",
    "The harbour was rebuilt of granite in one summer.",
)
SIGNS = ("gist", "core", "reached", "topic")


@pytest.mark.parametrize("sign", SIGNS)
def test_a_text_in_other_words_is_nearer_than_one_on_something_else(sign: str) -> None:
    assert (
        measure_nearness(ASKED, [SAME], SAME)[sign]
        > measure_nearness(ASKED, [OTHER], OTHER)[sign] + 0.1
    )


@pytest.mark.parametrize("sign", SIGNS)
def test_the_words_themselves_are_nearest_whether_they_are_known_or_not(sign: str) -> None:
    for asked, text in (
        (ASKED, "A doctor treats an infection of lungs."),
        ("ferries to Qwxzzkrt", "The ferry to Qwxzzkrt."),
    ):
        assert measure_nearness(asked, [text], text)[sign] > 0.55
    assert (
        measure_nearness("ferries to Qwxzzkrt", ["A ferry to Qwxzzkrt."], "A ferry to Qwxzzkrt.")[
            "reached"
        ]
        == 1.0
    )


def test_the_nearest_passage_counts_for_the_gist_and_all_for_the_core() -> None:
    both = measure_nearness(ASKED, [OTHER, SAME], OTHER)
    assert both["gist"] == measure_nearness(ASKED, [SAME], SAME)["gist"]
    assert both["core"] == measure_nearness(ASKED, [SAME], SAME)["core"]
    assert both["topic"] == measure_nearness(ASKED, [OTHER], OTHER)["topic"]


@pytest.mark.parametrize(
    ("asked", "passages"), [("", [SAME]), (ASKED, []), (ASKED, [""]), ("the of", [SAME])]
)
def test_where_there_is_no_word_nothing_is_near(asked: str, passages: list[str]) -> None:
    assert measure_nearness(asked, passages, passages[0] if passages else "") == dict.fromkeys(
        ("gist", "core", "reached", "topic"), 0.0
    )


def test_an_opening_without_a_word_takes_nothing_from_the_rest() -> None:
    assert measure_nearness(ASKED, [SAME], "- - -") == {
        **measure_nearness(ASKED, [SAME], SAME),
        "reached": 0.0,
        "topic": 0.0,
    }


@pytest.mark.parametrize(
    ("word", "text", "other"),
    [
        ("film", "A movie about boats.", "movie"),
        ("Physician", "Many doctors came.", "doctors"),
        ("doctor", OTHER, ""),
        ("doctor", "", ""),
        ("increase", "Prices decrease.", ""),
    ],
)
def test_the_word_that_stands_for_another_is_named(word: str, text: str, other: str) -> None:
    assert nearest_word(word, text) == other


@given(st.text(max_size=100), st.lists(st.text(max_size=100), max_size=3))
def test_any_text_is_somewhere_between_the_opposite_and_the_same(
    asked: str, passages: list[str]
) -> None:
    found = measure_nearness(asked, passages, passages[0] if passages else "")
    assert tuple(found) == SIGNS
    assert all(-1.01 <= each <= 1.01 for each in found.values())
