"""The sources of a report as a numbered list with their scores, those not used, and how many nobody
came to.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.shared import provenance
from parts.shared.badges import SOURCE
from parts.shared.html_text import link, markup
from research_core.export import document
from research_core.models import Report, ReportSource


def sources(built: Report) -> None:
    """The kept ones in full; those not used folded away, with the reason; those that nobody came to
    counted.
    """
    st.subheader("Sources", anchor=False)
    kept = [source for source in built.sources if source.status == "kept"]
    st.html(_list(kept, "ol") if kept else "<p>No source was kept.</p>")
    lost = [source for source in built.sources if source.status not in ("kept", "not_read")]
    if lost:
        with st.expander(f"Not used: {len(lost)}", key="not_used"):
            st.html(_list(lost, "ul"))
    if passed_over := document.passed_over(built):
        st.html(f'<p class="facts">{passed_over}</p>')


def _list(sources: Sequence[ReportSource], tag: str) -> str:
    return f'<{tag} class="sources">{"".join(map(_item, sources))}</{tag}>'


def _item(source: ReportSource) -> str:
    relevance = (
        f"relevance {source.relevance.score}/5"
        if source.relevance and source.relevance.scored
        else ""
    )
    why = (
        f"<span>{SOURCE[source.status].html} {markup(source.reason)}</span>"
        if source.status != "kept"
        else ""
    )
    about = (
        "<span"
        f' class="about">{provenance.line(source, provenance.scored(source), relevance)}</span>'
    )
    marks = provenance.marks(source)
    return f"<li>{link(markup(source.title), source.address)}{marks}{about}{provenance.unread(source)}{why}</li>"
