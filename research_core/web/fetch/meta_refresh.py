"""Find the address of a page that only redirects: by `meta` refresh, script, lone link or frames.

Decided by markup and by how little text there is, with no rules for single sites. It follows
nothing and runs no script; a page with text of its own redirects nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import urldefrag, urljoin, urlsplit

from lxml import etree
from lxml.html import HTMLParser, document_fromstring

from research_core.models import HttpReply
from research_core.web.lxml_types import Element
from research_core.web.parser_memory import raise_if_out_of_memory

#: Limits of a page that only redirects: bytes of markup, characters of text, and characters of
#: text if only a lone link redirects.
MAX_MARKUP_CHARACTERS, MAX_REDIRECT_TEXT, MAX_LINK_TEXT = 60_000, 600, 300
#: Longest delay in seconds of a refresh that counts as a redirect; after a longer one the page
#: is meant to be read first.
MAX_REFRESH_DELAY_S = 15

_MAY_REDIRECT = re.compile(
    rb"http-equiv|<frameset|<script|moved|redirect|relocated|click here|verschoben|umgezogen"
    rb"|weitergeleitet|d\xc3\xa9plac|redirig|trasladad|spostat|movid",
    re.IGNORECASE,
)
_NOSCRIPT = re.compile(r"<noscript\b.*?(?:</noscript\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_REFRESH = re.compile(
    r"\s*(\d{1,4})(?:\.\d*)?\s*[;,]?\s*(?:url\s*=\s*)?[\"']?\s*([^\"'\s]+)", re.IGNORECASE
)
_SCRIPT_REDIRECT = re.compile(
    r"\s*(?:<!--)?\s*(?:(?:window|document|top|self|parent)\.){0,2}location(?:\.href)?(?:\s*=\s*"
    r"|\.(?:replace|assign)\(\s*)"
    r"([\"'])([^\"'\\\s]{1,2000})\1\s*\)?\s*;?\s*(?://\s*)?(?:-->)?\s*"
)
_MOVED_PHRASE = re.compile(
    r"\b(?:page|site|website|web"
    r" site|document|object|blog|url|address|resource|content)\b.{0,30}?\b(?:has|have|was|is"
    r"|been)\b.{0,20}?"
    r"\b(?:moved|relocated)\b|\bmoved"
    r" (?:permanently|temporarily|here)\b|\bredirect(?:ing|ed)\b|\bclick here\b"
    r"|\b(?:verschoben|umgezogen|weitergeleitet|déplacée?|redirigée?|redirigid[oa]|trasladad[oa]"
    r"|spostat[oa]|movid[oa])\b",
    re.IGNORECASE | re.DOTALL,
)
_VISIBLE_TEXT = etree.XPath(
    "//text()[not(ancestor::head or ancestor::title or ancestor::script or ancestor::style or"
    " ancestor::template or ancestor::noframes)]"
)
_MAIN_FRAME = re.compile(r"main|content|body|haupt|inhalt|contenu|principal", re.IGNORECASE)
_SIDE_FRAME = re.compile(r"nav|menu|head|top|banner|toc|foot|bottom|left|logo|index", re.IGNORECASE)


def find_redirect(reply: HttpReply) -> str:
    """Return the address a page redirects to if it holds nothing else, else ""."""
    if not 200 <= reply.status < 300 or len(reply.body) > MAX_MARKUP_CHARACTERS:
        return ""
    return _find_redirect_in(reply.body, reply.url)


@lru_cache(maxsize=64)
def _find_redirect_in(body: bytes, url: str) -> str:
    """Return the address the page at `url` redirects to, else "". Each page is checked twice."""
    if b"<" not in body[:200] or not _MAY_REDIRECT.search(body):
        return ""
    source = _NOSCRIPT.sub("", body.replace(b"\0", b"").decode("utf-8", "replace"))
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        tree = document_fromstring(source.encode(), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise_if_out_of_memory(error)
        return ""
    base = next(iter(tree.xpath("//base/@href")), "")
    text = " ".join("".join(_VISIBLE_TEXT(tree)).split())
    for found in _find_redirect_candidates(tree, text):
        address = _resolve_other_page(url, base, found)
        if address:
            return address
    return ""


# ---------------------------------------------------------------- where a page leads


def _find_redirect_candidates(tree: Element, text: str) -> Iterator[str]:
    """Yield the addresses a page with this text redirects to, as written, most certain first."""
    if len(text) <= MAX_REDIRECT_TEXT:
        yield from _find_main_frame(tree)
        yield from _find_refreshes(tree)
    if len(text) > MAX_LINK_TEXT:
        return
    scripts = tree.xpath("//script[not(@src)]")
    if len(scripts) == 1 and (found := _SCRIPT_REDIRECT.fullmatch(scripts[0].text or "")):
        yield found[2]
    links = dict.fromkeys(tree.xpath("//body//a/@href"))
    if len(links) == 1 and _MOVED_PHRASE.search(text):
        yield from links


def _find_refreshes(tree: Element) -> Iterator[str]:
    for meta in tree.xpath("//meta[@http-equiv][@content]"):
        found = _REFRESH.match(meta.get("content"))
        if (
            meta.get("http-equiv").strip().lower() == "refresh"
            and found
            and int(found[1]) <= MAX_REFRESH_DELAY_S
        ):
            yield found[2]


def _find_main_frame(tree: Element) -> list[str]:
    """Return the address of the main frame of a frameset, as a list of at most one.

    It is the frame named as such, else the largest, else the last.
    """
    frames = [frame for frame in tree.iter("frame") if frame.get("src")]
    ranked = sorted(
        enumerate(frames),
        key=lambda each: (_rank_frame_name(each[1]), _estimate_frame_share(each[1]), each[0]),
    )
    return [frame.get("src") for _, frame in ranked[-1:]]


def _rank_frame_name(frame: Element) -> int:
    name = f"{frame.get('name', '')} {frame.get('id', '')}"
    return bool(_MAIN_FRAME.search(name)) - bool(_SIDE_FRAME.search(name))


def _estimate_frame_share(frame: Element) -> float:
    """Estimate the share of the window a frame takes, 0.0-1.0."""
    share = 1.0
    child = frame
    parent = frame.getparent()
    while parent is not None and parent.tag == "frameset":
        slot = [each for each in parent if each.tag in ("frame", "frameset")].index(child)
        for sizes in (parent.get("cols"), parent.get("rows")):
            parts = [_parse_frame_size(part) for part in (sizes or "").split(",")[:100]]
            if len(parts) > 1 and slot < len(parts):
                share *= parts[slot] / (sum(parts) or 1.0)
        child = parent
        parent = parent.getparent()
    return share


def _parse_frame_size(text: str) -> float:
    """Return one of a frameset's sizes as a share: percent, thousandths, or 0.7 for the rest."""
    number = re.match(r"\s*(\d{1,4})", text)
    if "*" in text or number is None:
        return 0.7
    return int(number[1]) / (100 if "%" in text else 1000)


def _resolve_other_page(url: str, base: str, found: str) -> str:
    """Return the absolute web address; "" if it is not one or is the page itself."""
    try:
        onward = urldefrag(urljoin(urljoin(url, base), found.strip())).url
        if urlsplit(onward).scheme not in ("http", "https") or onward == urldefrag(url).url:
            return ""
    except ValueError:
        return ""
    return onward
