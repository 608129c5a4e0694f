"""Compare the plan that the analyst approved with the one that was proposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from research_core.journal.events import APPROVE_PLAN, PROPOSE_PLAN
from research_core.journal.log import EventLog
from research_core.policy import ApprovedPlan

#: Fields of a plan that are proposed, approved and compared.
LINE_FIELDS = ("queries", "sub_questions")


def find_approved_plan(log: EventLog) -> ApprovedPlan:
    """Return the plan that the analyst approved in this session, an empty one without any."""
    proposal = None
    for event in log.read(kinds=("decide", "command")):
        if event.data["do"] == PROPOSE_PLAN:
            proposal = event.data
        elif event.data["do"] == APPROVE_PLAN and proposal is not None:
            return build_approved_plan(proposal, event.data)
    return ApprovedPlan()


def build_approved_plan(proposal: Mapping[str, Any], lines: Mapping[str, Any]) -> ApprovedPlan:
    """Return the approved plan. proposal: as recorded; lines: the approved ones by their fields."""
    fields = {name: proposal[name] for name in ("type", "strategy", "note")}
    for name in LINE_FIELDS:
        fields[name] = tuple(lines[name])
        fields[f"proposed_{name}"] = tuple(proposal[name])
    return ApprovedPlan(**fields)


def find_plan_changes(approved: ApprovedPlan) -> dict[str, list[str]]:
    """Return the lines that the analyst added and removed, by "added_queries" and the like."""
    changes = {}
    for name in LINE_FIELDS:
        proposed, kept = getattr(approved, f"proposed_{name}"), getattr(approved, name)
        changes[f"added_{name}"] = [line for line in kept if line not in proposed]
        changes[f"removed_{name}"] = [line for line in proposed if line not in kept]
    return changes


#: The changes of a plan in words, by their names.
_CHANGE_WORDS = {
    "added_queries": "Added to the queries",
    "removed_queries": "Removed from the queries",
    "added_sub_questions": "Added to the sub-questions",
    "removed_sub_questions": "Removed from the sub-questions",
}


def describe_plan_changes(review: Mapping[str, Sequence[str]]) -> str:
    """Say what the analyst changed of the plan, with the lines as they are.

    review: as `find_plan_changes` returns it.
    """
    changes = []
    for name, words in _CHANGE_WORDS.items():
        if review[name]:
            quoted = ", ".join(f"“{line}”" for line in review[name])
            changes.append(f"{words}: {quoted}.")
    if not changes:
        return "The analyst approved the plan before the run, without changes."
    return f"The analyst edited the plan before the run. {' '.join(changes)}"
