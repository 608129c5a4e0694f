"""Choose the current library; create, share, remove or restore one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from parts.shared import current_user, failures
from parts.shared.wording import format_library, format_moment
from research_core.i18n import N_, _, ngettext
from research_core.policy import SAMPLE_LIBRARY, SHARED_PREFIX
from research_core.sessions import retention
from research_core.sessions.run_defaults import OWN
from research_core.text.words import clean_for_screen
from research_core.wiring import default_resources

DAY_S = 86_400
#: Who can see and change a library, as a signed-in user reads it.
PRIVATE_NOTE = N_("Only you can see this library.")
SHARED_NOTE = N_("Shared: every signed-in user can read it. Only you can change it.")
OTHERS_NOTE = N_("Shared by another user. You can read and search it.")
#: Keys of the state: the name of the library just removed, and whether the list is to be open.
REMOVED_KEY = "removed_shelf"


@dataclass(frozen=True)
class LibraryChoice:
    """The library on screen. is_own: this user may change it; stored: it exists yet."""

    name: str
    is_own: bool
    is_shared: bool
    is_stored: bool


def choose_library() -> LibraryChoice:
    """Draw the choice of libraries and return it: the user's own first, the sample last."""
    library = default_resources().library(current_user.current_principal())
    rows = {str(row["name"]): row for row in library.list_libraries()}
    others = [name for name in rows if name != SAMPLE_LIBRARY]
    names = list(dict.fromkeys((OWN, *others, SAMPLE_LIBRARY)))
    if st.session_state.get("shelf") not in names:
        st.session_state["shelf"] = _first_choice(names, rows)
    _renew_choice(_format_label(str(st.session_state["shelf"]), rows))
    with st.container(horizontal=True, vertical_alignment="bottom", key="shelf_bar"):
        st.selectbox(
            _("Library"),
            names,
            key="shelf",
            format_func=lambda name: _format_label(name, rows),
            persist_state="session",
            width=380,
        )
        name = str(st.session_state["shelf"])
        chosen = LibraryChoice(
            name,
            is_own=name != SAMPLE_LIBRARY and not name.startswith(SHARED_PREFIX),
            is_shared=bool(name in rows and rows[name]["shared"]),
            is_stored=name in rows,
        )
        if name != SAMPLE_LIBRARY and name in rows and rows[name]["documents"]:
            st.page_link(
                "ask.py",
                label=_("Ask this library"),
                icon=":material/edit:",
                query_params={"where": "library", "library": name},
            )
        _draw_new_library()
        if current_user.requires_sign_in():
            _draw_sharing(chosen)
        _draw_removal(chosen, rows)
    _draw_removed()
    if current_user.requires_sign_in() and chosen.name != SAMPLE_LIBRARY:
        st.caption(_(_describe_access(chosen)))
    return chosen


def _first_choice(names: list[str], rows: Mapping[str, Any]) -> str:
    """Return the user's own library if it has documents, else the largest besides the sample."""
    if OWN in rows and rows[OWN]["documents"]:
        return OWN

    def count(name: str) -> int:
        is_users = name in rows and name != SAMPLE_LIBRARY and rows[name]["own"]
        return int(rows[name]["documents"]) if is_users else 0

    return max(names, key=count)


def _renew_choice(label: str) -> None:
    """Reset the choice when its labels change, since browsers keep showing the old ones."""
    if st.session_state.get("shelf_said") != label:
        st.session_state["shelf_said"] = label
        st.session_state["shelf"] = st.session_state["shelf"]


def _format_label(name: str, rows: Mapping[str, Any]) -> str:
    count = int(rows[name]["documents"]) if name in rows else 0
    if name == SAMPLE_LIBRARY and not count:
        return format_library(name)
    return format_library(name, count)


def _describe_access(chosen: LibraryChoice) -> str:
    if not chosen.is_own:
        return OTHERS_NOTE
    return SHARED_NOTE if chosen.is_shared else PRIVATE_NOTE


