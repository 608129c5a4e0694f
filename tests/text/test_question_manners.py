"""What of an English question is greeting and politeness."""

from __future__ import annotations

import pytest

from research_core.text.question_manners import expand_shorthand, strip_manners, tidy


def _sentences(text: str) -> list[str]:
    return text.replace("! ", "!|").split("|")


@pytest.mark.parametrize(
    ("typed", "bare"),
    [
        ("Hi there, what is a fjord?", "what is a fjord?"),
        ("Good morning! So, I was wondering why bread goes stale. Thanks!",
         "why bread goes stale"),
        ("Could you please tell me about tidal locking", "tidal locking"),
        ("Dear Sir or Madam, what is a fjord? Many thanks in advance.", "what is a fjord?"),
        ("I would like to know what a fjord is, please", "what a fjord is"),
        ("ok so does anyone know what a fjord is? cheers", "what a fjord is?"),
        ("Thank you very much!", ""),
        ("Hello!", ""),
    ],
)  # fmt: skip
def test_greetings_and_politeness_go(typed: str, bare: str) -> None:
    for _ in range(2):
        typed = " ".join(filter(None, map(strip_manners, _sentences(typed))))
    assert typed.rstrip(".") == bare


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Some questions please.1. What is rust?2. Can it spread?",
         "Some questions please. What is rust? Can it spread?"),
        ("Three things: 1) How long does paint dry? 2) Can I paint over rust?",
         "Three things: How long does paint dry? Can I paint over rust?"),
        ("What changed in version 2. Is it better than version 1. Does it run?",
         "What changed in version 2. Is it better than version 1. Does it run?"),
        ("I have type 2. Is it curable?", "I have type 2. Is it curable?"),
    ],
)  # fmt: skip
def test_the_numbers_of_questions_are_left_out(typed: str, read: str) -> None:
    assert tidy(typed) == read


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Is rust a problem? Plz reply.", "Is rust a problem? Please reply."),
        ("Whats a fjord? Dont say lake.", "What is a fjord? Don't say lake."),
        ("plz say whats a fjord", "please say what is a fjord"),
        ("It sank. Wasnt it steel?", "It sank. Wasn't it steel?"),
        ("What does UR mean?", "What does UR mean?"),
    ],
)
def test_shorthand_that_begins_a_sentence_keeps_its_capital(typed: str, read: str) -> None:
    assert expand_shorthand(typed) == read
