"""The providers Assay knows, as one ordered table: who can be asked for what, what each needs, and which of them a machine has.

Each row's function asks and reads, nothing more: no retry, no journal, no environment. The local library's row is made by
`library.provider`, since it belongs to one library.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from research_core import queries
from research_core.deps import Provider
from research_core.errors import SettingsError, UsageError
from research_core.providers import (
    arxiv,
    brave,
    brave_local,
    clinicaltrials,
    crossref_works,
    datacite,
    ddgs,
    eurostat,
    fred,
    google,
    oecd,
    openalex,
    pubmed,
    searxng,
    semanticscholar,
    series,
    worldbank,
)
from research_core.settings import ROWS, Settings


@dataclass(frozen=True)
class Kind:
    """What a kind of provider finds, as a person calls it; the query it takes; for how many seconds an answer may stand for another call.

    keep_empty: whether that holds for an answer without results too.
    """

    finds: str
    query: type[Any]
    ttl_s: float
    keep_empty: bool = True


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
    "series": Kind("economic series", queries.SeriesQuery, 6 * HOUR, keep_empty=False),
    "trials": Kind("clinical trials", queries.TrialQuery, 6 * HOUR, keep_empty=False),
    "places": Kind("places", queries.PlaceQuery, 6 * HOUR, keep_empty=False),
    "answers": Kind("answers", queries.AnswerQuery, HOUR),
    "structured": Kind("structured results", queries.StructuredQuery, HOUR),
}

#: One row per service and kind; their order is the order of fallback. Grokipedia is written by a model: it is asked only where it is named.
PROVIDERS: tuple[Provider, ...] = (
    Provider("brave", "web", brave.search, brave.NEEDS, brave.WEB_HONOURS, beyond=brave.beyond),
    Provider("google", "web", google.search, google.NEEDS, google.WEB, beyond=google.beyond),
    Provider("ddgs:duckduckgo", "web", partial(ddgs.search, engine="duckduckgo")),
    Provider("ddgs:brave", "web", partial(ddgs.search, engine="brave")),
    Provider("ddgs:mojeek", "web", partial(ddgs.search, engine="mojeek")),
    Provider("ddgs:wikipedia", "web", partial(ddgs.search, engine="wikipedia")),
    Provider("ddgs:startpage", "web", partial(ddgs.search, engine="startpage")),
    Provider("ddgs:yahoo", "web", partial(ddgs.search, engine="yahoo")),
    Provider("ddgs:grokipedia", "web", partial(ddgs.search, engine="grokipedia")),
    Provider("searxng", "web", searxng.search, needs=("SEARXNG_URL",)),
    Provider("brave", "news", brave.news, brave.NEEDS, brave.NEWS_HONOURS, beyond=brave.beyond),
    Provider("google", "news", google.news, google.NEEDS, google.NEWS, beyond=google.beyond),
    Provider("brave", "images", brave.images, brave.NEEDS, brave.IMAGE_HONOURS),
    Provider("google", "images", google.images, google.NEEDS, google.IMAGES),
    Provider("openalex", "papers", openalex.search, honours=openalex.HONOURS),
    Provider("semanticscholar", "papers", semanticscholar.search, honours=semanticscholar.HONOURS, pace_s=1.1),
    Provider("crossref", "papers", crossref_works.search, honours=crossref_works.HONOURS, pace_s=crossref_works.PACE_S),
    Provider("pubmed", "papers", pubmed.search, honours=pubmed.HONOURS, pace_s=0.35),
    Provider("arxiv", "papers", arxiv.search, honours=arxiv.HONOURS, pace_s=3.0),
    Provider("datacite", "papers", datacite.search, honours=datacite.HONOURS, pace_s=datacite.PACE_S),
    Provider("semanticscholar", "citations", semanticscholar.graph, honours=semanticscholar.CITED, pace_s=1.1),
    Provider("openalex", "citations", openalex.graph, honours=openalex.CITED),
    Provider("brave", "places", brave_local.search, brave.NEEDS, brave_local.HONOURS, beyond=brave_local.beyond),
    Provider("fred", "series", fred.search, needs=("FRED_API_KEY",), honours=fred.HONOURS, beyond=series.beyond, pace_s=0.5),
    Provider("worldbank", "series", worldbank.search, honours=worldbank.HONOURS, beyond=series.beyond),
    Provider("oecd", "series", oecd.search, honours=oecd.HONOURS, beyond=series.beyond, pace_s=1.0),
    Provider("eurostat", "series", eurostat.search, honours=eurostat.HONOURS, beyond=series.beyond),
    Provider("clinicaltrials", "trials", clinicaltrials.search, honours=clinicaltrials.HONOURS, pace_s=1.2),
)
_FIELDS = {row.name: row.field for row in ROWS}
DDGS = "ddgs:"


def of_kind(kind: str) -> tuple[Provider, ...]:
    """The rows of this kind, in their order."""
    return tuple(row for row in PROVIDERS if row.kind == kind)


def available(settings: Settings, kind: str = "web") -> tuple[Provider, ...]:
    """What this machine can ask, in the order it is asked: that of SEARCH_ROUTING where it says something of this kind, else the table's.

    ddgs's engines are those of the settings, in their order. Raises SettingsError when the settings name one nobody knows, or one that
    lacks something.
    """
    if chosen := settings.routing.get(kind):
        return named(chosen, settings, kind)
    known = {row.name: row for row in of_kind(kind)}
    if chosen := settings.routing.get("default"):
        return tuple(known[name] for name in map(_full, chosen) if name in known and not lacks(known[name], settings))
    asked = iter(_engines(settings) if kind == "web" else ())
    offered = [row for row in known.values() if not row.name.startswith(DDGS) and not row.named_only and not lacks(row, settings)]
    first = [row for row in offered if row.name != "searxng"]
    return (*first, *asked, *(row for row in offered if row.name == "searxng"))


def _engines(settings: Settings) -> tuple[Provider, ...]:
    try:
        return rows(f"{DDGS}{engine}" for engine in settings.ddgs_engines)
    except UsageError as error:
        names = ", ".join(row.name.removeprefix(DDGS) for row in PROVIDERS if row.name.startswith(DDGS))
        raise SettingsError(f"ASSAY_DDGS_ENGINES: {error.message}", next_step=f"Choose among: {names}.") from error


def named(names: Iterable[str], settings: Settings, kind: str = "web") -> tuple[Provider, ...]:
    """The rows of these names, in the order asked for; "duckduckgo" is ddgs's.

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
    """The rows of these names, in the order asked for, whatever they lack. Raises UsageError for an unknown name."""
    known = {row.name: row for row in of_kind(kind)}
    wanted = tuple(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            raise UsageError(f"Unknown provider {name!r} for {KINDS[kind].finds}.", next_step=f"Choose among: {', '.join(known)}.")
    return tuple(known[name] for name in wanted)


def lacks(row: Provider, settings: Settings) -> tuple[str, ...]:
    """The environment names that this row needs and that are not set."""
    return tuple(need for need in row.needs if not getattr(settings, _FIELDS[need]))
