"""Parse an HTML page into what brand research needs: head, links, pictures and text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urljoin

from lxml import etree
from lxml.html import HTMLParser, document_fromstring

from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.text.words import truncate
from research_core.urls import canonical_url
from research_core.web.charsets import decode
from research_core.web.documents.sandbox import SHARED_SANDBOX
from research_core.web.html import MAX_BYTES, MAX_IN_PROCESS_BYTES, drop_unparsable_characters
from research_core.web.html.bounds import trim_attributes
from research_core.web.html.markdown import format_tree
from research_core.web.html.visibility import drop_hidden
from research_core.web.lxml_types import Element
from research_core.web.metadata import jsonld, page_markup
from research_core.web.metadata.page_markup import fit_on_line
from research_core.web.parser_memory import raise_if_out_of_memory

T = TypeVar("T")

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
#: The `rel` words of icons.
ICON_RELATIONS = frozenset(
    {"icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon"}
)
#: Elements whose words belong to the site, not to the page.
SKIPPED_TAGS = ("nav", "footer", "form", "script", "style", "template")
PICTURE_ENDINGS = (".svg", ".png", ".jpg", ".jpeg", ".webp")


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
    meta: Json = field(default_factory=dict)
    company: Json = field(default_factory=dict)
    icons: tuple[Json, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    pictures: tuple[tuple[str, str, int, int], ...] = ()
    text: str = ""


def read_markup(reply: HttpReply) -> Markup:
    """Return the markup of a reply. Raises FetchError if it is too large or complex to parse."""
    body = reply.body[:MAX_BYTES]
    options = {"url": reply.url, "content_type": reply.headers.get("content-type", "")}
    if len(body) <= MAX_IN_PROCESS_BYTES:
        found = parse(body, **options)
    else:
        found = SHARED_SANDBOX.run("brand", body, **options)
    # JSON has lists only.
    found["links"] = tuple(tuple(link) for link in found["links"])
    found["pictures"] = tuple(tuple(picture) for picture in found["pictures"])
    found["icons"] = tuple(found["icons"])
    return Markup(**found)


def parse(body: bytes, url: str = "", content_type: str = "") -> Json:
    """Return the fields of `Markup` as JSON values."""
    tree = _parse_tree(decode(body, content_type))
    stated = page_markup.read_declared(tree, url)
    title = _first_line(map(str, tree.xpath("//title/text()")), MAX_LINK_WORDS)
    icons = tree.xpath("//link[@rel and @href]")[: 10 * MAX_ICONS]
    links = tree.xpath("//a[@href] | //link[@href]")[:MAX_LINKS]
    pictures = tree.xpath("//img[@src]")[:MAX_PICTURES]
    found: Json = {
        "url": url,
        "title": title or _first_line(stated.all("og:title"), MAX_LINK_WORDS),
        "description": _first_line(
            stated.all("og:description", "description", "twitter:description"),
            MAX_DESCRIPTION_CHARACTERS,
        ),
        "meta": _read_meta(stated),
        "company": _find_company(stated),
        "icons": _read_all(_read_icon, icons, url)[:MAX_ICONS],
        "links": _read_all(_read_link, links, url),
        "pictures": _read_all(_read_picture, pictures, url),
    }
    # The text comes last, because this removes elements from the tree.
    found["text"] = _extract_text(tree)
    return found


def parse_address(value: Any, base: str) -> str:
    """Return a value as a canonical web address, "" if it is none."""
    if not isinstance(value, str) or not value.strip():
        return ""
    try:
        return canonical_url(urljoin(base, value.strip()))
    except ValueError:
        return ""


def split_row(line: str) -> list[str]:
    """Return the cells of a row of a Markdown table."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def is_row_of_dashes(line: str) -> bool:
    """Return whether a row only separates the heading of a Markdown table from the rest."""
    return set(line) <= set("|-: ")


def _parse_tree(text: str) -> Element:
    options: dict[str, Any] = {"encoding": "utf-8", "remove_pis": True, "collect_ids": False}
    source = trim_attributes(drop_unparsable_characters(text)).encode("utf-8", "replace")
    try:
        return document_fromstring(source, parser=HTMLParser(**options))
    except (etree.ParserError, etree.XMLSyntaxError) as error:  # there is no element in it
        raise_if_out_of_memory(error)
        return document_fromstring(b"<html><body></body></html>", parser=HTMLParser(**options))


def _first_line(texts: Iterable[str], limit: int) -> str:
    """Return the first text that is not blank as one line, "" for none."""
    for text in texts:
        line = fit_on_line(text, limit)
        if line:
            return line
    return ""


def _read_meta(stated: page_markup.DeclaredMetadata) -> dict[str, str]:
    meta: dict[str, str] = {}
    for name, tag in META_NAMES.items():
        for text in stated.all(tag):
            meta[name] = fit_on_line(text, MAX_DESCRIPTION_CHARACTERS)
            break
    return meta


def _find_company(stated: page_markup.DeclaredMetadata) -> Json:
    """Return the node of the company, else the publisher that a page about the site declares."""
    for node in stated.linked.of_type(*COMPANY_TYPES):
        return node
    for site in stated.linked.of_type("WebSite", "WebPage"):
        for owner in stated.linked.all(site.get("publisher")):
            if isinstance(owner, dict) and not jsonld.get_node_types(owner).isdisjoint(
                COMPANY_TYPES
            ):
                return owner
    return {}


def _read_all(
    read: Callable[[Element, str], T | None], elements: Iterable[Element], base: str
) -> list[T]:
    found = [read(element, base) for element in elements]
    return [each for each in found if each is not None]


def _read_icon(link: Element, base: str) -> Json | None:
    rel = (link.get("rel") or "").lower().split()
    url = parse_address(link.get("href"), base)
    if not url or ICON_RELATIONS.isdisjoint(rel):
        return None
    return {
        "url": url,
        "rel": " ".join(rel)[:60],
        "sizes": (link.get("sizes") or "")[:40].lower(),
        "type": (link.get("type") or "")[:40],
    }


def _read_link(element: Element, base: str) -> list[str] | None:
    url = parse_address(element.get("href"), base)
    if not url:
        return None
    if element.tag == "link":
        words = element.get("rel") or ""
    else:
        words = f"{element.get('title') or ''} {page_markup.read_element_words(element)}"
    return [fit_on_line(words, MAX_LINK_WORDS), url]


def _read_picture(img: Element, base: str) -> list[Any] | None:
    url = parse_address(img.get("src"), base)
    if not url:
        return None
    words = fit_on_line(img.get("alt") or "", MAX_LINK_WORDS)
    return [words, url, _parse_pixels(img.get("width")), _parse_pixels(img.get("height"))]


def _parse_pixels(text: str | None) -> int:
    digits = (text or "").strip().removesuffix("px")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 0


def _extract_text(tree: Element) -> str:
    """Return the visible text of the page as Markdown, without that of its site."""
    drop_hidden(tree)
    for element in list(tree.iter(*SKIPPED_TAGS)):
        if element.getparent() is not None:
            element.drop_tree()
    texts = [format_tree(body) for body in tree.xpath("//body")]
    return truncate("\n\n".join(text for text in texts if text), MAX_TEXT_CHARACTERS)
