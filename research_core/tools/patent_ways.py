"""Who is asked for patents: who is routed, then any other provider of patents there is, then the
web's engines on Google Patents alone.

The next is asked where one failed or found nothing of the office that is wanted. A provider that is
named is asked alone, even where it finds nothing; one that cannot have anything of that office is
not asked at all.
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

#: How it is told that the web alone was searched.
NO_OFFICE_ASKED = "No patent office or index was asked"
WEB, SITE = "web_discovery", "patents.google.com"
#: Pages that are asked for on the web, as some are of other sites or offices.
WEB_PAGES = 10
#: `searching.ask_providers` for one call of the tool.
AskProviders = Callable[..., Found]
#: What engines of the web go by, beside words: the office is told by the number of each.
WEB_FILTERS = frozenset({"patent_office", "assignee", "inventor"})
_TITLE_AFFIX = re.compile(
    r"^[A-Z]{2}[A-Z]{0,2}\d{5,}[A-Z]?\d?\s*[-–—:]\s*|\s*[-–—|]\s*Google Patents\s*$"
)


def find_patents(
    call: Call, wanted: PatentQuery, name: str | None, session: str | None
) -> tuple[Found, str]:
    """(what was found; the name of who answered, or `WEB`). name: the only one to ask, a provider
    of patents or an engine of the web.

    Raises SearchError where all failed, UsageError for a name nobody knows, SettingsError where
    what it needs is not set or nobody is.
    """
    check_session(call, session)
    bound = bind(call, wanted.text)
    ask = partial(ask_providers, call, bound=bound)
    if name is None:
        return _ask_offices(ask, wanted, bound[1])
    if engine := _find_engine(name):
        return _search_web(ask, wanted, engine), WEB
    (row,) = list_candidates("patents", bound[1], name)
    if row.serves(wanted):
        return _keep_wanted_office(ask("patents", wanted, provider=name)), row.name
    return (
        Found(
            wanted,
            RouteResult(
                (), row.name, (), others=find_others_able("patents", wanted, bound[1], {row.name})
            ),
            *bound,
        ),
        row.name,
    )


def _find_engine(name: str) -> str | None:
    """The web's row of this name, with or without the service in front; None for a provider of
    patents. Raises UsageError.
    """
    holders, engines = (
        [row.name for row in providers.rows_of_kind(kind)] for kind in ("patents", "web")
    )
    if name in holders:
        return None
    known = next((each for each in (name, f"{providers.DDGS}{name}") if each in engines), None)
    if known is None:
        others = ", ".join(each for each in engines if each not in holders)
        listed = f"{', '.join(holders)}, or for a search of Google Patents on the web {others}"
        raise UsageError(
            f"Unknown provider {name!r} for patents.", next_step=f"Choose among: {listed}."
        )
    return known


def _ask_offices(ask: AskProviders, wanted: PatentQuery, deps: Deps) -> tuple[Found, str]:
    routed, rest = _list_providers(wanted, deps)
    failed: list[SearchError] = []
    asked: set[str] = set()
    empty: Found | None = None
    for name in [*([None] if routed else []), *routed, *rest]:
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
        found = found if routed or rest else _note_no_office(found, wanted)
    except (SearchError, SettingsError) as error:
        if empty is None:
            raise _combine_errors(failed, error, deps) from error
        found = empty  # the session is told what became of the web
    if found.rows or empty is None:
        return found, WEB
    others = tuple(each for each in empty.routed.others if each not in asked)  # as asked since
    return replace(empty, routed=replace(empty.routed, others=others)), empty.routed.provider


def _note_no_office(found: Found, wanted: PatentQuery) -> Found:
    """What the web's engines gave, with the reservation that no office was asked, and what would
    change that.
    """
    needs = [
        " and ".join(row.needs) for row in providers.rows_of_kind("patents") if row.serves(wanted)
    ]
    told = (
        f"{NO_OFFICE_ASKED}, only the web's engines on {SITE}, which list few patents. Set"
        f" {' or '.join(needs)} to ask one."
    )
    return replace(found, routed=replace(found.routed, notes=(told, *found.routed.notes)))


def _list_providers(wanted: PatentQuery, deps: Deps) -> tuple[list[str], list[str]]:
    """Who can have what is wanted: those the router knows, and those it does not. Raises
    SettingsError.

    Recorded: a replay may have other keys.
    """

    def look() -> list[list[str]]:
        routed = providers.available_rows(deps.settings, "patents")
        rest = [
            row
            for row in providers.rows_of_kind("patents")
            if row not in routed and not providers.missing_settings(row, deps.settings)
        ]
        return [[row.name for row in rows] for rows in (routed, rest)]

    known = deps.http.fact({"asked": "who has patents"}, look)
    able_ones, others = (
        [row.name for row in providers.rows_by_name(names, "patents") if row.serves(wanted)]
        for names in known
    )
    return able_ones, others


def _combine_errors(
    failed: list[SearchError], web: SearchError | SettingsError, deps: Deps
) -> ResearchError:
    """The error of the providers of patents, with what became of the web."""
    if not failed:
        return web if isinstance(web, SearchError) else _no_provider_error(deps, web)
    first, step = failed[0], failed[0].next_step or web.next_step
    sentence = " ".join(
        [
            *(each.message for each in failed),
            f"The search of Google Patents on the web failed too: {web.message}",
        ]
    )
    made = SearchError(
        sentence,
        kind=first.kind,
        status=first.status,
        retry_after=first.retry_after,
        next_step=step,
    )
    made.provider, made.asked = first.provider, tuple(each.provider for each in failed)
    made.quotes = tuple(
        words for each in (*failed, web) if isinstance(each, SearchError) for words in each.quotes
    )
    return made


def _no_provider_error(deps: Deps, web: SettingsError) -> SettingsError:
    try:
        list_candidates("patents", deps, None)
    except SettingsError as error:
        return error
    return web


def _keep_wanted_office(found: Found) -> Found:
    """Only what is of the office that is wanted, by its number: so every provider goes by it. How
    many are not is told.
    """
    office = found.query.patent_office
    rows = tuple(each for each in found.rows if each.number.startswith(office))
    ignored = tuple(each for each in found.routed.ignored if each != "patent_office")
    others = len(found.rows) - len(rows)
    told = (
        f"Left out, since they are of other offices than {office}: {others} of the"
        f" {len(found.rows)} patents found."
    )
    notes = (*found.routed.notes, *([told] if others and len(rows) < found.query.count else []))
    return replace(found, routed=replace(found.routed, rows=rows, ignored=ignored, notes=notes))


def _search_web(ask: AskProviders, wanted: PatentQuery, engine: str | None) -> Found:
    """Pages of Google Patents as patents; those of other sites are left out, whoever gave them. Its
    query has the words that were asked.
    """
    found = ask("web", WebQuery(_build_words(wanted), WEB_PAGES, site=SITE), provider=engine)
    patents: dict[str, Patent] = {}
    for made in filter(None, map(_parse_patent, found.rows)):
        patents.setdefault(made.number, made)
    ignored = tuple(each for each in queries.set_params(wanted) if each not in WEB_FILTERS)
    told = (
        f"Only the first {len(found.rows)} pages that the web's engines list were looked through,"
        f" and {len(patents)} of them are patents."
    )
    notes = (
        *found.routed.notes,
        *([told] if len(found.rows) >= WEB_PAGES and len(patents) < wanted.count else []),
    )
    routed = replace(found.routed, rows=tuple(patents.values()), ignored=ignored, notes=notes)
    return _keep_wanted_office(
        replace(found, query=replace(wanted, text=found.query.text), routed=routed)
    )


def _build_words(wanted: PatentQuery) -> str:
    people = [bare_company(wanted.assignee), wanted.inventor]
    quoted = [f'"{each.replace(chr(34), " ").strip()}"' for each in people if each]
    return " ".join(part for part in (parse_number(wanted.text) or wanted.text, *quoted) if part)


def _parse_patent(row: SearchResult) -> Patent | None:
    try:
        number = (
            parse_number(row.url.partition("://")[2].partition("/")[2])
            if find_host(row.url) == SITE
            else ""
        )
    except ValueError:
        return None
    title = _TITLE_AFFIX.sub("", markup_words(row.title))
    return (
        Patent(title or number, number, patent_url(number), abstract=markup_words(row.snippet))
        if number
        else None
    )
