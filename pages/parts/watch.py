"""The one way a screen follows a session: a small fragment looks at its log once a second and redraws the page when the log moved."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from parts import failures
from parts.badges import SESSION
from parts.words import ago
from research_core import reading, runner
from research_core.reading import Reading
from research_core.wiring import default_office

EVERY_S = 1.0
AT_WORK = ("running", "queued")


def follow(session: str) -> Reading:
    """The session as it stands; the same object as long as nothing moved. Raises UsageError when there is no such session."""
    before = st.session_state.get("reading")
    st.session_state["reading"] = now = reading.read(default_office(), session, before=before)
    return now


def status(shown: Reading, facts: str) -> None:
    """The session's status with these facts (HTML), followed while it is at work. Draw it once on a page."""
    st.fragment(_status, run_every=EVERY_S if shown.at_work else None)(shown, facts)


def _status(shown: Reading, facts: str) -> None:
    with failures.shown():
        now = follow(shown.session)
        since = f" for {ago(default_office().clock.now() - now.info.row.created)} ·" if shown.at_work else ""
        st.html(f'<p class="facts">{SESSION[shown.info.status].html}{since} {facts}</p>')
        if now is not shown:
            st.rerun()


def sessions(shown: Mapping[str, str]) -> None:
    """A list of sessions, {id: status}, followed while any is at work."""
    at_work = any(status in AT_WORK for status in shown.values())
    st.fragment(_sessions, run_every=EVERY_S if at_work else None)(shown)


def _sessions(shown: Mapping[str, str]) -> None:
    with failures.shown():
        if {info.row.id: info.status for info in runner.sessions(default_office())} != shown:
            st.rerun()
