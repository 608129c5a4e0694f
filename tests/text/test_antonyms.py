"""A word and its opposite: told where the sentence compared with lacks the one and holds the other,
and nowhere else.
"""

from __future__ import annotations

import pytest

from research_core.text.antonyms import OPPOSITES, find_opposite_word
from research_core.text.support import check_support


@pytest.mark.parametrize(
    ("sentence", "passage", "words"),
    [
        (
            "Sales increased in Europe last year.",
            "Sales decreased in Europe last year.",
            ("increased", "decreased"),
        ),
        ("The drug is safe for children.", "The drug is unsafe for children.", ("safe", "unsafe")),
        (
            "The vaccine was ineffective in older adults.",
            "The vaccine was effective in older adults.",
            ("ineffective", "effective"),
        ),
        (
            "All of the students passed the exam.",
            "Few of the students passed the exam.",
            ("all", "few"),
        ),
        (
            "The council approved the plan in March.",
            "The council rejected the plan in March.",
            ("approved", "rejected"),
        ),
        (
            "Wages are higher in the north of Italy.",
            "Wages are lower in the north of Italy.",
            ("higher", "lower"),
        ),
    ],
)
def test_an_opposite_word_keeps_a_sentence_from_being_supported(
    sentence: str, passage: str, words: tuple[str, str]
) -> None:
    assert check_support(sentence, [passage]) == (
        "partly",
        f"Opposite words: “{words[0]}” in the sentence, “{words[1]}” in the passage.",
    )
    assert check_support(passage, [passage])[0] == "supported"


@pytest.mark.parametrize(
    ("sentence", "place"),
    [
        (
            "Sales increased in Europe.",
            "Sales increased in Europe and decreased in Asia.",
        ),  # both are there
        ("Sales increased and then decreased.", "Sales decreased."),  # the sentence says both
        ("Sales grew in Europe.", "Sales in Europe were good."),
        ("The art is able to move.", ""),
        ("He is in form.", "He is in uniform."),
    ],
)
def test_no_opposite_is_seen_where_the_word_itself_is_there_or_nothing_is_turned(
    sentence: str, place: str
) -> None:
    assert find_opposite_word(sentence, place) == ""


def test_a_not_on_either_side_leaves_the_opposite_to_the_check_of_denials() -> None:
    state, note = check_support(
        "Sales did not increase in Europe last year.", ["Sales decreased in Europe last year."]
    )
    assert (state, note) == ("partly", "Either the sentence or the page says “not”, but not both.")


def test_every_word_has_its_opposites_both_ways() -> None:
    assert all(word in OPPOSITES[other] for word, others in OPPOSITES.items() for other in others)
    assert all(word not in others for word, others in OPPOSITES.items())
