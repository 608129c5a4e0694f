"""Ask a follow-up question that starts from this session's sources."""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user, failures
from research_core.i18n import _
from research_core.models import Report
from research_core.pipeline import open_questions
from research_core.policy import QUESTION_LENGTH
from research_core.sessions import session_start, workers
from research_core.text.question import clean_question
from research_core.text.words import clean_for_screen
from research_core.wiring import default_resources


@st.fragment
def draw_box(built: Report) -> None:
    """Draw the question box, with the run's gaps as suggestions. Asking opens Activity."""
    st.header(_("Follow up"), anchor=False)
    draw_open_questions(built)
    st.text_area(
        _("Follow-up question"),
        key="follow_up",
        height=80,
        max_chars=QUESTION_LENGTH[1],
        placeholder=_("Starts from the sources of this session"),
        label_visibility="collapsed",
    )
    if st.button(_("Research"), key="ask_follow_up", icon=":material/arrow_forward:"):
        with failures.show_failures():
            start_follow_up(built.session, st.session_state["follow_up"])


def draw_open_questions(built: Report) -> None:
    """Draw the questions that the report leaves open; pressing one puts it into the box."""
    if built.decision == "insufficient_data":
        return
    gaps = open_questions.list_open_questions(built)
    if not gaps:
        return
    with st.container(key="gaps", gap=None):
        st.caption(_("Open questions:"))
        for number, gap in enumerate(gaps, 1):
            st.button(
                clean_for_screen(gap, 300),
                key=f"gap_{number}",
                type="tertiary",
                wrap=True,
                on_click=_use_gap,
                args=(gap,),
            )


def _use_gap(gap: str) -> None:
    st.session_state["follow_up"] = gap


def start_follow_up(session: str, asked: str) -> None:
    """Start a session that follows up this one, and open its Activity."""
    resources = default_resources()
    who = current_user.current_principal()
    new = session_start.follow_up(resources, session, clean_question(asked), who=who)
    workers.get_engine(resources).enqueue(new, who=who)
    st.switch_page("live.py", query_params={"session": new})
