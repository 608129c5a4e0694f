"""The providers Assay knows, as one ordered table: who can be asked for what, what each needs, and
which of them a machine has.

Each row's function asks and reads, nothing more: no retry, no journal, no environment. The local
library's row is made by `library.provider`, since it belongs to one library.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from research_core.errors import SettingsError, UsageError
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
from research_core.settings import ROWS, Settings


@dataclass(frozen=True)
class Kind:
    """What a kind of provider finds, as a person calls it; the query it takes; for how many seconds
    an answer may stand for another call.

    keep_empty: whether that holds for an answer without results too. stand_ins: whether another
    provider may be asked where one failed; a series of another office is another series.
    """

    finds: str
    query: type[Any]
    ttl_s: float
    keep_empty: bool = True
    stand_ins: bool = True


MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
KINDS: dict[str, Kind] = {
    "web": Kind("web pages", queries.WebQuery, 30 * MINUTE),
    "news": Kind("news", queries.NewsQuery, 15 * MINUTE),
    "images": Kind("images", queries.ImageQuery, 30 * MINUTE),
    "papers": Kind("scholarly works", queries.PaperQuery, HOUR),
    "citations": Kind("citations of works", queries.CitationQuery, DAY),
    "patents": Kind("patents", queries.PatentQuery, DAY, keep_empty=False),
    "filings": Kind("company filings", queries.FilingQuery, DAY, keep_empty=False),
    "cases": Kind("court opinions", queries.CaseQuery, DAY, keep_empty=False),
    "series": Kind(
        "economic series", queries.SeriesQuery, 6 * HOUR, keep_empty=False, stand_ins=False
    ),
    "trials": Kind("clinical trials", queries.TrialQuery, 6 * HOUR, keep_empty=False),
    "places": Kind("places", queries.PlaceQuery, 6 * HOUR, keep_empty=False),
    "answers": Kind("answers", queries.AnswerQuery, HOUR),
    "structured": Kind("structured results", queries.StructuredQuery, HOUR),
}

#: One row per service and kind; their order is the order of fallback. Grokipedia is written by a
#: model, and each search of the web by Exa is paid for: they are asked only where they are named.
PROVIDERS: tuple[Provider, ...] = (
    Provider("brave", "web", brave.search, brave.NEEDS, brave.WEB_HONOURS, beyond=brave.beyond),
    Provider("serper", "web", serper.search, serper.NEEDS, serper.WEB),
    Provider("searchapi", "web", searchapi.search, searchapi.NEEDS, searchapi.WEB),
    Provider(
        "tavily",
        "web",
        tavily.search,
        tavily.NEEDS,
        tavily.WEB,
        most_sites=tavily.MOST_SITES,
        beyond=tavily.beyond_days,
    ),
    Provider(
        "exa",
        "web",
        exa.search,
        exa.NEEDS,
        exa.WEB,
        most_sites=exa.MOST_SITES,
        beyond=exa.beyond,
        named_only=True,
    ),  # each call is paid for
    Provider("google", "web", google.search, google.NEEDS, google.WEB, beyond=google.beyond),
    Provider(
        "searxng", "web", searxng.search, searxng.NEEDS, searxng.WEB, beyond=searxng.beyond_locales
    ),
    *(
        Provider(
            f"ddgs:{engine}",
            "web",
            partial(ddgs.search, engine=engine),
            honours=names,
            beyond=partial(ddgs.beyond, engine=engine),
        )
        for engine, names in ddgs.HONOURS.items()
    ),
    Provider(
        "duckduckgo",
        "web",
        duckduckgo.search,
        honours=duckduckgo.WEB,
        service="ddgs:duckduckgo",  # it is the same page that ddgs asks: a refusal concerns both
        pace_s=1.0,
        named_only=True,
        beyond=duckduckgo_regions.beyond,
    ),
    Provider("hackernews", "web", hackernews.search, honours=hackernews.WEB, named_only=True),
    Provider("brave", "news", brave.news, brave.NEEDS, brave.NEWS_HONOURS, beyond=brave.beyond),
    Provider("serper", "news", serper.news, serper.NEEDS, serper.NEWS),
    Provider("searchapi", "news", searchapi.news, searchapi.NEEDS, searchapi.NEWS),
    Provider("tavily", "news", tavily.news, tavily.NEEDS, tavily.NEWS, beyond=tavily.beyond_days),
    Provider("exa", "news", exa.news, exa.NEEDS, exa.NEWS, beyond=exa.beyond),
    Provider("google", "news", google.news, google.NEEDS, google.NEWS, beyond=google.beyond),
    Provider(
        "searxng", "news", searxng.news, searxng.NEEDS, searxng.NEWS, beyond=searxng.beyond_locales
    ),
    Provider("hackernews", "news", hackernews.news, honours=hackernews.NEWS, named_only=True),
    Provider("brave", "images", brave.images, brave.NEEDS, brave.IMAGE_HONOURS),
    Provider("serper", "images", serper.images, serper.NEEDS, serper.IMAGES),
    Provider(
        "searchapi",
        "images",
        searchapi.images,
        searchapi.NEEDS,
        searchapi.IMAGES,
        beyond=searchapi.beyond_tbs,
    ),
    Provider("google", "images", google.images, google.NEEDS, google.IMAGES),
    Provider(
        "searxng",
        "images",
        searxng.images,
        searxng.NEEDS,
        searxng.IMAGES,
        beyond=searxng.beyond_locales,
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
    Provider("exa", "papers", exa.papers, exa.NEEDS, exa.PAPERS),
    Provider(
        "semanticscholar",
        "citations",
        semanticscholar.graph,
        honours=semanticscholar.CITED,
        pace_s=1.1,
    ),
    Provider("openalex", "citations", openalex.graph, honours=openalex.CITED),
    Provider(
        "brave",
        "places",
        brave_local.search,
        brave.NEEDS,
        brave_local.HONOURS,
        beyond=brave_local.beyond,
    ),
    Provider(
        "fred",
        "series",
        fred.search,
        fred.NEEDS,
        fred.HONOURS,
        beyond=series.beyond,
        serves=series.serves("fred"),
        pace_s=0.5,
    ),
    Provider(
        "worldbank",
        "series",
        worldbank.search,
        (),
        worldbank.HONOURS,
        beyond=series.beyond,
        serves=series.serves("worldbank"),
    ),
    Provider(
        "oecd",
        "series",
        oecd.search,
        (),
        oecd.HONOURS,
        beyond=series.beyond,
        serves=series.serves("oecd"),
        pace_s=1.0,
    ),
    Provider(
        "eurostat",
        "series",
        eurostat.search,
        (),
        eurostat.HONOURS,
        beyond=series.beyond,
        serves=series.serves("eurostat"),
    ),
    Provider(
        "searchapi",
        "patents",
        searchapi_patents.search,
        searchapi_patents.NEEDS,
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
        serves=uspto.serves,
    ),
    Provider("exa", "answers", exa.answer, exa.NEEDS),
    Provider("exa", "structured", exa.structured, exa.NEEDS, exa.STRUCTURED),
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
_FIELDS = {row.name: row.field for row in ROWS}
DDGS = "ddgs:"
#: What SEARCH_ROUTING calls a kind, where that is not its name.
ROUTED_AS = {"papers": "academic"}


@cache
def of_kind(kind: str) -> tuple[Provider, ...]:
    """The rows of this kind, in their order."""
    return tuple(row for row in PROVIDERS if row.kind == kind)


def ways(kind: str) -> tuple[str, ...]:
    """What to set for somebody of this kind to be there, each way by itself; "" where one needs
    nothing. Not who is asked by name alone.
    """
    return tuple(
        dict.fromkeys(" and ".join(row.needs) for row in of_kind(kind) if not row.named_only)
    )


def available(settings: Settings, kind: str = "web") -> tuple[Provider, ...]:
    """What this machine can ask, in the order it is asked: that of SEARCH_ROUTING where it says
    something of this kind, else the table's.

    What the owner configured goes before ddgs's engines, which need nothing: those of the settings,
    in their order. Raises SettingsError when the settings name one nobody knows, or one that lacks
    something.
    """
    if chosen := _routed(settings, kind):
        return named(chosen, settings, kind)
    known = {row.name: row for row in of_kind(kind)}
    asked = iter(_engines(settings) if kind == "web" else ())
    offered = [
        row
        for row in known.values()
        if not row.name.startswith(DDGS) and not row.named_only and not lacks(row, settings)
    ]
    return (*offered, *asked)


def _routed(settings: Settings, kind: str) -> tuple[str, ...]:
    """The names that SEARCH_ROUTING gives for this kind, () where it says nothing of it. Raises
    SettingsError for what nobody knows.
    """
    kinds = {ROUTED_AS.get(each, each): {row.name for row in of_kind(each)} for each in KINDS}
    kinds["default"] = {row.name for row in PROVIDERS}
    for place, chosen in settings.routing.items():
        if place not in kinds:
            raise SettingsError(
                f"SEARCH_ROUTING: there is no kind {place!r}.",
                next_step=f"Choose among: {', '.join(sorted(kinds))}.",
            )
        for name in map(_full, chosen):
            if name not in kinds[place]:
                known = ", ".join(sorted(kinds[place]))
                raise SettingsError(
                    f"SEARCH_ROUTING: there is no provider {name!r} for {place}.",
                    next_step=f"Choose among: {known}.",
                )
    able = {row.name for row in of_kind(kind)}
    wanted = settings.routing.get(ROUTED_AS.get(kind, kind)) or settings.routing.get("default", ())
    return tuple(name for name in map(_full, wanted) if name in able)


def _engines(settings: Settings) -> tuple[Provider, ...]:
    try:
        return rows(f"{DDGS}{engine}" for engine in settings.ddgs_engines)
    except UsageError as error:
        names = ", ".join(
            row.name.removeprefix(DDGS) for row in PROVIDERS if row.name.startswith(DDGS)
        )
        raise SettingsError(
            f"ASSAY_DDGS_ENGINES: {error.message}", next_step=f"Choose among: {names}."
        ) from error


def named(names: Iterable[str], settings: Settings, kind: str = "web") -> tuple[Provider, ...]:
    """The rows of these names, in the order asked for; "mojeek" is that of ddgs.

    Raises UsageError for an unknown name, SettingsError for a setting that lacks.
    """
    found = rows(map(_full, names), kind)
    for row in found:
        for need in lacks(row, settings):
            step = f"Set {need} in .env (see .env.example), or leave {row.name} out."
            raise SettingsError(f"The provider {row.name} needs {need}.", next_step=step)
    return found


def _full(name: str) -> str:
    """The name of a row that was called by the engine of ddgs alone."""
    known = {row.name for row in PROVIDERS}
    return f"{DDGS}{name}" if name not in known and f"{DDGS}{name}" in known else name


def rows(names: Iterable[str], kind: str = "web") -> tuple[Provider, ...]:
    """The rows of these names, in the order asked for, whatever they lack. Raises UsageError for an
    unknown name.
    """
    known = {row.name: row for row in of_kind(kind)}
    wanted = tuple(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"Unknown provider {name!r} for {KINDS[kind].finds}.",
                next_step=f"Choose among: {', '.join(known)}.",
            )
    return tuple(known[name] for name in wanted)


def lacks(row: Provider, settings: Settings) -> tuple[str, ...]:
    """The environment names that this row needs and that are not set."""
    return tuple(need for need in row.needs if not getattr(settings, _FIELDS[need]))
