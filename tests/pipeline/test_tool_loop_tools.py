"""The tool loop where the analyst ticked more tools: what they find, what they may not read, and
what a replay elsewhere is told.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from research_core.context import ResearchContext
from research_core.decisions import gate, report_sources
from research_core.errors import UsageError
from research_core.journal.doorway import Doorway
from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.pipeline.tool_loop import (
    BLOCKED_REFUSAL,
    RAW_MODE_REFUSAL,
    UNLISTED_REFUSAL,
    ToolLoopResult,
)
from research_core.policy import RunSettings
from research_core.tools import list_run_tools
from research_core.trust import provenance
from tests.contracts.openalex import WORK
from tests.contracts.trials import STUDY
from tests.pipeline.test_tool_loop import ENOUGH, PAGES, URLS, asks, fetches, loop, results
from tests.scripted import Scripted
from tests.tool_session import GOOD, PAGE, POOR, QUESTION, Engine, Web, listed, make_context, row
from tests.world import StillClock

STUDIES = "https://clinicaltrials.gov/api/v2/studies"
STUDY_PAGE = "https://clinicaltrials.gov/study/NCT01234567"
ON_TOPIC = {
    **STUDY,
    "protocolSection": {**STUDY["protocolSection"], "conditionsModule": {"conditions": [QUESTION]}},
}  # type: ignore[dict-item]
REGISTER: dict[str, Any] = {
    STUDIES: HttpReply(STUDIES, 200, {}, json.dumps({"studies": [ON_TOPIC]}).encode()),
    STUDY_PAGE: PAGE,
}


def test_a_tool_that_was_ticked_finds_pages_that_can_then_be_read_and_no_others() -> None:
    model = Scripted(
        asks(("clinical_search", {"query": "codes"}), ("fetch_page", {"url": STUDY_PAGE})),
        fetches(STUDY_PAGE, f"{STUDY_PAGE}0"),
        ENOUGH,
    )
    context = make_context(Engine(), web=Web(REGISTER), model=model)
    assert loop(context, tools=list_run_tools(["clinical_search"])) == ToolLoopResult(
        3, 4, "Enough."
    )
    assert [tool["name"] for tool in model.requests[0].tools] == [
        "search_web",
        "fetch_page",
        "score_source",
        "clinical_search",
    ]
    found, early = results(model, 1)
    assert found["trials"][0]["nctId"] == "NCT01234567"
    assert early["error"] == UNLISTED_REFUSAL  # by what was known when the model asked
    read, other = results(model, 2)
    assert "Surface codes" in read["content"]
    assert other["error"] == UNLISTED_REFUSAL


@pytest.mark.parametrize(
    ("retracted", "known"), [(True, False), (True, True), (False, False), (False, True)]
)
def test_what_an_index_lists_as_retracted_is_called_so_in_the_report(
    retracted: bool, known: bool
) -> None:
    """Also where another search has listed it before, whose title, snippet and score it keeps."""
    works, paper = "https://api.openalex.org/works", "https://doi.org/10.1000/tea.1"
    answer = {"meta": {"count": 1}, "results": [WORK | {"is_retracted": retracted}]}
    web = Web({works: HttpReply(works, 200, {}, json.dumps(answer).encode())})
    model = Scripted(asks(("academic_search", {"query": "codes", "provider": "openalex"})), ENOUGH)
    context = (
        listed(row(paper), web=web, model=model)
        if known
        else make_context(Engine(), web=web, model=model)
    )
    before = context.source_metadata
    loop(context, tools=list_run_tools(["academic_search"]))
    assert not known or context.source_metadata == before
    source = next(
        one
        for one in report_sources.list_sources(context.run, gate.decide_gate(context.run))
        if one.url == paper
    )
    assert provenance.find_retraction(source) == ("OpenAlex" if retracted else "")


SHOWN = "https://nature.com/codes"
AWAY = f"{SHOWN}?said=what-was-read"


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("verify_citation", {"citation": SHOWN}, ""),
        ("verify_citation", {"citation": "10.1038/nature12373"}, ""),
        (
            "verify_citation",
            {"citation": "Doe (2020). Codes. https://doi.org/10.1038/nature12373"},
            "",
        ),
        ("verify_citation", {"citation": AWAY}, UNLISTED_REFUSAL),
        ("verify_citation", {"citation": AWAY.removeprefix("https://")}, UNLISTED_REFUSAL),
        ("verify_citation", {"citation": f"Doe, J. (2020). Codes. {AWAY}"}, UNLISTED_REFUSAL),
        (
            "verify_citation",
            {"citation": "https://doi.org/10.1038/nature12373?said=what-was-read"},
            UNLISTED_REFUSAL,
        ),
        ("verify_recommendation", {"recommendations": [{"title": "Codes", "url": SHOWN}]}, ""),
        (
            "verify_recommendation",
            {"recommendations": [{"title": "Codes", "url": SHOWN}, {"title": "More", "url": AWAY}]},
            UNLISTED_REFUSAL,
        ),
    ],
)
def test_a_tool_goes_to_no_address_that_a_model_made_up(
    name: str, arguments: Json, told: str
) -> None:
    """It could carry away what was read."""
    web = Web({SHOWN: PAGE})
    model = Scripted(asks((name, arguments)), ENOUGH)
    context = listed(row(SHOWN), web=web, model=model)
    loop(context, tools=list_run_tools([name]))
    (said,) = results(model)
    assert said.get("error", "") == told
    assert not any("what-was-read" in url for url in web.urls)


def test_a_tool_that_was_not_ticked_is_not_there() -> None:
    model = Scripted(asks(("clinical_search", {"query": "codes"})), ENOUGH)
    loop(make_context(Engine(), web=Web(REGISTER), model=model))
    assert results(model) == [{"error": "Unknown tool: clinical_search"}]
    with pytest.raises(UsageError, match="There is no tool 'clinical'"):
        list_run_tools(["clinical"])


def test_who_was_configured_when_the_run_asked_is_asked_in_its_replay() -> None:
    """A key may be gone by then: what was available is a fact of the log."""
    model = Scripted(asks(("clinical_search", {"query": "codes"})), ENOUGH)
    context = make_context(Engine(), web=Web(REGISTER), model=model)
    loop(context, tools=list_run_tools(["clinical_search"]))
    facts = [event.data for event in context.log.calls() if event.data["kind"] == "fact"]
    assert [fact["value"] for fact in facts] == [["clinicaltrials"]]
    assert context.deps is not None
    assert context.deps.http.tally()["other_calls"] == 1


def test_a_tool_that_reads_what_it_finds_asks_for_no_more_pages_than_there_are_places() -> None:
    model = Scripted(asks(("search_and_scrape", {"query": "codes", "num_results": 4})), ENOUGH)
    context = make_context(Engine(answers={"codes": [row()]}), web=Web({GOOD: PAGE}), model=model)
    loop(context, tools=list_run_tools(["search_and_scrape"]), max_pages=3)
    assert "3 places for pages left" in results(model)[0]["error"]
    assert not context.queries_made


def test_two_that_read_what_they_find_share_the_places_of_a_round() -> None:
    both = [
        ("search_and_scrape", {"query": query, "num_results": 2}) for query in ("codes", "codez")
    ]
    model = Scripted(asks(*both, ("fetch_page", {"url": URLS[5]})), ENOUGH)
    context = listed(row(URLS[5]), web=Web(PAGES), model=model)
    assert context.deps is not None
    context.deps = replace(
        context.deps,
        engines=(
            Engine(
                answers={"codes": [*map(row, URLS[:2])], "codez": [*map(row, URLS[2:4])]}
            ).provider(),
        ),
    )
    loop(context, tools=list_run_tools(["search_and_scrape"]), max_pages=2)
    assert sorted(context.sources_fetched) == URLS[:2]
    assert ["error" in result for result in results(model)] == [False, True, True]


def test_less_than_no_pages_makes_no_places_for_others() -> None:
    wanted = [("search_and_scrape", {"query": "codes", "num_results": many}) for many in (-100, 10)]
    model = Scripted(asks(*wanted), ENOUGH)
    context = make_context(
        Engine(answers={"codes": [*map(row, URLS)]}), web=Web(PAGES), model=model
    )
    loop(context, tools=list_run_tools(["search_and_scrape"]), max_pages=3)
    less, more = results(model)
    assert "search_and_scrape cannot run: num_results" in less["error"]
    assert "3 places for pages left" in more["error"]
    assert not context.sources_fetched


@pytest.mark.parametrize("asked", ["5", None, [3], {"a": 1}])
def test_a_number_of_pages_that_is_none_is_told_and_the_loop_goes_on(asked: Any) -> None:
    model = Scripted(asks(("search_and_scrape", {"query": "codes", "num_results": asked})), ENOUGH)
    loop(
        make_context(Engine(), model=model),
        tools=list_run_tools(["search_and_scrape"]),
        max_pages=3,
    )
    assert "search_and_scrape cannot run: num_results" in results(model)[0]["error"]


def test_a_tool_that_reads_what_it_finds_reads_neither_what_is_struck_nor_what_is_blocked() -> None:
    model, web = (
        Scripted(asks(("search_and_scrape", {"query": "codes"})), ENOUGH),
        Web({**PAGES, POOR: PAGE}),
    )
    found = Engine(answers={"codes": [row(URLS[0]), row(POOR, "nothing"), row(URLS[1])]})
    context = make_context(
        found, web=web, model=model, run=RunSettings(engines=("one",), struck=(URLS[0],))
    )
    loop(context, tools=list_run_tools(["search_and_scrape"]), max_pages=3)
    assert web.urls == [URLS[1]]
    assert {each["url"] for each in results(model)[0]["scrapeFailures"]} == {URLS[0], POOR}


@pytest.mark.parametrize(
    ("url", "mode", "why"), [(POOR, "full", BLOCKED_REFUSAL), (URLS[0], "raw", RAW_MODE_REFUSAL)]
)
def test_scrape_page_reads_nothing_below_the_threshold_and_no_bytes_that_hide_something(
    url: str, mode: str, why: str
) -> None:
    model, web = (
        Scripted(asks(("scrape_page", {"url": url, "mode": mode})), ENOUGH),
        Web({**PAGES, POOR: PAGE}),
    )
    loop(
        listed(row(POOR, "nothing"), row(URLS[0]), web=web, model=model),
        tools=list_run_tools(["scrape_page"]),
    )
    assert why in results(model)[0]["error"]
    assert not web.urls


NOT_HERE = [
    ("news_search", {"provider": "brave"}, "needs BRAVE_API_KEY"),
    ("web_search", {"provider": "brave"}, "needs BRAVE_API_KEY"),
    ("web_search", {"lens": "nonesuch"}, "nonesuch"),
    ("search_and_scrape", {"provider": "brave"}, "needs BRAVE_API_KEY"),
    ("news_search", {}, "No provider of news is configured"),
]


@pytest.mark.parametrize(("name", "arguments", "error"), NOT_HERE)
def test_what_is_not_set_here_is_told_and_recorded_for_a_replay_elsewhere(
    name: str, arguments: Json, error: str
) -> None:
    calls = asks((name, {"query": "codes", **arguments}))
    context = make_context(Engine(), model=(model := Scripted(calls, ENOUGH)))
    loop(context, tools=list_run_tools([name]))
    assert error in results(model)[0]["error"]
    assert context.deps is not None
    settings = replace(context.deps.settings, brave_api_key="brave-key-of-another")
    elsewhere = ResearchContext(
        QUESTION,
        replace(context.deps, settings=settings, log=context.log.copy_in_memory()),
        log=context.log.copy_in_memory(),
    )
    again = Scripted(calls, ENOUGH)
    elsewhere.deps = replace(
        elsewhere.deps, model=again, http=Doorway(elsewhere.log, Web(), again, StillClock()).http
    )
    loop(elsewhere, tools=list_run_tools([name]))
    assert results(again) == results(model)
