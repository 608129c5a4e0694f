"""Count how many cited sentences of a stored report its sources support, for a list of sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from research_core.journal import session_admin
from research_core.models import Principal
from research_core.wiring import LOCAL_USER, Resources

#: The keys of the check of a report: by words, then by a model.
CHECK_KEYS = ("verified:verified", "verified:verified:again")


@dataclass(frozen=True)
class CheckCounts:
    """What the check of a report found.

    cited: sentences that cite; supported: by their sources; contradicted: sentences of a checked
    report that say something different from their sources, 0 where the log does not count them;
    is_clean: as `ScoreCard.is_clean` of a checked report, and where the log does not say it,
    whether sentences are cited and all are supported.
    """

    cited: int
    supported: int
    contradicted: int = 0
    is_clean: bool = False


def read_check_counts(
    resources: Resources, sessions: Sequence[str], *, who: Principal = LOCAL_USER
) -> dict[str, CheckCounts]:
    """Return the counts of each session by its id; those without a checked text are left out."""
    events = session_admin.find_latest_events(resources.db, who, sessions, *CHECK_KEYS)
    return {session: count_checks(event.data) for session, event in events.items()}


def count_checks(data: Mapping[str, Any]) -> CheckCounts:
    """Return the counts of a `verified` event."""
    states = [
        sentence["state"]
        for block in data["blocks"]
        if block["kind"] != "heading"
        for sentence in block["sentences"]
        if sentence["state"] != "uncited"
    ]
    cited, supported = len(states), states.count("supported")
    is_clean = data.get("clean", 0 < cited == supported)
    return CheckCounts(cited, supported, data.get("contradicted", 0), is_clean)
