"""The Brave Search API: what it is asked, what its refusals mean, and the recorded answers. Places
are in test_local_search.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from research_core.errors import SearchError
from research_core.search.providers import brave, brave_local, list_rows_of_kind
from research_core.search.queries import ImageQuery, NewsQuery, PlaceQuery, WebQuery
from tests.contracts import Body, Service, configured
from tests.contracts import brave as cases
from tests.tool_calls_made import for_each_recorded

SETTINGS = configured(**cases.KEYS)
EMPTY = {**cases.NOTHING, "results": []}
ALL = (
    (brave.search, WebQuery("tea")),
    (brave.search_news, NewsQuery("tea")),
    (brave.search_images, ImageQuery("tea")),
    (brave_local.search, PlaceQuery("tea")),
)


def run(
    search: Any, query: Any, body: Body = EMPTY, status: int = 200, **headers: str
) -> tuple[Any, dict[str, Any]]:
    """What it found, and (params, headers) of its first request."""
    service = Service([("brave.com", body)], status, headers)
    found = search(service, SETTINGS, query)
    return found, service.asked[0][2]


def failure(body: Body, status: int) -> list[SearchError]:
    """The failure of each row of Brave at this answer."""
    errors = []
    for search, query in ALL:
        with pytest.raises(SearchError) as caught:
            run(search, query, body, status)
        errors.append(caught.value)
    return errors


def refusal(
    code: str = "RATE_LIMITED", detail: str = "Request rate limit exceeded for plan.", **meta: Any
) -> dict[str, Any]:
    return {
        "type": "ErrorResponse",
        "error": {"id": "1", "status": 429, "code": code, "detail": detail, "meta": meta},
        "time": 1,
    }


def sent(query: WebQuery) -> dict[str, str]:
    return dict(run(brave.search, query)[1]["params"])


def test_every_parameter_of_a_web_search_reaches_it() -> None:
    """Defect 4 of providers.md: exact and excluded terms, the span of time and safe search reached
    only some engines.
    """
    everything = WebQuery(
        "tea",
        9,
        "week",
        "off",
        "en",
        "us",
        exact_terms='green "tea"',
        exclude_terms="coffee, milk",
        sites=("a.org", "b.org/c"),
    )
    assert sent(everything) == {
        "q": 'tea "green  tea" -coffee -milk (site:a.org OR site:b.org/c)',
        "count": "9",
        "text_decorations": "false",
        "country": "US",
        "search_lang": "en",
        "freshness": "pw",
        "safesearch": "off",
    }
    assert sent(WebQuery("tea", 100)) == {
        "q": "tea",
        "count": "20",
        "text_decorations": "false",
        "safesearch": "moderate",
    }
    assert (
        sent(WebQuery("tea", site="example.org", goggle="https://gist.example/g"))["goggles"]
        == "https://gist.example/g"
    )


@pytest.mark.parametrize(
    ("span", "freshness"),
    [("hour", "pd"), ("day", "pd"), ("week", "pw"), ("month", "pm"), ("year", "py")],
)
def test_a_span_of_time_is_its_nearest_and_an_hour_that_it_does_not_have_is_told(
    span: str, freshness: str
) -> None:
    assert sent(WebQuery("tea", time_range=span))["freshness"] == freshness
    for kind, query in (
        ("web", WebQuery("tea", time_range=span)),
        ("news", NewsQuery("tea", time_range=span)),
    ):
        (row,) = (row for row in list_rows_of_kind(kind) if row.name == "brave")
        assert list(row.beyond(query)) == (["time_range"] if span == "hour" else [])


@pytest.mark.parametrize(
    ("safe", "level"),
    [
        ("", "moderate"),
        ("medium", "moderate"),
        ("moderate", "moderate"),
        ("high", "strict"),
        ("strict", "strict"),
        ("off", "off"),
    ],
)
def test_safe_search_has_brave_s_names(safe: str, level: str) -> None:
    assert sent(WebQuery("tea", safe=safe))["safesearch"] == level
    assert run(brave.search_news, NewsQuery("tea", safe=safe))[1]["params"]["safesearch"] == level


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("ja", "jp"),
        ("de", "de"),
        ("de-AT", "de"),
        ("pt", "pt-br"),
        ("PT-pt", "pt-pt"),
        ("zh-TW", "zh-hant"),
        ("en-GB", "en-gb"),
        ("en-US", "en"),
        ("nb", "nb"),
        ("no", "nb"),
    ],
)
def test_a_language_has_brave_s_code(language: str, code: str) -> None:
    assert sent(WebQuery("tea", language=language))["search_lang"] == code


def test_no_more_than_a_service_lists_is_asked_for() -> None:
    asked = [
        run(search, type(query)("tea", 500))[1]["params"].get("count") for search, query in ALL
    ]
    assert asked == ["20", "50", "200", None]


def test_the_version_goes_to_the_web_search_alone() -> None:
    """Images and news answer 404 where it is set, and the calls about places 422."""
    headers = [set(run(search, query)[1]["headers"]) for search, query in ALL]
    versioned = ["Api-Version" in each for each in headers]
    assert versioned == [True, False, False, True]
    assert all("X-Subscription-Token" in each for each in headers)


def test_a_quota_that_is_used_up_is_none_to_wait_a_moment_for() -> None:
    bodies = (
        refusal(
            plan="Free",
            rate_limit=1,
            rate_current=0,
            quota_limit=2000,
            quota_current=2000,
            component="rate_limiter",
        ),
        refusal("QUOTA_LIMITED", quota_limit=2000, quota_current=2000),
    )
    for body in bodies:
        for error in failure(body, 429):
            assert (error.kind, error.status) == ("auth_required", 429)
            assert (
                error.message
                == "Brave answered 429 (the month's quota is used up, 2000 of 2000 requests)."
            )
            assert "credit" in error.next_step


def test_too_many_requests_in_a_second_are_a_limit_of_rate() -> None:
    for error in failure(
        refusal(
            rate_limit=1,
            rate_current=1,
            quota_limit=2000,
            quota_current=20,
            component="rate_limiter",
        ),
        429,
    ):
        assert (error.kind, error.message) == (
            "rate_limited",
            "Brave answered 429 (its plan allows 1 a second).",
        )
        assert "Wait 60 seconds" in error.next_step
    assert {
        error.kind for error in failure(refusal(rate_limit=50, quota_limit=0, quota_current=7), 429)
    } == {"rate_limited"}


def test_a_refusal_without_figures_is_what_its_status_says() -> None:
    assert {error.kind for error in failure("", 429)} == {"rate_limited"}
    assert {error.kind for error in failure([], 429)} == {"rate_limited"}
    assert {error.message for error in failure(refusal("", meta=None), 429)} == {
        "Brave answered 429 (Request rate limit exceeded for plan.)."
    }


def test_a_key_that_is_unknown_or_whose_plan_lacks_it_is_no_wrong_parameter() -> None:
    said = refusal(
        "SUBSCRIPTION_TOKEN_INVALID",
        "The provided subscription token is invalid.",
        component="authentication",
    )
    for error in failure(said, 422):
        assert (error.kind, error.message) == (
            "auth_required",
            "Brave answered 422 (The provided subscription token is invalid.).",
        )
        assert "BRAVE_API_KEY" in error.next_step
        assert ".env.example" in error.next_step
    assert {
        error.kind for error in failure(refusal("OPTION_NOT_IN_PLAN", "Not in your plan."), 400)
    } == {"auth_required"}


def test_a_wrong_parameter_is_told_in_brave_s_words() -> None:
    for error in failure(
        refusal("VALIDATION", "Unable to validate request parameter(s): country", errors=[]), 422
    ):
        assert (error.kind, error.message) == (
            "bad_reply",
            "Brave answered 422 (Unable to validate request parameter(s): country).",
        )


def test_a_page_without_an_age_has_no_date_and_an_age_counts_from_the_answer() -> None:
    page = {"title": "Tea", "url": "https://example.org/"}
    for aged, day in (
        ({}, ""),
        ({"age": "2 days ago"}, "2026-11-20T00:00:00Z"),
        ({"page_age": "2024-12-27T15:49:55"}, "2024-12-27T15:49:55Z"),
    ):
        body = {**cases.NOTHING, "web": {"results": [{**page, **aged}]}}
        (found,), _ = run(brave.search, WebQuery("tea"), body, date="Sun, 22 Nov 2026 12:00:00 GMT")
        assert found.published == day


@for_each_recorded("brave_web_2.json", "brave_web_3.json")
def test_recorded_pages_are_read(body: bytes, name: str) -> None:
    found, _ = run(brave.search, WebQuery("tea", 20), body)
    assert (
        len(found)
        == len(json.loads(body)["web"]["results"])
        == {"brave_web_2.json": 10, "brave_web_3.json": 20}[name]
    )
    first = {
        "brave_web_2.json": (
            "Introduction to Semantic Kernel | Microsoft Learn",
            "https://learn.microsoft.com/en-us/semantic-kernel/overview/",
            "",
        ),
        "brave_web_3.json": (
            '"Hello, World!" program - Wikipedia',
            "https://en.wikipedia.org/wiki/%22Hello,_World!%22_program",
            "2024-12-27T15:49:55Z",
        ),
    }
    assert (found[0].title, found[0].url, found[0].published) == first[name]
    assert all(
        each.title and each.url.startswith("https://") and len(each.snippet) > 20 for each in found
    )
    assert not any(
        mark in each.snippet
        for each in found
        for mark in ("<strong>", "</strong>", "&quot;", "&#x27;", "&amp;")
    )


@for_each_recorded("brave_news_1.json")
def test_recorded_news_are_read(body: bytes, name: str) -> None:
    found, _ = run(brave.search_news, NewsQuery("hello world", 50), body)
    assert len(found) == 20
    first, last = found[0], found[-1]
    assert (first.title, first.url) == (
        "World News and International Headlines : NPR",
        "https://www.npr.org/sections/world/",
    )
    assert (first.source, first.published_at) == ("www.npr.org", "2024-12-31T17:09:03Z")
    assert (last.source, last.published_at) == ("uk.news.yahoo.com", "2023-07-04T17:05:03Z")
    assert all(
        each.title and each.source and each.snippet and each.published_at for each in found
    ), name


def test_what_is_no_web_address_is_left_out_and_alone_no_answer() -> None:
    bad = {
        "title": "Tea",
        "url": "javascript:alert(1)",
        "properties": {"url": "data:image/png;base64,AA"},
    }
    both = [bad, {**cases.PAGE, **{name: cases.PICTURE[name] for name in ("properties", "source")}}]
    for search, query in ALL[:3]:
        found, _ = run(search, query, {**cases.NOTHING, "results": both, "web": {"results": both}})
        assert len(found) == 1
        with pytest.raises(SearchError, match="its only result lacks"):
            run(search, query, {**cases.NOTHING, "results": [bad], "web": {"results": [bad]}})
