"""Search web, news and images with the Brave Search API (places are in `brave_local`).

It reads titles, URLs, descriptions as plain text, and dates, from one page of results; no
summaries, extra snippets, infoboxes or videos are requested.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import unescape
from typing import Any

from research_core.journal.deps import Http
from research_core.models import HttpReply, SearchResult
from research_core.search.providers.publication_dates import get_reply_time, parse_published
from research_core.search.providers.reply import (
    NOTHING,
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
    format_words_with_operators,
)
from research_core.search.records import Article, Image, build_article
from research_core.settings import Settings

NAME = "Brave"
API = "https://api.search.brave.com/res/v1"
PAGES_URL = f"{API}/web/search"
ARTICLES_URL = f"{API}/news/search"
IMAGES_URL = f"{API}/images/search"
NEEDS = ("BRAVE_API_KEY",)
WEB_HONOURS = frozenset(
    "time_range safe language country site exact_terms exclude_terms sites goggle".split()
)
NEWS_HONOURS = frozenset("time_range country language safe".split())
IMAGE_HONOURS = frozenset("safe country language".split())
#: Sent to the web search only: the other services answer 404 or 422 if it is set.
VERSION = {"Api-Version": "2023-01-01"}
#: Results in one answer.
MAX_PAGES, MAX_ARTICLES, MAX_IMAGES = 20, 50, 200
#: The shortest span is a day.
SPANS = {"hour": "pd", "day": "pd", "week": "pw", "month": "pm", "year": "py"}
SAFE = {"off": "off", "high": "strict", "strict": "strict"}
#: Language codes that differ from ISO 639, or depend on region or script.
LANGUAGES = {
    "ja": "jp",
    "no": "nb",
    "pt": "pt-br",
    "zh": "zh-hans",
    "zh-cn": "zh-hans",
    "zh-tw": "zh-hant",
    "zh-hk": "zh-hant",
}
LANGUAGES |= {each: each for each in ("en-gb", "pt-br", "pt-pt", "zh-hans", "zh-hant")}
NEXT_STEPS = {
    "auth_required": (
        "Check BRAVE_API_KEY in .env (see .env.example), and the key's plan and credit in Brave's"
        " dashboard."
    ),
    "rate_limited": "Wait 60 seconds and try again, or ask another provider.",
}


def search(http: Http, settings: Settings, query: WebQuery) -> tuple[SearchResult, ...]:
    """Return pages in Brave's order, or in that of a goggle. Raises SearchError."""
    params = {
        "q": format_words_with_operators(query),
        "count": str(min(query.count, MAX_PAGES)),
        "text_decorations": "false",
        "goggles": query.goggle,
        **_search_params(query),
        "freshness": SPANS.get(query.time_range, ""),
        "safesearch": SAFE.get(query.safe, "moderate"),
    }
    answer, reply = ask_brave(http, settings, PAGES_URL, params, headers=VERSION)
    listed = read_rows(NAME, answer, "web", "results") if has_section(answer, "web") else []
    pages = read_records(NAME, listed, lambda row: _read_page(row, reply), "an address")
    return pages[: query.count]


def search_news(http: Http, settings: Settings, query: NewsQuery) -> tuple[Article, ...]:
    """Return articles in Brave's order; no sorting and no source filter. Raises SearchError."""
    params = {
        "q": query.text,
        "count": str(min(query.count, MAX_ARTICLES)),
        **_search_params(query),
        "freshness": SPANS.get(query.time_range, ""),
        "safesearch": SAFE.get(query.safe, "moderate"),
    }
    answer, reply = ask_brave(http, settings, ARTICLES_URL, params)
    listed = read_rows(NAME, answer, "results")
    articles = read_records(NAME, listed, lambda row: _read_article(row, reply), "an address")
    return articles[: query.count]


