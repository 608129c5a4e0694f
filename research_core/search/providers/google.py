"""Search web, news and images with Google's Custom Search JSON API (no new customers).

It reads titles, snippets, URLs and dates from page metadata. There is no news service: news are web
pages by date. Only one page of at most ten results is requested, as each costs a query of the day's
100.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.models import SearchResult
from research_core.search.providers.counts import check_not_empty
from research_core.search.providers.publication_dates import parse_published
from research_core.search.providers.reply import (
    changed_format_error,
    drop_empty,
    get_json,
    get_value,
    read_integer,
    read_records,
    read_rows,
    read_text,
    read_url,
)
from research_core.search.queries import ImageQuery, NewsQuery, WebQuery, add_operators
from research_core.search.records import Article, Image, NotedRecords, build_article
from research_core.settings import Settings

NAME = "Google"
URL = "https://www.googleapis.com/customsearch/v1"
NEEDS = ("GOOGLE_CUSTOM_SEARCH_API_KEY", "GOOGLE_CUSTOM_SEARCH_ID")
WEB_HONOURS = frozenset(
    "time_range safe language country site exact_terms exclude_terms sites cx".split()
)
NEWS_HONOURS = frozenset("time_range sort_by news_source country language safe".split())
IMAGE_HONOURS = frozenset(
    "size type color_type dominant_color file_type safe country language".split()
)
#: Results in one answer, and words of a query: Google silently drops the rest.
MAX_COUNT, WORDS = 10, 32
#: The shortest span is a day.
SPANS = {"hour": "d1", "day": "d1", "week": "w1", "month": "m1", "year": "y1"}
#: Language codes that differ from ISO 639.
LANGUAGES = {
    "he": "iw",
    "nb": "no",
    "zh": "zh-CN",
    "zh-hans": "zh-CN",
    "zh-cn": "zh-CN",
    "zh-hant": "zh-TW",
    "zh-tw": "zh-TW",
}
#: Metadata names of the publication date, most reliable first.
DATES = (
    "article:published_time",
    "datepublished",
    "og:published_time",
    "publishdate",
    "date",
    "dc.date.issued",
)
KEY = (
    f"Check {NEEDS[0]} and {NEEDS[1]} in .env (see .env.example); Google gives no access to new"
    " customers, so ask another provider."
)
NEXT_STEPS = {
    "auth_required": KEY,
    "config": KEY,
    "rate_limited": "Wait 60 seconds, or until tomorrow for the free 100, or ask another provider.",
}
#: Error kinds by reason, where the status is misleading.
REASONS = {
    "API_KEY_INVALID": "auth_required",
    "keyInvalid": "auth_required",
    "rateLimitExceeded": "rate_limited",
    "userRateLimitExceeded": "rate_limited",
    "dailyLimitExceeded": "rate_limited",
    "quotaExceeded": "rate_limited",
}


def search(http: Http, settings: Settings, query: WebQuery) -> tuple[SearchResult, ...]:
    """Return pages in Google's order.

    Raises SearchError; `config` if the query with its sites has more words than Google reads.
    """
    sites = () if query.cx else query.sites  # the engine of a lens searches its own sites
    asked = _query_words(query.text, query.site, sites)
    wanted = {
        "exactTerms": query.exact_terms,
        "excludeTerms": query.exclude_terms.replace(",", " "),
    }
    found = _ask(http, settings, asked, query, wanted, cx=query.cx)
    pages = read_records(NAME, found, _read_page, "an address")
    return NotedRecords(pages, _note_dropped_words(asked))


def search_news(http: Http, settings: Settings, query: NewsQuery) -> tuple[Article, ...]:
    """Return pages as articles, by relevance or date.

    published_at: from the page's metadata, which is often missing. Raises SearchError.
    """
    wanted = {"sort": "date" if query.sort_by == "date" else ""}
    asked = _query_words(query.text, query.news_source)
    found = _ask(http, settings, asked, query, wanted)
    articles = read_records(NAME, found, _read_article, "an address")
    return NotedRecords(articles, _note_dropped_words(asked))


def search_images(http: Http, settings: Settings, query: ImageQuery) -> tuple[Image, ...]:
    """Return images in Google's order. Raises SearchError."""
    wanted = {
        "searchType": "image",
        "imgSize": query.size,
        "imgType": query.type,
        "imgColorType": query.color_type,
        "imgDominantColor": query.dominant_color,
        "fileType": query.file_type,
    }
    found = _ask(http, settings, query.text, query, wanted)
    pictures = read_records(NAME, found, _read_image, "an address")
    return NotedRecords(pictures, _note_dropped_words(query.text))


