"""One HTML page as brand research needs it: what its head declares, where it links to, its
pictures, and all its visible text.

It judges none of it. A large page is taken apart in a child process, as every large page is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from lxml import etree
from lxml.html import HTMLParser, document_fromstring

from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.text.words import truncate
from research_core.urls import canonical
from research_core.web.documents.sandbox import SHARED
from research_core.web.html import IN_PROCESS, MAX_BYTES, parsable
from research_core.web.html.bounds import with_fewer_attributes
from research_core.web.html.hidden import drop_hidden
from research_core.web.html.markdown import tree_text
from research_core.web.http.charsets import decode
from research_core.web.metadata import declared, jsonld
from research_core.web.metadata.declared import line

Element = Any  # lxml ships no types

#: Links, pictures and icons looked at; characters of a link's words, of a description and of the
#: whole text.
LINKS, PICTURES, ICONS = 800, 200, 40
WORDS, LONG, TEXT = 120, 600, 200_000
#: Types of JSON-LD nodes that are a company.
COMPANIES = (
    "Organization", "Corporation", "OnlineBusiness", "OnlineStore", "LocalBusiness", "NGO",
    "NewsMediaOrganization", "Brand",
    "EducationalOrganization", "CollegeOrUniversity", "GovernmentOrganization", "Airline", "Store",
    "FinancialService",
)  # fmt: skip
#: `meta` elements that are kept, by the name they are kept under.
METAS = {
    "site": "og:site_name",
    "application": "application-name",
    "theme": "theme-color",
    "image": "og:image",
    "account": "twitter:site",
}
#: Elements whose words are a site's, not the page's.
FURNITURE = ("nav", "footer", "form", "script", "style", "template")


@dataclass(frozen=True)
class Markup:
    """meta: see `METAS`; company: the JSON-LD node of the company, {} for none; icons: {"url",
    "rel", "sizes", "type"}.

    links: (words, address); pictures: (words, address, width, height), 0 where unknown; text:
    Markdown, "" where the page shows none.
    """

    url: str
    title: str = ""
    description: str = ""
    meta: Json | None = None
    company: Json | None = None
    icons: tuple[Json, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    pictures: tuple[tuple[str, str, int, int], ...] = ()
    text: str = ""


def read(reply: HttpReply) -> Markup:
    """The markup of an answer. Raises FetchError where it is too much to be taken apart."""
    body, options = (
        reply.body[:MAX_BYTES],
        {"url": reply.url, "content_type": reply.headers.get("content-type", "")},
    )
    found = (
        parse(body, **options) if len(body) <= IN_PROCESS else SHARED.run("brand", body, **options)
    )
    lists = {
        "links": tuple(map(tuple, found["links"])),
        "pictures": tuple(map(tuple, found["pictures"])),
        "icons": tuple(found["icons"]),
    }
    return Markup(**{**found, **lists})


def parse(body: bytes, url: str = "", content_type: str = "") -> Json:
    """The fields of `Markup` as plain JSON values."""
    tree = _tree(decode(body, content_type))
    said = declared.read(tree, url)
    title = next(
        (text for each in tree.xpath("//title/text()") if (text := line(str(each), WORDS))), ""
    )
    found: Json = {
        "url": url,
        "title": title or next((line(text, WORDS) for text in said.all("og:title")), ""),
        "description": next(
            (
                line(text, LONG)
                for text in said.all("og:description", "description", "twitter:description")
            ),
            "",
        ),
        "meta": {
            name: line(text, LONG)
            for name, tag in METAS.items()
            for text in list(said.all(tag))[:1]
        },
        "company": next(iter(said.linked.of_type(*COMPANIES)), None) or _owner(said),
        "icons": [
            each
            for each in (
                _icon(link, url) for link in tree.xpath("//link[@rel and @href]")[: 10 * ICONS]
            )
            if each
        ][:ICONS],
        "links": [
            each
            for each in (_link(a, url) for a in tree.xpath("//a[@href] | //link[@href]")[:LINKS])
            if each
        ],
        "pictures": [
            each
            for each in (_picture(img, url) for img in tree.xpath("//img[@src]")[:PICTURES])
            if each
        ],
    }
    drop_hidden(tree)
    for each in list(tree.iter(*FURNITURE)):
        if each.getparent() is not None:
            each.drop_tree()
    return found | {
        "text": truncate("\n\n".join(filter(None, map(tree_text, tree.xpath("//body")))), TEXT)
    }


def address(value: Any, base: str) -> str:
    """The web address that a value is, in its one spelling; "" where it is none."""
    try:
        return (
            canonical(urljoin(base, value.strip()))
            if isinstance(value, str) and value.strip()
            else ""
        )
    except ValueError:
        return ""


def _tree(text: str) -> Element:
    options: dict[str, Any] = {"encoding": "utf-8", "remove_pis": True, "collect_ids": False}
    try:
        return document_fromstring(
            with_fewer_attributes(parsable(text)).encode("utf-8", "replace"),
            parser=HTMLParser(**options),
        )
    except (etree.ParserError, etree.XMLSyntaxError):  # there is no element in it
        return document_fromstring(b"<html><body></body></html>", parser=HTMLParser(**options))


def _owner(said: declared.Declared) -> Json:
    """Whom a page about the site names as its publisher."""
    owners = (
        owner
        for site in said.linked.of_type("WebSite", "WebPage")
        for owner in said.linked.all(site.get("publisher"))
    )
    return next(
        (
            owner
            for owner in owners
            if isinstance(owner, dict) and not jsonld.types(owner).isdisjoint(COMPANIES)
        ),
        {},
    )


def _icon(link: Element, base: str) -> Json | None:
    rel = (link.get("rel") or "").lower().split()
    url = address(link.get("href"), base)
    if not url or not any(
        word in ("icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon")
        for word in rel
    ):
        return None
    return {
        "url": url,
        "rel": " ".join(rel)[:60],
        "sizes": (link.get("sizes") or "")[:40].lower(),
        "type": (link.get("type") or "")[:40],
    }


def _link(element: Element, base: str) -> list[str] | None:
    url = address(element.get("href"), base)
    words = (
        element.get("rel")
        if element.tag == "link"
        else f"{element.get('title') or ''} {declared.words(element)}"
    )
    return [line(words or "", WORDS), url] if url else None


def _picture(img: Element, base: str) -> list[Any] | None:
    url = address(img.get("src"), base)
    return (
        [
            line(img.get("alt") or "", WORDS),
            url,
            _pixels(img.get("width")),
            _pixels(img.get("height")),
        ]
        if url
        else None
    )


def _pixels(text: str | None) -> int:
    digits = (text or "").strip().removesuffix("px")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 0
