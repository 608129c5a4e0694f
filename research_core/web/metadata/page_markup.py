"""Read a page's machine-readable markup: `meta`, JSON-LD, microdata, address and language.

Everything is bounded. The tree must be read before hidden parts are removed, as none of this is
displayed. `page_description` combines the results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from research_core import urls
from research_core.model_messages import Json
from research_core.text.words import strip_invisible, truncate
from research_core.web.lxml_types import Element
from research_core.web.metadata import jsonld
from research_core.web.metadata.jsonld import LinkedNodes

#: `meta` elements read, entries of `collect_structured_metadata`, and bytes of one value.
MAX_META_TAGS, MAX_ENTRIES, MAX_VALUE_BYTES = 1000, 64, 2048


@dataclass(frozen=True)
class DeclaredMetadata:
    """What the head of a page and its microdata declare.

    meta: name -> values, in order; nodes: the JSON-LD nodes about the page itself, most likely
    first; micro: as meta.
    """

    meta: dict[str, list[str]]
    blocks: Sequence[Any]
    linked: LinkedNodes
    nodes: Sequence[Json]
    canonical: str
    language: str
    micro: dict[str, list[str]]

    @property
    def types(self) -> frozenset[str]:
        """The schema.org types of the page, and of its publisher if that is a government."""
        found: set[str] = set()
        for node in self.nodes:
            found |= jsonld.get_node_types(node)
            for owner in self.linked.all(node.get("publisher")):
                if isinstance(owner, dict):
                    names = jsonld.get_node_types(owner)
                    found |= {name for name in names if name.startswith("Government")}
        return frozenset(found)

    def all(self, *names: str) -> Iterator[str]:
        return (value for name in names for value in self.meta.get(name, ()) if value)


def read_declared(tree: Element, url: str) -> DeclaredMetadata:
    """Read the machine-readable markup of a page."""
    meta = _read_meta(tree)
    found = jsonld.read_blocks(tree)
    canonical = _find_canonical_url(tree, meta, url)
    linked = jsonld.link_nodes(found)
    addresses = set()
    for address in (url, canonical, *meta.get("og:url", ())):
        if address:
            addresses.add(address.split("#")[0].rstrip("/"))
    headline = next(iter(meta.get("og:title", ())), "")
    return DeclaredMetadata(
        meta=meta,
        blocks=found,
        linked=linked,
        nodes=linked.of_page(frozenset(addresses), headline),
        canonical=canonical,
        language=_find_declared_language(tree, meta),
        micro=_read_microdata(tree),
    )


def fit_on_line(text: str, limit: int) -> str:
    """Return visible text on one line, at most limit characters."""
    return truncate(" ".join(strip_invisible(text[: limit * 8]).split()), limit)


# ---------------------------------------------------------------- the markup


def _read_meta(tree: Element) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for element in islice(tree.iter("meta"), MAX_META_TAGS):
        value = " ".join(strip_invisible(_cut_value(element.get("content") or "")).split())
        if not value:
            continue
        keys = [element.get(key) or "" for key in ("property", "name", "itemprop", "http-equiv")]
        names = " ".join(key[:200].lower() for key in keys).split()
        for name in dict.fromkeys(names[:8]):
            found.setdefault(name, []).append(value)
    return found


def _cut_value(text: str) -> str:
    return (
        text[:MAX_VALUE_BYTES].encode("utf-8", "ignore")[:MAX_VALUE_BYTES].decode("utf-8", "ignore")
    )


def collect_structured_metadata(said: DeclaredMetadata) -> Json:
    """Return the structured data of a page, each kind only if there is any.

    Keys: "jsonLd": values, "openGraph": {og:*, article:*}, "citation": {citation_*}.
    """
    graph: dict[str, str] = {}
    citation: dict[str, str] = {}
    for name, values in said.meta.items():
        if name.startswith(("og:", "article:")):
            graph[name] = values[0]
        elif name.startswith("citation_"):
            citation[name] = _cut_value("; ".join(values))
    graph = dict(list(graph.items())[:MAX_ENTRIES])
    citation = dict(list(citation.items())[: MAX_ENTRIES - len(graph)])
    found = {"jsonLd": list(said.blocks), "openGraph": graph, "citation": citation}
    return {name: value for name, value in found.items() if value}


def _read_microdata(tree: Element) -> dict[str, list[str]]:
    """Return the values of the microdata properties used here, each of the first item with it."""
    found: dict[str, list[str]] = {}
    scopes: dict[str, Any] = {}
    for element in tree.xpath("//*[@itemprop][not(self::meta)]")[:MAX_META_TAGS]:
        for name in (element.get("itemprop") or "").lower().split():
            if name in _MICRODATA_PROPERTIES and scopes.setdefault(
                name, _find_item_scope(element)
            ) is _find_item_scope(element):
                found.setdefault(name, []).append(_read_property_value(element))
    return found


_MICRODATA_PROPERTIES = frozenset(
    {"author", "creator", "datepublished", "datemodified", "datecreated", "headline", "publisher"}
)


def _find_item_scope(element: Element) -> Any:
    """Return the item a property belongs to, or None."""
    for around in element.iterancestors():
        if around.get("itemscope") is not None:
            return around
    return None


def _read_property_value(element: Element) -> str:
    value = element.get("content") or element.get("datetime") or ""
    if not value:
        names = element.xpath(".//*[@itemprop='name']")[:20]
        value = "; ".join(name.get("content") or name.text_content() for name in names)
    return fit_on_line(value or read_element_words(element), 400)


_BREAKING_TAGS = frozenset(
    "div p li ul dl dt dd h1 h2 h3 h4 h5 h6 br section header footer table tr td time figure button"
    " img svg".split()
)


def read_element_words(element: Element) -> str:
    """Return the text of an element with blocks separated; of a large one the beginning."""
    pieces: list[str] = []
    for event, each in islice(etree.iterwalk(element, events=("start", "end")), 120):
        if each.tag in _BREAKING_TAGS and each is not element:
            pieces.append(" | ")
        if event == "end":
            text = "" if each is element else each.tail
        else:
            text = each.text if isinstance(each.tag, str) else ""
        pieces.append((text or "")[:400])
    return "".join(pieces)


# ---------------------------------------------------------------- address and language


def _find_canonical_url(tree: Element, meta: dict[str, list[str]], url: str) -> str:
    """Return the page's canonical address, normalised; "" if it names no valid one."""
    links = (
        link.get("href") or ""
        for link in tree.iter("link")
        if "canonical" in (link.get("rel") or "").lower().split()
    )
    for said in (next(links, ""), *meta.get("og:url", ())[:1]):
        try:
            if said.strip():
                return urls.canonical_url(urljoin(url, said.strip()[:MAX_VALUE_BYTES]))
        except ValueError:
            continue
    return ""


_LANGUAGE_TAG = re.compile(
    r"([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?(?:-[a-z0-9]+)*", re.IGNORECASE
)


def _find_declared_language(tree: Element, meta: dict[str, list[str]]) -> str:
    root = tree.getroottree().getroot()
    values = [
        root.get("lang"),
        root.get("xml:lang"),
        root.get("{http://www.w3.org/XML/1998/namespace}lang"),
    ]
    for name in _LANGUAGE_NAMES:
        values += meta.get(name, ())
    for value in values:
        tag = normalize_language_tag(value or "")
        if tag:
            return tag
    return ""


_LANGUAGE_NAMES = ("content-language", "language", "dc.language", "citation_language", "og:locale")


def normalize_language_tag(text: str) -> str:
    """Return a BCP 47 tag in its usual spelling ("de_at" is "de-AT"), or ""."""
    found = _LANGUAGE_TAG.fullmatch(text.strip().replace("_", "-")[:35])
    if not found:
        return ""
    language, script, region = found.groups()
    return "-".join(
        filter(None, (language.lower(), (script or "").title(), (region or "").upper()))
    )
