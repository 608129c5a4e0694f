"""Exa's searches: what is asked and paid for, what its recorded answers come to. What every
provider makes of bad ones: test_contract.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from research_core.context import memory_log
from research_core.errors import SearchError
from research_core.journal.doorway import Doorway
from research_core.policy import Caps
from research_core.search.providers import PROVIDERS, exa, list_available_rows, select_rows
from research_core.search.queries import (
    AnswerQuery,
    NewsQuery,
    PaperQuery,
    StructuredQuery,
    WebQuery,
)
from tests.contracts import Service, configured
from tests.contracts.exa import ANSWER, EXTRACTED, KEY, NOTHING, NOW, ROOT, ROW, SCHEMA, SEARCH
from tests.scripted import Scripted
from tests.tool_calls_made import ScriptedServices, for_each_recorded
from tests.world import StillClock

SETTINGS = configured(**KEY)
URL = "https://api.exa.ai/search"


def asked(search: Any, query: Any, body: Any = SEARCH) -> dict[str, Any]:
    """What Exa is asked in the one call that is paid for."""
    service = Service([("api.exa.ai/search", body), ROOT], headers=NOW)
    search(service, SETTINGS, query)
    ((method, url, options),) = [each for each in service.asked if each[1] == URL]
    assert (method, url, options["headers"]["x-api-key"], options["endpoint"]) == (
        "POST",
        URL,
        KEY["exa_api_key"],
        True,
    )
    return dict(options["json"])


def found(search: Any, query: Any, body: Any) -> tuple[Any, ...]:
    return tuple(search(Service([("api.exa.ai/", body)], headers=NOW), SETTINGS, query))


# ---------------------------------------------------------------- asking


def test_every_use_has_a_row_that_needs_the_key() -> None:
    assert [row.kind for row in PROVIDERS if row.name == "exa"] == [
        "web",
        "news",
        "papers",
        "answers",
        "structured",
    ]
    assert "exa" not in [
        row.name for row in list_available_rows(SETTINGS, "web")
    ]  # only where it is named
    for kind in ("news", "papers", "answers", "structured"):
        assert "exa" in [row.name for row in list_available_rows(SETTINGS, kind)]
        assert "exa" not in [row.name for row in list_available_rows(configured(), kind)]


def test_content_options_nest_under_contents() -> None:
    assert asked(exa.search, WebQuery("tea", 3)) == {
        "query": "tea",
        "type": "auto",
        "numResults": 3,
        "contents": {"highlights": {"maxCharacters": 600}},
    }
    assert "contents" not in asked(exa.search_papers, PaperQuery("tea"))


def test_no_more_is_asked_for_than_the_usual_plans_give() -> None:
    assert asked(exa.search_papers, PaperQuery("tea", 30))["numResults"] == 10


def test_a_span_of_time_is_days_of_the_calendar_by_the_clock_of_exa() -> None:
    days = {"hour": "09", "day": "09", "week": "03"}
    for span, day in days.items():
        for search, query in (
            (exa.search, WebQuery("tea", time_range=span)),
            (exa.search_news, NewsQuery("tea", time_range=span)),
        ):
            assert asked(search, query)["startPublishedDate"] == f"2024-03-{day}T00:00:00.000Z"
    assert asked(exa.search, WebQuery("tea", time_range="year"))["startPublishedDate"].startswith(
        "2023-03-"
    )
    (row,) = select_rows(["exa"])
    assert [row.beyond(WebQuery("tea", time_range=span)) for span in ("hour", "day", "")] == [
        ("time_range",),
        (),
        (),
    ]


def test_the_clock_of_exa_is_asked_only_for_a_span_and_for_nothing() -> None:
    service = Service([("api.exa.ai/search", SEARCH), ROOT], headers=NOW)
    exa.search(service, SETTINGS, WebQuery("tea"))  # type: ignore[arg-type]
    assert [url for _, url, _ in service.asked] == [URL]
    exa.search(service, SETTINGS, WebQuery("tea", time_range="day"))  # type: ignore[arg-type]
    method, url, options = service.asked[1]
    assert (method, url) == ("GET", "https://api.exa.ai/")
    assert "x-api-key" not in options["headers"]
    assert "price" not in options


def test_an_answer_that_tells_no_time_is_no_clock() -> None:
    service = Service([("api.exa.ai/search", SEARCH), ROOT])
    with pytest.raises(SearchError, match="when it was given"):
        exa.search(service, SETTINGS, WebQuery("tea", time_range="day"))  # type: ignore[arg-type]


def test_sites_are_domains_and_a_part_of_a_site_is_kept_to() -> None:
    rows = [
        {**ROW, "url": url}
        for url in (
            "https://a.example/tea/1",
            "https://a.example/teapots",
            "https://sub.b.example/x",
        )
    ]
    query = WebQuery("tea", sites=("a.example/tea/", "a.example/tea/x", "b.example"))
    assert asked(exa.search, query)["includeDomains"] == ["a.example", "b.example"]
    assert [page.url for page in found(exa.search, query, {"results": rows})] == [
        "https://a.example/tea/1",
        "https://sub.b.example/x",
    ]
    assert asked(exa.search, WebQuery("tea", site="a.example"))["includeDomains"] == ["a.example"]
    assert asked(exa.search_news, NewsQuery("tea", news_source="a.example"))["includeDomains"] == [
        "a.example"
    ]


def test_place_and_safety_are_asked_for() -> None:
    body = asked(exa.search, WebQuery("tea", country="de", safe="high"))
    assert (body["userLocation"], body["moderation"]) == ("DE", True)
    assert asked(exa.search, WebQuery("tea", safe="off"))["moderation"] is False


def test_what_exa_cannot_go_by_is_in_no_row() -> None:
    """So that it is told: Exa knows no phrases, no words to leave out, no language and no order by
    date.
    """
    honours = {row.kind: row.honours for row in PROVIDERS if row.name == "exa"}
    assert not honours["web"] & {"exact_terms", "exclude_terms", "language", "cx", "goggle"}
    assert not honours["news"] & {"sort_by", "language"}
    assert not honours["papers"] & {"sort_by", "open_access"}


def test_papers_are_asked_for_by_year_and_place() -> None:
    body = asked(exa.search_papers, PaperQuery("tea", year_from=2018, year_to=2020, source="arxiv"))
    told = {
        name: body[name]
        for name in ("category", "startPublishedDate", "endPublishedDate", "includeDomains")
    }
    assert told == {
        "category": "research paper",
        "startPublishedDate": "2018-01-01T00:00:00.000Z",
        "endPublishedDate": "2020-12-31T23:59:59.999Z",
        "includeDomains": ["arxiv.org"],
    }


# ---------------------------------------------------------------- paying


def through(caps: Caps, body: Any) -> tuple[Doorway, ScriptedServices]:
    services = ScriptedServices({"https://api.exa.ai/": body})
    return Doorway(
        memory_log("tea"), services, Scripted("no answer"), StillClock(), caps=caps
    ), services


CALLS = [
    (exa.search, WebQuery("tea"), SEARCH, 0.007),
    (exa.search_news, NewsQuery("tea"), SEARCH, 0.007),
    (exa.search_papers, PaperQuery("tea"), SEARCH, 0.007),
    (exa.fetch_answer, AnswerQuery("tea"), ANSWER, 0.005),
    (exa.fetch_structured, StructuredQuery("tea", schema=SCHEMA), EXTRACTED, 0.007),
    (exa.fetch_structured, StructuredQuery("tea"), NOTHING, 0.005),
]


@pytest.mark.parametrize(("search", "query", "body", "cost"), CALLS)
def test_what_exa_says_it_cost_is_what_is_counted(
    search: Any, query: Any, body: Any, cost: float
) -> None:
    door, _ = through(Caps(), body)
    search(door.http, SETTINGS, query)
    assert door.tally().cost == cost


@pytest.mark.parametrize(("search", "query", "body", "cost"), CALLS)
def test_a_call_the_cap_leaves_no_room_for_is_not_made(
    search: Any, query: Any, body: Any, cost: float
) -> None:
    door, services = through(Caps(cost=0.005), body)
    with pytest.raises(SearchError, match="more than the limit") as caught:
        search(door.http, SETTINGS, query)
    assert (caught.value.kind, services.asked) == ("config", [])


def test_a_refusal_costs_nothing() -> None:
    door, _ = through(Caps(), (402, {"error": "No credits.", "tag": "NO_MORE_CREDITS"}))
    with pytest.raises(SearchError) as caught:
        exa.fetch_answer(door.http, SETTINGS, AnswerQuery("tea"))
    assert (caught.value.kind, door.tally().cost) == ("auth_required", 0.0)
    assert "credits left" in caught.value.next_step


def test_no_log_holds_the_key() -> None:
    door, _ = through(Caps(), ANSWER)
    exa.fetch_answer(door.http, SETTINGS, AnswerQuery("tea"))
    assert KEY["exa_api_key"] not in repr([(event.key, event.data) for event in door.log.calls()])


@pytest.mark.parametrize(
    "told",
    [
        None,
        7,
        {},
        {"total": None},
        {"total": -1},
        {"total": "1"},
        {"total": 1e400},
        {"total": float("nan")},
        {"total": 10**400},
    ],
)
def test_a_cost_that_is_none_is_not_said(told: Any) -> None:
    (answer,) = found(
        exa.fetch_answer, AnswerQuery("tea"), json.dumps({**ANSWER, "costDollars": told})
    )
    assert answer.cost_usd is None


# ---------------------------------------------------------------- reading


def test_what_lacks_a_title_has_its_address_for_one_and_what_lacks_passages_its_beginning() -> None:
    bare = {"url": "https://a.example/1", "title": "", "text": "Tea \n\n helps."}
    (page,) = found(exa.search, WebQuery("tea"), {"results": [bare]})
    assert (page.title, page.snippet, page.published) == ("https://a.example/1", "Tea helps.", "")
    (paper,) = found(exa.search_papers, PaperQuery("tea"), {"results": [bare]})
    assert (paper.year, paper.doi, paper.authors, paper.abstract) == (None, "", (), "")


def test_an_answer_with_citations_that_lead_nowhere_is_a_changed_shape() -> None:
    with pytest.raises(SearchError, match="its only result lacks an address"):
        found(
            exa.fetch_answer,
            AnswerQuery("tea"),
            {"answer": "Tea.", "citations": [{"title": "Tea"}]},
        )


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_a_number_that_is_none_is_a_bad_reply(number: str) -> None:
    body = (
        f'{{"results": [{{"url": "https://a.example/", "entities": [{{"revenue": [{number}]}}]}}]}}'
    )
    with pytest.raises(SearchError, match="is no number"):
        found(exa.fetch_structured, StructuredQuery("tea"), body.encode())


def test_entities_within_each_other_beyond_measure_are_a_bad_reply() -> None:
    deep: Any = {}
    for _ in range(40):
        deep = {"of": deep}
    with pytest.raises(SearchError, match="too deep"):
        found(
            exa.fetch_structured, StructuredQuery("tea"), {"results": [{**ROW, "entities": [deep]}]}
        )


SPOTS = {
    "exa_search_1.json": (
        10,
        "AI agents arrived in 2025 – here's what happened and the ...",
        "2025-12-29T00:00:00Z",
        0.015,
    ),
    "exa_search_4.json": (
        10,
        "'AI agents' promise to arrange your finances, do your taxes, book ...",
        "2025-01-15T00:00:00Z",
        0.015,
    ),
}


@for_each_recorded(*SPOTS)
def test_recorded_answers_are_read_by_each_reader_of_them(body: bytes, name: str) -> None:
    count, title, when, cost = SPOTS[name]
    pages = found(exa.search, WebQuery("agents"), body)
    assert (len(pages), pages[0].title, pages[0].published) == (count, title, when)
    assert all(page.url.startswith("https://") and 20 < len(page.snippet) <= 600 for page in pages)
    articles = found(exa.search_news, NewsQuery("agents"), body)
    assert (articles[0].source, articles[0].published_at) == ("theconversation.com", when)
    assert found(exa.search_papers, PaperQuery("agents"), body)[0].year == 2025
    results = found(exa.fetch_structured, StructuredQuery("agents"), body)
    assert (len(results), results[0].cost_usd) == (count, cost)
