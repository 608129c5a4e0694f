"""What the words of a question ask for, and whether a sentence holds it."""

from __future__ import annotations

import pytest

from research_core.text.asked_fillers import find_asked_fillers, gives_filler, word_point
from research_core.text.filled_quotes import fills_question


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How long does concrete need to harden?", ["duration"]),
        ("How many years do solar panels last?", ["duration"]),
        ("Wie lange hält ein Dach aus Reet?", ["duration"]),
        ("¿Cuánto tiempo tarda en secarse la pintura?", ["duration"]),
        ("How much does a heat pump cost?", ["money"]),
        ("How many eggs does a hen lay?", ["amount"]),
        ("Combien de ponts traversent la Seine ?", ["amount"]),
        ("When was the lighthouse built?", ["date"]),
        ("Who painted the ceiling of the chapel?", ["person"]),
        ("Which birds nest on cliffs, and when did the colony begin?", ["kind", "date"]),
        ("How badly does acid rain damage limestone?", ["effect"]),
        ("How do wind farms affect birds?", ["effect"]),
    ],
)
def test_what_each_part_asks_for(question: str, names: list[str]) -> None:
    assert [part.name for part in find_asked_fillers(question)] == names


@pytest.mark.parametrize(
    "question",
    [
        "What is a lighthouse?",
        "When should I prune roses?",
        "What are the symptoms of gout?",
        "Who is at risk of gout?",
        "What causes rust?",
        "Is slate heavier than tile?",
    ],
)
def test_other_questions_ask_for_no_filler(question: str) -> None:
    assert not find_asked_fillers(question)


@pytest.mark.parametrize(
    ("question", "held", "lacking"),
    [
        (
            "How long does concrete need to harden?",
            "Concrete reaches its strength after 28 days.",
            "Concrete was poured here 28 days ago.",
        ),
        (
            "How long does a reef need to recover?",
            "Some corals return within years or decades.",
            "The reef lies 40 metres below the surface.",
        ),
        (
            "How long does a reef need to recover?",
            "A reef that is blown up will not return.",
            "Divers found the reef two years later.",
        ),
        (
            "How long do people live with it?",
            "Most live for several decades with it.",
            "It is found in people under 50 years.",
        ),
        (
            "Wie lange hält ein Dach aus Reet?",
            "Ein Reetdach hält etwa vierzig Jahre.",
            "Ein Reetdach brennt leicht.",
        ),
        (
            "Combien de temps dure la traversée ?",
            "La traversée dure trois heures.",
            "La traversée coûte cher.",
        ),
        ("修复需要多久？", "完全恢复需要50年。", "海底没有恢复。"),
        (
            "How much does a heat pump cost?",
            "A heat pump is 12,000 euros with its fitting.",
            "A heat pump saves a third of the energy.",
        ),
        (
            "How often are the gates painted?",
            "The gates are painted every spring.",
            "The gates are painted green.",
        ),
        (
            "When was the lighthouse built?",
            "Its tower dates from 1811.",
            "Its tower is made of granite.",
        ),
        (
            "Who painted the ceiling of the chapel?",
            "The ceiling is by Giovanni Tiepolo.",
            "Many visitors admire the ceiling of the chapel.",
        ),
        (
            "How badly does acid rain damage limestone?",
            "Carvings of limestone lose their edges for good.",
            "Whether acid rain does worse than frost is disputed.",
        ),
        (
            "How badly does noise hurt whales?",
            "Whales near the port had 20 per cent fewer calves.",
            "Noise is among the least studied of the ways in which ports could harm whales.",
        ),
    ],
)
def test_a_sentence_holds_what_is_asked_for_or_not(question: str, held: str, lacking: str) -> None:
    asked = find_asked_fillers(question)[0]
    assert gives_filler(asked, held)
    assert not gives_filler(asked, lacking)


def test_a_question_that_asks_for_nothing_of_a_kind_is_filled_by_any_sentence() -> None:
    assert fills_question("What is a lighthouse?", "It guides ships.")
    assert not fills_question("How long is a lighthouse lit?", "It guides ships.")


@pytest.mark.parametrize(
    ("question", "common", "point"),
    [
        (
            "How long does the seabed need to recover from mining?",
            set(),
            "It takes years to recover",
        ),
        ("How long does paint take to dry?", {"paint"}, "It takes years to dry"),
        ("How badly does acid rain damage limestone?", {"acid", "rain"}, "damage limestone"),
    ],
)
def test_what_is_asked_is_worded_without_its_thing(
    question: str, common: set[str], point: str
) -> None:
    assert word_point(find_asked_fillers(question)[0], common) == point
