"""Start a rewrite of a session, and open it."""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user, session_state
from research_core.policy import RunSettings
from research_core.sessions import session_start, workers
from research_core.wiring import default_resources


def start_rewrite(session: str, run: RunSettings) -> str:
    """Start a new session that rewrites this one under these settings. Return its ID."""
    resources = default_resources()
    who = current_user.current_principal()
    new = session_start.rewrite(resources, session, run, who=who)
    workers.get_engine(resources).enqueue(new, who=who)
    session_state.watch_to_the_end(new)
    return new


def open_rewrite(session: str, run: RunSettings) -> None:
    """Start a rewrite and open it under Activity. Do not call it in a callback."""
    st.switch_page("live.py", query_params={"session": start_rewrite(session, run)})
