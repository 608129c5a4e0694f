"""Searches OpenAlex for scholarly works, and walks one step of its graph of citations, which has
counts but no intents.

Since February 2026 its calls cost: without a key there are a few cents a day, with a free key a
dollar, for a thousand searches; looking up a work by its DOI is free. A search takes the words
alone: in quotes it would find the exact phrase only, and next to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.search.providers.counts import counted, held
from research_core.search.providers.markup import words
from research_core.search.providers.reply import (
    address,
    as_json,
    ask,
    at,
    changed,
    get_json,
    rows,
    some,
    text,
    texts,
    truth,
    whole,
)
from research_core.search.providers.works import bare, is_of, link, pdf
from research_core.search.queries import CitationQuery, PaperQuery
from research_core.search.records import Edge, Noted, Paper, notes_of
from research_core.settings import Settings
from research_core.text.words import visible

NAME = "OpenAlex"
WORKS = "https://api.openalex.org/works"
DOI_ORG = "https://doi.org"
HONOURS = frozenset({"year_from", "year_to", "source", "sort_by", "open_access"})
CITED = frozenset({"direction"})
#: How a source is told: a repository among a work's locations, or a publisher with all its
#: imprints.
SOURCES = {
    "arxiv": "locations.source.id:S4306400194",
    "pubmed": "locations.source.id:S4306525036",
    "ieee": "primary_location.source.publisher_lineage:P4310319808",
    "nature": "primary_location.source.publisher_lineage:P4310319908",
    "springer": "primary_location.source.publisher_lineage:P4310319965",
}
FIELDS = (
    "id,doi,display_name,publication_year,cited_by_count,is_retracted,authorships,primary_location,best_oa_location,open_access"
    ",abstract_inverted_index"
)
#: Works that one filter may name, calls for what one work cites, and words of an abstract that are
#: put in order.
MOST_IDS, MOST_CALLS, MOST_WORDS = 100, 5, 20_000
#: Authors of a work that a list of works has; a work alone has them all.
MOST_AUTHORS = 100
_OPERATORS = re.compile(r"[\"“”„«»*?~]+")
_SEPARATORS = re.compile(r"[,|:!]+")
_ID = re.compile(r"W\d{1,15}", re.ASCII)


def search(http: Http, settings: Settings, query: PaperQuery) -> Noted:
    """Works by relevance, or the newest first. Raises SearchError; rate_limited also where the
    day's budget is used up.
    """
    wanted = {
        "from_publication_date": f"{query.year_from}-01-01" if query.year_from else "",
        "to_publication_date": f"{query.year_to}-12-31" if query.year_to else "",
        "open_access.is_oa": "true" if query.open_access else "",
    }
    filters = [f"{name}:{value}" for name, value in wanted.items() if value] + (
        [SOURCES[query.source]] if query.source else []
    )
    params = {"search": _plain(query.text), "per_page": str(query.count), "select": FIELDS}
    params |= {"filter": ",".join(filters)} if filters else {}
    params |= {"sort": "publication_date:desc"} if query.sort_by == "date" else {}
    found = _works(http, settings, params)
    return Noted(found, [_unnamed(found)], found.totals)


def graph(http: Http, settings: Settings, query: CitationQuery) -> Noted:
    """Works next to the seed, the most cited first. Raises SearchError, not_found where it does not
    hold the seed.
    """
    work, title = _seed(http, settings, query.text)
    ways: dict[str, Callable[[], Noted]] = {
        "cited_by": lambda: _most_cited(http, settings, f"cites:{_id(work)}", query.count),
        "references": lambda: _references(http, settings, _referenced(work), query.count),
    }
    found = {
        direction: ask()
        for direction, ask in ways.items()
        if query.direction in (direction, "both")
    }
    edges = [
        Edge(direction, each, seed=title) for direction, works in found.items() for each in works
    ]
    totals = {direction: works.totals.get("papers") for direction, works in found.items()}
    return Noted(
        edges, (*notes_of(*found.values()), _unnamed(edge.paper for edge in edges)), totals
    )


def by_doi(http: Http, settings: Settings, doi: str) -> Paper | None:
    """The work of exactly this bare DOI; None where OpenAlex holds none. Raises SearchError."""
    work = _held(http, settings, doi)
    paper = _paper(work) if work is not None else None
    return paper if paper and paper.doi == doi.lower() else None


def _most_cited(http: Http, settings: Settings, wanted: str, count: int) -> Noted:
    return _works(
        http,
        settings,
        {"filter": wanted, "sort": "cited_by_count:desc", "per_page": str(count), "select": FIELDS},
    )


def _references(http: Http, settings: Settings, ids: Sequence[str], count: int) -> Noted:
    """The most cited of what a work cites, over as many calls as its references need and one
    question may cost.
    """
    asked = ids[: MOST_IDS * MOST_CALLS]
    batches = [asked[n : n + MOST_IDS] for n in range(0, len(asked), MOST_IDS)]
    listed = [
        work
        for each in batches
        for work in _most_cited(http, settings, f"openalex_id:{'|'.join(each)}", count)
    ]
    found = sorted(listed, key=lambda work: -(work.citation_count or 0))[:count]
    cut = (
        f"The paper has {len(ids):,} references at {NAME}, of which the first {len(asked):,} were"
        " looked through."
    )
    few = (
        f"{NAME} names {len(asked):,} references of the paper, and tells of {len(found):,} of them."
    )
    told = [
        cut if len(asked) < len(ids) else "",
        few if len(found) < min(count, len(asked)) else "",
    ]
    return Noted(found, told, {"papers": len(ids)})


def _works(http: Http, settings: Settings, params: Mapping[str, str]) -> Noted:
    listed, total = _listed(http, settings, params)
    read = some(
        NAME, listed, [made for row in listed if (made := _paper(row))], "a title and an address"
    )
    return Noted(read, totals={"papers": total or None})


def _unnamed(works: Iterable[Paper]) -> str:
    """That a list of authors may be cut."""
    cut = sum(len(work.authors) >= MOST_AUTHORS for work in works)
    return (
        f"{NAME} names {MOST_AUTHORS} authors of a work at most: {cut} of these works may have"
        " more."
        if cut
        else ""
    )


def _listed(
    http: Http, settings: Settings, params: Mapping[str, str]
) -> tuple[list[dict[str, Any]], int]:
    """(the rows of an answer, how many there are in all; 0 where it does not say)."""
    answer = get_json(
        http,
        NAME,
        WORKS,
        {**params, **_key(settings)},
        next_steps=_next(settings),
        refusal=_refusal,
    )
    listed = rows(NAME, answer, "results")
    total = at(answer, "meta", "count")
    held(NAME, listed, total)
    return listed, counted(total)


def _refusal(told: Any) -> tuple[str, str]:
    """A used-up budget, by its words: it comes with a status of 429, or with one that refuses a
    key.
    """
    said = " ".join(str(at(told, name)) for name in ("error", "message")).lower()
    return (
        (
            "rate_limited"
            if any(word in said for word in ("rate limit", "budget", "credits", "daily limit"))
            else ""
        ),
        "",
    )


def _key(settings: Settings) -> dict[str, str]:
    return {"api_key": settings.openalex_api_key} if settings.openalex_api_key else {}


def _next(settings: Settings) -> dict[str, str]:
    """What a person can do about a used-up budget, and about a key that is refused."""
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


def _plain(text: str) -> str:
    """A query without quotes and wildcards; the query itself where it is nothing else."""
    return " ".join(_OPERATORS.sub(" ", text).split()) or text


# ---------------------------------------------------------------- the seed


def _seed(http: Http, settings: Settings, said: str) -> tuple[dict[str, Any], str]:
    """(the work, its title) of a DOI, or the first that a title finds. Of arXiv's own DOIs OpenAlex
    holds few: their titles are tried.
    """
    if not (doi := bare(said)):
        return _titled(http, settings, said)
    work = _held(http, settings, doi)
    if work is None:
        if not is_of("arxiv", doi):
            raise _unknown(doi)
        return _titled(http, settings, _title_of(http, doi))
    return work, words(text(NAME, work, "display_name"))


def _held(http: Http, settings: Settings, doi: str) -> dict[str, Any] | None:
    """The work of exactly this bare DOI; None where OpenAlex holds none."""
    params = {"select": f"referenced_works,{FIELDS}", **_key(settings)}
    reply = ask(
        http,
        NAME,
        f"{WORKS}/doi:{quote(doi, safe='/:()')}",
        params,
        also=(404,),
        next_steps=_next(settings),
        refusal=_refusal,
    )
    if reply.status == 404:
        return None
    work = as_json(NAME, reply)
    if not isinstance(work, dict):
        raise changed(NAME, "it is no work")
    return work


def _titled(http: Http, settings: Settings, title: str) -> tuple[dict[str, Any], str]:
    wanted = " ".join(_SEPARATORS.sub(" ", _plain(title)).split())
    found, _ = _listed(
        http,
        settings,
        {
            "filter": f"title.search:{wanted}",
            "per_page": "1",
            "select": f"referenced_works,{FIELDS}",
        },
    )
    if not found:
        raise _unknown(title)
    return found[0], words(text(NAME, found[0], "display_name"))


def _title_of(http: Http, doi: str) -> str:
    """The title that the agency of a DOI has registered."""
    reply = ask(
        http,
        "doi.org",
        f"{DOI_ORG}/{quote(doi, safe='/:()')}",
        accept="application/vnd.citationstyles.csl+json",
        also=(404,),
    )
    if reply.status == 404:
        raise _unknown(doi)
    registered = as_json("doi.org", reply)
    title = text("doi.org", registered, "title") if isinstance(registered, dict) else ""
    if not title:
        raise changed("doi.org", "there is no title in it")
    return title


def _unknown(seed: str) -> SearchError:
    step = "Check the DOI or the title, or ask another provider."
    return SearchError(
        f"{NAME} holds no work {visible(seed)[:200]!r}.",
        kind="not_found",
        status=404,
        next_step=step,
    )


def _id(work: Mapping[str, Any]) -> str:
    found = text(NAME, work, "id").rpartition("/")[2]
    if not _ID.fullmatch(found):
        raise changed(NAME, "a work has no id")
    return found


def _referenced(work: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids of what a work cites, each once."""
    if not isinstance(work.get("referenced_works"), list):
        raise changed(NAME, "there are no references in it")
    ids = tuple(
        dict.fromkeys(each.rpartition("/")[2] for each in texts(NAME, work, "referenced_works"))
    )
    return some(NAME, ids, [each for each in ids if _ID.fullmatch(each)], "an id")


