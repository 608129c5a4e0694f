"""What a question is about, numbers that belong to names, and other names a page declares."""

from __future__ import annotations

import pytest

from research_core.text.question_topic import (
    find_missing_names,
    find_synonyms,
    find_topic,
    names_other_number,
    names_topic,
)


@pytest.mark.parametrize(
    ("question", "text", "is_other"),
    [
        ("What is trisomy 18?", "Trisomy 7 mosaicism is rare.", True),
        ("What is trisomy 18?", "Trisomy 13 and 18 are rare.", False),
        ("How is type 2 diabetes treated?", "Type 1 diabetes needs insulin.", True),
        ("How is type 2 diabetes treated?", "Type II diabetes needs a diet.", False),
        ("How is type 2 diabetes treated?", "Diabetes affects 10 people of 100.", False),
        ("How do I update Windows 11?", "Windows 10 updates on Tuesdays.", True),
        ("How do I update Windows 11?", "Windows has been sold for 30 years.", False),
        ("What does Section 230 say?", "Section 512 protects hosts.", True),
        ("What does Section 230 say?", "Section 230 protects hosts.", False),
        ("What is Article 5 of the treaty?", "Article 4 calls for talks.", True),
        ("Is vitamin C good for you?", "Vitamin tablets cost 5 euros.", False),
    ],
)
def test_numbers_belong_to_names(question: str, text: str, is_other: bool) -> None:
    assert names_other_number(find_topic(question), text) is is_other


@pytest.mark.parametrize(
    ("question", "page", "synonym"),
    [
        ("What is trisomy 18?", "Edwards syndrome (trisomy 18) is rare.", "edwards syndrome"),
        ("What is trisomy 18?", "Trisomy 18, also called Edwards syndrome, is", "edwards syndrome"),
        ("What is a water boatman?", "The water boatman (Corixa) swims.", "corixa"),
        ("What is a heat pump?", "A heat pump, also known as a reversible chiller, is", "chiller"),
        ("What is value added tax?", "Value added tax (VAT) is charged on sales.", "vat"),
    ],
)
def test_other_names_that_a_page_declares_are_the_topic(
    question: str, page: str, synonym: str
) -> None:
    synonyms = find_synonyms(find_topic(question), [page])
    assert names_topic(find_topic(question), f"{synonym} is rare", synonyms) or any(
        synonym in name for name in synonyms
    )


def test_a_name_of_another_number_is_no_synonym() -> None:
    topic = find_topic("What is trisomy 18?")
    assert not find_synonyms(topic, ["Patau syndrome (trisomy 13) is rare."])


@pytest.mark.parametrize(
    ("question", "text", "missing"),
    [
        ("What is zolmitriptan?", "Triptans are drugs for migraine.", ("zolmitriptan",)),
        ("What is zolmitriptan?", "Zolmitriptan is a drug for migraine.", ()),
        ("Does FXTAS affect hips?", "Hips are joints of the leg.", ("FXTAS",)),
        ("What is Wieddeman syndrome?", "Wiedemann syndrome is rare.", ()),
        ("Is naltrexone a drug?", "Naloxone is a drug.", ("naltrexone",)),
        ("Is it ALLERGIC?", "Nothing is sold there.", ()),
        ("Are tabkets sold there?", "Nothing is sold there.", ()),
        ("How much does a house cost?", "Cars are dear.", ()),
    ],
)
def test_names_that_no_text_holds_are_found(
    question: str, text: str, missing: tuple[str, ...]
) -> None:
    assert find_missing_names(find_topic(question), [text]) == missing


@pytest.mark.parametrize("words", [0, 9, 40, 400])
def test_other_names_are_found_anywhere_in_a_long_text(words: int) -> None:
    padding = "word " * words
    topic = find_topic("What is trisomy 18?")
    for declared in ("Edwards syndrome (trisomy 18)", "trisomy 18, also called Edwards syndrome"):
        found = find_synonyms(topic, [f"{padding}. {declared}, is rare. {padding}"])
        assert any("edwards syndrome" in name for name in found)
