"""Search the web with DuckDuckGo's page for browsers without scripts; asked only by name.

There is no API for programs. A page with neither results nor a message that there are none is a new
layout or a captcha, never an empty answer. Advertisements are left out.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.models import LinkCounts, SearchResult
from research_core.search.providers.ddgs import ASKS_FOR_A_PERSON, SAYS_NOTHING
from research_core.search.providers.duckduckgo_regions import get_region_code
from research_core.search.providers.publication_dates import get_reply_time, parse_published
from research_core.search.providers.reply import (
    changed_format_error,
    drop_empty,
    read_each,
    read_url,
    request,
    require_some,
)
from research_core.search.queries import WebQuery, format_words_with_operators
from research_core.search.records import NotedRecords
from research_core.search.redirectors import clean_links, is_advertisement, unwrap_url
from research_core.settings import Settings
from research_core.text.words import strip_invisible
from research_core.urls import is_under_domain

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

NAME = "DuckDuckGo"
URL = "https://html.duckduckgo.com/html/"
WEB_HONOURS = frozenset(
    "time_range safe language country site exact_terms exclude_terms sites".split()
)
MAX_BYTES = 2_000_000
SPANS = {"hour": "d", "day": "d", "week": "w", "month": "m", "year": "y"}
SAFE = {"off": "-2", "medium": "-1", "moderate": "-1", "high": "1", "strict": "1"}
#: CSS selectors of result, titled link and snippet: in the page without scripts, and as rendered by
#: scripts.
LAYOUTS = (
    (
        "div.result:not([class*='result--ad'])",
        "a[class*='result__a']",
        "[class*='result__snippet']",
    ),
    (
        "article[data-testid='result']",
        "a[data-testid='result-title-a']",
        "[data-result='snippet']",
    ),
)
MARKED_ADVERTISEMENTS = "div.result[class*='result--ad'], article[data-testid='ad']"
NEXT_STEP = (
    "Wait some minutes, ask another provider, or set SEARXNG_URL to a SearXNG server of your own."
)


def search(http: Http, settings: Settings, query: WebQuery) -> tuple[SearchResult, ...]:
    """Return pages in DuckDuckGo's order.

    Raises SearchError; rate_limited for status 202, common for addresses of data centres.
    """
    wanted = {
        "q": format_words_with_operators(query),
        "kl": get_region_code(query.country, query.language),
        "df": SPANS.get(query.time_range, ""),
        "p": SAFE.get(query.safe, ""),
    }
    reply = request(
        http,
        NAME,
        URL,
        drop_empty(wanted),
        accept="text/html",
        max_bytes=MAX_BYTES,
        next_steps={"rate_limited": NEXT_STEP, "auth_required": NEXT_STEP},
        also=(202,),
    )
    if reply.status == 202:
        sentence = f"{NAME} answered 202: a test that you are human, not results."
        raise SearchError(sentence, kind="rate_limited", status=202, next_step=NEXT_STEP)
    return _read_results(reply.body, get_reply_time(reply))


# ---------------------------------------------------------------- the page


def _read_results(body: bytes, today: datetime | None) -> tuple[SearchResult, ...]:
    soup = _parse_html(body)
    marked = LinkCounts(advertisements=len(soup.select(MARKED_ADVERTISEMENTS)))
    for result, link, snippet in LAYOUTS:
        listed = soup.select(result)
        if listed:
            read = partial(_read_result, link=link, snippet=snippet, today=today)
            rows, links = clean_links(read_each(listed, read))
            found = require_some(NAME, listed, rows, "an address")
            return NotedRecords(found, links=links + marked)
    for hidden in soup.select("noscript, template"):
        hidden.extract()
    # Texts of scripts and style sheets are no plain strings to BeautifulSoup.
    if any(SAYS_NOTHING.match(text) for text in soup.strings):
        return NotedRecords(links=marked)
    if ASKS_FOR_A_PERSON.search(body.decode("utf-8", "replace")):
        raise SearchError(
            f"{NAME} asks for proof that a person is searching.",
            kind="blocked",
            status=200,
            next_step=NEXT_STEP,
        )
    raise changed_format_error(
        NAME, "it holds no results and does not say that there are none", NEXT_STEP
    )


def _parse_html(body: bytes) -> BeautifulSoup:
    # Imported here: it takes 30 ms, which every start would pay.
    from bs4 import BeautifulSoup
    from bs4.exceptions import ParserRejectedMarkup

    if not body.rstrip().lower().endswith(b"</html>"):
        raise changed_format_error(NAME, "it is no whole page", NEXT_STEP)
    try:
        return BeautifulSoup(body, "lxml", from_encoding="utf-8")
    except (ParserRejectedMarkup, ValueError, RecursionError) as error:
        raise changed_format_error(NAME, "it is no page", NEXT_STEP) from error


def _read_result(
    element: Tag, link: str, snippet: str, today: datetime | None
) -> SearchResult | None:
    anchor = element.select_one(link)
    if anchor is None:
        return None
    url = read_url(NAME, {"url": resolve_link(str(anchor.get("href") or ""))}, "url")
    if not url:
        return None
    head, rest = _split_snippet(element.select_one(snippet))
    day = parse_published(head, today)
    shown = rest if day else f"{head} {rest}".strip()
    return SearchResult(_read_element_text(anchor), url, shown, published=day)


def resolve_link(href: str) -> str:
    """Return the complete address of a link; "" if it leads nowhere but to DuckDuckGo itself.

    Redirects and advertisements, which `clean_links` unwraps and drops, stay.
    """
    try:
        url = urljoin(URL, href)
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    if not is_under_domain(host, "duckduckgo.com"):
        return url
    return url if is_advertisement(url) or unwrap_url(url) != url else ""


def _split_snippet(snippet: Tag | None) -> tuple[str, str]:
    """Return the snippet's heading, often a date, and the rest."""
    if snippet is None:
        return "", ""
    heading = snippet.select_one("span:not(:has(> *)):has(~ span)")
    first = _read_element_text(heading) if heading else ""
    whole = _read_element_text(snippet)
    if first and whole.startswith(first):
        return first, whole.removeprefix(first).strip()
    return "", whole


def _read_element_text(element: Tag) -> str:
    return " ".join(strip_invisible(element.get_text()).split())
