"""Search Hacker News stories through Algolia, without comments. Needs no key.

A story without a URL (Ask HN) links to its page on Hacker News.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from research_core.journal.deps import Http
from research_core.models import SearchResult
from research_core.search.providers.counts import check_not_empty
from research_core.search.providers.markup import markup_words
from research_core.search.providers.publication_dates import get_reply_time, parse_published
from research_core.search.providers.reply import (
    changed_format_error,
    get_value,
    parse_json,
    read_records,
    read_rows,
    read_text,
    read_url,
    request,
)
from research_core.search.queries import NewsQuery, WebQuery, add_operators
from research_core.search.records import Article, build_article
from research_core.settings import Settings
from research_core.urls import find_host

NAME = "Hacker News"
URL = "https://hn.algolia.com/api/v1"
ITEM = "https://news.ycombinator.com/item?id="
WEB_HONOURS = frozenset({"time_range", "exact_terms", "exclude_terms"})
NEWS_HONOURS = frozenset({"time_range", "sort_by"})
MAX_COUNT = 100
DAY = 86_400
#: Seconds in each span.
SPANS = {"hour": 3600, "day": DAY, "week": 7 * DAY, "month": 30 * DAY, "year": 365 * DAY}


def search(http: Http, settings: Settings, query: WebQuery) -> tuple[SearchResult, ...]:
    """Return stories by relevance and points. Raises SearchError."""
    asked = add_operators(
        query.text, exact_terms=query.exact_terms, exclude_terms=query.exclude_terms
    )
    return _fetch_stories(http, query, asked, "search")


def search_news(http: Http, settings: Settings, query: NewsQuery) -> tuple[Article, ...]:
    """Return stories by relevance and points, or by date. Raises SearchError."""
    where = "search_by_date" if query.sort_by == "date" else "search"
    stories = _fetch_stories(http, query, query.text, where)
    return tuple(build_article(story, find_host(story.url)) for story in stories)


def _fetch_stories(http: Http, query: Any, asked: str, where: str) -> tuple[SearchResult, ...]:
    params = {
        "query": asked,
        "tags": "story",
        "hitsPerPage": str(min(query.count, MAX_COUNT)),
        "page": "0",
    }
    if query.time_range:
        params["numericFilters"] = (
            f"created_at_i>{_fetch_service_time(http) - SPANS[query.time_range]}"
        )
    answer = parse_json(NAME, request(http, NAME, f"{URL}/{where}", params))
    listed = read_rows(NAME, answer, "hits")
    check_not_empty(NAME, listed, get_value(answer, "nbHits"))
    return read_records(NAME, listed, _read_story, "an address and a title")


def _fetch_service_time(http: Http) -> int:
    """Return seconds since the epoch by the service's clock, so that a replay agrees.

    Raises SearchError.
    """
    reply = request(http, NAME, f"{URL}/search", {"query": "", "hitsPerPage": "0"})
    now = get_reply_time(reply)
    if now is None:
        raise changed_format_error(
            NAME, "it does not say when it was given, so that nobody knows what is new"
        )
    return int(now.timestamp())


def _read_story(row: Mapping[str, Any]) -> SearchResult | None:
    """Return a story; a comment among the hits has its story's title and its own page."""
    number = read_text(NAME, row, "objectID")
    title = read_text(NAME, row, "title") or read_text(NAME, row, "story_title")
    url = read_url(NAME, row, "url")
    if not url and number.isascii() and number.isdigit():
        url = ITEM + number
    if not url or not title:
        return None
    text = read_text(NAME, row, "story_text") or read_text(NAME, row, "comment_text")
    published = parse_published(read_text(NAME, row, "created_at"), None)
    return SearchResult(title, url, markup_words(text), published=published)
