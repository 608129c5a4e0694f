"""What a file says of itself: the information dictionary and XMP packet of a PDF, the core
properties of an office document.

It believes little: a title of one word is a file name more often than a title, and authors that
name nobody are none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from research_core.models import Metadata
from research_core.text.dates import begins
from research_core.text.words import truncate, visible
from research_core.web.documents import TITLE_LENGTH
from research_core.web.metadata.bylines import people, unique

Element = Any  # lxml ships no types

#: XML from outside: no entity is replaced, no DTD and nothing from elsewhere is loaded, and what is
#: too deep or too long is refused.
SAFE_XML: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
}
_PACKET = re.compile(rb"<x:xmpmeta.{1,200000}?</x:xmpmeta>", re.DOTALL)
_PACKETS = 5
_PROGRAM = re.compile(
    r"(?:Microsoft (?:Word|PowerPoint)|PowerPoint Presentation|Slide 1)(?:\s*-\s*|$)", re.IGNORECASE
)
_FILE_NAME = re.compile(r"\S+\.\w{2,5}|untitled.*|.*\.(?:docx?|pptx?|pdf|tex|indd)", re.IGNORECASE)
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]{1,200}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True)
class Said:
    """title, published: "" where it does not say, or not in earnest."""

    title: str
    published: str
    metadata: Metadata


def of_pdf(body: bytes, information: Mapping[str, str]) -> Said:
    """What a PDF says. information: its dictionary, keys in lower case."""
    said = _packet(body)

    def first(*names: str) -> str:
        return next((each for name in names for each in said.get(name, ()) if each), "")

    authors = unique(
        name
        for each in said.get("creator") or [information.get("author", "")]
        for name in people(each)
    )
    doi = _DOI.search(first("doi", "identifier") or information.get("doi", ""))
    return Said(
        title_of(information.get("title", "")) or title_of(first("title")),
        begins(
            first("publicationDate", "coverDate")
            or information.get("creationdate", "")
            or first("CreateDate")
        ),
        Metadata(
            authors=authors,
            modified=begins(information.get("moddate", "") or first("ModifyDate")),
            language=language_of(first("language")),
            doi=doi[0].rstrip(".,;)") if doi else "",
        ),
    )


def of_core(part: bytes) -> Said:
    """What docProps/core.xml says; nothing where it cannot be read."""
    said = _values(part)
    authors = unique(name for each in said.get("creator", ()) for name in people(each))
    modified, language = (next(iter(said.get(name, ())), "") for name in ("modified", "language"))
    metadata = Metadata(authors=authors, modified=begins(modified), language=language_of(language))
    return Said(
        title_of(next(iter(said.get("title", ())), "")),
        begins(next(iter(said.get("created", ())), "")),
        metadata,
    )


def title_of(text: str) -> str:
    """A title as one line, "" where it is a program's or a file's name."""
    words = truncate(_PROGRAM.sub("", " ".join(visible(text).split())), TITLE_LENGTH)
    return words if " " in words and not _FILE_NAME.fullmatch(words) else ""


def language_of(text: str) -> str:
    """The text where it is a language tag, else ""."""
    return text if _LANGUAGE.fullmatch(text) else ""


def _packet(body: bytes) -> dict[str, list[str]]:
    """The values of the first packet that names a title or a creator. Images within have packets of
    their own, without.
    """
    for _, found in zip(range(_PACKETS), _PACKET.finditer(body), strict=False):
        said = _values(found[0])
        if said.keys() & {"title", "creator"}:
            return said
    return {}


def _values(part: bytes) -> dict[str, list[str]]:
    """Local name -> the texts of such elements and attributes, in order. Lists hold their items
    under the name of the list.
    """
    try:
        tree = etree.fromstring(part, etree.XMLParser(**SAFE_XML))
    except (etree.XMLSyntaxError, ValueError):
        return {}
    said: dict[str, list[str]] = {}
    for element in tree.iter(etree.Element):
        name = local(element)
        owner = (
            element if name != "li" else next(iter(element.iterancestors()), element).getparent()
        )
        text = (element.text or "").strip()
        if text and owner is not None:
            said.setdefault(local(owner), []).append(visible(text)[:1000])
        for key, value in element.attrib.items():
            said.setdefault(key.rpartition("}")[2], []).append(visible(value)[:1000])
    return said


def local(element: Element) -> str:
    """The name of an element without its namespace; "" for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
