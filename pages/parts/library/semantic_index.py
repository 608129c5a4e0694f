"""Build and describe a library's semantic index: its state, progress and cancellation."""

from __future__ import annotations

from functools import partial
from threading import Event

import streamlit as st

from parts.shared import current_user, jobs
from parts.shared.html_text import escape_with_code
from research_core.i18n import _, format_number, ngettext
from research_core.wiring import default_resources

JOB_KEY = "meaning"
STOP_KEY = "stop_meaning"


def start_indexing(name: str) -> None:
    """Start indexing new documents if there is a model and no indexing is running."""
    library = default_resources().library(current_user.current_principal())
    known = library.read_embedding_state(name)
    if known.why or not known.missing or jobs.is_under_way(JOB_KEY):
        return
    stop = st.session_state[STOP_KEY] = Event()
    what = ngettext(
        "Indexing {count} document by meaning",
        "Indexing {count} documents by meaning",
        known.missing,
    ).format(count=format_number(known.missing))
    jobs.start_job(
        JOB_KEY, what, partial(library.embed_documents, name, go_on=lambda: not stop.is_set())
    )


def draw_stop() -> None:
    """Draw a button that stops the indexing; what is done is kept."""
    if jobs.is_under_way(JOB_KEY):
        st.button(
            _("Stop indexing"),
            key="stop_sense",
            type="tertiary",
            on_click=st.session_state[STOP_KEY].set,
        )


def draw(name: str) -> None:
    """Say how this library is searched, and offer to index what is not indexed yet."""
    jobs.take_result(JOB_KEY)  # raises the job's error, once
    if jobs.is_under_way(JOB_KEY):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="sense"):
        known = (
            default_resources().library(current_user.current_principal()).read_embedding_state(name)
        )
        st.html(f'<p class="facts">{escape_with_code(known.sentence())}</p>', width="content")
        if known.missing and not known.why:
            st.button(
                _("Index now"),
                key="start_sense",
                type="tertiary",
                on_click=start_indexing,
                args=(name,),
            )
