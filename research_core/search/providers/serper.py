"""Searches web, news and images of Google through Serper (google.serper.dev). It reads the plain
lists only, no answer box and no graph.

Safe search is no parameter of it that is documented, nor are filters of images: what it does not
honour is told.
"""

from __future__ import annotations

from typing import Any

from research_core.journal.deps import Http
from research_core.models import HttpReply, SearchResult
from research_core.search.providers.published import answered_at, published
from research_core.search.providers.reply import address, as_json, ask, at, rows, some, text, whole
from research_core.search.queries import ImageQuery, NewsQuery, WebQuery, with_operators
from research_core.search.records import Article, Image
from research_core.settings import Settings
from research_core.urls import host

NAME = "Serper"
URL = "https://google.serper.dev"
NEEDS = ("SERPER_API_KEY",)
WEB = frozenset("time_range language country site exact_terms exclude_terms sites".split())
NEWS = frozenset("time_range news_source country language".split())
IMAGES = frozenset("country language".split())
#: Results in an answer of one credit.
MOST = 10
SPANS = {"hour": "qdr:h", "day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}
KEY = (
    "Check SERPER_API_KEY in .env (see .env.example), and the credits that are left, or ask another"
    " provider."
)
NEXT_STEPS = {"auth_required": KEY, "rate_limited": "Wait 60 seconds, or ask another provider."}


def search(http: Http, settings: Settings, query: WebQuery) -> tuple[SearchResult, ...]:
    """Pages in Google's order. Raises SearchError."""
    words = with_operators(
        query.text,
        site=query.site,
        sites=query.sites,
        exact_terms=query.exact_terms,
        exclude_terms=query.exclude_terms,
    )
    listed, reply = _ask(http, settings, "search", words, query, "organic")
    return some(NAME, listed, [made for row in listed if (made := _page(row, reply))], "an address")


def news(http: Http, settings: Settings, query: NewsQuery) -> tuple[Article, ...]:
    """Articles in Google's order. Raises SearchError."""
    listed, reply = _ask(
        http, settings, "news", with_operators(query.text, site=query.news_source), query, "news"
    )
    return some(
        NAME, listed, [made for row in listed if (made := _article(row, reply))], "an address"
    )


def images(http: Http, settings: Settings, query: ImageQuery) -> tuple[Image, ...]:
    """Images in Google's order. Raises SearchError."""
    listed, _ = _ask(http, settings, "images", query.text, query, "images")
    return some(NAME, listed, [made for row in listed if (made := _image(row))], "an address")


def _ask(
    http: Http, settings: Settings, what: str, words: str, query: Any, where: str
) -> tuple[list[dict[str, Any]], HttpReply]:
    wanted = {
        "q": words,
        "num": min(query.count, MOST),
        "gl": query.country.lower(),
        "hl": query.language.lower(),
        "tbs": SPANS.get(getattr(query, "time_range", ""), ""),
    }
    body = {name: value for name, value in wanted.items() if value}
    key = {"X-API-KEY": settings.serper_api_key}
    reply = ask(
        http,
        NAME,
        f"{URL}/{what}",
        method="POST",
        headers=key,
        body=body,
        next_steps=NEXT_STEPS,
        refusal=_refusal,
    )
    return rows(NAME, as_json(NAME, reply), where), reply


def _refusal(answer: Any) -> tuple[str, str]:
    """A status 400 of an empty purse is what elsewhere is a 402."""
    said = at(answer, "message")
    return ("auth_required" if isinstance(said, str) and "credits" in said else ""), ""


def _page(row: dict[str, Any], reply: HttpReply) -> SearchResult | None:
    url, day = address(NAME, row, "link"), published(text(NAME, row, "date"), answered_at(reply))
    return (
        SearchResult(text(NAME, row, "title"), url, text(NAME, row, "snippet"), published=day)
        if url
        else None
    )


def _article(row: dict[str, Any], reply: HttpReply) -> Article | None:
    page = _page(row, reply)
    if page is None:
        return None
    return Article(
        page.title,
        page.url,
        text(NAME, row, "source") or host(page.url),
        page.snippet,
        page.published,
    )


def _image(row: dict[str, Any]) -> Image | None:
    link, page = address(NAME, row, "imageUrl"), address(NAME, row, "link")
    if not link:
        return None
    return Image(
        title=text(NAME, row, "title"),
        link=link,
        display_link=host(page or link),
        thumbnail_link=address(NAME, row, "thumbnailUrl"),
        context_link=page,
        width=whole(NAME, row, "imageWidth"),
        height=whole(NAME, row, "imageHeight"),
    )
