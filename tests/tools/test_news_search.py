"""news_search, bullet by bullet of its specification (spec/research-tools.md, tool 5); its
providers are in test_contract.
"""

from __future__ import annotations

from typing import Any

import pytest

from research_core.context import memory_log
from research_core.journal.doorway import Doorway
from research_core.models import HttpReply
from research_core.search.providers import select_rows
from research_core.search.queries import NewsQuery
from research_core.tools import get_tool
from tests.bullets import Bullets
from tests.contracts import (
    brave,
    configured,
    encoded,
    google,
    hackernews,
    searchapi,
    searxng,
    serper,
    tavily,
)
from tests.scripted import Scripted
from tests.tool_calls_made import CallOutcome, ScriptedServices, for_each_recorded, make_tool_call
from tests.world import StillClock

BRAVE, GOOGLE = (
    "https://api.search.brave.com/res/v1/news/search",
    "https://www.googleapis.com/customsearch/v1",
)
SERPER = f"{serper.URL}/news"
STORY = {
    "title": "Tea",
    "url": "https://www.example.org/tea",
    "description": "Drunk.",
    "page_age": "2026-11-21T15:49:55",
}
FILTERS = {
    "time_range": "day",
    "sort_by": "date",
    "news_source": "example.org",
    "country": "gb",
    "language": "de",
    "safe": "strict",
}
NOTHING: dict[str, list[Any]] = {"news": []}
bullet = Bullets("news_search")


def by_brave(answer: Any = None, status: int = 200, **arguments: Any) -> CallOutcome:
    body = {"results": [STORY]} if answer is None else answer
    return make_tool_call(
        "news_search", {BRAVE: (status, body)}, settings=brave.KEYS, **{"query": "tea", **arguments}
    )


def by_google(answer: Any = None, status: int = 200, **arguments: Any) -> CallOutcome:
    body = google.answer(google.ITEM) if answer is None else answer
    return make_tool_call(
        "news_search",
        {GOOGLE: (status, body)},
        settings=google.KEYS,
        **{"query": "tea", **arguments},
    )


def by_serper(*listed: Any, date: str = serper.HEADERS["date"], **arguments: Any) -> CallOutcome:
    reply = HttpReply(SERPER, 200, {"date": date} if date else {}, encoded({"news": list(listed)}))
    return make_tool_call(
        "news_search", {SERPER: reply}, settings=serper.KEYS, **{"query": "tea", **arguments}
    )


def asked(said: CallOutcome) -> dict[str, Any]:
    """The parameters of its one request, or its body."""
    ((_, _, options),) = said.requests()
    return dict(options.get("json") or options.get("params") or {})


def moments(said: CallOutcome) -> list[str | None]:
    return [article.get("publishedAt") for article in said.answer["articles"]]


# ---------------------------------------------------------------- input


@bullet("query has between 1 and 500 characters")
def _() -> None:
    for query in ("", " ", "x" * 501):
        assert "query" in by_brave(query=query).error


@bullet(
    "num_results is between 1 and 50, and 5 by default; Brave is asked for up to 50, Google for up to 10"
)
def _() -> None:
    many = {"results": [{**STORY, "url": f"https://www.example.org/{n}"} for n in range(9)]}
    assert by_brave(many).answer["resultCount"] == 5
    stories = [{**serper.STORY, "link": f"https://news.example.org/{n}"} for n in range(9)]
    assert (
        by_serper(*stories, num_results=2).answer["resultCount"] == 2
    )  # also of who lists more than it is asked for
    assert [asked(by_brave(num_results=n))["count"] for n in (5, 50)] == ["5", "50"]
    assert asked(by_google(num_results=50))["num"] == "10"
    for count in (0, 51):
        assert "num_results" in by_brave(num_results=count).error


@bullet("time_range, sort_by and safe take the values of the specification and no others")
def _() -> None:
    for name in ("time_range", "sort_by", "safe"):
        assert name in by_brave(**{name: "teapot"}).error
    for name, values in {
        "time_range": ("hour", "day", "week", "month", "year"),
        "sort_by": ("relevance", "date"),
        "safe": ("off", "moderate", "strict"),
    }.items():
        for value in values:
            assert "articles" in by_google(**{name: value}).answer


@bullet("news_source is a domain: anything else is refused before anybody is asked")
def _() -> None:
    for source in (
        "example.org OR site:evil.example",
        "two words",
        "http://",
        "a b.org",
        "user@example.org",
    ):
        said = by_google(news_source=source)
        assert "news_source" in said.error
        assert not said.requests()


