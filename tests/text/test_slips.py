"""Which word a slip of spelling stands for."""

from __future__ import annotations

import pytest

from research_core.text.slips import correct_word, is_slip, mend_confused_words


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


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("how to loose weight", "how to lose weight"),
        ("Can I loose my deposit?", "Can I lose my deposit?"),
        ("loosing money on shares", "losing money on shares"),
        ("my dog can't breath", "my dog can't breathe"),
        ("how to quite smoking", "how to quit smoking"),
        ("why do my front breaks squeal", "why do my front brakes squeal"),
        ("how dose a router work", "how does a router work"),
        ("is diesel cheaper then petrol?", "is diesel cheaper than petrol?"),
        ("is lasagne more filling then soup", "is lasagne more filling than soup"),
        ("do i need to see a dr. for a sprain", "do i need to see a doctor for a sprain"),
        ("Which dr treats gout?", "Which doctor treats gout?"),
        ("should i believe my dr?", "should i believe my doctor?"),
        ("my dr's advice on gout", "my doctor's advice on gout"),
        ("the dr said my knee is fine", "the doctor said my knee is fine"),
        ("is it time to see a dr or a nurse", "is it time to see a doctor or a nurse"),
        ("what to ask your dr about statins", "what to ask your doctor about statins"),
    ],
)
def test_a_word_written_for_another_is_mended(typed: str, meant: str) -> None:
    assert mend_confused_words(typed) == meant


@pytest.mark.parametrize(
    "text",
    [
        "a loose screw in the hinge",
        "wear loose clothes",
        "to loose ends",
        "what dose of fertiliser",
        "out of breath after a run",
        "it is quite good",
        "the car breaks down",
        "an emergency break in the lease",
        "who was the Dr. Lind of the lemons",
        "the dr Lind trial",
        "Dr. No",
        "how many calories in a dr pepper",
        "are the dr martens boots waterproof",
        "crosswords and dr seuss books",
        "the dr. seuss books in order",
        "is the dr a safe place to travel",
        "the best beaches in the dr",
        "the DR3 receptor",
        "fry the onions, then add stock",
        "",
    ],
)
def test_the_same_word_in_its_own_sense_stays(text: str) -> None:
    assert mend_confused_words(text) == text
