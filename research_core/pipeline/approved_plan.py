"""Compare the plan that the analyst approved with the one that was proposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from research_core.i18n import N_, _, gettext, join_list, join_sentences, put_in_quotes
from research_core.journal.events import APPROVE_PLAN, PROPOSE_PLAN
from research_core.journal.log import EventLog
from research_core.policy import ApprovedPlan

#: Fields of a plan that the analyst can edit.
LINE_FIELDS = ("queries", "sub_questions")


def find_approved_plan(log: EventLog) -> ApprovedPlan:
    """Return the plan that the analyst approved in this session, empty if there is none."""
    proposal = None
    for event in log.read(kinds=("decide", "command")):
        if event.data["do"] == PROPOSE_PLAN:
            proposal = event.data
        elif event.data["do"] == APPROVE_PLAN and proposal is not None:
            return build_approved_plan(proposal, event.data)
    return ApprovedPlan()


def build_approved_plan(proposal: Mapping[str, Any], lines: Mapping[str, Any]) -> ApprovedPlan:
    """Build the approved plan. proposal: as recorded; lines: the approved ones, by field."""
    fields = {name: proposal[name] for name in ("type", "strategy", "note")}
    for name in LINE_FIELDS:
        fields[name] = tuple(lines[name])
        fields[f"proposed_{name}"] = tuple(proposal[name])
    return ApprovedPlan(**fields)


def find_plan_changes(approved: ApprovedPlan) -> dict[str, list[str]]:
    """Return the lines that the analyst added and removed, keyed "added_queries" and so on."""
    changes = {}
    for name in LINE_FIELDS:
        before = getattr(approved, f"proposed_{name}")
        after = getattr(approved, name)
        changes[f"added_{name}"] = [line for line in after if line not in before]
        changes[f"removed_{name}"] = [line for line in before if line not in after]
    return changes


#: What each kind of change is called in a report.
_CHANGE_WORDS = {
    "added_queries": N_("Added to the queries: {lines}."),
    "removed_queries": N_("Removed from the queries: {lines}."),
    "added_sub_questions": N_("Added to the sub-questions: {lines}."),
    "removed_sub_questions": N_("Removed from the sub-questions: {lines}."),
}


def describe_plan_changes(review: Mapping[str, Sequence[str]]) -> str:
    """Describe what the analyst changed in the plan, quoting the lines.

    review: from `find_plan_changes`.
    """
    changes = []
    for name, words in _CHANGE_WORDS.items():
        if review[name]:
            quoted = join_list([put_in_quotes(line) for line in review[name]])
            changes.append(gettext(words).format(lines=quoted))
    if not changes:
        return _("The analyst approved the plan before the run, without changes.")
    return join_sentences([_("The analyst edited the plan before the run."), *changes])
