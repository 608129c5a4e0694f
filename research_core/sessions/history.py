"""What past sessions tell of the next one: what a run like it took, and how engines and models have
answered lately.

Pure readings of a few kinds of events of the latest sessions. It asks nobody outside, keeps nothing
and decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from research_core.journal import store
from research_core.journal.events import Event, drop_voided
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
    """From finished runs of the same strategy, model and kind of place, the newest twenty of the
    same mode; without any, from the newest

    twenty of other modes. Of forks, which inherit their calls, and of resumed runs, whose time is
    that of the last attempt, none counts.
    """
    alike = _list_past_runs(
        office,
        who,
        lambda row: (
            _get_comparison_key(row.settings) == _get_comparison_key(run.to_json())
            and row.settings.get("mode") == run.mode
        ),
    )
    others = (
        []
        if alike
        else _list_past_runs(
            office,
            who,
            lambda row: _get_comparison_key(row.settings) == _get_comparison_key(run.to_json()),
        )
    )
    return estimates.estimate_from_runs(run, alike or others)


def _list_past_runs(
    office: Resources, who: Principal, wanted: Callable[[SessionRow], bool]
) -> list[PastRun]:
    rows = _list_latest(office, who, lambda row: _is_complete(row) and wanted(row))
    return [
        PastRun(
            str(row.settings["mode"]),
            tuple(row.settings.get("engines", ())),
            _read_quantities(tally),
        )
        for row in rows
        if (tally := _find_tally(office, who, row.id))
    ]


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
    """What makes runs comparable, their mode aside: nothing tells what another model or strategy
    would take.
    """
    engines = settings.get("engines", ())
    places = (LIBRARY_ENGINE in engines, any(name != LIBRARY_ENGINE for name in engines))
    return settings.get("strategy", "planned"), settings.get("model"), *places


def _find_tally(office: Resources, who: Principal, session: str) -> Mapping[str, Any] | None:
    """What a session used, as it counted itself at its end."""
    decided = Store(office.db, who, session).read(kinds=("decide",))
    return next(
        (event.data for event in reversed(decided) if event.data.get("do") == "tally"), None
    )


def get_cost(tally: Mapping[str, Any]) -> float | None:
    """What a session cost in US dollars by its tally, None where a price was not known.

    Older tallies count an unknown price as nothing; but only a model that uses no tokens costs
    nothing.
    """
    return tally["cost"] if tally["cost"] or not tally["tokens"] else None


def _list_latest(
    office: Resources, who: Principal, wanted: Callable[[SessionRow], bool]
) -> list[SessionRow]:
    return [row for row in store.list_sessions(office.db, who, limit=MAX_SCANNED) if wanted(row)][
        :MAX_RUNS
    ]


# ---------------------------------------------------------------- how engines and models have answered


@dataclass(frozen=True)
class Health:
    """How one engine or model has answered lately. counts: how often it did what; at, state,
    reason: of the last time.

    state: answered | empty | refused | timed_out | failed, and "" of one that was never tried; at:
    seconds since the epoch.
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
    """By engine, from the newest twenty sessions that searched the web; an engine they did not ask
    is not in it (`NEVER_ASKED`).
    """
    asked = _list_latest(
        office,
        who,
        lambda row: (
            row.parent is None
            and any(name != LIBRARY_ENGINE for name in row.settings.get("engines", ()))
        ),
    )
    told: dict[str, list[Event]] = {}
    for row in asked:
        for event in Store(office.db, who, row.id).read(kinds=("searched", "search_failed")):
            told.setdefault(event.data["engine"], []).append(event)
    return {
        engine: _build_health(
            [(event.at, event.data["state"], event.data.get("reason", "")) for event in events]
        )
        for engine, events in told.items()
    }


def read_model_health(office: Resources, *, who: Principal = LOCAL_USER) -> dict[str, Health]:
    """By model, from the newest twenty sessions that ended: done, or ended because the model failed
    them.

    A session is also done where no call to the model was answered; then its gate says that nobody
    could score a source.
    """
    told: dict[str, list[tuple[float, str, str]]] = {}
    for row in _list_latest(
        office, who, lambda row: row.outcome in ("done", "failed") and row.parent is None
    ):
        if outcome := _find_model_outcome(office, who, row):
            told.setdefault(str(row.settings.get("model")), []).append((row.updated, *outcome))
    return {model: _build_health(outcomes) for model, outcomes in told.items()}


def _find_model_outcome(
    office: Resources, who: Principal, row: SessionRow
) -> tuple[str, str] | None:
    """What a session says of its model; None where it failed for another reason, and where it was
    deleted a moment ago.
    """
    told = drop_voided(
        Store(office.db, who, row.id).read(kinds=("gated", "failed", "finished", "voided"))
    )
    last: dict[str, Mapping[str, Any]] = {event.kind: event.data for event in told}
    if row.outcome == "done" and told:
        gate = last.get("gated", {})
        total = gate.get("total", 0)
        return (
            ("failed", str(gate["rationale"]))
            if total and gate["unscored"] == total
            else ("answered", "")
        )
    failed = last.get("failed", {})
    return ("failed", str(failed["error"])) if failed.get("type") in MODEL_ERRORS else None


def _build_health(outcomes: Sequence[tuple[float, str, str]]) -> Health:
    at, state, reason = max(outcomes)
    return Health(Counter(state for _, state, _ in outcomes), at, state, reason)
