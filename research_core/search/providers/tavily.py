"""Search web and news with Tavily, without its answers, images and page contents.

Sites go into its own parameter, not into the query, which Tavily cuts at 400 characters.
"""

from __future__ import annotations

from typing import Any

from research_core.journal.deps import Http
from research_core.models import HttpReply, SearchResult
from research_core.search.providers.publication_dates import get_reply_time, parse_published
from research_core.search.providers.reply import (
    drop_empty,
    get_value,
    parse_json,
    read_records,
    read_rows,
    read_text,
    read_url,
    request,
)
from research_core.search.queries import NewsQuery, WebQuery, add_operators
from research_core.search.records import Article, NotedRecords, build_article
from research_core.settings import Settings
from research_core.urls import find_host

NAME = "Tavily"
URL = "https://api.tavily.com/search"
NEEDS = ("TAVILY_API_KEY",)
WEB_HONOURS = frozenset("time_range site exact_terms sites".split())
NEWS_HONOURS = frozenset("time_range news_source".split())
#: Results in an answer, characters of a query, and domains in one call.
MAX_COUNT, MAX_QUERY_LENGTH, MAX_SITES = 20, 400, 300
#: The shortest span is a day.
SPANS = {"hour": "day", "day": "day", "week": "week", "month": "month", "year": "year"}
KEY = (
    "Check TAVILY_API_KEY in .env (see .env.example), and the credits that are left, or ask another"
    " provider."
)
NEXT_STEPS = {"auth_required": KEY, "rate_limited": "Wait 60 seconds, or ask another provider."}


def search(http: Http, settings: Settings, query: WebQuery) -> tuple[SearchResult, ...]:
    """Return pages in Tavily's order. Raises SearchError."""
    phrase = add_operators("", exact_terms=query.exact_terms)
    domains = (query.site,) if query.site else query.sites
    asked = shorten_query(query.text, phrase)
    rows, reply = _ask(
        http, settings, query, asked, domains, topic="general", exact_match=bool(phrase)
    )
    pages = read_records(NAME, rows, lambda row: _read_page(row, reply), "an address")
    return NotedRecords(pages, _note_cut(query.text, asked))


def search_news(http: Http, settings: Settings, query: NewsQuery) -> tuple[Article, ...]:
    """Return articles in Tavily's order. Raises SearchError."""
    domains = (query.news_source,) if query.news_source else ()
    asked = shorten_query(query.text)
    rows, reply = _ask(http, settings, query, asked, domains, topic="news")
    pages = read_records(NAME, rows, lambda row: _read_page(row, reply), "an address")
    articles = [build_article(page, find_host(page.url)) for page in pages]
    return NotedRecords(articles, _note_cut(query.text, asked))


def shorten_query(asked: str, operators: str = "") -> str:
    """Shorten the words to fit, if possible at a word's end; operators stay whole."""
    room = max(0, MAX_QUERY_LENGTH - len(operators) - bool(operators))
    if len(asked) > room:
        asked = asked[: room + 1].rpartition(" ")[0] or asked[:room]
    return " ".join(filter(None, (asked, operators)))


def _note_cut(text: str, asked: str) -> list[str]:
    if asked.startswith(text):
        return []
    return [
        f"{NAME} takes {MAX_QUERY_LENGTH} characters: the end of the query was not searched for."
    ]


def _ask(
    http: Http, settings: Settings, query: Any, asked: str, domains: tuple[str, ...], **wanted: Any
) -> tuple[list[dict[str, Any]], HttpReply]:
    body = {
        "query": asked,
        "max_results": min(query.count, MAX_COUNT),
        "search_depth": "basic",  # one credit; "advanced" takes two
        "time_range": SPANS.get(query.time_range, ""),
        "include_domains": list(domains),
        **wanted,
    }
    reply = request(
        http,
        NAME,
        URL,
        method="POST",
        headers={"Authorization": f"Bearer {settings.tavily_api_key}"},
        body=drop_empty(body),
        next_steps=NEXT_STEPS,
        refusal=_read_refusal,
    )
    return read_rows(NAME, parse_json(NAME, reply), "results"), reply


def _read_refusal(answer: Any) -> tuple[str, str]:
    """Recognise Tavily's own statuses 432 and 433: plan or budget used up, like a 402."""
    message = get_value(answer, "detail", "error")
    if not isinstance(message, str):
        return "", ""
    used_up = "limit" in message and "plan" in message
    return ("auth_required" if used_up else ""), message


def _read_page(row: dict[str, Any], reply: HttpReply) -> SearchResult | None:
    url = read_url(NAME, row, "url")
    day = parse_published(read_text(NAME, row, "published_date"), get_reply_time(reply))
    if not url:
        return None
    return SearchResult(
        read_text(NAME, row, "title"), url, read_text(NAME, row, "content"), published=day
    )
