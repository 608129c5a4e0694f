"""Read from past sessions how engines and models have answered lately.

Only the latest sessions are read. Nothing is called, stored or decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from research_core.journal.events import drop_voided
from research_core.journal.store import SessionRow, Store
from research_core.models import ANSWERED_STATES, Principal
from research_core.policy import LIBRARY_ENGINE
from research_core.sessions.estimates import list_latest_sessions
from research_core.wiring import LOCAL_USER, Resources

#: Errors that ended a session because its model did not do its part.
MODEL_ERRORS = ("ModelError", "ModelRefused", "SynthesisError", "RelevanceError")


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

    @property
    def answer_count(self) -> int:
        """How often it answered, also without a result."""
        return sum(self.counts.get(state, 0) for state in ANSWERED_STATES)


NEVER_ASKED = Health({})


def read_engine_health(resources: Resources, *, who: Principal = LOCAL_USER) -> dict[str, Health]:
    """Return the health by engine from the newest twenty sessions that searched the web.

    Engines they did not ask are missing (NEVER_ASKED).
    """

    def searched_web(row: SessionRow) -> bool:
        engines = row.settings.get("engines", ())
        return row.parent is None and any(name != LIBRARY_ENGINE for name in engines)

    outcomes: dict[str, list[tuple[float, str, str]]] = {}
    for row in list_latest_sessions(resources, who, searched_web):
        for event in Store(resources.db, who, row.id).read(kinds=("searched", "search_failed")):
            outcome = (event.at, event.data["state"], event.data.get("reason", ""))
            outcomes.setdefault(event.data["engine"], []).append(outcome)
    return {engine: _build_health(found) for engine, found in outcomes.items()}


def read_model_health(resources: Resources, *, who: Principal = LOCAL_USER) -> dict[str, Health]:
    """Return the health by model from the newest twenty sessions that ended done or by its failure.

    A session is also done if no model call was answered; its gate then says that no source was
    scored.
    """

    def has_ended(row: SessionRow) -> bool:
        return row.outcome in ("done", "failed") and row.parent is None

    outcomes: dict[str, list[tuple[float, str, str]]] = {}
    for row in list_latest_sessions(resources, who, has_ended):
        outcome = _find_model_outcome(resources, who, row)
        if outcome:
            model = str(row.settings.get("model"))
            outcomes.setdefault(model, []).append((row.updated, *outcome))
    return {model: _build_health(found) for model, found in outcomes.items()}


def _find_model_outcome(
    resources: Resources, who: Principal, row: SessionRow
) -> tuple[str, str] | None:
    """Return the state and reason of a session's model.

    None if the session failed for another reason or was just deleted.
    """
    store_of_session = Store(resources.db, who, row.id)
    events = drop_voided(store_of_session.read(kinds=("gated", "failed", "finished", "voided")))
    last: dict[str, Mapping[str, Any]] = {event.kind: event.data for event in events}
    if row.outcome == "done" and events:
        gate = last.get("gated", {})
        total = gate.get("total", 0)
        if total and gate["unscored"] == total:
            return "failed", str(gate["rationale"])
        return "answered", ""
    failed = last.get("failed", {})
    # A refused writer or judge says nothing of the model of the session.
    if failed.get("type") in MODEL_ERRORS and failed.get("role", "model") == "model":
        return "failed", str(failed["error"])
    return None


def _build_health(outcomes: Sequence[tuple[float, str, str]]) -> Health:
    at, state, reason = max(outcomes)
    return Health(Counter(state for _, state, _ in outcomes), at, state, reason)
