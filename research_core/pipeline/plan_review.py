"""Let the analyst approve the plan before a run searches.

The first attempt of such a run makes the plan, records it as proposed and ends. The attempt after
the approval reads the approved plan from the log, as does every resume and replay. A rewrite has
the approved plan in its settings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import wait
from dataclasses import asdict, dataclass
from typing import Any

from research_core.errors import APPROVAL, Stopped, UsageError
from research_core.journal.deps import Deps
from research_core.journal.events import APPROVE_PLAN, PROPOSE_PLAN, Draft
from research_core.journal.log import EventLog
from research_core.model_messages import Json
from research_core.modes import ResearchMode
from research_core.pipeline.approved_plan import build_approved_plan, find_plan_changes
from research_core.pipeline.plan import (
    MAX_LINE_LENGTH,
    MAX_QUERY_LENGTH,
    MAX_SUB_QUESTIONS,
    Plan,
    count_most_sub_questions,
    select_new_lines,
)
from research_core.policy import ApprovedPlan
from research_core.text.words import format_count, strip_invisible

POLL_S = 0.1


@dataclass(frozen=True)
class PlanLimits:
    """Limits of an approved plan.

    queries, sub_questions: how many at most; query_length, sub_question_length: characters of each
    at most.
    """

    queries: int
    sub_questions: int = MAX_SUB_QUESTIONS
    query_length: int = MAX_QUERY_LENGTH
    sub_question_length: int = MAX_LINE_LENGTH


def find_plan_limits(mode: ResearchMode) -> PlanLimits:
    """Return the limits in a mode, which has a place for each planned query."""
    return PlanLimits(len(mode.planned_shares), count_most_sub_questions(mode))


# -- the analyst's lines -------------------------------------------------------


def clean_plan(
    question: str, mode: ResearchMode, queries: Sequence[str], sub_questions: Sequence[str]
) -> dict[str, list[str]]:
    """Return the lines of an edited plan as the run uses them.

    Each is a single line without invisible characters. Empty and repeated lines are left out, and
    so are queries that repeat the question. Raises UsageError for too many lines or a line that is
    too long.
    """
    limits = find_plan_limits(mode)
    return {
        "queries": _clean_lines(queries, (question,), limits.queries, limits.query_length, "query"),
        "sub_questions": _clean_lines(
            sub_questions, (), limits.sub_questions, limits.sub_question_length, "sub-question"
        ),
    }


def _clean_lines(
    texts: Sequence[str], known: Sequence[str], most: int, longest: int, what: str
) -> list[str]:
    lines = [" ".join(strip_invisible(text).split()) for text in texts]
    for line in lines:
        if len(line) > longest:
            raise UsageError(
                f"A {what} has {len(line)} characters; the limit is {longest}: “{line[:60]}…”.",
                next_step="Shorten it.",
            )
    new = select_new_lines(lines, known, longest)
    if len(new) > most:
        raise UsageError(
            f"The plan has {format_count(len(new), what)}; this mode uses at most {most}.",
            next_step="Remove some.",
        )
    return list(new)


# -- the run -------------------------------------------------------------------


def take_approved_plan(
    make_plan: Callable[[], Plan], mode: ResearchMode, deps: Deps
) -> Plan | None:
    """Return the plan that the analyst approved, None if the run needs no approval.

    make_plan: makes the proposed plan. Raises Stopped with `APPROVAL` until the analyst has
    approved it, and the errors of make_plan.
    """
    if deps.run.approved_plan:
        return _build_plan(deps.run.approved_plan, mode)
    if not deps.run.review_plan:
        return None
    proposal = deps.log.find_choice(PROPOSE_PLAN)
    if proposal is None:
        proposal = {"do": PROPOSE_PLAN, **_plan_to_json(_wait_for_plan(make_plan, deps))}
    elif not proposal["note"]:
        # The call is answered from the log; it lets this attempt name the model that made the plan.
        make_plan()
    deps.log.append(Draft("decide", proposal, PROPOSE_PLAN))
    approval = deps.log.find_choice(APPROVE_PLAN) or _find_approval(proposal, deps.log)
    if approval is None:
        deps.http.check_stop()
        raise Stopped(APPROVAL)
    deps.log.append(Draft("decide", approval, APPROVE_PLAN))
    return _build_plan(ApprovedPlan.from_json(approval), mode)


def _wait_for_plan(make_plan: Callable[[], Plan], deps: Deps) -> Plan:
    """Wait for the plan. Raises Stopped if the run is to stop."""
    making = deps.pool.submit(make_plan)
    while not wait([making], POLL_S).done:
        deps.http.check_stop()
    plan: Plan = making.result()
    return plan


def _plan_to_json(plan: Plan) -> Json:
    return {
        "type": plan.type,
        "strategy": plan.strategy,
        "note": plan.note,
        "queries": list(plan.queries),
        "sub_questions": list(plan.sub_questions),
    }


def _find_approval(proposal: Mapping[str, Any], log: EventLog) -> Json | None:
    """Return the decision that records the analyst's first approval, None if there is none."""
    for command in log.read(kinds=("command",)):
        if command.data["do"] == APPROVE_PLAN:
            approved = build_approved_plan(proposal, command.data)
            return {"do": APPROVE_PLAN, "command": command.seq, **asdict(approved)}
    return None


def _build_plan(approved: ApprovedPlan, mode: ResearchMode) -> Plan:
    """Build the plan of a run. Queries beyond the places of its mode are left out and noted."""
    places = find_plan_limits(mode).queries
    note = approved.note
    if left_out := approved.queries[places:]:
        quoted = ", ".join(f"“{query}”" for query in left_out)
        note = f"{note} Approved, but without a place in {mode.name} mode: {quoted}.".strip()
    return Plan(
        type=approved.type,
        strategy=approved.strategy,
        sub_questions=approved.sub_questions,
        queries=approved.queries[:places],
        note=note,
        review=find_plan_changes(approved),
    )
