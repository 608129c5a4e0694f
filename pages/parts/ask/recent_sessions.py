"""List the latest sessions on the Ask screen, so that runs of one question can be told apart."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.shared import current_user, session_header, session_state
from parts.shared.html_text import escape_line
from parts.shared.wording import describe_search_places, format_moment, format_when
from research_core.i18n import _
from research_core.policy import RunSettings, name_model
from research_core.sessions import session_status
from research_core.sessions.session_status import SessionInfo
from research_core.text.words import clean_for_screen
from research_core.wiring import default_resources

#: Latest sessions listed.
MAX_RECENT = 5


def draw() -> None:
    """Draw the latest sessions, if there are any."""
    infos = session_status.list_sessions(
        default_resources(), who=current_user.current_principal(), limit=MAX_RECENT
    )
    if not infos:
        return
    st.header(_("Recent"), anchor=False)
    with st.container(key="recent", gap=None):
        for info, differences in zip(infos, list_differences(infos), strict=True):
            _draw_session(info, differences)
        with st.container(key="recent_all", gap=None):
            st.page_link("sessions.py", label=_("All sessions"), icon=":material/list:")


def list_differences(infos: Sequence[SessionInfo]) -> list[tuple[str, ...]]:
    """Return, for each session, the settings in which the sessions on its question differ."""
    described = [_describe_settings(info) for info in infos]
    differences = []
    for info, settings in zip(infos, described, strict=True):
        others = [
            other
            for each, other in zip(infos, described, strict=True)
            if each.row.question == info.row.question
        ]
        differences.append(
            tuple(
                setting
                for place, setting in enumerate(settings)
                if any(other[place] != setting for other in others)
            )
        )
    return differences


def _describe_settings(info: SessionInfo) -> tuple[str, ...]:
    """Return the settings that analysts change between two runs, always in the same order."""
    run = RunSettings.from_json(info.row.settings)
    length = _("{length} report").format(length=_(run.length or "normal"))
    return (
        _("{mode} mode").format(mode=_(run.mode)),
        _("minimum credibility {value:.2f}").format(value=run.credibility.minimum),
        describe_search_places(info.row.settings),
        name_model(run.model),
        _(run.strategy),
        length,
    )


def _draw_session(info: SessionInfo, differences: Sequence[str]) -> None:
    """Draw a link to the session, with its outcome, its start and the settings that differ."""
    row = info.row
    target = "report.py" if info.status == "done" else "live.py"
    moment = escape_line(format_moment(row.created))
    begun = escape_line(format_when(row.created, default_resources().clock.now()))
    facts = [f'<span title="{moment}">{begun}</span>', *map(escape_line, differences)]
    badges = f"{session_state.find_outcome_badge(info).html} {session_header.format_origin(info)}"
    with st.container(key=f"recent_{row.id}", gap=None):
        st.page_link(
            target,
            label=clean_for_screen(row.title or row.question, 90),
            query_params={"session": row.id},
        )
        st.html(f'<p class="facts">{badges} {" · ".join(facts)}</p>')
