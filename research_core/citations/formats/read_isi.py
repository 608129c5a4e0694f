"""Read Web of Science's tagged lines (ISI, CIW): two letters, a blank, indented continuations."""

from __future__ import annotations

import re
from dataclasses import replace

from research_core.citations.formats import tagged_lines
from research_core.citations.formats.entries import BibliographyReading
from research_core.citations.formats.item import Item

ISI = tagged_lines.Dialect(
    name="isi",
    line=re.compile(r"\ufeff?([A-Z][A-Z0-9])(?: (.*)|()$)"),
    starts=frozenset({"PT"}),
    ends=frozenset({"ER", "EF"}),
    skipped=frozenset({"FN", "VR"}),
    goes_on=re.compile(r"\s+\S"),
    types={
        "j": "article-journal",
        "journal": "article-journal",
        "b": "book",
        "book": "book",
        "s": "chapter",
        "p": "patent",
        "c": "paper-conference",
    },
    type="PT",
    texts={
        "title": "TI",
        "container": "SO JI J9",
        "publisher": "PU AE",
        "place": "PI PA",
        "volume": "VL",
        "issue": "IS",
        "language": "LA",
        "event": "CT",
        "number": "PN",
    },
    people={"authors": "AF AU", "editors": "BE ED"},
    dates={"issued": "PY PD", "accessed": ""},
    doi="DI DO",
    url="UR",
    more={
        "abstract": "AB",
        "keyword": "DE",
        "ISSN": "SN",
        "ISBN": "BN",
        "PMID": "PM",
        "collection-title": "SE",
        "container-title-short": "JI",
    },
)
_MONTH_DAY = re.compile(r"([A-Za-z]{3,9})(?:\s*-\s*[A-Za-z]{3,9})?\.?(?:\s+(\d{1,2}))?$")


def read_isi(text: str) -> BibliographyReading:
    """Read the works of a document of these lines, which end with "\\n"."""
    return tagged_lines.read_document(text, ISI, _read_item)


def _read_item(record: tagged_lines.TaggedRecord) -> Item:
    found = tagged_lines.read_item(record, ISI)
    year, part = record.first("PY"), record.first("PD")
    named = _MONTH_DAY.match(part)
    numbered = re.match(r"(\d\d?) (\d{4})$", part)  # "04 2006"
    dated = part
    if named and year:
        dated = f"{year} {named[1]} {named[2] or ''}"
    elif numbered:
        dated = f"{numbered[2]}-{numbered[1]}"
    first, last = record.first("BP SP"), record.first("EP")
    return replace(
        found,
        issued=tagged_lines.pick_fullest_date([year, dated]),
        pages="-".join(filter(None, (first, last))) or record.first("PS PG AR"),
        title=found.title.removesuffix(".") if found.title.count(". ") == 0 else found.title,
        number=found.number if found.type == "patent" else "",
        container="" if found.type == "patent" else found.container,
    )
