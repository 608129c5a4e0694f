"""Manage the analyst's documents: add, search, open at a passage, remove.

The address can name what is open: ?library=NAME&document=ADDRESS&at=CHARACTER.
"""

from __future__ import annotations

import streamlit as st

from parts.library import documents, libraries, open_document, semantic_index, upload
from parts.shared import current_user, failures
from parts.shared.wording import plural_ending
from research_core.policy import SAMPLE_LIBRARY
from research_core.wiring import default_resources

MAX_RESULTS = 20


def draw() -> None:
    st.title("Library", anchor=False)
    open_document.open_from_address()
    # A widget's own state can be set only before it is drawn.
    made = st.session_state.pop("next_shelf", None)
    if made:
        st.session_state["shelf"] = made
    chosen = libraries.choose_library()
    name = chosen.name
    open_document.close_in_other_library(name)
    if name == SAMPLE_LIBRARY:
        st.caption(
            "Written for trying Assay out: outlets and people are invented, addresses lead nowhere."
            " It cannot be changed."
        )
    elif chosen.is_own:
        upload.draw(name)
    rows = default_resources().library(current_user.current_principal()).list_documents(name)
    if not rows:
        st.markdown(
            "Nothing is in this library yet. What you drop above stands here, can be searched, and"
            " is offered on Ask."
            if chosen.is_own
            else "Nothing is in this library."
        )
        return
    if chosen.is_own:
        with failures.show_failures():
            semantic_index.draw(name)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _draw_documents(chosen, rows)
    with right, st.container(key="opened_document"):
        _draw_open_document(name)


def _draw_documents(chosen: libraries.LibraryChoice, rows: list[dict[str, object]]) -> None:
    """Draw the search results, or the table of documents if nothing is searched for."""
    name = chosen.name
    search, narrow = st.columns(2, gap="small")
    query = search.text_input(
        "Search the texts",
        key=f"search_{name}",
        type="search",
        placeholder="Words that stand in a document",
    )
    words = narrow.text_input(
        "Narrow the list",
        key=f"filter_{name}",
        type="search",
        placeholder="Of a title, a file, an address",
    )
    if query.strip():
        with failures.show_failures():
            documents.draw_results(
                default_resources()
                .library(current_user.current_principal())
                .find(name, query, MAX_RESULTS),
                open_document.open_document,
            )
        return
    listed = documents.filter_documents(rows, words)
    if not listed:
        st.caption("No title, file or address holds these words.")
        return
    selected = documents.draw_table(
        listed, key=f"documents_{name}_{st.session_state.setdefault('removals', 0)}"
    )
    open_document.open_selected(selected)
    if chosen.is_own:
        _draw_removal(name, selected)


def _draw_removal(name: str, selected: list[str]) -> None:
    """Draw the removal of documents, with a confirmation since it cannot be undone."""
    count = f"{len(selected)} document{plural_ending(len(selected))}"
    with st.popover(
        f"Remove {count}" if selected else "Remove …",
        key="remove",
        icon=":material/delete:",
        disabled=not selected,
    ):
        st.markdown(
            f"Remove {count}? Nothing brings {'it' if len(selected) == 1 else 'them'} back."
        )
        st.caption("Reports that were written from them keep the pages they quote.")
        if st.button("Remove for good", key="remove_now", type="primary"):
            with failures.show_failures():
                default_resources().library(current_user.current_principal()).remove(name, selected)
                st.session_state["removals"] += 1  # a new table, with no selection
                st.rerun()


def _draw_open_document(name: str) -> None:
    url, at = open_document.get_open_document()
    document = None
    if url:
        document = (
            default_resources().library(current_user.current_principal()).read_at(name, url, at)
        )
    open_document.write_address(name, document)
    if document is not None:
        documents.draw_text(document, open_document.open_document)
    elif url:
        st.caption("This document is not in this library.")
    else:
        st.caption("Select a document to read its stored text here.")


draw()
