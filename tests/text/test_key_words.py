"""Which words of a question a sentence must hold to answer it."""

from __future__ import annotations

import pytest

from research_core.text.key_words import find_key_words
from research_core.text.question_focus import focus_question


def find_words(question: str, *titles: str) -> tuple[str, ...]:
    return find_key_words(question, focus_question(question, titles), titles)


@pytest.mark.parametrize(
    ("question", "title", "words"),
    [
        ("Does second-hand smoke cause rust?", "Rust", ("smoke",)),
        ("Can I use vinegar on marble?", "Marble care", ("vinegar",)),
        ("Why can you not mix bleach with ammonia?", "Bleach", ("ammonia",)),
        ("Do heat pumps work with radiators?", "Heat pump", ("radiators",)),
        ("Can dogs eat grapes?", "Dogs", ("grapes",)),
        ("Is it safe to take ibuprofen with whisky?", "Ibuprofen (Side effects)", ("whisky",)),
        ("Is a tablet safe in a sauna?", "Sauna", ("tablet",)),
        ("Does an injury affect a pension?", "Pension", ("injury",)),
        ("Can a nurse use vinegar on marble?", "Marble", ("vinegar",)),
        ("Does my dentist use mercury in fillings?", "Fillings", ("mercury",)),
    ],
)
def test_what_a_question_relates_to_its_thing_is_a_key_word(
    question: str, title: str, words: tuple[str, ...]
) -> None:
    assert find_words(question, title, title) == words


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What causes rust?", "Rust"),
        ("What is the treatment for gout in old people?", "Gout"),
        ("Is scurvy inherited?", "Scurvy"),
        ("Can a patient with gout work?", "Gout"),
        ("Can tenants paint a wall?", "Wall paint"),
        ("Can marble be stained easily?", "Marble"),
        ("How much does a heat pump cost?", "Heat pump"),
        ("Verursacht Rauch Rost?", "Rost"),
        ("¿Puede el vinagre dañar el mármol?", "Mármol"),
        ("La fumée abîme-t-elle le marbre ?", "Marbre"),
        ("醋会损坏大理石吗？", "大理石"),
    ],
)
def test_facets_persons_actions_and_other_languages_have_none(question: str, title: str) -> None:
    assert find_words(question, title) == ()


def test_a_word_that_most_titles_have_names_the_thing() -> None:
    question = "Does smoke cause rust?"
    assert find_words(question, "Rust", "Smoke damage") == ("smoke",)
    assert find_words(question, "Rust", "Smoke and rust", "Smoke damage") == ()
