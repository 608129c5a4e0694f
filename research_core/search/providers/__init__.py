"""The table of providers: what each can be asked, what it needs, and which are available here.

A row's function only asks and reads: no retry, no journal, no environment. Every provider's module
has one shape: its names and limits; a function for each kind (`search`, `search_news` …), which
turns the query into a request and the reply into records; `_ask…`, which sends the request;
`_read_…`, one for each kind of record. What they share is in `reply`, and by subject in `works`,
`patents`, `series`, `counts`, `markup` and `publication_dates`. The local library's row is built by
`library.build_provider`, since it belongs to one library.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from research_core.errors import SettingsError, UnknownProvider, UsageError
from research_core.journal.deps import Provider
from research_core.search import queries
from research_core.search.providers import (
    arxiv,
    brave,
    brave_local,
    clinicaltrials,
    courtlistener,
    crossref_works,
    datacite,
    ddgs,
    duckduckgo,
    duckduckgo_regions,
    edgar,
    epo,
    eurostat,
    exa,
    fred,
    google,
    hackernews,
    lens,
    oecd,
    openalex,
    pubmed,
    searchapi,
    searchapi_patents,
    searxng,
    semanticscholar,
    series,
    serper,
    tavily,
    uspto,
    worldbank,
)
from research_core.settings import SETTING_ROWS, Settings


@dataclass(frozen=True)
class ProviderKind:
    """A kind of provider. finds: in plain words; query: the query class it takes.

    ttl_s: how long an answer may be reused for the same query; keep_empty: whether that includes
    empty answers; stand_ins: whether another provider may be asked if one failed (a series of
    another office is another series).
    """

    finds: str
    query: type[Any]
    ttl_s: float
    keep_empty: bool = True
    stand_ins: bool = True


MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
KINDS: dict[str, ProviderKind] = {
    "web": ProviderKind("web pages", queries.WebQuery, 30 * MINUTE),
    "news": ProviderKind("news", queries.NewsQuery, 15 * MINUTE),
    "images": ProviderKind("images", queries.ImageQuery, 30 * MINUTE),
    "papers": ProviderKind("scholarly works", queries.PaperQuery, HOUR),
    "citations": ProviderKind("citations of works", queries.CitationQuery, DAY),
    "patents": ProviderKind("patents", queries.PatentQuery, DAY, keep_empty=False),
    "filings": ProviderKind("company filings", queries.FilingQuery, DAY, keep_empty=False),
    "cases": ProviderKind("court opinions", queries.CaseQuery, DAY, keep_empty=False),
    "series": ProviderKind(
        "economic series", queries.SeriesQuery, 6 * HOUR, keep_empty=False, stand_ins=False
    ),
    "trials": ProviderKind("clinical trials", queries.TrialQuery, 6 * HOUR, keep_empty=False),
    "places": ProviderKind("places", queries.PlaceQuery, 6 * HOUR, keep_empty=False),
    "answers": ProviderKind("answers", queries.AnswerQuery, HOUR),
    "structured": ProviderKind("structured results", queries.StructuredQuery, HOUR),
}

#: One row per service and kind, in order of fallback. Grokipedia (model-written) and Exa's web
#: search (paid per call) are asked only by name. pace_s: a little more than the limit that
#: `service_info` states for the service.
PROVIDERS: tuple[Provider, ...] = (
    Provider(
        "brave",
        "web",
        brave.search,
        brave.NEEDS,
        brave.WEB_HONOURS,
        beyond=queries.list_hour_as_unsupported,
    ),
    Provider("serper", "web", serper.search, serper.NEEDS, serper.WEB_HONOURS),
    Provider("searchapi", "web", searchapi.search, searchapi.NEEDS, searchapi.WEB_HONOURS),
    Provider(
        "tavily",
        "web",
        tavily.search,
        tavily.NEEDS,
        tavily.WEB_HONOURS,
        most_sites=tavily.MAX_SITES,
        beyond=queries.list_hour_as_unsupported,
    ),
    Provider(
        "exa",
        "web",
        exa.search,
        exa.NEEDS,
        exa.WEB_HONOURS,
        most_sites=exa.MAX_SITES,
        beyond=queries.list_hour_as_unsupported,
        named_only=True,  # each call is paid for
    ),
    Provider(
        "google",
        "web",
        google.search,
        google.NEEDS,
        google.WEB_HONOURS,
        beyond=queries.list_hour_as_unsupported,
    ),
    Provider(
        "searxng",
        "web",
        searxng.search,
        searxng.NEEDS,
        searxng.WEB_HONOURS,
        beyond=searxng.list_unsupported_params,
    ),
    *(
        Provider(
            f"ddgs:{engine}",
            "web",
            partial(ddgs.search, engine=engine),
            honours=names,
            beyond=partial(ddgs.list_unsupported_params, engine=engine),
        )
        for engine, names in ddgs.HONOURS.items()
    ),
    Provider(
        "duckduckgo",
        "web",
        duckduckgo.search,
        honours=duckduckgo.WEB_HONOURS,
        service="ddgs:duckduckgo",  # it is the same page that ddgs asks: a refusal concerns both
        pace_s=1.0,
        named_only=True,
        beyond=duckduckgo_regions.list_unsupported_params,
    ),
    Provider(
        "hackernews", "web", hackernews.search, honours=hackernews.WEB_HONOURS, named_only=True
    ),
    Provider(
        "brave",
        "news",
        brave.search_news,
        brave.NEEDS,
        brave.NEWS_HONOURS,
        beyond=queries.list_hour_as_unsupported,
    ),
    Provider("serper", "news", serper.search_news, serper.NEEDS, serper.NEWS_HONOURS),
    Provider("searchapi", "news", searchapi.search_news, searchapi.NEEDS, searchapi.NEWS_HONOURS),
    Provider(
        "tavily",
        "news",
        tavily.search_news,
        tavily.NEEDS,
        tavily.NEWS_HONOURS,
        beyond=queries.list_hour_as_unsupported,
    ),
    Provider(
        "exa",
        "news",
        exa.search_news,
        exa.NEEDS,
        exa.NEWS_HONOURS,
        beyond=queries.list_hour_as_unsupported,
    ),
    Provider(
        "google",
        "news",
        google.search_news,
        google.NEEDS,
        google.NEWS_HONOURS,
        beyond=queries.list_hour_as_unsupported,
    ),
    Provider(
        "searxng",
        "news",
        searxng.search_news,
        searxng.NEEDS,
        searxng.NEWS_HONOURS,
        beyond=searxng.list_unsupported_params,
    ),
    Provider(
        "hackernews",
        "news",
        hackernews.search_news,
        honours=hackernews.NEWS_HONOURS,
        named_only=True,
    ),
    Provider("brave", "images", brave.search_images, brave.NEEDS, brave.IMAGE_HONOURS),
    Provider("serper", "images", serper.search_images, serper.NEEDS, serper.IMAGE_HONOURS),
    Provider(
        "searchapi",
        "images",
        searchapi.search_images,
        searchapi.NEEDS,
        searchapi.IMAGE_HONOURS,
        beyond=searchapi.list_unsupported_image_filters,
    ),
    Provider("google", "images", google.search_images, google.NEEDS, google.IMAGE_HONOURS),
    Provider(
        "searxng",
        "images",
        searxng.search_images,
        searxng.NEEDS,
        searxng.IMAGE_HONOURS,
        beyond=searxng.list_unsupported_params,
    ),
    Provider("openalex", "papers", openalex.search, honours=openalex.HONOURS),
    Provider(
        "semanticscholar",
        "papers",
        semanticscholar.search,
        honours=semanticscholar.HONOURS,
        pace_s=1.1,
    ),
    Provider(
        "crossref",
        "papers",
        crossref_works.search,
        honours=crossref_works.HONOURS,
        pace_s=crossref_works.PACE_S,
    ),
    Provider("pubmed", "papers", pubmed.search, honours=pubmed.HONOURS, pace_s=0.35),
    Provider("arxiv", "papers", arxiv.search, honours=arxiv.HONOURS, pace_s=3.0),
    Provider(
        "datacite", "papers", datacite.search, honours=datacite.HONOURS, pace_s=datacite.PACE_S
    ),
    Provider("exa", "papers", exa.search_papers, exa.NEEDS, exa.PAPER_HONOURS),
    Provider(
        "semanticscholar",
        "citations",
        semanticscholar.fetch_graph,
        honours=semanticscholar.CITATION_HONOURS,
        pace_s=1.1,
    ),
    Provider("openalex", "citations", openalex.fetch_graph, honours=openalex.CITATION_HONOURS),
    Provider(
        "brave",
        "places",
        brave_local.search,
        brave.NEEDS,
        brave_local.HONOURS,
        beyond=brave_local.list_unsupported_params,
    ),
    Provider(
        "fred",
        "series",
        fred.search,
        fred.NEEDS,
        fred.HONOURS,
        beyond=series.list_unsupported_params,
        serves=series.serves_id("fred"),
        pace_s=0.5,
    ),
    Provider(
        "worldbank",
        "series",
        worldbank.search,
        (),
        worldbank.HONOURS,
        beyond=series.list_unsupported_params,
        serves=series.serves_id("worldbank"),
    ),
    Provider(
        "oecd",
        "series",
        oecd.search,
        (),
        oecd.HONOURS,
        beyond=series.list_unsupported_params,
        serves=series.serves_id("oecd"),
        pace_s=1.0,
    ),
    Provider(
        "eurostat",
        "series",
        eurostat.search,
        (),
        eurostat.HONOURS,
        beyond=series.list_unsupported_params,
        serves=series.serves_id("eurostat"),
    ),
    Provider(
        "searchapi",
        "patents",
        searchapi_patents.search,
        searchapi.NEEDS,
        searchapi_patents.HONOURS,
        service="searchapi",
    ),
    Provider("epo", "patents", epo.search, epo.NEEDS, epo.HONOURS, pace_s=epo.PACE_S),
    Provider("lens", "patents", lens.search, lens.NEEDS, lens.HONOURS, pace_s=lens.PACE_S),
    Provider(
        "uspto",
        "patents",
        uspto.search,
        uspto.NEEDS,
        uspto.HONOURS,
        pace_s=uspto.PACE_S,
        serves=uspto.serves_office,
    ),
    Provider("exa", "answers", exa.fetch_answer, exa.NEEDS),
    Provider("exa", "structured", exa.fetch_structured, exa.NEEDS, exa.STRUCTURED_HONOURS),
    Provider(
        "edgar",
        "filings",
        edgar.search,
        needs=("EDGAR_CONTACT_EMAIL",),
        honours=edgar.HONOURS,
        pace_s=0.11,
    ),
    Provider("courtlistener", "cases", courtlistener.search, honours=courtlistener.HONOURS),
    Provider(
        "clinicaltrials",
        "trials",
        clinicaltrials.search,
        honours=clinicaltrials.HONOURS,
        pace_s=1.2,
    ),
)
_FIELDS = {row.name: row.field for row in SETTING_ROWS}
DDGS = "ddgs:"
#: Kinds that have another name in SEARCH_ROUTING.
ROUTED_AS = {"papers": "academic"}


@cache
def list_rows_of_kind(kind: str) -> tuple[Provider, ...]:
    """Return the rows of this kind, in order."""
    return tuple(row for row in PROVIDERS if row.kind == kind)


def list_ways_to_configure(kind: str) -> tuple[str, ...]:
    """List the alternative settings that enable a provider of this kind.

    "" stands for a provider that needs none. Providers asked only by name are left out.
    """
    asked_unnamed = [row for row in list_rows_of_kind(kind) if not row.named_only]
    return tuple(dict.fromkeys(" and ".join(row.needs) for row in asked_unnamed))


def list_available_rows(settings: Settings, kind: str = "web") -> tuple[Provider, ...]:
    """Return the providers this machine can ask, in order.

    The order is that of SEARCH_ROUTING if it names this kind, else the table's. Providers the owner
    configured come before ddgs's engines, which need no key and keep the order of the settings.
    Raises SettingsError if the settings name an unknown provider, or one that lacks a setting.
    """
    chosen = _routed_names(settings, kind)
    if chosen:
        return select_configured_rows(chosen, settings, kind)
    ddgs_rows = _list_ddgs_rows(settings) if kind == "web" else ()
    offered: list[Provider] = []
    for row in list_rows_of_kind(kind):
        if row.named_only or row.name.startswith(DDGS) or list_missing_settings(row, settings):
            continue
        offered.append(row)
    return (*offered, *ddgs_rows)


def _routed_names(settings: Settings, kind: str) -> tuple[str, ...]:
    """Return the names SEARCH_ROUTING gives for this kind; () if none.

    Raises SettingsError for an unknown kind or provider.
    """
    kinds = {"default": {row.name for row in PROVIDERS}}
    for each in KINDS:
        kinds[ROUTED_AS.get(each, each)] = {row.name for row in list_rows_of_kind(each)}
    for place, chosen in settings.routing.items():
        if place not in kinds:
            raise SettingsError(
                f"SEARCH_ROUTING: there is no kind {place!r}.",
                next_step=f"Choose among: {', '.join(sorted(kinds))}.",
            )
        for name in map(_expand_row_name, chosen):
            if name not in kinds[place]:
                known = ", ".join(sorted(kinds[place]))
                raise SettingsError(
                    f"SEARCH_ROUTING: there is no provider {name!r} for {place}.",
                    next_step=f"Choose among: {known}.",
                )
    able = {row.name for row in list_rows_of_kind(kind)}
    wanted = settings.routing.get(ROUTED_AS.get(kind, kind)) or settings.routing.get("default", ())
    return tuple(name for name in map(_expand_row_name, wanted) if name in able)


def _list_ddgs_rows(settings: Settings) -> tuple[Provider, ...]:
    try:
        return select_rows(f"{DDGS}{engine}" for engine in settings.ddgs_engines)
    except UsageError as error:
        names = ", ".join(
            row.name.removeprefix(DDGS) for row in PROVIDERS if row.name.startswith(DDGS)
        )
        raise SettingsError(
            f"ASSAY_DDGS_ENGINES: {error.message}", next_step=f"Choose among: {names}."
        ) from error


def select_configured_rows(
    names: Iterable[str], settings: Settings, kind: str = "web"
) -> tuple[Provider, ...]:
    """Return the rows of these names, in that order; "mojeek" means that of ddgs.

    Raises UsageError for an unknown name, SettingsError for a missing setting.
    """
    found = select_rows(map(_expand_row_name, names), kind)
    for row in found:
        for need in list_missing_settings(row, settings):
            step = f"Set {need} in .env (see .env.example), or leave {row.name} out."
            raise SettingsError(f"The provider {row.name} needs {need}.", next_step=step)
    return found


def require_known(name: str, kind: str) -> None:
    """Raise UnknownProvider if no provider of this kind has the name."""
    select_rows([_expand_row_name(name)], kind)


def _expand_row_name(name: str) -> str:
    """Complete the name of a ddgs engine to the name of its row."""
    known = {row.name for row in PROVIDERS}
    return f"{DDGS}{name}" if name not in known and f"{DDGS}{name}" in known else name


def select_rows(names: Iterable[str], kind: str = "web") -> tuple[Provider, ...]:
    """Return the rows of these names, in that order, configured or not.

    Raises UsageError for an unknown name.
    """
    known = {row.name: row for row in list_rows_of_kind(kind)}
    wanted = tuple(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            raise UnknownProvider(
                f"Unknown provider {name!r} for {KINDS[kind].finds}.",
                known=tuple(known),
                next_step=f"Choose among: {', '.join(known)}.",
            )
    return tuple(known[name] for name in wanted)


def list_configured_names(kind: str, settings: Settings) -> list[str]:
    """Return the names of the providers of a kind that can be asked here, in order."""
    names: list[str] = []
    for row in list_rows_of_kind(kind):
        if not list_missing_settings(row, settings):
            names.append(row.name)
    return names


def find_service(kind: str, name: str) -> str:
    """Return the service that a provider of this kind asks; the name itself for an unknown one."""
    for row in list_rows_of_kind(kind):
        if row.name == name:
            return row.service or row.name
    return name


def list_missing_settings(row: Provider, settings: Settings) -> tuple[str, ...]:
    """Return the environment variables this row needs that are not set."""
    return tuple(need for need in row.needs if not getattr(settings, _FIELDS[need]))
