"""Say what an analyst can do with a source: one table for all screens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from research_core.i18n import N_, _, ngettext
from research_core.models import ReportSource


class SourceAction(NamedTuple):
    """do: one of `sliders.MANUAL_DECISIONS`, or "lower"; label, help: marked by N_."""

    do: str
    label: str
    icon: str
    help: str


INCLUDE = SourceAction(
    "approve",
    N_("Include"),
    ":material/check:",
    N_("Read it whatever its credibility, beyond the page limit"),
)
EXCLUDE = SourceAction(
    "strike", N_("Exclude"), ":material/block:", N_("Leave it out of the report")
)
RESTORE = SourceAction(
    "restore",
    N_("Restore"),
    ":material/undo:",
    N_("You excluded this source. Let its scores decide again."),
)
UNDO_INCLUDE = RESTORE._replace(
    label=N_("Undo include"), help=N_("You included this source. Let its scores decide again.")
)
#: What can be done with a source in each state, the most likely one first.
ACTIONS_BY_STATE = {
    **dict.fromkeys(("blocked", "not_read", "waiting"), (INCLUDE, EXCLUDE)),
    **dict.fromkeys(
        ("reading", "judging", "kept", "dropped", "readable", "duplicate", "failed"), (EXCLUDE,)
    ),
    "struck": (RESTORE,),
}
#: States that excluding a source would not change; its row offers no button.
UNUSABLE = frozenset({"dropped", "duplicate", "failed"})


def list_actions(source: ReportSource) -> tuple[SourceAction, ...]:
    """Return what can be done with a source, the most likely action first."""
    if source.approved:
        return (UNDO_INCLUDE, EXCLUDE)
    return ACTIONS_BY_STATE[source.status]


def choose_row_action(source: ReportSource, sources: Sequence[ReportSource]) -> SourceAction | None:
    """Return the action of a source's row, None if none would bring the source back.

    sources: all of the session; a lower minimum relevance keeps others of them too.
    """
    if source.approved:
        return UNDO_INCLUDE
    if source.status == "dropped" and source.relevance and source.relevance.scored:
        score = source.relevance.score
        count = sum(_is_dropped_with(other, score) for other in sources)
        return SourceAction(
            "lower",
            ngettext(
                "Keep this one (relevance {score}/5)",
                "Keep {count} more (relevance {score}/5 or more)",
                count,
            ).format(count=count, score=score),
            ":material/south:",
            _("Lower the minimum relevance to {score}/5, for all sources").format(score=score),
        )
    if source.status in UNUSABLE:
        return None
    return ACTIONS_BY_STATE[source.status][0]


def _is_dropped_with(source: ReportSource, score: int) -> bool:
    """Return True for a dropped source that a minimum relevance of this score keeps."""
    judged = source.relevance
    return source.status == "dropped" and bool(judged and judged.scored and judged.score >= score)
