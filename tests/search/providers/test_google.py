"""Google's Programmable Search: what it is asked, what its refusals mean, and the recorded answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from research_core.errors import SearchError
from research_core.search import providers
from research_core.search.providers import google, list_rows_of_kind
from research_core.search.queries import ImageQuery, NewsQuery, WebQuery
from tests.contracts import Body, Service, configured
from tests.contracts import google as cases
from tests.tool_calls_made import for_each_recorded, make_tool_call

SETTINGS = configured(**cases.KEYS)
ALL = (
    (google.search, WebQuery("tea")),
    (google.search_news, NewsQuery("tea")),
    (google.search_images, ImageQuery("tea")),
)


def run(
    search: Any, query: Any, body: Body = cases.NOTHING, status: int = 200
) -> tuple[Any, tuple[str, dict[str, str]]]:
    """What it found, and (address, parameters but for the account's own) of its request."""
    service = Service([("googleapis.com", body)], status)
    found = search(service, SETTINGS, query)
    ((_, url, options),) = service.asked
    return found, (
        url,
        {name: value for name, value in options["params"].items() if name not in ("key", "cx")},
    )


def sent(query: Any, search: Any = google.search) -> dict[str, str]:
    return run(search, query)[1][1]


def failure(body: Body, status: int) -> SearchError:
    errors = []
    for search, query in ALL:
        with pytest.raises(SearchError) as caught:
            run(search, query, body, status)
        errors.append(caught.value)
    assert len({(error.kind, error.message) for error in errors}) == 1
    return errors[0]


def refusal(message: str, **parts: str) -> dict[str, Any]:
    return {
        "error": {
            "code": 0,
            "message": message,
            **{name: [{"reason": reason}] for name, reason in parts.items()},
        }
    }


def test_every_parameter_of_a_web_search_reaches_it() -> None:
    everything = WebQuery(
        "tea",
        20,
        "month",
        "off",
        "en",
        "us",
        exact_terms="green tea",
        exclude_terms="coffee, milk",
        sites=("a.org", "b.org/c"),
    )
    assert sent(everything) == {
        "q": "tea (site:a.org OR site:b.org/c)",
        "num": "10",
        "safe": "off",
        "lr": "lang_en",
        "cr": "countryUS",
        "dateRestrict": "m1",
        "exactTerms": "green tea",
        "excludeTerms": "coffee  milk",
    }
    assert sent(WebQuery("tea", 3)) == {"q": "tea", "num": "3", "safe": "active"}
    assert sent(WebQuery("tea", site="example.org"))["q"] == "tea site:example.org"


def test_news_are_asked_for_by_date_and_by_source() -> None:
    assert sent(
        NewsQuery("tea", 50, sort_by="date", news_source="reuters.com"), google.search_news
    ) == {
        "q": "tea site:reuters.com",
        "num": "10",
        "safe": "active",
        "sort": "date",
    }


@pytest.mark.parametrize(
    ("span", "restrict"),
    [("hour", "d1"), ("day", "d1"), ("week", "w1"), ("month", "m1"), ("year", "y1")],
)
def test_a_span_of_time_is_its_nearest_and_an_hour_that_it_does_not_have_is_told(
    span: str, restrict: str
) -> None:
    assert sent(WebQuery("tea", time_range=span))["dateRestrict"] == restrict
    for kind, query in (
        ("web", WebQuery("tea", time_range=span)),
        ("news", NewsQuery("tea", time_range=span)),
    ):
        (row,) = (row for row in list_rows_of_kind(kind) if row.name == "google")
        assert list(row.beyond(query)) == (["time_range"] if span == "hour" else [])


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("en", "en"),
        ("de-AT", "de"),
        ("he", "iw"),
        ("zh", "zh-CN"),
        ("zh-TW", "zh-TW"),
        ("nb", "no"),
    ],
)
def test_a_language_has_google_s_code(language: str, code: str) -> None:
    assert sent(WebQuery("tea", language=language))["lr"] == f"lang_{code}"


def test_it_takes_no_new_customers_and_stands_behind_those_that_do() -> None:
    for kind in ("web", "news", "images"):
        names = [
            row.name
            for row in list_rows_of_kind(kind)
            if row.needs and row.name != "searxng" and not row.named_only
        ]
        assert names[-1] == "google", kind
        assert (
            providers.list_available_rows(
                configured(ddgs_engines=(), **cases.KEYS, brave_api_key="brave-key"), kind
            )[0].name
            == "brave"
        )


def test_the_engine_of_a_lens_is_asked_alone_and_recorded_and_that_of_the_settings_is_not() -> None:
    (url, params) = run(google.search, WebQuery("tea", sites=("a.org",), cx="engine-of-a-lens"))[1]
    assert (url, params["q"]) == (
        "https://www.googleapis.com/customsearch/v1?cx=engine-of-a-lens",
        "tea",
    )
    service = Service([("googleapis.com", cases.NOTHING)])
    google.search(service, SETTINGS, WebQuery("tea", cx="engine-of-a-lens"))  # type: ignore[arg-type]
    assert "cx" not in service.asked[0][2]["params"]
    keys = []
    for own in (cases.KEYS, {"google_api_key": "another-key", "google_engine": "another-engine"}):
        said = make_tool_call(
            "image_search", {google.URL: cases.answer(cases.PICTURE)}, settings=own, query="tea"
        )
        ((_, _, options),) = said.requests(google.URL)
        assert (options["params"]["cx"], options["params"]["key"]) == (
            own["google_engine"],
            own["google_api_key"],
        )
        log = json.dumps([event.data for event in said.context.log.read()], default=str)
        assert not any(secret in log for secret in own.values())
        keys.append(list(said.context.log.answers()))
    assert keys[0] == keys[1]  # so that a session is replayed with another account, or with none