# ---------------------------------------------------------------- a work


def _paper(row: dict[str, Any]) -> Paper | None:
    doi, title = (
        bare(text(NAME, row, "doi")),
        words(text(NAME, row, "display_name") or text(NAME, row, "title")),
    )
    url = (
        link(doi)
        or address(NAME, row, "primary_location", "landing_page_url")
        or address(NAME, row, "id")
    )
    if not (title and url):
        return None
    return Paper(
        title=title,
        url=url,
        source="openalex",
        doi=doi,
        authors=tuple(
            name
            for each in rows(NAME, row, "authorships", optional=True)
            if (name := text(NAME, each, "author", "display_name"))
        ),
        journal=text(NAME, row, "primary_location", "source", "display_name"),
        year=whole(NAME, row, "publication_year"),
        abstract=_abstract(at(row, "abstract_inverted_index")),
        citation_count=whole(NAME, row, "cited_by_count"),
        open_access=truth(NAME, row, "open_access", "is_oa"),
        pdf_url=_pdf(row),
        retracted=truth(NAME, row, "is_retracted"),
    )


def _pdf(row: dict[str, Any]) -> str:
    found = pdf(
        address(NAME, row, "best_oa_location", "pdf_url")
        or address(NAME, row, "primary_location", "pdf_url")
    )
    free = address(NAME, row, "open_access", "oa_url")  # often a page
    return found or (free if free.lower().partition("?")[0].endswith(".pdf") else "")


def _abstract(index: Any) -> str:
    """The text of which OpenAlex gives each word with its places."""
    if index is None:
        return ""
    if not isinstance(index, dict) or not all(
        isinstance(places, list) for places in index.values()
    ):
        raise changed(NAME, "an abstract is no index of words")
    placed = [(place, word) for word, places in index.items() for place in places]
    if not all(isinstance(place, int) for place, _ in placed):
        raise changed(NAME, "a word of an abstract has no place")
    return words(" ".join(word for _, word in sorted(placed)[:MOST_WORDS]))
