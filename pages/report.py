"""Show a session's report: the answer first, the passage behind each sentence beside it."""

from __future__ import annotations

import streamlit as st

from parts.audit import checked_report, stored_notes
from parts.session import session_screen
from parts.session.report import (
    caveats,
    citation_table,
    end_matter,
    evidence_pane,
    follow_up,
    no_report,
    prose,
    source_recheck,
)
from parts.shared import failures
from research_core.citations import cited_passages
from research_core.citations.cited_passages import SourceCitation
from research_core.i18n import N_, RIGHT_TO_LEFT, _
from research_core.models import Report
from research_core.pipeline import report
from research_core.pipeline.backing import Backing
from research_core.pipeline.confidence import Findings, examine
from research_core.sessions.snapshot import Snapshot

INTRODUCTION = N_("The answer, with the passage behind every sentence.")


def draw() -> None:
    snapshot = session_screen.open_session(_("Report"), _(INTRODUCTION))
    if snapshot is None:
        return
    if snapshot.run.report is None:
        _draw_not_yet(snapshot)
        return
    built = report.build(snapshot.run)
    if snapshot.run.settings.checks_report:
        _draw_checked(snapshot, built)
        end_matter.draw_methodology(built)
        return
    if built.decision == "insufficient_data":
        _draw_no_report(snapshot, built)
    else:
        _draw_report(snapshot, built)
    source_recheck.draw(built)
    end_matter.draw_methodology(built)


def _draw_not_yet(snapshot: Snapshot) -> None:
    message, next_step = snapshot.failure
    led_by_client = snapshot.info.row.until is not None
    if message:
        failures.draw_failure(message, next_step)
    elif snapshot.at_work:
        st.info(_("No report yet. The session is running."))
    elif led_by_client:
        st.info(_("No report. An MCP client leads this session. Activity can write one."))
    elif snapshot.info.status == "waiting":
        st.info(_("No report yet. The plan waits for your approval."))
    else:
        st.info(_("No report. The session did not finish."))
    if snapshot.info.status == "waiting":
        label = _("Review the plan")
    elif snapshot.at_work:
        label = _("View progress")
    elif led_by_client:
        label = _("View steps")
    else:
        label = _("Resume session")
    st.page_link("live.py", label=label, icon=":material/monitoring:")


def _draw_no_report(snapshot: Snapshot, built: Report) -> None:
    """Draw the cause and its remedy first, then what was written, searched and found."""
    no_report.draw_reason(snapshot, built)
    cited = cited_passages.list_citations(built)
    _draw_answer(snapshot, built, cited)
    caveats.draw_notices(snapshot, built)
    no_report.draw_searches(built)
    end_matter.draw_sources(built)


def _draw_report(snapshot: Snapshot, built: Report) -> None:
    cited = cited_passages.list_citations(built)
    caveats.draw_notices(snapshot, built)
    caveats.draw_other_writers(snapshot, built)
    _draw_answer(snapshot, built, cited)
    with st.container(key="ask_on"):
        follow_up.draw_open_questions(built)
    end_matter.draw_sources(built)


def _draw_checked(snapshot: Snapshot, built: Report) -> None:
    """Draw the check of a given report: score card, its text with passages, sentences, sources."""
    audited = stored_notes.translate_notes(checked_report.read_result(snapshot))
    gate_numbers = {source.url: source.number for source in built.sources}
    built = checked_report.keep_checked_text(built, audited)
    cited = checked_report.list_citations(built, audited)
    caveats.draw_sample_notice(built)
    checked_report.draw_card(audited)
    if cited:
        left, right = st.columns([3, 2], gap="large")
        with left:
            _draw_text(built, cited, ())
        with right, st.container(key="evidence"):
            first = checked_report.find_most_urgent(cited)
            evidence_pane.draw_pane(built, cited, gate_numbers, first=first)
    else:
        _draw_text(built, cited, ())
    with st.container(key="all_citations"):
        checked_report.draw_sentences(audited)
        checked_report.draw_sources(audited, snapshot.run.settings.credibility)


def _draw_answer(snapshot: Snapshot, built: Report, cited: tuple[SourceCitation, ...]) -> None:
    """Draw the text with its passages beside it, and what the checks found below it."""
    if not cited:
        _draw_text(built, cited, ())
        no_report.draw_way_on(snapshot, built)
        return
    found = _find_caveats(snapshot.session, snapshot.seq, built)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _draw_text(built, cited, found.backings)
        with st.container(key="report_summary"):
            st.html(citation_table.format_summary(built, cited))
            caveats.draw_toggle(found.backings)
            caveats.draw_confidence(found)
        no_report.draw_way_on(snapshot, built)
    with right, st.container(key="evidence"):
        evidence_pane.draw_pane(built, cited)
    with st.container(key="all_citations"):
        st.header(_("Citations"), anchor=False)
        citation_table.draw_table(cited, found.backings)
        caveats.draw_single_source_sentences(cited, found.backings)
    if built.decision != "insufficient_data" or built.funnel["kept"] > 1:
        caveats.draw_contradictions(built, cited, found.contradictions)


@st.cache_data(max_entries=32, show_spinner=False)
def _find_caveats(session: str, seq: int, _built: Report) -> Findings:
    # Session and event number identify the report; Streamlit ignores names with an underscore.
    return examine(_built)


def _draw_text(
    built: Report,
    cited: tuple[SourceCitation, ...],
    backings: tuple[Backing, ...],
) -> None:
    text = prose.format_report(built, cited, backings)
    with st.container(key="report_text"):
        direction = "rtl" if built.language in RIGHT_TO_LEFT else "ltr"
        st.html(
            f"{prose.format_contents(built)}"
            f'<article class="report" dir="{direction}">{text}</article>'
        )


draw()
