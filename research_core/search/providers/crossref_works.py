"""Searches the works registered at Crossref: articles, chapters, preprints of its members. It asks
for no key; a mail address helps.

Crossref takes any word of a query for a match, so that the newest works of a long query may be
beside the point. Which works are open it does not know. What it records against a work is read in
`crossref`.
"""

from __future__ import annotations

from typing import Any

from research_core.journal.deps import Http
from research_core.search.providers.counts import counted, held
from research_core.search.providers.crossref import NAME, WORKS, gravest
from research_core.search.providers.markup import words
from research_core.search.providers.reply import (
    address,
    at,
    changed,
    get_json,
    number,
    rows,
    some,
    text,
    texts,
)
from research_core.search.providers.works import DOIS, link, refused
from research_core.search.queries import PaperQuery
from research_core.search.records import Noted, Paper
from research_core.settings import Settings

HONOURS = frozenset({"year_from", "year_to", "sort_by", "source"})
#: Sources whose works its members register, told by how their DOIs begin.
TOLD = frozenset({"ieee", "nature", "springer"})
#: Seconds between two calls: since December 2025 lists are given once a second to who names no
#: address, and thrice to who does.
PACE_S = 1.0
#: Where the year of a work stands, the best first.
DATES = ("published", "published-print", "published-online", "issued")


def search(http: Http, settings: Settings, query: PaperQuery) -> tuple[Paper, ...]:
    """Works by how well they match, or the newest of all that match at all. Raises SearchError,
    also for a source it cannot tell.
    """
    listed, total = found(http, settings, query)
    read = some(
        NAME, listed, [paper for row in listed if (paper := work(row))], "a DOI and a title"
    )
    return Noted(read, totals={"papers": counted(total) or None})


def found(http: Http, settings: Settings, query: PaperQuery) -> tuple[list[dict[str, Any]], Any]:
    """(the records as Crossref has them, how many there are in all). Raises as `search`."""
    prefixes = [start.rstrip("/") for start in DOIS[query.source]] if query.source in TOLD else []
    if query.source and not prefixes:
        raise refused(NAME, query.source)
    filters = [
        ("from-pub-date", query.year_from),
        ("until-pub-date", query.year_to),
        *(("prefix", each) for each in prefixes),
    ]
    wanted = {
        "query.bibliographic": query.text,
        "rows": str(query.count),
        "filter": ",".join(f"{name}:{value}" for name, value in filters if value),
        "sort": "published" if query.sort_by == "date" else "",
        "order": "desc" if query.sort_by == "date" else "",
        "mailto": settings.openalex_email,
    }
    answer = get_json(http, NAME, WORKS, {name: value for name, value in wanted.items() if value})
    listed = rows(NAME, answer, "message", "items")
    total = at(answer, "message", "total-results")
    held(NAME, listed, total)
    return listed, total


def work(row: dict[str, Any]) -> Paper | None:
    """A work as a record; None for what has no DOI or no title, as parts of a work have none.
    Raises SearchError.
    """
    doi, titles = text(NAME, row, "DOI").lower(), texts(NAME, row, "title")
    title = words(titles[0]) if titles else ""
    if not doi or not title:
        return None
    notice = gravest(row)
    return Paper(
        title=title,
        url=link(doi),
        source="crossref",
        doi=doi,
        authors=tuple(
            name for each in rows(NAME, row, "author", optional=True) if (name := _author(each))
        ),
        journal=_venue(row),
        year=_year(row),
        abstract=words(text(NAME, row, "abstract")),
        citation_count=_whole(row, "is-referenced-by-count"),
        pdf_url=_pdf(row),
        retracted=True if notice and notice.kind == "retraction" else None,
    )


def _author(row: dict[str, Any]) -> str:
    return " ".join(
        part for name in ("given", "family") if (part := text(NAME, row, name))
    ) or text(NAME, row, "name")


def _venue(row: dict[str, Any]) -> str:
    """What a work stands in; of a preprint, which stands in nothing, who keeps it: an object once,
    a list of them since.
    """
    stands_in = next(
        (venue for each in texts(NAME, row, "container-title") if (venue := words(each))), ""
    )
    keeper = at(row, "institution", 0) or at(row, "institution")
    return stands_in or (words(text(NAME, keeper, "name")) if isinstance(keeper, dict) else "")


def _year(row: dict[str, Any]) -> int | None:
    return next(
        (year for name in DATES if (year := _whole(row, name, "date-parts", 0, 0)) is not None),
        None,
    )


def _whole(row: dict[str, Any], *path: str | int) -> int | None:
    value = number(NAME, {"": at(row, *path)}, "")
    if isinstance(value, float):
        raise changed(NAME, f"{path[0]!r} is no whole number")
    return value


def _pdf(row: dict[str, Any]) -> str:
    """The first link to a PDF that is there to be read; those for comparing texts are not."""
    for each in rows(NAME, row, "link", optional=True):
        if (
            text(NAME, each, "content-type") == "application/pdf"
            and text(NAME, each, "intended-application") != "similarity-checking"
        ):
            return address(NAME, each, "URL")
    return ""