# ---------------------------------------------------------------- Behavior


@bullet("the news endpoint of the provider that is configured is asked")
def _() -> None:
    assert [url for _, url, _ in by_brave().requests()] == [BRAVE]
    assert [url for _, url, _ in by_serper(serper.STORY).requests()] == [SERPER]
    said = make_tool_call("news_search", {}, settings={}, query="tea")
    assert "No provider of news is configured." in said.error
    together = "GOOGLE_CUSTOM_SEARCH_API_KEY and GOOGLE_CUSTOM_SEARCH_ID"
    assert (
        f"Set BRAVE_API_KEY, or SERPER_API_KEY, or SEARCHAPI_API_KEY, or TAVILY_API_KEY, or EXA_API_KEY, or {together}, or SEARXNG_URL in"
        in said.error
    )


@bullet(
    "the first provider that answers counts, in the order of the table; one that fails is stood in for"
)
def _() -> None:
    answers = {
        BRAVE: (500, {}),
        SERPER: {"news": [serper.STORY]},
        tavily.URL: {"results": [tavily.STORY]},
    }
    said = make_tool_call(
        "news_search", answers, settings={**tavily.KEYS, **serper.KEYS, **brave.KEYS}, query="tea"
    )
    assert [article["source"] for article in said.answer["articles"]] == ["The Example"]
    assert [url for _, url, _ in said.requests()][-1] == SERPER


@bullet("time_range is a restriction by date, of a week by default")
def _() -> None:
    spans = ("hour", "day", "week", "month", "year")
    assert [asked(by_serper(time_range=span))["tbs"] for span in spans] == [
        "qdr:h",
        "qdr:d",
        "qdr:w",
        "qdr:m",
        "qdr:y",
    ]
    assert (
        asked(by_serper())["tbs"],
        asked(by_brave())["freshness"],
        asked(by_google())["dateRestrict"],
    ) == ("qdr:w", "pw", "w1")


@bullet("news_source is a filter by domain")
def _() -> None:
    assert asked(by_google(news_source="https://Example.org/"))["q"] == "tea site:example.org"
    assert asked(by_serper(serper.STORY, news_source="example.org"))["q"] == "tea site:example.org"


@bullet(
    "an article of another domain is never listed where news_source is given, whatever the provider goes by"
)
def _() -> None:
    other = {**STORY, "url": "https://other.example.net/tea"}
    said = by_brave({"results": [other, STORY]}, news_source="example.org")
    assert [article["url"] for article in said.answer["articles"]] == [
        "https://www.example.org/tea"
    ]
    assert said.answer["ignoredParameters"] == ["news_source"]


@bullet("sort_by relevance is the provider's own order, date asks for the newest first")
def _() -> None:
    assert "sort" not in asked(by_google(sort_by="relevance"))
    assert asked(by_google(sort_by="date"))["sort"] == "date"
    said = make_tool_call(
        "news_search",
        {searchapi.URL: searchapi.SAID},
        settings=searchapi.KEYS,
        query="tea",
        sort_by="date",
    )
    assert (asked(said)["sort_by"], asked(said)["engine"]) == ("most_recent", "google_news")
    said = make_tool_call(
        "news_search",
        {
            hackernews.URL: HttpReply(
                "", 200, hackernews.HEADERS, encoded({"hits": [hackernews.STORY]})
            )
        },
        query="tea",
        sort_by="date",
        provider="hackernews",
    )
    assert [url for _, url, _ in said.requests()] == [
        f"{hackernews.URL}/search",
        f"{hackernews.URL}/search_by_date",
    ]


@bullet("each article is listed once, by the canonical form of its address")
def _() -> None:
    again = {
        **serper.STORY,
        "link": "https://NEWS.example.org/cup?utm_source=x#top",
        "title": "Again",
    }
    articles = by_serper(
        serper.STORY, again, {**serper.STORY, "link": "https://news.example.org/other"}
    ).answer["articles"]
    assert [(article["title"], article["url"]) for article in articles] == [
        ("A cup a day", "https://news.example.org/cup"),
        ("A cup a day", "https://news.example.org/other"),
    ]


# ---------------------------------------------------------------- Provider notes


@bullet(
    "Brave is never sent sort_by and news_source, and the answer says that it ignored them; country, language and safe it goes by"
)
def _() -> None:
    said = by_brave(**FILTERS)
    assert asked(said) == {
        "q": "tea",
        "count": "5",
        "country": "GB",
        "search_lang": "de",
        "freshness": "pd",
        "safesearch": "strict",
    }
    assert said.answer["ignoredParameters"] == ["sort_by", "news_source"]


