"""The latest sessions, each one click away, with how it stands or what it came to."""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user, session_header
from parts.shared.badges import DECISION, SESSION
from parts.shared.wording import ago
from research_core.sessions import runner
from research_core.sessions.runner import SessionInfo
from research_core.text.words import plain
from research_core.wiring import default_office

SHOWN = 5


def draw() -> bool:
    """Whether there are any; nothing is drawn where there are none."""
    infos = runner.sessions(default_office(), who=current_user.who(), limit=SHOWN)
    if not infos:
        return False
    st.markdown("Recent")
    with st.container(key="recent", gap=None):
        for info in infos:
            _row(info)
    if len(infos) == SHOWN:
        st.page_link("sessions.py", label="All sessions")
    return True


def _row(info: SessionInfo) -> None:
    """A link to where there is most to see, under it the state, which is the decision once there is
    one.
    """
    row = info.row
    badge = (
        DECISION.get(row.decision, SESSION[info.status])
        if info.status == "done"
        else SESSION[info.status]
    )
    target = "report.py" if info.status == "done" else "live.py"
    with st.container(key=f"recent_{row.id}", gap=None):
        st.page_link(
            target, label=plain(row.title or row.question, 90), query_params={"session": row.id}
        )
        st.html(
            f'<p class="facts">{badge.html} {session_header.origin(info)}'
            f" {ago(default_office().clock.now() - row.created)} ago</p>"
        )
