"""What an analyst can ask of a session while it runs: write now, stop for good, look for something
more.
"""

from __future__ import annotations

import streamlit as st

from parts.session.activity import permission
from parts.shared import current_user, failures, watch
from parts.shared.html_text import markup
from research_core.sessions import live, runner, workers
from research_core.sessions.live import Asked
from research_core.sessions.reading import Reading
from research_core.wiring import default_office

LONGEST = 500
SIGNS = {"taken up": "✓", "waiting": "◌", "too late": "–"}
STOPPING = (
    "Stopping: pages that were read are judged for up to two seconds more. The gate then decides"
    " whether they make a report."
)
TOO_LATE = "The gate has decided: the sources stand. For more, ask a follow-up from the report."


def bar(shown: Reading) -> None:
    """Stop and write now, cancel, and a line to the run; below it what became of what was said."""
    asked, gated = live.stopping(shown), shown.run.gated is not None
    with st.container(horizontal=True, vertical_alignment="bottom", key="steer"):
        idle = asked or gated or not shown.run.sources
        st.button(
            "Stop and write now",
            key="stop",
            icon=":material/edit_note:",
            disabled=idle,
            on_click=_stop,
            args=(shown.session,),
        )
        st.button(
            "Cancel", key="cancel", icon=":material/close:", on_click=_cancel, args=(shown.session,)
        )
        _box(shown.session, closed=asked or gated)
    if asked and not gated:
        st.caption(STOPPING)
    if gated:
        st.caption(TOO_LATE)
    permission.questions(shown)
    _said(shown)


def _box(session: str, *, closed: bool) -> None:
    """A form, so that what is half typed is neither sent by a click elsewhere nor lost to the next
    look at the log.
    """
    with (
        st.form("instruct", border=False, width="stretch"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.text_input(
            "Tell it what else to look for", key="instruction", max_chars=LONGEST, disabled=closed,
            label_visibility="collapsed",
            placeholder="Tell it what else to look for",
        )  # fmt: skip
        st.form_submit_button(
            "Tell it",
            key="tell",
            icon=":material/send:",
            disabled=closed,
            on_click=_instruct,
            args=(session,),
        )


def _said(shown: Reading) -> None:
    told = [asked for asked in watch.made(shown, live.asked) if asked.do == "instruct"]
    given = [
        f"<li>✓ <b>given with the question</b> {markup(text)}</li>"
        for text in watch.made(shown, live.settings).instructions
    ]
    if items := [*given, *map(_item, told)]:
        st.html(f'<ul class="instructions" aria-label="Instructions">{"".join(items)}</ul>')


def _item(asked: Asked) -> str:
    return f"<li>{SIGNS[asked.state]} <b>{asked.state}</b> {markup(asked.about)}</li>"


def _stop(session: str) -> None:
    with failures.kept():
        runner.command(default_office(), session, "stop", who=current_user.who())


def _cancel(session: str) -> None:
    with failures.kept():
        workers.engine(default_office()).cancel(session, who=current_user.who())


def _instruct(session: str) -> None:
    """Send what was typed; it stays in its box unless it was taken."""
    if not st.session_state["instruction"].strip():
        return
    with failures.kept():
        runner.command(
            default_office(),
            session,
            "instruct",
            text=st.session_state["instruction"],
            who=current_user.who(),
        )
        st.session_state["instruction"] = ""
