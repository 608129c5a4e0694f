"""Draw the model's tool calls that wait for the analyst's permission."""

from __future__ import annotations

import json

import streamlit as st

from parts.shared import current_user, failures, watch
from parts.shared.html_text import escape_line
from research_core.i18n import _
from research_core.sessions import tool_permission
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.tool_permission import PermissionQuestion
from research_core.wiring import default_resources


def find_waiting(snapshot: Snapshot) -> tuple[PermissionQuestion, ...]:
    """Return the waiting calls, oldest first."""
    return tool_permission.list_waiting(snapshot.events)


def draw_questions(snapshot: Snapshot) -> None:
    """Draw each waiting call with its two answers."""
    for asked in watch.derive(snapshot, find_waiting):
        with st.container(border=True, key=f"asks_{asked.place.replace('.', '_')}"):
            st.html(
                f"<p><b>{_('The model wants to call {tool}.').format(tool=escape_line(asked.tool))}"
                f"</b> {_('This tool writes data, so it needs your permission.')}</p>"
            )
            st.code(
                json.dumps(dict(asked.arguments), ensure_ascii=False, indent=2),
                language="json",
                wrap_lines=True,
            )
            with st.container(horizontal=True):
                _draw_button(snapshot, asked, allow=True)
                _draw_button(snapshot, asked, allow=False)


def _draw_button(snapshot: Snapshot, asked: PermissionQuestion, *, allow: bool) -> None:
    if allow:
        label = _("Allow")
        icon = ":material/check:"
    else:
        label = _("Refuse")
        icon = ":material/block:"
    st.button(
        label,
        key=f"{'allow' if allow else 'refuse'}_{asked.place}",
        icon=icon,
        on_click=_send_answer,
        args=(snapshot.session, allow, asked.place),
        type="primary" if allow else "secondary",
    )


def _send_answer(session: str, allow: bool, place: str) -> None:
    with failures.keep_failures():
        tool_permission.answer_question(
            default_resources(), session, allow, place, who=current_user.current_principal()
        )
