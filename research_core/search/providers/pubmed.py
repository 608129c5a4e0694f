"""Search PubMed in two calls of NCBI's E-utilities: matching ids, then their records.

Records are complete, with abstracts and retraction marks. NCBI reports failures in answers with
status 200.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.models import HttpReply
from research_core.search.providers.counts import limit_to_scanned, parse_count
from research_core.search.providers.reply import (
    changed_format_error,
    drop_empty,
    get_value,
    parse_json,
    parse_xml,
    read_text,
    read_texts,
    request,
    require_some,
)
from research_core.search.providers.works import (
    WITHOUT_SOURCE,
    is_from_source,
    unsupported_source_error,
)
from research_core.search.queries import PaperQuery
from research_core.search.records import NotedRecords, Paper
from research_core.settings import Settings
from research_core.text.words import format_count, strip_invisible, truncate
from research_core.urls import build_doi_url

if TYPE_CHECKING:
    from research_core.web.lxml_types import Element

NAME = "PubMed"
EUTILS = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
SITE = "https://pubmed.ncbi.nlm.nih.gov"
HONOURS = frozenset({"year_from", "year_to", "source", "sort_by", "open_access"})
FREE = '"free full text"[sb]'
#: Records to scan if only those of one publisher are wanted; bytes of an answer.
MANY, MAX_BYTES = 50, 8_000_000
#: NCBI requires both ends of a range.
FIRST_YEAR, LAST_YEAR = 1500, 3000
NEXT = {
    "rate_limited": "Try again in a moment, or set PUBMED_API_KEY.",
    "auth_required": "Check PUBMED_API_KEY.",
}


def search(http: Http, settings: Settings, query: PaperQuery) -> tuple[Paper, ...]:
    """Return articles and books by best match, or newest first.

    Raises SearchError, also for source "arxiv".
    """
    if query.source == "arxiv":
        raise unsupported_source_error(NAME, query.source)
    publisher = query.source if query.source != "pubmed" else ""
    wanted = {
        "term": f"({query.text}) AND {FREE}" if query.open_access else query.text,
        "retmax": str(MANY if publisher else query.count),
        "sort": "pub_date" if query.sort_by == "date" else "relevance",
    }
    if query.year_from or query.year_to:
        wanted |= {
            "datetype": "pdat",
            "mindate": str(query.year_from or FIRST_YEAR),
            "maxdate": str(query.year_to or LAST_YEAR),
        }
    numbers, total = _read_numbers(_ask(http, settings, "esearch", {**wanted, "retmode": "json"}))
    found: tuple[Paper, ...] = ()
    if numbers:
        asked = {"id": ",".join(numbers), "retmode": "xml"}
        found = _fetch_papers(_ask(http, settings, "efetch", asked), numbers, query)
    kept = list(found)
    if publisher:
        kept = [paper for paper in found if is_from_source(publisher, paper.doi)]
    kept = kept[: query.count]
    beyond = total if publisher and total > MANY else 0
    scanned = limit_to_scanned(
        NAME, kept, query.count, len(numbers), beyond, what="works", next_step=WITHOUT_SOURCE
    )
    notes = list(scanned.notes)
    if len(found) < len(numbers) and len(kept) < query.count:
        notes.append(
            f"{NAME} lists {format_count(len(numbers), 'work')}, and gave a record with a"
            f" title of {len(found)} of"
            " them."
        )
    return NotedRecords(scanned, notes, {} if publisher else {"papers": total or None})


def _ask(http: Http, settings: Settings, name: str, params: Mapping[str, str]) -> HttpReply:
    """Ask one of the E-utilities. NCBI asks programs to name themselves and an e-mail address."""
    ours = {"api_key": settings.pubmed_api_key, "tool": "assay", "email": settings.openalex_email}
    return request(
        http,
        NAME,
        f"{EUTILS}/{name}.fcgi",
        {"db": "pubmed", **params, **drop_empty(ours)},
        accept="application/json" if params["retmode"] == "json" else "application/xml",
        max_bytes=MAX_BYTES,
        next_steps=NEXT,
    )


def _read_numbers(reply: HttpReply) -> tuple[tuple[str, ...], int]:
    """Return (the matching ids, best first; how many there are in all).

    Raises SearchError, also for a failure reported with status 200.
    """
    answer = parse_json(NAME, reply)
    _check_failure(
        get_value(answer, "error"),
        get_value(answer, "ERROR"),
        get_value(answer, "esearchresult", "ERROR"),
    )
    if not isinstance(get_value(answer, "esearchresult", "idlist"), list):
        raise changed_format_error(NAME, "there is no list of numbers in it")
    listed = read_texts(NAME, answer["esearchresult"], "idlist")
    if not listed and read_text(NAME, answer, "esearchresult", "count") != "0":
        raise changed_format_error(NAME, "it lists nothing, and does not say that there is nothing")
    numbers = require_some(
        NAME, listed, [each for each in listed if each.isascii() and each.isdigit()], "a number"
    )
    return numbers, parse_count(read_text(NAME, answer, "esearchresult", "count"))


def _check_failure(*said: Any) -> None:
    """Raise SearchError if NCBI reports a failure."""
    messages = [each for each in said if isinstance(each, str) and each.strip()]
    if not messages:
        return
    words = " ".join(strip_invisible(messages[0]).split())
    if not words:
        return
    kind = "rate_limited" if "rate limit" in words.lower() else "upstream_unavailable"
    error = SearchError(
        f"{NAME} failed ({truncate(words, 200)}).",
        kind=kind,
        status=200,
        next_step=NEXT.get(kind, ""),
    )
    error.quotes = (truncate(words, 200),)
    raise error


def _fetch_papers(
    reply: HttpReply, numbers: tuple[str, ...], query: PaperQuery
) -> tuple[Paper, ...]:
    """Return the records of these ids, in order."""
    if reply.body.lstrip()[:1] == b"{":  # failures are JSON in any case
        _check_failure(get_value(parse_json(NAME, reply), "error"))
    root = parse_xml(NAME, reply)
    _check_failure(root.findtext(".//ERROR"))
    if root.tag != "PubmedArticleSet":
        raise changed_format_error(NAME, "it is no set of articles")
    # Imported here, since it loads the readers of pages, which listing the providers does not need.
    from research_core.web.sites import medline

    records = {medline.read_number(each): each for each in medline.find_records(root)}
    made = []
    for number in numbers:
        if number not in records:
            continue
        paper = _read_paper(number, records[number], query.open_access)
        if paper:
            made.append(paper)
    return require_some(NAME, numbers, made, "a record")


def _read_paper(number: str, record: Element, free: bool) -> Paper | None:
    from research_core.web.sites import medline

    title = medline.read_title(record)
    doi = medline.read_doi(record).lower()
    year = medline.read_date(record)[:4]
    if not title:
        return None
    return Paper(
        title=title,
        url=build_doi_url(doi) or f"{SITE}/{number}/",
        source="pubmed",
        doi=doi,
        authors=medline.read_authors(record),
        journal=medline.read_journal(record),
        year=int(year) if year else None,
        abstract="\n\n".join(medline.read_abstract(record)),
        open_access=True if free else None,
        retracted=True if medline.is_retracted(record) else None,
    )
