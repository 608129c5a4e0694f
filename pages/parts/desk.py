"""The session on the desk: the one of the address, its heading on every screen, and what a screen says when there is none."""

from __future__ import annotations

import streamlit as st

from parts import failures, watch
from parts.badges import DECISION
from parts.safe import markup
from parts.words import searched, when
from research_core.errors import UsageError
from research_core.reading import Reading
from research_core.text import plain


def opened(screen: str, teaches: str) -> Reading | None:
    """The session of the address with its heading drawn. Without one, what this screen is for and the way there; then None."""
    session = st.session_state["session"]
    if session is None:
        nothing(screen, teaches)
        return None
    try:
        shown = watch.follow(session)
    except UsageError as error:
        st.title(screen, anchor=False)
        failures.say(error.message, "It may have been deleted, or made under another ASSAY_HOME. Open one from Sessions, or ask anew.")
        ways()
        return None
    _heading(shown)
    return shown


def nothing(screen: str, teaches: str) -> None:
    """An empty screen that says what will stand there."""
    st.title(screen, anchor=False)
    st.markdown(teaches, width=640)
    ways()


def ways() -> None:
    with st.container(horizontal=True, key="ways"):
        st.page_link("ask.py", label="Ask a question")
        st.page_link("sessions.py", label="Open a session")


def _heading(shown: Reading) -> None:
    row = shown.info.row
    st.title(plain(row.question, 300), anchor=False)
    facts = (f"{row.settings['mode']} mode", searched(row.settings), f"model {row.settings['model']}", f"asked {when(row.created)}")
    decision = DECISION[shown.run.gated["decision"]].html if shown.run.gated else ""
    watch.status(shown, f"{decision} {' · '.join(markup(fact) for fact in facts)}")
