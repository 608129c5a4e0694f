"""Search Semantic Scholar for works, and follow citations one step, with their intents.

The one-sentence summary (`tldr`) and the mark of an influential work are machine-made by Semantic
Scholar. `sort_by=date` uses the bulk search, the only one that sorts, which requires every word and
returns no summaries. Publishers may forbid it to return some edges.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.search.providers.counts import check_not_empty, limit_to_scanned, parse_count
from research_core.search.providers.reply import (
    changed_format_error,
    drop_empty,
    get_value,
    parse_json,
    read_column,
    read_flag,
    read_integer,
    read_number,
    read_records,
    read_rows,
    read_text,
    read_texts,
    read_url,
    request,
    require_some,
)
from research_core.search.providers.works import (
    WITHOUT_SOURCE,
    drop_doi_page,
    is_from_source,
    strip_doi,
)
from research_core.search.queries import CitationQuery, PaperQuery
from research_core.search.records import (
    CitationEdge,
    NotedRecords,
    Paper,
    collect_notes,
    collect_totals,
)
from research_core.settings import Settings
from research_core.text.words import strip_invisible
from research_core.urls import build_doi_url

NAME = "Semantic Scholar"
PAPER = "https://api.semanticscholar.org/graph/v1/paper"
SITE = "https://www.semanticscholar.org/paper"
HONOURS = frozenset({"year_from", "year_to", "source", "sort_by", "open_access"})
CITATION_HONOURS = frozenset({"direction", "influential_only"})
BASIC = (
    "title,externalIds,url,abstract,venue,year,citationCount,influentialCitationCount,"
    "isOpenAccess,openAccessPdf,authors"
)
#: External ids by source, for sources whose works have no DOI of their own.
IDS = {"arxiv": "ArXiv", "pubmed": "PubMed"}
#: Records to scan if only some of them are wanted.
MANY, MAX_COUNT = 100, 500
#: By direction: the path of the list, and the field of the other work.
ENDS = {"cited_by": ("citations", "citingPaper"), "references": ("references", "citedPaper")}
#: Fields with the total counts, by direction.
COUNTS = {"cited_by": "citationCount", "references": "referenceCount"}
KEYLESS = (
    "Without a key all its users share one rate: set SEMANTIC_SCHOLAR_API_KEY, or try again in a"
    " moment."
)
KEYED = (
    "Try again in a moment: SEMANTIC_SCHOLAR_API_KEY allows so many calls a second, and no more."
)

_OPERATORS = re.compile(r"[-\u2010-\u2015+|*~\"()]+")


def search(http: Http, settings: Settings, query: PaperQuery) -> NotedRecords:
    """Return works by relevance or newest first.

    A source is filtered among the first results. Raises SearchError.
    """
    newest = query.sort_by == "date"
    params = {
        "query": _remove_operators(query.text),
        "fields": BASIC if newest else f"{BASIC},tldr",
        "year": _format_year_range(query),
    }
    if newest:
        params["sort"] = "publicationDate:desc"
    else:
        params["limit"] = str(MANY if query.source else query.count)
    params = drop_empty(params)
    if query.open_access:
        params["openAccessPdf"] = ""  # a flag without a value
    answer = _ask(http, settings, f"{PAPER}/search{'/bulk' if newest else ''}", params)
    listed = read_rows(NAME, answer, "data", optional=get_value(answer, "total") == 0)
    check_not_empty(NAME, listed, get_value(answer, "total"))
    usable = []
    kept = []
    for row in listed:
        paper = _read_paper(row)
        if paper is None:
            continue
        usable.append(paper)
        if not query.source or _is_from_source(query.source, row, paper):
            kept.append(paper)
    require_some(NAME, listed, usable, "a title and an address")
    kept = kept[: query.count]
    total = get_value(answer, "total")
    most = MANY if query.source else 0
    scanned = limit_to_scanned(
        NAME,
        kept,
        query.count,
        len(listed),
        total,
        most=most,
        what="works",
        next_step=WITHOUT_SOURCE,
    )
    totals = {} if query.source else {"papers": parse_count(total) or None}
    return NotedRecords(scanned, scanned.notes, totals)


def fetch_graph(http: Http, settings: Settings, query: CitationQuery) -> NotedRecords:
    """Return the works around the seed in the service's order.

    Raises SearchError; not_found for an unknown seed.
    """
    doi = strip_doi(query.text)
    if doi:
        id, title = f"DOI:{quote(doi, safe='/:()')}", ""
    else:
        id, title = _match_title(http, settings, query.text)
    found: dict[str, NotedRecords] = {}
    edges: list[CitationEdge] = []
    for direction in ENDS:
        if query.direction in (direction, "both"):
            works = _fetch_neighbours(http, settings, query, id, direction)
            found[direction] = works
            edges += [CitationEdge(direction, work, seed=title) for work in works]
    if query.influential_only:  # their total is unknown
        return NotedRecords(edges, collect_notes(*found.values()))
    totals: dict[str, int | None] = dict(collect_totals(*found.values()))
    notes = [*collect_notes(*found.values())]
    if len(totals) < len(found):  # a list that goes on does not say how long it is
        counts, failure = _fetch_counts(http, settings, id)
        totals = {**{direction: counts.get(direction) for direction in found}, **totals}
        notes.append(failure)
    return NotedRecords(edges, notes, totals)


def _fetch_counts(http: Http, settings: Settings, id: str) -> tuple[dict[str, int], str]:
    """Return (citation and reference counts of a work, why they are missing or "").

    The lists do not contain the counts, and are returned without them.
    """
    try:
        answer = _ask(http, settings, f"{PAPER}/{id}", {"fields": ",".join(COUNTS.values())})
        counts: dict[str, int] = {}
        for direction, name in COUNTS.items():
            count = read_integer(NAME, answer, name)
            if count is not None:
                counts[direction] = count
        return counts, ""
    except SearchError as error:
        return {}, f"How many there are in all could not be had: {error.message}"


def _fetch_neighbours(
    http: Http, settings: Settings, query: CitationQuery, id: str, direction: str
) -> NotedRecords:
    """Return matching works among the first listed.

    A note says if fewer were found than wanted and there are more.
    """
    path, end = ENDS[direction]
    params = {
        "fields": f"intents,isInfluential,{BASIC}",
        "limit": str(MAX_COUNT if query.influential_only else MANY),
    }
    answer = _ask(http, settings, f"{PAPER}/{id}/{path}", params, seed=query.text)
    if _is_withheld(answer):
        raise SearchError(
            f"{NAME} may not pass on the {path} of this work, at its publisher's wish.",
            kind="blocked",
            next_step="Ask another provider, or for the other direction alone.",
        )
    listed = read_rows(NAME, answer, "data")
    works = read_records(NAME, listed, lambda row: _read_neighbour(row, end), "a title")
    kept = [each for each in works if each.is_influential or not query.influential_only]
    found = sorted(kept, key=lambda each: not each.url)[: query.count]
    more = get_value(answer, "next") is not None or len(listed) >= int(params["limit"])
    notes = []
    if more and len(found) < query.count:
        which = ""
        if query.influential_only:
            which = f" for influential ones, of which there are {len(found)}"
        notes.append(
            f"{NAME} has more {path} of the paper than the first {len(listed):,}, which alone were"
            f" looked through{which}."
        )
    return NotedRecords(found, notes, {} if more else {direction: len(listed)})


def _is_withheld(answer: Any) -> bool:
    """Return True for a list that the work's publisher does not allow: null, with a notice."""
    if not isinstance(answer, dict) or answer.get("data", "") is not None:
        return False
    return any(name.endswith("PaperInfo") for name in answer)


