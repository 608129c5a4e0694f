"""Figures as other languages write them."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.disagreements import compare_quotes
from research_core.text.figures import parse_figures
from research_core.text.foreign_figures import parse_figures_in_language
from research_core.text.quotable import Quote


@pytest.mark.parametrize(
    ("text", "written", "unit", "low", "high"),
    [
        ("Der Ausbau ist mit 25.001 Euro für die Stadt zu teuer.", "25.001 Euro", "€", 25000.5, 25001.5),
        ("Der Verbrauch ist um 1,5 Prozent gesunken.", "1,5 Prozent", "%", 1.45, 1.55),
        ("Die Anlage wird mindestens 12 Jahre alt.", "12 Jahre", "month", 138.0, inf),
        ("Nach dem Umbau sind es bis zu 3.000,5 Meter.", "3.000,5 Meter", "m", -inf, 3000.55),
        ("Das Land hat 2,3 Millionen Tonnen auf der Halde.", "2,3 Millionen Tonnen", "g", 2.25e12, 2.35e12),
        ("La ville compte 520 001 habitants dans les faubourgs.", "520 001 habitants", "habit", 520000.5, 520001.5),
        ("Le taux est de 4,7 pour cent dans la région.", "4,7 pour cent", "%", 4.65, 4.75),
        ("El viaje de los barcos dura al menos 22 días.", "22 días", "s", 21.5 * 86400, inf),
        ("O custo é de 1,2 milhões de reais para os bairros.", "1,2 milhões de reais", "reai", 1.15e6, 1.25e6),
        ("Il ponte è lungo 1.251 metri nella parte nuova.", "1.251 metri", "m", 1250.5, 1251.5),
        ("Het dak is niet ouder dan 35 jaar en van hout.", "35 jaar", "month", 414.0, 426.0),
    ],
)  # fmt: skip
def test_a_figure_is_read_as_its_language_writes_it(
    text: str, written: str, unit: str, low: float, high: float
) -> None:
    found = parse_figures_in_language(text)
    assert [(one.text, one.unit, one.low, one.high) for one in found] == [
        (written, unit, pytest.approx(low), pytest.approx(high))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Er fährt mit einer Boeing 747 nach Köln und zurück.",
        "Nach Artikel 5 ist das für die Stadt nicht von Belang.",
        "Der Vertrag ist aus dem Jahr 1893 und nicht gültig.",
        "Von 1,500 ist nicht klar, was das Komma bedeutet.",
    ],
)
def test_names_years_and_ambiguous_numbers_are_left_out(text: str) -> None:
    assert parse_figures_in_language(text) == ()


@given(st.text(max_size=80))
def test_any_text_can_be_read_and_english_is_read_as_before(text: str) -> None:
    parse_figures_in_language(text, "de")
    english = f"The cost of the house is 2,500 euros and that was not all: {text}"
    assert parse_figures_in_language(english) == parse_figures(english)


def compare(one: str, other: str) -> list[tuple[str, str]]:
    quotes = [Quote(text, f"p{n}", n, n, True, own=1.0) for n, text in enumerate((one, other))]
    return [(pair.a.text, pair.b.text) for pair in compare_quotes(quotes).pairs]


@pytest.mark.parametrize(
    ("one", "other", "differing"),
    [
        (
            "Die Anschaffung einer Wärmepumpe kostet im Durchschnitt 25.000 Euro.",
            "Die Anschaffung einer Wärmepumpe kostet im Durchschnitt 35.000 Euro.",
            [("25.000 Euro", "35.000 Euro")],
        ),
        (
            "La ville de Lyon compte 520 000 habitants dans ses murs.",
            "La ville de Lyon compte 610 000 habitants dans ses murs.",
            [("520 000 habitants", "610 000 habitants")],
        ),
        (
            "El embarazo de la elefanta dura 22 meses en la sabana.",
            "El embarazo de la elefanta dura 18 meses en la sabana.",
            [("22 meses", "18 meses")],
        ),
        (
            "Der Wirkungsgrad der Anlage wird mit 38 Prozent angegeben.",
            "Der Wirkungsgrad der Anlage wird mit 38 % angegeben.",
            [],
        ),
        (
            "Das Gerät ist für 1.299 Euro bei dem Händler zu haben.",
            "Das Gerät ist für 1299 Euro bei dem Händler zu haben.",
            [],
        ),
        (
            "Männer werden im Durchschnitt 78 Jahre alt und sind nicht allein.",
            "Frauen werden im Durchschnitt 83 Jahre alt und sind nicht allein.",
            [],
        ),
        (
            "Die Heizung der Schule kostet mindestens 300 Euro im Monat.",
            "Die Heizung der Schule kostet 400 Euro im Monat.",
            [],
        ),
    ],
)
def test_differing_figures_of_one_language_are_found(
    one: str, other: str, differing: list[tuple[str, str]]
) -> None:
    assert compare(one, other) == differing