def search_images(http: Http, settings: Settings, query: ImageQuery) -> tuple[Image, ...]:
    """Return images in Brave's order; no filters by size, type or colour.

    safe: off, or strict for any other value. Raises SearchError.
    """
    params = {
        "q": query.text,
        "count": str(min(query.count, MAX_IMAGES)),
        **_search_params(query),
        "safesearch": "off" if query.safe == "off" else "strict",
    }
    answer, _ = ask_brave(http, settings, IMAGES_URL, params)
    listed = read_rows(NAME, answer, "results")
    found = read_records(NAME, listed, _read_image, "an image's address")
    return found[: query.count]


def ask_brave(
    http: Http,
    settings: Settings,
    url: str,
    params: Mapping[str, str],
    headers: Mapping[str, str] = NOTHING,
) -> tuple[Any, HttpReply]:
    """Return Brave's JSON and the reply it came in. Raises SearchError."""
    reply = request(
        http,
        NAME,
        url,
        drop_empty(params),
        headers={**headers, "X-Subscription-Token": settings.brave_api_key},
        next_steps=NEXT_STEPS,
        refusal=_read_refusal,
    )
    return parse_json(NAME, reply), reply


def has_section(answer: Any, part: str) -> bool:
    """Return True if a web search found results of this type.

    Raises SearchError if the answer is not one of a web search.
    """
    if not isinstance(get_value(answer, "query"), dict):
        raise changed_format_error(NAME, "there is no 'query' in it")
    return get_value(answer, part) is not None


def _read_refusal(answer: Any) -> tuple[str, str]:
    """Tell refusals apart that share a status.

    A used-up quota has the status of too many requests per second; an unknown key has that of an
    invalid parameter.
    """
    code, meta = get_value(answer, "error", "code"), get_value(answer, "error", "meta")
    quota, used = get_value(meta, "quota_limit"), get_value(meta, "quota_current")
    if code == "QUOTA_LIMITED" or (
        isinstance(quota, int) and isinstance(used, int) and used >= quota > 0
    ):
        counted = f", {used} of {quota} requests" if quota and used else ""
        return "auth_required", f"the month's quota is used up{counted}"
    if get_value(meta, "component") == "authentication" or code in (
        "SUBSCRIPTION_TOKEN_INVALID",
        "SUBSCRIPTION_NOT_FOUND",
        "OPTION_NOT_IN_PLAN",
    ):
        return "auth_required", ""
    if code == "RATE_LIMITED" or get_value(meta, "rate_limit") is not None:
        allowed = get_value(meta, "rate_limit")
        return "rate_limited", (
            f"its plan allows {allowed} a second" if isinstance(allowed, int) else ""
        )
    return "", ""


def _search_params(query: Any) -> dict[str, str]:
    language = query.language.lower()
    return {
        "country": query.country.upper(),
        "search_lang": LANGUAGES.get(language) or language.partition("-")[0],
    }


def _read_page(row: dict[str, Any], reply: HttpReply) -> SearchResult | None:
    url = read_url(NAME, row, "url")
    # The description is HTML: escaped characters, and the query's words in bold.
    marked = read_text(NAME, row, "description")
    snippet = unescape(marked.replace("<strong>", "").replace("</strong>", ""))
    if not url:
        return None
    title = read_text(NAME, row, "title")
    return SearchResult(title, url, snippet, published=_read_moment(row, reply))


def _read_moment(row: dict[str, Any], reply: HttpReply) -> str:
    now = get_reply_time(reply)
    return parse_published(read_text(NAME, row, "page_age"), now) or parse_published(
        read_text(NAME, row, "age"), now
    )


def _read_article(row: dict[str, Any], reply: HttpReply) -> Article | None:
    page = _read_page(row, reply)
    if page is None:
        return None
    return build_article(page, read_text(NAME, row, "meta_url", "hostname"))


def _read_image(row: dict[str, Any]) -> Image | None:
    link = read_url(NAME, row, "properties", "url")
    if not link:
        return None
    return Image(
        title=read_text(NAME, row, "title"),
        link=link,
        display_link=read_text(NAME, row, "source"),
        thumbnail_link=read_url(NAME, row, "thumbnail", "src"),
        context_link=read_url(NAME, row, "url"),
        width=read_integer(NAME, row, "properties", "width"),
        height=read_integer(NAME, row, "properties", "height"),
    )
