"""How likely a source bears on a question: its signs, their weights, and how well they tell good
texts from others.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.inputs import SHARED_DATA
from benchmarks.measures import auc
from benchmarks.relevance import GOOD_GRADES, judge_passage, read_rows, split_scores
from research_core.text.similarity import measure_fit, parse_question
from research_core.text.topic_match import (
    Meaning,
    estimate_chance,
    load_weights,
    measure_signs,
    score_chance,
)

RELEVANCE = SHARED_DATA / "relevance"
KINDS = ("words", "meaning")


def measured(
    question: str, *passages: str, title: str = "", near: float | None = None
) -> dict[str, float]:
    asked = parse_question(question)
    meaning = None if near is None else Meaning(near, near)
    return measure_signs(
        asked, question, measure_fit(asked, title, passages), passages, meaning, title
    )


WHO = "Who directed the film about the lighthouse at Skerryvore?"


@pytest.mark.parametrize(
    ("question", "passage", "answers"),
    [
        (WHO, "Mairi Docherty directed the film about the lighthouse at Skerryvore.", True),
        (WHO, "The film about the lighthouse at Skerryvore was directed in a storm.", False),
        (
            "When did the lighthouse at Skerryvore open?",
            "The lighthouse at Skerryvore opened in 1844.",
            True,
        ),
        (
            "When did the lighthouse at Skerryvore open?",
            "The lighthouse at Skerryvore opened late.",
            False,
        ),
        (
            "How many steps has the lighthouse at Skerryvore?",
            "The lighthouse at Skerryvore has 151 steps.",
            True,
        ),
        (
            "How many steps has the lighthouse at Skerryvore?",
            "The lighthouse at Skerryvore has steps.",
            False,
        ),
        (
            "How many of the 12 lamps at Skerryvore burn?",
            "Of the 12 lamps at Skerryvore all burn.",
            False,
        ),
        (
            "Where was the granite of Skerryvore cut?",
            "The granite of Skerryvore was cut on Mull, near Fionnphort.",
            True,
        ),
        (
            "Where was the granite of Skerryvore cut?",
            "The granite of Skerryvore was cut by hand.",
            False,
        ),
    ],
)
def test_an_answer_is_something_the_question_does_not_say_itself(
    question: str, passage: str, answers: bool
) -> None:
    assert (measured(question, passage)["answer"] >= 0.5) is answers


def test_a_figure_far_from_what_it_is_asked_of_is_lacking_and_never_earns_a_three() -> None:
    question = "How much do harpists charge for playing at funerals in Dublin?"
    near = measured(question, "Harpists in Dublin charge €200 for playing at funerals.")
    far = measured(
        question,
        "Harpists play at funerals.",
        "Parking in Dublin is €3 an hour, and the harbour is near.",
    )
    assert (near["lacking"], far["lacking"]) == (0.0, 1.0)
    for kind in KINDS:
        told = {} if kind == "words" else {"sentence": 1.0, "passage": 1.0}
        assert score_chance(estimate_chance({**far, **told}), by_meaning=kind == "meaning") < 3


@pytest.mark.parametrize("before", ["-" * 170, "\u200b " * 90, "| --- " * 40 + "\n"])
def test_signs_before_the_first_word_take_nothing_from_a_text(before: str) -> None:
    text = "The film about the lighthouse at Skerryvore was directed by Mairi Docherty."
    assert measured(WHO, before + text) == measured(WHO, text)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_fitted_is_whole(kind: str) -> None:
    row = load_weights()[kind]
    known = measured(WHO, "A text.", near=0.5)
    assert set(row["weights"]) <= set(known)
    assert ("sentence" in row["weights"]) is (kind == "meaning")
    assert 0.0 < row["least"][0] < row["least"][1] < row["least"][2] < row["least"][3] < 1.0


def test_what_is_near_in_meaning_counts_for_a_text() -> None:
    far, near = (
        estimate_chance(measured(WHO, "She made it in one summer.", near=cosine))
        for cosine in (0.1, 0.8)
    )
    assert far < near


@given(
    st.text(max_size=120), st.lists(st.text(max_size=120), max_size=3), st.none() | st.floats(-1, 1)
)
def test_any_text_has_finite_signs_and_a_chance(
    question: str, passages: list[str], near: float | None
) -> None:
    found = measured(question, *passages, near=near)
    assert all(math.isfinite(value) for value in found.values())
    assert all(0.0 <= found[name] <= 1.0 + 1e-9 for name in ("answer", "about", "lacking"))
    assert 0.0 <= estimate_chance(found) <= 1.0
    assert 1 <= score_chance(estimate_chance(found), by_meaning=near is not None) <= 5


@pytest.mark.full
@pytest.mark.skipif(not RELEVANCE.is_dir(), reason="needs the shared relevance sets")
@pytest.mark.parametrize(("name", "least"), [("trecqa_wang", 0.85), ("noveleval", 0.70)])
def test_human_judgements_are_met_as_well_as_they_were(name: str, least: float) -> None:
    held = [row for row in read_rows(RELEVANCE, name) if row["split"] == "share"]
    scores = [judge_passage(row["question"], row["text"]) for row in held]
    best, others = split_scores(scores, [row["grade"] >= GOOD_GRADES[name] for row in held])
    assert auc(best, others) >= least
