"""Steer a running session: stop and write now, cancel, or ask for something more."""

from __future__ import annotations

import streamlit as st

from parts.session.activity import permission
from parts.shared import current_user, failures, watch
from parts.shared.badges import Badge
from parts.shared.html_text import escape_line
from research_core.i18n import N_, _
from research_core.sessions import session_control, workers
from research_core.sessions import snapshot as snapshots
from research_core.sessions.snapshot import CommandState, Snapshot
from research_core.wiring import default_resources

#: Badges of each `CommandState.state`.
INSTRUCTION_BADGES = {
    "taken up": Badge("✓", N_("accepted"), "green"),
    "waiting": Badge("◌", N_("waiting"), "gray"),
    "too late": Badge("–", N_("too late"), "orange"),
}
STOPPING_NOTE = N_("Stopping. Pages already read are judged first, for up to two seconds.")
TOO_LATE_NOTE = N_("The gate has decided. For more, ask a follow-up.")


def draw_bar(snapshot: Snapshot) -> None:
    """Draw the stop and cancel buttons, the instruction box, and earlier instructions."""
    asked = snapshots.is_stopping(snapshot)
    gated = snapshot.run.gated is not None
    with st.container(horizontal=True, vertical_alignment="bottom", key="steer"):
        idle = asked or gated or not snapshot.run.sources
        st.button(
            _("Stop and write"),
            key="stop",
            icon=":material/edit_note:",
            disabled=idle,
            on_click=_stop_run,
            args=(snapshot.session,),
        )
        st.button(
            _("Cancel"),
            key="cancel",
            icon=":material/close:",
            on_click=_cancel_run,
            args=(snapshot.session,),
        )
        _draw_box(snapshot.session, closed=asked or gated)
    if asked and not gated:
        st.caption(_(STOPPING_NOTE))
    if gated:
        st.caption(_(TOO_LATE_NOTE))
    permission.draw_questions(snapshot)
    _draw_instructions(snapshot)


def _draw_box(session: str, *, closed: bool) -> None:
    """Draw the box as a form, so that other clicks neither send nor lose half-typed text."""
    with (
        st.form("instruct", border=False, width="stretch"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.text_input(
            _("Add an instruction"),
            key="instruction",
            disabled=closed,
            label_visibility="collapsed",
            placeholder=_("Also cover …"),
        )
        st.form_submit_button(
            _("Add"),
            key="tell",
            icon=":material/send:",
            disabled=closed,
            on_click=_send_instruction,
            args=(session,),
        )


def _draw_instructions(snapshot: Snapshot) -> None:
    items = [
        f"<li>✓ <b>{_('given with the question')}</b> {escape_line(text)}</li>"
        for text in watch.derive(snapshot, snapshots.read_settings).instructions
    ]
    for command in watch.derive(snapshot, snapshots.list_commands):
        if command.do == "instruct":
            items.append(_format_instruction(command))
    if items:
        label = escape_line(_("Instructions"))
        st.html(f'<ul class="instructions" aria-label="{label}">{"".join(items)}</ul>')


def _format_instruction(asked: CommandState) -> str:
    badge = INSTRUCTION_BADGES[asked.state]
    return f"<li>{badge.symbol} <b>{escape_line(badge.text)}</b> {escape_line(asked.about)}</li>"


def _stop_run(session: str) -> None:
    with failures.keep_failures():
        session_control.send_command(
            default_resources(), session, "stop", who=current_user.current_principal()
        )


def _cancel_run(session: str) -> None:
    with failures.keep_failures():
        workers.get_engine(default_resources()).cancel(
            session, who=current_user.current_principal()
        )


def _send_instruction(session: str) -> None:
    """Send the typed instruction; keep it in the box unless it was accepted."""
    if not st.session_state["instruction"].strip():
        return
    with failures.keep_failures():
        session_control.send_command(
            default_resources(),
            session,
            "instruct",
            text=st.session_state["instruction"],
            who=current_user.current_principal(),
        )
        st.session_state["instruction"] = ""
