"""Show a session's report: checked citations, passages, caveats, sources and methodology."""

from __future__ import annotations

import streamlit as st

from parts.session.report import (
    caveats,
    citation_table,
    downloads,
    end_matter,
    evidence_pane,
    follow_up,
    no_report,
    prose,
    source_recheck,
)
from parts.shared import failures, session_header
from research_core.citations import cited_passages
from research_core.citations.cited_passages import SourceCitation
from research_core.models import Report
from research_core.pipeline import report
from research_core.pipeline.backing import Backing
from research_core.pipeline.confidence import Findings, examine
from research_core.sessions.snapshot import Snapshot
from research_core.text.words import clean_for_screen

INTRODUCTION = (
    "The answer, with the passage behind every sentence, checked against the stored page. If too"
    " little was found, it says so and why."
)


def draw() -> None:
    snapshot = session_header.open_session("Report", INTRODUCTION)
    if snapshot is None:
        return
    if snapshot.run.report is None:
        _draw_not_yet(snapshot)
        return
    built = report.build(snapshot.run)
    cited = cited_passages.list_citations(built)
    if built.decision == "insufficient_data":
        no_report.draw_reason(snapshot, built)
    for notice in report.list_notices(built):
        st.warning(clean_for_screen(notice, 1000), icon=":material/info:")
    if report.describe_blocked_share(built):
        no_report.draw_threshold_link(snapshot, built)
    if built.stopped and built.decision != "insufficient_data":
        no_report.draw_go_on(snapshot)
    downloads.draw_row(snapshot, built)
    _draw_report(snapshot, built, cited)
    if built.decision == "insufficient_data":
        no_report.draw_searches(built)
    else:
        with st.container(key="ask_on"):
            follow_up.draw_open_questions(built)
    end_matter.draw_sources(built)
    source_recheck.draw(built)
    end_matter.draw_methodology(built)


def _draw_not_yet(snapshot: Snapshot) -> None:
    message, next_step = snapshot.failure
    led_by_client = snapshot.info.row.until is not None
    if message:
        failures.draw_failure(message, next_step)
    elif snapshot.at_work:
        st.info("There is no report yet: this session is at work.")
    elif led_by_client:
        st.info(
            "There is no report: a client leads this session. To have one written, open Activity."
        )
    elif snapshot.info.status == "waiting":
        st.info("There is no report yet: the plan waits for your approval.")
    else:
        st.info("There is no report: this session did not reach its end.")
    if snapshot.info.status == "waiting":
        label = "Review the plan"
    elif snapshot.at_work:
        label = "See how far it is"
    elif led_by_client:
        label = "See its steps"
    else:
        label = "Resume it"
    st.page_link("live.py", label=label, icon=":material/monitoring:")


def _draw_report(snapshot: Snapshot, built: Report, cited: tuple[SourceCitation, ...]) -> None:
    """Draw the text, with passages beside it and citation details below if it cites anything."""
    if not cited:
        _draw_text(built, cited, ())
        return
    found = _find_caveats(snapshot.session, snapshot.seq, built)
    backings = found.backings
    with st.container(key="report_summary"):
        st.html(citation_table.format_summary(built, cited))
        caveats.draw_toggle(backings)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _draw_text(built, cited, backings)
        if found.confidence is not None:
            with st.container(key="confidence"):
                st.html(caveats.format_confidence(found.confidence))
    with right, st.container(key="evidence"):
        evidence_pane.draw_pane(built, cited)
    with st.container(key="all_citations"):
        st.subheader("All citations", anchor=False)
        citation_table.draw_table(cited, backings)
        caveats.draw_single_source_sentences(cited, backings)
    if built.decision != "insufficient_data" or built.funnel["kept"] > 1:
        caveats.draw_contradictions(built, cited, found.contradictions)


@st.cache_data(max_entries=32, show_spinner=False)
def _find_caveats(session: str, seq: int, _built: Report) -> Findings:
    # Session and event number identify the report; Streamlit ignores names with an underscore.
    return examine(_built)


def _draw_text(
    built: Report, cited: tuple[SourceCitation, ...], backings: tuple[Backing, ...]
) -> None:
    with st.container(key="report_text"):
        st.html(
            f"{prose.format_contents(built)}<article"
            f' class="report">{prose.format_report(built, cited, backings)}</article>'
        )


draw()
