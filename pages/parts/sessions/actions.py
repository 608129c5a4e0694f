"""Act on the ticked sessions of a list, and undo a deletion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from parts.shared import current_user, failures
from parts.shared.session_row import tick_key
from parts.shared.wording import plural_ending
from research_core.errors import UsageError
from research_core.sessions import retention, session_control, session_list
from research_core.sessions.session_status import SessionInfo
from research_core.text.words import clean_for_choice, clean_for_screen
from research_core.wiring import default_resources


def draw_bar(shown: Sequence[SessionInfo], tags: Sequence[str], *, gone: bool, count: int) -> None:
    """Draw the actions for the ticked rows, or the session count if none is ticked.

    gone: deleted sessions are listed.
    """
    ticked = [info for info in shown if st.session_state.get(tick_key(info))]
    with st.container(key="actions", horizontal=True, vertical_alignment="center", gap="small"):
        _draw_tick_all(shown, ticked)
        if not ticked:
            st.caption(
                f"{count:,} session{plural_ending(count)}. Tick some to "
                f"{_describe_empty(gone)} them.",
                width="content",
            )
        elif gone:
            st.button(
                "Restore",
                key="restore",
                icon=":material/undo:",
                on_click=_restore_sessions,
                args=(_session_ids(ticked),),
            )
        else:
            _draw_actions(ticked)
    if ticked and not gone:
        _draw_form(ticked, tags)


def _describe_empty(gone: bool) -> str:
    return "restore" if gone else "compare, rename, tag or delete"


def _draw_tick_all(shown: Sequence[SessionInfo], ticked: Sequence[SessionInfo]) -> None:
    st.session_state["all"] = bool(ticked) and len(ticked) == len(shown)
    label = f"{len(ticked)} ticked" if ticked else "All"
    st.checkbox(
        label,
        key="all",
        on_change=_tick_all,
        args=(shown,),
        width="content",
        disabled=not shown,
        help="Tick every row of this page",
    )


def _tick_all(shown: Sequence[SessionInfo]) -> None:
    for info in shown:
        st.session_state[tick_key(info)] = st.session_state["all"]


def _draw_actions(ticked: Sequence[SessionInfo]) -> None:
    older, *others = sorted(ticked, key=lambda info: info.row.created)
    if len(ticked) <= 2:
        query = {"session": older.row.id} | ({"with": others[0].row.id} if others else {})
        st.page_link(
            "compare.py",
            label="Compare" if others else "Compare with …",
            icon=":material/compare_arrows:",
            query_params=query,
        )
    if not others:
        st.page_link(
            "replay.py",
            label="Replay",
            icon=":material/history:",
            query_params={"session": older.row.id},
        )
        st.button(
            "Rename", key="rename", icon=":material/edit:", on_click=_toggle_form, args=("rename",)
        )
    st.button("Tags", key="tag", icon=":material/label:", on_click=_toggle_form, args=("tag",))
    st.button(
        "Delete",
        key="delete",
        icon=":material/delete:",
        on_click=_delete_sessions,
        args=(_session_ids(ticked),),
    )


# -- renaming and tagging --------------------------------------------------------------------------


def _toggle_form(form: str) -> None:
    """Open or close a form below the actions, in tab order right after them."""
    st.session_state["form"] = None if st.session_state.get("form") == form else form


def _draw_form(ticked: Sequence[SessionInfo], tags: Sequence[str]) -> None:
    form = st.session_state.get("form")
    if form == "rename" and len(ticked) == 1:
        _draw_rename(ticked[0])
    elif form == "tag":
        _draw_tags(ticked, tags)


def _draw_rename(info: SessionInfo) -> None:
    key = f"title_{info.row.id}"
    with (
        st.form(f"rename_{info.row.id}", enter_to_submit=True),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.text_input(
            "Title (without one the question stands for it)",
            info.row.title,
            key=key,
            placeholder=clean_for_screen(info.row.question, 100),
        )
        st.form_submit_button(
            "Save", key="save_title", on_click=_save_title, args=(info.row.id, key)
        )


def _save_title(session: str, key: str) -> None:
    with failures.keep_failures():
        session_control.rename(
            default_resources(),
            session,
            st.session_state[key],
            who=current_user.current_principal(),
        )
        st.session_state["form"] = None


def _draw_tags(ticked: Sequence[SessionInfo], tags: Sequence[str]) -> None:
    """Edit the tags that all ticked sessions share; their other tags are kept."""
    common = set.intersection(*(set(info.row.tags) for info in ticked))
    key = f"tags_{'_'.join(sorted(_session_ids(ticked)))}"
    options = sorted({*tags, *(st.session_state.get(key) or ())}, key=str.casefold)
    with st.container(key="tag_form", horizontal=True, vertical_alignment="bottom", border=True):
        st.multiselect(
            "Tags of what is ticked",
            options,
            [tag for tag in tags if tag in common],
            key=key,
            accept_new_options=True,
            format_func=lambda tag: clean_for_choice(tag, session_control.MAX_TAG_LENGTH),
            placeholder="Choose, or type a new one and press Enter",
        )
        st.button("Save", key="save_tags", on_click=_save_tags, args=(ticked, common, key))


def _save_tags(ticked: Sequence[SessionInfo], common: set[str], key: str) -> None:
    chosen = set(st.session_state[key])
    own = {info.row.id: info.row.tags for info in ticked}
    with failures.keep_failures():
        _apply_to_each(
            list(own),
            lambda session: session_control.tag(
                default_resources(),
                session,
                sorted({*own[session]} - common | chosen),
                who=current_user.current_principal(),
            ),
        )
        st.session_state["form"] = None


def _apply_to_each(sessions: Sequence[str], do: Callable[[str], None]) -> None:
    """Apply `do` to every session, even if some fail. Raises UsageError with the first reason."""
    refused: list[UsageError] = []
    for session in sessions:
        try:
            do(session)
        except UsageError as error:
            refused.append(error)
    if refused:
        if len(sessions) > 1:
            count = (
                f" So it is with {len(refused)} of these {len(sessions)} sessions; the others "
                "are done."
            )
        else:
            count = ""
        raise UsageError(f"{refused[0].message}{count}", next_step=refused[0].next_step)


def _session_ids(infos: Sequence[SessionInfo]) -> list[str]:
    return [info.row.id for info in infos]


# -- deleting and restoring ------------------------------------------------------------------------


def _delete_sessions(sessions: Sequence[str]) -> None:
    with failures.keep_failures():
        # Kept before deleting, so that a failure on the way leaves the undo.
        st.session_state["undo"] = list(sessions)
        _apply_to_each(
            sessions,
            lambda session: session_control.delete(
                default_resources(), session, who=current_user.current_principal()
            ),
        )
        # Sessions it cannot remove were deleted long ago; that is no failure of this deletion.
        retention.purge_user(default_resources(), who=current_user.current_principal())


def _restore_sessions(sessions: Sequence[str]) -> None:
    with failures.keep_failures():
        st.session_state.update({f"tick_{session}": False for session in sessions})
        _apply_to_each(
            sessions,
            lambda session: session_control.restore(
                default_resources(), session, who=current_user.current_principal()
            ),
        )
    st.session_state["kept_or_deleted"] = "Kept"


def draw_undo(deleted: Sequence[SessionInfo]) -> None:
    """Say what was just deleted, and offer to restore it."""
    last = [info for info in deleted if info.row.id in st.session_state.get("undo", ())]
    if not last:
        return
    if len(last) == 1:
        name = f"“{clean_for_screen(session_list.get_name(last[0].row), 80)}”"
    else:
        name = f"{len(last)} sessions"
    with st.container(key="undo_bar", horizontal=True, vertical_alignment="center"):
        st.markdown(f"Deleted {name}", width="content")
        st.button(
            "Undo",
            key="undo_delete",
            icon=":material/undo:",
            on_click=_restore_sessions,
            args=(_session_ids(last),),
        )
