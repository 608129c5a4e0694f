"""Read the plan that a session proposes, and record the analyst's approval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from research_core.errors import UsageError
from research_core.journal.events import APPROVE_PLAN, PROPOSE_PLAN, Draft, Event
from research_core.journal.log import EventLog
from research_core.journal.store import WAITING_OUTCOME
from research_core.models import Principal
from research_core.modes import ResearchMode
from research_core.pipeline.plan_review import (
    PlanLimits,
    clean_plan,
    find_plan_limits,
)
from research_core.policy import RunSettings
from research_core.sessions.session_status import SessionInfo, name_status, read_session_info
from research_core.text.question import make_standalone
from research_core.wiring import LOCAL_USER, Resources, open_log


@dataclass(frozen=True)
class ProposedPlan:
    """A plan that waits for approval.

    question: always searched; queries: the others; note: how the plan was made, or "".
    """

    question: str
    strategy: str
    note: str
    queries: tuple[str, ...]
    sub_questions: tuple[str, ...]
    limits: PlanLimits


def find_proposed_plan(info: SessionInfo, events: Iterable[Event]) -> ProposedPlan | None:
    """Return the plan that a session proposed, None if it proposed none."""
    proposal = _find_decision(events, PROPOSE_PLAN)
    if proposal is None:
        return None
    settings = RunSettings.from_json(info.row.settings)
    return ProposedPlan(
        question=make_standalone(info.row.question, settings.follows),
        strategy=proposal["strategy"],
        note=proposal["note"],
        queries=tuple(proposal["queries"]),
        sub_questions=tuple(proposal["sub_questions"]),
        limits=find_plan_limits(ResearchMode.from_name(settings.mode, sources=settings.sources)),
    )


def read_proposed_plan(
    resources: Resources, session: str, *, who: Principal = LOCAL_USER
) -> ProposedPlan:
    """Return the plan of a session that waits for approval. Raises UsageError for any other."""

    info = read_session_info(resources, session, who=who)
    log = open_log(resources, who, session)
    if info.status != WAITING_OUTCOME:
        raise _build_refusal(info, log)
    plan = find_proposed_plan(info, log.read(kinds=("decide",)))
    assert plan is not None
    return plan


def approve_plan(
    resources: Resources,
    session: str,
    queries: Sequence[str] | None = None,
    sub_questions: Sequence[str] | None = None,
    *,
    who: Principal = LOCAL_USER,
) -> Event:
    """Approve the plan of a waiting session, which any worker may then take.

    queries, sub_questions: replace the proposed ones; None keeps those. Raises UsageError if a line
    cannot be used, if the session does not wait, and if another plan was approved first.
    """
    plan = read_proposed_plan(resources, session, who=who)
    info = read_session_info(resources, session, who=who)
    lines = clean_plan(
        plan.question,
        ResearchMode.from_name(info.row.settings["mode"], sources=info.row.settings.get("sources")),
        plan.queries if queries is None else queries,
        plan.sub_questions if sub_questions is None else sub_questions,
    )
    log = open_log(resources, who, session)
    draft = draft_approval(lines)
    (event,) = log.append(draft)
    if event.data != draft.data:
        raise _build_refusal(info, log)
    return event


def draft_approval(lines: Mapping[str, Sequence[str]]) -> Draft:
    """Return the command that approves these lines. Its key lets a log hold only one."""
    return Draft("command", {"do": APPROVE_PLAN, **lines}, APPROVE_PLAN)


def _build_refusal(info: SessionInfo, log: EventLog) -> UsageError:
    """Build the error for an approval of a session that does not wait for one."""
    session = info.row.id
    steps = {
        "cancelled": f"`assay resume {session}` continues it.",
        "failed": f"`assay resume {session}` continues it.",
        "interrupted": f"`assay resume {session}` continues it.",
    }
    if any(event.data["do"] == APPROVE_PLAN for event in log.read(kinds=("command",))):
        return UsageError(
            f"The plan of session {session} is already approved; the first approval counts.",
            next_step="To search for something else, start a new session.",
        )
    return UsageError(
        f"Session {session} has no plan to approve: it is {name_status(info.status)}.",
        next_step=steps.get(info.status, "`assay sessions` lists the waiting sessions."),
    )


def _find_decision(events: Iterable[Event], do: str) -> Mapping[str, Any] | None:
    for event in events:
        if event.kind == "decide" and event.data["do"] == do:
            data: Mapping[str, Any] = event.data
            return data
    return None
