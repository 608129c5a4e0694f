"""Which word a slip of spelling stands for."""

from __future__ import annotations

import pytest

from research_core.text.slips import correct_word, is_slip


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("symtoms", "symptoms"),
        ("diabete", "diabetes"),
        ("goverment", "government"),
        ("cholestrol", "cholesterol"),
        ("langauge", "language"),
        ("pneumona", "pneumonia"),
    ],
)
def test_an_unknown_word_one_edit_from_the_only_known_one_is_corrected(
    typed: str, meant: str
) -> None:
    assert correct_word(typed) == meant


@pytest.mark.parametrize(
    "word",
    [
        "crispr",
        "kubernetes",
        "neighbours",
        "flamenca",
        "vitamine",
        "therapie",
        "kombucha",
        "CRISPR",
        "Goverment",
        "ebik",
        "h2o",
        "",
    ],
)
def test_names_foreign_and_short_words_are_not_corrected(word: str) -> None:
    assert correct_word(word) == word


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("diabetis", True),
        ("pnemonia", True),
        ("guitarr", True),
        ("libary", True),
        ("vaccnie", True),
        ("diabetes", False),
        ("zubrinol", False),
        ("qqqqqqqq", False),
        ("x" * 5_000, False),
        ("深海採掘" * 200, False),
        ("-" * 2_000, False),
        ("", False),
    ],
)
def test_a_slip_is_one_letter_away_from_a_known_word(word: str, expected: bool) -> None:
    assert is_slip(word) is expected
