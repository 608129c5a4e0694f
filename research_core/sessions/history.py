"""Read from past sessions what similar runs took and how engines and models answered lately.

Only the latest sessions are read. Nothing is called, stored or decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from research_core.journal import store
from research_core.journal.events import drop_voided
from research_core.journal.store import SessionRow, Store
from research_core.models import Principal
from research_core.modes import MODES
from research_core.policy import LIBRARY_ENGINE, RunSettings
from research_core.sessions import estimates
from research_core.sessions.estimates import Estimate, PastRun
from research_core.wiring import LOCAL_USER, Resources

#: Sessions looked through for ones of a kind, and of those the newest that are read.
MAX_SCANNED, MAX_RUNS = 200, 20
#: Errors that ended a session because its model did not do its part.
MODEL_ERRORS = ("ModelError", "SynthesisError", "RelevanceError")


def estimate_run(office: Resources, run: RunSettings, *, who: Principal = LOCAL_USER) -> Estimate:
    """Estimate a run from the newest twenty finished ones of the same mode, else of other modes.

    Strategy, model and kind of engines must match. Forks inherit their calls, and the time of a
    resumed run is that of its last attempt, so neither counts.
    """
    key = _get_comparison_key(run.to_json())

    def is_comparable(row: SessionRow) -> bool:
        return _get_comparison_key(row.settings) == key

    def is_alike(row: SessionRow) -> bool:
        return is_comparable(row) and row.settings.get("mode") == run.mode

    pasts = _list_past_runs(office, who, is_alike)
    if not pasts:
        pasts = _list_past_runs(office, who, is_comparable)
    return estimates.estimate_from_runs(run, pasts)


def _list_past_runs(
    office: Resources, who: Principal, wanted: Callable[[SessionRow], bool]
) -> list[PastRun]:
    pasts = []
    for row in _list_latest(office, who, lambda row: _is_complete(row) and wanted(row)):
        tally = _find_tally(office, who, row.id)
        if tally:
            mode = str(row.settings["mode"])
            engines = tuple(row.settings.get("engines", ()))
            pasts.append(PastRun(mode, engines, _read_quantities(tally)))
    return pasts


def _read_quantities(tally: Mapping[str, Any]) -> dict[str, float | None]:
    return {
        "calls": tally["model_calls"],
        "tokens": tally["tokens"],
        "seconds": tally["seconds"],
        "cost": get_cost(tally),
    }


def _is_complete(row: SessionRow) -> bool:
    return (
        row.outcome == "done"
        and row.parent is None
        and row.epoch == 1
        and row.settings.get("mode") in MODES
    )


def _get_comparison_key(settings: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what makes runs comparable besides their mode."""
    engines = settings.get("engines", ())
    places = (LIBRARY_ENGINE in engines, any(name != LIBRARY_ENGINE for name in engines))
    return settings.get("strategy", "planned"), settings.get("model"), *places


def _find_tally(office: Resources, who: Principal, session: str) -> Mapping[str, Any] | None:
    """Return the final tally of a session, None without one."""
    decided = Store(office.db, who, session).read(kinds=("decide",))
    for event in reversed(decided):
        if event.data.get("do") == "tally":
            tally: Mapping[str, Any] = event.data
            return tally
    return None


def get_cost(tally: Mapping[str, Any]) -> float | None:
    """Return a session's cost in US dollars, None if a price was unknown.

    Older tallies count an unknown price as 0; only a model that uses no tokens is really free.
    """
    cost: float | None = tally["cost"]
    if not cost and tally["tokens"]:
        return None
    return cost


def _list_latest(
    office: Resources, who: Principal, wanted: Callable[[SessionRow], bool]
) -> list[SessionRow]:
    rows = store.list_sessions(office.db, who, limit=MAX_SCANNED)
    return [row for row in rows if wanted(row)][:MAX_RUNS]


# -- how engines and models have answered -------------------------------------


@dataclass(frozen=True)
class Health:
    """How an engine or model answered lately.

    counts: how often by state; at (seconds since the epoch), state and reason: of the last time;
    state: answered | empty | refused | timed_out | failed, "" if never tried.
    """

    counts: Mapping[str, int]
    at: float = 0.0
    state: str = ""
    reason: str = ""

    @property
    def tries(self) -> int:
        return sum(self.counts.values())


NEVER_ASKED = Health({})


def read_engine_health(office: Resources, *, who: Principal = LOCAL_USER) -> dict[str, Health]:
    """Return the health by engine from the newest twenty sessions that searched the web.

    Engines they did not ask are missing (NEVER_ASKED).
    """

    def searched_web(row: SessionRow) -> bool:
        engines = row.settings.get("engines", ())
        return row.parent is None and any(name != LIBRARY_ENGINE for name in engines)

    outcomes: dict[str, list[tuple[float, str, str]]] = {}
    for row in _list_latest(office, who, searched_web):
        for event in Store(office.db, who, row.id).read(kinds=("searched", "search_failed")):
            outcome = (event.at, event.data["state"], event.data.get("reason", ""))
            outcomes.setdefault(event.data["engine"], []).append(outcome)
    return {engine: _build_health(found) for engine, found in outcomes.items()}


def read_model_health(office: Resources, *, who: Principal = LOCAL_USER) -> dict[str, Health]:
    """Return the health by model from the newest twenty sessions that ended done or by its failure.

    A session is also done if no model call was answered; its gate then says that no source was
    scored.
    """

    def has_ended(row: SessionRow) -> bool:
        return row.outcome in ("done", "failed") and row.parent is None

    outcomes: dict[str, list[tuple[float, str, str]]] = {}
    for row in _list_latest(office, who, has_ended):
        outcome = _find_model_outcome(office, who, row)
        if outcome:
            model = str(row.settings.get("model"))
            outcomes.setdefault(model, []).append((row.updated, *outcome))
    return {model: _build_health(found) for model, found in outcomes.items()}


def _find_model_outcome(
    office: Resources, who: Principal, row: SessionRow
) -> tuple[str, str] | None:
    """Return the state and reason of a session's model.

    None if the session failed for another reason or was just deleted.
    """
    store_of_session = Store(office.db, who, row.id)
    events = drop_voided(store_of_session.read(kinds=("gated", "failed", "finished", "voided")))
    last: dict[str, Mapping[str, Any]] = {event.kind: event.data for event in events}
    if row.outcome == "done" and events:
        gate = last.get("gated", {})
        total = gate.get("total", 0)
        if total and gate["unscored"] == total:
            return "failed", str(gate["rationale"])
        return "answered", ""
    failed = last.get("failed", {})
    if failed.get("type") in MODEL_ERRORS:
        return "failed", str(failed["error"])
    return None


def _build_health(outcomes: Sequence[tuple[float, str, str]]) -> Health:
    at, state, reason = max(outcomes)
    return Health(Counter(state for _, state, _ in outcomes), at, state, reason)
