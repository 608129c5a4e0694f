"""What a refusal advises: queries of a topic with a facet, how to ask, and where to look."""

from __future__ import annotations

import pytest

from research_core.llm.offline_explanation import (
    FORM_HINTS,
    WHERE_BY_KIND,
    explain_insufficient,
    find_hint,
    suggest_queries,
)
from research_core.models import NO_REPORT_REASONS
from research_core.text.question_types import QUESTION_TYPES

DROPPED = {"title": "Harbour log", "score": 2, "explanation": "Speaks of something else."}


@pytest.mark.parametrize(
    ("question", "tried", "expected"),
    [
        ("What is a salt kiln?", [], ["salt kiln definition", "salt kiln overview"]),
        ("What is a salt kiln?", ["overview salt kiln"], ["salt kiln definition", "salt kiln explained"]),
        ("What are the symptoms of scurvy in dogs?", [], ["scurvy dogs symptoms", "scurvy dogs signs"]),
        ("How tall is the Altmoor tower?", [], ["Altmoor tower height"]),
        ("What is the price of a cello?", [], ["cello price"]),
        ("What is the difference between an oboe and a cor anglais?", [], ["oboe cor anglais difference", "oboe cor anglais comparison"]),
        ("How much do harp teachers charge compared with flute teachers?", [], ["harp teachers charge", "flute teachers charge"]),
        ("Are sledges safer than skis?", ["sledges skis difference"], ["sledges skis comparison", "sledges skis compared"]),
        ("Vitiligo. My aunt has had vitiligo on both hands since spring. Is it normal?", [], ["Vitiligo evidence", "Vitiligo review"]),
    ],
)  # fmt: skip
def test_a_suggested_query_is_the_topic_with_a_facet(
    question: str, tried: list[str], expected: list[str]
) -> None:
    assert suggest_queries(question, tried) == expected


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("how do you overcome pain", "“overcome”, “pain”"),
        ("Hello. Does a strong magnet cause trouble with a hearing aid later on?", "“magnet”"),
        ("Who invented the zipper?", "“zipper”"),
        ("how to loose weight", "“weight”"),
        ("Question. My neighbour bought a boat in May and now the engine smokes. What should he do?", "“engine”"),
        ("Wie alt werden Feuersalamander?", "“Feuersalamander”"),
        ("Combien de temps vit une mésange ?", "“mésange”"),
    ],
)  # fmt: skip
def test_without_a_clear_topic_it_is_said_how_to_ask(question: str, topic: str) -> None:
    assert suggest_queries(question, []) == []
    text = explain(question)
    advice = text.partition("**More specific queries to try.** ")[2].partition("\n")[0]
    assert advice.startswith("Name the thing first")
    assert topic in advice


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("How much phenol is in an aspirin tablet?", "whoever counts, measures or sets it"),
        ("What does a piano tuner charge?", "the pages of those who charge it"),
        ("What causes rust on stainless steel?", "reviews that weigh several studies or tests"),
        ("How is gout treated?", "guidance that weighs the evidence"),
        ("What is a salt kiln?", "encyclopedias"),
        ("How do I prune a quince?", "instructions by those who make it"),
        ("Is a wool roof good insulation?", "reviews that weigh several studies or tests"),
        ("Is an oboe louder than a cor anglais?", "tests or reviews that compare both"),
    ],
)
def test_where_to_look_goes_by_the_kind_of_question(question: str, where: str) -> None:
    assert find_hint(question).where.startswith(where)
    assert "statistics office" not in explain(question)


def test_every_kind_with_a_place_to_look_is_a_kind_of_question() -> None:
    assert set(WHERE_BY_KIND) <= {kind.name for kind in QUESTION_TYPES}


def explain(question: str, reason: str = "all off topic", dropped: int = 0) -> str:
    inputs = {
        "question": question,
        "refined_query": None,
        "reason": reason,
        "queries": [],
        "dropped": [DROPPED] * dropped,
    }
    return explain_insufficient(inputs)


@pytest.mark.parametrize("reason", sorted(NO_REPORT_REASONS))
@pytest.mark.parametrize(
    "question",
    [
        "X?",
        "What is a salt kiln?",
        "Who sang it?",
        "Where is it?",
        "When was it?",
        "How many?",
        "What does it cost?",
        "Oboe or cor anglais: which is louder?",
        "How do I prune a quince?",
        "How is gout treated?",
        "And then? " + "We walked along the river and saw a heron near the old mill. " * 12,
    ],
)
def test_any_explanation_has_150_to_250_words(question: str, reason: str) -> None:
    for dropped in (0, 1, 9):
        assert 150 <= len(explain(question, reason, dropped).split()) <= 250


def test_a_long_question_is_quoted_once_and_cut_at_a_word() -> None:
    question = f"Is it so? {' '.join(f'Then we passed mill number {n}.' for n in range(60))}"
    text = explain(question)
    assert text.count("“Is it so?") == 1
    quoted = text.partition("“Is it so?")[2].partition("”")[0]
    assert quoted.endswith("…")
    assert quoted.rstrip("…").split()[-1] in question.split()


def facts(**other: object) -> str:
    inputs = {
        "question": "How long do heat pumps last on average?",
        "refined_query": None,
        "reason": "all off topic",
        "queries": [],
        "dropped": [],
        "searches": 5,
        "found": 16,
        "judged": 0,
        "lacks_topic": True,
        "in_library_alone": True,
    }
    return explain_insufficient({**inputs, **other})


def test_an_explanation_says_what_was_searched_and_found_and_no_more() -> None:
    assert facts() == (
        "**What was searched.** 5 searches were made, among them for “How long do heat pumps last on"
        " average?”.\n\n**What was found.** 16 sources were found, and no page was judged."
    )
    text = facts(
        lacks_topic=False, judged=9, dropped=[DROPPED] * 9, refined_query="heat pump lifespan"
    )
    assert "on average?”, “heat pump lifespan”." in text
    named = facts(searches=3, refined_query="heat pump lifespan", queries=["heat pump age"])
    assert "3 searches were made, for “How" in named
    assert "“heat pump age”, “heat pump lifespan”." in named, "every one is named"
    assert "16 sources were found, and 9 pages were judged." in text
    assert text.count("“Harbour log” scored 2 of 5") == 4
    assert "What was found" not in facts(found=0)
    long = {**DROPPED, "explanation": f"It names {'many ' * 60}boats. Nothing else."}
    listed = facts(lacks_topic=False, judged=2, dropped=[DROPPED, long]).splitlines()
    pages = [line for line in listed if line.startswith("- ")]
    assert len(pages) == 2
    assert pages[1].endswith("many boats."), "a sentence is never cut"
    assert facts(searches=1, refined_query="heat pump lifespan").startswith(
        "**What was searched.** 1 search was made, for “How long do heat pumps last on average?”."
    )
    assert facts(searches=0, found=0) == "**What was searched.** No search was finished."


@pytest.mark.parametrize("reason", sorted(NO_REPORT_REASONS))
def test_other_places_are_named_only_where_another_search_may_help(reason: str) -> None:
    helps = reason in {"all off topic", "nothing found", "too few relevant sources"}
    text = facts(reason=reason, in_library_alone=False)
    assert ("**Where better information might exist.** Try statistics" in text) == helps
    assert "search engines index" not in text
    assert "average”" not in text.replace("on average?”", "")


def test_every_form_has_a_hint() -> None:
    assert all(hint.why and hint.where for hint in FORM_HINTS.values())
