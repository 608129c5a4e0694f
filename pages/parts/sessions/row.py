"""Draw a session as a row of a list: name, state, time, cost, and what differs from the last."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from parts.shared import session_header, session_state
from parts.shared.badges import AUDIT_BADGE, Badge
from parts.shared.html_text import escape_line
from parts.shared.wording import (
    describe_session_places,
    format_ago,
    format_cost,
    format_moment,
    format_time_taken,
)
from research_core.i18n import N_, _
from research_core.policy import RunSettings, Tally
from research_core.sessions import compare, retention, session_list
from research_core.sessions.check_counts import CheckCounts
from research_core.sessions.session_status import SessionInfo
from research_core.text.words import clean_for_screen
from research_core.wiring import default_resources

FINAL_PAGES = {"done": "report.py"}  # any other status opens Activity
MODE_NAMES = {
    "quick": N_("quick"),
    "standard": N_("standard"),
    "deep": N_("deep"),
    "agentic": N_("agentic"),
    "exhaustive": N_("exhaustive"),
}
#: Of a report with cited sentences that its sources do not support, or only in part.
UNSUPPORTED_SYMBOL = "◐"


def tick_key(info: SessionInfo) -> str:
    """Return the widget key of the checkbox that selects this row."""
    return f"tick_{info.row.id}"


def draw_row(
    info: SessionInfo,
    took: Tally | None,
    checked: CheckCounts | None,
    previous: SessionInfo | None,
) -> None:
    """Draw one row. A deleted session cannot be opened, so its name is not a link.

    checked: what the check of its report found, if it has one; previous: the last session before
    it on the same question, if there is one.
    """
    if not info.decision:
        checked = None
    name = clean_for_screen(session_list.get_name(info.row), 200)
    with st.container(key=f"session_{info.row.id}", horizontal=True, gap="small"):
        st.checkbox(
            _("Select {name}").format(name=name),
            key=tick_key(info),
            label_visibility="collapsed",
            width="content",
        )
        with st.container(gap=None):
            if info.row.deleted is None:
                st.page_link(
                    FINAL_PAGES.get(info.status, "live.py"),
                    label=name,
                    query_params={"session": info.row.id},
                )
            else:
                st.markdown(name)
            st.html(_format_facts(info, took, checked) + _format_difference(info, previous))


def _format_facts(info: SessionInfo, took: Tally | None, checked: CheckCounts | None) -> str:
    question = ""
    if info.row.title:
        question = f'<p class="facts">{escape_line(info.row.question, 200)}</p>'
    ended = f'<span class="ended">{_find_badge(info, checked).html}</span>'
    facts = "".join(f'<span class="{kind}">{fact}</span>' for kind, fact in _list_facts(info, took))
    origin = session_header.format_origin(info)
    if origin:
        origin = f"<span>{origin}</span>"
    tags = " ".join(f'<span class="tag">{escape_line(tag, 40)}</span>' for tag in info.row.tags)
    support = _format_support(info, checked)
    return f'{question}<p class="facts columns">{ended}{facts}{support}{origin}{tags}</p>'


def _find_badge(info: SessionInfo, checked: CheckCounts | None) -> Badge:
    """Return the badge of the outcome; that of a check is the one that its session shows."""
    badge = session_state.find_outcome_badge(info)
    if badge != AUDIT_BADGE or checked is None:
        return badge
    return session_state.choose_audit_badge(checked.contradicted, checked.is_clean)


def _format_support(info: SessionInfo, checked: CheckCounts | None) -> str:
    """Return how many cited sentences are supported, "" for a report in which all are. HTML.

    A checked report always says it.
    """
    if checked is None or not checked.cited:
        return ""
    words = session_state.count_supported(checked.supported, checked.cited)
    if checked.supported < checked.cited:
        return f"<span>{Badge(UNSUPPORTED_SYMBOL, words, 'orange').html}</span>"
    if session_state.find_outcome_badge(info) == AUDIT_BADGE:
        return f"<span>{escape_line(words)}</span>"
    return ""


def _list_facts(info: SessionInfo, took: Tally | None) -> Iterator[tuple[str, str]]:
    """Yield each fact with its column."""
    row = info.row
    if row.deleted is not None:
        resources = default_resources()
        until = row.deleted + retention.get_restorable_s(resources)
        deleted = _("Deleted {moment}. Can be restored for {time}.").format(
            moment=format_moment(row.deleted), time=format_ago(until - resources.clock.now())
        )
        yield "gone", escape_line(deleted)
    mode = row.settings["mode"]
    yield "mode", escape_line(_(MODE_NAMES[mode]) if mode in MODE_NAMES else mode)
    yield "when", escape_line(format_moment(row.created))
    yield "took", format_time_taken(took.seconds) if took else ""
    yield "cost", format_cost(took.cost) if took else ""
    yield "where", escape_line(describe_session_places(info))


# -- what differs ----------------------------------------------------------------------------------


def _format_difference(info: SessionInfo, previous: SessionInfo | None) -> str:
    """Return what tells a session from the last one on the same question. HTML."""
    if previous is None or info.row.until is not None or previous.row.until is not None:
        return ""
    moment = format_moment(previous.row.created)
    changes = compare.compare_settings(
        RunSettings.from_json(previous.row.settings), RunSettings.from_json(info.row.settings)
    )
    if not changes:
        line = _("Same settings as the session of {moment}").format(moment=moment)
    else:
        line = _("Changed since the session of {moment}: {changes}").format(
            moment=moment, changes=session_header.format_changes(changes)
        )
    return f'<p class="facts differs">{escape_line(line)}</p>'
