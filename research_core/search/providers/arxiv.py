"""Search arXiv through its API, which returns an Atom feed. All papers are free to read.

Every word must match. Operators of arXiv's query language are treated as words or left out.
"""

from __future__ import annotations

import re

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.models import HttpReply
from research_core.search.providers.counts import limit_to_scanned, parse_count
from research_core.search.providers.reply import (
    changed_format_error,
    parse_xml,
    read_records,
    request,
)
from research_core.search.providers.works import (
    WITHOUT_SOURCE,
    is_from_source,
    strip_doi,
    unsupported_source_error,
)
from research_core.search.queries import PaperQuery
from research_core.search.records import NotedRecords, Paper
from research_core.settings import Settings
from research_core.text.words import STOPWORDS, strip_invisible, tokenize
from research_core.web.lxml_types import Element

NAME = "arXiv"
API = "https://export.arxiv.org/api/query"
SITE = "https://arxiv.org"
HONOURS = frozenset({"year_from", "year_to", "source", "sort_by"})
ATOM, ARXIV = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
OPENSEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
#: Papers to scan if only those of one publisher are wanted.
MANY = 100
FIRST_YEAR, LAST_YEAR = 1991, 9999
#: Seconds; arXiv answers slowly.
TIMEOUT_S = 20.0
_ID = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?=v\d{1,3}$|$)", re.ASCII)
_NAMED_PAPER = re.compile(r"(?:arxiv:|10\.48550/arxiv\.)", re.IGNORECASE)


def search(http: Http, settings: Settings, query: PaperQuery) -> tuple[Paper, ...]:
    """Return papers by relevance or latest first; a paper number or DOI finds that paper.

    Raises SearchError, also for source "pubmed".
    """
    if query.source == "pubmed":
        raise unsupported_source_error(NAME, query.source)
    publisher = query.source if query.source != "arxiv" else ""
    params = {
        **_search_query(query),
        "start": "0",
        "max_results": str(MANY if publisher else query.count),
        "sortBy": "submittedDate" if query.sort_by == "date" else "relevance",
        "sortOrder": "descending",
    }
    reply = request(http, NAME, API, params, accept="application/atom+xml", timeout_s=TIMEOUT_S)
    listed, total = _read_papers(reply)
    kept = list(listed)
    if publisher:
        kept = [paper for paper in listed if is_from_source(publisher, paper.doi)]
    # Without a publisher nothing is picked out, so that nothing can be missed.
    beyond = total if publisher and total > MANY else 0
    found = limit_to_scanned(
        NAME,
        kept[: query.count],
        query.count,
        len(listed),
        beyond,
        what="papers",
        next_step=WITHOUT_SOURCE,
    )
    return NotedRecords(found, found.notes, {} if publisher else {"papers": total or None})


def _search_query(query: PaperQuery) -> dict[str, str]:
    """Build the search: one paper, or papers with these words from these years."""
    number = _ID.match(_NAMED_PAPER.sub("", query.text.strip(), count=1))
    if number:
        return {"id_list": number[0]}
    words = tokenize(query.text)
    significant = [word for word in words if word not in STOPWORDS]
    parts = [f"all:{word}" for word in significant or words or [query.text]]
    if query.year_from or query.year_to:
        parts.append(
            f"submittedDate:[{query.year_from or FIRST_YEAR}01010000 TO"
            f" {query.year_to or LAST_YEAR}12312359]"
        )
    return {"search_query": " AND ".join(parts)}


def _read_papers(reply: HttpReply) -> tuple[tuple[Paper, ...], int]:
    """Return (the papers of an answer, how many there are in all)."""
    feed = parse_xml(NAME, reply)
    if feed.tag != f"{ATOM}feed":
        raise changed_format_error(NAME, "it is no Atom feed")
    entries = feed.findall(f"{ATOM}entry")
    if entries and "/api/errors" in _read_line(entries[0], f"{ATOM}id"):
        raise changed_format_error(
            NAME, _read_line(entries[0], f"{ATOM}summary") or "it is an error"
        )
    # A known fault of arXiv: results are counted, and none is listed.
    if not entries and _read_line(feed, f"{OPENSEARCH}totalResults") != "0":
        raise SearchError(
            f"{NAME} says that it found something, and lists nothing.",
            status=200,
            next_step="Try again in a moment.",
        )
    papers = read_records(NAME, entries, _read_paper, "a number and a title")
    return papers, parse_count(_read_line(feed, f"{OPENSEARCH}totalResults"))


def _read_paper(entry: Element) -> Paper | None:
    number = _ID.match(_read_line(entry, f"{ATOM}id").partition("/abs/")[2])
    title = _read_line(entry, f"{ATOM}title")
    if not (number and title):
        return None
    year = _read_line(entry, f"{ATOM}published")[:4]
    authors = [_read_line(each, f"{ATOM}name") for each in entry.iter(f"{ATOM}author")]
    return Paper(
        title=title,
        url=f"{SITE}/abs/{number[0]}",
        source="arxiv",
        doi=strip_doi(_read_line(entry, f"{ARXIV}doi")) or f"10.48550/arxiv.{number[0]}".lower(),
        authors=tuple(filter(None, authors)),
        journal=_read_line(entry, f"{ARXIV}journal_ref") or NAME,
        year=int(year) if year.isascii() and year.isdigit() else None,
        abstract=_read_line(entry, f"{ATOM}summary"),
        open_access=True,
        pdf_url=f"{SITE}/pdf/{number[0]}",
    )


def _read_line(element: Element, tag: str) -> str:
    return " ".join(strip_invisible(element.findtext(tag) or "").split())
