"""Draw what follows a report's text: its sources, those not used, and how it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import streamlit as st

from parts.shared import provenance
from parts.shared.badges import SOURCE_BADGES
from parts.shared.html_text import escape_line, escape_paragraphs, format_link
from research_core.export import document
from research_core.export.document import TextRun, TextRuns
from research_core.i18n import _
from research_core.models import Report, ReportSource, format_state_counts
from research_core.pipeline import report


def draw_sources(built: Report) -> None:
    """Draw kept sources in full, unused ones folded with the reason, and a count of the rest."""
    st.header(_("Sources"), anchor=False)
    kept = [source for source in built.sources if source.status == "kept"]
    unquoted = report.find_unquoted(built)
    if built.decision == "insufficient_data":
        unquoted = frozenset()
    st.html(
        _format_sources(kept, "ol", unquoted)
        if kept
        else f"<p>{escape_line(_('No source kept.'))}</p>"
    )
    unused = [source for source in built.sources if source.status not in ("kept", "not_read")]
    if unused:
        counts = format_state_counts(Counter(source.status for source in unused))
        with st.expander(_("Not used: {counts}").format(counts=counts), key="not_used"):
            st.html(_format_sources(unused, "ul"))
    passed_over = document.describe_passed_over(built)
    if passed_over:
        st.html(f'<p class="facts">{passed_over}</p>')


def _format_sources(
    sources: Sequence[ReportSource], tag: str, unquoted: Collection[str] = ()
) -> str:
    """Return sources as a list. unquoted: the URLs of those that no sentence cites."""
    items = (_format_source(source, quoted=source.url not in unquoted) for source in sources)
    return f'<{tag} class="sources">{"".join(items)}</{tag}>'


def _format_source(source: ReportSource, *, quoted: bool) -> str:
    if source.relevance and source.relevance.scored:
        relevance = _("relevance {score}/5").format(score=source.relevance.score)
    else:
        relevance = ""
    if source.status != "kept":
        why = f"<span>{SOURCE_BADGES[source.status].html} {escape_line(source.reason)}</span>"
    else:
        why = ""
    use = "" if quoted else escape_line(_("not quoted"))
    choice = escape_line(_("included by hand")) if source.approved else ""
    about = (
        "<span"
        ' class="about">'
        f"{provenance.format_origin(source, provenance.format_credibility(source), choice, relevance, use)}"
        "</span>"
    )
    marks = provenance.format_badges(source)
    return (
        f"<li>{format_link(escape_line(source.title), source.address)}{marks}{about}"
        f"{provenance.format_unread(source)}{why}</li>"
    )


def draw_methodology(built: Report) -> None:
    """Draw how the report was made, folded."""
    with st.expander(_("Methodology"), key="methodology"):
        st.html(format_methodology(built))


def format_methodology(built: Report) -> str:
    """Return one item for each fact, with others' words escaped instead of read as Markdown."""
    return f"<ul>{''.join(map(_format_item, document.list_methods(built)))}</ul>"


def _format_item(runs: TextRuns) -> str:
    return f"<li>{''.join(map(_format_run, runs))}</li>"


def _format_run(run: TextRun) -> str:
    return format_link(escape_paragraphs(run.text), run.url)
