"""Parse an HTML page into what brand research needs: head, links, pictures and text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from lxml import etree
from lxml.html import HTMLParser, document_fromstring

from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.text.words import truncate
from research_core.urls import canonical_url
from research_core.web.documents.sandbox import SHARED_SANDBOX
from research_core.web.html import MAX_BYTES, MAX_IN_PROCESS_BYTES, drop_unparsable_characters
from research_core.web.html.bounds import trim_attributes
from research_core.web.html.markdown import tree_text
from research_core.web.html.visibility import drop_hidden
from research_core.web.http.charsets import decode
from research_core.web.metadata import declared, jsonld
from research_core.web.metadata.declared import one_line
from research_core.web.parser_memory import raise_if_out_of_memory

Element = Any  # lxml ships no types

#: Links, pictures and icons read; characters of a link's words, a description, and the text.
MAX_LINKS, MAX_PICTURES, MAX_ICONS = 800, 200, 40
MAX_LINK_WORDS, MAX_DESCRIPTION_CHARACTERS, MAX_TEXT_CHARACTERS = 120, 600, 200_000
#: Types of JSON-LD nodes that stand for a company.
COMPANY_TYPES = (
    "Organization", "Corporation", "OnlineBusiness", "OnlineStore", "LocalBusiness", "NGO",
    "NewsMediaOrganization", "Brand",
    "EducationalOrganization", "CollegeOrUniversity", "GovernmentOrganization", "Airline", "Store",
    "FinancialService",
)  # fmt: skip
#: The `meta` elements that are kept, by the name used here.
META_NAMES = {
    "site": "og:site_name",
    "application": "application-name",
    "theme": "theme-color",
    "image": "og:image",
    "account": "twitter:site",
}
#: Elements whose words belong to the site, not to the page.
SKIPPED_TAGS = ("nav", "footer", "form", "script", "style", "template")


@dataclass(frozen=True)
class Markup:
    """The parsed content of an HTML page.

    meta: see `META_NAMES`; company: the JSON-LD node of the company, {} for none; icons: {"url",
    "rel", "sizes", "type"}; links: (words, address); pictures: (words, address, width, height), 0
    if unknown; text: Markdown, "" if the page shows none.
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


def read_markup(reply: HttpReply) -> Markup:
    """Return the markup of a reply. Raises FetchError if it is too large or complex to parse."""
    body, options = (
        reply.body[:MAX_BYTES],
        {"url": reply.url, "content_type": reply.headers.get("content-type", "")},
    )
    found = (
        parse(body, **options)
        if len(body) <= MAX_IN_PROCESS_BYTES
        else SHARED_SANDBOX.run("brand", body, **options)
    )
    lists = {
        "links": tuple(map(tuple, found["links"])),
        "pictures": tuple(map(tuple, found["pictures"])),
        "icons": tuple(found["icons"]),
    }
    return Markup(**{**found, **lists})


def parse(body: bytes, url: str = "", content_type: str = "") -> Json:
    """Return the fields of `Markup` as JSON values."""
    tree = _parse_tree(decode(body, content_type))
    said = declared.read_declared(tree, url)
    title = next(
        (
            text
            for each in tree.xpath("//title/text()")
            if (text := one_line(str(each), MAX_LINK_WORDS))
        ),
        "",
    )
    found: Json = {
        "url": url,
        "title": title
        or next((one_line(text, MAX_LINK_WORDS) for text in said.all("og:title")), ""),
        "description": next(
            (
                one_line(text, MAX_DESCRIPTION_CHARACTERS)
                for text in said.all("og:description", "description", "twitter:description")
            ),
            "",
        ),
        "meta": {
            name: one_line(text, MAX_DESCRIPTION_CHARACTERS)
            for name, tag in META_NAMES.items()
            for text in list(said.all(tag))[:1]
        },
        "company": next(iter(said.linked.of_type(*COMPANY_TYPES)), None) or _find_publisher(said),
        "icons": [
            each
            for each in (
                _read_icon(link, url)
                for link in tree.xpath("//link[@rel and @href]")[: 10 * MAX_ICONS]
            )
            if each
        ][:MAX_ICONS],
        "links": [
            each
            for each in (
                _read_link(a, url) for a in tree.xpath("//a[@href] | //link[@href]")[:MAX_LINKS]
            )
            if each
        ],
        "pictures": [
            each
            for each in (
                _read_picture(img, url) for img in tree.xpath("//img[@src]")[:MAX_PICTURES]
            )
            if each
        ],
    }
    drop_hidden(tree)
    for each in list(tree.iter(*SKIPPED_TAGS)):
        if each.getparent() is not None:
            each.drop_tree()
    return found | {
        "text": truncate(
            "\n\n".join(filter(None, map(tree_text, tree.xpath("//body")))), MAX_TEXT_CHARACTERS
        )
    }


def parse_address(value: Any, base: str) -> str:
    """Return a value as a canonical web address, "" if it is none."""
    try:
        return (
            canonical_url(urljoin(base, value.strip()))
            if isinstance(value, str) and value.strip()
            else ""
        )
    except ValueError:
        return ""


def _parse_tree(text: str) -> Element:
    options: dict[str, Any] = {"encoding": "utf-8", "remove_pis": True, "collect_ids": False}
    try:
        return document_fromstring(
            trim_attributes(drop_unparsable_characters(text)).encode("utf-8", "replace"),
            parser=HTMLParser(**options),
        )
    except (etree.ParserError, etree.XMLSyntaxError) as error:  # there is no element in it
        raise_if_out_of_memory(error)
        return document_fromstring(b"<html><body></body></html>", parser=HTMLParser(**options))


def _find_publisher(said: declared.DeclaredMetadata) -> Json:
    """Return the publisher that a page about the site declares."""
    owners = (
        owner
        for site in said.linked.of_type("WebSite", "WebPage")
        for owner in said.linked.all(site.get("publisher"))
    )
    return next(
        (
            owner
            for owner in owners
            if isinstance(owner, dict) and not jsonld.node_types(owner).isdisjoint(COMPANY_TYPES)
        ),
        {},
    )


def _read_icon(link: Element, base: str) -> Json | None:
    rel = (link.get("rel") or "").lower().split()
    url = parse_address(link.get("href"), base)
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


def _read_link(element: Element, base: str) -> list[str] | None:
    url = parse_address(element.get("href"), base)
    words = (
        element.get("rel")
        if element.tag == "link"
        else f"{element.get('title') or ''} {declared.element_words(element)}"
    )
    return [one_line(words or "", MAX_LINK_WORDS), url] if url else None


def _read_picture(img: Element, base: str) -> list[Any] | None:
    url = parse_address(img.get("src"), base)
    return (
        [
            one_line(img.get("alt") or "", MAX_LINK_WORDS),
            url,
            _parse_pixels(img.get("width")),
            _parse_pixels(img.get("height")),
        ]
        if url
        else None
    )


def _parse_pixels(text: str | None) -> int:
    digits = (text or "").strip().removesuffix("px")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 0
