"""Explain the gate's decision in words that a person can check."""

from __future__ import annotations

from research_core.i18n import _, gettext, join_clauses, join_list, ngettext
from research_core.models import Decision
from research_core.modes import ResearchMode


def choose_decision(
    survived: int,
    total: int,
    mode: ResearchMode,
    copies: int = 0,
    unscored: int = 0,
    *,
    says_none: bool = True,
    names_relevance: bool = False,
) -> tuple[Decision, str]:
    """Return the decision for so many kept sources, and its reason.

    unscored: how many of the kept could not be scored, where the reason is to tell them apart;
    says_none: say that no page was judged, instead of "0 of 0"; names_relevance: say what the score
    is, instead of "scored ≥ 3".
    """
    reason = _count_scored(survived - unscored, total, mode, unscored, names_relevance)
    if says_none and not total:
        reason = _("No page was judged")
    if copies:
        not_counted = ngettext(
            "{count} of them is a copy of another and not counted",
            "{count} of them are copies of another and not counted",
            copies,
        )
        reason = join_list([reason, not_counted.format(count=copies)])
    survived -= copies
    if survived >= mode.min_sources_full_report:
        enough = _("{reason}: enough for a full report in {mode} mode, which needs {full}")
        return "full_report", enough.format(
            reason=reason, mode=_(mode.name), full=mode.min_sources_full_report
        )
    if survived >= mode.min_sources_short_report:
        few = _("{reason}. In {mode} mode a full report needs {full} and a short one {short}")
        return "short_report", few.format(
            reason=reason,
            mode=_(mode.name),
            full=mode.min_sources_full_report,
            short=mode.min_sources_short_report,
        )
    too_few = _("{reason}: too few, {mode} mode needs {short}")
    return "insufficient_data", too_few.format(
        reason=reason, mode=_(mode.name), short=mode.min_sources_short_report
    )


def _count_scored(
    scored: int, total: int, mode: ResearchMode, unscored: int, names_relevance: bool
) -> str:
    """Return how many sources reached the cutoff, and how many could not be scored."""
    if unscored and unscored == total:
        return ngettext(
            "No source could be scored, {total} source was kept",
            "No source could be scored, {total} sources were kept",
            total,
        ).format(total=total)
    if names_relevance:
        words = ngettext(
            "{scored} of {total:,} page has a relevance of {cutoff}/5 or more",
            "{scored} of {total:,} pages have a relevance of {cutoff}/5 or more",
            total,
        )
    else:
        words = ngettext(
            "{scored} of {total:,} source scored ≥ {cutoff}",
            "{scored} of {total:,} sources scored ≥ {cutoff}",
            total,
        )
    reached = words.format(scored=scored, total=total, cutoff=mode.relevance_cutoff)
    if not unscored:
        return reached
    kept = ngettext("and {count} was kept unscored", "and {count} were kept unscored", unscored)
    return join_list([reached, kept.format(count=unscored)])


def describe_unscored(unscored: int, total: int) -> str:
    """Return what the reason of an older session adds about sources that could not be scored."""
    if not unscored:
        return ""
    if unscored == total:
        return "; relevance was not checked: no source could be scored, and all were kept"
    return f"; {unscored} of these could not be scored and were kept"


def describe_unjudged(unjudged: int, judged: int, why: str) -> str:
    """Return what the reason adds about pages read but not judged. why: what stopped the run."""
    if not unjudged:
        return ""
    if judged:
        words = ngettext(
            "{count:,} more page was read, but could not be judged before {why}",
            "{count:,} more pages were read, but could not be judged before {why}",
            unjudged,
        )
    else:
        words = ngettext(
            "{count:,} page was read, but none could be judged before {why}",
            "{count:,} pages were read, but none could be judged before {why}",
            unjudged,
        )
    return join_clauses(["", words.format(count=unjudged, why=gettext(why))])
