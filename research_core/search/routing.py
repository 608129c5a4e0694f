"""Ask the providers of a kind in order until one answers, and report who was asked.

The first answer without an error counts, even an empty one: other providers are stand-ins for
failed ones, never second opinions, and some kinds have none (`ProviderKind.stand_ins`). What the
session itself holds (its library, the pages of the previous session) is listed beside web results,
never instead of them. A provider asked for by name is the only one asked. Nothing is recorded here:
the calls are recorded, and the caller adds the events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from research_core.errors import SearchError, SettingsError
from research_core.journal.deps import Deps, Provider
from research_core.models import LinkCounts
from research_core.search import providers, queries
from research_core.search.engines import collect_next_steps
from research_core.search.providers import KINDS
from research_core.search.records import (
    NotedRecords,
    collect_links,
    collect_notes,
    collect_totals,
    collect_understood,
)
from research_core.search.redirectors import clean_images, clean_links

#: Kinds of engines that the session itself provides for web searches.
SESSION_KINDS = frozenset({"library", "session"})
#: Kinds whose records are links of a search engine.
LINK_KINDS = frozenset({"web", "news"})
#: The kind whose records also have the link of the page that shows them.
IMAGE_KIND = "images"
#: Without these parameters hardly any result is relevant: providers that honour them are asked
#: first.
PLACE_PARAMS = frozenset({"site", "sites"})


@dataclass(frozen=True)
class ProviderAttempt:
    """One provider that was asked; error is None if it answered."""

    provider: str
    found: int = 0
    error: SearchError | None = None
    links: LinkCounts = LinkCounts()


@dataclass(frozen=True)
class RouteResult:
    """What a routed query found.

    provider: the one that answered, "" if all failed; attempts: all that were asked, in order;
    ignored: parameters the answer does not honour; others: who else could be asked; error: set if
    all failed; notes: what the providers did not look at; totals: how many records there are in
    all, as far as the providers say; understood: how a provider read the words of the query.
    """

    rows: tuple[Any, ...]
    provider: str
    attempts: tuple[ProviderAttempt, ...]
    ignored: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    error: SearchError | None = None
    notes: tuple[str, ...] = ()
    totals: Mapping[str, int] = field(default_factory=dict)
    understood: Mapping[str, Any] = field(default_factory=dict)


def route_query(kind: str, query: Any, deps: Deps, name: str | None = None) -> RouteResult:
    """Ask the providers of this kind until one answers; name: the only one to ask.

    If all failed, or the web failed and the session itself holds nothing, the error has the kind of
    the first failure and lists every message and next step. If no provider holds anything the query
    is limited to (`Provider.serves`), none is asked and provider is "". Raises UsageError for an
    unknown name, SettingsError if a setting is missing or no provider is configured.
    """
    candidates = sorted(
        list_candidates(kind, deps, name), key=lambda row: _ignores_sites(row, query)
    )
    attempts, answers = _ask_until_answered(kind, query, deps, candidates, named=bool(name))
    answering = [row for row, _ in answers]
    lists = [records for _, records in answers]
    rows = interleave(lists)
    failed = [attempt for attempt in attempts if attempt.error]
    if failed and not rows and not any(row.kind == kind for row in answering):
        error = _combine_errors(failed, (*candidates, *deps.engines))
        return RouteResult((), "", tuple(attempts), error=error)
    others: tuple[str, ...] = ()
    if not rows:
        tried = {attempt.provider for attempt in attempts}
        others = find_others_able(kind, query, deps, tried)
    return RouteResult(
        rows,
        _find_last_answering(attempts),
        tuple(attempts),
        _list_ignored_params(query, answering),
        others,
        notes=collect_notes(*lists),
        totals=collect_totals(*lists),
        understood=collect_understood(*lists),
    )


def _ask_until_answered(
    kind: str, query: Any, deps: Deps, candidates: Sequence[Provider], *, named: bool
) -> tuple[list[ProviderAttempt], list[tuple[Provider, Sequence[Any]]]]:
    """Ask the candidates in turn; return who was asked, and (provider, records) of each answer.

    Once one of the kind has answered, only the session's own engines are still asked. named: the
    caller chose the provider, which is asked even if it holds nothing the query is limited to.
    """
    attempts: list[ProviderAttempt] = []
    answers: list[tuple[Provider, Sequence[Any]]] = []
    answered = False
    for row in candidates:
        if row.kind == kind and (answered or not (named or row.serves(query))):
            continue
        try:
            records = ask_provider(row, query, deps)
        except SearchError as error:
            attempts.append(ProviderAttempt(row.name, error=error))
            if not KINDS[kind].stand_ins:
                break
            continue
        answers.append((row, records))
        attempts.append(ProviderAttempt(row.name, len(records), links=collect_links(records)))
        answered = answered or row.kind == kind
    return attempts, answers


def _list_ignored_params(query: Any, answering: Sequence[Provider]) -> tuple[str, ...]:
    """List the parameters of the query that one of these providers does not honour."""
    wanted = queries.set_params(query)
    ignored: set[str] = set()
    for row in answering:
        ignored |= set(wanted) - row.honours | set(row.beyond(query))
    return tuple(param for param in wanted if param in ignored)


def _find_last_answering(attempts: Sequence[ProviderAttempt]) -> str:
    """Return the last provider that answered; "" if none did."""
    for attempt in reversed(attempts):
        if not attempt.error:
            return attempt.provider
    return ""


def find_others_able(kind: str, query: Any, deps: Deps, asked: Set[str]) -> tuple[str, ...]:
    """Name the providers that could answer, were not asked and are not resting.

    Only an answer without results names them. Providers that ignore a requested site are left out:
    hardly any of their results would be from it.
    """
    services: dict[str, str] = {}
    for row in _list_offered_rows(kind, deps):
        if row.name not in asked and row.serves(query) and not _ignores_sites(row, query):
            services[row.name] = row.service or row.name
    if not services:
        return ()
    resting = deps.http.list_open_breakers(sorted(set(services.values())))
    return tuple(name for name, service in services.items() if service not in resting)


def _ignores_sites(row: Provider, query: Any) -> bool:
    """Return True if the query names sites and the provider would search everywhere."""
    return bool(PLACE_PARAMS & set(queries.set_params(query)) - row.honours)


def list_candidates(kind: str, deps: Deps, name: str | None) -> tuple[Provider, ...]:
    """Return the providers to ask, in order.

    For the web these are the engines of the session.
    """
    if name is not None:
        session = {row.name: row for row in deps.engines if row.kind in (kind, *SESSION_KINDS)}
        if kind == "web" and name in session:
            return (session[name],)
        return _select_named_row(kind, deps, name)
    found = _list_offered_rows(kind, deps)
    if not found:
        needs = ", or ".join(filter(None, providers.list_ways_to_configure(kind)))
        raise SettingsError(
            f"No provider of {KINDS[kind].finds} is configured.", next_step=f"Set {needs} in .env."
        )
    return found


def _list_offered_rows(kind: str, deps: Deps) -> tuple[Provider, ...]:
    """Return the providers to ask if none is named; () if none is configured."""
    return tuple(deps.engines if kind == "web" else _list_configured_rows(kind, deps))


def _select_named_row(kind: str, deps: Deps, name: str) -> tuple[Provider, ...]:
    """Return the provider of this name, as configured when the session first asked.

    Raises UsageError, SettingsError.
    """
    providers.require_known(name, kind)
    params = {"asked": "who is configured", "kind": kind, "name": name}

    def look_up() -> list[str]:
        return [row.name for row in providers.select_configured_rows([name], deps.settings, kind)]

    return providers.select_rows(deps.http.record_fact(params, look_up), kind)


def _list_configured_rows(kind: str, deps: Deps) -> tuple[Provider, ...]:
    """Return the providers configured when the session first asked; keys may change later."""
    params = {"asked": "who is configured", "kind": kind}
    names = deps.http.record_fact(
        params, lambda: [row.name for row in providers.list_available_rows(deps.settings, kind)]
    )
    return providers.select_rows(names, kind)


def ask_provider(row: Provider, query: Any, deps: Deps) -> Sequence[Any]:
    """Ask one provider and cache the answer for as long as its kind allows.

    Raises SearchError.
    """
    kind = KINDS.get(row.kind)
    if kind is None:  # the session's own engine: no service, no cache
        return row.search(deps.http, deps.settings, query)
    http = deps.http.for_service(row.service or row.name, pace_s=row.pace_s, ttl_s=kind.ttl_s)
    asked = queries.split_by_sites(query, row.most_sites) if "sites" in row.honours else (query,)
    lists = [row.search(http, deps.settings, part) for part in asked]
    # Totals of several queries overlap, so they cannot be added up.
    totals = collect_totals(*lists) if len(lists) == 1 else {}
    records, links = interleave(lists), collect_links(*lists)
    if row.kind in LINK_KINDS:
        cleaned, counts = clean_links(records)
        records, links = tuple(cleaned), links + counts
    if row.kind == IMAGE_KIND:
        cleaned, counts = clean_images(records)
        records, links = tuple(cleaned), links + counts
    notes = (*collect_notes(*lists), links.describe())
    found = NotedRecords(records, notes, totals, links, collect_understood(*lists))
    if found or kind.keep_empty:
        http.release_answers()
    return found


def interleave(lists: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """Take the first of each list, then the second ones, and so on."""
    missing = object()
    merged = []
    for rank in zip_longest(*lists, fillvalue=missing):
        merged += [record for record in rank if record is not missing]
    return tuple(merged)


def _combine_errors(attempts: Sequence[ProviderAttempt], rows: Sequence[Provider]) -> SearchError:
    """Combine the failures into one error of the first one's kind, with every next step."""
    failed = [(attempt.provider, attempt.error) for attempt in attempts if attempt.error]
    name, first = failed[0]
    message = first.message
    if len(failed) > 1:
        messages = " ".join(f"{provider}: {error.message}" for provider, error in failed)
        message = f"Every provider failed. {messages}"
    combined = SearchError(
        message,
        kind=first.kind,
        status=first.status,
        retry_after=first.retry_after,
        next_step=collect_next_steps(failed, rows),
    )
    combined.provider = name
    combined.asked = tuple(provider for provider, _ in failed)
    combined.all_unreached = len(failed) > 1 and all(error.kind == "network" for _, error in failed)
    quotes: list[str] = []
    for _, error in failed:
        quotes += error.quotes
    combined.quotes = tuple(dict.fromkeys(quotes))
    return combined
