"""What past sessions tell of the next one: what a run like it took, and how engines and models have answered lately.

Pure readings of a few kinds of events of the latest sessions. It asks nobody outside, keeps nothing and decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from research_core import store
from research_core.events import Event, in_force
from research_core.models import Principal
from research_core.modes import ResearchMode
from research_core.policy import OFFLINE, Caps, RunSettings
from research_core.store import SessionRow, Store
from research_core.wiring import LIBRARY, LOCAL, Office

#: Sessions looked through for ones of a kind, and of those the newest that are read.
SCANNED, READ = 200, 20
#: Model calls a run makes at most: in the planned strategy, and what driving by the model adds. Benchmarks hold the first.
MOST_CALLS = {"quick": 8, "standard": 14, "deep": 24}
ROUNDS = 10
#: Errors that ended a session because its model did not do its part.
OF_THE_MODEL = ("ModelError", "SynthesisError", "RelevanceError")


@dataclass(frozen=True)
class Range:
    """The least, the middle and the most of some runs."""

    low: float
    median: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """What a run will probably take. runs: past ones it rests on; with 0 of them there are only the most calls and sources of its mode.

    calls: to the model; seconds; cost in US dollars, None where the price of this model is not known.
    """

    runs: int
    most_calls: int
    most_sources: int
    calls: Range | None = None
    tokens: Range | None = None
    seconds: Range | None = None
    cost: Range | None = None

    def beyond(self, caps: Caps) -> tuple[str, ...]:
        """Names of the caps that the usual one of these runs would have met: calls | tokens | cost | seconds."""
        names = ("calls", "tokens", "cost", "seconds")
        return tuple(name for name in names if _meets(getattr(self, name), getattr(caps, name)))


def _meets(taken: Range | None, cap: float | None) -> bool:
    return taken is not None and cap is not None and taken.median > cap


def estimate(office: Office, run: RunSettings, *, who: Principal = LOCAL) -> Estimate:
    """From finished runs of the same mode, strategy, model and kind of place, the newest twenty. Of forks, which inherit their calls,

    and of resumed runs, whose time is that of the last attempt, none counts.
    """
    mode = ResearchMode.named(run.mode)
    most = MOST_CALLS[run.mode] + (ROUNDS if run.strategy == "agentic" else 0)
    alike = _latest(office, who, lambda row: _is_whole(row) and _kind(row.settings) == _kind(run.to_json()))
    tallies = [tally for row in alike if (tally := _tally(office, who, row.id))]
    if not tallies:
        return Estimate(0, most, mode.max_sources, cost=Range(0, 0, 0) if run.model == OFFLINE else None)
    return Estimate(
        len(tallies),
        most,
        mode.max_sources,
        calls=_range(tally["model_calls"] for tally in tallies),
        tokens=_range(tally["tokens"] for tally in tallies),
        seconds=_range(tally["seconds"] for tally in tallies),
        cost=_range(known) if len(known := [paid for tally in tallies if (paid := cost(tally)) is not None]) == len(tallies) else None,
    )


def _is_whole(row: SessionRow) -> bool:
    return row.outcome == "done" and row.parent is None and row.epoch == 1


def _kind(settings: Mapping[str, Any]) -> tuple[Any, ...]:
    """What makes runs comparable; which web engines they ask does not matter, but whether any."""
    engines = settings.get("engines", ())
    places = (LIBRARY in engines, any(name != LIBRARY for name in engines))
    return settings.get("mode"), settings.get("strategy", "planned"), settings.get("model"), *places


def _tally(office: Office, who: Principal, session: str) -> Mapping[str, Any] | None:
    """What a session used, as it counted itself at its end."""
    decided = Store(office.db, who, session).read(kinds=("decide",))
    return next((event.data for event in reversed(decided) if event.data.get("do") == "tally"), None)


def cost(tally: Mapping[str, Any]) -> float | None:
    """What a session cost in US dollars by its tally, None where a price was not known.

    Older tallies count an unknown price as nothing; but only a model that uses no tokens costs nothing.
    """
    return tally["cost"] if tally["cost"] or not tally["tokens"] else None


def _range(values: Iterable[float]) -> Range:
    found = list(values)
    return Range(min(found), median(found), max(found))


def _latest(office: Office, who: Principal, wanted: Callable[[SessionRow], bool]) -> list[SessionRow]:
    return [row for row in store.sessions(office.db, who, limit=SCANNED) if wanted(row)][:READ]


# ---------------------------------------------------------------- how engines and models have answered


@dataclass(frozen=True)
class Health:
    """How one engine or model has answered lately. counts: how often it did what; at, state, reason: of the last time.

    state: answered | empty | refused | timed_out | failed, and "" of one that was never tried; at: seconds since the epoch.
    """

    counts: Mapping[str, int]
    at: float = 0.0
    state: str = ""
    reason: str = ""

    @property
    def tries(self) -> int:
        return sum(self.counts.values())


NEVER = Health({})


def health(office: Office, *, who: Principal = LOCAL) -> dict[str, Health]:
    """By engine, from the newest twenty sessions that searched the web; an engine they did not ask is not in it (`NEVER`)."""
    asked = _latest(office, who, lambda row: row.parent is None and any(name != LIBRARY for name in row.settings.get("engines", ())))
    told: dict[str, list[Event]] = {}
    for row in asked:
        for event in Store(office.db, who, row.id).read(kinds=("searched", "search_failed")):
            told.setdefault(event.data["engine"], []).append(event)
    return {
        engine: _health([(event.at, event.data["state"], event.data.get("reason", "")) for event in events])
        for engine, events in told.items()
    }


def model_health(office: Office, *, who: Principal = LOCAL) -> dict[str, Health]:
    """By model, from the newest twenty sessions that ended: done, or ended because the model failed them.

    A session is also done where no call to the model was answered; then its gate says that nobody could score a source.
    """
    told: dict[str, list[tuple[float, str, str]]] = {}
    for row in _latest(office, who, lambda row: row.outcome in ("done", "failed") and row.parent is None):
        if outcome := _of_the_model(office, who, row):
            told.setdefault(str(row.settings.get("model")), []).append((row.updated, *outcome))
    return {model: _health(outcomes) for model, outcomes in told.items()}


def _of_the_model(office: Office, who: Principal, row: SessionRow) -> tuple[str, str] | None:
    """What a session says of its model; None where it failed for another reason, and where it was deleted a moment ago."""
    told = in_force(Store(office.db, who, row.id).read(kinds=("gated", "failed", "finished", "voided")))
    last: dict[str, Mapping[str, Any]] = {event.kind: event.data for event in told}
    if row.outcome == "done" and told:
        gate = last.get("gated", {})
        total = gate.get("total", 0)
        return ("failed", str(gate["rationale"])) if total and gate["unscored"] == total else ("answered", "")
    failed = last.get("failed", {})
    return ("failed", str(failed["error"])) if failed.get("type") in OF_THE_MODEL else None


def _health(outcomes: Sequence[tuple[float, str, str]]) -> Health:
    at, state, reason = max(outcomes)
    return Health(Counter(state for _, state, _ in outcomes), at, state, reason)
