"""Manage the analyst's documents: add, search, open at a passage, remove.

The address can name what is open: ?library=NAME&document=ADDRESS&at=CHARACTER.
"""

from __future__ import annotations

import streamlit as st

from parts.library import documents, libraries, open_document, semantic_index, upload
from parts.shared import current_user, failures
from research_core.i18n import _, ngettext
from research_core.policy import SAMPLE_LIBRARY
from research_core.wiring import default_resources

MAX_RESULTS = 20


def draw() -> None:
    st.title(_("Library"), anchor=False)
    open_document.open_from_address()
    # A widget's own state can be set only before it is drawn.
    made = st.session_state.pop("next_shelf", None)
    if made:
        st.session_state["shelf"] = made
    chosen = libraries.choose_library()
    name = chosen.name
    open_document.close_in_other_library(name)
    if name == SAMPLE_LIBRARY:
        st.caption(_("Invented documents for trying Assay out. They cannot be changed."))
    elif chosen.is_own:
        upload.draw(name)
    rows = default_resources().library(current_user.current_principal()).list_documents(name)
    if not rows:
        _draw_empty(chosen)
        return
    if chosen.is_own:
        with failures.show_failures():
            semantic_index.draw(name)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _draw_documents(chosen, rows)
    with right, st.container(key="opened_document"):
        _draw_open_document(name)


def _draw_empty(chosen: libraries.LibraryChoice) -> None:
    """Say what the next step is; for a library of one's own it is the upload box above."""
    if chosen.is_own:
        st.markdown(_("Upload documents to search them and cite them in reports."))
    elif chosen.name == SAMPLE_LIBRARY:
        st.markdown(_("The sample library is being prepared."))
        st.button(_("Reload"), key="reload", icon=":material/refresh:")
    else:
        st.markdown(_("This library is empty. Only its owner can add documents."))


def _draw_documents(chosen: libraries.LibraryChoice, rows: list[dict[str, object]]) -> None:
    """Draw the search results, or the table of documents if nothing is searched for."""
    name = chosen.name
    search, narrow = st.columns(2, gap="small")
    query = search.text_input(
        _("Search texts"),
        key=f"search_{name}",
        type="search",
        placeholder=_("Words in a document"),
    )
    words = narrow.text_input(
        _("Filter list"),
        key=f"filter_{name}",
        type="search",
        placeholder=_("Title, file or address"),
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
        st.caption(_("No title, file or address matches."))
        return
    selected = documents.draw_table(
        listed, key=f"documents_{name}_{st.session_state.setdefault('removals', 0)}"
    )
    open_document.open_selected(selected)
    if chosen.is_own:
        _draw_removal(name, selected)


def _draw_removal(name: str, selected: list[str]) -> None:
    """Draw the removal of documents, with a confirmation since it cannot be undone."""
    count = len(selected)
    label = _("Remove documents")
    if selected:
        label = ngettext("Remove {count} document", "Remove {count} documents", count)
    with st.popover(
        label.format(count=count),
        key="remove",
        icon=":material/delete:",
        disabled=not selected,
    ):
        st.markdown(
            ngettext(
                "Remove {count} document? This cannot be undone.",
                "Remove {count} documents? This cannot be undone.",
                count,
            ).format(count=count)
        )
        st.caption(_("Reports keep the passages they quote."))
        if st.button(_("Remove"), key="remove_now"):
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
        st.caption(_("This document is not in this library."))
    else:
        st.caption(_("Select a document to read it."))


draw()
