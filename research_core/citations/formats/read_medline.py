"""Read MEDLINE's tagged lines (.nbib), and Ovid's, which are much alike."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from research_core.citations.formats import tagged_lines
from research_core.citations.formats.entries import BibliographyReading
from research_core.citations.formats.item import Item

MEDLINE = tagged_lines.Dialect(
    name="nbib",
    line=re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,3}- ?(.*)"),
    starts=frozenset({"PMID"}),
    types={
        "book": "book",
        "book chapter": "chapter",
        "chapter": "chapter",
        "preprint": "article",
        "patent": "patent",
        "dissertation": "thesis",
        "proceedings": "paper-conference",
        "conference": "paper-conference",
        "conference paper": "paper-conference",
        "journal article": "article-journal",
        "review": "article-journal",
        "dataset": "dataset",
    },
    type="PT",
    default="article-journal",
    texts={
        "title": "TI BTI",
        "container": "JT TA JN BTI",
        "publisher": "PB",
        "place": "PL CY",
        "volume": "VI VO",
        "issue": "IP",
        "pages": "PG",
        "edition": "EN ED",
        "language": "LA LG",
        "number": "PN",
    },
    people={"authors": "FAU AU CN", "editors": "FED"},
    dates={"issued": "DP YR DG", "accessed": ""},
    doi="LID AID DO DI SO",
    url="UR JL",
    blank_ends=True,
    goes_on=re.compile(r"\s+\S"),
    more={
        "abstract": "AB",
        "PMID": "PMID",
        "PMCID": "PMC",
        "keyword": "OT",
        "ISSN": "IS",
        "ISBN": "ISBN",
        "container-title-short": "TA",
    },
)
OVID = replace(
    MEDLINE,
    name="ovid",
    line=re.compile(r"([A-Z][A-Z0-9]|<) {0,3}(?:- ?|(?<=<)\s*\d+\s*\.?\s*>)(.*)"),
    starts=frozenset({"<"}),
    people={"authors": "AU FA", "editors": "ED"},
    blank_ends=False,
)
_SOURCE_LINE = re.compile(
    r"(?P<container>.+?)\.\s*(?:Vol\.?\s*)?(?P<volume>\d+)\s*(?:\((?P<issue>[^)]*)\))?(?:[:,(]"
    r"\s*(?:pp?\.?\s*)?(?P<pages>[A-Za-z]?\d+[-–]\w+))?"
)


def read_medline(text: str) -> BibliographyReading:
    """Read the works of a MEDLINE document whose lines end with "\\n".

    An empty line ends a record, as no tag does.
    """
    return tagged_lines.read_document(text, MEDLINE, lambda each: _read_item(each, MEDLINE))


def read_ovid(text: str) -> BibliographyReading:
    """Read the works of a document of Ovid's tagged lines."""
    return tagged_lines.read_document(text, OVID, lambda each: _read_item(each, OVID))


def _read_item(record: tagged_lines.TaggedRecord, dialect: tagged_lines.Dialect) -> Item:
    found = tagged_lines.read_item(record, dialect)
    kinds = [
        dialect.types[kind]
        for said in record.all("PT")
        if (kind := said.strip().lower()) in dialect.types
    ]
    source = _SOURCE_LINE.match(record.first("SO")) if not found.container else None
    told = {
        name: text
        for name, text in (source.groupdict() if source else {}).items()
        if text and not getattr(found, name)
    }
    title = " ".join(record.all("TI")) or found.title
    year = tagged_lines.pick_fullest_date(
        record.every("DP YR DG")
    ) or tagged_lines.pick_fullest_date(record.every("SO"))
    changed: dict[str, Any] = {
        "container": found.container if found.container != found.title else "",
        **told,
    }
    return replace(
        found,
        type=next((kind for kind in kinds if kind != "article-journal"), found.type),
        title=(
            " ".join(title.split()).rstrip(".") if title.endswith(".") else " ".join(title.split())
        ),
        issued=year,
        **changed,
    )
