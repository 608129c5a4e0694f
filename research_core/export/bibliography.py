"""Sources as BibTeX, RIS and CSL-JSON, which Zotero, EndNote and Mendeley read: a pure function of a list of entries.

One record for each address, the first of two; records stand in the order of their keys. An entry with a DOI is an article, one with an
address a web page, an own document neither. Nothing is looked up: what an entry does not say is left out.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from string import ascii_lowercase
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from research_core.export.document import address, kept, line, name
from research_core.models import Report, ReportSource
from research_core.reading import site
from research_core.urls import is_own


@dataclass(frozen=True)
class Entry:
    """One source. date, accessed: YYYY, YYYY-MM or YYYY-MM-DD, "" where not known; author: several parted by ";" or " and "."""

    url: str
    title: str
    author: str = ""
    site: str = ""
    date: str = ""
    doi: str = ""
    accessed: str = ""
    note: str = ""


def entries(built: Report) -> tuple[Entry, ...]:
    """The sources a report kept."""
    asked = _day(built.created)
    return tuple(
        Entry(
            url=source.url if is_own(source.url) else address(source),
            title=name(source),
            site="" if is_own(source.url) else line(site(source.url)),
            date=day_of(source.published),
            doi=doi(source.url),
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


# -- dates and identifiers -------------------------------------------------------------------------------------------------

_DATE = re.compile(r"\s*([12]\d{3})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?(?!\d)", re.ASCII)
_DOI = re.compile(r"10\.\d{4,9}/[^\s?#&\"<>]+", re.ASCII)
_VIEWS = re.compile(r"(?:/(?:full|fulltext|abstract|pdf|epdf|html|meta|summary))+$|\.(?:pdf|html?|full)+$", re.IGNORECASE)
_PREPRINT = re.compile(r"v\d+(?:\.full)?(?:\.pdf)?$")
_ARXIV = re.compile(r"/(?:abs|pdf|html)/((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}))(?:v\d+)?(?:\.pdf)?/?$", re.ASCII)


def day_of(text: str) -> str:
    """The date a text begins with, as far as it is one: "2024-05-01T10:00Z" is "2024-05-01", "2024-13" is "2024"."""
    found = _DATE.match(text)
    if found is None:
        return ""
    year, month, day = (int(part) if part else 0 for part in found.groups())
    if not 1 <= month <= 12:
        return f"{year}"
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return f"{year}-{month:02}"


def doi(text: str) -> str:
    """The bare DOI (10.x/y) that an address or "doi:…" names, "" where it names none. arXiv's papers have one too."""
    try:
        parts = urlsplit(text.strip())
    except ValueError:  # no address at all, however it looks
        return ""
    host = (parts.netloc.rpartition("@")[2] or "").lower()
    if host.removeprefix("www.").removeprefix("export.") == "arxiv.org":
        paper = _ARXIV.search(parts.path)
        return f"10.48550/arXiv.{paper[1]}" if paper else ""
    found = _DOI.search(unquote(f"{parts.path}?{parts.query}" if parts.query else parts.path))
    if found is None:
        return ""
    bare = found[0] if host.endswith("doi.org") else _VIEWS.sub("", found[0])
    bare = _PREPRINT.sub("", bare) if host.endswith(("biorxiv.org", "medrxiv.org")) else bare
    return bare.rstrip(".,;:)]}'/")


# -- keys ------------------------------------------------------------------------------------------------------------------


def keyed(found: Iterable[Entry]) -> list[tuple[str, Entry]]:
    """Each entry under its own key (surname, year, first word of the title), sorted by key."""
    first: dict[str, Entry] = {}
    for entry in found:
        if entry.url.strip():
            first.setdefault(entry.url.strip(), entry)
    taken: dict[str, Entry] = {}
    for entry in first.values():
        taken[next(key for key in _keys(entry) if key not in taken)] = entry
    return sorted(taken.items())


def _keys(entry: Entry) -> Iterator[str]:
    """smith2024whales, smith2024whalesa … z, then …z2, …z3."""
    words = re.findall(r"[a-z0-9]+", _ascii(entry.title))
    key = f"{_surname(entry)}{day_of(entry.date)[:4]}{words[0][:40] if words else 'untitled'}"
    yield key
    yield from (f"{key}{letter}" for letter in ascii_lowercase)
    number = 2
    while True:
        yield f"{key}z{number}"
        number += 1


def _surname(entry: Entry) -> str:
    first = next(iter(authors(entry)), "")
    last = first.partition(",")[0] if "," in first else (first.split() or [""])[-1]
    return "".join(re.findall(r"[a-z0-9]+", _ascii(last)))[:40] or "anon"


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()


def authors(entry: Entry) -> list[str]:
    """One name each."""
    return [name for name in (line(part, 300) for part in re.split(r";|\s+and\s+", entry.author)) if name]


# -- the formats -----------------------------------------------------------------------------------------------------------

_TEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "$&#_%"},
})  # fmt: skip


def bibtex(found: Sequence[Entry]) -> str:
    """@article with a DOI, @misc without; UTF-8, each value in braces with what TeX would read as more escaped."""
    return "\n\n".join(_bibtex(key, entry) for key, entry in keyed(found)) + "\n"


def _bibtex(key: str, entry: Entry) -> str:
    bare = doi(entry.doi)
    fields = {
        "title": f"{{{_tex(entry.title)}}}",  # in braces of its own, or styles would change its capitals
        "author": " and ".join(f"{{{_tex(author)}}}" for author in authors(entry)),
        "journal" if bare else "howpublished": _tex(entry.site),
        "year": day_of(entry.date)[:4],
        "date": day_of(entry.date),
        "doi": _verbatim(bare),
        "url": _verbatim(_linked(entry)),
        "urldate": day_of(entry.accessed),
        "note": _tex(entry.note),
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@{'article' if bare else 'misc'}{{{key},\n{lines}}}"


def _tex(text: str) -> str:
    return line(text).translate(_TEX)


def _verbatim(text: str) -> str:
    """An address as BibTeX takes it: as it is, but for what would end the value or begin a command."""
    return re.sub(r"[\s{}\\\"^`|<>\x00-\x1f]", lambda found: quote(found[0]), line(text, 10_000))


def _linked(entry: Entry) -> str:
    return entry.url.strip() if entry.url.strip().lower().startswith(("http://", "https://")) else ""


def ris(found: Sequence[Entry]) -> str:
    """JOUR with a DOI, ELEC for a web page, GEN for an own document; lines end as RIS wants them."""
    return "\r\n".join(_ris(entry) for _, entry in keyed(found))


def _ris(entry: Entry) -> str:
    bare, url = doi(entry.doi), _linked(entry)
    dated, read = day_of(entry.date), day_of(entry.accessed)
    lines = [
        ("TY", "JOUR" if bare else "ELEC" if url else "GEN"),
        ("TI", entry.title),
        *(("AU", author) for author in authors(entry)),
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
        "author": [{"literal": author} for author in authors(entry)],
        "issued": _parts(day_of(entry.date)),
        "accessed": _parts(day_of(entry.accessed)),
        "container-title": line(entry.site),
        "DOI": bare,
        "URL": line(url, 10_000),
        "note": line(entry.note),
    }
    return {name: value for name, value in item.items() if value}


def _parts(day: str) -> dict[str, Any]:
    return {"date-parts": [[int(part) for part in day.split("-")]]} if day else {}
