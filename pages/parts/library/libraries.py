"""Choose the current library, create one, or remove one."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from parts.shared import current_user, failures
from parts.shared.wording import plural_ending
from research_core.policy import SAMPLE_LIBRARY
from research_core.sessions.run_defaults import OWN
from research_core.text.words import clean_for_screen
from research_core.wiring import default_resources


def choose_library() -> str:
    """Draw the choice of libraries and return it: the user's own first, the sample last."""
    library = default_resources().library(current_user.current_principal())
    counts = {row["name"]: row["documents"] for row in library.list_libraries()}
    others = [name for name in counts if name != SAMPLE_LIBRARY]
    names = list(dict.fromkeys((OWN, *others, SAMPLE_LIBRARY)))
    if st.session_state.get("shelf") not in names:
        st.session_state["shelf"] = _first_choice(names, counts)
    _renew_choice(format_label(str(st.session_state["shelf"]), counts))
    with st.container(horizontal=True, vertical_alignment="bottom", key="shelf_bar"):
        st.selectbox(
            "Library",
            names,
            key="shelf",
            format_func=lambda name: format_label(name, counts),
            persist_state="session",
            width=380,
        )
        _draw_new_library()
        _draw_removal(str(st.session_state["shelf"]), counts)
    return str(st.session_state["shelf"])


def _first_choice(names: list[str], counts: dict[str, int]) -> str:
    """Return the user's own library if it has documents, else the largest besides the sample."""
    if counts.get(OWN):
        return names[0]
    return max(names, key=lambda name: name != SAMPLE_LIBRARY and counts.get(name, 0))


def _renew_choice(label: str) -> None:
    """Reset the choice when its labels change, since browsers keep showing the old ones."""
    if st.session_state.get("shelf_said") != label:
        st.session_state["shelf_said"] = label
        st.session_state["shelf"] = st.session_state["shelf"]


def format_label(name: str, counts: Mapping[str, int]) -> str:
    known = {OWN: "Your library", SAMPLE_LIBRARY: "The sample library"}
    count = counts.get(name, 0)
    if name == SAMPLE_LIBRARY and not count:
        counted = ""
    else:
        counted = f" · {count:,} document{plural_ending(count)}"
    return f"{known.get(name, clean_for_screen(name, 80))}{counted}"


def _draw_new_library() -> None:
    with (
        st.popover("New library", key="new_shelf", icon=":material/add:"),
        st.form("new_shelf_form", border=False, clear_on_submit=True),
    ):
        name = st.text_input("Its name", key="new_shelf_name", max_chars=80)
        if st.form_submit_button("Make it", key="make_shelf"):
            with failures.show_failures():
                st.session_state["next_shelf"] = (
                    default_resources().library(current_user.current_principal()).create(name)
                )
                st.rerun()


def _draw_removal(name: str, counts: Mapping[str, int]) -> None:
    """Draw the removal, with a confirmation since it cannot be undone."""
    with st.popover(
        "Remove",
        key="remove_shelf",
        icon=":material/delete:",
        disabled=name == SAMPLE_LIBRARY or name not in counts,
    ):
        st.markdown(
            f"Remove **{format_label(name, counts)}** with all it holds? Nothing brings it back."
        )
        st.caption("Reports that were written from it keep the pages they quote.")
        if st.button("Remove this library", key="remove_shelf_now", type="primary"):
            with failures.show_failures():
                default_resources().library(current_user.current_principal()).remove_library(name)
                st.session_state["next_shelf"] = OWN
                st.rerun()