@bullet(
    "what a provider does not go by is named in ignoredParameters, for every provider and parameter (defect 4)"
)
def _() -> None:
    ignored = {
        "serper": ["sort_by", "safe"],
        "searchapi": [],
        "tavily": ["sort_by", "country", "language", "safe"],
        "google": [],
        "searxng": ["sort_by"],
        "hackernews": ["news_source", "country", "language", "safe"],
    }
    replies = {
        SERPER: {"news": []},
        searchapi.URL: searchapi.SAID,
        tavily.URL: {"results": []},
        GOOGLE: google.NOTHING,
        searxng.URL: searxng.NOTHING,
        hackernews.URL: {"hits": []},
    }
    answers = {
        start: HttpReply(start, 200, serper.HEADERS, encoded(body))
        for start, body in replies.items()
    }
    keys = {**serper.KEYS, **searchapi.KEYS, **tavily.KEYS, **google.KEYS, **searxng.SERVER}
    for provider, expected in ignored.items():
        said = make_tool_call(
            "news_search", answers, settings=keys, query="tea", provider=provider, **FILTERS
        )
        assert said.answer.get("ignoredParameters", []) == expected, provider


@bullet("publishedAt is a moment in UTC (RFC 3339) whatever the provider writes")
def _() -> None:
    written = [
        "3 days ago",
        "2h",
        "yesterday",
        "Jan 29, 2026",
        "2026-11-22",
        "Sun, 22 Nov 2026 09:00:00 +0100",
        "2026-11-22T09:00:00-05:00",
    ]
    listed = [
        {**serper.STORY, "link": f"https://news.example.org/{n}", "date": date}
        for n, date in enumerate(written)
    ]
    assert moments(by_serper(*listed, num_results=10, time_range="year")) == [
        "2026-11-19T00:00:00Z", "2026-11-22T12:00:00Z", "2026-11-21T00:00:00Z", "2026-01-29T00:00:00Z",
        "2026-11-22T00:00:00Z", "2026-11-22T08:00:00Z", "2026-11-22T14:00:00Z",
    ]  # fmt: skip
    aged = {"results": [{**STORY, "page_age": None, "age": "2 hours ago"}]}
    reply = HttpReply(BRAVE, 200, {"date": "Sun, 22 Nov 2026 13:00:00 GMT"}, encoded(aged))
    assert moments(
        make_tool_call("news_search", {BRAVE: reply}, settings=brave.KEYS, query="tea")
    ) == ["2026-11-22T11:00:00Z"]


@bullet(
    "publishedAt is left out where the provider says none or none that can be read, never made up"
)
def _() -> None:
    said = by_serper(
        {**serper.STORY, "date": "recently"},
        {**serper.STORY, "date": None, "link": "https://news.example.org/none"},
    )
    assert moments(said) == [None, None]


@bullet("an age counts from the answer's own date, and is dropped where the answer bears none")
def _() -> None:
    assert moments(by_serper(serper.STORY, date="Mon, 23 Nov 2026 01:30:00 GMT")) == [
        "2026-11-22T22:00:00Z"
    ]
    assert moments(by_serper(serper.STORY, date="")) == [None]


@bullet(
    "an hour is approximate: a provider that knows no shorter span than a day is asked for a day, and the answer says so"
)
def _() -> None:
    assert asked(by_brave(time_range="hour"))["freshness"] == "pd"
    assert by_brave(time_range="hour").answer["ignoredParameters"] == ["time_range"]
    said = make_tool_call(
        "news_search",
        {tavily.URL: {"results": [tavily.STORY]}},
        settings=tavily.KEYS,
        query="tea",
        time_range="hour",
    )
    assert (asked(said)["time_range"], said.answer["ignoredParameters"]) == ("day", ["time_range"])
    assert "ignoredParameters" not in by_serper(serper.STORY, time_range="hour").answer


def dated(*dates: str | None, **arguments: Any) -> CallOutcome:
    listed = [
        {**serper.STORY, "link": f"https://news.example.org/{n}", "date": date}
        for n, date in enumerate(dates)
    ]
    return by_serper(*listed, num_results=10, **arguments)


@bullet(
    "what its own date puts outside the span is left out and counted; what has no date stays, and that is said"
)
def _() -> None:
    said = dated("Nov 20, 2026", "Mar 1, 2009", "2031-01-01T00:00:00Z", None)
    assert moments(said) == ["2026-11-20T00:00:00Z", None]
    assert said.answer["notes"] == [
        "Left out, since by their own dates they are not of the last week: 2 of the 4 articles found.",
        "Of 1 of the 4 articles found no date is known: they may not be of the last week.",
    ]
    assert "notes" not in dated("Nov 20, 2026").answer


