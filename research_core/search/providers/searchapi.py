"""Search Google's web, news and images through SearchAPI.io; patents: `searchapi_patents`.

Only the plain lists are read. Image filters are sent as Google's own `tbs`, which knows fewer sizes
than Google's API.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from research_core.journal.deps import Http
from research_core.models import HttpReply, SearchResult
from research_core.search.providers.publication_dates import get_reply_time, parse_published
from research_core.search.providers.reply import (
    changed_format_error,
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

NAME = "SearchAPI"
URL = "https://www.searchapi.io/api/v1/search"
NEEDS = ("SEARCHAPI_API_KEY",)
WEB_HONOURS = frozenset(
    "time_range safe language country site exact_terms exclude_terms sites".split()
)
NEWS_HONOURS = frozenset("time_range sort_by news_source language country safe".split())
IMAGE_HONOURS = frozenset(
    "size type color_type dominant_color file_type safe language country".split()
)
MAX_COUNT = 10
SAFE = {
    "off": "off",
    "medium": "active",
    "moderate": "active",
    "high": "active",
    "strict": "active",
}
#: `tbs` values of sizes; sizes above large are given in pixels.
SIZES = {
    "icon": "isz:i",
    "medium": "isz:m",
    "large": "isz:l",
    "xlarge": "isz:lt,islt:2mp",
    "xxlarge": "isz:lt,islt:4mp",
    "huge": "isz:lt,islt:10mp",
}
TYPES = {name: f"itp:{name}" for name in ("clipart", "face", "lineart", "photo", "animated")}
COLORS = {"color": "ic:color", "gray": "ic:gray", "mono": "ic:gray", "trans": "ic:trans"}
#: Where an image's URL, width and height are.
NESTED_IMAGE: tuple[tuple[str, ...], ...] = (
    ("original", "link"),
    ("original", "width"),
    ("original", "height"),
)
FLAT_IMAGE = (("original",), ("original_width",), ("original_height",))
KEY = (
    "Check SEARCHAPI_API_KEY in .env (see .env.example), and the searches that are left, or ask"
    " another provider."
)
NEXT_STEPS = {"auth_required": KEY, "rate_limited": "Wait 60 seconds, or ask another provider."}
#: The message, with status 200, that nothing was found.
NOTHING_FOUND = re.compile(r"n[o']t return(ed)? any results|no results", re.IGNORECASE)


def search(http: Http, settings: Settings, query: WebQuery) -> tuple[SearchResult, ...]:
    """Return pages in Google's order. Raises SearchError."""
    words = format_words_with_operators(query)
    listed, when = _ask(http, settings, "google", words, query, "organic_results")
    return read_records(NAME, listed, lambda row: _read_page(row, when), "an address")


def search_news(http: Http, settings: Settings, query: NewsQuery) -> tuple[Article, ...]:
    """Return articles in Google's order, or by date. Raises SearchError."""
    wanted = {"sort_by": "most_recent" if query.sort_by == "date" else ""}
    words = add_operators(query.text, site=query.news_source)
    listed, when = _ask(
        http, settings, "google_news", words, query, "organic_results", "news_results", **wanted
    )
    return read_records(NAME, listed, lambda row: _read_article(row, when), "an address")


def search_images(http: Http, settings: Settings, query: ImageQuery) -> tuple[Image, ...]:
    """Return images in Google's order. Raises SearchError."""
    filters = [SIZES.get(query.size, ""), TYPES.get(query.type, "")]
    if query.dominant_color:
        filters.append(f"ic:specific,isc:{query.dominant_color}")
    else:
        filters.append(COLORS.get(query.color_type, ""))
    if query.file_type:
        filters.append(f"ift:{query.file_type}")
    tbs = ",".join(filter(None, filters))
    listed, _ = _ask(
        http, settings, "google_images", query.text, query, "images", "images_results", tbs=tbs
    )
    return read_records(NAME, listed, _read_image, "an address")


