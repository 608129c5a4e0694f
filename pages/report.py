"""The report of a session: its text with every citation checked, the cited passage beside it, what
to doubt, sources, methodology.
"""

from __future__ import annotations

import streamlit as st

from parts.session.report import (
    bibliography,
    caveats,
    citation_table,
    downloads,
    evidence_pane,
    follow_up,
    methodology,
    no_report,
    prose,
    source_recheck,
)
from parts.shared import failures, session_header
from research_core.models import Report
from research_core.pipeline import report
from research_core.pipeline.backing import Backing
from research_core.pipeline.confidence import Findings, examine
from research_core.sessions import reading
from research_core.sessions.reading import Cited, Reading
from research_core.text.words import plain

TEACHES = """
Here stands the answer: every sentence with the passage it rests on, checked against the stored page. Where too little was found, it
says so and why, instead of an answer.
"""


def draw() -> None:
    shown = session_header.opened("Report", TEACHES)
    if shown is None:
        return
    if shown.run.report is None:
        _not_yet(shown)
        return
    built = report.build(shown.run)
    cited = reading.citations(built)
    if built.decision == "insufficient_data":
        no_report.reason(shown, built)
    for notice in report.notices(built):
        st.warning(plain(notice, 1000), icon=":material/info:")
    if built.stopped and built.decision != "insufficient_data":
        no_report.go_on(shown)
    downloads.row(shown, built)
    _written(shown, built, cited)
    if built.decision == "insufficient_data":
        no_report.searched(built)
    else:
        with st.container(key="ask_on"):
            follow_up.box(built)
    bibliography.sources(built)
    source_recheck.draw(built)
    st.subheader("Methodology", anchor=False)
    with st.container(key="methodology"):
        st.html(methodology.listed(built))


def _not_yet(shown: Reading) -> None:
    message, next_step = shown.failure
    if message:
        failures.say(message, next_step)
    else:
        led = shown.info.row.until is not None
        ended = (
            ": a client leads this session, and Live has a report of it written"
            if led
            else ": this session did not reach its end"
        )
        st.info(f"There is no report{' yet: this session is at work' if shown.at_work else ended}.")
    ways = (
        "See how far it is"
        if shown.at_work
        else "See its steps on Live"
        if shown.info.row.until is not None
        else "Resume it from Live"
    )
    st.page_link("live.py", label=ways, icon=":material/monitoring:")


def _written(shown: Reading, built: Report, cited: tuple[Cited, ...]) -> None:
    """The text; where it cites anything, with the passages beside it and all that is known of its
    citations under it.
    """
    if not cited:
        _text(built, cited, ())
        return
    found = _scrutinised(shown.session, shown.seq, built)
    backings = found.backings
    with st.container(key="report_summary"):
        st.html(citation_table.summary(built, cited))
        caveats.toggle(backings)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _text(built, cited, backings)
        if found.confidence is not None:
            with st.container(key="confidence"):
                st.html(caveats.confident(found.confidence))
    with right, st.container(key="evidence"):
        evidence_pane.pane(built, cited)
    with st.container(key="all_citations"):
        st.subheader("All citations", anchor=False)
        citation_table.table(cited, backings)
        caveats.alone(cited, backings)
    caveats.contradictions(built, cited, found.contradictions)


@st.cache_data(max_entries=32, show_spinner=False)
def _scrutinised(session: str, seq: int, _built: Report) -> Findings:
    return examine(_built)


def _text(built: Report, cited: tuple[Cited, ...], backings: tuple[Backing, ...]) -> None:
    with st.container(key="report_text"):
        st.html(
            f"{prose.contents(built)}<article"
            f' class="report">{prose.text(built, cited, backings)}</article>'
        )


draw()
