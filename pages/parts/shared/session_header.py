"""Open the session named in the address, and draw its heading or an empty screen."""

from __future__ import annotations

import streamlit as st

from parts.shared import failures, watch
from parts.shared.badges import Badge
from parts.shared.html_text import escape_line
from parts.shared.wording import describe_session_places, format_moment
from research_core.errors import UsageError
from research_core.sessions.session_status import SessionInfo
from research_core.sessions.snapshot import Snapshot
from research_core.text.words import clean_for_screen, strip_invisible, truncate

#: Badges of sessions that came from another one.
REWRITE, FOLLOW_UP = Badge("↻", "re-write", "blue"), Badge("↳", "follow-up", "blue")


def open_session(screen: str, teaches: str, *, followed: bool = False) -> Snapshot | None:
    """Draw the session's heading and return the session; draw an empty screen if there is none.

    followed: the screen follows the session itself.
    """
    session = st.session_state["session"]
    if session is None:
        draw_empty(screen, teaches)
        return None
    try:
        snapshot = watch.follow_session(session)
    except UsageError as error:
        st.title(screen, anchor=False)
        failures.draw_failure(
            error.message,
            "It may have been deleted, or made under another ASSAY_HOME. Open one from Sessions, or"
            " ask anew.",
        )
        draw_start_links()
        return None
    name = strip_invisible(snapshot.info.row.title or snapshot.info.row.question)
    st.set_page_config(page_title=f"{truncate(name, 60)} · {screen} · Assay")
    _draw_heading(snapshot, followed)
    return snapshot


def draw_empty(screen: str, teaches: str) -> None:
    """Draw an empty screen that says what it will show."""
    st.title(screen, anchor=False)
    st.markdown(teaches, width=640)
    draw_start_links()


def draw_start_links() -> None:
    with st.container(horizontal=True, key="ways"):
        st.page_link("ask.py", label="Ask a question")
        st.page_link("sessions.py", label="Open a session")


def _draw_heading(snapshot: Snapshot, followed: bool) -> None:
    row = snapshot.info.row
    st.title(clean_for_screen(row.title or row.question, 300), anchor=False)
    with st.container(key="facts", gap=None):
        if row.title:
            st.html(f'<p class="facts">{escape_line(row.question)}</p>')
        if followed:
            st.html(f'<p class="facts">{format_facts(snapshot)}</p>')
        else:
            watch.draw_status(snapshot, format_facts(snapshot))
        if row.parent:
            _draw_parent(snapshot)


def format_facts(snapshot: Snapshot) -> str:
    """Return how the session was asked. HTML."""
    row = snapshot.info.row
    how = (
        f"{row.settings['mode']} mode",
        describe_session_places(snapshot.info),
        f"model {row.settings['model']}",
        f"asked {format_moment(row.created)}",
    )
    return " · ".join(escape_line(fact) for fact in how)


def _draw_parent(snapshot: Snapshot) -> None:
    """Draw a link to the session this one came from."""
    row = snapshot.info.row
    with st.container(horizontal=True, vertical_alignment="center", key="parent", gap="small"):
        st.html(format_origin(snapshot.info), width="content")
        if _is_follow_up(snapshot.info):
            label = f"of “{clean_for_screen(row.settings['follows'], 100)}”"
        else:
            label = "of the session it was made from"
        st.page_link("report.py", label=label, query_params={"session": str(row.parent)})


def format_origin(info: SessionInfo) -> str:
    """Return how a session came from another one as a badge, "" for a session of its own. HTML."""
    if info.row.parent:
        return (FOLLOW_UP if _is_follow_up(info) else REWRITE).html
    return ""


def _is_follow_up(info: SessionInfo) -> bool:
    """Return True if it follows up its parent; a follow-up's re-write has the same settings."""
    return info.row.settings.get("after") == info.row.parent
