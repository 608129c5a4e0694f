"""The meaning of a library: one line that says how it is searched, and the working out of what is
new, which can be stopped.
"""

from __future__ import annotations

from functools import partial
from threading import Event

import streamlit as st

from parts.shared import current_user, jobs
from parts.shared.html_text import coded
from research_core.wiring import default_office

JOB = "meaning"
STOP = "stop_meaning"


def start(name: str) -> None:
    """Begin to work out what is new in this library, where there is a model and nothing of the kind
    is under way.
    """
    library = default_office().library(current_user.who())
    known = library.meaning(name)
    if known.why or not known.missing or jobs.under_way(JOB):
        return
    stop = st.session_state[STOP] = Event()
    what = f"Working out the meaning of {known.missing:,} document{'s' * (known.missing != 1)}"
    jobs.start(JOB, what, partial(library.work_out, name, go_on=lambda: not stop.is_set()))


def stop() -> None:
    """The way to stop it while it is under way; what is done stays, the rest can be worked out
    later.
    """
    if jobs.under_way(JOB):
        st.button(
            "Stop working out the meaning",
            key="stop_sense",
            type="tertiary",
            on_click=st.session_state[STOP].set,
        )


def draw(name: str) -> None:
    """How this library is searched, and a button for what is not worked out yet."""
    jobs.done(JOB)  # what went wrong there is said here, once
    if jobs.under_way(JOB):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="sense"):
        known = default_office().library(current_user.who()).meaning(name)
        st.html(f'<p class="facts">{coded(known.sentence())}</p>', width="content")
        if known.missing and not known.why:
            st.button(
                "Work it out now", key="start_sense", type="tertiary", on_click=start, args=(name,)
            )
