"""Search Google's web, news and images through Serper (google.serper.dev), plain lists only.

Safe search and image filters are not documented, so they are reported as not honoured.
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
    read_integer,
    read_records,
    read_rows,
    read_text,
    read_url,
    request,
)
from research_core.search.queries import (
    ImageQuery,
    NewsQuery,
    WebQuery,
    add_operators,
    format_words_with_operators,
)
from research_core.search.records import Article, Image, build_article
from research_core.settings import Settings
from research_core.urls import find_host

NAME = "Serper"
URL = "https://google.serper.dev"
NEEDS = ("SERPER_API_KEY",)
WEB_HONOURS = frozenset("time_range language country site exact_terms exclude_terms sites".split())
NEWS_HONOURS = frozenset("time_range news_source country language".split())
IMAGE_HONOURS = frozenset("country language".split())
#: Results in an answer that costs one credit.
MAX_COUNT = 10
SPANS = {"hour": "qdr:h", "day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}
KEY = (
    "Check SERPER_API_KEY in .env (see .env.example), and the credits that are left, or ask another"
    " provider."
)
NEXT_STEPS = {"auth_required": KEY, "rate_limited": "Wait 60 seconds, or ask another provider."}


def search(http: Http, settings: Settings, query: WebQuery) -> tuple[SearchResult, ...]:
    """Return pages in Google's order. Raises SearchError."""
    words = format_words_with_operators(query)
    listed, reply = _ask(http, settings, "search", words, query, "organic")
    return read_records(NAME, listed, lambda row: _read_page(row, reply), "an address")


def search_news(http: Http, settings: Settings, query: NewsQuery) -> tuple[Article, ...]:
    """Return articles in Google's order. Raises SearchError."""
    words = add_operators(query.text, site=query.news_source)
    listed, reply = _ask(http, settings, "news", words, query, "news")
    return read_records(NAME, listed, lambda row: _read_article(row, reply), "an address")


def search_images(http: Http, settings: Settings, query: ImageQuery) -> tuple[Image, ...]:
    """Return images in Google's order. Raises SearchError."""
    listed, _ = _ask(http, settings, "images", query.text, query, "images")
    return read_records(NAME, listed, _read_image, "an address")


def _ask(
    http: Http, settings: Settings, what: str, words: str, query: Any, where: str
) -> tuple[list[dict[str, Any]], HttpReply]:
    body = {
        "q": words,
        "num": min(query.count, MAX_COUNT),
        "gl": query.country.lower(),
        "hl": query.language.lower(),
        "tbs": SPANS.get(getattr(query, "time_range", ""), ""),
    }
    reply = request(
        http,
        NAME,
        f"{URL}/{what}",
        method="POST",
        headers={"X-API-KEY": settings.serper_api_key},
        body=drop_empty(body),
        next_steps=NEXT_STEPS,
        refusal=_read_refusal,
    )
    return read_rows(NAME, parse_json(NAME, reply), where), reply


def _read_refusal(answer: Any) -> tuple[str, str]:
    """Recognise a 400 for used-up credit, which other services answer with 402."""
    said = get_value(answer, "message")
    return ("auth_required" if isinstance(said, str) and "credits" in said else ""), ""


def _read_page(row: dict[str, Any], reply: HttpReply) -> SearchResult | None:
    url = read_url(NAME, row, "link")
    day = parse_published(read_text(NAME, row, "date"), get_reply_time(reply))
    if not url:
        return None
    return SearchResult(
        read_text(NAME, row, "title"), url, read_text(NAME, row, "snippet"), published=day
    )


def _read_article(row: dict[str, Any], reply: HttpReply) -> Article | None:
    page = _read_page(row, reply)
    if page is None:
        return None
    return build_article(page, read_text(NAME, row, "source") or find_host(page.url))


def _read_image(row: dict[str, Any]) -> Image | None:
    link, page = read_url(NAME, row, "imageUrl"), read_url(NAME, row, "link")
    if not link:
        return None
    return Image(
        title=read_text(NAME, row, "title"),
        link=link,
        display_link=find_host(page or link),
        thumbnail_link=read_url(NAME, row, "thumbnailUrl"),
        context_link=page,
        width=read_integer(NAME, row, "imageWidth"),
        height=read_integer(NAME, row, "imageHeight"),
    )