@bullet("what is left out does not use up num_results")
def _() -> None:
    listed = [
        {**serper.STORY, "link": f"https://news.example.org/{n}", "date": date}
        for n, date in enumerate(("Mar 1, 2009", "1h"))
    ]
    assert moments(by_serper(*listed, num_results=1)) == ["2026-11-22T13:00:00Z"]


@bullet("where all of it lies outside the span the answer says so, and proposes a wider one")
def _() -> None:
    answer = dated("Mar 1, 2009", "Jan 1, 2020").answer
    assert (answer["articles"], answer["resultCount"], answer["hints"]["reason"]) == (
        [],
        0,
        "filters_too_restrictive",
    )
    assert any(
        "Nothing of what was found is within the last week" in note for note in answer["notes"]
    )


@bullet(
    "a span is taken with a day's grace, and an hour with several hours': providers are inexact"
)
def _() -> None:
    edges = {
        "hour": ("2026-11-22T02:00:00Z", "2026-11-22T01:00:00Z"),
        "day": ("2026-11-20T14:00:00Z", "2026-11-20T13:00:00Z"),
        "week": ("2026-11-14T14:00:00Z", "2026-11-14T13:00:00Z"),
        "month": ("2026-10-21T14:00:00Z", "2026-10-21T13:00:00Z"),
        "year": ("2025-11-20T14:00:00Z", "2025-11-20T13:00:00Z"),
    }
    for span, (kept, left_out) in edges.items():
        assert moments(dated(kept, left_out, time_range=span)) == [kept], span
        assert moments(dated("2026-11-23T13:00:00Z", "2026-11-23T14:00:00Z", time_range=span)) == [
            "2026-11-23T13:00:00Z"
        ], span
    assert moments(dated("2026-11-22", time_range="hour")) == [
        "2026-11-22T00:00:00Z"
    ]  # a day alone is the whole of it


# ---------------------------------------------------------------- output


@bullet("an article has title, url, source, snippet and publishedAt")
def _() -> None:
    answer = by_serper(serper.STORY).answer
    assert answer == {
        "articles": [
            {
                "title": "A cup a day",
                "url": "https://news.example.org/cup",
                "source": "The Example",
                "snippet": "Tea was drunk again.",
                "publishedAt": "2026-11-22T11:00:00Z",
            }
        ],
        "query": "tea",
        "resultCount": 1,
        "trust": "untrusted-external-content",
    }
    unseen = {**serper.STORY, "title": "A\u202e cup", "snippet": "Tea\u200b was\x00 drunk."}
    (article,) = by_serper(unseen).answer["articles"]
    assert (article["title"], article["snippet"]) == ("A cup", "Tea was drunk.")


@bullet(
    "an answer without articles has hints, which name the window that was active and the source, and is no error"
)
def _() -> None:
    assert by_serper().answer["hints"]["filtersApplied"] == {"time_range": "week"}
    answer = by_serper(time_range="hour", news_source="example.org").answer
    assert (answer["articles"], answer["resultCount"]) == ([], 0)
    assert answer["hints"]["filtersApplied"] == {"time_range": "hour", "news_source": "example.org"}
    assert {"action": "widen_filter", "filter": "time_range", "value": "day"} in answer["hints"][
        "suggestedActions"
    ]
    for span, wider in (
        ("", "month"),
        ("day", "week"),
        ("month", "year"),
    ):  # without one it would be a week
        (action,) = by_serper(**({"time_range": span} if span else {})).answer["hints"][
            "suggestedActions"
        ]
        assert action == {"action": "widen_filter", "filter": "time_range", "value": wider}
    assert by_serper(time_range="year").answer["hints"]["suggestedActions"] == [
        {"action": "broaden_query"}
    ]
    assert "hints" not in by_serper(serper.STORY).answer


@bullet("providers that hints suggest are those configured that were not asked")
def _() -> None:
    said = make_tool_call(
        "news_search", {SERPER: NOTHING}, settings={**serper.KEYS, **tavily.KEYS}, query="tea"
    )
    assert {"action": "try_different_provider", "providers": ["tavily"]} in said.answer["hints"][
        "suggestedActions"
    ]


