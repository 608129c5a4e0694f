"""A thing is named by its phrase, whatever its form, and not by its words apart."""

from __future__ import annotations

import pytest

from research_core.text.topic_naming import (
    are_together,
    find_other_number,
    find_scattered_phrase,
    find_unnamed_compound,
)

WIND = "What are the drawbacks of off-shore drilling?"


@pytest.mark.parametrize(
    "text",
    [
        "Off-shore drilling spills oil.",
        "Offshore drilling spills oil.",
        "Off shore drilling spills oil.",
        "Drilling off the shore spills oil.",
        "Off-shore oil drilling spills.",
        "OFF-SHORE DRILLERS SPILL OIL.",
        "Off‑shore drilling: a history",
    ],
)
def test_a_phrase_is_named_in_any_form(text: str) -> None:
    assert are_together(("off", "shore", "drilling"), [text])
    assert find_unnamed_compound(WIND, [text]) == ""


@pytest.mark.parametrize(
    ("question", "text", "phrase"),
    [
        ("What are the risks of deep-water diving?",
         "Sky diving has risks. Drink water. The snow is deep.", "deep-water diving"),
        ("Who invented the two-stroke engine?",
         "Two engines failed. The swimmer used a new stroke.", "two-stroke"),
        ("What is a heat exchanger?", "The currency exchanger closed. Heat is forecast.",
         "heat exchanger"),
        ("What are the risks of deep water diving?",
         "Sky diving has risks. Drink water. The snow is deep.", "deep water diving"),
        ("What is the cause of blood clots?", "Milk clots. Fish have cold blood.", "blood clots"),
        ("What is vitamin 12 for?", "Take a vitamin. It costs 12.", "vitamin 12"),
    ],
)  # fmt: skip
def test_words_apart_do_not_name_a_phrase(question: str, text: str, phrase: str) -> None:
    scattered = find_scattered_phrase(question, [text])
    assert scattered is not None
    assert scattered.written == phrase


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("What is a heat exchanger?", ["Heat exchangers", "It moves heat."]),
        ("How do whales dive?", ["Whales", "They dive deep."]),
        ("What is a heat exchanger?", ["Cars", "Nothing of the kind."]),
        ("Why do old clocks stop?", ["Clocks", "Old ones stop."]),
        ("What is PyTorch 2?", ["PyTorch 2.0 came in 2023. PyTorch has 2 parts."]),
        ("Who wrote about the Spider-Men?", ["The Spider-Man book."]),
        ("What is Beckwith-Wieddeman syndrome?", ["Beckwith-Wiedemann syndrome is rare."]),
        ("What is the cause of blood clots?", ["A clot of blood may form."]),
    ],
)
def test_named_and_absent_things_are_not_scattered(question: str, texts: list[str]) -> None:
    assert find_scattered_phrase(question, texts) is None
    assert find_unnamed_compound(question, texts) == ""


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("What is trisomy 13?", "Trisomy 21 is common.", ("trisomy 13", "trisomy 21")),
        ("Is type 1 diabetes inherited?", "Type 2 diabetes runs in families.",
         ("type 1", "type 2")),
        ("Is type 1 diabetes inherited?", "Type II diabetes runs in families.",
         ("type 1", "type 2")),
        ("Who flew on Apollo 13?", "Apollo 11 landed on the moon.", ("Apollo 13", "Apollo 11")),
        ("What is the GH200?", "The GH100 came before.", ("GH200", "GH100")),
        ("What does article 17 say?", "Article 13 limits uploads.", ("article 17", "article 13")),
        ("What is trisomy 13?", "Patau syndrome (trisomy 13) is rarer than trisomy 21.", ("", "")),
        ("Is type 1 diabetes inherited?", "Type I diabetes is not.", ("", "")),
        ("What is trisomy 13?", "Patau syndrome is rare.", ("", "")),
        ("Is COVID-19 seasonal?", "Covid 19 peaks in winter.", ("", "")),
        ("How many of the 12 lamps burn?", "All 7 lamps burn.", ("", "")),
    ],
)  # fmt: skip
def test_numbers_in_names_bind(question: str, text: str, expected: tuple[str, str]) -> None:
    assert find_other_number(question, [text]) == expected


def test_a_compound_of_which_only_words_are_there_is_not_named() -> None:
    assert find_unnamed_compound(WIND, ["Drilling a hole in a wall"]) == "off-shore drilling"
    assert find_unnamed_compound(WIND, ["Bread"]) == ""
