"""Choose the two sessions of a comparison, compare them, and draw their headings."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.shared import session_state
from parts.shared.html_text import escape_line
from parts.shared.wording import describe_session_places, format_moment
from research_core.export import comparison
from research_core.i18n import N_, _
from research_core.modes import EXHAUSTIVE
from research_core.policy import RunSettings
from research_core.sessions import compare, session_list
from research_core.sessions.compare import Change, Comparison
from research_core.sessions.session_status import SessionInfo
from research_core.sessions.snapshot import Snapshot
from research_core.text.words import clean_for_choice, clean_for_screen

OTHER_PARAMETER = "with"  # parameter of the address
#: Characters of a setting that fits a heading, and settings in it.
MAX_SETTING_LENGTH, MAX_SETTINGS = 40, 3
MODE_LABELS = {
    "quick": N_("Quick mode"),
    "standard": N_("Standard mode"),
    "deep": N_("Deep mode"),
    EXHAUSTIVE: N_("Exhaustive mode"),
}
#: What another session is to the first one, by the relations of `session_list`.
KIN_LABELS = dict(
    zip(
        session_list.RELATIONS,
        (
            N_("Rewrite"),
            N_("Original"),
            N_("Follow-up"),
            N_("Followed session"),
            N_("Same origin"),
            N_("Same question"),
            "",
        ),
        strict=True,
    )
)


def choose_other(first: SessionInfo, others: Sequence[tuple[SessionInfo, str]]) -> str | None:
    """Return the session named in the address, or let the user choose one of these.

    others: (session, its relation to the first one).
    """
    named = st.query_params.get(OTHER_PARAMETER)
    labels = {info.row.id: _format_label(info, kin, first) for info, kin in others}
    st.session_state["other"] = named if named in labels else None
    st.selectbox(
        _("Compare with"),
        list(labels),
        index=None,
        key="other",
        format_func=labels.__getitem__,
        on_change=_keep_choice,
        placeholder=_("Choose a session") if labels else _("No other session yet"),
        disabled=not labels,
    )
    return named


def _keep_choice() -> None:
    if st.session_state["other"]:
        st.query_params[OTHER_PARAMETER] = st.session_state["other"]
    else:
        del st.query_params[OTHER_PARAMETER]


def _format_label(info: SessionInfo, kin: str, first: SessionInfo) -> str:
    """Return what tells a session from the first one, then what it shares with others."""
    name = session_list.get_name(info.row)
    changes = compare.compare_settings(
        RunSettings.from_json(first.row.settings), RunSettings.from_json(info.row.settings)
    )
    facts = [_(KIN_LABELS[kin])] if kin else []
    if not kin or name != first.row.question:
        facts.append(clean_for_choice(name, 90))
    facts += [clean_for_choice(each, 60) for each in list_own_settings(changes, after=True)]
    facts += [
        format_mode(info),
        format_moment(info.row.created),
        _(session_state.find_outcome_badge(info).word),
    ]
    return " · ".join(facts)


def list_own_settings(changes: Sequence[Change], *, after: bool) -> list[str]:
    """Return the short settings that one of two sessions has of its own: "Mode quick"."""
    own = []
    for change in changes:
        value = change.after if after else change.before
        if len(value) <= MAX_SETTING_LENGTH:
            own.append(f"{change.name} {value}")
    return own[:MAX_SETTINGS]


def format_mode(info: SessionInfo) -> str:
    """Return the mode of a session: "Quick mode"."""
    mode = info.row.settings["mode"]
    return _(MODE_LABELS[mode]) if mode in MODE_LABELS else mode


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


def draw_headings(before: Snapshot, after: Snapshot, found: Comparison) -> None:
    """Draw both headings, each with what it has of its own; a shared question stands once."""
    is_same = before.info.row.question == after.info.row.question
    if is_same:
        st.html(f'<p class="asked">{escape_line(before.info.row.question, 300)}</p>')
    changes = found.settings
    left, right = st.columns(2, gap="large")
    with left:
        own = list_own_settings(changes, after=False)
        draw_heading(before, _("Before"), own, is_same=is_same)
    with right:
        own = list_own_settings(changes, after=True)
        draw_heading(after, _("After"), own, is_same=is_same)
    query = {"session": after.session, OTHER_PARAMETER: before.session}
    st.page_link("compare.py", label=_("Swap"), icon=":material/swap_horiz:", query_params=query)


def draw_heading(
    snapshot: Snapshot, word: str = "", own: Sequence[str] = (), *, is_same: bool = False
) -> None:
    """Draw a session's heading; its name links to the most useful screen.

    own: settings the other session does not have. is_same: both have the same question.
    """
    info = snapshot.info
    facts = [*own, format_mode(info), format_moment(info.row.created)]
    name = session_list.get_name(info.row)
    if is_same and name == info.row.question:
        name = " · ".join(facts)
        facts = []
    with st.container(key=f"pair_{'after' if word == _('After') else 'before'}", gap=None):
        if word:
            st.html(f'<p class="facts">{escape_line(word)}</p>')
        target = "report.py" if info.status == "done" else "live.py"
        st.page_link(
            target,
            label=clean_for_screen(name, 200),
            query_params={"session": info.row.id},
        )
        facts.append(describe_session_places(info))
        badge = session_state.find_outcome_badge(info)
        st.html(f'<p class="facts">{badge.html} {" · ".join(map(escape_line, facts))}</p>')
