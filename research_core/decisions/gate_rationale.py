"""Explain the gate's decision in words that a person can check."""

from __future__ import annotations

from research_core.models import Decision
from research_core.modes import ResearchMode
from research_core.text.words import format_count


def choose_decision(
    survived: int, total: int, mode: ResearchMode, copies: int = 0, unscored: int = 0
) -> tuple[Decision, str]:
    """Return the decision for so many kept sources, and its reason.

    unscored: how many of the kept could not be scored, where the reason is to tell them apart.
    """
    scored = survived - unscored
    cutoff = f"{scored} of {format_count(total, 'source')} scored ≥ {mode.relevance_cutoff}"
    if unscored:
        kept = "was kept although it" if unscored == 1 else "were kept although they"
        cutoff += f", and {unscored} {kept} could not be scored"
    if unscored and unscored == total:
        kept = "was" if total == 1 else "were"
        cutoff = f"No source could be scored; {format_count(total, 'source')} {kept} kept"
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
        thresholds = (
            f"{mode.min_sources_full_report} for a full report and {mode.min_sources_short_report}"
            " for a short one"
        )
        return "short_report", f"{cutoff}; {mode.name} mode asks for {thresholds}"
    return (
        "insufficient_data",
        f"{cutoff}, below the {mode.min_sources_short_report} that {mode.name} mode asks for",
    )


def describe_unscored(unscored: int, total: int) -> str:
    """Return what the reason adds about sources kept because they could not be scored."""
    if not unscored:
        return ""
    if unscored == total:
        return "; relevance was not checked: no source could be scored, and all were kept"
    return f"; {unscored} of these could not be scored and were kept"


def describe_unjudged(unjudged: int, judged: int, why: str) -> str:
    """Return what the reason adds about pages read but not judged. why: what stopped the run."""
    if not unjudged:
        return ""
    verb = "was" if unjudged == 1 else "were"
    if not judged:
        pages = format_count(unjudged, "page")
        return f"; {pages} {verb} read, but none could be judged before {why}"
    pages = format_count(unjudged, "more page")
    return f"; {pages} {verb} read, but could not be judged before {why}"
