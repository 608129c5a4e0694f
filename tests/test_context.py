"""`ResearchContext`: every attribute and method of spec/research-context.md, and that a stored log
gives back the live context.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core import tools
from research_core.context import ResearchContext
from research_core.journal.events import Draft
from research_core.modes import ResearchMode
from research_core.pipeline.run import research
from research_core.policy import RunSettings
from tests.everyday import costly_examples
from tests.logs import stored_context
from tests.tool_session import GOOD, PAGE, POOR, QUESTION, Web, kinds, listed, row
from tests.world import QUESTION as WORLD_QUESTION
from tests.world import Place, World

ATTRIBUTES = (
    "question", "queries_made", "source_metadata", "sources_fetched", "established_facts", "plan", "gaps", "follow_up_queries",
)  # fmt: skip


def shown(context: ResearchContext) -> dict[str, Any]:
    return {name: getattr(context, name) for name in ATTRIBUTES}


def result(url: str = GOOD, snippet: str = QUESTION, title: str = "Codes") -> dict[str, str]:
    return {"title": title, "url": url, "snippet": snippet}


# ---------------------------------------------------------------- attributes


def test_a_new_context_knows_its_question_and_nothing_else() -> None:
    assert shown(ResearchContext("What is CRISPR?")) == {
        "question": "What is CRISPR?",
        "queries_made": [],
        "source_metadata": {},
        "sources_fetched": {},
        "established_facts": [],
        "plan": None,
        "gaps": [],
        "follow_up_queries": [],
    }


def test_two_contexts_share_nothing() -> None:
    one, other = ResearchContext(QUESTION), ResearchContext(QUESTION)
    one.add_query("codes")
    assert (one.queries_made, other.queries_made) == (["codes"], [])


def test_what_it_gives_out_can_be_changed_without_harm() -> None:
    context = listed(row())
    for name in ATTRIBUTES[1:]:
        value = getattr(context, name)
        if value is not None:
            value.clear()
    assert (context.queries_made, list(context.source_metadata)) == (["first"], [GOOD])


# ---------------------------------------------------------------- methods


def test_queries_are_kept_in_order_and_once() -> None:
    context = ResearchContext(QUESTION)
    for query in ("b", "a", "b", "ü 潮", "a"):
        context.add_query(query)
    assert context.queries_made == ["b", "a", "ü 潮"]
    assert context.order_of("a") < context.order_of("ü 潮")


def test_results_are_scored_for_the_question_they_were_searched_for() -> None:
    context = ResearchContext("something else")
    context.add_search_results([result(), result(POOR, "unrelated words here 2024")], QUESTION)
    assert context.source_metadata == {
        GOOD: {"title": "Codes", "snippet": QUESTION, "score": 0.82, "fetched": False},
        POOR: {
            "title": "Codes",
            "snippet": "unrelated words here 2024",
            "score": 0.46,
            "fetched": False,
        },
    }


def test_an_address_already_known_keeps_what_it_has() -> None:
    context = listed(row())
    context.add_search_results(
        [result(snippet="nothing", title="Other"), result("HTTPS://Nature.com/codes#top", "")],
        QUESTION,
    )
    assert context.source_metadata == {
        GOOD: {"title": "Codes", "snippet": QUESTION, "score": 0.82, "fetched": False}
    }


def test_an_address_listed_twice_at_once_counts_once() -> None:
    context = ResearchContext(QUESTION)
    context.add_search_results(
        [result(title="First"), result(title="Second", snippet="")], QUESTION
    )
    assert context.source_metadata[GOOD]["title"] == "First"
    assert kinds(context).count("found") == 1


def test_the_first_search_result_replaces_a_provisional_score() -> None:
    context = ResearchContext(QUESTION)
    assert context.get_score(GOOD) == 0.32
    assert context.parts(GOOD).provisional
    context.add_search_results([result()], QUESTION)
    assert (context.get_score(GOOD), context.parts(GOOD).provisional) == (0.82, False)
    context.add_search_results([result(snippet="", title="Later")], QUESTION)
    assert context.source_metadata[GOOD] == {
        "title": "Codes",
        "snippet": QUESTION,
        "score": 0.82,
        "fetched": False,
    }


def test_a_score_is_computed_once_and_stored() -> None:
    context = ResearchContext(QUESTION)
    assert context.get_score(POOR) == context.get_score(POOR) == 0.36
    assert kinds(context).count("found") == 1
    assert context.source_metadata[POOR] == {
        "title": "",
        "snippet": "",
        "score": 0.36,
        "fetched": False,
    }


def test_a_score_is_not_changed_by_a_fetch() -> None:
    context = listed(row())
    context.add_fetched_page(GOOD, "text", title="Another title")
    assert context.source_metadata[GOOD] == {
        "title": "Codes",
        "snippet": QUESTION,
        "score": 0.82,
        "fetched": True,
    }


@pytest.mark.parametrize(
    "url",
    [
        "not an address",
        "",
        "ftp://files.example.org/x",
        "https://[::1",
        "https://a.example.org\\@b/",
    ],
)
def test_an_address_that_cannot_be_read_is_general_and_provisional(url: str) -> None:
    context = ResearchContext(QUESTION)
    assert context.get_score(url) == 0.16
    assert (context.parts(url).tier, context.parts(url).provisional) == ("general web", True)
    assert context.is_blocked(url)
    assert not context.is_fetched(url)


def test_pages_are_kept_under_their_address_in_any_spelling() -> None:
    context = listed(row())
    assert (context.is_fetched(GOOD), context.get_fetched_content(GOOD)) == (False, "")
    context.add_fetched_page("https://NATURE.com/codes?utm_source=x", "The text – 潮汐 \ud800.")
    for url in (GOOD, f"{GOOD}#part", "https://nature.com:443/codes"):
        assert context.is_fetched(url)
        assert context.get_fetched_content(url) == "The text – 潮汐 \ud800."
    assert context.sources_fetched == {GOOD: "The text – 潮汐 \ud800."}


def test_a_page_nobody_listed_can_be_added() -> None:
    context = ResearchContext(QUESTION)
    context.add_fetched_page(GOOD, "text", title="Read", kind="pdf")
    assert [event.data["kind"] for event in context.log.emitted if event.kind == "fetched"] == [
        "pdf"
    ]
    assert context.source_metadata[GOOD] == {
        "title": "Read",
        "snippet": "",
        "score": 0.0,
        "fetched": True,
    }
    assert context.get_score(GOOD) == 0.32
    context.add_search_results([result()], QUESTION)
    assert context.source_metadata[GOOD] == {
        "title": "Codes",
        "snippet": QUESTION,
        "score": 0.82,
        "fetched": True,
    }


def test_a_page_that_failed_is_not_fetched_until_somebody_adds_it() -> None:
    context = listed(row())
    context.add_failed_page(GOOD, "There is no such page.")
    assert (context.is_fetched(GOOD), context.sources_fetched) == (False, {})
    assert context.run.sources[GOOD].failure == "There is no such page."
    context.add_fetched_page(GOOD, "text")
    assert context.sources_fetched == {GOOD: "text"}
    assert context.run.sources[GOOD].failure == ""


def test_facts_are_kept_in_order_and_once() -> None:
    context = ResearchContext(QUESTION)
    for fact in (
        "Codes need many qubits.",
        "Flut höher als 潮",
        "Codes need many qubits.",
        "x" * 5000,
    ):
        context.add_established_fact(fact)
    assert context.established_facts == ["Codes need many qubits.", "Flut höher als 潮", "x" * 5000]


def test_all_sources_come_best_first_with_what_a_sources_section_needs() -> None:
    context = listed(row(POOR, ""), row(), row("https://nature.com/a", title="Same score"))
    context.add_fetched_page(GOOD, "text")
    assert context.get_all_sources() == [
        {"url": "https://nature.com/a", "title": "Same score", "score": 0.82, "fetched": False},
        {"url": GOOD, "title": "Codes", "score": 0.82, "fetched": True},
        {"url": POOR, "title": "Codes", "score": 0.36, "fetched": False},
    ]


def test_an_own_document_is_not_scored() -> None:
    context = ResearchContext(QUESTION)
    context.add_search_results([result("document:abc", title="Mine")], QUESTION)
    assert context.source_metadata["document:abc"] == {
        "title": "Mine",
        "snippet": QUESTION,
        "score": 0.0,
        "fetched": False,
    }
    assert (context.get_score("document:abc"), context.is_blocked("document:abc")) == (0.0, False)
    assert kinds(context).count("found") == 1


def test_what_a_search_listed_is_known_character_for_character() -> None:
    context = listed(row())
    context.get_score(POOR)
    assert context.is_listed(GOOD)
    assert not any(
        context.is_listed(url) for url in (POOR, f"{GOOD}/", GOOD.upper(), f"{GOOD} ", "")
    )


# ---------------------------------------------------------------- aside


def test_what_is_learnt_aside_is_dropped() -> None:
    context = listed(row(), web=Web({GOOD: PAGE}))
    before, aside = shown(context), context.copy_in_memory()
    assert shown(aside) == before
    text = tools.fetch_page(GOOD, aside)
    aside.add_query("aside")
    aside.add_established_fact("aside")
    assert (aside.queries_made, aside.sources_fetched, aside.established_facts) == (
        ["first", "aside"],
        {GOOD: text},
        ["aside"],
    )
    assert shown(context) == before
    assert [event.kind for event in context.log.read()].count("fetched") == 0
    assert [event.kind for event in context.log.read()].count(
        "call"
    ) == 1  # what the outside said is kept


# ---------------------------------------------------------------- over a stored log


def test_a_context_over_a_stored_log_equals_the_live_one() -> None:
    live = listed(row(), row(POOR, ""), row("https://nature.com/b"), web=Web({GOOD: PAGE}))
    tools.fetch_page(GOOD, live)
    tools.fetch_page(POOR, live)
    tools.fetch_page("https://nature.com/b", live)
    tools.search_web("nothing", live)
    live.add_query("first")
    live.get_score("https://someblog.com/")
    live.add_established_fact("A fact.")
    stored = stored_context(live.log)
    assert shown(stored) == shown(live)
    assert (stored.get_all_sources(), stored.run) == (live.get_all_sources(), live.run)
    assert stored.log.read() == live.log.read()  # to look at it writes nothing


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["query", "results", "page", "failed", "score", "fact", "block"]),
        st.integers(0, 2),
        st.integers(0, 3),
    ),
    max_size=12,
)


@costly_examples()
@given(STEPS)
def test_any_order_of_steps_is_read_back_as_it_was(steps: list[tuple[str, int, int]]) -> None:
    live = ResearchContext(QUESTION)
    urls = [GOOD, POOR, "document:abc"]
    do: dict[str, Callable[[int, int], object]] = {
        "query": lambda n, m: live.add_query(f"query {m}"),
        "results": lambda n, m: live.add_search_results(
            [result(urls[n], QUESTION[: 8 * m], f"Title {m}"), result(urls[m % 3])], QUESTION
        ),
        "page": lambda n, m: live.add_fetched_page(urls[n], f"text {m}"),
        "failed": lambda n, m: live.add_failed_page(urls[n], f"reason {m}"),
        "score": lambda n, m: live.get_score(urls[n]),
        "fact": lambda n, m: live.add_established_fact(f"fact {m}"),
        "block": lambda n, m: live.block(urls[n], 0.36),
    }
    for name, n, m in steps:
        do[name](n, m)
    stored = stored_context(live.log)
    assert (shown(stored), stored.run) == (shown(live), live.run)


def test_a_stored_context_goes_on_where_the_log_ends() -> None:
    live = listed(row(), web=Web({GOOD: PAGE}))
    stored = stored_context(live.log, live.deps)
    stored.add_query("second")
    assert tools.fetch_page(GOOD, stored).startswith("Surface codes")
    assert stored_context(live.log).queries_made == stored.queries_made == ["first", "second"]
    assert stored.order_of("second") == stored.order_of("first") + 1


@pytest.mark.parametrize("strategy", ["planned", "agentic"])
def test_the_pipeline_fills_every_attribute_and_the_stored_context_has_them(
    place: Place, strategy: str
) -> None:
    run = RunSettings(mode="deep", strategy=strategy, engines=("north", "south"), model="world")
    place.session("s", run, WORLD_QUESTION)
    with place.deps(World(2), place.log("s"), run) as deps:
        built = research(WORLD_QUESTION, deps)
        live = ResearchContext(WORLD_QUESTION, deps)
    stored = stored_context(place.log("s"))
    assert (shown(stored), stored.run) == (shown(live), live.run)
    kept = [source for source in built.sources if source.status == "kept"]
    assert kept
    assert all(any(source.url in fact for fact in stored.established_facts) for source in kept)
    assert {source.url for source in built.sources} == set(stored.source_metadata)
    assert len(stored.sources_fetched) == built.funnel["fetched"]
    assert stored.plan is not None
    assert list(stored.plan) == ["type", "strategy", "sub_questions", "queries"]
    if strategy == "planned":
        assert stored.queries_made[0] == WORLD_QUESTION
        assert stored.plan["queries"] == stored.queries_made[1:3]
        assert len(stored.plan["queries"]) == len(ResearchMode.deep().planned_shares)
        assert (stored.gaps, len(stored.follow_up_queries)) == (["numbers are missing"], 2)
        assert set(stored.follow_up_queries) < set(stored.queries_made)


def test_a_run_starts_empty_whatever_its_log_holds(place: Place) -> None:
    run = RunSettings(engines=("north",), model="world")
    place.session("s", run, WORLD_QUESTION)
    with place.deps(World(), place.log("s"), run) as deps:
        ResearchContext(WORLD_QUESTION, deps).add_query("codes")
    with place.deps(World(), place.log("s"), run) as deps:
        assert ResearchContext(WORLD_QUESTION, deps).queries_made == []
        assert stored_context(deps.log).queries_made == ["codes"]


def test_the_thresholds_are_those_of_the_run_it_belongs_to(place: Place) -> None:
    run = RunSettings(engines=("north",), model="world", mode="quick")
    place.session("s", run, WORLD_QUESTION)
    with place.deps(World(), place.log("s"), run) as deps:
        assert ResearchContext(WORLD_QUESTION, deps).run.settings == run
    assert stored_context(place.log("s")).run.settings == run


def test_a_judgement_that_is_kept_is_an_established_fact() -> None:
    context = listed(row(), row("https://nature.com/b", title="B"))
    context.add_established_fact("Told.")
    for url, score, scored in (
        (GOOD, 4, True),
        ("https://nature.com/b", 2, True),
        ("https://nature.com/c", 3, False),
    ):
        judged = {
            "url": url,
            "title": url[-5:],
            "score": score,
            "explanation": f"It scores {score}.",
            "scored": scored,
            "reason": "",
        }
        context.log.append(Draft("judged", judged, url))
    assert context.established_facts == [
        "Told.",
        "com/c: It scores 3. (https://nature.com/c)",
        "codes: It scores 4. (https://nature.com/codes)",
    ]
