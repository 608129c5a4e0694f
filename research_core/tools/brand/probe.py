"""Where a company's brand pages may be, and whether one is there: names and paths that such pages
usually have, each asked for once.

What could not be asked (a name that was not looked up, a refusal, no answer in time) is neither
found nor absent, and is told as that.
"""

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

#: In the order of their worth: a host of its own stands before a path.
BRAND_HOSTS = ("brand", "press", "newsroom", "media", "design")
BRAND_PATHS = (
    "brand", "brand-guidelines", "brandbook", "brand-center", "brand-assets", "press", "presskit",
    "press-kit", "press-room", "newsroom",
    "media", "media-kit", "mediakit", "design", "design-system", "styleguide", "style-guide",
    "guidelines", "identity", "visual-identity",
    "about/brand",
)  # fmt: skip
#: Seconds for one look, bytes of one page, and characters of its text in which it has to say what
#: it is.
LOOK_TIMEOUT_S, MAX_BYTES, OPENING_CHARACTERS = 8.0, 2_000_000, 4_096
#: What says by itself that a page is about a brand; and words of which so many different ones
#: together do.
STRONG_WORDS = re.compile(
    r"\b(?:brand (?:guidelines?|guide|book|assets?|cent(?:er|re)|portal|identity|resources|tool"
    r" ?kit|kit|standards|hub)|brandbook"
    r"|(?:press|media) ?kit|(?:press|media) (?:resources|assets)|style ?guide|design system|visual"
    r" identity|logo (?:usage|guidelines?)"
    r"|tone of voice|brand colou?rs?)\b",
    re.IGNORECASE,
)
WEAK_WORDS = re.compile(
    r"\b(logos?|brand(?:ing)?|colou?rs?|palettes?|typograph\w+|typefaces?|fonts?|downloads?|guidelines?|assets?|press|media|identity"
    r"|trademarks?|icons?|illustrations?)\b",
    re.IGNORECASE,
)
MIN_WEAK_WORDS = 3
#: Statuses of a server that does not take HEAD, of which a page may be had all the same.
HEAD_UNSUPPORTED = frozenset({400, 405, 501})
_LOCALE = re.compile(r"/[a-z]{2}(?:[-_][A-Za-z]{2})?/?")


@dataclass(frozen=True)
class ProbeResult:
    """What came of one candidate. page: its markup where it is a brand page; reply: how it
    answered; unchecked: why it is not known.
    """

    url: str
    page: Markup | None = None
    reply: HttpReply | None = None
    unchecked: str = ""


def list_candidates(domain: str) -> list[str]:
    """The 26 addresses at which a company of this domain may have its brand pages, the likeliest
    first.
    """
    return [f"https://{name}.{domain}/" for name in BRAND_HOSTS] + [
        f"https://{domain}/{path}" for path in BRAND_PATHS
    ]


def probe_candidates(domain: str, deps: Deps) -> list[ProbeResult]:
    """A look at every candidate, in their order: first whether it answers, then what those hold
    that do.
    """
    heads = list(deps.pool.map(partial(_probe_headers, deps), list_candidates(domain)))
    return list(deps.pool.map(partial(_probe_page, deps), heads))


def fetch_homepage(domain: str, deps: Deps) -> HttpReply:
    """The answer of the homepage. Raises FetchError where it gives none that can be read."""
    reply = _request("GET", f"https://{domain}/", deps)
    raise_for_status(reply)
    if walls.is_bot_check(reply):
        raise FetchError(walls.CHECKED, kind="blocked", public=True)
    return reply


def select_brand_pages(looks: Sequence[ProbeResult], home: HttpReply | None) -> list[ProbeResult]:
    """The candidates that are brand pages, in their order; not one that is the homepage again under
    another name.
    """
    own = {canonical_url(home.url)} if home else set()
    same = home.body if home else None
    return [
        look
        for look in looks
        if look.page
        and look.reply
        and canonical_url(look.reply.url) not in own
        and look.reply.body != same
    ]


def is_about_brand(page: Markup) -> bool:
    """Whether a page says in its title or at its beginning that it is about a brand."""
    said = f"{page.title}\n{page.description}\n{page.text[:OPENING_CHARACTERS]}"
    return (
        bool(STRONG_WORDS.search(said))
        or len({word.lower().removesuffix("s") for word in WEAK_WORDS.findall(said)})
        >= MIN_WEAK_WORDS
    )


def describe_failure(error: FetchError) -> str:
    """What kept a page from being looked at, in a word or two."""
    words = {
        "timeout": "no answer in time",
        "network": "not reached",
        "disallowed": "robots.txt",
        "rate_limited": "asked to wait",
    }
    return (
        f"HTTP {error.status}"
        if error.status
        else words.get(error.kind, error.kind.replace("_", " "))
    )


def _request(method: str, url: str, deps: Deps) -> HttpReply:
    return deps.http.send(
        method, url, headers=ORDINARY, timeout_s=LOOK_TIMEOUT_S, max_bytes=MAX_BYTES, page=True
    )


def _probe_headers(deps: Deps, url: str) -> tuple[ProbeResult, bool]:
    """A look, and whether it is worth another one."""
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
    """Why nothing is known of a candidate; "" where it is known not to be there."""
    return "" if error.absent or error.kind == "not_found" else describe_failure(error)


def _is_script_rendered(url: str, reply: HttpReply, page: Markup) -> bool:
    """Whether a host of its own answers with a page that its scripts would fill."""
    return urlsplit(url).path == "/" and walls.is_shell(reply.body, page.text)


def _left_page(asked: str, final: str) -> bool:
    """Whether a redirect led to another host, or to the front page of the same one."""
    there = urlsplit(canonical_url(final))
    if find_host(asked).removeprefix("www.") != find_host(final).removeprefix("www."):
        return True
    return urlsplit(asked).path != "/" and (
        there.path in ("", "/") or bool(_LOCALE.fullmatch(there.path))
    )
