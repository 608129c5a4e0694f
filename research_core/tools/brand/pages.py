"""Fetch a company's homepage, probe the usual addresses of its brand pages, and read them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlsplit

from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.models import HttpReply, Page
from research_core.tools.brand.addresses import list_candidates
from research_core.tools.brand.markup import PICTURE_ENDINGS, Markup, read_markup
from research_core.urls import canonical_url, find_host
from research_core.web.fetch import walls
from research_core.web.fetch.responses import raise_for_status, read_page_reply
from research_core.web.fetch.tiers import ORDINARY, read_web

#: Seconds for one request; bytes of one page; characters in which a page must state its subject.
PROBE_TIMEOUT_S, MAX_BYTES, OPENING_CHARACTERS = 8.0, 2_000_000, 4_096
#: Subpages read with a portal; fewer characters of text say nothing about a brand.
MAX_SUBPAGES, MIN_TEXT_CHARACTERS = 6, 150
#: One strong phrase shows that a page is about a brand, or several different weak words.
STRONG_WORDS = re.compile(
    r"\b(?:brand (?:guidelines?|guide|book|assets?|cent(?:er|re)|portal|identity|resources|tool"
    r" ?kit|kit|standards|hub)|brandbook"
    r"|(?:press|media) ?kit|(?:press|media) (?:resources|assets)|style ?guide|design system|visual"
    r" identity|logo (?:usage|guidelines?)"
    r"|tone of voice|brand colou?rs?)\b",
    re.IGNORECASE,
)
WEAK_WORDS = re.compile(
    r"\b(logos?|brand(?:ing)?|colou?rs?|palettes?|typograph\w+|typefaces?|fonts?|downloads?"
    r"|guidelines?|assets?|press|media|identity|trademarks?|icons?|illustrations?)\b",
    re.IGNORECASE,
)
MIN_WEAK_WORDS = 3
#: Words of a link to a page about the brand, and endings of addresses that are no pages.
_BRAND_LINK = re.compile(
    r"colou?rs?|palette|typograph|fonts?\b|logo|tone|voice|identity|guideline", re.IGNORECASE
)
_FILE_ENDINGS = (*PICTURE_ENDINGS, ".zip", ".pdf", ".eps", ".css", ".js", ".woff2")
#: Statuses of servers that reject HEAD although the page may exist.
HEAD_UNSUPPORTED = frozenset({400, 405, 501})
#: Why a page that only scripts fill is unchecked.
NEEDS_SCRIPTS = "its scripts would have to be run"
#: The words for some kinds of failures; others are called by their kind.
_FAILURE_WORDS = {
    "timeout": "no answer in time",
    "network": "not reached",
    "disallowed": "robots.txt",
    "rate_limited": "asked to wait",
    "upstream_unavailable": "server error",
}
_LOCALE = re.compile(r"/[a-z]{2}(?:[-_][A-Za-z]{2})?/?")


@dataclass(frozen=True)
class ProbeResult:
    """The result for one candidate.

    page: its markup, if it is a brand page; reply: its reply; unchecked: why its state is unknown.
    """

    url: str
    page: Markup | None = None
    reply: HttpReply | None = None
    unchecked: str = ""


@dataclass(frozen=True)
class BrandPage:
    """A brand page that was read.

    address: as requested; page: the page for the session; markup: its markup, text included.
    """

    address: str
    page: Page
    markup: Markup


def describe_failure(error: FetchError) -> str:
    """Return in a word or two why a page could not be checked."""
    if error.status:
        return f"HTTP {error.status}"
    return _FAILURE_WORDS.get(error.kind, error.kind.replace("_", " "))


def is_about_brand(page: Markup) -> bool:
    """Return whether the title or the beginning of a page says that it is about a brand."""
    opening = f"{page.title}\n{page.description}\n{page.text[:OPENING_CHARACTERS]}"
    if STRONG_WORDS.search(opening):
        return True
    weak_words = {word.lower().removesuffix("s") for word in WEAK_WORDS.findall(opening)}
    return len(weak_words) >= MIN_WEAK_WORDS


# ---------------------------------------------------------------- the homepage and the candidates


def fetch_homepage(addresses: Sequence[str], deps: Deps) -> HttpReply:
    """Fetch the homepage from the first of these addresses that can be read.

    Raises the FetchError of the first if none can be.
    """
    failures: list[FetchError] = []
    for address in addresses:
        try:
            return _fetch_home(address, deps)
        except FetchError as error:
            failures.append(error)
    raise failures[0]


def _fetch_home(address: str, deps: Deps) -> HttpReply:
    reply = _request("GET", address, deps)
    raise_for_status(reply)
    if walls.is_bot_check(reply):
        raise FetchError(walls.CHECKED, kind="blocked", public=True)
    return reply


def probe_candidates(domain: str, deps: Deps) -> list[ProbeResult]:
    """Probe every candidate: first whether it answers, then the content of those that do."""
    heads = list(deps.pool.map(partial(_probe_headers, deps), list_candidates(domain)))
    return list(deps.pool.map(partial(_probe_page, deps), heads))


def select_brand_pages(
    candidates: Sequence[ProbeResult], home: HttpReply | None
) -> list[ProbeResult]:
    """Return the candidates that are brand pages, without copies of the homepage."""
    pages: list[ProbeResult] = []
    for candidate in candidates:
        reply = candidate.reply
        if not candidate.page or not reply:
            continue
        if home and canonical_url(reply.url) == canonical_url(home.url):
            continue
        if home and reply.body == home.body:
            continue
        pages.append(candidate)
    return pages


def _request(method: str, url: str, deps: Deps) -> HttpReply:
    return deps.http.send(
        method, url, headers=ORDINARY, timeout_s=PROBE_TIMEOUT_S, max_bytes=MAX_BYTES, page=True
    )


def _probe_headers(deps: Deps, url: str) -> tuple[ProbeResult, bool]:
    """Return the result for one candidate, and whether its page is worth reading."""
    try:
        reply = _request("HEAD", url, deps)
        if reply.status not in HEAD_UNSUPPORTED:
            raise_for_status(reply)
    except FetchError as error:
        return ProbeResult(url, unchecked=_explain_unknown(error)), False
    return ProbeResult(url), not _is_redirected_away(url, reply.url)


def _probe_page(deps: Deps, head: tuple[ProbeResult, bool]) -> ProbeResult:
    candidate, is_worth_reading = head
    if not is_worth_reading:
        return candidate
    url = candidate.url
    try:
        reply = _request("GET", url, deps)
        raise_for_status(reply)
        if _is_redirected_away(url, reply.url):
            return candidate
        if walls.is_bot_check(reply):
            return ProbeResult(url, unchecked="a check for robots")
        page = read_markup(reply)
    except FetchError as error:
        return ProbeResult(url, unchecked=_explain_unknown(error))
    if is_about_brand(page):
        return ProbeResult(url, page, reply)
    # Only a dedicated host is likely to be about the brand once its scripts have run.
    is_dedicated_host = urlsplit(url).path == "/"
    if is_dedicated_host and walls.is_shell(reply.body, page.text):
        return ProbeResult(url, reply=reply, unchecked=NEEDS_SCRIPTS)
    return ProbeResult(url, reply=reply)


def _explain_unknown(error: FetchError) -> str:
    """Return why the state of a candidate is unknown, "" if it is known not to exist."""
    return "" if error.absent or error.kind == "not_found" else describe_failure(error)


def _is_redirected_away(asked: str, final: str) -> bool:
    """Return whether a redirect led to another host, or to the front page of the same one."""
    if find_host(asked).removeprefix("www.") != find_host(final).removeprefix("www."):
        return True
    if urlsplit(asked).path == "/":
        return False
    path = urlsplit(canonical_url(final)).path
    return path in ("", "/") or _LOCALE.fullmatch(path) is not None


# ---------------------------------------------------------------- brand pages


def read_brand_pages(
    urls: Sequence[str], deps: Deps
) -> tuple[list[BrandPage], list[tuple[str, FetchError]]]:
    """Return the pages that could be read, and the failures of the others, in order."""
    pages: list[BrandPage] = []
    failures: list[tuple[str, FetchError]] = []
    results = deps.pool.map(partial(_read_brand_page, deps), urls)
    for url, result in zip(urls, results, strict=True):
        if isinstance(result, BrandPage):
            pages.append(result)
        else:
            failures.append((url, result))
    return pages, failures


def _read_brand_page(deps: Deps, url: str) -> BrandPage | FetchError:
    seen: list[Markup] = []

    def read_and_keep(reply: HttpReply, asked: str) -> Page:
        page = read_page_reply(reply, asked)
        if page.kind == "html":
            seen.append(read_markup(reply))
        return page

    try:
        page = read_web(url, deps, read=read_and_keep)
    except FetchError as error:
        return error
    markup = Markup(page.final_url, page.title)
    if seen and page.kind == "html":
        markup = seen[-1]
    title = markup.title or page.title
    text = markup.text if len(markup.text) > MIN_TEXT_CHARACTERS else page.text
    return BrandPage(url, page, replace(markup, title=title, text=text))


def find_subpages(portal: BrandPage) -> list[str]:
    """Return the links of a portal to brand topics on its own host, in order, each once."""
    own_host = find_host(portal.page.final_url)
    pages: dict[str, None] = {}
    for words, url in portal.markup.links:
        if find_host(url) != own_host or url in (portal.address, portal.page.final_url):
            continue
        path = urlsplit(url).path
        if path.lower().endswith(_FILE_ENDINGS):
            continue
        if _BRAND_LINK.search(f"{words} {path}"):
            pages[url] = None
    return list(pages)[:MAX_SUBPAGES]
