"""Describe the state of a session: its badge, what happens next, and what it came to."""

from __future__ import annotations

import streamlit as st

from parts.shared.badges import (
    AUDIT_BADGE,
    AUDIT_BADGE_CLEAN,
    AUDIT_BADGE_TO_READ,
    OUTCOME_BADGES,
    Badge,
)
from parts.shared.html_text import escape_line
from research_core.i18n import _
from research_core.policy import AUDIT_STRATEGY
from research_core.sessions import session_list, workers
from research_core.sessions.session_status import SessionInfo
from research_core.sessions.snapshot import Snapshot
from research_core.wiring import default_resources

#: Key of the session that this tab watches until it ends.
WATCHED = "watched"


def find_outcome_badge(info: SessionInfo) -> Badge:
    """Return the badge of a session's decision or status; a finished check has its own."""
    if info.decision and info.row.settings["strategy"] == AUDIT_STRATEGY:
        return AUDIT_BADGE
    return OUTCOME_BADGES[session_list.get_state(info)]


def format_state(snapshot: Snapshot) -> str:
    """Return the badge of the state and, before the end, what happens next. HTML.

    That of a check is green only if all cited sentences are supported.
    """
    shown = find_outcome_badge(snapshot.info)
    if shown == AUDIT_BADGE:
        from parts.audit import checked_report  # late, as the first screen shows no check

        is_clean = checked_report.read_result(snapshot).card.is_clean
        shown = AUDIT_BADGE_CLEAN if is_clean else AUDIT_BADGE_TO_READ
    badge = f'<span class="state">{shown.html}</span>'
    note = describe_next_step(snapshot.info)
    return f"{badge} {escape_line(note)}" if note else badge


def describe_next_step(info: SessionInfo) -> str:
    """Return what an unfinished session waits for, "" for any other."""
    if info.status == "queued":
        return _describe_place(info)
    if info.status != "interrupted":
        return ""
    # A server that runs sessions itself has a worker soon after its start.
    resources = default_resources()
    if not resources.settings.worker_only or workers.has_live_worker(resources):
        return _("Resumes in a few seconds.")
    return _("Resumes when a worker starts.")


def _describe_place(info: SessionInfo) -> str:
    engine = workers.find_running_engine()
    place = engine.find_place(info.row.id) if engine else None
    if place is None:
        return ""
    if place == 0:
        return _("Next in the queue")
    return _("Number {place} in the queue").format(place=place + 1)


def format_tab_title(snapshot: Snapshot, name: str, screen: str) -> str:
    """Return the title of the browser's tab; an unfinished session shows its state first."""
    badge = find_outcome_badge(snapshot.info)
    parts = [name, screen, _("Assay")]
    if snapshot.info.status != "done":
        parts.insert(0, badge.label)
    return " · ".join(parts)


def watch_to_the_end(session: str) -> None:
    """Open the report when this session ends, as long as this tab stays on Activity."""
    st.session_state[WATCHED] = session


def stop_watching() -> None:
    st.session_state.pop(WATCHED, None)


def open_finished_report(snapshot: Snapshot) -> None:
    """Open the report of a session that ended while this tab watched it.

    Any other session stays on Activity, as does one that failed.
    """
    info = snapshot.info
    if info.row.until is not None:
        return
    if snapshot.at_work or info.status in ("interrupted", "waiting"):
        watch_to_the_end(snapshot.session)
        return
    watched = st.session_state.pop(WATCHED, None)
    if info.status == "done" and watched == snapshot.session:
        st.switch_page("report.py", query_params={"session": snapshot.session})
