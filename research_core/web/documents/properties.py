"""Read a file's own metadata: PDF information and XMP, or the core properties of an office file.

Little of it is trusted: a one-word title is usually a file name, and placeholder authors are
dropped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from research_core.models import Metadata
from research_core.text.dates import parse_leading_date
from research_core.text.words import strip_invisible, truncate
from research_core.urls import DOI_PATTERN, fold_doi, trim_doi
from research_core.web.documents.plain_text import TITLE_LENGTH
from research_core.web.lxml_types import Element
from research_core.web.metadata.bylines import drop_repeated_names, parse_people
from research_core.web.parser_memory import raise_if_out_of_memory

#: Parser options for untrusted XML: no entities, DTDs or external files; too deep or too long is
#: refused.
SAFE_XML: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
}
_XMP_PACKET = re.compile(rb"<x:xmpmeta.{1,200000}?</x:xmpmeta>", re.DOTALL)
_MAX_PACKETS = 5
_PROGRAM_TITLE = re.compile(
    r"(?:Microsoft (?:Word|PowerPoint)|PowerPoint Presentation|Slide 1)(?:\s*-\s*|$)", re.IGNORECASE
)
_FILE_NAME = re.compile(r"\S+\.\w{2,5}|untitled.*|.*\.(?:docx?|pptx?|pdf|tex|indd)", re.IGNORECASE)
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True)
class DocumentProperties:
    """What a file says about itself.

    title, published: "" if missing or not plausible.
    """

    title: str
    published: str
    metadata: Metadata


def read_pdf_properties(body: bytes, information: Mapping[str, str]) -> DocumentProperties:
    """Read the properties of a PDF.

    information: its dictionary, keys in lower case.
    """
    packet = _read_xmp_packet(body)

    def first(*names: str) -> str:
        for name in names:
            for text in packet.get(name, ()):
                if text:
                    return text
        return ""

    authors: list[str] = []
    for each in packet.get("creator") or [information.get("author", "")]:
        authors += parse_people(each)
    doi = DOI_PATTERN.search(fold_doi(first("doi", "identifier") or information.get("doi", "")))
    day = first("publicationDate", "coverDate")
    return DocumentProperties(
        clean_title(information.get("title", "")) or clean_title(first("title")),
        parse_leading_date(day or information.get("creationdate", "") or first("CreateDate")),
        Metadata(
            authors=drop_repeated_names(authors),
            modified=parse_leading_date(information.get("moddate", "") or first("ModifyDate")),
            language=clean_language(first("language")),
            doi=trim_doi(doi[0]) if doi else "",
        ),
    )


def read_core_properties(part: bytes) -> DocumentProperties:
    """Read docProps/core.xml; empty properties if it cannot be read."""
    found = _collect_values(part)

    def first(name: str) -> str:
        return next(iter(found.get(name, ())), "")

    authors: list[str] = []
    for each in found.get("creator", ()):
        authors += parse_people(each)
    metadata = Metadata(
        authors=drop_repeated_names(authors),
        modified=parse_leading_date(first("modified")),
        language=clean_language(first("language")),
    )
    title = clean_title(first("title"))
    return DocumentProperties(title, parse_leading_date(first("created")), metadata)


def clean_title(text: str) -> str:
    """Return a title as one line, or "" if it is a program's or a file's name."""
    words = truncate(_PROGRAM_TITLE.sub("", " ".join(strip_invisible(text).split())), TITLE_LENGTH)
    return words if " " in words and not _FILE_NAME.fullmatch(words) else ""


def clean_language(text: str) -> str:
    """Return the text if it is a language tag, else ""."""
    return text if _LANGUAGE.fullmatch(text) else ""


def _read_xmp_packet(body: bytes) -> dict[str, list[str]]:
    """Return the values of the first XMP packet that names a title or a creator.

    Embedded images have packets of their own, without these.
    """
    for _, found in zip(range(_MAX_PACKETS), _XMP_PACKET.finditer(body), strict=False):
        said = _collect_values(found[0])
        if said.keys() & {"title", "creator"}:
            return said
    return {}


def _collect_values(part: bytes) -> dict[str, list[str]]:
    """Collect the texts of elements and attributes by local name, in order.

    The items of a list are stored under the name of the list.
    """
    try:
        tree = etree.fromstring(part, etree.XMLParser(**SAFE_XML))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise_if_out_of_memory(error)
        return {}
    said: dict[str, list[str]] = {}
    for element in tree.iter(etree.Element):
        name = get_local_name(element)
        owner = (
            element if name != "li" else next(iter(element.iterancestors()), element).getparent()
        )
        text = (element.text or "").strip()
        if text and owner is not None:
            said.setdefault(get_local_name(owner), []).append(strip_invisible(text)[:1000])
        for key, value in element.attrib.items():
            said.setdefault(key.rpartition("}")[2], []).append(strip_invisible(value)[:1000])
    return said


def get_local_name(element: Element) -> str:
    """Return an element's name without its namespace; "" for comments and the like."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
