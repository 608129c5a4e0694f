"""Act on the ticked sessions of a list, and undo a deletion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from parts.sessions.row import tick_key
from parts.shared import current_user, failures
from research_core.errors import UsageError
from research_core.i18n import _, format_number, join_sentences, ngettext
from research_core.sessions import retention, session_control, session_list, session_status
from research_core.sessions.session_status import SessionInfo
from research_core.text.words import clean_for_choice, clean_for_screen
from research_core.web.failure_texts import translate_failure
from research_core.wiring import default_resources


def draw_bar(shown: Sequence[SessionInfo], tags: Sequence[str], *, gone: bool, count: int) -> None:
    """Draw the actions for the ticked rows, or the session count if none is ticked.

    gone: deleted sessions are listed.
    """
    ticked = [info for info in shown if st.session_state.get(tick_key(info))]
    with st.container(key="actions", horizontal=True, vertical_alignment="center", gap="small"):
        _draw_tick_all(shown, ticked)
        if not ticked:
            st.caption(_describe_count(count, gone), width="content")
        elif gone:
            st.button(
                _("Restore"),
                key="restore",
                icon=":material/undo:",
                on_click=_restore_sessions,
                args=(_session_ids(ticked),),
            )
        else:
            _draw_actions(ticked)
    if ticked and not gone:
        _draw_form(ticked, tags)


def _describe_count(count: int, gone: bool) -> str:
    if gone:
        text = ngettext(
            "{count} session. Select it to restore it.",
            "{count} sessions. Select some to restore them.",
            count,
        )
    else:
        text = ngettext(
            "{count} session. Select it to compare, rename, tag or delete it.",
            "{count} sessions. Select some to compare, tag or delete them.",
            count,
        )
    return text.format(count=format_number(count))


def _draw_tick_all(shown: Sequence[SessionInfo], ticked: Sequence[SessionInfo]) -> None:
    st.session_state["all"] = bool(ticked) and len(ticked) == len(shown)
    label = _("Select all")
    if ticked:
        label = _("{count} selected").format(count=len(ticked))
    st.checkbox(
        label,
        key="all",
        on_change=_tick_all,
        args=(shown,),
        width="content",
        disabled=not shown,
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
            label=_("Compare") if others else _("Compare with …"),
            icon=":material/compare_arrows:",
            query_params=query,
        )
    if not others:
        st.page_link(
            "replay.py",
            label=_("Replay"),
            icon=":material/history:",
            query_params={"session": older.row.id},
        )
        st.button(
            _("Rename"),
            key="rename",
            icon=":material/edit:",
            on_click=_toggle_form,
            args=("rename",),
        )
    st.button(_("Tags"), key="tag", icon=":material/label:", on_click=_toggle_form, args=("tag",))
    with st.popover(_("Delete"), key="confirm_delete", icon=":material/delete:"):
        _draw_deletion(ticked)


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
            _("Title"),
            info.row.title,
            key=key,
            placeholder=clean_for_screen(info.row.question, 100),
        )
        st.form_submit_button(
            _("Save"), key="save_title", on_click=_save_title, args=(info.row.id, key)
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
            _("Tags"),
            options,
            [tag for tag in tags if tag in common],
            key=key,
            accept_new_options=True,
            format_func=lambda tag: clean_for_choice(tag, session_control.MAX_TAG_LENGTH),
            placeholder=_("Choose a tag, or type a new one"),
        )
        st.button(_("Save"), key="save_tags", on_click=_save_tags, args=(ticked, common, key))


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
    if not refused:
        return
    message = refused[0].message
    if len(sessions) > 1:
        count = _("Failed for {failed} of {count} sessions. The others are done.").format(
            failed=len(refused), count=len(sessions)
        )
        message = join_sentences([translate_failure(message), count])
    raise UsageError(message, next_step=refused[0].next_step)


def _session_ids(infos: Sequence[SessionInfo]) -> list[str]:
    return [info.row.id for info in infos]


# -- deleting and restoring ------------------------------------------------------------------------

DAY_S = 86_400


def _draw_deletion(ticked: Sequence[SessionInfo]) -> None:
    """Say what would be deleted and until when it can be restored, and ask once."""
    name = clean_for_screen(session_list.get_name(ticked[0].row), 80)
    days = round(retention.get_restorable_s(default_resources()) / DAY_S)
    if len(ticked) == 1:
        text = _("Delete “{name}” with its sources and report?").format(name=name)
    else:
        text = _("Delete {count} sessions with their sources and reports?").format(
            count=len(ticked)
        )
    st.markdown(text)
    st.caption(
        ngettext(
            "Can be restored for {count} day.", "Can be restored for {count} days.", days
        ).format(count=days)
    )
    st.button(
        ngettext("Delete {count} session", "Delete {count} sessions", len(ticked)).format(
            count=len(ticked)
        ),
        key="delete",
        icon=":material/delete:",
        on_click=_delete_sessions,
        args=(_session_ids(ticked),),
    )


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
    st.session_state["kept_or_deleted"] = "kept"


def draw_undo() -> None:
    """Say what was just deleted, and offer to restore it."""
    undo = st.session_state.get("undo")
    if not undo:
        return
    last = session_status.list_sessions(
        default_resources(),
        who=current_user.current_principal(),
        limit=None,
        deleted=True,
        ids=undo,
    )
    if not last:
        return
    if len(last) == 1:
        name = clean_for_screen(session_list.get_name(last[0].row), 80)
        text = _("Deleted “{name}”").format(name=name)
    else:
        text = _("Deleted {count} sessions").format(count=len(last))
    with st.container(key="undo_bar", horizontal=True, vertical_alignment="center"):
        st.markdown(text, width="content")
        st.button(
            _("Undo"),
            key="undo_delete",
            icon=":material/undo:",
            on_click=_restore_sessions,
            args=(_session_ids(last),),
        )
