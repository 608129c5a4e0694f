"""Write works as RIS records, one value per line, so that no value can pass for a tag."""

from __future__ import annotations

import re
from collections.abc import Iterable

from research_core.citations.formats.dates import format_season
from research_core.citations.formats.item import Item

_RIS_TYPES = {
    "article-journal": "JOUR", "article-magazine": "MGZN", "article-newspaper": "NEWS",
    "book": "BOOK", "chapter": "CHAP",
    "paper-conference": "CONF", "thesis": "THES", "report": "RPRT", "dataset": "DATA",
    "patent": "PAT", "motion_picture": "VIDEO",
    "post-weblog": "BLOG", "entry-encyclopedia": "ENCYC", "entry-dictionary": "DICT",
    "webpage": "ELEC", "software": "COMP",
    "legal_case": "CASE", "legislation": "STAT",
}  # fmt: skip
_BREAKS = re.compile(r"[\s\x00-\x1f\x85\u2028\u2029]+")


def format_record(work: Item) -> str:
    """Format the lines of a record; the type is GEN if RIS has none for the work."""
    first, _, last = re.sub(r"[–—]+|--+", "-", work.pages).partition("-")
    lines = [
        ("TY", _RIS_TYPES.get(work.kind, "GEN")),
        ("TI", work.title),
        *(("AU", each.inverted) for each in work.authors),
        *(("A2", each.inverted) for each in work.editors),
        *(("A4", each.inverted) for each in work.others.get("translator", ())),
        ("PY", work.issued[:4]),
        ("DA", _format_date(work.issued)),
        ("T2", work.container),
        ("VL", work.volume),
        ("IS", work.issue or work.number),
        ("SP", first.strip()),
        ("EP", last.strip()),
        ("ET", work.edition),
        ("PB", work.publisher),
        ("CY", work.place),
        ("DO", work.doi),
        ("UR", work.address),
        ("Y2", work.accessed.replace("-", "/")),
        ("LA", work.language),
        ("M3", work.genre),
        ("N1", work.note),
    ]
    return (
        "".join(
            f"{tag}  - {_clean_value(value)}\r\n" for tag, value in lines if _clean_value(value)
        )
        + "ER  - \r\n"
    )


def format_ris(found: Iterable[tuple[str, Item]]) -> str:
    """Format the records of works, separated by a blank line. RIS has no keys."""
    return "\r\n".join(format_record(work) for _, work in found)


def _format_date(issued: str) -> str:
    """Format as "2015/05/27", or "2014///Spring"."""
    season = format_season(issued)
    return f"{issued[:4]}///{season}" if season else issued.replace("-", "/")


def _clean_value(value: str) -> str:
    return _BREAKS.sub(" ", value).strip()
