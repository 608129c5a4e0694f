"""Ask one engine one query, merge what several engines said, and say what can be done where they
failed. Knows no plans and no budgets.

A failed search is a state of its own (refused, timed_out, failed), never an empty list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from research_core.errors import SearchError
from research_core.journal.deps import Deps, Provider
from research_core.models import EngineOutcome, SearchQuery, SearchResult
from research_core.search.queries import WebQuery
from research_core.text.words import visible
from research_core.urls import canonical, is_own

#: Which state an error kind is; any other kind is "failed".
STATES = {
    "rate_limited": "refused",
    "circuit_open": "refused",
    "blocked": "refused",
    "auth_required": "refused",
    "timeout": "timed_out",
}

#: What a next step says to set.
_SET = re.compile(r"\b[Ss]et ([A-Z][A-Z_]+)\b")


def may_lend(url: str, deps: Deps) -> bool:
    """Whether later queries may be made of the source. What stands in own documents is never typed
    into somebody's search engine.
    """
    return not (is_own(url) and any(engine.kind == "web" for engine in deps.engines))


def ask(engine: Provider, query: SearchQuery, deps: Deps, ttl_s: float = 0.0) -> EngineOutcome:
    """What this engine answers, or answered another session ttl_s seconds ago. Raises nothing but a
    cancel, a cap or a forbidden call.
    """
    try:
        http = (
            deps.http.of(engine.service or engine.name, pace_s=engine.pace_s, ttl_s=ttl_s)
            if engine.kind == "web"
            else deps.http
        )
        results = engine.search(http, deps.settings, WebQuery(query.text))
        http.keep()
    except SearchError as error:
        return EngineOutcome(
            engine.name, STATES.get(error.kind, "failed"), reason=error.sentence(), error=error
        )
    usable = tuple(
        result for result in (_usable(found, engine.name) for found in results) if result
    )
    if results and not usable:
        return EngineOutcome(
            engine.name,
            "failed",
            reason=f"None of the {len(results)} addresses it gave can be used.",
        )
    return EngineOutcome(engine.name, "answered" if usable else "empty", usable)


def merge(outcomes: Sequence[EngineOutcome]) -> tuple[SearchResult, ...]:
    """One list: the engines' first results, then their second ones, in the engines' order; each
    address once.
    """
    rows = zip_longest(*(outcome.results for outcome in outcomes))
    merged: dict[str, SearchResult] = {}
    for result in (result for row in rows for result in row if result is not None):
        merged.setdefault(result.url, result)
    return tuple(merged.values())


def steps(failed: Sequence[tuple[str, SearchError]], rows: Sequence[Provider]) -> str:
    """What can be done about these failures: each step once, with whose it is, those of services
    that the owner configured first.

    rows: who can be asked here; what they need is set, so that to set it is no advice.
    """
    having = {need for row in rows for need in row.needs}
    own = {row.name for row in rows if row.needs}
    whose: dict[str, list[str]] = {}
    for name, error in sorted(failed, key=lambda each: each[0] not in own):
        if error.next_step and not having & set(_SET.findall(error.next_step)):
            whose.setdefault(error.next_step, []).append(name)
    if len(failed) == 1:
        return next(iter(whose), "")
    return " ".join(f"{', '.join(names)}: {step}" for step, names in whose.items())


def _usable(result: SearchResult, engine: str) -> SearchResult | None:
    """The result under its canonical address, without characters that cannot be seen or stored;
    None when the address is none.
    """
    try:
        url = canonical(result.url)
    except ValueError:
        return None
    return SearchResult(
        visible(result.title), url, visible(result.snippet), engine, visible(result.published)
    )
