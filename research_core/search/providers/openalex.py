"""Search OpenAlex for scholarly works, and follow citations one step (counts, no intents).

Since February 2026 calls cost money: a few cents a day are free without a key, a dollar with a free
key, which is a thousand searches; a DOI look-up is free. Only the words are sent: a quoted query
would match exact phrases and find almost nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
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
    parse_json,
    read_column,
    read_flag,
    read_integer,
    read_records,
    read_rows,
    read_text,
    read_texts,
    read_url,
    request,
    require_some,
)
from research_core.search.providers.works import (
    drop_doi_page,
    is_from_source,
    strip_doi,
)
from research_core.search.queries import CitationQuery, PaperQuery
from research_core.search.records import CitationEdge, NotedRecords, Paper, collect_notes
from research_core.settings import Settings
from research_core.text.words import format_count, strip_invisible
from research_core.urls import build_doi_url

NAME = "OpenAlex"
WORKS = "https://api.openalex.org/works"
DOI_ORG = "https://doi.org"
HONOURS = frozenset({"year_from", "year_to", "source", "sort_by", "open_access"})
CITATION_HONOURS = frozenset({"direction"})
#: Filters by source: a repository among a work's locations, or a publisher with its imprints.
SOURCES = {
    "arxiv": "locations.source.id:S4306400194",
    "pubmed": "locations.source.id:S4306525036",
    "ieee": "primary_location.source.publisher_lineage:P4310319808",
    "nature": "primary_location.source.publisher_lineage:P4310319908",
    "springer": "primary_location.source.publisher_lineage:P4310319965",
}
FIELDS = (
    "id,doi,display_name,publication_year,cited_by_count,is_retracted,authorships,"
    "primary_location,best_oa_location,open_access"
    ",abstract_inverted_index"
)
#: Ids in one filter, calls for one work's references, and words of an abstract to reorder.
MAX_IDS, MAX_CALLS, MAX_WORDS = 100, 5, 20_000
#: Authors per work in lists; a single work has them all.
MAX_AUTHORS = 100
_OPERATORS = re.compile(r"[\"“”„«»*?~]+")
_SEPARATORS = re.compile(r"[,|:!]+")
_ID = re.compile(r"W\d{1,15}", re.ASCII)


def search(http: Http, settings: Settings, query: PaperQuery) -> NotedRecords:
    """Return works by relevance or newest first.

    Raises SearchError; rate_limited also if the day's budget is used up.
    """
    filters = []
    if query.year_from:
        filters.append(f"from_publication_date:{query.year_from}-01-01")
    if query.year_to:
        filters.append(f"to_publication_date:{query.year_to}-12-31")
    if query.open_access:
        filters.append("open_access.is_oa:true")
    if query.source:
        filters.append(SOURCES[query.source])
    params = {
        "search": _remove_operators(query.text),
        "per_page": str(query.count),
        "select": FIELDS,
    }
    if filters:
        params["filter"] = ",".join(filters)
    if query.sort_by == "date":
        params["sort"] = "publication_date:desc"
    found = _fetch_works(http, settings, params)
    return NotedRecords(found, [_note_missing_authors(found)], found.totals)


def fetch_graph(http: Http, settings: Settings, query: CitationQuery) -> NotedRecords:
    """Return the works around the seed, most cited first.

    Raises SearchError; not_found if OpenAlex does not have the seed.
    """
    work, title = _find_seed(http, settings, query.text)
    found: dict[str, NotedRecords] = {}
    if query.direction in ("cited_by", "both"):
        citing = f"cites:{_read_id(work)}"
        found["cited_by"] = _fetch_most_cited(http, settings, citing, query.count)
    if query.direction in ("references", "both"):
        ids = _read_reference_ids(work)
        found["references"] = _fetch_references(http, settings, ids, query.count)
    edges: list[CitationEdge] = []
    for direction, works in found.items():
        edges += [CitationEdge(direction, each, seed=title) for each in works]
    totals = {direction: works.totals.get("papers") for direction, works in found.items()}
    return NotedRecords(
        edges,
        (*collect_notes(*found.values()), _note_missing_authors(edge.paper for edge in edges)),
        totals,
    )


def fetch_by_doi(http: Http, settings: Settings, doi: str) -> Paper | None:
    """Return the work of exactly this bare DOI, or None. Raises SearchError."""
    work = _fetch_work(http, settings, doi)
    paper = _read_paper(work) if work is not None else None
    return paper if paper and paper.doi == doi.lower() else None


def _fetch_most_cited(http: Http, settings: Settings, wanted: str, count: int) -> NotedRecords:
    params = {
        "filter": wanted,
        "sort": "cited_by_count:desc",
        "per_page": str(count),
        "select": FIELDS,
    }
    return _fetch_works(http, settings, params)


def _fetch_references(
    http: Http, settings: Settings, ids: Sequence[str], count: int
) -> NotedRecords:
    """Return the most cited works that a work cites, in as many calls as allowed."""
    asked = ids[: MAX_IDS * MAX_CALLS]
    listed: list[Paper] = []
    for first in range(0, len(asked), MAX_IDS):
        batch = "|".join(asked[first : first + MAX_IDS])
        listed += _fetch_most_cited(http, settings, f"openalex_id:{batch}", count)
    found = sorted(listed, key=lambda work: -(work.citation_count or 0))[:count]
    notes = []
    if len(asked) < len(ids):
        notes.append(
            f"The paper has {len(ids):,} references at {NAME}, of which the first {len(asked):,}"
            " were looked through."
        )
    if len(found) < min(count, len(asked)):
        notes.append(
            f"{NAME} names {format_count(len(asked), 'reference')} of the paper, and tells"
            f" of {len(found):,} of"
            " them."
        )
    return NotedRecords(found, notes, {"papers": len(ids)})


def _fetch_works(http: Http, settings: Settings, params: Mapping[str, str]) -> NotedRecords:
    listed, total = _fetch_rows(http, settings, params)
    works = read_records(NAME, listed, _read_paper, "a title and an address")
    return NotedRecords(works, totals={"papers": total or None})


def _note_missing_authors(works: Iterable[Paper]) -> str:
    """Note that lists of authors may be cut."""
    cut = sum(len(work.authors) >= MAX_AUTHORS for work in works)
    if not cut:
        return ""
    return (
        f"{NAME} names {MAX_AUTHORS} authors of a work at most: {cut} of these works may have more."
    )


def _fetch_rows(
    http: Http, settings: Settings, params: Mapping[str, str]
) -> tuple[list[dict[str, Any]], int]:
    """Return (the rows of an answer, how many there are in all or 0 if unstated)."""
    answer = get_json(
        http,
        NAME,
        WORKS,
        {**params, **_build_key_params(settings)},
        next_steps=_build_next_steps(settings),
        refusal=_read_refusal,
    )
    listed = read_rows(NAME, answer, "results")
    total = get_value(answer, "meta", "count")
    check_not_empty(NAME, listed, total)
    return listed, parse_count(total)


def _read_refusal(told: Any) -> tuple[str, str]:
    """Recognise a used-up budget by its words: it has status 429 or that of a bad key."""
    said = " ".join(str(get_value(told, name)) for name in ("error", "message")).lower()
    for words in ("rate limit", "budget", "credits", "daily limit"):
        if words in said:
            return "rate_limited", ""
    return "", ""


def _build_key_params(settings: Settings) -> dict[str, str]:
    return {"api_key": settings.openalex_api_key} if settings.openalex_api_key else {}


def _build_next_steps(settings: Settings) -> dict[str, str]:
    """Return what to do about a used-up budget or a refused key."""
    used_up = (
        "The day's budget of OPENALEX_API_KEY may be used up: try again tomorrow, or another"
        " provider."
    )
    keyless = (
        "The small budget of those without a key may be used up for today: set OPENALEX_API_KEY,"
        " which is free."
    )
    return {
        "rate_limited": used_up if settings.openalex_api_key else keyless,
        "auth_required": "Check OPENALEX_API_KEY.",
    }


def _remove_operators(text: str) -> str:
    """Remove quotes and wildcards from a query, unless nothing would be left."""
    return " ".join(_OPERATORS.sub(" ", text).split()) or text


# ---------------------------------------------------------------- the seed


def _find_seed(http: Http, settings: Settings, said: str) -> tuple[dict[str, Any], str]:
    """Return (the work, its title) for a DOI, or the first match of a title.

    OpenAlex has few of arXiv's own DOIs: their titles are tried.
    """
    doi = strip_doi(said)
    if not doi:
        return _search_title(http, settings, said)
    work = _fetch_work(http, settings, doi)
    if work is None:
        if not is_from_source("arxiv", doi):
            raise _unknown_seed_error(doi)
        return _search_title(http, settings, _registered_title(http, doi))
    return work, markup_words(read_text(NAME, work, "display_name"))


def _fetch_work(http: Http, settings: Settings, doi: str) -> dict[str, Any] | None:
    """Return OpenAlex's row for exactly this bare DOI, or None."""
    params = {"select": f"referenced_works,{FIELDS}", **_build_key_params(settings)}
    reply = request(
        http,
        NAME,
        f"{WORKS}/doi:{quote(doi, safe='/:()')}",
        params,
        also=(404,),
        next_steps=_build_next_steps(settings),
        refusal=_read_refusal,
    )
    if reply.status == 404:
        return None
    work = parse_json(NAME, reply)
    if not isinstance(work, dict):
        raise changed_format_error(NAME, "it is no work")
    return work


