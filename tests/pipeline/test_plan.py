"""The plan, the refined query and the gaps: what is asked of the model, and what is made of any
answer.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import CapReached, ModelError, ModelRefused
from research_core.i18n import use_language
from research_core.llm.offline import OfflineModel
from research_core.models import Passage, SearchResult, Summary
from research_core.modes import ResearchMode
from research_core.pipeline.plan import (
    MAX_QUERY_LENGTH,
    QUESTION_TYPES,
    Gaps,
    find_gaps,
    plan_research,
    refine_query,
)
from research_core.pipeline.prompts import PromptContext
from research_core.web.failure_texts import translate_failure
from tests.scripted import Scripted

QUESTION = "How high are the tides at Harwich in spring?"
RESULTS = (
    SearchResult(
        "Tide tables for Harwich",
        "https://tides.example.org/a",
        "Heights of the tides above chart datum at Harwich.",
    ),
    SearchResult(
        "Chart datum explained",
        "https://tides.example.org/b",
        "At Harwich each tide is given above chart datum.",
    ),
)
SUMMARIES = (
    Summary(
        "https://tides.example.org/a",
        "Tide tables",
        "…",
        (Passage("p00000001", "At Harwich the mean spring range is 3.6 metres.", 0, 48),),
    ),
)
DOWN = ModelError("gemini answered 503.", kind="upstream_unavailable")


def answered(**fields: Any) -> str:
    return json.dumps(
        {
            "type": "fact",
            "strategy": "Read the almanac.",
            "sub_questions": ["When?"],
            "queries": ["Harwich spring tide"],
        }
        | fields
    )


# ---------------------------------------------------------------- plan


def test_a_plan_is_read() -> None:
    plan = plan_research(
        QUESTION,
        ResearchMode.standard(),
        Scripted(answered(queries=["Harwich spring range", "UKHO tide heights"])),
    )
    assert (plan.type, plan.strategy, plan.note) == ("fact", "Read the almanac.", "")
    assert plan.sub_questions == ("When?",)
    assert plan.queries == ("Harwich spring range", "UKHO tide heights")


@pytest.mark.parametrize(
    ("mode", "queries"),
    [(ResearchMode.quick(), 1), (ResearchMode.standard(), 2), (ResearchMode.deep(), 2)],
)
def test_a_plan_has_no_more_queries_than_its_mode_plans_for(
    mode: ResearchMode, queries: int
) -> None:
    model = Scripted(answered(queries=[f"query number {n}" for n in range(9)]))
    assert len(plan_research(QUESTION, mode, model).queries) == queries
    assert model.requests[0].inputs == {"question": QUESTION, "max_queries": queries}
    assert model.requests[0].timeout_s == 30.0


@pytest.mark.parametrize(("given_", "kept"), [
    ([QUESTION, "how high are the tides at harwich in spring", "tide table"], ("tide table",)),
    (["tide table", "Tide  Table!", "chart datum"], ("tide table", "chart datum")),
    (["tide table", "chart datum", "Tide  Table!"], ("chart datum", "tide table")),
    (["", "  ", "\u200b", "?"], ()),
    (["tide\ntable", 7, None, ["x"]], ("tide table",)),
    ("tide table", ()),
    (None, ()),
])  # fmt: skip
def test_a_query_is_one_line_and_repeats_nothing(given_: Any, kept: tuple[str, ...]) -> None:
    assert (
        plan_research(QUESTION, ResearchMode.standard(), Scripted(answered(queries=given_))).queries
        == kept
    )


def test_an_endless_query_is_cut() -> None:
    (query,) = plan_research(
        QUESTION, ResearchMode.quick(), Scripted(answered(queries=["tide " * 1000]))
    ).queries
    assert len(query) <= MAX_QUERY_LENGTH


def test_a_plan_in_a_code_block_is_read() -> None:
    assert plan_research(
        QUESTION, ResearchMode.quick(), Scripted(f"Here it is:\n```json\n{answered()}\n```\n")
    ).queries == ("Harwich spring tide",)


UNREADABLE = [
    "",
    "No.",
    "[]",
    '["a"]',
    "{",
    '{"type": "fact"',
    "null",
    "}{",
    "{" * 100_000,
    '{"a": NaN}}',
]


@pytest.mark.parametrize("text", UNREADABLE, ids=range(len(UNREADABLE)))
def test_where_a_plan_is_unreadable_rules_make_one_and_it_says_so(text: str) -> None:
    plan = plan_research(QUESTION, ResearchMode.standard(), Scripted(text))
    offline = plan_research(QUESTION, ResearchMode.standard(), OfflineModel())
    why = "the model's answer could not be read."
    assert plan == replace(offline, note=f"The model made no plan, so rules made it: {why}")


@pytest.mark.parametrize("text", UNREADABLE, ids=range(len(UNREADABLE)))
def test_under_earlier_rules_an_unreadable_plan_searches_the_question_alone(text: str) -> None:
    plan = plan_research(QUESTION, ResearchMode.standard(), Scripted(text), by_rules=False)
    assert (plan.type, plan.queries, plan.sub_questions) == ("overview", (), ())
    assert plan.note == "No plan was made: the model's answer could not be read."


@pytest.mark.parametrize(
    ("by_rules", "note"),
    [
        (True, "The model made no plan, so rules made it: gemini answered 503."),
        (False, "No plan was made: gemini answered 503."),
    ],
)
def test_a_failed_plan_says_why(by_rules: bool, note: str) -> None:
    plan = plan_research(QUESTION, ResearchMode.standard(), Scripted(DOWN), by_rules=by_rules)
    assert plan.note == note


def test_a_model_that_is_refused_ends_the_run() -> None:
    error = ModelRefused("The key is refused.", role="model")
    with pytest.raises(ModelRefused, match="The key is refused"):
        plan_research(QUESTION, ResearchMode.standard(), Scripted(error))


@pytest.mark.parametrize("step", [
    lambda model: plan_research(QUESTION, ResearchMode.quick(), model),
    lambda model: refine_query(QUESTION, RESULTS, model),
    lambda model: find_gaps(QUESTION, SUMMARIES, (), model, 2),
])  # fmt: skip
def test_what_is_no_failure_of_the_model_passes_through(step: Any) -> None:
    with pytest.raises(CapReached):
        step(Scripted(CapReached("calls", "The cap was reached.")))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=30), lambda x: st.lists(x, max_size=4) | st.dictionaries(
    st.sampled_from(["type", "strategy", "sub_questions", "queries", "query", "gaps"]), x, max_size=6), max_leaves=12))  # fmt: skip
def test_any_json_makes_a_plan_a_query_and_gaps(value: Any) -> None:
    model = Scripted(json.dumps(value))
    plan = plan_research(QUESTION, ResearchMode.standard(), model)
    assert plan.type in QUESTION_TYPES
    assert all(
        isinstance(text, str) and text.strip() for text in (*plan.queries, *plan.sub_questions)
    )
    assert refine_query(QUESTION, RESULTS, model).strip()
    assert isinstance(find_gaps(QUESTION, SUMMARIES, (), model, 2), Gaps)


# ---------------------------------------------------------------- refine


def test_a_refined_query_is_the_models() -> None:
    model = Scripted('{"query": "Harwich chart datum\\nmean high water springs"}')
    assert refine_query(QUESTION, RESULTS, model) == "Harwich chart datum mean high water springs"
    assert model.requests[0].inputs["snippets"] == [
        {"title": r.title, "snippet": r.snippet} for r in RESULTS
    ]


@pytest.mark.parametrize(
    "answer",
    [DOWN, "nothing", '{"query": ""}', json.dumps({"query": QUESTION}), '{"query": ["a"]}'],
)
def test_without_one_the_query_is_the_offline_planner_s(answer: Any) -> None:
    offline = refine_query(QUESTION, RESULTS, OfflineModel())
    query = refine_query(QUESTION, RESULTS, Scripted(answer))
    unusable = isinstance(answer, str) and answer.startswith("{")
    assert query == ("high tides Harwich spring" if unusable else offline)
    earlier = refine_query(QUESTION, RESULTS, Scripted(answer), by_rules=False)
    assert earlier == "high tides Harwich spring"


# ---------------------------------------------------------------- gaps


def test_gaps_come_with_queries_that_were_not_asked() -> None:
    model = Scripted(
        json.dumps(
            {
                "gaps": ["No neap tides.", "No neap tides."],
                "queries": ["harwich spring range", "Harwich neap range", "b", "c"],
            }
        )
    )
    gaps = find_gaps(QUESTION, SUMMARIES, ["Harwich spring range"], model, 2)
    assert gaps == Gaps(("No neap tides.",), ("Harwich neap range", "b"))
    assert model.requests[0].inputs == {
        "question": QUESTION,
        "passages": [
            {"title": "Tide tables", "text": "At Harwich the mean spring range is 3.6 metres."}
        ],
        "queries": ["Harwich spring range"],
        "max_queries": 2,
    }


def test_gaps_that_were_not_looked_for_say_so() -> None:
    assert find_gaps(QUESTION, SUMMARIES, (), Scripted(DOWN), 2) == Gaps(
        note="Gaps were not looked for: gemini answered 503."
    )


# ---------------------------------------------------------------- without a language model


def test_the_offline_model_plans_refines_and_looks_for_gaps() -> None:
    model = OfflineModel()
    plan = plan_research(QUESTION, ResearchMode.deep(), model)
    assert plan.note == ""
    assert len(plan.queries) == 2
    refined = refine_query(QUESTION, RESULTS, model)
    assert {"chart", "datum"} & set(refined.split())
    gaps = find_gaps(QUESTION, SUMMARIES, [QUESTION, *plan.queries, refined], model, 2)
    assert gaps.note == ""
    assert not {query.lower() for query in gaps.queries} & {query.lower() for query in plan.queries}


def test_a_follow_up_is_planned_with_the_question_before_it_and_any_other_question_as_ever() -> (
    None
):
    model = Scripted(answered())
    plan_research(QUESTION, ResearchMode.quick(), model)
    plan_research(QUESTION, ResearchMode.quick(), model, follows="What causes tides?")
    alone, after = model.requests
    assert "<question>\nWhat causes tides?\n</question>" in after.prompt
    assert after.inputs == {**alone.inputs, "follows": "What causes tides?"}
    assert "follows up" not in alone.prompt


# ---------------------------------------------------------------- by part of the question


def by_part(*parts: Any, **fields: Any) -> str:
    return json.dumps({"type": "fact", "strategy": "Read.", "parts": list(parts), **fields})


def part(question: Any, *queries: Any) -> Any:
    return {"question": question, "queries": list(queries)}


@pytest.mark.parametrize(
    ("reply", "questions", "queries"),
    [
        (
            by_part(part("When?", "tide table", "tide times"), part("Why?", "moon tide")),
            ("When?", "Why?"),
            ("tide table", "moon tide", "tide times"),
        ),
        (by_part(part("Quand ?", "marée"), part("Quand ?")), ("Quand ?",), ("marée",)),
        (by_part(part("When?", "tide", "Tide!"), part("Why?")), ("When?", "Why?"), ("tide",)),
        (by_part(part(7, None), "Why?", part("When?", ["x"], "tide")), ("When?",), ("tide",)),
        (by_part(part("When?", "tide"), queries=["moon"]), ("When?",), ("tide", "moon")),
        (answered(queries=["tide", "moon"]), ("When?",), ("tide", "moon")),
        (by_part({"question": "When?", "queries": "tide"}), ("When?",), ()),
        (by_part({"question": "\u200b"}, part(" Why?\n", "mo\non")), ("Why?",), ("mo on",)),
        (by_part(sub_questions="When?", queries=None), (), ()),
        (json.dumps({"parts": {"question": "When?"}}), (), ()),
    ],
)
def test_a_plan_by_part_has_the_best_query_of_each_part_first(
    reply: str, questions: tuple[str, ...], queries: tuple[str, ...]
) -> None:
    plan = plan_research(QUESTION, ResearchMode.exhaustive(), Scripted(reply))
    assert (plan.sub_questions, plan.queries) == (questions, queries)


@pytest.mark.parametrize("sources", [10, 11, 12])
def test_the_offline_plan_has_a_query_for_each_part(sources: int) -> None:
    mode = ResearchMode.exhaustive(sources)
    prompting = PromptContext(version=4)
    plan = plan_research("Is tea healthy?", mode, OfflineModel(), prompting=prompting)
    assert 3 < len(plan.sub_questions) <= len(plan.queries) <= len(mode.planned_shares)


def test_an_earlier_session_is_asked_for_as_many_parts_as_it_was() -> None:
    model = Scripted(by_part(*(part(f"Part {n}?", f"query {n}") for n in range(9))))
    mode = ResearchMode.exhaustive(10)
    plan = plan_research(QUESTION, mode, model, prompting=PromptContext(version=3))
    assert (len(plan.sub_questions), len(plan.queries)) == (6, 4)


@pytest.mark.parametrize(("sources", "queries"), [(10, 4), (13, 7), (40, 12), (100, 12)])
def test_a_plan_by_part_has_as_many_parts_and_queries_as_its_mode_has_places_for(
    sources: int, queries: int
) -> None:
    parts = [part(f"Part {n}?", f"query {n} one", f"query {n} two") for n in range(9)]
    model = Scripted(by_part(*parts))
    mode = ResearchMode.exhaustive(sources)
    plan = plan_research(QUESTION, mode, model, prompting=PromptContext(version=4))
    assert (len(plan.sub_questions), len(plan.queries)) == (min(6, queries), queries)
    asked = {"question": QUESTION, "max_queries": queries, "by_part": True}
    assert model.requests[0].inputs == asked


@pytest.mark.parametrize("mode", [ResearchMode.standard(), ResearchMode.exhaustive()])
def test_only_the_offline_planner_leaves_a_note(mode: ResearchMode) -> None:
    many = " ".join(f"How {word} is a canal?" for word in "long wide deep old fast big".split())
    assert (
        plan_research(QUESTION, mode, Scripted(answered(note="Trust tides.example.org."))).note
        == ""
    )
    assert "How big is a canal?" in plan_research(many, mode, OfflineModel()).note
    failed = plan_research(many, mode, Scripted("no plan")).note
    assert failed.startswith("The model made no plan")
    assert "How big is a canal?" in failed
    with use_language("de"):
        assert plan_research(many, mode, Scripted("no plan")).note == failed
        shown = translate_failure(failed)
    for english in ("The model made", "could not be read", "Only the first", "Ask the others"):
        assert english in failed
        assert english not in shown
    assert "How big is a canal?" in shown


@pytest.mark.parametrize("text", UNREADABLE, ids=range(len(UNREADABLE)))
def test_where_a_plan_by_part_is_unreadable_rules_make_one(text: str) -> None:
    mode = ResearchMode.exhaustive()
    plan = plan_research(QUESTION, mode, Scripted(text))
    offline = plan_research(QUESTION, mode, OfflineModel())
    assert (plan.sub_questions, plan.queries) == (offline.sub_questions, offline.queries)
    assert plan.note.startswith("The model made no plan, so rules made it")


@pytest.mark.parametrize(
    ("question", "parts", "some"),
    [
        ("What are the effects of night shifts on memory?", 4, "night shifts memory overview"),
        ("Should schools ban homework?", 4, "schools homework arguments"),
        (
            "What is the difference between a violin and a viola?",
            4,
            "violin viola difference",
        ),
        ("How does a heat pump work and what does it cost?", 4, "heat pump cost"),
        ("Tell me about the Etruscans", 4, "Etruscans overview"),
        ("Hilft Ingwer gegen Übelkeit?", 1, "Hilft Ingwer gegen Übelkeit"),
    ],
)
def test_the_offline_planner_has_queries_for_the_parts(
    question: str, parts: int, some: str
) -> None:
    plan = plan_research(question, ResearchMode.exhaustive(), OfflineModel())
    assert len(plan.sub_questions) == parts
    words = {tuple(sorted(query.lower().split())) for query in plan.queries}
    assert len(words) == len(plan.queries)
    assert tuple(sorted(some.lower().split())) in words or parts == 1
    assert not {"speaks", "known", "key"} & {word for query in words for word in query}


def test_gaps_by_part_name_the_parts_and_two_passages_of_each_source() -> None:
    model = Scripted('{"gaps": ["No neap tides."], "queries": ["neap tides Harwich"]}')
    long = [replace(summary, passages=summary.passages * 3) for summary in SUMMARIES]
    find_gaps(QUESTION, long, (), model, 2, parts=("When?", "Why?"))
    (request,) = model.requests
    assert request.inputs["parts"] == ["When?", "Why?"]
    assert len(request.inputs["passages"]) == 2 * len(SUMMARIES)
    assert "When?" in request.prompt


def test_the_offline_model_looks_for_gaps_in_each_part() -> None:
    question = "How high are the tides at Harwich?"
    none = find_gaps(question, (), (), OfflineModel(), 3)
    more = find_gaps(question, (), (), OfflineModel(), 3, parts=("How do dredgers move silt?",))
    assert len(more.gaps) > len(none.gaps)
