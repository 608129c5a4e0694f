"""A session while it runs: how far it is, what happens, its sources as they arrive; and the way on once it has ended."""

from __future__ import annotations

import streamlit as st

from parts import desk, failures, sources, stages
from parts.badges import DECISION
from research_core import reading, runner, workers
from research_core.reading import Reading
from research_core.text import plain
from research_core.wiring import default_office

TEACHES = """
Here you watch a question being answered: the searches, the pages as they are read and judged, and the funnel from what was found to
what is kept. You can stop a run and have it write from what it has, or cancel it. Closing the tab stops nothing.
"""
#: What to say of a session that ended without a report, apart from one that failed, which says so itself.
ENDED = {
    "interrupted": "The process that ran this session is gone. Nothing it gathered is lost.",
    "cancelled": "This session was cancelled before its report. What it gathered is kept.",
}
COLUMNS = ("state", "title", "score", "relevance", "site")


def draw() -> None:
    shown = desk.opened("Live", TEACHES)
    if shown is None:
        return
    if shown.at_work:
        _steer(shown)
    elif shown.info.status == "done":
        _result(shown)
    else:
        _ended(shown)
    stages.line(reading.stages(shown))
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.subheader("What happened", anchor=False)
        _told(shown)
    with right:
        st.subheader("Sources", anchor=False)
        _sources(shown)


def _steer(shown: Reading) -> None:
    asked = any(event.kind == "command" and event.data["do"] == "stop" for event in shown.events)
    idle = asked or not shown.run.sources
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Stop and write now", key="stop", icon=":material/edit_note:", disabled=idle, on_click=_stop, args=(shown.session,))
        st.button("Cancel", key="cancel", icon=":material/close:", on_click=_cancel, args=(shown.session,))
        if asked:
            st.caption("Stopping: the report will be written from what has been read.")


def _stop(session: str) -> None:
    with failures.shown():
        runner.command(default_office(), session, "stop")


def _cancel(session: str) -> None:
    with failures.shown():
        workers.engine(default_office()).cancel(session)


def _resume(session: str) -> None:
    with failures.shown():
        workers.engine(default_office()).enqueue(session)


def _result(shown: Reading) -> None:
    gated = shown.run.gated or {"decision": "insufficient_data", "rationale": ""}
    with st.container(horizontal=True, vertical_alignment="center", key="result"):
        label = "See why there is no report" if gated["decision"] == "insufficient_data" else f"Read the {DECISION[gated['decision']].word}"
        st.page_link("report.py", label=label, icon=":material/article:")
        st.caption(plain(gated["rationale"]))


def _ended(shown: Reading) -> None:
    message, next_step = shown.failure
    if message:
        failures.say(message, next_step)
    else:
        st.info(ENDED[shown.info.status])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Resume", type="primary", key="resume", icon=":material/play_arrow:", on_click=_resume, args=(shown.session,))
        st.caption("It goes on from what is recorded; no call that was answered is made again.", width="content")


def _told(shown: Reading) -> None:
    lines = reading.lines(shown)
    if lines:
        stages.told(lines)
        return
    st.caption("Nothing yet: the session waits for a worker.")
    if default_office().settings.worker_only:
        st.caption("This server puts questions into the queue and answers none. `python3 run.py worker` starts a worker.")


def _sources(shown: Reading) -> None:
    found = reading.sources(shown)
    if found:
        sources.table(found, key="live_sources", columns=COLUMNS)
    else:
        st.caption("None yet. They appear here as soon as a search answers.")


draw()
