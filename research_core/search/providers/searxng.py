"""Search web, news and images with the owner's SearXNG server, by its JSON API.

An empty answer counts only if all its engines answered. User name and password in the URL are sent
as basic authentication. Which engines honour a parameter is up to the server.
"""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Any
from urllib.parse import unquote, urlsplit

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.models import HttpReply, SearchResult
from research_core.search.providers.publication_dates import get_reply_time, parse_published
from research_core.search.providers.reply import (
    changed_format_error,
    drop_empty,
    parse_json,
    read_records,
    read_results,
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
from research_core.search.records import Article, Image, NotedRecords
from research_core.settings import Settings
from research_core.text.words import strip_invisible, truncate
from research_core.urls import find_host

NAME = "SearXNG"
NEEDS = ("SEARXNG_URL",)
WEB_HONOURS = frozenset(
    "time_range safe language country site exact_terms exclude_terms sites".split()
)
NEWS_HONOURS = frozenset("time_range news_source country language safe".split())
IMAGE_HONOURS = frozenset("safe country language".split())
#: The shortest span is a day.
SPANS = {"hour": "day", "day": "day", "week": "week", "month": "month", "year": "year"}
SAFE = {"off": "0", "medium": "1", "moderate": "1", "high": "2", "strict": "2"}
_ADDRESS = "Check that SEARXNG_URL is the address of a SearXNG server and that it is running."
NEXT_STEPS = {
    "auth_required": (
        "Let the server answer in JSON: in its settings.yml, search.formats must list json. If it"
        " asks for a name and a password, set SEARXNG_BASIC_AUTH."
    ),
    "rate_limited": "Wait a while, or switch off the limiter in the server's settings.yml.",
    "config": _ADDRESS,
    "unsupported": _ADDRESS,
    "network": _ADDRESS,
    "timeout": _ADDRESS,
    "bad_reply": _ADDRESS,
}
_PIXELS = re.compile(r"\s*(\d{1,6})\s*[x×*]\s*(\d{1,6})\b")


def search(http: Http, settings: Settings, query: WebQuery) -> tuple[SearchResult, ...]:
    """Return what the server at SEARXNG_URL lists, in its order. Raises SearchError."""
    answer, _ = _ask(http, settings, query, format_words_with_operators(query), "")
    found = read_results(
        NAME,
        answer["results"],
        url="url",
        title="title",
        snippet="content",
        published="publishedDate",
    )
    return NotedRecords(found, _list_silent_engines(answer))


def search_news(http: Http, settings: Settings, query: NewsQuery) -> tuple[Article, ...]:
    """Return what its news engines list. Raises SearchError."""
    answer, reply = _ask(
        http, settings, query, add_operators(query.text, site=query.news_source), "news"
    )
    listed = read_rows(NAME, answer, "results")
    articles = read_records(NAME, listed, lambda row: _read_article(row, reply), "an address")
    return NotedRecords(articles, _list_silent_engines(answer))


def search_images(http: Http, settings: Settings, query: ImageQuery) -> tuple[Image, ...]:
    """Return what its image engines list. Raises SearchError."""
    answer, _ = _ask(http, settings, query, query.text, "images")
    listed = read_rows(NAME, answer, "results")
    found = read_records(NAME, listed, _read_image, "the address of an image")
    return NotedRecords(found, _list_silent_engines(answer))


def list_unsupported_params(query: Any) -> list[str]:
    """Return what it lacks: a country without a language, spans below a day."""
    unsupported = []
    if not query.language:
        unsupported.append("country")
    if getattr(query, "time_range", "") == "hour":
        unsupported.append("time_range")
    return unsupported


def _ask(
    http: Http, settings: Settings, query: Any, asked: str, category: str
) -> tuple[Any, HttpReply]:
    wanted = {
        "q": asked,
        "format": "json",
        "categories": category,
        "language": _format_locale(query.language, query.country),
        "time_range": SPANS.get(getattr(query, "time_range", ""), ""),
        "safesearch": SAFE.get(query.safe, ""),
    }
    server, headers = _read_server_address(settings)
    reply = request(
        http,
        NAME,
        f"{server}/search",
        drop_empty(wanted),
        headers=headers,
        endpoint=True,  # the owner's server may have a private address
        next_steps=NEXT_STEPS,
    )
    return _check_answer(parse_json(NAME, reply, NEXT_STEPS)), reply


def _format_locale(language: str, country: str) -> str:
    """Return a locale such as "pt-BR" from a language and a country."""
    name, _, part = language.partition("-")
    region = country or (part if len(part) == 2 else "")
    return f"{name.lower()}-{region.upper()}" if name and region else language


def _read_server_address(settings: Settings) -> tuple[str, dict[str, str]]:
    """Return the server's URL without credentials, and the header that carries them."""
    parts = urlsplit(settings.searxng_url)
    user, _, place = parts.netloc.rpartition("@")
    login = settings.searxng_auth or unquote(user)
    headers = {"Authorization": f"Basic {b64encode(login.encode()).decode()}"} if login else {}
    return parts._replace(netloc=place).geturl(), headers


def _check_answer(answer: Any) -> Any:
    if not isinstance(answer, dict) or "results" not in answer:
        raise changed_format_error(NAME, "there are no results in it", _ADDRESS)
    if not answer["results"] and answer.get("unresponsive_engines"):
        raise _outage_error(answer["unresponsive_engines"])
    return answer


def _outage_error(engines: Any) -> SearchError:
    step = "Look at the engines in the server's preferences, or try again later."
    said = _format_engines(engines)
    error = SearchError(
        f"{NAME} found nothing, but these of its engines did not answer: {said}.",
        status=200,
        next_step=step,
    )
    error.quotes = (said,)
    return error


def _list_silent_engines(answer: Any) -> list[str]:
    """Note which engines did not answer while others did."""
    engines = answer.get("unresponsive_engines")
    if not engines:
        return []
    return [f"These engines of {NAME} did not answer: {_format_engines(engines)}."]


def _format_engines(engines: Any) -> str:
    """Format engines given as [[name, reason], …]."""
    listed = []
    for pair in engines if isinstance(engines, list) else [engines]:
        if isinstance(pair, list) and len(pair) == 2:
            listed.append(f"{pair[0]} ({pair[1]})")
        else:
            listed.append(str(pair))
    return truncate(strip_invisible(", ".join(listed)), 300)


def _read_article(row: dict[str, Any], reply: HttpReply) -> Article | None:
    url = read_url(NAME, row, "url")
    if not url:
        return None
    day = parse_published(read_text(NAME, row, "publishedDate"), get_reply_time(reply))
    return Article(
        read_text(NAME, row, "title"),
        url,
        read_text(NAME, row, "source") or find_host(url),
        read_text(NAME, row, "content"),
        day,
    )


def _read_image(row: dict[str, Any]) -> Image | None:
    link, page = _read_complete_url(row, "img_src"), read_url(NAME, row, "url")
    if not link:
        return None
    size = _PIXELS.match(read_text(NAME, row, "resolution"))
    return Image(
        title=read_text(NAME, row, "title"),
        link=link,
        display_link=find_host(page or link),
        thumbnail_link=_read_complete_url(row, "thumbnail_src"),
        context_link=page,
        width=int(size[1]) if size else None,
        height=int(size[2]) if size else None,
        file_size=read_text(NAME, row, "filesize"),
    )


def _read_complete_url(row: dict[str, Any], field: str) -> str:
    """Return the URL in this field, adding the scheme that many engines omit."""
    url = read_text(NAME, row, field)
    return read_url(NAME, {field: f"https:{url}" if url.startswith("//") else url}, field)
