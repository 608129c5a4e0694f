"""Query one search engine, merge results of several, and collect next steps for failures.

It knows no plans and no budgets. A failed search has a state of its own (refused, timed_out,
failed); it is never an empty list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from research_core.errors import SearchError
from research_core.journal.deps import Deps, Provider
from research_core.models import EngineOutcome, SearchQuery, SearchResult
from research_core.search.queries import WebQuery
from research_core.search.records import collect_links, collect_respelled
from research_core.search.redirectors import clean_links
from research_core.text.words import format_none_usable, strip_invisible
from research_core.urls import canonical_url, is_own_document

#: Outcome states by error kind; any other kind is "failed".
STATE_OF_ERROR_KIND = {
    "rate_limited": "refused",
    "circuit_open": "refused",
    "blocked": "refused",
    "auth_required": "refused",
    "timeout": "timed_out",
}

#: The setting named in a next step.
_SETTING_TO_SET = re.compile(r"\b[Ss]et ([A-Z][A-Z_]+)\b")


def may_reuse_in_queries(url: str, deps: Deps) -> bool:
    """Return False for own documents while a web engine is in use.

    Text of own documents must never reach an outside search engine.
    """
    return not (is_own_document(url) and any(engine.kind == "web" for engine in deps.engines))


def ask_engine(
    engine: Provider, query: SearchQuery, deps: Deps, ttl_s: float = 0.0
) -> EngineOutcome:
    """Ask one engine one query; reuse an answer stored at most ttl_s seconds ago.

    Raises only a cancel, a cap or a forbidden call; a failed search is an outcome.
    """
    try:
        http = deps.http
        if engine.kind == "web":
            http = http.for_service(
                engine.service or engine.name, pace_s=engine.pace_s, ttl_s=ttl_s
            )
        results = engine.search(http, deps.settings, WebQuery(query.text))
        http.release_answers()
    except SearchError as error:
        return EngineOutcome(
            engine.name,
            STATE_OF_ERROR_KIND.get(error.kind, "failed"),
            reason=error.sentence(),
            error=error,
        )
    links = collect_links(results)
    rows, counts = clean_links(results)
    links += counts
    usable: list[SearchResult] = []
    for found in rows:
        result = _clean_result(found, engine.name)
        if result is not None:
            usable.append(result)
    if rows and not usable:
        return EngineOutcome(
            engine.name,
            "failed",
            reason=format_none_usable(len(rows), "address", "it"),
            links=links,
        )
    state = "answered" if usable else "empty"
    spelled = tuple((written, read) for written, read in collect_respelled(results))
    return EngineOutcome(engine.name, state, tuple(usable), links=links, spelled=spelled)


def merge_results(outcomes: Sequence[EngineOutcome]) -> tuple[SearchResult, ...]:
    """Interleave the engines' results in the engines' order, each URL once."""
    merged: dict[str, SearchResult] = {}
    for rank in zip_longest(*(outcome.results for outcome in outcomes)):
        for result in rank:
            if result is not None:
                merged.setdefault(result.url, result)
    return tuple(merged.values())


def collect_next_steps(failed: Sequence[tuple[str, SearchError]], rows: Sequence[Provider]) -> str:
    """Join the next steps of these failures, each once, with the names they apply to.

    Services that the owner configured come first. rows: the providers that can be asked; what they
    need is already set, so advice to set it is left out.
    """
    settings_present: set[str] = set()
    configured: set[str] = set()
    for row in rows:
        settings_present.update(row.needs)
        if row.needs:
            configured.add(row.name)
    names_by_step: dict[str, list[str]] = {}
    for name, error in sorted(failed, key=lambda failure: failure[0] not in configured):
        step = error.next_step
        if step and not settings_present.intersection(_SETTING_TO_SET.findall(step)):
            names_by_step.setdefault(step, []).append(name)
    if len(failed) == 1:
        return next(iter(names_by_step), "")
    return " ".join(f"{', '.join(names)}: {step}" for step, names in names_by_step.items())


def _clean_result(result: SearchResult, engine: str) -> SearchResult | None:
    """Return the result with its canonical URL and clean text; None for an invalid URL."""
    try:
        url = canonical_url(result.url)
    except ValueError:
        return None
    return SearchResult(
        strip_invisible(result.title),
        url,
        strip_invisible(result.snippet),
        engine,
        strip_invisible(result.published),
    )
