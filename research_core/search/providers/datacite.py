"""Search works registered at DataCite: preprints, theses, reports. Needs no key.

Datasets, software and images are left out. A work counts as open if its licence says so.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.search.providers.counts import check_not_empty, parse_count
from research_core.search.providers.markup import markup_words
from research_core.search.providers.reply import (
    changed_format_error,
    get_json,
    get_value,
    read_each,
    read_integer,
    read_records,
    read_rows,
    read_text,
)
from research_core.search.providers.works import unsupported_source_error
from research_core.search.queries import PaperQuery
from research_core.search.records import NotedRecords, Paper
from research_core.settings import Settings
from research_core.urls import build_doi_url

NAME = "DataCite"
DOIS = "https://api.datacite.org/dois"
HONOURS = frozenset({"year_from", "year_to", "sort_by", "source"})
#: DOI prefix of arXiv, the only supported source registered here.
ARXIV = "10.48550"
PACE_S = 0.6  # 500 calls in five minutes
#: General resource types of texts.
TYPES = (
    "Text Preprint JournalArticle ConferencePaper ConferenceProceeding Book BookChapter"
    " Dissertation Report DataPaper".split()
)
#: Operators of DataCite's query language.
_OPERATORS = re.compile(r"[+\-=&|><!(){}\[\]^\"~*?:\\/]|\b(?:AND|OR|NOT|TO)\b")
#: Open licences, by the beginning of their URL or name.
_OPEN = re.compile(r"https?://creativecommons\.org/|info:eu-repo/semantics/openAccess")


def search(http: Http, _settings: Settings, query: PaperQuery) -> tuple[Paper, ...]:
    """Return works that match all words, by relevance or newest first.

    Raises SearchError, also for any source but arXiv.
    """
    if query.source not in ("", "arxiv"):
        raise unsupported_source_error(NAME, query.source)
    asked = [
        f"({remove_operators(query.text)})",
        f"types.resourceTypeGeneral:({' OR '.join(TYPES)})",
    ]
    if query.year_from or query.year_to:
        asked.append(f"publicationYear:[{query.year_from or '*'} TO {query.year_to or '*'}]")
    if query.source:
        asked.append(f"prefix:{ARXIV}")
    params = {
        "query": " AND ".join(asked),
        "page[size]": str(query.count),
        "sort": "-published" if query.sort_by == "date" else "relevance",
        "disable-facets": "true",
    }
    answer = get_json(http, NAME, DOIS, params)
    listed = read_rows(NAME, answer, "data")
    total = get_value(answer, "meta", "total")
    check_not_empty(NAME, listed, total)
    works = read_records(NAME, listed, read_work, "a DOI and a title")
    return NotedRecords(works, totals={"papers": parse_count(total) or None})


def fetch_by_doi(http: Http, doi: str) -> Paper | None:
    """Return the work of exactly this bare DOI; None if unknown or untitled.

    Raises SearchError.
    """
    try:
        answer = get_json(http, NAME, f"{DOIS}/{quote(doi.lower(), safe='/')}", {})
    except SearchError as error:
        if error.status == 404:
            return None
        raise
    held = get_value(answer, "data")
    if not isinstance(held, dict):
        raise changed_format_error(NAME, "there is no work in it")
    paper = read_work(held)
    return paper if paper and paper.doi == doi.lower() else None


def remove_operators(query: str) -> str:
    """Remove DataCite's operators from the query, unless nothing would be left."""
    return " ".join(_OPERATORS.sub(" ", query).split()) or query


def read_work(row: dict[str, Any]) -> Paper | None:
    """Return a work as a record; None without DOI or title. Raises SearchError."""
    found = get_value(row, "attributes")
    doi = read_text(NAME, row, "attributes", "doi").lower()
    if not doi:
        return None
    title = _read_title(found)
    if not title:
        return None
    return Paper(
        title=title,
        url=build_doi_url(doi),
        source="datacite",
        doi=doi,
        authors=tuple(read_each(read_rows(NAME, found, "creators", optional=True), _read_author)),
        journal=read_text(NAME, found, "container", "title") or _read_publisher(found),
        year=read_integer(NAME, found, "publicationYear"),
        abstract=_read_abstract(found),
        citation_count=read_integer(NAME, found, "citationCount"),
        open_access=_is_open(found) or None,
    )


def _is_open(found: Any) -> bool:
    """Return True if a licence says so; without one, access is unknown."""
    licences = read_rows(NAME, found, "rightsList", optional=True)
    return any(_OPEN.match(read_text(NAME, row, "rightsUri")) for row in licences)


def _read_title(found: Any) -> str:
    for row in read_rows(NAME, found, "titles", optional=True):
        title = markup_words(read_text(NAME, row, "title"))
        if title:
            return title
    return ""


def _read_author(creator: dict[str, Any]) -> str:
    parts = [read_text(NAME, creator, name) for name in ("givenName", "familyName")]
    return " ".join(filter(None, parts)) or read_text(NAME, creator, "name")


def _read_publisher(found: dict[str, Any]) -> str:
    """Return the publisher's name; newer answers have an object here."""
    if isinstance(found.get("publisher"), dict):
        return read_text(NAME, found, "publisher", "name")
    return read_text(NAME, found, "publisher")


def _read_abstract(found: dict[str, Any]) -> str:
    for row in read_rows(NAME, found, "descriptions", optional=True):
        if read_text(NAME, row, "descriptionType") == "Abstract":
            return markup_words(read_text(NAME, row, "description"))
    return ""
