"""Find scholarly works: ask the indexes, or web engines restricted to academic sites.

A named index or engine is asked alone. With no name given, the web stands in if all indexes fail.
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

#: The sites searched for works.
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
    """Return the papers found and the name of who answered (`WEB` for a web engine).

    name: the only provider to ask. Raises SearchError if all failed, UsageError for an unknown
    name, and SettingsError if a required setting is missing.
    """
    engine = None if name is None else _find_engine(name)
    if engine:
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
        # An empty web search says nothing about what the indexes hold.
        if not found.rows:
            raise _combine_errors(error, "found nothing.") from error
        return found, WEB


def _find_engine(name: str) -> str | None:
    """Return the web engine of this name, or None if it names an index. Raises UsageError.

    The prefix of the service is optional ("duckduckgo").
    """
    indexes = [row.name for row in providers.rows_of_kind("papers")]
    engines = [row.name for row in providers.rows_of_kind("web")]
    if name in indexes:
        return None
    for engine in (name, f"{providers.DDGS}{name}"):
        if engine in engines:
            return engine
    choices = f"{', '.join(indexes)}, or for a search of academic sites {', '.join(engines)}"
    raise UsageError(
        f"Unknown provider {name!r} for scholarly works.", next_step=f"Choose among: {choices}."
    )


def _search_web(call: Call, wanted: PaperQuery, engine: str | None, session: str | None) -> Found:
    """Search academic sites and return their pages as papers, each once.

    Pages of other sites are dropped. Of the filters, only the source is applied.
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
        paper = _parse_paper(row, found.routed.provider, sites)
        if paper is not None:
            papers.setdefault(paper.url, paper)
    ignored = tuple(name for name in queries.set_params(wanted) if name != "source")
    notes = list(found.routed.notes)
    if len(found.rows) >= MAX_RESULTS and len(papers) < wanted.count:
        notes.append(
            f"The web's engines list few pages at a time: {len(found.rows)} were looked through,"
            f" and {len(papers)} of them are papers."
        )
    routed = replace(found.routed, rows=tuple(papers.values()), ignored=ignored, notes=tuple(notes))
    return replace(found, query=wanted, routed=routed)


def _parse_paper(row: SearchResult, engine: str, sites: Sequence[str]) -> Paper | None:
    """Return a search result as a paper, or None if it is not on one of the sites."""
    try:
        url = canonical_url(row.url)
        name = find_host(url)
    except ValueError:
        return None
    if not any(is_under_domain(name, site) for site in sites):
        return None
    path = url.lower().partition("?")[0]
    is_pdf = path.endswith(".pdf") or "://arxiv.org/pdf/" in url
    return Paper(
        strip_invisible(row.title),
        url,
        row.engine or engine,
        doi=works.bare_doi(url),
        abstract=strip_invisible(row.snippet),
        pdf_url=url if is_pdf else "",
    )


def _combine_errors(
    first: SearchError, web: str, next_step: str = "", quotes: tuple[str, ...] = ()
) -> SearchError:
    """Return the error of the indexes, extended by what the web search did.

    quotes: the parts of the web's message that are not Assay's own words.
    """
    combined = SearchError(
        f"{first.message} The web search of academic sites {web}",
        kind=first.kind,
        status=first.status,
        retry_after=first.retry_after,
        next_step=first.next_step or next_step,
    )
    combined.provider = first.provider
    combined.asked = first.asked
    combined.quotes = (*first.quotes, *quotes)
    return combined
