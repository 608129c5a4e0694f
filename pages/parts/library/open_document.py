"""Which document of a library is open, and at which character: by a click, by the table, or by the
address, which follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from research_core.text.words import plain

OPENED, AT, IN, SELECTED, TAKEN = (
    "opened",
    "opened_at",
    "opened_in",
    "selected_documents",
    "library_address",
)
NAMES = ("library", "document", "at")
LONGEST = 2_100


def take() -> None:
    """Open what the address asks for, once: what is opened afterwards stands, until another address
    comes.
    """
    asked = {name: st.query_params[name][:LONGEST] for name in NAMES if name in st.query_params}
    if not asked or asked == st.session_state.get(TAKEN):
        return
    st.session_state[TAKEN] = asked
    st.session_state[IN] = asked.get("library")
    if "library" in asked:
        st.session_state["next_shelf"] = asked["library"]
    open(asked.get("document", ""), _character(asked.get("at", "")))


def check(name: str) -> None:
    """Close what was opened in another library than the one on the screen, and say so where the
    address asks for one there is not.
    """
    asked = st.query_params.get("library", name)
    if asked != name and st.session_state.get(IN) == asked == st.session_state.get(TAKEN, {}).get(
        "library"
    ):
        st.warning(
            f"There is no library called “{plain(asked, 80)}”: it was removed, or the address was"
            " cut short."
        )
    if st.session_state.get(IN) not in (None, name):
        open("")
    st.session_state[IN] = name


def _character(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def open(url: str, at: int | None = None) -> None:
    """Open this document where this character stands, or from its beginning."""
    st.session_state[OPENED], st.session_state[AT] = url or None, at


def selected(urls: Sequence[str]) -> None:
    """What is selected in the table is opened once it changes; the last of several."""
    if list(urls) != st.session_state.get(SELECTED, []):
        st.session_state[SELECTED] = list(urls)
        open(urls[-1] if urls else "")


def opened() -> tuple[str | None, int | None]:
    """The address of the open document, and the character it is opened at."""
    return st.session_state.get(OPENED), st.session_state.get(AT)


def say(name: str, held: Mapping[str, Any] | None) -> None:
    """Let the address name what is open; nothing where nothing is."""
    at = st.session_state.get(AT)
    said = (
        {"library": name, "document": held["url"], **({} if at is None else {"at": str(at)})}
        if held
        else {}
    )
    st.session_state[TAKEN] = said
    for key in NAMES:
        if key in said and st.query_params.get(key) != said[key]:
            st.query_params[key] = said[key]
        elif key not in said and key in st.query_params:
            del st.query_params[key]
