"""Decide whom to ask for patents: routed providers, the other providers, then the web.

The web's engines search Google Patents only. The next one is asked if one fails or finds nothing of
the wanted office. A named provider is asked alone, and not at all if it cannot have that office.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from research_core.errors import ResearchError, SearchError, SettingsError, UsageError
from research_core.journal.deps import Deps
from research_core.models import SearchResult
from research_core.search import providers, queries
from research_core.search.providers.markup import markup_words
from research_core.search.providers.patents import bare_company, parse_number, patent_url
from research_core.search.queries import PatentQuery, WebQuery
from research_core.search.records import Patent
from research_core.search.routing import RouteResult, find_others_able, list_candidates
from research_core.tools.registry import Call
from research_core.tools.searching import Found, ask_providers, check_session
from research_core.tools.session import bind
from research_core.urls import find_host

#: The beginning of the note that only the web was searched.
NO_OFFICE_ASKED = "No patent office or index was asked"
WEB, SITE = "web_discovery", "patents.google.com"
#: Pages requested from the web. More than needed, because some are of other sites or offices.
WEB_PAGES = 10
#: `searching.ask_providers` bound to one call of the tool.
AskProviders = Callable[..., Found]
#: Filters that a web search applies: names by words, the office by the patents' numbers.
WEB_FILTERS = frozenset({"patent_office", "assignee", "inventor"})
_TITLE_AFFIX = re.compile(
    r"^[A-Z]{2}[A-Z]{0,2}\d{5,}[A-Z]?\d?\s*[-–—:]\s*|\s*[-–—|]\s*Google Patents\s*$"
)


def find_patents(
    call: Call, wanted: PatentQuery, name: str | None, session: str | None
) -> tuple[Found, str]:
    """Return what was found and the name of who answered (`WEB` for a web engine).

    name: the only one to ask, a provider of patents or a web engine. Raises SearchError if all
    failed, UsageError for an unknown name, and SettingsError if nothing is configured to ask.
    """
    check_session(call, session)
    bound = bind(call, wanted.text)
    deps = bound[1]
    ask = partial(ask_providers, call, bound=bound)
    if name is None:
        return _ask_offices(ask, wanted, deps)
    engine = _find_engine(name)
    if engine:
        return _search_web(ask, wanted, engine), WEB
    (row,) = list_candidates("patents", deps, name)
    if row.serves(wanted):
        return _keep_wanted_office(ask("patents", wanted, provider=name)), row.name
    others = find_others_able("patents", wanted, deps, {row.name})
    return Found(wanted, RouteResult((), row.name, (), others=others), *bound), row.name


def _find_engine(name: str) -> str | None:
    """Return the web engine of this name, or None for a provider of patents. Raises UsageError.

    The prefix of the service is optional ("duckduckgo").
    """
    holders = [row.name for row in providers.rows_of_kind("patents")]
    engines = [row.name for row in providers.rows_of_kind("web")]
    if name in holders:
        return None
    for engine in (name, f"{providers.DDGS}{name}"):
        if engine in engines:
            return engine
    others = ", ".join(engine for engine in engines if engine not in holders)
    choices = f"{', '.join(holders)}, or for a search of Google Patents on the web {others}"
    raise UsageError(
        f"Unknown provider {name!r} for patents.", next_step=f"Choose among: {choices}."
    )


def _ask_offices(ask: AskProviders, wanted: PatentQuery, deps: Deps) -> tuple[Found, str]:
    """Ask all providers in order, then the web, until one finds something."""
    routed, rest = _list_providers(wanted, deps)
    failed: list[SearchError] = []
    asked: set[str] = set()
    empty: Found | None = None
    # None leaves the choice among the routed providers to the router.
    names: list[str | None] = [None] if routed else []
    for name in [*names, *routed, *rest]:
        if name in asked:
            continue
        try:
            found = _keep_wanted_office(ask("patents", wanted, provider=name))
        except SearchError as error:
            failed.append(error)
            asked |= {name} if name else set(routed)
            continue
        if found.rows:
            return found, found.routed.provider
        asked |= {attempt.provider for attempt in found.routed.attempts}
        empty = empty or found
    try:
        found = _search_web(ask, wanted, None)
    except (SearchError, SettingsError) as error:
        # The session has a record of the failed web search.
        if empty is None:
            raise _combine_errors(failed, error, deps) from error
        found = empty
    else:
        if not routed and not rest:
            found = _note_no_office(found, wanted)
    if found.rows or empty is None:
        return found, WEB
    others = tuple(name for name in empty.routed.others if name not in asked)
    return replace(empty, routed=replace(empty.routed, others=others)), empty.routed.provider


def _note_no_office(found: Found, wanted: PatentQuery) -> Found:
    """Add the note that no office was asked, and which settings would change that."""
    needs = []
    for row in providers.rows_of_kind("patents"):
        if row.serves(wanted):
            needs.append(" and ".join(row.needs))
    note = (
        f"{NO_OFFICE_ASKED}, only the web's engines on {SITE}, which list few patents. Set"
        f" {' or '.join(needs)} to ask one."
    )
    return replace(found, routed=replace(found.routed, notes=(note, *found.routed.notes)))


def _list_providers(wanted: PatentQuery, deps: Deps) -> tuple[list[str], list[str]]:
    """Return the routed and the other configured providers that may have what is wanted.

    The list is recorded, because a replay may have other keys. Raises SettingsError.
    """

    def list_configured() -> list[list[str]]:
        routed = providers.available_rows(deps.settings, "patents")
        rest: list[str] = []
        for row in providers.rows_of_kind("patents"):
            if row not in routed and not providers.missing_settings(row, deps.settings):
                rest.append(row.name)
        return [[row.name for row in routed], rest]

    def list_able(names: list[str]) -> list[str]:
        rows = providers.rows_by_name(names, "patents")
        return [row.name for row in rows if row.serves(wanted)]

    routed, rest = deps.http.record_fact({"asked": "who has patents"}, list_configured)
    return list_able(routed), list_able(rest)


def _combine_errors(
    failed: list[SearchError], web: SearchError | SettingsError, deps: Deps
) -> ResearchError:
    """Return one error for all providers of patents and the web."""
    if not failed:
        return web if isinstance(web, SearchError) else _no_provider_error(deps, web)
    first = failed[0]
    sentences = [error.message for error in failed]
    sentences.append(f"The search of Google Patents on the web failed too: {web.message}")
    combined = SearchError(
        " ".join(sentences),
        kind=first.kind,
        status=first.status,
        retry_after=first.retry_after,
        next_step=first.next_step or web.next_step,
    )
    combined.provider = first.provider
    combined.asked = tuple(error.provider for error in failed)
    quotes: list[str] = []
    for error in (*failed, web):
        if isinstance(error, SearchError):
            quotes += error.quotes
    combined.quotes = tuple(quotes)
    return combined


def _no_provider_error(deps: Deps, web: SettingsError) -> SettingsError:
    """Return the error that names the settings of patent providers, else the web's error."""
    try:
        list_candidates("patents", deps, None)
    except SettingsError as error:
        return error
    return web


