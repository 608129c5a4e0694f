"""Format why a source was used: decision, credibility with its parts, and relevance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parts.shared.badges import SOURCE_BADGES
from parts.shared.html_text import escape_line
from research_core.models import ReportSource, ScoreParts
from research_core.trust import credibility
from research_core.trust.credibility import ScoreTerms

#: Terms of a score, in the order of `Shares`, with their meaning.
PART_NAMES = {
    "site": "authority of the kind of site",
    "words": "share of the question's words in the snippet",
    "date": "a recent date in the snippet",
}


def format_line(source: ReportSource, policy: Mapping[str, Any]) -> str:
    """Return the decision and both scores in one line of HTML.

    policy: the session's credibility policy, as its settings store it.
    """
    scored = "own document"
    if source.parts:
        widths = zip(PART_NAMES, _compute_shares(source.parts, policy).widths, strict=True)
        bar = "".join(f'<i class="{name}" style="width:{width:.0%}"></i>' for name, width in widths)
        scored = (
            f'credibility <b>{source.parts.score:.2f}</b> <span class="bar"'
            f' aria-hidden="true">{bar}</span>'
        )
    judged = source.relevance
    relevance = "relevance not scored"
    if judged and judged.scored:
        dots = "●" * judged.score + "○" * (5 - judged.score)
        relevance = f'relevance <b>{judged.score}/5</b> <span aria-hidden="true">{dots}</span>'
    approved = " approved by hand" if source.approved else ""
    return (
        f'<p class="trust">{SOURCE_BADGES[source.status].html}{approved} {scored} · {relevance}</p>'
    )


def format_detail(source: ReportSource, policy: Mapping[str, Any]) -> str:
    """Return the terms of the credibility score and the reason for the relevance."""
    if source.parts:
        scored = _format_sum(source.parts, policy)
    else:
        scored = "An own document has no credibility score."
    relevance = f"<br>{escape_line(source.relevance.explanation)}" if source.relevance else ""
    return f'<p class="about">{scored}{relevance}</p>'


def _format_sum(parts: ScoreParts, policy: Mapping[str, Any]) -> str:
    terms = _compute_shares(parts, policy)
    terms_html = " + ".join(
        f'<span title="{escape_line(about)}">{name} {term:.2f}</span>'
        for (name, about), term in zip(PART_NAMES.items(), terms, strict=True)
    )
    capped = f", {terms.capped}" if terms.capped else ""
    return f"{parts.score:.2f} = {terms_html}{capped} ({escape_line(parts.site)})"


def _compute_shares(parts: ScoreParts, policy: Mapping[str, Any]) -> ScoreTerms:
    return credibility.compute_terms(parts, policy["domain_weight"], policy["relevance_weight"])
