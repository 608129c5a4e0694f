"""Searches the stories of Hacker News at Algolia, which asks for no key. It reads stories as they
were posted, and no comments of them.

A story without an address of its own (Ask HN) is its page there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from research_core.journal.deps import Http
from research_core.models import SearchResult
from research_core.search.providers.counts import held
from research_core.search.providers.markup import words
from research_core.search.providers.published import answered_at, published
from research_core.search.providers.reply import (
    address,
    as_json,
    ask,
    at,
    changed,
    rows,
    some,
    text,
)
from research_core.search.queries import NewsQuery, WebQuery, with_operators
from research_core.search.records import Article
from research_core.settings import Settings
from research_core.urls import host

NAME = "Hacker News"
URL = "https://hn.algolia.com/api/v1"
ITEM = "https://news.ycombinator.com/item?id="
WEB = frozenset({"time_range", "exact_terms", "exclude_terms"})
NEWS = frozenset({"time_range", "sort_by"})
MOST = 100
DAY = 86_400
#: Seconds.
SPANS = {"hour": 3600, "day": DAY, "week": 7 * DAY, "month": 30 * DAY, "year": 365 * DAY}


def search(http: Http, settings: Settings, query: WebQuery) -> tuple[SearchResult, ...]:
    """Stories by relevance and points. Raises SearchError."""
    asked = with_operators(
        query.text, exact_terms=query.exact_terms, exclude_terms=query.exclude_terms
    )
    return _stories(http, query, asked, "search")


def news(http: Http, settings: Settings, query: NewsQuery) -> tuple[Article, ...]:
    """Stories by relevance and points, or by date. Raises SearchError."""
    found = _stories(
        http, query, query.text, "search_by_date" if query.sort_by == "date" else "search"
    )
    return tuple(
        Article(each.title, each.url, host(each.url), each.snippet, each.published)
        for each in found
    )


def _stories(http: Http, query: Any, asked: str, where: str) -> tuple[SearchResult, ...]:
    params = {
        "query": asked,
        "tags": "story",
        "hitsPerPage": str(min(query.count, MOST)),
        "page": "0",
    }
    if query.time_range:
        params["numericFilters"] = f"created_at_i>{_now(http) - SPANS[query.time_range]}"
    answer = as_json(NAME, ask(http, NAME, f"{URL}/{where}", params))
    listed = rows(NAME, answer, "hits")
    held(NAME, listed, at(answer, "nbHits"))
    return some(
        NAME, listed, [made for row in listed if (made := _story(row))], "an address and a title"
    )


def _now(http: Http) -> int:
    """Seconds since the epoch, by the service's own clock: what is asked of it is then the same in
    a replay. Raises SearchError.
    """
    reply = ask(http, NAME, f"{URL}/search", {"query": "", "hitsPerPage": "0"})
    now = answered_at(reply)
    if now is None:
        raise changed(NAME, "it does not say when it was given, so that nobody knows what is new")
    return int(now.timestamp())


def _story(row: Mapping[str, Any]) -> SearchResult | None:
    """A comment, where there is one among the hits, has the title of its story and its own page."""
    number = text(NAME, row, "objectID")
    title = text(NAME, row, "title") or text(NAME, row, "story_title")
    url = address(NAME, row, "url") or (
        ITEM + number if number.isascii() and number.isdigit() else ""
    )
    said = text(NAME, row, "story_text") or text(NAME, row, "comment_text")
    return (
        SearchResult(
            title, url, words(said), published=published(text(NAME, row, "created_at"), None)
        )
        if url and title
        else None
    )