def _keep_wanted_office(found: Found) -> Found:
    """Keep only patents of the wanted office, judged by their numbers, and note how many are not.

    Every provider therefore applies the filter patent_office.
    """
    office = found.query.patent_office
    rows = tuple(row for row in found.rows if row.number.startswith(office))
    ignored = tuple(name for name in found.routed.ignored if name != "patent_office")
    notes = tuple(found.routed.notes)
    others = len(found.rows) - len(rows)
    if others and len(rows) < found.query.count:
        note = (
            f"Left out, since they are of other offices than {office}: {others} of the"
            f" {len(found.rows)} patents found."
        )
        notes = (*notes, note)
    return replace(found, routed=replace(found.routed, rows=rows, ignored=ignored, notes=notes))


def _search_web(ask: AskProviders, wanted: PatentQuery, engine: str | None) -> Found:
    """Search Google Patents and return its pages as patents. Pages of other sites are dropped.

    The returned query holds the words that were searched for.
    """
    found = ask("web", WebQuery(_build_words(wanted), WEB_PAGES, site=SITE), provider=engine)
    patents: dict[str, Patent] = {}
    for row in found.rows:
        patent = _parse_patent(row)
        if patent is not None:
            patents.setdefault(patent.number, patent)
    ignored = tuple(name for name in queries.set_params(wanted) if name not in WEB_FILTERS)
    notes = tuple(found.routed.notes)
    if len(found.rows) >= WEB_PAGES and len(patents) < wanted.count:
        note = (
            f"Only the first {len(found.rows)} pages that the web's engines list were looked"
            f" through, and {len(patents)} of them are patents."
        )
        notes = (*notes, note)
    routed = replace(found.routed, rows=tuple(patents.values()), ignored=ignored, notes=notes)
    query = replace(wanted, text=found.query.text)
    return _keep_wanted_office(replace(found, query=query, routed=routed))


def _build_words(wanted: PatentQuery) -> str:
    words = [parse_number(wanted.text) or wanted.text]
    for name in (bare_company(wanted.assignee), wanted.inventor):
        if name:
            unquoted = name.replace('"', " ").strip()
            words.append(f'"{unquoted}"')
    return " ".join(part for part in words if part)


def _parse_patent(row: SearchResult) -> Patent | None:
    """Return a search result as a patent, or None if it is not a patent's page."""
    try:
        if find_host(row.url) != SITE:
            return None
        number = parse_number(row.url.partition("://")[2].partition("/")[2])
    except ValueError:
        return None
    if not number:
        return None
    title = _TITLE_AFFIX.sub("", markup_words(row.title))
    return Patent(title or number, number, patent_url(number), abstract=markup_words(row.snippet))
