"""Which sentences are compared by meaning, in which order, and with what around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text import sentence_ranking
from research_core.text.passages import split_parts
from research_core.text.passages_by_meaning import choose_spans
from research_core.text.sentence_meaning import (
    add_context,
    compares,
    knows_language,
    list_asking_sentences,
)
from research_core.text.sentence_ranking import MAX_EMBEDDED, rank_sentences
from tests.thesaurus import Thesaurus

TEXTS = [
    "An automobile stands here. It rained.",
    "# Eels\n\nAnguilla spawns at sea. Nobody has seen it.",
    "| drink | price |\n|---|---|\n| infusion | 3 |",
]


def show(ranked: sentence_ranking.RankedSentence, texts: list[str]) -> str:
    part = tuple(split_parts(texts[ranked.number]))[ranked.place]
    return texts[ranked.number][part.start : part.end]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What is a car?", "An automobile stands here."),
        ("What is a vehicle?", "An automobile stands here."),
        ("What is an eel?", "Anguilla spawns at sea."),
        ("What is tea?", "| infusion | 3 |"),
        ("Does an anguilla spawn?", "Anguilla spawns at sea."),
    ],
)
def test_the_nearest_sentence_comes_first(question: str, first: str) -> None:
    ranked = rank_sentences([question], "", TEXTS, Thesaurus())
    assert show(ranked[0], TEXTS).strip("| ") == first.strip("| ")
    assert [each.near for each in ranked] == sorted((each.near for each in ranked), reverse=True)


def test_a_sentence_is_compared_under_its_title_and_heading() -> None:
    asked = Thesaurus()
    rank_sentences(["What is an eel?"], "Fishes of the river", [TEXTS[1]], asked)
    assert "Fishes of the river. Eels. Anguilla spawns at sea." in asked.asked


@pytest.mark.parametrize(
    ("title", "heading", "sentence", "text"),
    [
        ("", "", "It rained.", "It rained."),
        ("Weather", "", "It rained.", "Weather. It rained."),
        ("Weather", "June", "It  rained\n hard.", "Weather. June. It rained hard."),
        ("Weather in June", "june", "It rained.", "Weather in June. It rained."),
        ("", "June", "It rained.", "June. It rained."),
    ],
)
def test_what_is_embedded(title: str, heading: str, sentence: str, text: str) -> None:
    assert add_context(title, heading, sentence) == text


@pytest.mark.parametrize(
    ("sentence", "length"),
    [("It rained.", 10), ("Rain, " * 100, 240), ("x" * 900, 240), ("雨" * 500, 240), ("", 0)],
)
def test_of_a_long_sentence_the_beginning_is_embedded(sentence: str, length: int) -> None:
    assert length - 8 <= len(add_context("", "", sentence)) <= length


@pytest.mark.parametrize(
    "queries",
    [
        [],
        ["price of a car"],
        ["price of a car", "infusion", "eels in a river"],
        ["weight", "bakery hours", "pier"],
        ["Preis", "prix", "precio"],
    ],
)
def test_the_judge_embeds_the_sentences_that_chose_the_passages(queries: list[str]) -> None:
    section = "## Part {0}\n\n" + "A car of kind {0} needs oil. " * 3 + "It rained on day {0}. " * 9
    text = "\n\n".join(section.format(number) for number in range(30))
    embedder = Thesaurus()
    question = "What does a car need?"
    spans = choose_spans([question, *queries], "Cars", text, embedder)
    before = set(embedder.asked)
    embedder.asked.clear()
    rank_sentences([question], "Cars", [text[start:end] for start, end in spans], embedder)
    sentences = [each for each in embedder.asked if each != question]
    assert len(before.intersection(sentences)) >= min(4, len(sentences))


@given(
    st.lists(
        st.lists(st.sampled_from(["A car. ", "It rained. ", "## Eels\n\n", "\n\n"]), max_size=20),
        max_size=4,
    ),
    st.sampled_from(["What is a car?", "eels", ""]),
)
def test_few_are_compared_and_every_one_is_a_part_of_its_text(
    pieces: list[list[str]], question: str
) -> None:
    texts = ["".join(each) for each in pieces]
    ranked = rank_sentences([question], "A page", texts, Thesaurus())
    assert len(ranked) <= MAX_EMBEDDED
    places = [(each.number, each.place) for each in ranked]
    assert len(set(places)) == len(places)
    for each in ranked:
        part = tuple(split_parts(texts[each.number]))[each.place]
        assert part.kind not in ("heading", "code")
        assert 0.0 <= each.share <= 1.0
        assert -1.0 <= each.near <= 1.0


@pytest.mark.parametrize(
    ("question", "asking"),
    [
        ("What is an eel?", ["What is an eel?"]),
        ("I have a cat. What do cats eat in winter?", ["What do cats eat in winter?"]),
        ("I live by a river. It rains.", ["I live by a river. It rains."]),
        ("eels", ["eels"]),
        ("", [""]),
    ],
)
def test_what_a_question_is_compared_by(question: str, asking: list[str]) -> None:
    assert list_asking_sentences(question) == asking


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("What is an eel?", True),
        ("eels", True),
        ("buying vs leasing a car", True),
        ("die casting vs sand casting", True),
        ("la crosse sticks compared", True),
        ("acheter ou louer un car", False),
        ("Was ist der Unterschied zwischen einem Aal und einer Schlange?", False),
        ("Quelle est la différence entre une anguille et un serpent ?", False),
        ("鰻はどこで生まれるか", False),
        ("Где рождается угорь?", False),
        ("أين يولد ثعبان البحر؟", False),
    ],
)
def test_the_model_is_asked_about_english_alone(question: str, known: bool) -> None:
    assert knows_language(question) is known
    assert compares(Thesaurus(), question) is known
    assert not compares(Thesaurus(why="It is gone."), question)
