"""Who is asked, in which order, when the next one stands in, and what an answer is kept for:
through the real doorway.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from research_core.errors import FetchError, SearchError
from research_core.journal.circuit_breaker import MAX_FAILURES, REST_S
from research_core.journal.deps import Provider
from research_core.journal.events import Event
from research_core.pipeline.methodology import _describe_searches
from research_core.search.engines import collect_next_steps
from research_core.search.providers import duckduckgo
from research_core.sessions.tool_calls import ServedCall, ToolCaller
from research_core.tools import answer_meta, get_tool
from tests.counter import Counter, make_tool_caller
from tests.tool_calls_made import ScriptedServices, make_tool_call

SEARX = "http://searx.example.org/search"
TRIALS = "https://clinicaltrials.gov/api/v2/studies"
BRAVE = "https://api.search.brave.com/"
TAVILY = "https://api.tavily.com/"
FOUND = {"results": [{"url": "https://tides.example.org/", "title": "Tides", "content": "High."}]}
BRAVE_FOUND = {
    "type": "search",
    "query": {},
    "web": {"results": [{"url": "https://b.example.org/", "title": "B", "description": "b"}]},
}
KEYS = {"brave_api_key": "BSA-brave-key-1", "tavily_api_key": "tvly-key-12345"}


def outside(at: ToolCaller) -> ScriptedServices:
    assert isinstance(at.resources, Counter)
    return at.resources.outside


def hosts(at: ToolCaller) -> list[str]:
    return [url.split("/")[2] for _, url, _ in outside(at).asked]


def search(at: ToolCaller, tool: str = "web_search", **arguments: Any) -> ServedCall:
    return at.serve(tool, {"query": "tides", **arguments})


def test_the_first_answer_without_an_error_counts_even_an_empty_one(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, {BRAVE: {"type": "search", "query": {}}, SEARX: FOUND}, **KEYS)
    answer = search(at).answer
    assert answer is not None
    assert (answer["results"], hosts(at)) == ([], ["api.search.brave.com"])


def row(url: str) -> dict[str, str]:
    return {"url": url, "title": "Tides", "content": "High."}


WRAPPED = [
    row("https://www.google.com/url?q=https%3A%2F%2Ftides.example.org%2F"),
    row("https://www.googleadservices.com/pagead/aclk?sa=L"),
    row("https://b.example.org/"),
]


LINKS = "1 redirect link replaced by its target, 1 advertisement left out."


@pytest.mark.parametrize(
    ("tool", "place"), [("web_search", "results"), ("news_search", "articles")]
)
def test_redirects_and_advertisements_are_counted_in_the_answer_and_the_record(
    tool: str, place: str
) -> None:
    settings = {"searxng_url": "http://searx.example.org"}
    called = make_tool_call(tool, {SEARX: {"results": WRAPPED}}, settings=settings, query="tides")
    assert [each["url"] for each in called.answer[place]] == [
        "https://tides.example.org/",
        "https://b.example.org/",
    ]
    assert LINKS in called.answer["notes"]
    (event,) = called.context.log.read(kinds=("searched",))
    counts = {name: event.data[name] for name in ("results", "unwrapped", "advertisements")}
    assert counts == {"results": 2, "unwrapped": 1, "advertisements": 1}
    assert any(
        LINKS in line
        for line in _describe_searches(cast(Any, SimpleNamespace(searches=[event.data])))
    )


def test_a_search_that_also_reads_counts_them_too() -> None:
    settings = {"searxng_url": "http://searx.example.org"}
    called = make_tool_call(
        "search_and_scrape", {SEARX: {"results": WRAPPED}}, settings=settings, query="tides"
    )
    assert LINKS in called.answer["note"]
    (event,) = called.context.log.read(kinds=("searched",))
    assert (event.data["unwrapped"], event.data["advertisements"]) == (1, 1)


def test_another_stands_in_for_one_that_failed(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, {BRAVE: (500, ""), TAVILY: (500, ""), SEARX: FOUND}, **KEYS)
    answer = search(at).answer
    assert answer is not None
    assert [each["url"] for each in answer["results"]] == ["https://tides.example.org/"]
    assert list(dict.fromkeys(hosts(at))) == [
        "api.search.brave.com",
        "api.tavily.com",
        "searx.example.org",
    ]


def test_where_all_failed_each_is_named_and_the_first_one_s_kind_counts(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, {BRAVE: (429, ""), TAVILY: (500, ""), SEARX: (500, "")}, **KEYS)
    error = search(at).error
    assert error is not None
    assert all(name in error.message for name in ("brave", "tavily", "searxng"))
    assert (error.kind, error.provider) == ("rate_limited", "brave")  # type: ignore[attr-defined]


def test_where_all_failed_each_step_that_helps_is_there_and_what_the_owner_configured_comes_first(
    tmp_path: Path,
) -> None:
    said = {BRAVE: (401, ""), SEARX: (403, ""), duckduckgo.URL: (202, "")}
    at = make_tool_caller(
        tmp_path, said, routing={"web": ("duckduckgo", "searxng", "brave")}, **KEYS
    )
    error = search(at).error
    assert error is not None
    own, brave = (
        error.next_step.index("searxng: Let the server answer in JSON"),
        error.next_step.index("brave: "),
    )
    assert own < brave
    assert "search.formats must list json" in error.next_step
    assert "set SEARXNG_URL" not in error.next_step  # it is set, and is what answered 403
    without = make_tool_caller(
        tmp_path / "other", said, routing={"web": ("duckduckgo", "brave")}, searxng_url="", **KEYS
    )
    error = search(without).error
    assert error is not None
    assert error.next_step.index("brave: ") < error.next_step.index("duckduckgo: ")
    assert "set SEARXNG_URL" in error.next_step


def test_a_step_that_several_share_is_told_once() -> None:
    rows = [Provider(name, "web", lambda *_: ()) for name in ("one", "two")]
    failed = [(row.name, SearchError("No.", next_step="Wait.")) for row in rows]
    assert collect_next_steps(failed, rows) == "one, two: Wait."
    assert collect_next_steps(failed[:1], rows) == "Wait."


def test_a_provider_that_is_named_is_asked_alone(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, {BRAVE: BRAVE_FOUND, SEARX: (500, "")}, **KEYS)
    assert search(at, provider="searxng").error is not None
    assert set(hosts(at)) == {"searx.example.org"}


def test_who_failed_and_who_stood_in_is_told_without_an_order_too(tmp_path: Path) -> None:
    at = make_tool_caller(
        tmp_path, {BRAVE: "<html>", SEARX: FOUND}, brave_api_key=KEYS["brave_api_key"]
    )
    served = search(at)
    routing = served.meta["routing"]
    assert (routing["provider_used"], routing["providers_attempted"], routing["fallback"]) == (
        "searxng",
        ["brave", "searxng"],
        True,
    )
    ((provider, reason),) = [(each.provider, each.reason) for each in served.failed]
    assert (provider, "cannot be read" in reason) == ("brave", True)
    (error,) = at.list_recent_errors()
    assert (error["tool"], error["kind"]) == ("web_search", "bad_reply")
    assert error["message"].startswith(
        "brave failed, and another provider was asked: Brave gave an answer that cannot be read"
    )
    assert "brave" not in str(served.answer)


def test_where_one_provider_was_asked_nothing_is_told_of_it(tmp_path: Path) -> None:
    served = search(make_tool_caller(tmp_path, {SEARX: FOUND}))
    assert ("routing" in served.meta, served.failed) == (False, ())


def test_an_index_that_has_nothing_and_one_that_failed_after_it_leave_the_first_as_who_answered() -> (
    None
):
    asked = [
        {"engine": "epo", "state": "empty", "reason": ""},
        {"engine": "ddgs:brave", "state": "failed", "reason": "No.", "kind": "network"},
    ]
    row = get_tool("patent_search")
    assert row is not None
    events = [
        Event(n, 0.0, "search_failed" if "kind" in data else "searched", data, None)
        for n, data in enumerate(asked)
    ]
    told = answer_meta.build_meta(row, [], events, routed=False, seconds=0.0)["routing"]
    assert (told["provider_used"], told["fallback"], "fallback_reason" in told) == (
        "epo",
        False,
        False,
    )
    assert [each.provider for each in answer_meta.list_failed_providers(events)] == ["ddgs:brave"]


def test_routing_says_who_is_asked_in_which_order(tmp_path: Path) -> None:
    at = make_tool_caller(
        tmp_path,
        {SEARX: (500, ""), BRAVE: BRAVE_FOUND},
        routing={"web": ("searxng", "brave")},
        **KEYS,
    )
    served = search(at)
    assert served.meta["routing"] == {
        "provider_used": "brave",
        "providers_attempted": ["searxng", "brave"],
        "fallback": True,
        "fallback_reason": "primary_unavailable",
        "cache_hit": False,
        "latency_ms": 500,  # the pause before the second attempt
    } | {"latency_ms": served.meta["routing"]["latency_ms"]}
    assert "routing" not in str(served.answer)


def test_a_service_that_refused_is_left_alone_and_the_next_one_asked_at_once(
    tmp_path: Path,
) -> None:
    at = make_tool_caller(
        tmp_path,
        {BRAVE: (429, ""), SEARX: FOUND},
        routing={"web": ("brave", "searxng")},
        brave_api_key=KEYS["brave_api_key"],
    )
    search(at)
    outside(at).asked.clear()
    served = at.serve("web_search", {"query": "ebb"})
    assert hosts(at) == ["searx.example.org"]
    assert served.meta["routing"]["fallback_reason"] == "circuit_open"
    at.resources.clock.pass_by(REST_S)  # type: ignore[attr-defined]
    outside(at).asked.clear()
    at.serve("web_search", {"query": "flood"})
    assert hosts(at)[0] == "api.search.brave.com"


def test_a_refusal_is_asked_once_and_an_outage_until_the_breaker_opens(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, {TRIALS: (429, "")})
    at.serve("clinical_search", {"query": "tea"})
    assert len(hosts(at)) == 1
    at = make_tool_caller(tmp_path / "other", {TRIALS: (404, "")})
    for n in range(MAX_FAILURES + 2):
        at.serve("clinical_search", {"query": f"tea {n}"})
        at.resources.clock.pass_by(60.0)  # type: ignore[attr-defined]
    assert (
        len(hosts(at)) == MAX_FAILURES + 2
    )  # a wrong address says nothing of the service's health


def test_an_answer_stands_for_the_next_call_for_as_long_as_its_kind_allows(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, {SEARX: FOUND})
    first, again = search(at), search(at)
    assert (
        first.meta["cached"],
        again.meta["cached"],
        again.meta["ageSeconds"],
        again.meta["maxAgeSeconds"],
    ) == (False, True, 0, 1800)
    assert first.answer == again.answer
    at.resources.clock.pass_by(1799.0)  # type: ignore[attr-defined]
    assert search(at).meta["ageSeconds"] == 1799
    at.resources.clock.pass_by(1.0)  # type: ignore[attr-defined]
    assert search(at).meta["cached"] is False
    assert len(hosts(at)) == 2


@pytest.mark.parametrize(
    "failure",
    [
        (500, ""),
        (429, ""),
        (401, ""),
        "<html>an answer nobody can read</html>",
        {"type": "search", "web": "of another form"},
        FetchError("The connection was reset.", kind="network"),
        FetchError("It took too long.", kind="timeout"),
    ],
)
@pytest.mark.parametrize("others", [{}, {TAVILY: (503, "")}])
def test_an_answer_kept_by_a_stand_in_is_cached_although_the_first_one_failed_anew(
    tmp_path: Path, failure: Any, others: dict[str, Any]
) -> None:
    keys = KEYS if others else {"brave_api_key": KEYS["brave_api_key"]}
    at = make_tool_caller(tmp_path, {BRAVE: failure, **others, SEARX: FOUND}, **keys)
    first = search(at)
    at.resources.clock.pass_by(400.0)  # type: ignore[attr-defined]
    again = search(at)
    assert (first.meta["cached"], first.meta["freshness"]) == (False, "fresh")
    assert (again.meta["cached"], again.meta["freshness"]) == (True, "cached")
    assert (again.meta["ageSeconds"], again.meta["routing"]["cache_hit"]) == (400, True)
    assert "provider_used" not in again.meta["routing"]
    assert first.answer == again.answer


@pytest.mark.parametrize("failure", [(500, ""), "<html>", FetchError("No.", kind="network")])
def test_an_answer_of_a_stand_in_just_asked_is_fresh_although_the_failure_was_kept(
    tmp_path: Path, failure: Any
) -> None:
    at = make_tool_caller(tmp_path, {BRAVE: failure, SEARX: FOUND}, **KEYS)
    search(at)
    at.resources.clock.pass_by(1801.0)  # type: ignore[attr-defined]
    assert search(at).meta["cached"] is False


@pytest.mark.parametrize("said", [{"studies": []}, '{"studies": [{}]}', "<html>", (503, "")])
def test_an_empty_or_unreadable_answer_of_a_register_is_not_kept(tmp_path: Path, said: Any) -> None:
    at = make_tool_caller(tmp_path, {TRIALS: said})
    at.serve("clinical_search", {"query": "tea"})
    asked = len(hosts(at))
    at.resources.clock.pass_by(60.0)  # type: ignore[attr-defined]
    at.serve("clinical_search", {"query": "tea"})
    assert len(hosts(at)) == 2 * asked


def test_a_kind_nobody_is_configured_for_says_what_would_do(tmp_path: Path) -> None:
    error = make_tool_caller(tmp_path, {}).serve("filing_search", {"query": "tea"}).error
    assert error is not None
    assert "EDGAR_CONTACT_EMAIL" in error.next_step


CACHED_PAGES = [
    ([], {}),
    ([{"about": {}, "value": {"status": 200}}], {}),
    ([{"about": {"cached": True, "age": 9}, "value": {"status": 200}}], (1, 9)),
    (
        [
            {"about": {"cached": True, "age": 9}, "value": {"status": 200}},
            {"about": {"cached": True, "age": 70}, "value": {"status": 200}},
            {"about": {}, "value": {"status": 200}},
        ],
        (2, 70),
    ),
    ([{"about": {"cached": True, "age": 9, "renewed": True}, "value": {"status": 200}}], {}),
    ([{"about": {"cached": True, "age": 9}, "value": {"status": 404}}], {}),
    ([{"about": {"cached": True, "age": 9, "service": "serper"}, "value": {"status": 200}}], {}),
]


@pytest.mark.parametrize(("made", "expected"), CACHED_PAGES)
def test_a_combined_answer_gives_the_age_of_its_cached_pages(
    made: list[dict[str, Any]], expected: Any
) -> None:
    calls = []
    for number, data in enumerate(made, 1):
        calls.append(Event(number, 0.0, "call", {"kind": "http", **data}, None))
    told = answer_meta.build_meta(
        get_tool("search_and_scrape"), calls, [], routed=False, seconds=0.0
    )
    if expected:
        assert (told["cachedPages"], told["oldestPageAgeSeconds"]) == expected
    else:
        assert told == {}


PAGE_CACHED = {"about": {"cached": True, "age": 9}, "value": {"status": 200}}


@pytest.mark.parametrize(
    ("other", "cached"),
    [
        ({"about": {}, "error": {"kind": "network"}}, True),
        ({"about": {}, "value": {"status": 503}}, True),
        ({"about": {}, "value": {"status": 404}}, True),
        ({"about": {}, "value": {"status": 200}}, False),
        ({"about": {"service": "unpaywall"}, "error": {"kind": "timeout"}}, True),
        ({"about": {"service": "edgar"}, "value": {"status": 404}}, False),
        ({"outcome": "timeout"}, True),
        ({"outcome": "answered"}, False),
    ],
)
def test_a_failed_request_beside_a_cached_page_does_not_make_the_answer_fresh(
    other: dict[str, Any], cached: bool
) -> None:
    row = get_tool("scrape_page")
    assert row is not None
    calls = [
        Event(n, 0.0, "call", {"kind": "http", **data}, None)
        for n, data in enumerate((other, PAGE_CACHED))
    ]
    told = answer_meta.build_meta(row, calls, [], routed=False, seconds=0.0)
    assert told.get("cached", False) is cached
