"""Read Refer and EndNote files (.enw): a percent sign, a tag and the value per line."""

from __future__ import annotations

import re
from dataclasses import replace

from research_core.citations.formats import tagged_lines
from research_core.citations.formats.entries import BibliographyReading
from research_core.citations.formats.item import Item
from research_core.citations.formats.read_ris import CSL_TYPES

REFER = tagged_lines.Dialect(
    name="endnote",
    line=re.compile(r"\s{0,3}%(\S)(?:[ \t]+|$)(.*)"),
    starts=frozenset({"0"}),
    blank_ends=True,
    types={
        "journal article": "article-journal",
        "journal": "article-journal",
        "electronic article": "article-journal",
        "generic": "document",
        "magazine article": "article-magazine",
        "newspaper article": "article-newspaper",
        "book": "book",
        "edited book": "book",
        "electronic book": "book",
        "book section": "chapter",
        "electronic book section": "chapter",
        "conference paper": "paper-conference",
        "conference proceedings": "paper-conference",
        "conference": "paper-conference",
        "thesis": "thesis",
        "report": "report",
        "government document": "report",
        "web page": "webpage",
        "blog": "post-weblog",
        "patent": "patent",
        "dataset": "dataset",
        "computer program": "software",
        "manuscript": "manuscript",
        "unpublished work": "manuscript",
        "case": "legal_case",
        "statute": "legislation",
        "legal rule or regulation": "legislation",
        "bill": "bill",
        "hearing": "hearing",
        "map": "map",
        "film or broadcast": "motion_picture",
        "audiovisual material": "motion_picture",
        "artwork": "graphic",
        "encyclopedia": "entry-encyclopedia",
        "dictionary": "entry-dictionary",
        "personal communication": "personal_communication",
        "standard": "standard",
        "music": "song",
    },
    type="0",
    texts={
        "title": "T !",
        "container": "J B",
        "publisher": "I",
        "place": "C",
        "volume": "V",
        "issue": "N",
        "pages": "P",
        "edition": "7",
        "language": "G",
        "note": "Z",
        "number": "",
        "genre": "9",
    },
    people={"authors": "A Q", "editors": "E"},
    others={"collection-editor": "Y", "translator": "?"},
    dates={"issued": "D 8", "accessed": "["},
    doi="R O",
    url="U",
    more={
        "abstract": "X",
        "keyword": "K",
        "title-short": "!",
        "collection-title": "S",
        "ISBN": "@",
    },
)
#: RefWorks has two letters and a blank; the tags mean the same as in RIS, except for these.
REFWORKS = tagged_lines.Dialect(
    name="refworks",
    line=re.compile(r"([A-Z][A-Z0-9])(?: (.*)|()$)"),
    starts=frozenset({"RT"}),
    types={
        "journal article": "article-journal", "journal": "article-journal",
        "abstract": "article-journal", "book, section": "chapter",
        "book, whole": "book", "book, edited": "book", "conference proceedings": "paper-conference",
        "dissertation/thesis": "thesis",
        "dissertation": "thesis", "magazine article": "article-magazine",
        "newspaper article": "article-newspaper", "report": "report",
        "web page": "webpage", "monograph": "book", "patent": "patent",
        "unpublished material": "manuscript",
        "case/court decisions": "legal_case",
        "laws/statutes": "legislation", "generic": "document",
    } | CSL_TYPES,
    type="RT",
    texts={
        "title": "T1", "container": "JF T2 JO", "publisher": "PB", "place": "PP", "volume": "VO",
        "issue": "IS", "edition": "ED",
        "language": "LA", "note": "NO", "id": "ID", "number": "",
    },
    people={"authors": "A1", "editors": "A2"},
    others={"translator": "A4", "collection-editor": "A3"},
    dates={"issued": "YR", "accessed": "RD"},
    doi="DO",
    url="UL LK",
    more={"abstract": "AB", "keyword": "K1", "collection-title": "T3"},
)  # fmt: skip


def read_refer(text: str) -> BibliographyReading:
    """Read the works of a document of "%A …" lines that end with "\\n"."""
    return tagged_lines.read_document(text, REFER, _read_item)


def _read_item(record: tagged_lines.TaggedRecord) -> Item:
    found = tagged_lines.read_item(record, REFER)
    serial = found.more.get("ISBN", "")
    renamed = {
        "ISSN" if name == "ISBN" and re.match(r"\d{4}-?\d{3}[\dXx]\b(?!-)", serial) else name: text
        for name, text in found.more.items()
    }
    whole = found.type in ("book", "report", "thesis") and bool(found.title)
    return replace(found, more=renamed, container="" if whole else found.container)


def read_refworks(text: str) -> BibliographyReading:
    """Read the works of a document of RefWorks' tagged lines."""
    return tagged_lines.read_document(text, REFWORKS, _read_refworks_item)


def _read_refworks_item(record: tagged_lines.TaggedRecord) -> Item:
    found = tagged_lines.read_item(record, REFWORKS)
    year, part = record.first("YR"), record.first("FD")
    dated = tagged_lines.pick_fullest_date(
        [f"{part} {year}" if year and year not in part else part or year, f"{year} {part}", year]
    )
    return replace(
        found,
        pages="-".join(filter(None, (record.first("SP"), record.first("OP")))),
        issued=dated or found.issued,
    )
