"""Count what a session used: calls, tokens, money and time.

An ended run has a tally in its log; a running one is counted from its recorded calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from research_core.journal import session_admin
from research_core.journal.budget import was_sent
from research_core.journal.doorway import MACHINE_FACT
from research_core.journal.events import Event
from research_core.journal.store import Store
from research_core.models import Principal
from research_core.policy import Tally
from research_core.wiring import LOCAL_USER, Resources

if TYPE_CHECKING:
    from research_core.sessions.snapshot import Snapshot

TALLY_KEY = "decide:tally"


def read_tallies(
    resources: Resources, sessions: Sequence[str], *, who: Principal = LOCAL_USER
) -> dict[str, Tally]:
    """Return what each session used, by its id; sessions without a tally are left out."""
    events = session_admin.find_latest_events(resources.db, who, sessions, TALLY_KEY)
    return {session: read_tally(event.data) for session, event in events.items()}


def read_tally(data: Mapping[str, Any]) -> Tally:
    """Return the tally of an event.

    Older tallies count an unknown price as 0; only those that say so, and models that use no
    tokens, are really free.
    """
    free = data.get("free", False)
    cost = data["cost"]
    if not cost and data["tokens"] and not free:
        cost = None
    return Tally(
        data["model_calls"],
        data["other_calls"],
        data["tokens"],
        cost,
        float(data["seconds"]),
        estimated=data.get("estimated", False),
        free=free,
    )


@dataclass(frozen=True)
class SessionUsage:
    """What a session used up to an event.

    calls: to models, as caps count them; cost: US dollars, None once a price is unknown.
    """

    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    seq: int = 0


def count_usage(
    resources: Resources,
    snapshot: Snapshot,
    *,
    who: Principal = LOCAL_USER,
    before: SessionUsage = SessionUsage(),
) -> SessionUsage:
    """Return what this session used: its own tally or, before that, the sum of its calls.

    before: an earlier result; only later calls are read.
    """
    if snapshot.run.tally:
        tally = read_tally(snapshot.run.tally)
        return SessionUsage(tally.model_calls, tally.tokens, tally.cost)
    # A tally of an attempt that no longer counts has no `seq` and is no starting point.
    used = before if before.seq else SessionUsage()
    created = _find_created(snapshot)
    if created is None or not created.seq:
        return used
    # Calls before the event `created` were inherited from another session, which paid for them.
    after = max(before.seq, created.seq)
    store = Store(resources.db, who, snapshot.session)
    for event in store.read(after, keyed=True, kinds=("call",)):
        used = _add_call(used, event)
    return used


def _find_created(snapshot: Snapshot) -> Event | None:
    for event in snapshot.events:
        if event.kind == "created":
            return event
    return None


def _add_call(used: SessionUsage, call: Event) -> SessionUsage:
    if call.data["kind"] == MACHINE_FACT or not was_sent(call.data):
        return replace(used, seq=call.seq)
    cost = used.cost
    if call.data["kind"] != "model":
        if cost is not None:
            cost += call.data.get("about", {}).get("cost", 0.0)
        return SessionUsage(used.calls, used.tokens, cost, call.seq)
    tokens = used.tokens
    usage = (call.data.get("value") or call.data.get("error") or {}).get("usage")
    if usage:
        tokens += usage["input_tokens"] + usage["output_tokens"]
        if cost is not None:
            cost = None if usage["cost"] is None else cost + usage["cost"]
    return SessionUsage(used.calls + 1, tokens, cost, call.seq)


def count_ended(resources: Resources, session: str, *, who: Principal = LOCAL_USER) -> SessionUsage:
    """Return what a session used whose attempt has ended, whatever its outcome."""
    tally = read_tallies(resources, [session], who=who).get(session)
    if tally is not None:
        return SessionUsage(tally.model_calls, tally.tokens, tally.cost)
    used = SessionUsage()
    store = Store(resources.db, who, session)
    for event in store.read(0, keyed=True, kinds=("call",)):
        used = _add_call(used, event)
    return used


@dataclass(frozen=True)
class Elapsed:
    """How long something has taken.

    of_attempt: True for seconds of one attempt, as a cap counts them; else since the question.
    """

    seconds: float
    of_attempt: bool


def measure_elapsed(snapshot: Snapshot, now: float) -> Elapsed:
    """Return the time of the session until now or its last event, as the log counts it.

    It counts from the beginning of the log. The log does not say when a later attempt began, so the
    time of a resumed session includes its interruption.
    """
    row = snapshot.info.row
    began = row.created
    created = _find_created(snapshot)
    is_first_attempt = created is not None and row.epoch == 1
    if created is not None:
        began = created.at
    if snapshot.at_work or snapshot.info.status == "open":
        until = now
    else:
        until = _find_last_activity(snapshot, began)
    is_client_led = row.until is not None
    of_attempt = is_first_attempt and not is_client_led
    return Elapsed(max(0.0, until - began), of_attempt=of_attempt)


def _find_last_activity(snapshot: Snapshot, default: float) -> float:
    # A command may be given while nobody runs the session.
    for event in reversed(snapshot.events):
        if event.kind != "command":
            return event.at
    return default
