"""Search works registered at Crossref: articles, chapters, preprints. Needs no key.

An e-mail address gets better service. Crossref matches any word of a query, so the newest works for
a long query may be irrelevant. It does not know which works are open. Notices against a work are
read in `crossref`.
"""

from __future__ import annotations

from typing import Any

from research_core.journal.deps import Http
from research_core.search.providers.counts import check_not_empty, parse_count
from research_core.search.providers.crossref import NAME, WORKS, find_gravest_notice
from research_core.search.providers.markup import markup_words
from research_core.search.providers.reply import (
    changed_format_error,
    get_json,
    read_number,
    read_rows,
    read_text,
    read_texts,
    read_url,
    require_some,
    value_at,
)
from research_core.search.providers.works import DOIS, doi_url, unsupported_source_error
from research_core.search.queries import PaperQuery
from research_core.search.records import NotedRecords, Paper
from research_core.settings import Settings

HONOURS = frozenset({"year_from", "year_to", "sort_by", "source"})
#: Sources whose works its members register, told by how their DOIs begin.
SELECTED_FIELDS = frozenset({"ieee", "nature", "springer"})
#: Seconds between two calls: since December 2025 lists are given once a second to who names no
#: address, and thrice to who does.
PACE_S = 1.0
#: Where the year of a work stands, the best first.
DATES = ("published", "published-print", "published-online", "issued")


def search(http: Http, settings: Settings, query: PaperQuery) -> tuple[Paper, ...]:
    """Return works by relevance, or the newest of all that match.

    Raises SearchError, also for a source it cannot filter by.
    """
    listed, total = fetch_works(http, settings, query)
    read = require_some(
        NAME, listed, [paper for row in listed if (paper := read_work(row))], "a DOI and a title"
    )
    return NotedRecords(read, totals={"papers": parse_count(total) or None})


def fetch_works(
    http: Http, settings: Settings, query: PaperQuery
) -> tuple[list[dict[str, Any]], Any]:
    """Return (Crossref's records, how many there are in all). Raises as `search`."""
    prefixes = (
        [start.rstrip("/") for start in DOIS[query.source]]
        if query.source in SELECTED_FIELDS
        else []
    )
    if query.source and not prefixes:
        raise unsupported_source_error(NAME, query.source)
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
    listed = read_rows(NAME, answer, "message", "items")
    total = value_at(answer, "message", "total-results")
    check_not_empty(NAME, listed, total)
    return listed, total


def read_work(row: dict[str, Any]) -> Paper | None:
    """Return a work as a record; None without DOI or title, as for parts of works.

    Raises SearchError.
    """
    doi, titles = read_text(NAME, row, "DOI").lower(), read_texts(NAME, row, "title")
    title = markup_words(titles[0]) if titles else ""
    if not doi or not title:
        return None
    notice = find_gravest_notice(row)
    return Paper(
        title=title,
        url=doi_url(doi),
        source="crossref",
        doi=doi,
        authors=tuple(
            name
            for each in read_rows(NAME, row, "author", optional=True)
            if (name := _read_author(each))
        ),
        journal=_read_venue(row),
        year=_read_year(row),
        abstract=markup_words(read_text(NAME, row, "abstract")),
        citation_count=_read_date_part(row, "is-referenced-by-count"),
        pdf_url=_find_pdf(row),
        retracted=True if notice and notice.kind == "retraction" else None,
    )


def _read_author(row: dict[str, Any]) -> str:
    return " ".join(
        part for name in ("given", "family") if (part := read_text(NAME, row, name))
    ) or read_text(NAME, row, "name")


def _read_venue(row: dict[str, Any]) -> str:
    """Return the container title; for a preprint, the institution that hosts it.

    The institution is an object in old records and a list in new ones.
    """
    stands_in = next(
        (
            venue
            for each in read_texts(NAME, row, "container-title")
            if (venue := markup_words(each))
        ),
        "",
    )
    keeper = value_at(row, "institution", 0) or value_at(row, "institution")
    return stands_in or (
        markup_words(read_text(NAME, keeper, "name")) if isinstance(keeper, dict) else ""
    )


def _read_year(row: dict[str, Any]) -> int | None:
    return next(
        (
            year
            for name in DATES
            if (year := _read_date_part(row, name, "date-parts", 0, 0)) is not None
        ),
        None,
    )


def _read_date_part(row: dict[str, Any], *path: str | int) -> int | None:
    value = read_number(NAME, {"": value_at(row, *path)}, "")
    if isinstance(value, float):
        raise changed_format_error(NAME, f"{path[0]!r} is no whole number")
    return value


def _find_pdf(row: dict[str, Any]) -> str:
    """Return the first PDF link for readers; links for text mining are skipped."""
    for each in read_rows(NAME, row, "link", optional=True):
        if (
            read_text(NAME, each, "content-type") == "application/pdf"
            and read_text(NAME, each, "intended-application") != "similarity-checking"
        ):
            return read_url(NAME, each, "URL")
    return ""