def list_unsupported_image_filters(query: ImageQuery) -> list[str]:
    """Return the filters without an equivalent.

    Small and stock images, and a colour type beside a colour.
    """
    unsupported = []
    if query.size not in SIZES:
        unsupported.append("size")
    if query.type not in TYPES:
        unsupported.append("type")
    if query.dominant_color:
        unsupported.append("color_type")
    return unsupported


def _ask(
    http: Http, settings: Settings, engine: str, words: str, query: Any, *where: str, **wanted: str
) -> tuple[list[dict[str, Any]], datetime | None]:
    """Return the list under the first of these names, and when the answer was given."""
    span = getattr(query, "time_range", "")
    params = {
        "engine": engine,
        "q": words,
        "num": str(min(query.count, MAX_COUNT)),
        "gl": query.country.lower(),
        "hl": query.language.lower(),
        "safe": SAFE.get(query.safe, ""),
        "time_period": f"last_{span}" if span else "",
        **wanted,
        "api_key": settings.searchapi_api_key,
    }
    reply = request(http, NAME, URL, drop_empty(params), next_steps=NEXT_STEPS)
    answer = parse_json(NAME, reply)
    here = next((name for name in where if get_value(answer, name) is not None), "")
    if not here and not _says_no_results(answer):
        raise changed_format_error(NAME, f"there is no {where[0]!r} in it")
    return read_rows(NAME, answer, here) if here else [], _read_moment(answer, reply)


def _read_moment(answer: Any, reply: HttpReply) -> datetime | None:
    """Return when the search ran; ages in the answer count from then."""
    said = parse_published(read_text(NAME, answer, "search_metadata", "created_at"), None)
    return datetime.fromisoformat(said) if said else get_reply_time(reply)


def _says_no_results(answer: Any) -> bool:
    """Return True if the answer states no results and no failure."""
    error = get_value(answer, "error")
    if isinstance(error, str):
        return bool(NOTHING_FOUND.search(error))
    count = get_value(answer, "search_information", "total_results")
    return count == 0 and not isinstance(count, bool)


def _read_page(row: dict[str, Any], when: datetime | None) -> SearchResult | None:
    url = read_url(NAME, row, "link")
    day = parse_published(read_text(NAME, row, "iso_date") or read_text(NAME, row, "date"), when)
    if not url:
        return None
    return SearchResult(
        read_text(NAME, row, "title"), url, read_text(NAME, row, "snippet"), published=day
    )


def _read_article(row: dict[str, Any], when: datetime | None) -> Article | None:
    page = _read_page(row, when)
    if page is None:
        return None
    return build_article(page, _read_source(row) or find_host(page.url))


def _read_image(row: dict[str, Any]) -> Image | None:
    # Some answers give the file as an object, others as plain fields.
    if isinstance(row.get("original"), dict):
        link_at, width_at, height_at = NESTED_IMAGE
    else:
        link_at, width_at, height_at = FLAT_IMAGE
    link = read_url(NAME, row, *link_at)
    page = _read_context_url(row)
    if not link:
        return None
    return Image(
        title=read_text(NAME, row, "title"),
        link=link,
        display_link=find_host(page or link),
        thumbnail_link=read_url(NAME, row, "thumbnail"),
        context_link=page,
        width=read_integer(NAME, row, *width_at),
        height=read_integer(NAME, row, *height_at),
    )


def _read_source(row: dict[str, Any]) -> str:
    """Return the source's name: plain text, or in an object with its URL."""
    if isinstance(row.get("source"), dict):
        return read_text(NAME, row, "source", "name")
    return read_text(NAME, row, "source")


def _read_context_url(row: dict[str, Any]) -> str:
    """Return the URL of the page that shows an image."""
    if isinstance(row.get("source"), dict):
        return read_url(NAME, row, "source", "link")
    return read_url(NAME, row, "link")
