"""The report of a session: its text with every citation checked, the cited passage beside it, sources, methodology, download."""

from __future__ import annotations

import re

import streamlit as st

from parts import bibliography, desk, evidence, failures, prose
from research_core import decide, reading, report, runner
from research_core.models import Report
from research_core.reading import Cited, Reading
from research_core.text import plain
from research_core.wiring import default_office

TEACHES = """
Here stands the answer: every sentence with the passage it rests on, checked against the stored page. Where too little was found, it
says so and why, instead of an answer.
"""


def draw() -> None:
    shown = desk.opened("Report", TEACHES)
    if shown is None:
        return
    if shown.run.report is None:
        _not_yet(shown)
        return
    built = report.build(shown.run)
    citations = reading.citations(built)
    with st.container(horizontal=True, vertical_alignment="center"):
        _download(shown)
        if citations:
            st.html(prose.checks(citations), width="content")
    _outcome(built)
    if citations:
        _side_by_side(built, citations)
    else:
        _text(built, citations)
    bibliography.sources(built)
    st.subheader("Methodology", anchor=False)
    with st.container(key="methodology"):
        st.markdown("\n".join(f"- {line}" for line in report.methods(built)))


def _not_yet(shown: Reading) -> None:
    message, next_step = shown.failure
    if message:
        failures.say(message, next_step)
    else:
        st.info(f"There is no report{' yet: this session is at work' if shown.at_work else ': this session did not reach its end'}.")
    st.page_link("live.py", label="See how far it is" if shown.at_work else "Resume it from Live", icon=":material/monitoring:")


def _download(shown: Reading) -> None:
    markdown = runner.stored_report(default_office(), shown.session) or ""
    st.download_button(
        "Download Markdown", markdown, file_name=_file_name(shown.run.question), mime="text/markdown", on_click="ignore", key="download",
        icon=":material/download:",
    )  # fmt: skip


def _file_name(question: str) -> str:
    """The question's first words as a name that every system takes."""
    words = re.findall(r"[a-z0-9]+", question.lower())[:8]
    return f"{'-'.join(words)[:60] or 'report'}.md"


def _outcome(built: Report) -> None:
    if built.decision == "insufficient_data":
        st.warning(f"**No report: {plain(built.reason)}.** {plain(decide.REASONS[built.reason])}", icon=":material/block:")
    if built.disclaimer:
        st.warning(plain(built.disclaimer, 1000), icon=":material/info:")
    if built.unscored and built.unscored == built.funnel["judged"]:
        st.warning("Relevance was not checked: no source could be scored.", icon=":material/info:")


def _side_by_side(built: Report, citations: tuple[Cited, ...]) -> None:
    left, right = st.columns([3, 2], gap="large")
    with left:
        _text(built, citations)
    with right, st.container(key="evidence"):
        evidence.pane(citations)


def _text(built: Report, citations: tuple[Cited, ...]) -> None:
    with st.container(key="report_text"):
        st.html(f'<article class="report">{prose.text(built, citations)}</article>')


draw()