@bullet(
    "an explicit provider is used exclusively; an unknown one lists those there are, one without its key names the key"
)
def _() -> None:
    answers = {BRAVE: (500, {}), SERPER: {"news": [serper.STORY]}}
    assert (
        "Brave answered 500"
        in make_tool_call(
            "news_search", answers, settings=brave.KEYS | serper.KEYS, query="tea", provider="brave"
        ).error
    )
    assert "Choose among: brave, serper, searchapi" in by_brave(provider="altavista").error
    assert "TAVILY_API_KEY" in by_brave(provider="tavily").error


@bullet("a key that is refused says where keys are set, and too many requests say how long to wait")
def _() -> None:
    for provider, url, keys in (
        ("serper", SERPER, serper.KEYS),
        ("searchapi", searchapi.URL, searchapi.KEYS),
        ("tavily", tavily.URL, tavily.KEYS),
    ):
        refused, busy = (
            make_tool_call(
                "news_search", {url: (status, {})}, settings=keys, query="tea", provider=provider
            ).error
            for status in (401, 429)
        )
        assert f"{provider.upper()}_API_KEY in .env (see .env.example)" in refused
        assert "Wait 60 seconds" in busy


@bullet(
    "an answer in which no address can be used is a failure of the provider, not an empty answer"
)
def _() -> None:
    assert (
        "gave an answer that cannot be read"
        in by_serper({**serper.STORY, "link": "javascript:alert(1)"}).error
    )


@bullet("sessionId of a session that is not there is refused")
def _() -> None:
    assert "Session not found" in by_brave(sessionId="s-1").error


@bullet("the articles are sources of the session")
def _() -> None:
    assert list(by_serper(serper.STORY).context.source_metadata) == ["https://news.example.org/cup"]


# ---------------------------------------------------------------- Cache and Annotations


@bullet("cache: results are kept for 15 minutes")
def _() -> None:
    assert (
        by_brave().kept_s,
        by_google().kept_s,
        by_serper(serper.STORY).kept_s,
        by_serper().kept_s,
    ) == (900, 900, 900, 900)


@bullet("cache: the query and every filter are part of the key")
def _() -> None:
    given = [
        {},
        {"query": "cocoa"},
        *({name: value} for name, value in (FILTERS | {"safe": "off"}).items()),
    ]
    logs = [by_google(**each).context.log for each in given]
    keys = [
        key for log in logs for key, event in log.answers().items() if event.data["kind"] == "http"
    ]
    assert len(set(keys)) == len(keys) == len(given)


@bullet("annotations: read only, idempotent, of the open world")
def _() -> None:
    row = get_tool("news_search")
    assert row
    assert (row.read_only, row.idempotent, row.open_world, row.asks) == (True, True, True, "news")


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


@for_each_recorded("hn_algolia_1.json")
def test_recorded_stories_are_read(body: bytes, name: str) -> None:
    """Comments stand under the title of their story, with their own pages."""
    reply = HttpReply("", 200, hackernews.HEADERS, body)
    said = make_tool_call(
        "news_search",
        {hackernews.URL: reply},
        query="tea",
        provider="hackernews",
        time_range="year",
        now=1_545_000_000.0,
    )
    first = said.answer["articles"][0]
    assert (first["title"], first["url"], first["publishedAt"]) == (
        "Waymo CEO Says Alphabet Unit Plans to Launch Driverless Car Service",
        "https://news.ycombinator.com/item?id=18463371",
        "2018-11-15T21:10:34Z",
    )
    assert first["snippet"].startswith(
        "Your example perfectly illustrates why I prefer the California method."
    )
    assert "left/right check" in first["snippet"]
    assert said.answer["resultCount"] == 2


REPLAYED = {
    "serper": (SERPER, {"news": [serper.STORY]}, serper.KEYS),
    "hackernews": (hackernews.URL, {"hits": [hackernews.STORY]}, {}),
    "tavily": (tavily.URL, {"results": [tavily.STORY]}, tavily.KEYS),
}


@pytest.mark.parametrize("provider", REPLAYED)
def test_a_replay_on_another_day_asks_and_says_the_same(provider: str) -> None:
    """Ages and spans count from what was recorded, never from a clock."""
    url, body, keys = REPLAYED[provider]
    (row,) = select_rows([provider], "news")
    log = memory_log("tea")
    told = []
    for answers in ({url: HttpReply(url, 200, serper.HEADERS, encoded(body))}, {}):
        doorway = Doorway(log, ScriptedServices(answers), Scripted("no answer"), StillClock())
        told.append(
            row.search(doorway.http, configured(**keys), NewsQuery("tea", time_range="day"))
        )
    assert told[0] == told[1]
    assert told[0][0].published_at.startswith("2026-11-2")
