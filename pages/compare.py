"""Two sessions side by side: settings, outcome, sources, sentences and contradictions that differ."""

from __future__ import annotations

import streamlit as st

from parts.compare import differences, session_pair
from parts.shared import current_user, failures, session_header, watch
from research_core.errors import UsageError
from research_core.sessions import catalogue, runner
from research_core.sessions.compare import Comparison
from research_core.sessions.reading import Reading
from research_core.wiring import default_office

TEACHES = """
Here two sessions stand side by side: what was asked for otherwise, which sources one has and the other has not, which were scored or
decided otherwise, which sentences stand in one report only, and how far each can be relied on. Open a session first, or tick two under
Sessions.
"""


def draw() -> None:
    session = st.session_state["session"]
    if session is None:
        session_header.nothing("Compare", TEACHES)
        return
    st.title("Compare", anchor=False)
    before = _opened(session)
    if before is None:
        return
    other = session_pair.chosen(catalogue.beside(_all(), before.info.row))
    after = _opened(other) if other else None
    if after is None:
        session_pair.heading(before)
        return
    session_pair.headings(before, after)
    watch.sessions({shown.session: shown.info.status for shown in (before, after)})
    _differences(*session_pair.compared(before, after))


def _opened(session: str) -> Reading | None:
    try:
        return watch.follow(session)
    except UsageError as error:
        failures.say(
            error.message,
            "It may have been deleted, or made under another ASSAY_HOME. Choose another one.",
        )
        session_header.ways()
        return None


def _all() -> list[runner.SessionInfo]:
    return runner.sessions(default_office(), who=current_user.who(), limit=None)


def _differences(found: Comparison, markdown: str, rows: str) -> None:
    differences.summary(found)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Settings", anchor=False)
        differences.settings(found)
    with right:
        st.subheader("Outcome", anchor=False)
        differences.outcome(found)
    st.subheader("Sources", anchor=False)
    differences.sources(found)
    st.subheader("Sentences", anchor=False)
    differences.sentences(found)
    st.subheader("Contradictions between sources", anchor=False)
    differences.disputed(found)
    with st.container(horizontal=True):
        _download("Markdown", ".md", "text/markdown", markdown)
        _download("CSV", ".csv", "text/csv", rows)


def _download(label: str, suffix: str, mime: str, text: str) -> None:
    made, name = text.encode("utf-8", "replace"), f"comparison{suffix}"
    icon = ":material/download:"
    st.download_button(
        f"Download {label}",
        made,
        file_name=name,
        mime=mime,
        on_click="ignore",
        key=f"get{suffix}",
        icon=icon,
    )


draw()
