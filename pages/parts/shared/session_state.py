"""Describe the state of a session: its badge, what happens next, and what it came to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from parts.shared.badges import (
    AUDIT_BADGE,
    AUDIT_BADGE_CLEAN,
    AUDIT_BADGE_TO_READ,
    AUDIT_BADGE_WRONG,
    SESSION_BADGES,
    Badge,
)
from parts.shared.html_text import escape_line
from research_core.i18n import _, ngettext
from research_core.policy import checks_report
from research_core.sessions import session_list, workers
from research_core.sessions.session_status import SessionInfo
from research_core.sessions.snapshot import Snapshot
from research_core.wiring import default_resources

if TYPE_CHECKING:
    from research_core.pipeline.audit_result import ScoreCard

#: Key of the session that this tab watches until it ends.
WATCHED = "watched"


def find_outcome_badge(info: SessionInfo) -> Badge:
    """Return the badge of a session's decision or status; a finished check has its own."""
    if info.decision and checks_report(info.row.settings):
        return AUDIT_BADGE
    return SESSION_BADGES[session_list.get_state(info)]


def format_state(snapshot: Snapshot) -> str:
    """Return the badge of the state and, before the end, what happens next. HTML.

    That of a check is green only if all cited sentences are supported, and red if one says
    something different from its source.
    """
    shown = find_outcome_badge(snapshot.info)
    if shown == AUDIT_BADGE:
        card = _read_card(snapshot)
        shown = choose_audit_badge(card.contradicted, card.is_clean)
    badge = f'<span class="state">{shown.html}</span>'
    note = describe_next_step(snapshot.info)
    return f"{badge} {escape_line(note)}" if note else badge


def _read_card(snapshot: Snapshot) -> ScoreCard:
    from parts.audit import checked_report  # late, as the first screen shows no check

    return checked_report.read_result(snapshot).card


def choose_audit_badge(contradicted: int, is_clean: bool) -> Badge:
    """Return the badge of a finished check, from what its score card counts."""
    if contradicted:
        return AUDIT_BADGE_WRONG
    return AUDIT_BADGE_CLEAN if is_clean else AUDIT_BADGE_TO_READ


def count_supported(supported: int, cited: int) -> str:
    """Say how many of all cited sentences their sources support."""
    return ngettext(
        "{supported} of {count} cited sentence supported",
        "{supported} of {count} cited sentences supported",
        cited,
    ).format(supported=supported, count=cited)


def count_verdicts(snapshot: Snapshot) -> list[str]:
    """Say how many cited sentences of a checked report differ from their sources, and hold."""
    from research_core.pipeline.audit_result import describe_contradicted

    card = _read_card(snapshot)
    if not card.claims:
        return []
    supported = count_supported(card.supported, card.claims)
    if not card.contradicted:
        return [supported]
    return [describe_contradicted(card.contradicted, card.claims), supported]


def describe_next_step(info: SessionInfo) -> str:
    """Return what an unfinished session waits for, "" for any other."""
    if info.status == "queued":
        return _describe_place(info)
    if info.status != "interrupted":
        return ""
    # A server that runs sessions itself has a worker soon after its start.
    resources = default_resources()
    if not resources.settings.worker_only or workers.has_live_worker(resources):
        return _("Resumes in a few seconds.")
    return _("Resumes when a worker starts.")


def _describe_place(info: SessionInfo) -> str:
    engine = workers.find_running_engine()
    place = engine.find_place(info.row.id) if engine else None
    if place is None:
        return ""
    if place == 0:
        return _("Next in the queue")
    return _("Number {place} in the queue").format(place=place + 1)


def format_tab_title(snapshot: Snapshot, name: str, screen: str) -> str:
    """Return the title of the browser's tab; an unfinished session shows its state first."""
    badge = find_outcome_badge(snapshot.info)
    parts = [name, screen, _("Assay")]
    if snapshot.info.status != "done":
        parts.insert(0, badge.label)
    return " · ".join(parts)


def watch_to_the_end(session: str) -> None:
    """Open the report when this session ends, as long as this tab stays on Activity."""
    st.session_state[WATCHED] = session


def stop_watching() -> None:
    st.session_state.pop(WATCHED, None)


def open_finished_report(snapshot: Snapshot) -> None:
    """Open the report of a session that ended while this tab watched it.

    Any other session stays on Activity, as does one that failed.
    """
    info = snapshot.info
    if info.row.until is not None:
        return
    if snapshot.at_work or info.status in ("interrupted", "waiting"):
        watch_to_the_end(snapshot.session)
        return
    watched = st.session_state.pop(WATCHED, None)
    if info.status == "done" and watched == snapshot.session:
        st.switch_page("report.py", query_params={"session": snapshot.session})
