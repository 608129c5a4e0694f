"""The frame around every screen: page settings, the session named in the address, navigation. It knows nothing of a session's content."""

from __future__ import annotations

import re
from pathlib import Path

import streamlit as st

from parts import failures

SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
HERE = Path(__file__).parent
SCREENS = (
    ("ask.py", "Ask", "edit"),
    ("live.py", "Live", "monitoring"),
    ("sources.py", "Sources", "table_rows"),
    ("gate.py", "Gate", "rule"),
    ("report.py", "Report", "article"),
    ("sessions.py", "Sessions", "list"),
)


def keep_session() -> None:
    """Hold the session id both in the address (a link, a reload) and in st.session_state["session"] (navigation drops the address's).

    The address wins. What is not an id is dropped there too, so that no page ever sees one.
    """
    asked = st.query_params.get("session", st.session_state.get("session"))
    if asked is not None and not SESSION_ID.fullmatch(asked):
        st.warning("The address names no session: its id was cut short or altered. Follow the link again, or open one from Sessions.")
        del st.query_params["session"]
        asked = None
    st.session_state["session"] = asked
    if asked is not None and st.query_params.get("session") != asked:
        st.query_params["session"] = asked


st.set_page_config(page_title="Assay", page_icon="⚖️", layout="wide")
st.logo(HERE / "mark.svg", size="large")
st.html(HERE / "style.css")
keep_session()
screens = [st.Page(file, title=title, icon=f":material/{icon}:", default=file == "ask.py") for file, title, icon in SCREENS]
page = st.navigation(screens, position="top")
with failures.shown():
    page.run()
st.html('<footer data-shell="assay">Assay · every sentence shows what let it in</footer>')
