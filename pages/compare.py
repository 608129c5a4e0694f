"""Compare two sessions: settings, outcome, sources, sentences and contradictions."""

from __future__ import annotations

import streamlit as st

from parts.compare import differences, session_pair
from parts.shared import current_user, failures, session_header, watch
from research_core.errors import UsageError
from research_core.i18n import N_, _
from research_core.sessions import session_list, session_status
from research_core.sessions.compare import Comparison
from research_core.sessions.snapshot import Snapshot
from research_core.wiring import default_resources

INTRODUCTION = N_(
    "See what differs between two sessions: settings, outcome, sources and sentences. Open a"
    " session first, or select two under Sessions."
)


def draw() -> None:
    session = st.session_state["session"]
    if session is None:
        session_header.draw_empty(_("Compare"), _(INTRODUCTION))
        return
    st.title(_("Compare"), anchor=False)
    before = _read_session(session)
    if before is None:
        return
    other = session_pair.choose_other(
        before.info, session_list.list_other_sessions(_list_sessions(), before.info.row)
    )
    after = _read_session(other) if other else None
    if after is None:
        session_pair.draw_heading(before)
        return
    found, markdown, rows = session_pair.compare_readings(before, after)
    session_pair.draw_headings(before, after, found)
    watch.follow_sessions({snapshot.session: snapshot.info.status for snapshot in (before, after)})
    _draw_differences(found, markdown, rows)


def _read_session(session: str) -> Snapshot | None:
    try:
        return watch.follow_session(session)
    except UsageError as error:
        failures.draw_failure(
            error.message,
            _(
                "The link may be mistyped, or the session may have been deleted or belong to"
                " someone else. Choose another session."
            ),
        )
        session_header.draw_start_links()
        return None


def _list_sessions() -> list[session_status.SessionInfo]:
    return session_status.list_sessions(
        default_resources(), who=current_user.current_principal(), limit=None
    )


def _draw_differences(found: Comparison, markdown: str, rows: str) -> None:
    differences.draw_summary(found)
    left, right = st.columns(2, gap="large")
    with left:
        st.header(_("Settings"), anchor=False)
        differences.draw_settings(found)
    with right:
        st.header(_("Outcome"), anchor=False)
        differences.draw_outcome(found)
    st.header(_("Sources"), anchor=False)
    differences.draw_sources(found)
    st.header(_("Cited sentences"), anchor=False)
    differences.draw_sentences(found)
    st.header(_("Contradictions"), anchor=False)
    differences.draw_disputes(found)
    with st.container(horizontal=True):
        _draw_download(_("Markdown"), ".md", "text/markdown", markdown)
        _draw_download(_("CSV"), ".csv", "text/csv", rows)


def _draw_download(label: str, suffix: str, mime: str, text: str) -> None:
    st.download_button(
        _("Download {format}").format(format=label),
        text.encode("utf-8", "replace"),
        file_name=f"comparison{suffix}",
        mime=mime,
        on_click="ignore",  # a redraw would scroll the screen
        key=f"get{suffix}",
        icon=":material/download:",
    )


draw()
