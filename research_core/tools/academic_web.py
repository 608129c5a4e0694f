"""Who is asked for scholarly works: the indexes that hold them, or the engines of the web on
academic sites alone, as papers.

An index that is named is asked alone; so is an engine. With none named the web stands in where no
index can be asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from research_core.errors import SearchError, SettingsError, UsageError
from research_core.models import SearchResult
from research_core.search import providers, queries
from research_core.search.providers import works
from research_core.search.providers.reply import MAX_RESULTS
from research_core.search.queries import PaperQuery, WebQuery
from research_core.search.records import Paper
from research_core.text.words import strip_invisible
from research_core.tools.registry import Call
from research_core.tools.searching import Found, ask_providers
from research_core.urls import canonical_url, find_host, is_under_domain

#: Where the web is searched for works.
ACADEMIC_SITES = (
    "arxiv.org", "pubmed.ncbi.nlm.nih.gov", "scholar.google.com", "ieeexplore.ieee.org",
    "dl.acm.org", "nature.com", "sciencedirect.com",
    "link.springer.com", "researchgate.net", "plos.org", "frontiersin.org", "mdpi.com", "wiley.com",
    "jstor.org", "semanticscholar.org",
    "biorxiv.org", "medrxiv.org",
)  # fmt: skip
WEB = "web_search"


def find_papers(
    call: Call, wanted: PaperQuery, name: str | None, session: str | None
) -> tuple[Found, str]:
    """(what was found, as papers; the name of who answered, or `WEB`). name: the only provider to
    ask.

    Raises SearchError where all failed, UsageError for a name nobody knows, SettingsError where
    what it needs is not set.
    """
    if name is not None and (engine := _find_engine(name)):
        return _search_web(call, wanted, engine, session), WEB
    try:
        found = ask_providers(call, "papers", wanted, provider=name, session_id=session)
        return found, found.routed.provider
    except SearchError as error:
        if name is not None:
            raise
        try:
            found = _search_web(call, wanted, None, session)
        except (SearchError, SettingsError) as second:
            quotes = second.quotes if isinstance(second, SearchError) else ()
            raise _combine_errors(
                error, f"failed too: {second.message}", second.next_step, quotes
            ) from second
        if not found.rows:  # that it has nothing shows nothing of the indexes
            raise _combine_errors(error, "found nothing.") from error
        return found, WEB


def _find_engine(name: str) -> str | None:
    """The web's row of this name, with or without the service in front ("duckduckgo"); None where
    it is an index's. Raises UsageError.
    """
    indexes, engines = (
        [row.name for row in providers.rows_of_kind(kind)] for kind in ("papers", "web")
    )
    if name in indexes:
        return None
    known = next((each for each in (name, f"{providers.DDGS}{name}") if each in engines), None)
    if known is None:
        listed = f"{', '.join(indexes)}, or for a search of academic sites {', '.join(engines)}"
        raise UsageError(
            f"Unknown provider {name!r} for scholarly works.", next_step=f"Choose among: {listed}."
        )
    return known


def _search_web(call: Call, wanted: PaperQuery, engine: str | None, session: str | None) -> Found:
    """Pages of academic sites as papers, each once; those of other sites are left out. It goes by
    no filter but the source.
    """
    sites = (works.HOSTS[wanted.source],) if wanted.source else ACADEMIC_SITES
    found = ask_providers(
        call,
        "web",
        WebQuery(wanted.text, min(wanted.count, MAX_RESULTS), sites=sites),
        provider=engine,
        session_id=session,
    )
    papers: dict[str, Paper] = {}
    for row in found.rows:
        if paper := _parse_paper(row, found.routed.provider, sites):
            papers.setdefault(paper.url, paper)
    ignored = tuple(each for each in queries.set_params(wanted) if each != "source")
    told = (
        f"The web's engines list few pages at a time: {len(found.rows)} were looked through, and"
        f" {len(papers)} of them are papers."
    )
    notes = (
        *found.routed.notes,
        *([told] if len(found.rows) >= MAX_RESULTS and len(papers) < wanted.count else []),
    )
    return replace(
        found,
        query=wanted,
        routed=replace(found.routed, rows=tuple(papers.values()), ignored=ignored, notes=notes),
    )


def _parse_paper(row: SearchResult, engine: str, sites: Sequence[str]) -> Paper | None:
    """A page at one of these sites; None for any other."""
    try:
        url = canonical_url(row.url)
        name = find_host(url)
    except ValueError:
        return None
    if not any(is_under_domain(name, site) for site in sites):
        return None
    pdf = (
        url if url.lower().partition("?")[0].endswith(".pdf") or "://arxiv.org/pdf/" in url else ""
    )
    title, abstract = strip_invisible(row.title), strip_invisible(row.snippet)
    return Paper(
        title, url, row.engine or engine, doi=works.bare_doi(url), abstract=abstract, pdf_url=pdf
    )


def _combine_errors(
    first: SearchError, web: str, next_step: str = "", quotes: tuple[str, ...] = ()
) -> SearchError:
    """The error of the indexes, with what became of the web. quotes: what of that is not ours."""
    sentence, step = (
        f"{first.message} The web search of academic sites {web}",
        first.next_step or next_step,
    )
    made = SearchError(
        sentence,
        kind=first.kind,
        status=first.status,
        retry_after=first.retry_after,
        next_step=step,
    )
    made.provider, made.asked, made.quotes = first.provider, first.asked, (*first.quotes, *quotes)
    return made
