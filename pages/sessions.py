"""The list of research sessions, newest first; an empty list says how to start one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

HOW_TO_START = """
A session is one question and all that was done to answer it: the searches, the pages, the scores, the decisions, the report.
Start one in a terminal, in Assay's folder:
"""


def draw(sessions: Sequence[Mapping[str, object]]) -> None:
    """One row per session, with the keys `question`, `status` and `started`; or, without any, the way to a first one."""
    st.title("Sessions")
    if sessions:
        st.dataframe(sessions, hide_index=True, key="sessions")
        return
    st.subheader("No sessions yet")
    st.markdown(HOW_TO_START, width=640)
    st.code('python3 run.py ask "…"', language="shell", width=640)


draw(())  # The store is not built yet; its list of sessions comes here.
