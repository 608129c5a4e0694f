"""Draw a library's documents: the table, search results, and the text of one document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.session.report.passage import PLAIN, QUOTED, format_pieces
from parts.shared import hidden_text, provenance
from parts.shared.html_text import clean_cell, escape_line, format_link
from parts.shared.wording import format_moment
from research_core.i18n import N_, _, format_number, ngettext
from research_core.models import Passage, ReportSource, fields_from_facts
from research_core.text.words import clean_for_screen, contains_words
from research_core.trust.provenance import name_site

#: Columns of the table: name, label, width in pixels.
COLUMNS = {
    "title": (N_("Title"), 280),
    "kind": (N_("Kind"), 80),
    "published": (N_("Date"), 90),
    "size": (N_("Size"), 75),
    "added": (N_("Added"), 130),
    "file": (N_("File"), 160),
    "url": (N_("Address"), 200),
}
MAX_TABLE_ROWS = 12  # more rows scroll
MAX_TEXT_LENGTH = 150_000  # characters shown of a text
CONTEXT_BEFORE = 500  # characters shown before the opened passage
#: Callback that opens a document: its address, and the position to open it at.
OpenDocument = Callable[..., None]


def draw_table(rows: Sequence[dict[str, Any]], *, key: str) -> list[str]:
    """Draw a sortable row for each document. Return the addresses of the selected ones."""
    shown = pd.DataFrame([_table_row(row) for row in rows], columns=list(COLUMNS))
    event = st.dataframe(
        shown,
        column_config=_configure_columns(),
        hide_index=True,
        height="content" if len(rows) <= MAX_TABLE_ROWS else 460,
        key=key,
        placeholder="",
        on_select="rerun",
        selection_mode="multi-row",
        alt=_("Documents of this library"),
    )
    return [rows[place]["url"] for place in event["selection"]["rows"] if place < len(rows)]


def _configure_columns() -> dict[str, Any]:
    configured: dict[str, Any] = {}
    for name, (label, width) in COLUMNS.items():
        configured[name] = st.column_config.TextColumn(_(label), width=width)
    configured["title"] = st.column_config.TextColumn(_("Title"), width=280)
    configured["size"] = st.column_config.NumberColumn(_("Size"), format="bytes", width=75)
    configured["url"] = st.column_config.LinkColumn(_("Address"), width=200)
    return configured


def _table_row(row: dict[str, Any]) -> dict[str, Any]:
    address = row["url"] if row["url"].startswith(("http://", "https://")) else None
    added = format_moment(row["added_at"])
    file = row["file"].replace("\\", "/").rpartition("/")[2]
    cells = {name: clean_cell(row[name]) for name in ("title", "kind", "published")}
    return {**cells, "size": row["size"], "added": added, "file": clean_cell(file), "url": address}


def filter_documents(rows: Sequence[dict[str, Any]], words: str) -> list[dict[str, Any]]:
    """Return the rows whose title, file, kind or address contain all of these words."""
    found = []
    for row in rows:
        text = " ".join(str(row[name]) for name in ("title", "file", "kind", "url"))
        if contains_words(text, words):
            found.append(row)
    return found


def draw_results(rows: Sequence[dict[str, Any]], open: OpenDocument) -> None:
    """Draw search results, best first, each with a button that opens the passage."""
    if not rows:
        st.caption(_("No document contains these words. Try other words."))
    for written, read in rows[0]["spelled"] if rows else ():
        respelled = _("No document holds “{written}”; showing documents with “{read}”.")
        st.caption(respelled.format(written=written, read=read))
    for number, row in enumerate(rows, 1):
        with st.container(key=f"found_{number}", gap=None):
            st.button(
                clean_for_screen(row["title"], 160),
                key=f"open_{number}",
                type="tertiary",
                wrap=True,
                on_click=open,
                args=(row["url"], row["start"]),
            )
            about = escape_line(" · ".join(_list_facts(row)))
            st.html(
                f'<p class="about">{about}</p><p'
                f' class="snippet">{escape_line(row["snippet"], 600)}</p>'
            )


def _list_facts(row: dict[str, Any]) -> list[str]:
    """Return where a result is, and that it was found by meaning."""
    place = _("whole text")
    if row["passages"] > 1:
        place = _("passage {number} of {count}").format(
            number=row["passage"], count=row["passages"]
        )
    facts = [name_site(row["url"]), place]
    if row["by"] == "meaning":
        facts.append(_("found by meaning"))
    return facts


def draw_text(document: dict[str, Any], open: OpenDocument) -> None:
    """Draw a document's details and its cleaned text in a panel, from before the opened passage."""
    body = document["text"]
    start = document["start"]
    end = document["end"]
    first = _find_text_start(body, start)
    last = min(len(body), first + MAX_TEXT_LENGTH)
    details = _describe_document(
        document["url"],
        document["title"],
        kind=document["kind"],
        published=document["published"],
        facts=document["facts"],
        body=body,
    )
    shown = ""
    if last - first < len(body):
        part = _("Characters {first} to {last} are shown.").format(
            first=format_number(first), last=format_number(last)
        )
        shown = f'<p class="about">{escape_line(part)}</p>'
    pieces = [
        (body[first:start], PLAIN),
        (body[start:end], QUOTED),
        (body[max(start, end) : last], PLAIN),
    ]
    _draw_text_links(document["url"], first > 0, open)
    st.html(
        f'<section class="stored" aria-label="{escape_line(_("Stored text"))}"><p'
        f' class="title">{format_link(escape_line(document["title"]), document["url"])}</p>'
        f"{details}{shown}"
        '<div class="page" tabindex="0" role="region"'
        f' aria-label="{escape_line(_("Text"))}">{format_pieces(pieces)}</div></section>'
    )


@st.cache_data(max_entries=32, show_spinner=False)
def _describe_document(
    url: str, title: str, *, kind: str, published: str, facts: dict[str, Any], body: str
) -> str:
    """Return a document's details, hidden text and embedded instructions as HTML.

    Cached: scanning a long document takes a moment.
    """
    whole = Passage("", body, 0, len(body))
    source = ReportSource(
        url,
        title,
        0,
        "",
        "",
        None,
        published=published,
        passages=(whole,),
        **fields_from_facts(facts),
    )
    line = provenance.format_origin(source, escape_line(kind), _format_length(len(body)))
    return (
        f'<p class="about">{line}{provenance.format_badges(source)}'
        f"</p>{provenance.format_unread(source)}{hidden_text.format_source_detail(source)}"
    )


def _format_length(count: int) -> str:
    text = ngettext("{count} character", "{count} characters", count)
    return text.format(count=format_number(count))


def _find_text_start(body: str, start: int) -> int:
    """Return where the text shown before `start` begins, after a line or word break."""
    before = start - CONTEXT_BEFORE
    if before <= 0:
        return 0
    line_end = body.rfind("\n", before - CONTEXT_BEFORE, before)
    word_end = body.rfind(" ", before - 60, before)
    return max(line_end, word_end) + 1


def _draw_text_links(url: str, cut: bool, open: OpenDocument) -> None:
    with st.container(horizontal=True, key="stored_ways"):
        if cut:
            st.button(
                _("From the beginning"),
                key="whole",
                icon=":material/vertical_align_top:",
                on_click=open,
                args=(url,),
            )
        st.button(
            _("Close"),
            key="close_document",
            icon=":material/close:",
            on_click=open,
            args=("",),
            shortcut="escape",
        )
