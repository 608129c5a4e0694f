"""List all sessions: search, filter, sort, open, compare, rename, tag, delete and restore."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import streamlit as st

from parts.sessions import actions
from parts.sessions.row import draw_row
from parts.shared import current_user, failures, pager, watch
from parts.shared.badges import SESSION_BADGES
from research_core.i18n import N_, _
from research_core.models import SESSION_STATES
from research_core.sessions import check_counts, session_list, session_status, spending
from research_core.sessions.session_list import SessionFilter
from research_core.sessions.session_status import SessionInfo
from research_core.text.words import clean_for_choice
from research_core.wiring import default_resources

SESSIONS_PER_PAGE = 25
ORDERS = {
    "newest": N_("Newest first"),
    "oldest": N_("Oldest first"),
    "title": N_("By title"),
    "outcome": N_("Best outcome first"),
}
LISTS = {"kept": N_("Kept {count}"), "deleted": N_("Deleted {count}")}
KEPT, DELETED = LISTS


def draw() -> None:
    st.title(_("Sessions"), anchor=False)
    failures.draw_kept_failure()
    resources = default_resources()
    who = current_user.current_principal()
    kept = session_list.open_list(resources, who=who)
    deleted = session_list.open_list(resources, who=who, deleted=True)
    counts = {KEPT: kept.count_states(), DELETED: deleted.count_states()}
    actions.draw_undo()
    if not counts[KEPT] and not counts[DELETED]:
        _draw_empty()
        return
    chosen = _choose_list(counts) if counts[DELETED] else KEPT
    gone = chosen == DELETED
    tags = kept.list_tags()
    wanted = _draw_filters(counts[chosen], deleted.list_tags() if gone else tags)
    found = (deleted if gone else kept).find(wanted)
    page = pager.draw_page(found, SESSIONS_PER_PAGE, key="page")
    previous = {} if gone else session_list.find_previous_sessions(resources, page, who=who)
    read = _read_sessions({*page, *previous.values()}, gone)
    shown = [read[id] for id in page if id in read]
    actions.draw_bar(shown, tags, gone=gone, count=len(found))
    ids = [info.row.id for info in shown]
    figures = spending.read_tallies(resources, ids, who=who)
    checked = check_counts.read_check_counts(resources, ids, who=who)
    with st.container(key="rows", gap=None):
        for info in shown:
            id = info.row.id
            before = read.get(previous.get(id, ""))
            draw_row(info, figures.get(id), checked.get(id), before)
    if not found:
        _draw_nothing_found(bool(counts[chosen]))
    watch.follow_sessions(kept.list_unfinished())


def _read_sessions(ids: Collection[str], gone: bool) -> dict[str, SessionInfo]:
    """Return these sessions by id; one that was deleted or restored meanwhile is missing."""
    infos = session_status.list_sessions(
        default_resources(),
        who=current_user.current_principal(),
        limit=None,
        deleted=gone,
        ids=ids,
    )
    return {info.row.id: info for info in infos}


def _draw_empty() -> None:
    st.markdown(_("A session holds one question, its sources and its report."))
    if st.button(_("Ask a question"), key="ask_first", type="primary", icon=":material/edit:"):
        st.switch_page("ask.py")


def _choose_list(counts: Mapping[str, Mapping[str, int]]) -> str:
    sizes = {name: sum(counts[name].values()) for name in LISTS}
    return st.segmented_control(
        _("Kept or deleted"),
        list(LISTS),
        key="kept_or_deleted",
        default=KEPT,
        required=True,
        label_visibility="collapsed",
        format_func=lambda name: _(LISTS[name]).format(count=sizes[name]),
    )


def _draw_filters(counts: Mapping[str, int], used_tags: Collection[str]) -> SessionFilter:
    """Draw the filters and return them; a chosen value stays available when no session has it."""
    chosen = st.session_state
    states = [
        state
        for state in SESSION_STATES
        if state in counts or state in (chosen.get("states") or ())
    ]
    tags = sorted({*used_tags, *(chosen.get("tags") or ())}, key=str.casefold)
    search, tag, order = st.columns([5, 3, 2], gap="small")
    with search:
        words = st.text_input(
            _("Search"),
            key="words",
            type="search",
            placeholder=_("Question, title or tag"),
            persist_state="session",
        )
    with tag:
        tagged = st.multiselect(
            _("Tags"),
            tags,
            key="tags",
            format_func=lambda tag: clean_for_choice(tag, 40),
            disabled=not tags,
            persist_state="session",
            placeholder=_("Any") if tags else _("No tags yet"),
        )
    with order:
        by = st.selectbox(
            _("Order"),
            session_list.ORDERS,
            key="order",
            format_func=lambda name: _(ORDERS[name]),
            persist_state="session",
        )
    standing = st.pills(
        _("State"),
        states,
        selection_mode="multi",
        key="states",
        label_visibility="collapsed",
        format_func=lambda state: f"{SESSION_BADGES[state].label} {counts.get(state, 0)}",
        persist_state="session",
    )
    return SessionFilter(words or "", tuple(standing), tuple(tagged), by)


def _draw_nothing_found(are_any: bool) -> None:
    if not are_any:
        st.info(_("All sessions are deleted. Restore them under “Deleted”."))
        return
    st.info(_("No session matches."))
    st.button(_("Clear filters"), key="clear_filters", on_click=_clear_filters)


def _clear_filters() -> None:
    st.session_state.update({"words": "", "states": [], "tags": []})


draw()
