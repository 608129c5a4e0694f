"""Show the measured accuracy of Assay's judgements, the data sets, and the known weaknesses.

The figures come from `benchmarks/trust.py`, which anybody can run; nothing is measured here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from parts.how_far import breakdown, content, figures


def draw() -> None:
    st.title("How far can you trust this?", anchor=False)
    st.markdown(content.INTRO, width=760)
    kept = figures.read_trust_results()
    if not kept:
        st.info(
            "No figures are kept here: `python benchmarks/trust.py --record` measures them, where"
            " the shared data is."
        )
    else:
        st.caption(_describe_measurement(kept))
    figures.draw_areas(content.HEADLINES, "The figures in short")
    st.caption(content.CROSS_VALIDATION_NOTE)
    st.subheader("Credibility", anchor=False)
    figures.draw_areas({"": content.CREDIBILITY_FIGURES}, "Credibility")
    figures.draw_plain_figures(content.UNKNOWN_HOST_FIGURES, "Unknown hosts", "{:.0%}")
    _draw_details("Credibility", breakdown.draw_credibility)
    st.subheader("Relevance", anchor=False)
    figures.draw_areas({"": content.RELEVANCE_FIGURES}, "Relevance")
    _draw_details("Relevance", breakdown.draw_relevance)
    st.subheader("Support", anchor=False)
    breakdown.draw_errors()
    _draw_details("Support", breakdown.draw_support)
    with st.expander("All figures on what speaks against a sentence"):
        breakdown.draw_stance()
    st.subheader("Citations", anchor=False)
    figures.draw_plain_figures(content.CITATION_FIGURES, "Citations", "{:,.0f}")
    _draw_details("Citations", breakdown.draw_citations)
    st.subheader("Contradictions", anchor=False)
    figures.draw_plain_figures(content.CONTRADICTION_FIGURES, "Contradictions", "{:.1%}")
    figures.draw_plain_figures(content.UNRELATED_PAIR_FIGURES, "Unrelated sentences")
    _draw_details("Contradictions", breakdown.draw_contradictions)
    st.caption(
        "docs/relevance-scoring.md tells how scores come about, what was tuned on what, and why;"
        " benchmarks/trust.py measures all of it."
    )


def _describe_measurement(kept: Mapping[str, Any]) -> str:
    """Return the date, the version of Assay and the half of the data the figures are from."""
    measured_at = f"Measured {kept['date']} at commit {kept['commit']} ({kept['machine']})"
    if kept["figures"].get("split", "share") == "share":
        return (
            f"{measured_at}, on one half of each set. The other half was kept apart: it was not"
            " seen, and no figure here is of it."
        )
    return f"{measured_at}, on the half of each set that was kept apart and not seen before."


def _draw_details(name: str, details: Callable[[], None]) -> None:
    """Draw the weaknesses of one judgement, with all of its figures folded away."""
    st.markdown(content.WEAKNESSES[name], width=760)
    with st.expander(f"All figures on {name.lower()}"):
        details()


draw()
