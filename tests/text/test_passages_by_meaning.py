"""Passages chosen by the meaning of sentences: whole pages, the nearest sections, honest spans."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.passages import select_passages
from research_core.text.passages_by_meaning import choose_spans
from tests.thesaurus import Thesaurus

FILLER = "The market opens on Fridays, and the bakery near the pier sells bread from six. "
#: Sentences that repeat the words of a question and answer nothing.
STUFFING = "Everybody asks about {words}, and this page is about {words} and again {words}. "
PIECES = [
    FILLER,
    "An automobile needs a road. ",
    "# Eels\n\n",
    "## An anguilla in the river\n",
    "- an infusion of leaves\n",
    "| car | price |\n|---|---|\n| small | 9 |\n",
    "```\ncode = 1\n```\n",
    "\n\n",
    "x" * 900 + " ",
    "鰻は海で生まれる。",
    " ",
]


def choose(question: str, text: str, title: str = "", **limits: int) -> list[str]:
    spans = choose_spans([question], title, text, Thesaurus(), **limits)
    return [text[start:end] for start, end in spans]


@given(
    st.lists(st.sampled_from(PIECES), max_size=40),
    st.sampled_from(["What is a car?", "Where do eels spawn?", "", "鰻はどこで生まれるか"]),
    st.integers(1, 6),
    st.integers(60, 800),
)
def test_spans_lie_in_the_text_in_order_apart_and_within_their_limits(
    pieces: list[str], question: str, limit: int, size: int
) -> None:
    text = "".join(pieces)
    spans = choose_spans([question], "A page", text, Thesaurus(), limit=limit, size=size)
    assert len(spans) <= limit
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(end - start <= size for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    again = choose_spans([question], "A page", text, Thesaurus(), limit=limit, size=size)
    assert spans == again


@pytest.mark.parametrize(
    ("question", "words", "figures"),
    [
        (
            "How much energy does roof insulation save?",
            "roof insulation and energy",
            "Households that had the work done report a saving of 29 percent on their bills.",
        ),
        (
            "How long do heat pumps last?",
            "heat pumps and how long they last",
            "Manufacturers state a service life of 15 to 20 years.",
        ),
        (
            "Wie viel kostet ein neuer Zahn?",
            "neuer Zahn und Kosten",
            "Für eine Krone werden 600 bis 900 Euro berechnet.",
        ),
        (
            "What is the speed limit on rural roads?",
            "the speed limit on rural roads",
            "Outside towns, drivers may go no faster than 80 km/h.",
        ),
        (
            "Combien d'eau faut-il boire par jour ?",
            "boire de l'eau chaque jour",
            "Les médecins recommandent un litre et demi, soit 1,5 L.",
        ),
    ],
)
def test_a_page_that_fits_is_read_whole(question: str, words: str, figures: str) -> None:
    stuffed = STUFFING.format(words=words)
    text = stuffed * 3 + "\n\n" + FILLER * 6 + "\n\n" + figures + "\n\n" + FILLER * 4
    text = text[:1_500].rsplit(". ", 1)[0] + "."
    assert figures in text
    passages = choose(question, text)
    assert "".join("".join(passages).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does a car cost?", "The automobile was sold for 9,000."),
        ("What does an automobile need?", "A vehicle takes oil."),
        ("Where is the eel born?", "Anguilla spawns in warm water."),
        ("Is tea good?", "An infusion warms the hands."),
        ("What is a vehicle for?", "People ride to work in a car."),
    ],
)
def test_of_a_long_page_the_nearest_section_is_read(question: str, answer: str) -> None:
    text = f"{FILLER * 30}\n\n## A section\n\n{answer} {FILLER * 4}\n\n## Another\n\n{FILLER * 30}"
    passages = choose(question, text)
    assert any(answer in passage for passage in passages)
    assert len(passages) <= 5


def test_headings_begin_sections_of_a_long_page() -> None:
    text = "".join(f"## Part {number}\n\n{FILLER * 5}\n\n" for number in range(30))
    assert all(passage.startswith("## Part") for passage in choose("What is a car?", text))


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\u00a0"])
def test_a_page_without_a_sentence_has_no_passage(text: str) -> None:
    assert choose("What is a car?", text) == []
    assert select_passages("What is a car?", text) == ()
