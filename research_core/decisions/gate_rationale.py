"""The gate's decision in words a person can check: how many sources bear on the question, and why
there is no report.

Words and arithmetic alone; which sources count is decided in `decide`.
"""

from __future__ import annotations

from research_core.models import Decision
from research_core.modes import ResearchMode


def choose_decision(
    survived: int, total: int, mode: ResearchMode, copies: int = 0
) -> tuple[Decision, str]:
    """The decision for so many survivors of so many sources, and its reason in words a person can
    check.

    copies: how many of them share their text with another survivor; one text counts once.
    """
    cutoff = f"{survived} of {total} sources scored ≥ {mode.relevance_cutoff}"
    if copies:
        cutoff += (
            f", {copies} of them {'a copy' if copies == 1 else 'copies'} of another and not counted"
        )
    survived -= copies
    if survived >= mode.min_sources_full_report:
        return (
            "full_report",
            (
                f"{cutoff}, meeting threshold for full report in {mode.name} mode"
                f" ({mode.min_sources_full_report})"
            ),
        )
    if survived >= mode.min_sources_short_report:
        asked = (
            f"{mode.min_sources_full_report} for a full report and {mode.min_sources_short_report}"
            " for a short one"
        )
        return "short_report", f"{cutoff}; {mode.name} mode asks for {asked}"
    return (
        "insufficient_data",
        f"{cutoff}, below the {mode.min_sources_short_report} that {mode.name} mode asks for",
    )


def describe_unscored(unscored: int, total: int) -> str:
    """What is to be said behind the reason of a decision about sources that were kept because
    nobody could score them.
    """
    if not unscored:
        return ""
    if unscored == total:
        return "; relevance was not checked: no source could be scored, and all were kept"
    return f"; {unscored} of these could not be scored and were kept"


def describe_unjudged(unjudged: int, judged: int, why: str) -> str:
    """What is to be said behind it about pages that were read and not judged any more. why: what
    stopped the run, as it is recorded.
    """
    if not unjudged:
        return ""
    pages = "1 page was" if unjudged == 1 else f"{unjudged} pages were"
    if not judged:
        return f"; {pages} read, but none could be judged before {why}"
    return f"; {pages.replace(' ', ' more ', 1)} read, but could not be judged before {why}"