def _read_neighbour(row: dict[str, Any], end: str) -> Paper | None:
    """Return the work at the other end of a citation, with what is known of the citation."""
    paper = _read_paper(get_value(row, end) or {}, linked=False)
    if paper is None:
        return None
    return replace(
        paper,
        is_influential=read_flag(NAME, row, "isInfluential"),
        citation_intents=read_texts(NAME, row, "intents"),
    )


def _match_title(http: Http, settings: Settings, title: str) -> tuple[str, str]:
    """Return (id, title) of the work with the closest title."""
    answer = _ask(
        http, settings, f"{PAPER}/search/match", {"query": title, "fields": "title"}, seed=title
    )
    found = read_rows(NAME, answer, "data")
    id = read_text(NAME, found[0], "paperId") if found else ""
    if not id.isalnum():
        raise changed_format_error(NAME, "a work has no id")
    return id, read_text(NAME, found[0], "title")


def _ask(
    http: Http, settings: Settings, url: str, params: Mapping[str, str], seed: str = ""
) -> Any:
    """Return the answer; a 404 means that the seed is unknown."""
    headers = {}
    if settings.semantic_scholar_api_key:
        headers["x-api-key"] = settings.semantic_scholar_api_key
    reply = request(
        http,
        NAME,
        url,
        params,
        headers=headers,
        next_steps=_build_next_steps(settings),
        also=(404,) if seed else (),
    )
    if reply.status == 404:
        raise SearchError(
            f"{NAME} holds no work {strip_invisible(seed)[:200]!r}.",
            kind="not_found",
            status=404,
            next_step="Check the DOI or the title, or ask another provider.",
        )
    return parse_json(NAME, reply, _build_next_steps(settings))


