"""Ask for and give the analyst's permission for calls of tools that write.

Questions and answers are events of the log. `gather_agentic` asks and waits; this module reads the
open questions and records answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from research_core.errors import UsageError
from research_core.journal.events import Draft, Event, drop_voided
from research_core.models import Principal
from research_core.pipeline.gather_agentic import ANSWERS
from research_core.sessions import runner
from research_core.wiring import LOCAL_USER, Resources, open_log


@dataclass(frozen=True)
class PermissionQuestion:
    """A call that waits for permission.

    place: round and number of the call, by which it is answered; arguments: as the model gave them.
    """

    place: str
    tool: str
    arguments: Mapping[str, Any]


def list_waiting(events: Iterable[Event]) -> tuple[PermissionQuestion, ...]:
    """Return the unanswered questions in order; an answer counts from when it was given."""
    told = drop_voided(events)
    answered = {
        event.data["place"]
        for event in told
        if event.kind in ("command", "decide") and event.data["do"] in ANSWERS
    }
    asked = [event.data for event in told if event.kind == "decide" and event.data["do"] == "ask"]
    return tuple(
        PermissionQuestion(data["place"], data["tool"], data["arguments"])
        for data in asked
        if data["place"] not in answered
    )


def answer_question(
    office: Resources, session: str, allow: bool, place: str = "", *, who: Principal = LOCAL_USER
) -> PermissionQuestion:
    """Allow or refuse a waiting call, by default the first, and return it.

    Raises UsageError if none waits at this place.
    """
    info = runner.read_session_info(office, session, who=who)
    log = open_log(office, who, session)
    asked = (
        list_waiting(log.read(kinds=("command", "decide", "voided")))
        if info.status not in runner.TERMINAL_STATUSES
        else ()
    )
    found = next((question for question in asked if place in ("", question.place)), None)
    if found is None:
        named = f" under {place!r}" if place else ""
        raise UsageError(
            f"No call of session {session} waits for an answer{named}.",
            next_step=f"`assay show {session}` says how it stands.",
        )
    log.append(Draft("command", {"do": "allow" if allow else "refuse", "place": found.place}))
    return found
