"""List the latest sessions with links and their state or outcome."""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user, session_header
from parts.shared.badges import DECISION_BADGES, SESSION_BADGES
from parts.shared.wording import format_ago
from research_core.sessions import runner
from research_core.sessions.runner import SessionInfo
from research_core.text.words import clean_for_screen
from research_core.wiring import default_resources

MAX_SHOWN = 5


def draw() -> bool:
    """Draw the latest sessions. Return False, drawing nothing, if there are none."""
    infos = runner.list_sessions(
        default_resources(), who=current_user.current_principal(), limit=MAX_SHOWN
    )
    if not infos:
        return False
    st.markdown("Recent")
    with st.container(key="recent", gap=None):
        for info in infos:
            _draw_row(info)
    if len(infos) == MAX_SHOWN:
        st.page_link("sessions.py", label="All sessions")
    return True


def _draw_row(info: SessionInfo) -> None:
    """Draw a link to the session's most useful screen, and its decision or else its state."""
    row = info.row
    if info.status == "done":
        badge = DECISION_BADGES.get(row.decision, SESSION_BADGES[info.status])
    else:
        badge = SESSION_BADGES[info.status]
    target = "report.py" if info.status == "done" else "live.py"
    with st.container(key=f"recent_{row.id}", gap=None):
        st.page_link(
            target,
            label=clean_for_screen(row.title or row.question, 90),
            query_params={"session": row.id},
        )
        st.html(
            f'<p class="facts">{badge.html} {session_header.format_origin(info)}'
            f" {format_ago(default_resources().clock.now() - row.created)} ago</p>"
        )
