"""Ask a follow-up question that starts from this session's sources."""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user, failures
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
    st.subheader("Ask a follow-up", anchor=False)
    st.caption(
        "It starts from the sources this session read, before it searches. No call that was"
        " answered is made again."
    )
    gaps = (
        open_questions.list_open_questions(built) if built.decision != "insufficient_data" else ()
    )
    if gaps:
        with st.container(key="gaps", gap=None):
            st.caption("Left open by this report:")
            for number, gap in enumerate(gaps, 1):
                st.button(
                    clean_for_screen(gap, 300),
                    key=f"gap_{number}",
                    type="tertiary",
                    wrap=True,
                    on_click=_use_gap,
                    args=(gap,),
                )
    hint, (_, longest) = "Ask one thing, in a full sentence", QUESTION_LENGTH
    st.text_area(
        "Your follow-up question", key="follow_up", height=80, max_chars=longest, placeholder=hint
    )
    if st.button("Research the follow-up", key="ask_follow_up", icon=":material/arrow_forward:"):
        with failures.show_failures():
            _start_follow_up(built.session, st.session_state["follow_up"])


def _use_gap(gap: str) -> None:
    st.session_state["follow_up"] = gap


def _start_follow_up(session: str, asked: str) -> None:
    resources = default_resources()
    who = current_user.current_principal()
    new = session_start.follow_up(resources, session, clean_question(asked), who=who)
    workers.get_engine(resources).enqueue(new, who=who)
    st.switch_page("live.py", query_params={"session": new})
