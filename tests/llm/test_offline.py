"""The model that needs no key: what it can be asked, its plans, its queries, its gaps."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import research_core.llm
from research_core.errors import ModelError
from research_core.llm.offline import OfflineModel
from research_core.llm.offline_planner import (
    QUESTION_TYPES,
    SUB_QUESTIONS,
    answer_gaps,
    answer_plan,
    answer_refine,
    classify_question,
    find_salient_words,
    split_comparison,
)
from research_core.model_messages import Json, ModelRequest, Usage
from research_core.pipeline.plan import QUESTION_TYPES as PLAN_TYPES
from research_core.text.question import find_keywords
from research_core.text.words import tokenize

# ---------------------------------------------------------------- the model


def ask(kind: str, inputs: Json) -> ModelRequest:
    return ModelRequest(kind, "", "", inputs)


def test_it_costs_nothing_and_says_who_it_is() -> None:
    reply = OfflineModel().run(ask("plan", {"question": "Why is the sea salt?", "max_queries": 1}))
    assert (reply.model, reply.usage, reply.finish) == ("offline", Usage(0, 0, 0.0), "stop")


@pytest.mark.parametrize("kind", ["choose_tools", "sing"])
def test_what_it_cannot_do_it_says_with_the_next_step(kind: str) -> None:
    with pytest.raises(ModelError) as caught:
        OfflineModel().run(ask(kind, {}))
    assert caught.value.kind == "config"
    assert "GEMINI_API_KEY" in caught.value.next_step


WRITE: Json = {
    "question": "Why is the sea salt?",
    "limited": False,
    "dropped": [],
    "sub_questions": [],
    "sources": [
        {
            "title": "Salt",
            "passages": [
                {"id": "p0a1b2c3d", "text": "Rivers carry salt from the rocks into the sea."}
            ],
        }
    ],
}


def test_a_report_is_passed_on_in_pieces_that_make_the_whole() -> None:
    pieces: list[str] = []
    reply = OfflineModel().run(ask("write", WRITE), pieces.append)
    assert "".join(pieces) == reply.text
    assert len(pieces) >= 4


#: Words of the sample library's questions, names of its hosts; no rule may know them.
SAMPLE_WORDS = """flamenco guitar ordinance decibel dance wedding rumba cuban hotel luxury booking microplastic plastic seabed mining nodule
    fusion tokamak diego"""


def test_no_rule_knows_the_sample_library() -> None:
    for path in Path(research_core.llm.__path__[0]).glob("*.py"):
        known = {
            word
            for word in SAMPLE_WORDS.split()
            if re.search(rf"\b{word}", path.read_text(), re.IGNORECASE)
        }
        assert not known, path.name


# ---------------------------------------------------------------- plan

QUESTIONS = {
    "How does tea differ from coffee for the heart?": ("comparison", (["tea", "heart"], ["coffee", "heart"])),
    "Postgres vs MySQL for analytics": ("comparison", (["Postgres", "analytics"], ["MySQL", "analytics"])),
    "What is the difference between sleet and hail?": ("comparison", (["sleet"], ["hail"])),
    "Is copper a better conductor than silver?": ("comparison", (["copper"], ["silver"])),
    "Which is cheaper, buying or leasing a car?": ("comparison", (["buying", "car"], ["leasing", "car"])),
    "How do alpine and valley glaciers differ?": ("comparison", (["alpine", "glaciers"], ["valley", "glaciers"])),
    "How much does a heat pump cost to install?": ("quantity", None),
    "What do plumbers charge and what are their prices?": ("quantity", None),
    "How to prune an apple tree?": ("guidance", None),
    "Best ways to learn Basque": ("guidance", None),
    "Why do leaves turn red?": ("explanation", None),
    "How does sleep affect memory?": ("explanation", None),
    "Who invented the zip?": ("fact", None),
    "In which year was Lisbon rebuilt?": ("fact", None),
    "CRISPR": ("overview", None),
    "What are the symptoms of scurvy?": ("overview", None),
}  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_type_of_a_question_and_its_sides_come_from_its_form(question: str) -> None:
    kind, sides = QUESTIONS[question]
    assert classify_question(question) == kind
    if kind == "comparison":
        assert split_comparison(question) == sides


def test_every_type_is_one_a_plan_knows() -> None:
    assert {name for name, _ in QUESTION_TYPES} == set(SUB_QUESTIONS) == set(PLAN_TYPES)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_planned_queries_differ_from_the_question_and_from_each_other(
    question: str, most: int
) -> None:
    planned = json.loads(answer_plan({"question": question, "max_queries": most}))
    said = [tokenize(text) for text in (question, *planned["queries"])]
    assert len({tuple(words) for words in said}) == len(said)
    assert len(planned["queries"]) == most or len(find_keywords(question)) < 2


def test_a_query_has_the_key_words_without_the_frame_of_the_question() -> None:
    (query,) = json.loads(
        answer_plan(
            {
                "question": "Can you tell me what the symptoms of scurvy are in dogs?",
                "max_queries": 1,
            }
        )
    )["queries"]
    assert query == "symptoms scurvy dogs"


def test_each_side_of_a_comparison_is_searched_with_what_it_is_compared_by() -> None:
    planned = json.loads(
        answer_plan({"question": "Which is cheaper, buying or leasing a car?", "max_queries": 2})
    )
    assert planned["queries"] == ["buying car cheaper", "leasing car cheaper"]


# ---------------------------------------------------------------- refine and gaps


def test_a_refined_query_takes_over_what_the_snippets_share() -> None:
    snippets = [
        {"title": "Scurvy", "snippet": text}
        for text in (
            "Scurvy is a lack of ascorbic acid.",
            "Ascorbic acid heals gums.",
            "Gums bleed.",
        )
    ]
    assert json.loads(
        answer_refine({"question": "What are the symptoms of scurvy?", "snippets": snippets})
    ) == {"query": "symptoms scurvy acid ascorbic"}


def test_words_shared_by_one_snippet_only_are_not_taken_over() -> None:
    assert find_salient_words(["Ascorbic acid heals.", "Bleeding gums."], besides="scurvy") == []


@pytest.mark.parametrize("question", ["scurvy", "What is scurvy?", "symptoms of scurvy in dogs"])
def test_a_refined_query_is_never_the_question(question: str) -> None:
    query = json.loads(answer_refine({"question": question, "snippets": []}))["query"]
    assert tokenize(query)
    assert tokenize(query) != tokenize(question)


def test_gaps_are_words_of_the_question_that_few_passages_hold() -> None:
    passages = [
        {"title": "Scurvy", "text": f"The symptoms of scurvy number {n}."} for n in range(5)
    ] + [{"title": "Dogs", "text": "Dogs rarely get scurvy."}]
    found = json.loads(
        answer_gaps(
            {
                "question": "symptoms and treatment of scurvy in dogs",
                "passages": passages,
                "queries": [],
                "max_queries": 2,
            }
        )
    )
    assert found["gaps"] == [
        "No passage mentions “treatment”.",
        "Only 1 of 6 passages mentions “dogs”.",
    ]
    assert found["queries"] == ["treatment symptoms scurvy", "dogs symptoms scurvy"]


def test_a_question_of_quantity_misses_figures() -> None:
    passages = [{"title": "Pumps", "text": "What a heat pump will cost depends on the house."}]
    found = json.loads(
        answer_gaps(
            {
                "question": "How much does a heat pump cost?",
                "passages": passages,
                "queries": [],
                "max_queries": 2,
            }
        )
    )
    assert found == {"gaps": ["No passage gives a figure."], "queries": ["heat pump cost figures"]}


def test_there_need_not_be_a_gap() -> None:
    passages = [{"title": "", "text": "Scurvy has symptoms."}]
    inputs = {
        "question": "symptoms of scurvy",
        "passages": passages,
        "queries": [],
        "max_queries": 2,
    }
    assert json.loads(answer_gaps(inputs)) == {"gaps": [], "queries": []}
