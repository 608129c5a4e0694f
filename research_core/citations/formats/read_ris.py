"""Read RIS as programs really write it.

The first or last line may be missing, the blanks vary, and tags of other programs occur.
"""

from __future__ import annotations

import re
from dataclasses import replace

from research_core.citations.formats import tagged_lines
from research_core.citations.formats.entries import BibliographyReading
from research_core.citations.formats.item import Item

CSL_TYPES = {
    name: type
    for type, names in {
        "article-journal": "jour jfull abst inpr ejour", "article-magazine": "mgzn",
        "article-newspaper": "news",
        "book": "book ebook edbook",
        "chapter": "chap echap sect", "paper-conference": "conf cpaper", "thesis": "thes",
        "report": "rprt govdoc grnt stand",
        "webpage": "elec web", "post-weblog": "blog", "patent": "pat", "dataset": "data aggr dbase",
        "software": "comp",
        "manuscript": "manscpt unpb", "legal_case": "case", "legislation": "stat lega",
        "bill": "bill unbill", "hearing": "hear",
        "motion_picture": "mpct video", "song": "sound music", "graphic": "art figure advs slide",
        "map": "map", "pamphlet": "pamp",
        "personal_communication": "pcomm icomm", "entry-encyclopedia": "encyc ency",
        "entry-dictionary": "dict", "periodical": "ser serial",
    }.items()
    for name in names.split()
}  # fmt: skip
RIS = tagged_lines.Dialect(
    name="ris",
    line=re.compile(r"\s{0,3}([A-Z][A-Z0-9])\s{1,2}-\s?(.*)"),
    starts=frozenset({"TY"}),
    ends=frozenset({"ER"}),
    types=CSL_TYPES,
    type="TY",
    texts={
        "title": "TI T1 CT ST", "container": "T2 JF JO BT JA J2 J1", "publisher": "PB",
        "place": "CY PP", "volume": "VL", "issue": "IS",
        "edition": "ET", "language": "LA", "note": "N1", "id": "ID", "number": "M1", "event": "C3",
        "genre": "M3",
    },
    people={"authors": "AU A1", "editors": "ED A2"},
    others={"collection-editor": "A3", "translator": "A4"},
    dates={"issued": "DA PY Y1", "accessed": "Y2"},
    doi="DO L3 DI M3 N1",
    url="UR LK L2 L1",
    more={"abstract": "AB N2", "keyword": "KW", "title-short": "ST", "PMID": "AN",
        "container-title-short": "J2 JA"},
)  # fmt: skip
#: Types of works that have no container: T2 names their series.
_STANDALONE_TYPES = {"book", "report", "thesis", "software", "dataset", "webpage"}
#: Types for which M3 is the kind of work, and not its location.
_GENRE_TYPES = {"thesis", "report", "webpage", "post-weblog"}
_NUMBERED_TYPES = {"report", "patent", "bill", "legislation", "standard"}


def read_ris(text: str) -> BibliographyReading:
    """Read the works of a RIS document whose lines end with "\\n"."""
    return tagged_lines.read_document(text, RIS, _read_item)


def _read_item(record: tagged_lines.TaggedRecord) -> Item:
    found = tagged_lines.read_item(record, RIS)
    issued = tagged_lines.pick_fullest_date([*record.every("PY Y1"), *record.every("DA")])
    pages = "-".join(dict.fromkeys(filter(None, (record.first("SP"), record.first("EP")))))
    more = {
        name: text
        for name, text in found.more.items()
        if name != "PMID" or (text.isdecimal() and len(text) > 5)
    }
    serial = record.first("SN")
    if serial:
        more["ISSN" if re.match(r"\d{4}-?\d{3}[\dXx]\b", serial) else "ISBN"] = serial
    whole = found.type in _STANDALONE_TYPES and bool(found.title or record.first("BT"))
    series = record.first("T2 T3") if whole else record.first("T3")
    genre = found.genre if found.type in _GENRE_TYPES else ""
    return replace(
        found,
        title=found.title or (record.first("BT") if whole else ""),
        container="" if found.type in _STANDALONE_TYPES - {"webpage"} else found.container,
        issued=issued,
        pages=pages if "-" not in record.first("SP") else record.first("SP"),
        number=(found.number or found.issue) if found.type in _NUMBERED_TYPES else "",
        issue="" if found.type in _NUMBERED_TYPES else found.issue,
        genre=genre,
        others={role: people for role, people in found.others.items() if people != found.editors},
        more={**more, **({"collection-title": series} if series else {})},
    )
