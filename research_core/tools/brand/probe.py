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
from research_core.tools.brand.markup import Markup, read
from research_core.urls import canonical, host
from research_core.web.fetch import walls
from research_core.web.fetch.tiers import ORDINARY
from research_core.web.http.responses import refuse

#: In the order of their worth: a host of its own stands before a path.
HOSTS = ("brand", "press", "newsroom", "media", "design")
PATHS = (
    "brand", "brand-guidelines", "brandbook", "brand-center", "brand-assets", "press", "presskit",
    "press-kit", "press-room", "newsroom",
    "media", "media-kit", "mediakit", "design", "design-system", "styleguide", "style-guide",
    "guidelines", "identity", "visual-identity",
    "about/brand",
)  # fmt: skip
#: Seconds for one look, bytes of one page, and characters of its text in which it has to say what
#: it is.
LOOK_S, MAX_BYTES, BEGINNING = 8.0, 2_000_000, 4_096
#: What says by itself that a page is about a brand; and words of which so many different ones
#: together do.
STRONG = re.compile(
    r"\b(?:brand (?:guidelines?|guide|book|assets?|cent(?:er|re)|portal|identity|resources|tool"
    r" ?kit|kit|standards|hub)|brandbook"
    r"|(?:press|media) ?kit|(?:press|media) (?:resources|assets)|style ?guide|design system|visual"
    r" identity|logo (?:usage|guidelines?)"
    r"|tone of voice|brand colou?rs?)\b",
    re.IGNORECASE,
)
WEAK = re.compile(
    r"\b(logos?|brand(?:ing)?|colou?rs?|palettes?|typograph\w+|typefaces?|fonts?|downloads?|guidelines?|assets?|press|media|identity"
    r"|trademarks?|icons?|illustrations?)\b",
    re.IGNORECASE,
)
WEAK_ONES = 3
#: Statuses of a server that does not take HEAD, of which a page may be had all the same.
UNHEADED = frozenset({400, 405, 501})
_LOCALE = re.compile(r"/[a-z]{2}(?:[-_][A-Za-z]{2})?/?")


@dataclass(frozen=True)
class Look:
    """What came of one candidate. page: its markup where it is a brand page; reply: how it
    answered; unchecked: why it is not known.
    """

    url: str
    page: Markup | None = None
    reply: HttpReply | None = None
    unchecked: str = ""


def candidates(domain: str) -> list[str]:
    """The 26 addresses at which a company of this domain may have its brand pages, the likeliest
    first.
    """
    return [f"https://{name}.{domain}/" for name in HOSTS] + [
        f"https://{domain}/{path}" for path in PATHS
    ]


def probe(domain: str, deps: Deps) -> list[Look]:
    """A look at every candidate, in their order: first whether it answers, then what those hold
    that do.
    """
    heads = list(deps.pool.map(partial(_head, deps), candidates(domain)))
    return list(deps.pool.map(partial(_held, deps), heads))


def homepage(domain: str, deps: Deps) -> HttpReply:
    """The answer of the homepage. Raises FetchError where it gives none that can be read."""
    reply = _ask("GET", f"https://{domain}/", deps)
    refuse(reply)
    if walls.checks_for_robots(reply):
        raise FetchError(walls.CHECKED, kind="blocked", public=True)
    return reply


def matches(looks: Sequence[Look], home: HttpReply | None) -> list[Look]:
    """The candidates that are brand pages, in their order; not one that is the homepage again under
    another name.
    """
    own = {canonical(home.url)} if home else set()
    same = home.body if home else None
    return [
        look
        for look in looks
        if look.page
        and look.reply
        and canonical(look.reply.url) not in own
        and look.reply.body != same
    ]


def speaks_of_brand(page: Markup) -> bool:
    """Whether a page says in its title or at its beginning that it is about a brand."""
    said = f"{page.title}\n{page.description}\n{page.text[:BEGINNING]}"
    return (
        bool(STRONG.search(said))
        or len({word.lower().removesuffix("s") for word in WEAK.findall(said)}) >= WEAK_ONES
    )


def why(error: FetchError) -> str:
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


def _ask(method: str, url: str, deps: Deps) -> HttpReply:
    return deps.http.send(
        method, url, headers=ORDINARY, timeout_s=LOOK_S, max_bytes=MAX_BYTES, page=True
    )


def _head(deps: Deps, url: str) -> tuple[Look, bool]:
    """A look, and whether it is worth another one."""
    try:
        reply = _ask("HEAD", url, deps)
        if reply.status not in UNHEADED:
            refuse(reply)
    except FetchError as error:
        return Look(url, unchecked=_unknown(error)), False
    return Look(url), not _led_away(url, reply.url)


def _held(deps: Deps, headed: tuple[Look, bool]) -> Look:
    look, worth = headed
    if not worth:
        return look
    try:
        reply = _ask("GET", look.url, deps)
        refuse(reply)
        if _led_away(look.url, reply.url):
            return look
        if walls.checks_for_robots(reply):
            return Look(look.url, unchecked="a check for robots")
        page = read(reply)
    except FetchError as error:
        return Look(look.url, unchecked=_unknown(error))
    if speaks_of_brand(page):
        return Look(look.url, page, reply)
    return Look(
        look.url,
        reply=reply,
        unchecked="its scripts would have to be run" if _is_drawn(look.url, reply, page) else "",
    )


def _unknown(error: FetchError) -> str:
    """Why nothing is known of a candidate; "" where it is known not to be there."""
    return "" if error.absent or error.kind == "not_found" else why(error)


def _is_drawn(url: str, reply: HttpReply, page: Markup) -> bool:
    """Whether a host of its own answers with a page that its scripts would fill."""
    return urlsplit(url).path == "/" and walls.is_shell(reply.body, page.text)


def _led_away(asked: str, final: str) -> bool:
    """Whether a redirect led to another host, or to the front page of the same one."""
    there = urlsplit(canonical(final))
    if host(asked).removeprefix("www.") != host(final).removeprefix("www."):
        return True
    return urlsplit(asked).path != "/" and (
        there.path in ("", "/") or bool(_LOCALE.fullmatch(there.path))
    )