def _draw_new_library() -> None:
    with (
        st.popover(_("New library"), key="new_shelf", icon=":material/add:"),
        st.form("new_shelf_form", border=False, clear_on_submit=True),
    ):
        name = st.text_input(_("Name"), key="new_shelf_name")
        if st.form_submit_button(_("Create library"), key="make_shelf"):
            with failures.show_failures():
                st.session_state["next_shelf"] = (
                    default_resources().library(current_user.current_principal()).create(name)
                )
                st.rerun()


def _draw_sharing(chosen: LibraryChoice) -> None:
    """Draw the button that shares a library with everybody, or ends that."""
    with st.popover(
        _("Shared") if chosen.is_shared and chosen.is_own else _("Share"),
        key="share_shelf",
        icon=":material/group:",
        disabled=not (chosen.is_own and chosen.is_stored),
    ):
        if chosen.is_shared:
            st.markdown(_("Every signed-in user can read and search this library."))
            label = _("Stop sharing")
        else:
            st.markdown(
                _("Let every signed-in user read and search this library? You can stop any time.")
            )
            label = _("Share")
        if st.button(label, key="share_shelf_now"):
            with failures.show_failures():
                library = default_resources().library(current_user.current_principal())
                library.share(chosen.name, not chosen.is_shared)
                st.rerun()


def _draw_removal(chosen: LibraryChoice, rows: Mapping[str, Any]) -> None:
    with st.popover(
        _("Remove library"),
        key="remove_shelf",
        icon=":material/delete:",
        disabled=not (chosen.is_own and chosen.is_stored),
    ):
        label = clean_for_screen(_format_label(chosen.name, rows), 120)
        st.markdown(_("Remove **{library}** with its documents?").format(library=label))
        st.caption(f"{_describe_restoring()} {_('Reports keep the passages they quote.')}")
        if st.button(_("Remove"), key="remove_shelf_now"):
            with failures.show_failures():
                library = default_resources().library(current_user.current_principal())
                library.remove_library(chosen.name)
                st.session_state[REMOVED_KEY] = True
                st.session_state["next_shelf"] = OWN
                st.rerun()


def _describe_restoring() -> str:
    days = round(retention.get_restorable_s(default_resources()) / DAY_S)
    return ngettext(
        "Can be restored for {count} day.", "Can be restored for {count} days.", days
    ).format(count=days)


def _draw_removed() -> None:
    """List what this user removed, each with a button that undoes it; open after a removal."""
    library = default_resources().library(current_user.current_principal())
    removed = library.list_removed()
    if not removed:
        return
    present = {row["title"] for row in library.list_libraries() if row["own"]}
    with st.expander(
        _("Removed libraries: {count}").format(count=len(removed)),
        expanded=bool(st.session_state.get(REMOVED_KEY)),
        key="removed_shelves",
    ):
        for row in removed:
            label = format_library(row["title"], row["documents"])
            with st.container(horizontal=True, vertical_alignment="center"):
                removed_at = _("removed {moment}").format(moment=format_moment(row["removed"]))
                st.markdown(f"{clean_for_screen(label, 120)} · {removed_at}", width="content")
                new_name = ""
                if row["title"] in present:
                    new_name = st.text_input(
                        _("Restore as"),
                        _suggest_name(row["title"], present),
                        key=f"restore_name_{row['id']}",
                        width=280,
                    )
                if st.button(_("Restore"), key=f"restore_{row['id']}", icon=":material/undo:"):
                    _restore(str(row["id"]), new_name)


def _suggest_name(title: str, present: Collection[str]) -> str:
    """Return the title with the first number from 2 that no library has yet."""
    number = 2
    while f"{title} {number}" in present:
        number += 1
    return f"{title} {number}"


def _restore(id: str, new_name: str) -> None:
    with failures.show_failures():
        library = default_resources().library(current_user.current_principal())
        st.session_state["next_shelf"] = library.restore_library(id, new_name)
        st.session_state.pop(REMOVED_KEY, None)
        st.rerun()
