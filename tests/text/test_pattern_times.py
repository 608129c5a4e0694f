"""Patterns whose time must not grow with the square of a text, and what they still match."""

from __future__ import annotations

import re
import time

import pytest

from research_core.text import (
    asked_facets,
    direct_answers,
    named_things,
    question_parts,
    question_topic,
    quotable,
    quote_labels,
    words,
)
from research_core.text.answer_forms import MONEY

PATTERNS = {
    "money given": direct_answers._MONEY_GIVEN,
    "money": re.compile(MONEY, re.IGNORECASE),
    "navigation": quotable._NAVIGATION,
    "event": quotable._EVENT,
    "bracket": named_things._BRACKET,
    "site behind": named_things._SITE_BEHIND,
    "site name": words._SITE_NAME,
    "last part": quote_labels._LONG_LAST_PART,
    "after a bar": quote_labels._AFTER_BAR,
    "behind a letter": question_parts._BEHIND_LETTER,
    "letter of a name": question_topic._LETTERED,
    "empty lead-in": quotable._EMPTY_LEAD_IN,
    **{f"{facet.title} given": facet.given for facet in asked_facets.FACETS},
    **{f"{facet.title} beside": facet.beside for facet in asked_facets.FACETS if facet.beside},
}
SHORT, LONG = 12_000, 24_000


def measure(pattern: re.Pattern[str], text: str) -> float:
    """Return the least time of three searches in seconds."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        pattern.search(text)
        times.append(time.perf_counter() - started)
    return min(times)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("empty lead-in", "that's "),
        ("Diagnosis beside", "if "),
        ("Symptoms given", "have, "),
        ("Treatment beside", "type determines "),
        ("money given", "1"),
        ("money given", "1,"),
        ("money", "1"),
        ("money", "1 "),
        ("money", "1, "),
        ("navigation", "a"),
        ("navigation", "a@"),
        ("navigation", "."),
        ("event", "tickets "),
        ("event", "monday a "),
        ("bracket", " "),
        ("bracket", " ("),
        ("bracket", "(["),
        ("site behind", " "),
        ("site behind", " - "),
        ("site behind", " – a"),
        ("site name", " "),
        ("site name", " | "),
        ("last part", " "),
        ("last part", " : "),
        ("after a bar", " "),
        ("after a bar", "a "),
        ("behind a letter", " X. Is"),
        ("letter of a name", "vitamin B and "),
        ("letter of a name", "and B, "),
    ],
)
def test_twice_the_text_takes_at_most_thrice_the_time(name: str, unit: str) -> None:
    pattern = PATTERNS[name]
    for _ in range(5):  # a busy machine may spoil a measurement
        before = measure(pattern, (unit * SHORT)[:SHORT])
        after = measure(pattern, (unit * LONG)[:LONG])
        if after <= 3 * before or after < 0.1:
            return
    pytest.fail(f"{name} on {unit!r}: {before:.3f} s, then {after:.3f} s")


@pytest.mark.parametrize(
    ("name", "text", "matches"),
    [
        ("money given", "It costs 1,200.50 euros.", True),
        ("money given", "It costs ,5 euros a piece.", True),
        ("money given", "About 3 million dollars was paid.", True),
        ("money given", "It weighs 1,200.50 kilos.", False),
        ("money", "It costs 1 200 000 Kč a year.", True),
        ("money", "It costs 1'200.– francs.", True),
        ("money", "Es kostet 3,5 Mio. Euro im Jahr.", True),
        ("money", "It weighs 1 200 000 tonnes.", False),
        ("navigation", "Write to jo.smith@mail.example.org today.", True),
        ("navigation", "Home / About / Contact us.", True),
        ("navigation", "Read on ..... here.", True),
        ("navigation", "The choice is tea / coffee only.", False),
        ("event", "Tickets are sold from 7.30 pm at the hall.", True),
        ("event", "On Friday the hall opens, admission is at the door.", True),
        ("bracket", "Gearbox (Repair)", True),
        ("bracket", "Gearbox  [1]", True),
        ("bracket", "(Law)", True),
        ("bracket", "Gearbox (Repair", False),
        ("site behind", "Lemon law | Law Desk", True),
        ("site behind", "Lemon law  -  Law Desk", True),
        ("site behind", "Lemon law - overview", True),
        ("site behind", "Dual-clutch gearbox", False),
        ("site name", "Sourdough  |  Bread Lab", True),
        ("site name", "Self-raising flour", False),
        ("last part", "Offside : the rules of the game", True),
        ("last part", "Offside: the rules", False),
        ("after a bar", "Bonds |", True),
        ("after a bar", "Bonds and notes", False),
        ("behind a letter", "It is in plan B. Is it safe?", True),
        ("behind a letter", "It is by J. B. Is Smith.", False),
        ("letter of a name", "vitamin d or k", True),
        ("event", "Tickets were made of thin card for many years.", False),
    ],
)
def test_the_patterns_match_what_they_did(name: str, text: str, matches: bool) -> None:
    assert bool(PATTERNS[name].search(text)) is matches
