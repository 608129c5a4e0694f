"""Read and answer the questions whether an agent may call a tool that writes.

Questions and answers are events of the log. `pipeline/gather_agentic` asks and waits; this module
reads the open questions and records the analyst's answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from research_core.errors import UsageError
from research_core.journal.events import PERMISSION_ANSWERS, Draft, Event, drop_voided
from research_core.models import Principal
from research_core.sessions import session_status
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
    asked: dict[str, PermissionQuestion] = {}
    answered: set[str] = set()
    for event in drop_voided(events):
        if event.kind not in ("command", "decide"):
            continue
        data = event.data
        if data["do"] in PERMISSION_ANSWERS:
            answered.add(data["place"])
        elif event.kind == "decide" and data["do"] == "ask":
            question = PermissionQuestion(data["place"], data["tool"], data["arguments"])
            asked[question.place] = question
    return tuple(question for place, question in asked.items() if place not in answered)


def answer_question(
    resources: Resources, session: str, allow: bool, place: str = "", *, who: Principal = LOCAL_USER
) -> PermissionQuestion:
    """Allow or refuse a waiting call, by default the first, and return it.

    Raises UsageError if none waits at this place.
    """
    info = session_status.read_session_info(resources, session, who=who)
    log = open_log(resources, who, session)
    waiting: tuple[PermissionQuestion, ...] = ()
    if info.status not in session_status.TERMINAL_STATUSES:
        waiting = list_waiting(log.read(kinds=("command", "decide", "voided")))
    for question in waiting:
        if place in ("", question.place):
            do = "allow" if allow else "refuse"
            log.append(Draft("command", {"do": do, "place": question.place}))
            return question
    why = f"No tool call of session {session} is waiting for an answer."
    if place:
        why = f"No tool call of session {session} is waiting for an answer under {place!r}."
    raise UsageError(
        why,
        next_step=f"`assay show {session}` shows its status.",
    )
