"""Every research session: searched, filtered, put in order, opened, compared, renamed, tagged,
deleted and restored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from parts.sessions import actions
from parts.shared import current_user, failures, pager, watch
from parts.shared.badges import STATE
from parts.shared.session_row import row
from research_core.sessions import catalogue, runner
from research_core.sessions.catalogue import Wanted
from research_core.sessions.runner import SessionInfo
from research_core.text.words import plain
from research_core.wiring import default_office

TEACHES = """
A session is one question and all that was done to answer it: the searches, the pages, the scores, the decisions, the report. Ask a
question to start one, or use a terminal in Assay's folder:
"""
ON_A_PAGE = 25
ORDERS = {
    "newest": "Newest first",
    "oldest": "Oldest first",
    "title": "By title",
    "outcome": "Best outcome first",
}
KEPT, DELETED = "Kept", "Deleted"


def draw() -> None:
    st.title("Sessions", anchor=False)
    failures.refused()
    kept, deleted = (
        runner.sessions(default_office(), who=current_user.who(), limit=None, deleted=gone)
        for gone in (False, True)
    )
    actions.undo(deleted)
    if not kept and not deleted:
        _empty()
        return
    gone = bool(deleted) and _shelf(kept, deleted) == DELETED
    infos = deleted if gone else kept
    found = catalogue.pick(infos, _wanted(infos))
    shown = pager.page(found, ON_A_PAGE, key="page")
    actions.bar(shown, catalogue.tags(kept), gone=gone, count=len(found))
    figures = catalogue.figures(
        default_office(), [info.row.id for info in shown], who=current_user.who()
    )
    with st.container(key="rows", gap=None):
        for info in shown:
            row(info, figures.get(info.row.id))
    if not found:
        _nothing(bool(infos))
    watch.sessions({info.row.id: info.status for info in kept})


def _empty() -> None:
    st.subheader("No sessions yet", anchor=False)
    st.markdown(TEACHES, width=640)
    st.code('python3 run.py ask "…"', language="shell", width=640)
    st.page_link("ask.py", label="Ask a question", icon=":material/edit:")


def _shelf(kept: Sequence[SessionInfo], deleted: Sequence[SessionInfo]) -> str:
    counts = {KEPT: len(kept), DELETED: len(deleted)}
    return st.segmented_control(
        "Which sessions", [KEPT, DELETED], key="kept_or_deleted", default=KEPT, required=True,
        label_visibility="collapsed",
        format_func=lambda name: f"{name} {counts[name]}",
    )  # fmt: skip


def _wanted(infos: Sequence[SessionInfo]) -> Wanted:
    """What is asked for, from the row of widgets above the list; what is chosen stays on offer even
    when no session has it any more.
    """
    chosen = st.session_state
    counts = Counter(map(catalogue.state, infos))
    states = [
        state
        for state in catalogue.STATES
        if counts[state] or state in (chosen.get("states") or ())
    ]
    tags = sorted({*catalogue.tags(infos), *(chosen.get("tags") or ())}, key=str.casefold)
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
            "Tags", tags, key="tags", format_func=lambda tag: plain(tag, 40), disabled=not tags,
            persist_state="session",
            placeholder="Any" if tags else "None given yet",
        )  # fmt: skip
    with order:
        by = st.selectbox(
            "Order",
            catalogue.ORDERS,
            key="order",
            format_func=lambda name: ORDERS[name],
            persist_state="session",
        )
    standing = st.pills(
        "How they stand", states, selection_mode="multi", key="states",
        label_visibility="collapsed",
        format_func=lambda state: f"{STATE[state].label} {counts[state]}", persist_state="session",
    )  # fmt: skip
    return Wanted(words or "", tuple(standing), tuple(tagged), by)


def _nothing(are_any: bool) -> None:
    st.info(
        "No session fits. Take back a filter, or search for fewer words."
        if are_any
        else "All sessions are deleted. “Deleted” has them."
    )


draw()