def test_words_that_google_would_drop_are_a_failure_not_an_answer_from_elsewhere() -> None:
    sites = tuple(f"{n}.example" for n in range(10))
    assert sent(WebQuery(" ".join(["tea"] * 22), sites=sites))["q"].endswith("site:9.example)")
    long = " ".join(["tea"] * 32)
    assert sent(WebQuery(long))["q"] == long
    narrowed: tuple[tuple[Any, Any], ...] = (
        (google.search, WebQuery(" ".join(["tea"] * 23), sites=sites)),
        (google.search, WebQuery(long, site="example.org")),
        (google.search_news, NewsQuery(long, news_source="example.org")),
    )
    for search, query in narrowed:
        with pytest.raises(SearchError) as caught:
            run(search, query)
        assert (caught.value.kind, "32 words" in caught.value.message) == ("config", True)


def test_refusals_mean_what_their_reasons_say() -> None:
    said = failure(
        refusal(
            "API key not valid. Please pass a valid API key.",
            errors="badRequest",
            details="API_KEY_INVALID",
        ),
        400,
    )
    assert (said.kind, said.message) == (
        "auth_required",
        "Google answered 400 (API key not valid. Please pass a valid API key.).",
    )
    assert "GOOGLE_CUSTOM_SEARCH_API_KEY" in said.next_step
    assert ".env.example" in said.next_step
    closed = failure(
        refusal(
            "This project does not have the access to Custom Search JSON API.", errors="forbidden"
        ),
        403,
    )
    assert (closed.kind, "no access to new customers" in closed.next_step) == (
        "auth_required",
        True,
    )
    for reason, status in (
        ("rateLimitExceeded", 403),
        ("dailyLimitExceeded", 403),
        ("rateLimitExceeded", 429),
    ):
        limited = failure(
            refusal("Quota exceeded for quota metric 'Queries'.", errors=reason), status
        )
        assert (limited.kind, "Wait 60 seconds" in limited.next_step) == ("rate_limited", True)
    assert (
        failure(refusal("Request contains an invalid argument.", errors="badRequest"), 400).kind
        == "bad_reply"
    )
    assert failure({"error": {"details": [7], "errors": "x"}}, 403).kind == "auth_required"


def test_a_date_is_what_the_page_states_and_no_age_is_counted() -> None:
    dated = (
        ({}, ""),
        ({"metatags": [{"date": "3 days ago"}]}, ""),
        (
            {"metatags": [{"ms.date": "07/11/2023", "og:published_time": "2024-02-01"}]},
            "2024-02-01T00:00:00Z",
        ),
        (
            {
                "metatags": [{"date": "unknown"}],
                "newsarticle": [{"datepublished": "Mon, 05 Feb 2024 10:00:00 GMT"}],
            },
            "2024-02-05T10:00:00Z",
        ),
    )
    for pagemap, day in dated:
        ((page,), _) = run(
            google.search, WebQuery("tea"), cases.answer({**cases.ITEM, "pagemap": pagemap})
        )
        ((article,), _) = run(
            google.search_news, NewsQuery("tea"), cases.answer({**cases.ITEM, "pagemap": pagemap})
        )
        assert page.published == article.published_at == day


@for_each_recorded("google_pse_2.json")
def test_a_recorded_answer_is_read(body: bytes, name: str) -> None:
    found, _ = run(google.search, WebQuery("What is the Semantic Kernel?"), body)
    assert [each.url for each in found] == [
        "https://learn.microsoft.com/en-us/semantic-kernel/overview/",
        "https://github.com/microsoft/semantic-kernel",
        "https://learn.microsoft.com/en-us/semantic-kernel/",
        "https://medium.com/globant/semantic-kernel-the-new-way-to-create-artificial-intelligence-applications-7959d5fc90ca",
    ]
    assert (found[0].title, found[3].published) == (
        "Introduction to Semantic Kernel | Microsoft Learn",
        "2023-12-19T13:45:33Z",
    )
    assert all(each.snippet for each in found), name
    news, _ = run(google.search_news, NewsQuery("What is the Semantic Kernel?"), body)
    assert [each.source for each in news] == [
        "learn.microsoft.com",
        "github.com",
        "learn.microsoft.com",
        "medium.com",
    ]


@for_each_recorded("google_html_1.html", "google_html_5.html")
def test_a_recorded_page_that_asks_for_a_person_is_no_answer(body: bytes, name: str) -> None:
    assert (failure(body, 200).kind, failure(body, 429).kind) == ("bad_reply", "rate_limited"), name