def _search_title(http: Http, settings: Settings, title: str) -> tuple[dict[str, Any], str]:
    wanted = " ".join(_SEPARATORS.sub(" ", _remove_operators(title)).split())
    params = {
        "filter": f"title.search:{wanted}",
        "per_page": "1",
        "select": f"referenced_works,{FIELDS}",
    }
    found, _ = _fetch_rows(http, settings, params)
    if not found:
        raise _unknown_seed_error(title)
    return found[0], markup_words(read_text(NAME, found[0], "display_name"))


def _registered_title(http: Http, doi: str) -> str:
    """Return the title that the DOI's agency registered."""
    reply = request(
        http,
        "doi.org",
        f"{DOI_ORG}/{quote(doi, safe='/:()')}",
        accept="application/vnd.citationstyles.csl+json",
        also=(404,),
    )
    if reply.status == 404:
        raise _unknown_seed_error(doi)
    registered = parse_json("doi.org", reply)
    title = read_text("doi.org", registered, "title") if isinstance(registered, dict) else ""
    if not title:
        raise changed_format_error("doi.org", "there is no title in it")
    return title


def _unknown_seed_error(seed: str) -> SearchError:
    return SearchError(
        f"{NAME} holds no work {strip_invisible(seed)[:200]!r}.",
        kind="not_found",
        status=404,
        next_step="Check the DOI or the title, or ask another provider.",
    )


