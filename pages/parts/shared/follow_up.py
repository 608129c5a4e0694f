"""Ask a follow-up question, in a box at the bottom of every tab of a session with a report."""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user, failures, session_state
from research_core.errors import ResearchError
from research_core.i18n import _
from research_core.policy import QUESTION_LENGTH
from research_core.sessions import session_start, workers
from research_core.text.question import clean_question
from research_core.wiring import default_resources

#: Key of the box. Text set under it is shown in the box, and sent by the user.
BOX = "follow_up"
_STARTED, _REFUSED = "follow_up_started", "follow_up_refused"


def draw_box(session: str) -> None:
    """Draw the box; a question opens its own session, which starts from this one's sources."""
    started = st.session_state.pop(_STARTED, None)
    if started:
        session_state.watch_to_the_end(started)
        st.switch_page("live.py", query_params={"session": started})
    asked_in, error = st.session_state.get(_REFUSED, (None, None))
    with st.bottom.container(key="follow_up_bar", gap=None):
        if error is not None and asked_in == session:
            failures.draw_failure(error.message, error.next_step)
        st.chat_input(
            _("Ask a follow-up"),
            key=BOX,
            max_chars=QUESTION_LENGTH[1],
            on_submit=_start_follow_up,
            args=(session,),
        )


def forget_refusal() -> None:
    """Forget the error of the last question. Call it when another screen opens."""
    st.session_state.pop(_REFUSED, None)


def _start_follow_up(session: str) -> None:
    """Start the follow-up, or keep the error for the next drawing and the words in the box."""
    asked = str(st.session_state[BOX] or "")
    st.session_state.pop(_REFUSED, None)
    resources = default_resources()
    who = current_user.current_principal()
    try:
        new = session_start.follow_up(resources, session, clean_question(asked), who=who)
        workers.get_engine(resources).enqueue(new, who=who)
    except ResearchError as error:
        st.session_state[_REFUSED] = (session, error)
        st.session_state[BOX] = asked
        return
    st.session_state[_STARTED] = new
