"""Searches the works registered at DataCite: preprints of arXiv and Zenodo, theses, reports, texts
of repositories. It asks for no key.

Data sets, software and images are registered there too and are left out. Which works are open is
told where a licence says it.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.search.providers.counts import counted, held
from research_core.search.providers.markup import words
from research_core.search.providers.reply import at, changed, get_json, rows, some, text, whole
from research_core.search.providers.works import link, refused
from research_core.search.queries import PaperQuery
from research_core.search.records import Noted, Paper
from research_core.settings import Settings

NAME = "DataCite"
DOIS = "https://api.datacite.org/dois"
HONOURS = frozenset({"year_from", "year_to", "sort_by", "source"})
#: The prefix of arXiv, the one source whose works are registered here.
ARXIV = "10.48550"
#: It allows 3000 calls in five minutes.
PACE_S = 0.6  # 500 calls in five minutes
#: The general types of what is written.
TYPES = (
    "Text Preprint JournalArticle ConferencePaper ConferenceProceeding Book BookChapter"
    " Dissertation Report DataPaper".split()
)
#: What its query language takes for an operator.
_OPERATORS = re.compile(r"[+\-=&|><!(){}\[\]^\"~*?:\\/]|\b(?:AND|OR|NOT|TO)\b")
#: Licences under which anybody may read, as their addresses begin or are written.
_OPEN = re.compile(r"https?://creativecommons\.org/|info:eu-repo/semantics/openAccess")


def search(http: Http, _settings: Settings, query: PaperQuery) -> tuple[Paper, ...]:
    """Works that match all words, by how well they do, or the newest first. Raises SearchError,
    also for a source but arXiv.
    """
    if query.source not in ("", "arxiv"):
        raise refused(NAME, query.source)
    years = (
        f"publicationYear:[{query.year_from or '*'} TO {query.year_to or '*'}]"
        if query.year_from or query.year_to
        else ""
    )
    asked = (
        f"({sanitised(query.text)})",
        f"types.resourceTypeGeneral:({' OR '.join(TYPES)})",
        years,
        f"prefix:{ARXIV}" if query.source else "",
    )
    params = {
        "query": " AND ".join(part for part in asked if part),
        "page[size]": str(query.count),
        "sort": "-published" if query.sort_by == "date" else "relevance",
        "disable-facets": "true",
    }
    answer = get_json(http, NAME, DOIS, params)
    listed = rows(NAME, answer, "data")
    total = at(answer, "meta", "total")
    held(NAME, listed, total)
    read = some(
        NAME, listed, [paper for row in listed if (paper := work(row))], "a DOI and a title"
    )
    return Noted(read, totals={"papers": counted(total) or None})


def by_doi(http: Http, doi: str) -> Paper | None:
    """The work of exactly this bare DOI; None where DataCite holds none of it, or has no title for
    it. Raises SearchError.
    """
    try:
        answer = get_json(http, NAME, f"{DOIS}/{quote(doi.lower(), safe='/')}", {})
    except SearchError as error:
        if error.status == 404:
            return None
        raise
    held = at(answer, "data")
    if not isinstance(held, dict):
        raise changed(NAME, "there is no work in it")
    paper = work(held)
    return paper if paper and paper.doi == doi.lower() else None


def sanitised(query: str) -> str:
    """The words of a query without what is an operator here; the query itself where nothing is left
    of it.
    """
    return " ".join(_OPERATORS.sub(" ", query).split()) or query


def work(row: dict[str, Any]) -> Paper | None:
    """A work as a record; None for what has no DOI or no title. Raises SearchError."""
    found = at(row, "attributes")
    doi = text(NAME, row, "attributes", "doi").lower()
    title = (
        next(
            (
                said
                for each in rows(NAME, found, "titles", optional=True)
                if (said := words(text(NAME, each, "title")))
            ),
            "",
        )
        if doi
        else ""
    )
    if not title:
        return None
    rights = rows(NAME, found, "rightsList", optional=True)
    return Paper(
        title=title,
        url=link(doi),
        source="datacite",
        doi=doi,
        authors=tuple(
            name for each in rows(NAME, found, "creators", optional=True) if (name := _author(each))
        ),
        journal=text(NAME, found, "container", "title") or _publisher(found),
        year=whole(NAME, found, "publicationYear"),
        abstract=_abstract(found),
        citation_count=whole(NAME, found, "citationCount"),
        open_access=(
            True if any(_OPEN.match(text(NAME, each, "rightsUri")) for each in rights) else None
        ),
    )


def _author(creator: dict[str, Any]) -> str:
    return " ".join(
        part for name in ("givenName", "familyName") if (part := text(NAME, creator, name))
    ) or text(NAME, creator, "name")


def _publisher(found: dict[str, Any]) -> str:
    """Its name; later versions of the answer have it in an object."""
    return (
        text(NAME, found, "publisher", "name")
        if isinstance(found.get("publisher"), dict)
        else text(NAME, found, "publisher")
    )


def _abstract(found: dict[str, Any]) -> str:
    told = rows(NAME, found, "descriptions", optional=True)
    return next(
        (
            words(text(NAME, each, "description"))
            for each in told
            if text(NAME, each, "descriptionType") == "Abstract"
        ),
        "",
    )
