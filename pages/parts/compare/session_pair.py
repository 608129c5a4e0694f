"""Choose the two sessions of a comparison, compare them, and draw their headings."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.shared.badges import OUTCOME_BADGES
from parts.shared.html_text import escape_line
from parts.shared.wording import describe_session_places, format_moment
from research_core.export import comparison
from research_core.sessions import compare, session_list
from research_core.sessions.compare import Comparison
from research_core.sessions.session_status import SessionInfo
from research_core.sessions.snapshot import Snapshot
from research_core.text.words import clean_for_choice, clean_for_screen

OTHER_PARAMETER = "with"  # parameter of the address


def choose_other(others: Sequence[tuple[SessionInfo, str]]) -> str | None:
    """Return the session named in the address, or let the user choose one of these.

    others: (session, its relation to the first one).
    """
    named = st.query_params.get(OTHER_PARAMETER)
    labels = {info.row.id: _format_label(info, kin) for info, kin in others}
    st.session_state["other"] = named if named in labels else None
    if labels:
        hint = "Choose a session; rewrites, follow-ups and the same question stand first"
    else:
        hint = "There is no other session yet"
    st.selectbox(
        "Compare with",
        list(labels),
        index=None,
        key="other",
        format_func=labels.__getitem__,
        on_change=_keep_choice,
        placeholder=hint,
        disabled=not labels,
    )
    return named


def _keep_choice() -> None:
    if st.session_state["other"]:
        st.query_params[OTHER_PARAMETER] = st.session_state["other"]
    else:
        del st.query_params[OTHER_PARAMETER]


def _format_label(info: SessionInfo, kin: str) -> str:
    facts = [
        clean_for_choice(session_list.get_name(info.row), 90),
        OUTCOME_BADGES[session_list.get_state(info)].word,
        info.row.settings["mode"],
        format_moment(info.row.created),
    ]
    return " · ".join([*([kin.capitalize()] if kin else []), *facts])


def compare_readings(before: Snapshot, after: Snapshot) -> tuple[Comparison, str, str]:
    """Return the comparison, also as Markdown and as CSV; cached while both are unchanged."""
    names = (session_list.get_name(before.info.row), session_list.get_name(after.info.row))
    return _compare_sessions(
        (before.session, before.seq), (after.session, after.seq), names, before, after
    )


@st.cache_data(max_entries=32, show_spinner=False)
def _compare_sessions(
    one: tuple[str, int],
    other: tuple[str, int],
    names: tuple[str, str],
    _before: Snapshot,
    _after: Snapshot,
) -> tuple[Comparison, str, str]:
    """Compare two sessions. one, other: (session ID, last event that was read)."""
    found = compare.compare_runs(_before.run, _after.run)
    return found, comparison.format_markdown(found, *names), comparison.format_comparison_csv(found)


def draw_headings(before: Snapshot, after: Snapshot) -> None:
    """Draw both headings, the first marked as the earlier one."""
    left, right = st.columns(2, gap="large")
    with left:
        draw_heading(before, "Before")
    with right:
        draw_heading(after, "After")
    query = {"session": after.session, OTHER_PARAMETER: before.session}
    st.page_link(
        "compare.py", label="Swap the two", icon=":material/swap_horiz:", query_params=query
    )


def draw_heading(snapshot: Snapshot, word: str = "") -> None:
    """Draw a session's heading; its name links to the most useful screen."""
    info = snapshot.info
    with st.container(key=f"pair_{word or 'alone'}", gap=None):
        if word:
            st.html(f'<p class="facts">{word}</p>')
        target = "report.py" if info.status == "done" else "live.py"
        st.page_link(
            target,
            label=clean_for_screen(session_list.get_name(info.row), 200),
            query_params={"session": info.row.id},
        )
        facts = (
            f"{info.row.settings['mode']} mode",
            describe_session_places(info),
            format_moment(info.row.created),
        )
        badge = OUTCOME_BADGES[session_list.get_state(info)]
        st.html(f'<p class="facts">{badge.html} {" · ".join(map(escape_line, facts))}</p>')
