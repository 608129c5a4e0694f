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
    drop_empty,
    get_json,
    get_value,
    read_each,
    read_number,
    read_records,
    read_rows,
    read_text,
    read_texts,
    read_url,
)
from research_core.search.providers.works import DOIS, unsupported_source_error
from research_core.search.queries import PaperQuery
from research_core.search.records import NotedRecords, Paper
from research_core.settings import Settings
from research_core.urls import build_doi_url

HONOURS = frozenset({"year_from", "year_to", "sort_by", "source"})
#: Sources that Crossref can filter by DOI prefix.
KNOWN_SOURCES = frozenset({"ieee", "nature", "springer"})
#: Seconds between calls: since December 2025 lists are limited to one a second without an e-mail
#: address, three with one.
PACE_S = 1.0
#: Date fields with the year of a work, best first.
DATES = ("published", "published-print", "published-online", "issued")


def search(http: Http, settings: Settings, query: PaperQuery) -> tuple[Paper, ...]:
    """Return works by relevance, or the newest of all that match.

    Raises SearchError, also for a source it cannot filter by.
    """
    listed, total = fetch_works(http, settings, query)
    works = read_records(NAME, listed, read_work, "a DOI and a title")
    return NotedRecords(works, totals={"papers": parse_count(total) or None})


def fetch_works(
    http: Http, settings: Settings, query: PaperQuery
) -> tuple[list[dict[str, Any]], Any]:
    """Return (Crossref's records, how many there are in all). Raises as `search`."""
    prefixes: list[str] = []
    if query.source in KNOWN_SOURCES:
        prefixes = [start.rstrip("/") for start in DOIS[query.source]]
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
    answer = get_json(http, NAME, WORKS, drop_empty(wanted))
    listed = read_rows(NAME, answer, "message", "items")
    total = get_value(answer, "message", "total-results")
    check_not_empty(NAME, listed, total)
    return listed, total


def read_work(row: dict[str, Any]) -> Paper | None:
    """Return a work as a record; None without DOI or title, as for parts of works.

    Raises SearchError.
    """
    doi = read_text(NAME, row, "DOI").lower()
    titles = read_texts(NAME, row, "title")
    title = markup_words(titles[0]) if titles else ""
    if not doi or not title:
        return None
    notice = find_gravest_notice(row)
    return Paper(
        title=title,
        url=build_doi_url(doi),
        source="crossref",
        doi=doi,
        authors=tuple(read_each(read_rows(NAME, row, "author", optional=True), _read_author)),
        journal=_read_venue(row),
        year=_read_year(row),
        abstract=markup_words(read_text(NAME, row, "abstract")),
        citation_count=_read_integer(row, "is-referenced-by-count"),
        pdf_url=_find_pdf(row),
        retracted=True if notice and notice.kind == "retraction" else None,
    )


def _read_author(row: dict[str, Any]) -> str:
    parts = [read_text(NAME, row, name) for name in ("given", "family")]
    return " ".join(filter(None, parts)) or read_text(NAME, row, "name")


def _read_venue(row: dict[str, Any]) -> str:
    """Return the container title; for a preprint, the institution that hosts it.

    The institution is an object in old records and a list in new ones.
    """
    titles = read_each(read_texts(NAME, row, "container-title"), markup_words)
    if titles:
        return titles[0]
    keeper = get_value(row, "institution", 0) or get_value(row, "institution")
    return markup_words(read_text(NAME, keeper, "name")) if isinstance(keeper, dict) else ""


def _read_year(row: dict[str, Any]) -> int | None:
    for name in DATES:
        year = _read_integer(row, name, "date-parts", 0, 0)
        if year is not None:
            return year
    return None


def _read_integer(row: dict[str, Any], *path: str | int) -> int | None:
    value = read_number(NAME, {"": get_value(row, *path)}, "")
    if isinstance(value, float):
        raise changed_format_error(NAME, f"{path[0]!r} is no whole number")
    return value


def _find_pdf(row: dict[str, Any]) -> str:
    """Return the first PDF link for readers; links for text mining are skipped."""
    for each in read_rows(NAME, row, "link", optional=True):
        is_pdf = read_text(NAME, each, "content-type") == "application/pdf"
        if is_pdf and read_text(NAME, each, "intended-application") != "similarity-checking":
            return read_url(NAME, each, "URL")
    return ""
