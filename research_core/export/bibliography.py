"""Sources as BibTeX, RIS and CSL-JSON, which Zotero, EndNote and Mendeley read: a pure function of a list of entries.

One record for each address, the first of two, in the order they are given in: of a report, that of its numbers. An entry with a DOI is an
article, one with an address a web page, an own document neither. Nothing is looked up: what an entry does not say is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from string import ascii_lowercase
from typing import Any

from research_core.bibliography import bibtex as tex
from research_core.bibliography.names import parsed
from research_core.days import iso
from research_core.export.document import address, kept, line, name
from research_core.models import Report, ReportSource
from research_core.origin import site
from research_core.text import truncate, visible
from research_core.urls import doi, is_own


@dataclass(frozen=True)
class Entry:
    """One source. date, accessed: YYYY, YYYY-MM or YYYY-MM-DD, "" where not known; authors: as they are read or with a comma."""

    url: str
    title: str
    authors: tuple[str, ...] = ()
    site: str = ""
    date: str = ""
    doi: str = ""
    accessed: str = ""
    note: str = ""


def entries(built: Report) -> tuple[Entry, ...]:
    """The sources a report kept, in the order of their numbers."""
    asked = _day(built.created)
    return tuple(
        Entry(
            url=source.url if is_own(source.url) else address(source),
            title=name(source),
            authors=source.metadata.authors,
            site=line(source.metadata.site or ("" if is_own(source.url) else site(source.address))),
            date=iso(source.published),
            doi=source.metadata.doi or doi(source.address),
            accessed=_day(source.fetched) if source.fetched else asked,
            note=_note(source),
        )
        for source in kept(built)
    )


def _note(source: ReportSource) -> str:
    scored = f"Credibility score {source.parts.score:.2f}" if source.parts else "Own document, not scored"
    return f"{scored}; read from {source.archived.named}, {line(source.archived.url)}" if source.archived else scored


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()


# -- keys ------------------------------------------------------------------------------------------------------------------


def keyed(found: Iterable[Entry]) -> list[tuple[str, Entry]]:
    """Each entry under its own key (surname, year, first telling word of the title), in the order given."""
    first: dict[str, Entry] = {}
    for entry in found:
        if entry.url.strip():
            first.setdefault(entry.url.strip(), entry)
    taken: dict[str, Entry] = {}
    for entry in first.values():
        taken[next(key for key in _keys(entry) if key not in taken)] = entry
    return list(taken.items())


def _keys(entry: Entry) -> Iterator[str]:
    """smith2024whales, smith2024whalesa … z, then …z2, …z3."""
    key = tex.key(entry.authors, iso(entry.date)[:4], entry.title)
    yield key
    yield from (f"{key}{letter}" for letter in ascii_lowercase)
    number = 2
    while True:
        yield f"{key}z{number}"
        number += 1


def parted(text: str) -> tuple[str, ...]:
    """The authors of a field that names several, parted by ";" or "and"."""
    return tuple(name for name in (line(part, 300) for part in re.split(r";|\s+and\s+", text)) if name)


# -- the formats -----------------------------------------------------------------------------------------------------------


def bibtex(found: Sequence[Entry]) -> str:
    """@article with a DOI, @misc without; UTF-8, each value in braces with what TeX would read as more escaped."""
    return "\n\n".join(tex.entry(key, _record(entry)) for key, entry in keyed(found)) + "\n"


def _record(entry: Entry) -> tex.Record:
    return tex.Record(
        title=line(entry.title),
        authors=tuple(map(_name, entry.authors)),
        site=line(entry.site),
        date=iso(entry.date),
        doi=doi(entry.doi),
        url=line(_linked(entry), 10_000),
        read=iso(entry.accessed),
        note=line(entry.note),
    )


def _name(author: str) -> str:
    """A name as one line; what joins the words of one surname stays."""
    return truncate(re.sub(r"[ \t\n]+", " ", visible(author)).strip(), 300)


def _linked(entry: Entry) -> str:
    return entry.url.strip() if entry.url.strip().lower().startswith(("http://", "https://")) else ""


def ris(found: Sequence[Entry]) -> str:
    """JOUR with a DOI, ELEC for a web page, GEN for an own document; lines end as RIS wants them."""
    return "\r\n".join(_ris(entry) for _, entry in keyed(found))


def _ris(entry: Entry) -> str:
    bare, url = doi(entry.doi), _linked(entry)
    dated, read = iso(entry.date), iso(entry.accessed)
    lines = [
        ("TY", "JOUR" if bare else "ELEC" if url else "GEN"),
        ("TI", entry.title),
        *(("AU", parsed(_name(author)).turned) for author in entry.authors),
        ("PY", dated[:4]),
        ("DA", dated.replace("-", "/")),
        ("T2", entry.site),
        ("DO", bare),
        ("UR", url),
        ("Y2", read.replace("-", "/")),
        ("N1", entry.note),
    ]
    return "".join(f"{tag}  - {line(value, 10_000)}\r\n" for tag, value in lines if value) + "ER  - \r\n"


def csl_json(found: Sequence[Entry]) -> str:
    """A JSON array of CSL items: article-journal with a DOI, webpage with an address, else document."""
    return json.dumps([_csl(key, entry) for key, entry in keyed(found)], ensure_ascii=False, indent=2) + "\n"


def _csl(key: str, entry: Entry) -> dict[str, Any]:
    bare, url = doi(entry.doi), _linked(entry)
    item = {
        "id": key,
        "type": "article-journal" if bare else "webpage" if url else "document",
        "title": line(entry.title),
        "author": [{"literal": parsed(_name(author)).whole} for author in entry.authors],
        "issued": _parts(iso(entry.date)),
        "accessed": _parts(iso(entry.accessed)),
        "container-title": line(entry.site),
        "DOI": bare,
        "URL": line(url, 10_000),
        "note": line(entry.note),
    }
    return {name: value for name, value in item.items() if value}


def _parts(day: str) -> dict[str, Any]:
    return {"date-parts": [[int(part) for part in day.split("-")]]} if day else {}
