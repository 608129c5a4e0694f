"""Searches the web with DuckDuckGo's page for browsers without scripts. There is no interface for
programs: it is asked only where named.

A page that shows neither results nor words that there are none is a changed layout or a puzzle for
people, never an empty answer. What is paid for is left out.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

from lxml import etree, html

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.models import SearchResult
from research_core.search.providers.ddgs import ASKS_FOR_A_PERSON, NOT_SHOWN, SAYS_NOTHING
from research_core.search.providers.duckduckgo_regions import region
from research_core.search.providers.published import answered_at, published
from research_core.search.providers.reply import address, ask, changed, some
from research_core.search.queries import WebQuery, with_operators
from research_core.settings import Settings
from research_core.text.words import visible

NAME = "DuckDuckGo"
URL = "https://html.duckduckgo.com/html/"
WEB = frozenset("time_range safe language country site exact_terms exclude_terms sites".split())
MAX_BYTES = 2_000_000
SPANS = {"hour": "d", "day": "d", "week": "w", "month": "m", "year": "y"}
SAFE = {"off": "-2", "medium": "-1", "moderate": "-1", "high": "1", "strict": "1"}
#: (result, link with the title, snippet) in the pages it gives: the one without scripts, and the
#: one that scripts have drawn.
LAYOUTS = (
    (
        (
            "//div[contains(concat(' ', @class, ' '), ' result ')][not(contains(@class,"
            " 'result--ad'))]"
        ),
        ".//a[contains(@class, 'result__a')]",
        ".//*[contains(@class, 'result__snippet')]",
    ),
    (
        "//article[@data-testid='result']",
        ".//a[@data-testid='result-title-a']",
        ".//*[@data-result='snippet']",
    ),
)
NEXT_STEP = (
    "Wait some minutes, ask another provider, or set SEARXNG_URL to a SearXNG server of your own."
)


def search(http: Http, settings: Settings, query: WebQuery) -> tuple[SearchResult, ...]:
    """Pages in its order. Raises SearchError; rate_limited where it answers 202, as it does to many
    machines in data centres.
    """
    asked = with_operators(
        query.text,
        site=query.site,
        sites=query.sites,
        exact_terms=query.exact_terms,
        exclude_terms=query.exclude_terms,
    )
    wanted = {
        "q": asked,
        "kl": region(query.country, query.language),
        "df": SPANS.get(query.time_range, ""),
        "p": SAFE.get(query.safe, ""),
    }
    params = {name: value for name, value in wanted.items() if value}
    steps = {"rate_limited": NEXT_STEP, "auth_required": NEXT_STEP}
    reply = ask(
        http,
        NAME,
        URL,
        params,
        accept="text/html",
        max_bytes=MAX_BYTES,
        next_steps=steps,
        also=(202,),
    )
    if reply.status == 202:
        sentence = f"{NAME} answered 202, which is a puzzle for people and no results."
        raise SearchError(sentence, kind="rate_limited", status=202, next_step=NEXT_STEP)
    return _read(reply.body, answered_at(reply))


# ---------------------------------------------------------------- the page


def _read(body: bytes, today: datetime | None) -> tuple[SearchResult, ...]:
    tree = _tree(body)
    for result, link, snippet in LAYOUTS:
        if listed := tree.xpath(result):
            return some(
                NAME,
                listed,
                [made for each in listed if (made := _result(each, link, snippet, today))],
                "an address",
            )
    if any(SAYS_NOTHING.match(str(text)) for text in tree.xpath(f"//text()[not({NOT_SHOWN})]")):
        return ()
    if ASKS_FOR_A_PERSON.search(body.decode("utf-8", "replace")):
        raise SearchError(
            f"{NAME} asks for proof that a person is searching.",
            kind="blocked",
            status=200,
            next_step=NEXT_STEP,
        )
    raise changed(NAME, "it holds no results and does not say that there are none", NEXT_STEP)


def _tree(body: bytes) -> Any:
    if not body.rstrip().lower().endswith(b"</html>"):
        raise changed(NAME, "it is no whole page", NEXT_STEP)
    try:
        return html.document_fromstring(body, parser=html.HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError, RecursionError) as error:
        raise changed(NAME, "it is no page", NEXT_STEP) from error


def _result(element: Any, link: str, snippet: str, today: datetime | None) -> SearchResult | None:
    anchor, said = (next(iter(element.xpath(where)), None) for where in (link, snippet))
    url = (
        address(NAME, {"url": target(anchor.get("href") or "")}, "url")
        if anchor is not None
        else ""
    )
    head, rest = _parts(said)
    day = published(head, today)
    return (
        SearchResult(_words(anchor), url, rest if day else f"{head} {rest}".strip(), published=day)
        if url
        else None
    )


def target(href: str) -> str:
    """Where a link of its page leads: past its own redirect, "" for what is paid for and for what
    is no address.
    """
    try:
        url = urljoin(URL, href)
        parts = urlsplit(url)
    except ValueError:
        return ""
    if not (parts.hostname or "").endswith("duckduckgo.com"):
        return url
    return next(iter(parse_qs(parts.query).get("uddg", [])), "") if parts.path == "/l/" else ""


def _parts(snippet: Any) -> tuple[str, str]:
    """What heads a snippet in an element of its own, often a date, and the rest."""
    head = (
        next(iter(snippet.xpath(".//span[not(*)][following-sibling::span]")), None)
        if snippet is not None
        else None
    )
    first, whole = _words(head), _words(snippet)
    return (
        (first, whole.removeprefix(first).strip())
        if first and whole.startswith(first)
        else ("", whole)
    )


def _words(element: Any) -> str:
    return " ".join(visible(element.text_content()).split()) if element is not None else ""
