"""Probe the usual addresses of a company's brand pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.models import HttpReply
from research_core.tools.brand.markup import Markup, read_markup
from research_core.urls import canonical_url, find_host
from research_core.web.fetch import walls
from research_core.web.fetch.tiers import ORDINARY
from research_core.web.http.responses import raise_for_status

#: Likeliest first: a dedicated host comes before a path.
BRAND_HOSTS = ("brand", "press", "newsroom", "media", "design")
BRAND_PATHS = (
    "brand", "brand-guidelines", "brandbook", "brand-center", "brand-assets", "press", "presskit",
    "press-kit", "press-room", "newsroom",
    "media", "media-kit", "mediakit", "design", "design-system", "styleguide", "style-guide",
    "guidelines", "identity", "visual-identity",
    "about/brand",
)  # fmt: skip
#: Seconds for one request; bytes of one page; characters in which a page must state its subject.
LOOK_TIMEOUT_S, MAX_BYTES, OPENING_CHARACTERS = 8.0, 2_000_000, 4_096
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
#: Statuses of servers that reject HEAD although the page may exist.
HEAD_UNSUPPORTED = frozenset({400, 405, 501})
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


def list_candidates(domain: str) -> list[str]:
    """Return the 26 usual addresses of brand pages for a domain, likeliest first."""
    return [f"https://{name}.{domain}/" for name in BRAND_HOSTS] + [
        f"https://{domain}/{path}" for path in BRAND_PATHS
    ]


def probe_candidates(domain: str, deps: Deps) -> list[ProbeResult]:
    """Probe every candidate: first whether it answers, then the content of those that do."""
    heads = list(deps.pool.map(partial(_probe_headers, deps), list_candidates(domain)))
    return list(deps.pool.map(partial(_probe_page, deps), heads))


def fetch_homepage(domain: str, deps: Deps) -> HttpReply:
    """Fetch the homepage. Raises FetchError if it cannot be read."""
    reply = _request("GET", f"https://{domain}/", deps)
    raise_for_status(reply)
    if walls.is_bot_check(reply):
        raise FetchError(walls.CHECKED, kind="blocked", public=True)
    return reply


def select_brand_pages(looks: Sequence[ProbeResult], home: HttpReply | None) -> list[ProbeResult]:
    """Return the candidates that are brand pages, without copies of the homepage."""
    pages: list[ProbeResult] = []
    for look in looks:
        if not look.page or not look.reply:
            continue
        if home and canonical_url(look.reply.url) == canonical_url(home.url):
            continue
        if home and look.reply.body == home.body:
            continue
        pages.append(look)
    return pages


def is_about_brand(page: Markup) -> bool:
    """Return whether the title or the beginning of a page says that it is about a brand."""
    opening = f"{page.title}\n{page.description}\n{page.text[:OPENING_CHARACTERS]}"
    if STRONG_WORDS.search(opening):
        return True
    weak_words = {word.lower().removesuffix("s") for word in WEAK_WORDS.findall(opening)}
    return len(weak_words) >= MIN_WEAK_WORDS


def describe_failure(error: FetchError) -> str:
    """Return in a word or two why a page could not be checked."""
    if error.status:
        return f"HTTP {error.status}"
    words = {
        "timeout": "no answer in time",
        "network": "not reached",
        "disallowed": "robots.txt",
        "rate_limited": "asked to wait",
    }
    return words.get(error.kind, error.kind.replace("_", " "))


def _request(method: str, url: str, deps: Deps) -> HttpReply:
    return deps.http.send(
        method, url, headers=ORDINARY, timeout_s=LOOK_TIMEOUT_S, max_bytes=MAX_BYTES, page=True
    )


def _probe_headers(deps: Deps, url: str) -> tuple[ProbeResult, bool]:
    """Return the result for one candidate, and whether its page is worth reading."""
    try:
        reply = _request("HEAD", url, deps)
        if reply.status not in HEAD_UNSUPPORTED:
            raise_for_status(reply)
    except FetchError as error:
        return ProbeResult(url, unchecked=_explain_unknown(error)), False
    return ProbeResult(url), not _left_page(url, reply.url)


def _probe_page(deps: Deps, headed: tuple[ProbeResult, bool]) -> ProbeResult:
    look, worth = headed
    if not worth:
        return look
    try:
        reply = _request("GET", look.url, deps)
        raise_for_status(reply)
        if _left_page(look.url, reply.url):
            return look
        if walls.is_bot_check(reply):
            return ProbeResult(look.url, unchecked="a check for robots")
        page = read_markup(reply)
    except FetchError as error:
        return ProbeResult(look.url, unchecked=_explain_unknown(error))
    if is_about_brand(page):
        return ProbeResult(look.url, page, reply)
    return ProbeResult(
        look.url,
        reply=reply,
        unchecked="its scripts would have to be run"
        if _is_script_rendered(look.url, reply, page)
        else "",
    )


def _explain_unknown(error: FetchError) -> str:
    """Return why the state of a candidate is unknown, "" if it is known not to exist."""
    return "" if error.absent or error.kind == "not_found" else describe_failure(error)


def _is_script_rendered(url: str, reply: HttpReply, page: Markup) -> bool:
    """Return whether a dedicated host answers with a page that scripts would fill."""
    return urlsplit(url).path == "/" and walls.is_shell(reply.body, page.text)


def _left_page(asked: str, final: str) -> bool:
    """Return whether a redirect led to another host, or to the front page of the same one."""
    there = urlsplit(canonical_url(final))
    if find_host(asked).removeprefix("www.") != find_host(final).removeprefix("www."):
        return True
    return urlsplit(asked).path != "/" and (
        there.path in ("", "/") or bool(_LOCALE.fullmatch(there.path))
    )
