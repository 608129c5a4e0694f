"""Show the measured accuracy of Assay's judgements, the data sets, and the known weaknesses.

The figures come from `benchmarks/trust.py`, which anybody can run; nothing is measured here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from parts.how_far import breakdown, content, figures
from research_core.i18n import _


def draw() -> None:
    st.title(_("How far can you trust this?"), anchor=False)
    st.markdown(_(content.INTRO), width=760)
    kept = figures.read_trust_results()
    if not kept:
        st.info(
            _(
                "No figures yet. `python benchmarks/trust.py --record` measures them where the"
                " shared data sets are."
            )
        )
    else:
        st.caption(_describe_measurement(kept))
    figures.draw_areas(content.HEADLINES, _("Main figures"))
    st.caption(_(content.CROSS_VALIDATION_NOTE).format(date=figures.CROSS_VALIDATED_ON))
    _draw_title("credibility")
    figures.draw_areas({"": content.CREDIBILITY_FIGURES}, _("Credibility"))
    figures.draw_plain_figures(content.UNKNOWN_HOST_FIGURES, _("Unknown sites"), ".0%")
    _draw_details("credibility", breakdown.draw_credibility)
    _draw_title("relevance")
    _draw_details("relevance", breakdown.draw_relevance)
    _draw_title("support")
    breakdown.draw_errors()
    _draw_details("support", breakdown.draw_support)
    with st.expander(_("All figures: refuted claims")):
        breakdown.draw_stance()
    _draw_title("citations")
    figures.draw_plain_figures(content.CITATION_FIGURES, _("Citations"), ",.0f")
    _draw_details("citations", breakdown.draw_citations)
    _draw_title("contradictions")
    figures.draw_plain_figures(content.CONTRADICTION_FIGURES, _("Contradictions"), ".1%")
    figures.draw_plain_figures(content.UNRELATED_PAIR_FIGURES, _("Unrelated sentences"))
    _draw_details("contradictions", breakdown.draw_contradictions)
    st.caption(
        _(
            "docs/relevance-scoring.md explains the scores. benchmarks/trust.py measures all"
            " figures."
        )
    )


def _describe_measurement(kept: Mapping[str, Any]) -> str:
    """Return the date, the version of Assay and the half of the data the figures are from."""
    measured_at = _("Measured {date} at commit {commit} ({machine}).").format(
        date=kept["date"], commit=kept["commit"], machine=kept["machine"]
    )
    if kept["figures"].get("split", "share") == "share":
        half = _("These figures use one half of each data set. The other half was never looked at.")
    else:
        half = _("These figures use the half that was never looked at before.")
    return f"{measured_at} {half}"


def _draw_title(name: str) -> None:
    st.header(_(content.TITLES[name]), anchor=False)


def _draw_details(name: str, details: Callable[[], None]) -> None:
    """Draw the weaknesses of one judgement, with all of its figures folded away."""
    st.markdown(_(content.WEAKNESSES[name]), width=760)
    with st.expander(_("All figures: {judgement}").format(judgement=_(content.TITLES[name]))):
        details()


draw()
