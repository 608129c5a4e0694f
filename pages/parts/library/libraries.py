"""Which library is on the screen, a new one, and the way to take one away."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from parts.shared import current_user, failures
from research_core.policy import SAMPLE
from research_core.sessions.run_defaults import OWN
from research_core.text.words import plain
from research_core.wiring import default_office


def choose() -> str:
    """The library that is looked at: their own first, which need not hold anything yet, the sample
    last.
    """
    held = {
        row["name"]: row["documents"]
        for row in default_office().library(current_user.who()).names()
    }
    names = list(dict.fromkeys((OWN, *(name for name in held if name != SAMPLE), SAMPLE)))
    if st.session_state.get("shelf") not in names:
        st.session_state["shelf"] = (
            names[0]
            if held.get(OWN)
            else max(names, key=lambda name: name != SAMPLE and held.get(name, 0))
        )
    _renew(label(str(st.session_state["shelf"]), held))
    with st.container(horizontal=True, vertical_alignment="bottom", key="shelf_bar"):
        st.selectbox(
            "Library", names, key="shelf", format_func=lambda name: label(name, held),
            persist_state="session", width=380,
        )  # fmt: skip
        _new()
        _remove(str(st.session_state["shelf"]), held)
    return str(st.session_state["shelf"])


def _renew(said: str) -> None:
    """A browser goes on showing the words that were chosen; once they say another count, the choice
    is made anew.
    """
    if st.session_state.get("shelf_said") != said:
        st.session_state["shelf_said"] = said
        st.session_state["shelf"] = st.session_state["shelf"]


def label(name: str, held: Mapping[str, int]) -> str:
    known = {OWN: "Your library", SAMPLE: "The sample library"}
    count = held.get(name, 0)
    counted = (
        "" if name == SAMPLE and not count else f" · {count:,} document{'' if count == 1 else 's'}"
    )
    return f"{known.get(name, plain(name, 80))}{counted}"


def _new() -> None:
    with (
        st.popover("New library", key="new_shelf", icon=":material/add:"),
        st.form("new_shelf_form", border=False, clear_on_submit=True),
    ):
        name = st.text_input("Its name", key="new_shelf_name", max_chars=80)
        if st.form_submit_button("Make it", key="make_shelf"):
            with failures.shown():
                st.session_state["next_shelf"] = (
                    default_office().library(current_user.who()).make(name)
                )
                st.rerun()


def _remove(name: str, held: Mapping[str, int]) -> None:
    """Asked twice, since nothing brings it back."""
    with st.popover(
        "Remove",
        key="remove_shelf",
        icon=":material/delete:",
        disabled=name == SAMPLE or name not in held,
    ):
        st.markdown(f"Remove **{label(name, held)}** with all it holds? Nothing brings it back.")
        st.caption("Reports that were written from it keep the pages they quote.")
        if st.button("Remove this library", key="remove_shelf_now", type="primary"):
            with failures.shown():
                default_office().library(current_user.who()).remove_library(name)
                st.session_state["next_shelf"] = OWN
                st.rerun()
