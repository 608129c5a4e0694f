"""List all sessions: search, filter, sort, open, compare, rename, tag, delete and restore."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from parts.sessions import actions
from parts.shared import current_user, failures, pager, watch
from parts.shared.badges import OUTCOME_BADGES
from parts.shared.session_row import draw_row
from research_core.sessions import session_list, session_status, spending
from research_core.sessions.session_list import SessionFilter
from research_core.sessions.session_status import SessionInfo
from research_core.text.words import clean_for_choice
from research_core.wiring import default_resources

INTRODUCTION = (
    "\nA session is one question and all that was done to answer it: the searches, the pages, "
    "the scores, the decisions, the report. Ask a\n"
    "question to start one, or use a terminal in Assay's folder:\n"
)
SESSIONS_PER_PAGE = 25
ORDERS = {
    "newest": "Newest first",
    "oldest": "Oldest first",
    "title": "By title",
    "outcome": "Best outcome first",
}
KEPT = "Kept"
DELETED = "Deleted"


def draw() -> None:
    st.title("Sessions", anchor=False)
    failures.draw_kept_failure()
    resources = default_resources()
    who = current_user.current_principal()
    kept = session_status.list_sessions(resources, who=who, limit=None, deleted=False)
    deleted = session_status.list_sessions(resources, who=who, limit=None, deleted=True)
    actions.draw_undo(deleted)
    if not kept and not deleted:
        _draw_empty()
        return
    gone = bool(deleted) and _choose_shelf(kept, deleted) == DELETED
    infos = deleted if gone else kept
    found = session_list.filter_sessions(infos, _draw_filters(infos))
    shown = pager.draw_page(found, SESSIONS_PER_PAGE, key="page")
    actions.draw_bar(shown, session_list.list_tags(kept), gone=gone, count=len(found))
    figures = spending.read_tallies(resources, [info.row.id for info in shown], who=who)
    with st.container(key="rows", gap=None):
        for info in shown:
            draw_row(info, figures.get(info.row.id))
    if not found:
        _draw_nothing_found(bool(infos))
    watch.follow_sessions({info.row.id: info.status for info in kept})


def _draw_empty() -> None:
    st.subheader("No sessions yet", anchor=False)
    st.markdown(INTRODUCTION, width=640)
    st.code('python3 run.py ask "…"', language="shell", width=640)
    st.page_link("ask.py", label="Ask a question", icon=":material/edit:")


def _choose_shelf(kept: Sequence[SessionInfo], deleted: Sequence[SessionInfo]) -> str:
    counts = {KEPT: len(kept), DELETED: len(deleted)}
    return st.segmented_control(
        "Which sessions",
        [KEPT, DELETED],
        key="kept_or_deleted",
        default=KEPT,
        required=True,
        label_visibility="collapsed",
        format_func=lambda name: f"{name} {counts[name]}",
    )


def _draw_filters(infos: Sequence[SessionInfo]) -> SessionFilter:
    """Draw the filters and return them; a chosen value stays available when no session has it."""
    chosen = st.session_state
    counts = Counter(map(session_list.get_state, infos))
    states = [
        state
        for state in session_list.STATES
        if counts[state] or state in (chosen.get("states") or ())
    ]
    tags = sorted({*session_list.list_tags(infos), *(chosen.get("tags") or ())}, key=str.casefold)
    search, tag, order = st.columns([5, 3, 2], gap="small")
    with search:
        words = st.text_input(
            "Search",
            key="words",
            type="search",
            placeholder="Words of question, title or tags",
            persist_state="session",
        )
    with tag:
        tagged = st.multiselect(
            "Tags",
            tags,
            key="tags",
            format_func=lambda tag: clean_for_choice(tag, 40),
            disabled=not tags,
            persist_state="session",
            placeholder="Any" if tags else "None given yet",
        )
    with order:
        by = st.selectbox(
            "Order",
            session_list.ORDERS,
            key="order",
            format_func=lambda name: ORDERS[name],
            persist_state="session",
        )
    standing = st.pills(
        "How they stand",
        states,
        selection_mode="multi",
        key="states",
        label_visibility="collapsed",
        format_func=lambda state: f"{OUTCOME_BADGES[state].label} {counts[state]}",
        persist_state="session",
    )
    return SessionFilter(words or "", tuple(standing), tuple(tagged), by)


def _draw_nothing_found(are_any: bool) -> None:
    if are_any:
        st.info("No session fits. Take back a filter, or search for fewer words.")
    else:
        st.info("All sessions are deleted. “Deleted” has them.")


draw()