def _query_words(text: str, site: str, sites: tuple[str, ...] = ()) -> str:
    """Add the sites at the end of the query, where Google must not drop them."""
    told = 1 if site else len(sites)
    if told and told + len(text.split()) > WORDS:
        counted = f"{told} sites" if told > 1 else "1 site"
        raise SearchError(
            f"{NAME} reads {WORDS} words of a query, too few for this one and its {counted}.",
            kind="config",
            next_step="Ask in fewer words, or another provider.",
        )
    return add_operators(text, site=site, sites=sites)


def _note_dropped_words(asked: str) -> list[str]:
    if len(asked.split()) <= WORDS:
        return []
    return [
        f"{NAME} reads the first {WORDS} words of a query: those after them were not searched for."
    ]


def _ask(
    http: Http, settings: Settings, words: str, query: Any, wanted: Mapping[str, str], cx: str = ""
) -> list[dict[str, Any]]:
    """Return the items of an answer.

    cx: a lens's engine, sent in the URL because it is part of the recorded question. The engine of
    the settings only identifies the account, so it is recorded as little as the key.
    """
    language = query.language.lower()
    code = LANGUAGES.get(language) or language.partition("-")[0]
    params = {
        "q": words,
        "num": str(min(query.count, MAX_COUNT)),
        "safe": "off" if query.safe == "off" else "active",
        "lr": f"lang_{code}" if code else "",
        "cr": f"country{query.country.upper()}" if query.country else "",
        "dateRestrict": SPANS.get(getattr(query, "time_range", ""), ""),
        **wanted,
        "key": settings.google_api_key,
        "cx": "" if cx else settings.google_engine,
    }
    url = f"{URL}?{urlencode({'cx': cx})}" if cx else URL
    answer = get_json(
        http, NAME, url, drop_empty(params), next_steps=NEXT_STEPS, refusal=_read_refusal
    )
    # Google leaves "items" out when it found nothing; an answer of a search has the other part.
    is_search = isinstance(get_value(answer, "searchInformation"), dict)
    if get_value(answer, "items") is None and not is_search:
        raise changed_format_error(NAME, "there are neither items nor searchInformation in it")
    listed = read_rows(NAME, answer, "items", optional=True)
    check_not_empty(NAME, listed, get_value(answer, "searchInformation", "totalResults"))
    return listed


def _read_refusal(answer: Any) -> tuple[str, str]:
    for part in ("details", "errors"):
        reason = get_value(answer, "error", part, 0, "reason")
        if isinstance(reason, str) and reason in REASONS:
            return REASONS[reason], ""
    return "", ""


def _read_page(row: dict[str, Any]) -> SearchResult | None:
    url = read_url(NAME, row, "link")
    if not url:
        return None
    return SearchResult(
        read_text(NAME, row, "title"),
        url,
        read_text(NAME, row, "snippet"),
        published=_read_published(row),
    )


def _read_published(row: dict[str, Any]) -> str:
    """Return the first date in the page's metadata that can be read; "" if there is none."""
    for part in ("metatags", "newsarticle"):
        for name in DATES:
            said = get_value(row, "pagemap", part, 0, name)
            moment = parse_published(said, None) if isinstance(said, str) else ""
            if moment:
                return moment
    return ""


def _read_article(row: dict[str, Any]) -> Article | None:
    page = _read_page(row)
    if page is None:
        return None
    return build_article(page, read_text(NAME, row, "displayLink"))


def _read_image(row: dict[str, Any]) -> Image | None:
    link, size = read_url(NAME, row, "link"), read_integer(NAME, row, "image", "byteSize")
    if not link:
        return None
    return Image(
        title=read_text(NAME, row, "title"),
        link=link,
        display_link=read_text(NAME, row, "displayLink"),
        thumbnail_link=read_url(NAME, row, "image", "thumbnailLink"),
        context_link=read_url(NAME, row, "image", "contextLink"),
        width=read_integer(NAME, row, "image", "width"),
        height=read_integer(NAME, row, "image", "height"),
        file_size=str(size) if size else "",
    )
