"""Ask one engine one query, and merge what several engines said. Knows nothing of plans, scores or budgets.

A failed search is a state of its own (refused, timed_out, failed), never an empty list.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from research_core.deps import Deps, Provider
from research_core.errors import SearchError
from research_core.models import EngineOutcome, SearchQuery, SearchResult
from research_core.urls import canonical

#: Which state an error kind is; any other kind is "failed".
STATES = {"rate_limited": "refused", "blocked": "refused", "auth_required": "refused", "timeout": "timed_out"}


def ask(engine: Provider, query: SearchQuery, deps: Deps) -> EngineOutcome:
    """What this engine answers. Raises nothing but a cancel, a cap or a forbidden call."""
    try:
        results = engine.search(deps.http, deps.settings, query)
    except SearchError as error:
        return EngineOutcome(engine.name, STATES.get(error.kind, "failed"), reason=error.sentence())
    named = (SearchResult(r.title, r.url, r.snippet, engine.name, r.published) for r in results)
    usable = tuple(result for result in map(_with_canonical_url, named) if result)
    return EngineOutcome(engine.name, "answered" if usable else "empty", usable)


def merge(outcomes: Sequence[EngineOutcome]) -> tuple[SearchResult, ...]:
    """One list: the engines' first results, then their second ones, in the engines' order; each address once."""
    rows = zip_longest(*(outcome.results for outcome in outcomes))
    merged: dict[str, SearchResult] = {}
    for result in (result for row in rows for result in row if result is not None):
        merged.setdefault(result.url, result)
    return tuple(merged.values())


def _with_canonical_url(result: SearchResult) -> SearchResult | None:
    try:
        return SearchResult(result.title, canonical(result.url), result.snippet, result.engine, result.published)
    except ValueError:
        return None