def _build_next_steps(settings: Settings) -> dict[str, str]:
    """Return what to do about too many calls or a refused key."""
    busy = KEYED if settings.semantic_scholar_api_key else KEYLESS
    return {"rate_limited": busy, "auth_required": "Check SEMANTIC_SCHOLAR_API_KEY."}


def _remove_operators(words: str) -> str:
    """Remove the bulk search's operators, and hyphens, which make it find nothing."""
    return " ".join(_OPERATORS.sub(" ", words).split()) or words


def _format_year_range(query: PaperQuery) -> str:
    """Return 2020-2024, 2020-, -2024, or "" for all."""
    if not (query.year_from or query.year_to):
        return ""
    return f"{query.year_from or ''}-{query.year_to or ''}"


def _is_from_source(source: str, row: dict[str, Any], paper: Paper) -> bool:
    if source in IDS:
        return bool(read_text(NAME, row, "externalIds", IDS[source]))
    return is_from_source(source, paper.doi)


def _read_paper(row: dict[str, Any], linked: bool = True) -> Paper | None:
    """Return a work; linked: skip it without a URL, as searches do.

    Some references have nothing but a title.
    """
    title = read_text(NAME, row, "title")
    doi = strip_doi(read_text(NAME, row, "externalIds", "DOI"))
    id = read_text(NAME, row, "paperId")
    url = build_doi_url(doi) or read_url(NAME, row, "url") or (f"{SITE}/{quote(id)}" if id else "")
    if not title or (linked and not url):
        return None
    influential = read_number(NAME, row, "influentialCitationCount")
    return Paper(
        title=title,
        url=url,
        source="semanticscholar",
        doi=doi,
        authors=read_column(NAME, read_rows(NAME, row, "authors", optional=True), "name"),
        journal=read_text(NAME, row, "venue"),
        year=read_integer(NAME, row, "year"),
        abstract=read_text(NAME, row, "abstract"),
        citation_count=read_integer(NAME, row, "citationCount"),
        open_access=read_flag(NAME, row, "isOpenAccess"),
        pdf_url=drop_doi_page(read_url(NAME, row, "openAccessPdf", "url")),
        tldr=read_text(NAME, row, "tldr", "text"),
        is_influential=None if influential is None else influential > 0,
    )
