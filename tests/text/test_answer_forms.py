"""A text is said to lack an answer only if it certainly has none, in any language."""

from __future__ import annotations

import re

import pytest

from research_core.text.answer_forms import FIGURE, MONEY, lacks_form

FIGURES = (
    "The cell kept going for 820 charge cycles.",
    "It lasts eight hundred cycles.",
    "A saving of twenty-nine percent was measured.",
    "Half of them failed.",
    "Sie hält achthundert Ladezyklen.",
    "Elle dure huit cents cycles.",
    "Dura ochocientos ciclos.",
    "Trwa osiemset, czyli sto razy osiem.",
    "电池可以充电八百次。",
    "تدوم البطارية ثمانمئة وخمسة أيام.",
    "यह आठ सौ बार चलती है।",
    "Its life doubled, a dozen labs say.",
)
PRICES = (
    "An air source unit is £9,500 with fitting.",
    "Prices start at 9 500 kr a piece.",
    "Il coûte neuf mille francs.",
    "Eine Anlage kostet 9.500 Euro.",
    "Cena: 40 000 zł.",
    "CHF 12'000 for a house",
    "Rs. 85,000 and up",
    "费用约为八万元。",
    "It is free of charge.",
    "Der Eintritt ist kostenlos.",
    "A few hundred quid will do.",
)
DATES = (
    "It opened on 4 May 1911.",
    "Eröffnet am 4. März.",
    "Inaugurée en septembre.",
    "Abrió en el siglo pasado.",
    "Открыт в мае.",
    "It opened two years ago.",
    "它于一九一一年开放。",
    "It opened in the nineteenth century.",
    "It opened the following spring.",
)
NAMES = (
    "The bridge was drawn by Ines Falk.",
    "Grace drew it.",
    "Das Werk von Ines Falk.",
    "桥由李明设计。",
    "рисунок Анны Фальк",
    "the bridge was drawn by ines falk",
)
COMPARISONS = (
    "Steel is heavier than wood.",
    "Both rust, though steel rusts more.",
    "Unlike wood, steel rusts.",
    "Holz ist leichter als Stahl, während Stahl härter ist.",
    "They weigh the same.",
)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        *(("quantity", text) for text in FIGURES),
        *(("money", text) for text in PRICES),
        *(("time", text) for text in DATES),
        *(("person", text) for text in NAMES),
        *(("place", text) for text in NAMES),
        *(("comparison", text) for text in COMPARISONS),
    ],
)
def test_a_text_that_has_an_answer_is_not_said_to_lack_it(form: str, text: str) -> None:
    assert not lacks_form(form, ["A title", text])


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("quantity", "The cell keeps going for a long while and ages with heat."),
        ("money", "The unit moves heat into the house 24 hours a day."),
        ("time", "The bridge crosses the river and carries trams."),
        ("time", "The gate is made of iron."),
        ("person", "The bridge is made of iron. It carries trams."),
        ("place", "In the dark, they spawn and die."),
        ("comparison", "The bridge is made of iron."),
    ],
)
def test_a_text_without_an_answer_is_said_to_lack_it(form: str, text: str) -> None:
    assert lacks_form(form, [text])


def test_nothing_is_lacking_without_texts_and_in_a_form_of_any_answer() -> None:
    assert not lacks_form("quantity", [])
    assert not lacks_form("open", ["A text."])


@pytest.mark.parametrize("text", [*FIGURES[:4], "one hundred and ten"])
def test_figures_in_words_are_figures(text: str) -> None:
    assert re.search(FIGURE, text, re.IGNORECASE)


@pytest.mark.parametrize("text", [*PRICES[:6], "₹500", "9.500 €", "500 yen", "US$5"])
def test_sums_in_any_currency_are_prices(text: str) -> None:
    assert re.search(MONEY, text, re.IGNORECASE)


@pytest.mark.parametrize(
    "text", ["from 1996 on", "10 friends", "5 credits", "3 rs232 ports", "2 frogs"]
)
def test_numbers_of_other_things_are_no_prices(text: str) -> None:
    assert not re.search(MONEY, text, re.IGNORECASE)
