"""What let a source in, in a few lines to stand beside its citation: its credibility with the
parts, its relevance, the decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parts.shared.badges import SOURCE
from parts.shared.html_text import markup
from research_core.models import ReportSource, ScoreParts
from research_core.trust import credibility
from research_core.trust.credibility import Shares

#: The terms of a score, in the order of `Shares`, and what each means.
NAMES = {
    "site": "authority of the kind of site",
    "words": "share of the question's words in the snippet",
    "date": "a recent date in the snippet",
}


def line(source: ReportSource, policy: Mapping[str, Any]) -> str:
    """Decision and both scores in one line of HTML. policy: the credibility policy the session ran
    under, as its settings hold it.
    """
    scored = "own document"
    if source.parts:
        widths = zip(NAMES, _shares(source.parts, policy).widths, strict=True)
        bar = "".join(f'<i class="{name}" style="width:{width:.0%}"></i>' for name, width in widths)
        scored = (
            f'credibility <b>{source.parts.score:.2f}</b> <span class="bar"'
            f' aria-hidden="true">{bar}</span>'
        )
    judged, relevance = source.relevance, "relevance not scored"
    if judged and judged.scored:
        dots = "●" * judged.score + "○" * (5 - judged.score)
        relevance = f'relevance <b>{judged.score}/5</b> <span aria-hidden="true">{dots}</span>'
    approved = " approved by hand" if source.approved else ""
    return f'<p class="trust">{SOURCE[source.status].html}{approved} {scored} · {relevance}</p>'


def detail(source: ReportSource, policy: Mapping[str, Any]) -> str:
    """What the credibility is the sum of, and why the relevance, in words."""
    scored = (
        _sum(source.parts, policy) if source.parts else "An own document has no credibility score."
    )
    relevance = f"<br>{markup(source.relevance.explanation)}" if source.relevance else ""
    return f'<p class="about">{scored}{relevance}</p>'


def _sum(parts: ScoreParts, policy: Mapping[str, Any]) -> str:
    terms = _shares(parts, policy)
    told = " + ".join(
        f'<span title="{markup(about)}">{name} {term:.2f}</span>'
        for (name, about), term in zip(NAMES.items(), terms, strict=True)
    )
    capped = f", {terms.capped}" if terms.capped else ""
    return f"{parts.score:.2f} = {told}{capped} ({markup(parts.site)})"


def _shares(parts: ScoreParts, policy: Mapping[str, Any]) -> Shares:
    return credibility.shares(parts, policy["domain_weight"], policy["relevance_weight"])
