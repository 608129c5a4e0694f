"""Keep which document of a library is open, and at which character, also in the address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from research_core.i18n import _
from research_core.text.words import clean_for_screen

#: Keys of the state: the open document's address, position and library; the selection in the table
#: and the address of the page, as they were handled last.
OPENED_KEY, POSITION_KEY, LIBRARY_KEY = "opened", "opened_at", "opened_in"
SELECTED_KEY, ADDRESS_KEY = "selected_documents", "library_address"
PARAMETERS = ("library", "document", "at")
MAX_ADDRESS_LENGTH = 2_100


def open_from_address() -> None:
    """Open the document the address names, once for each address."""
    asked = {
        name: st.query_params[name][:MAX_ADDRESS_LENGTH]
        for name in PARAMETERS
        if name in st.query_params
    }
    if not asked or asked == st.session_state.get(ADDRESS_KEY):
        return
    st.session_state[ADDRESS_KEY] = asked
    st.session_state[LIBRARY_KEY] = asked.get("library")
    if "library" in asked:
        st.session_state["next_shelf"] = asked["library"]
    open_document(asked.get("document", ""), _parse_position(asked.get("at", "")))


def close_in_other_library(name: str) -> None:
    """Close a document of another library, and warn if the address names a missing one."""
    asked = st.query_params.get("library", name)
    handled = st.session_state.get(ADDRESS_KEY, {}).get("library")
    if asked != name and st.session_state.get(LIBRARY_KEY) == asked == handled:
        st.warning(
            _("There is no library “{name}”. It was removed, or the link is incomplete.").format(
                name=clean_for_screen(asked, 80)
            )
        )
    if st.session_state.get(LIBRARY_KEY) not in (None, name):
        open_document("")
    st.session_state[LIBRARY_KEY] = name


def _parse_position(text: str) -> int | None:
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    return None


def open_document(url: str, at: int | None = None) -> None:
    """Open a document at a character position, or at its beginning."""
    st.session_state[OPENED_KEY], st.session_state[POSITION_KEY] = url or None, at


def open_selected(urls: Sequence[str]) -> None:
    """Open what was selected in the table, the last of several, once the selection changes."""
    if list(urls) != st.session_state.get(SELECTED_KEY, []):
        st.session_state[SELECTED_KEY] = list(urls)
        open_document(urls[-1] if urls else "")


def get_open_document() -> tuple[str | None, int | None]:
    """Return the address of the open document and the position it is opened at."""
    return st.session_state.get(OPENED_KEY), st.session_state.get(POSITION_KEY)


def write_address(name: str, document: Mapping[str, Any] | None) -> None:
    """Write the open document to the address."""
    at = st.session_state.get(POSITION_KEY)
    query = {}
    if document:
        query = {"library": name, "document": document["url"]}
        if at is not None:
            query["at"] = str(at)
    st.session_state[ADDRESS_KEY] = query
    for key in PARAMETERS:
        if key in query and st.query_params.get(key) != query[key]:
            st.query_params[key] = query[key]
        elif key not in query and key in st.query_params:
            del st.query_params[key]
