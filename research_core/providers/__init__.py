"""The web search engines Assay knows, as one ordered table, and which of them a machine or a run has.

Each row's function asks and reads, nothing more: no retry, no journal, no environment. The local library's row is made by
`library.provider`, since it belongs to one library.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from research_core.deps import Provider
from research_core.errors import SettingsError, UsageError
from research_core.providers import ddgs, searxng
from research_core.settings import ROWS, Settings

#: One row per engine. Grokipedia is written by a model: it is asked only where somebody names it.
PROVIDERS: tuple[Provider, ...] = (
    Provider("ddgs:duckduckgo", "web", partial(ddgs.search, engine="duckduckgo")),
    Provider("ddgs:brave", "web", partial(ddgs.search, engine="brave")),
    Provider("ddgs:mojeek", "web", partial(ddgs.search, engine="mojeek")),
    Provider("ddgs:wikipedia", "web", partial(ddgs.search, engine="wikipedia")),
    Provider("ddgs:startpage", "web", partial(ddgs.search, engine="startpage")),
    Provider("ddgs:yahoo", "web", partial(ddgs.search, engine="yahoo")),
    Provider("ddgs:grokipedia", "web", partial(ddgs.search, engine="grokipedia")),
    Provider("searxng", "web", searxng.search, needs=("SEARXNG_URL",)),
)
_FIELDS = {row.name: row.field for row in ROWS}


def available(settings: Settings) -> tuple[Provider, ...]:
    """What this machine searches the web with: ddgs's engines in the order of the settings, then every other row that has what it needs.

    Raises SettingsError when the settings name an engine nobody knows.
    """
    try:
        chosen = rows(f"ddgs:{engine}" for engine in settings.ddgs_engines)
    except UsageError as error:
        names = ", ".join(row.name.removeprefix("ddgs:") for row in PROVIDERS if row.name.startswith("ddgs:"))
        raise SettingsError(f"ASSAY_DDGS_ENGINES: {error.message}", next_step=f"Choose among: {names}.") from error
    others = (row for row in PROVIDERS if not row.name.startswith("ddgs:"))
    return (*chosen, *(row for row in others if not _missing(row, settings)))


def named(names: Iterable[str], settings: Settings) -> tuple[Provider, ...]:
    """The rows of these names, in the order asked for. Raises UsageError for an unknown name, SettingsError for a setting that lacks."""
    found = rows(names)
    for row in found:
        for need in _missing(row, settings):
            raise SettingsError(f"The search engine {row.name} needs {need}.", next_step=f"Set {need} in .env, or leave {row.name} out.")
    return found


def rows(names: Iterable[str]) -> tuple[Provider, ...]:
    """The rows of these names, in the order asked for, whatever they lack. Raises UsageError for an unknown name."""
    known = {row.name: row for row in PROVIDERS}
    wanted = tuple(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            raise UsageError(f"Unknown search engine {name!r}.", next_step=f"Choose among: {', '.join(known)}.")
    return tuple(known[name] for name in wanted)


def _missing(row: Provider, settings: Settings) -> tuple[str, ...]:
    return tuple(need for need in row.needs if not getattr(settings, _FIELDS[need]))