def _read_id(work: Mapping[str, Any]) -> str:
    found = read_text(NAME, work, "id").rpartition("/")[2]
    if not _ID.fullmatch(found):
        raise changed_format_error(NAME, "a work has no id")
    return found


def _read_reference_ids(work: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids of the works that a work cites, each once."""
    if not isinstance(work.get("referenced_works"), list):
        raise changed_format_error(NAME, "there are no references in it")
    urls = read_texts(NAME, work, "referenced_works")
    ids = list(dict.fromkeys(url.rpartition("/")[2] for url in urls))
    return require_some(NAME, ids, [each for each in ids if _ID.fullmatch(each)], "an id")


# ---------------------------------------------------------------- a work


def _read_paper(row: dict[str, Any]) -> Paper | None:
    doi = strip_doi(read_text(NAME, row, "doi"))
    title = markup_words(read_text(NAME, row, "display_name") or read_text(NAME, row, "title"))
    url = (
        build_doi_url(doi)
        or read_url(NAME, row, "primary_location", "landing_page_url")
        or read_url(NAME, row, "id")
    )
    if not (title and url):
        return None
    return Paper(
        title=title,
        url=url,
        source="openalex",
        doi=doi,
        authors=read_column(
            NAME, read_rows(NAME, row, "authorships", optional=True), "author", "display_name"
        ),
        journal=read_text(NAME, row, "primary_location", "source", "display_name"),
        year=read_integer(NAME, row, "publication_year"),
        abstract=_read_abstract(get_value(row, "abstract_inverted_index")),
        citation_count=read_integer(NAME, row, "cited_by_count"),
        open_access=read_flag(NAME, row, "open_access", "is_oa"),
        pdf_url=_read_pdf(row),
        retracted=read_flag(NAME, row, "is_retracted"),
    )


def _read_pdf(row: dict[str, Any]) -> str:
    found = drop_doi_page(
        read_url(NAME, row, "best_oa_location", "pdf_url")
        or read_url(NAME, row, "primary_location", "pdf_url")
    )
    free = read_url(NAME, row, "open_access", "oa_url")
    if found:
        return found
    # The free address is often that of a page.
    return free if free.lower().partition("?")[0].endswith(".pdf") else ""


def _read_abstract(index: Any) -> str:
    """Rebuild the text from an inverted index of words and positions."""
    if index is None:
        return ""
    if not isinstance(index, dict):
        raise changed_format_error(NAME, "an abstract is no index of words")
    if not all(isinstance(places, list) for places in index.values()):
        raise changed_format_error(NAME, "an abstract is no index of words")
    placed: list[tuple[int, str]] = []
    for word, places in index.items():
        placed += [(place, word) for place in places]
    if not all(isinstance(place, int) for place, _ in placed):
        raise changed_format_error(NAME, "a word of an abstract has no place")
    return markup_words(" ".join(word for _, word in sorted(placed)[:MAX_WORDS]))
