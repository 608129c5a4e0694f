"""Which sentences have the form of the answer that a kind of question asks for."""

from __future__ import annotations

import pytest

from research_core.text.question_types import classify_question


@pytest.mark.parametrize(
    ("question", "name", "given", "other"),
    [
        (
            "What are the signs of rust?",
            "signs",
            "Signs of rust include brown spots.",
            "Rust costs.",
        ),
        ("What are the symptoms of flu?", "signs", "You may feel tired and cold.", "Flu spreads."),
        (
            "When and how do you know that a beam has rot?",
            "signs",
            "Signs of rot include soft wood.",
            "Rot was known in 1911.",
        ),
        (
            "how to relieve the itch of a sting",
            "treatment",
            "Ice relieves the itch.",
            "A sting itches.",
        ),
        ("What relieves back pain?", "treatment", "Heat relieves it.", "It hurts."),
        ("Which balms are soothing for burns?", "treatment", "Aloe treats them.", "They hurt."),
        (
            "How much is a tram ticket?",
            "how much",
            "A ticket is 3 euros.",
            "Tickets are sold here.",
        ),
        ("When was the tunnel built?", "when", "It was built in 1911.", "It was built by hand."),
        ("What causes tides?", "cause", "Tides are caused by the moon.", "Tides rise."),
        (
            "how do people get scurvy",
            "cause",
            "Scurvy is caused by a diet without fruit.",
            "It hurts.",
        ),
        ("How can you catch rabies?", "cause", "A bite leads to rabies.", "Rabies is old."),
        ("Who wrote the anthem?", "who", "The text is by Anna Berg.", "the text is old"),
        (
            "Where can I find info on tides?",
            "overview",
            "A tide is a rise of the sea.",
            "Tides rise.",
        ),
        ("I need information about rust", "overview", "Rust is an oxide of iron.", "Rust costs."),
        ("What do you know about flu?", "overview", "Flu is a viral infection.", "Flu spreads."),
        (
            "Please send me details on moss",
            "overview",
            "Moss is a plant without roots.",
            "Moss grows.",
        ),
        ("Facts about eels", "overview", "An eel is a long fish.", "Eels swim."),
        (
            "information on how flu is treated",
            "treatment",
            "Flu is treated with rest.",
            "Flu spreads.",
        ),
        ("What is a tide?", "definition", "A tide is a rise of the sea.", "Tides rise daily."),
    ],
)
def test_a_kind_of_question_asks_for_a_form(
    question: str, name: str, given: str, other: str
) -> None:
    kind = classify_question(question)
    assert kind.name == name
    assert kind.given.search(given)
    assert not kind.given.search(other)
