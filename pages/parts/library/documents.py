"""The documents of a library: the table, a search with the place of each passage, and the stored
text of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.session.report.passage import PLAIN, QUOTED, drawn
from parts.shared import hidden_text, provenance
from parts.shared.html_text import cell, link, markup
from parts.shared.wording import when
from research_core.models import Passage, ReportSource, stated
from research_core.text.words import holds, plain
from research_core.trust.provenance import site

COLUMNS: dict[str, Any] = {
    "title": st.column_config.TextColumn("Title", width=280, pinned=True),
    "kind": st.column_config.TextColumn("Kind", width=80),
    "published": st.column_config.TextColumn("Date", width=90, help="As the document states it"),
    "size": st.column_config.NumberColumn("Size", format="bytes", width=75, help="Of its text"),
    "added": st.column_config.TextColumn("Added", width=130),
    "file": st.column_config.TextColumn("File", width=160),
    "url": st.column_config.LinkColumn("Address", width=200),
}
TALLEST = 12  # rows; more scroll inside the table
LONGEST = 150_000  # characters of a text that are shown
BEFORE = 500  # of them, before the passage it is opened at
#: What a click on a document does: its address, and the character to open it at.
Open = Callable[..., None]


def table(rows: Sequence[dict[str, Any]], *, key: str) -> list[str]:
    """One row for each document, sortable by every column; the addresses of those that are
    selected.
    """
    shown = pd.DataFrame([_row(row) for row in rows], columns=list(COLUMNS))
    event = st.dataframe(
        shown, column_config=COLUMNS, hide_index=True,
        height="content" if len(rows) <= TALLEST else 460, key=key, placeholder="",
        on_select="rerun", selection_mode="multi-row",
        alt="Documents of this library with kind, date, size and when they were added",
    )  # fmt: skip
    return [rows[place]["url"] for place in event["selection"]["rows"] if place < len(rows)]


def _row(row: dict[str, Any]) -> dict[str, Any]:
    address = row["url"] if row["url"].startswith(("http://", "https://")) else None
    added, file = when(row["added_at"]), row["file"].replace("\\", "/").rpartition("/")[2]
    cells = {name: cell(row[name]) for name in ("title", "kind", "published")}
    return {**cells, "size": row["size"], "added": added, "file": cell(file), "url": address}


def filtered(rows: Sequence[dict[str, Any]], words: str) -> list[dict[str, Any]]:
    """Those whose title, file, kind or address holds all of these words."""
    return [
        row
        for row in rows
        if holds(" ".join(str(row[name]) for name in ("title", "file", "kind", "url")), words)
    ]


def found(rows: Sequence[dict[str, Any]], open: Open) -> None:
    """Search results, best first: a button that opens the document at the passage, the passage,
    where it stands and how it was found.
    """
    if not rows:
        st.caption("Nothing in this library holds any of these words.")
    for number, row in enumerate(rows, 1):
        with st.container(key=f"found_{number}", gap=None):
            st.button(
                plain(row["title"], 160), key=f"open_{number}", type="tertiary", wrap=True,
                on_click=open, args=(row["url"], row["start"]),
            )  # fmt: skip
            place = (
                f"passage {row['passage']} of {row['passages']}"
                if row["passages"] > 1
                else "the whole text"
            )
            by = " · by its meaning" if row["by"] == "meaning" else ""
            st.html(
                f'<p class="about">{markup(site(row["url"]))} · {place}{by}</p><p'
                f' class="snippet">{markup(row["snippet"], 600)}</p>'
            )


def text(held: dict[str, Any], open: Open) -> None:
    """What a document is, and its stored text, cleaned, in a panel that scrolls by itself; opened
    at a passage, from shortly before it.
    """
    body, start, end = held["text"], held["start"], held["end"]
    first = _first(body, start)
    last = min(len(body), first + LONGEST)
    shown = (
        f"<p class=about>Shown are characters {first:,} to {last:,}.</p>"
        if last - first < len(body)
        else ""
    )
    pieces = [
        (body[first:start], PLAIN),
        (body[start:end], QUOTED),
        (body[max(start, end) : last], PLAIN),
    ]
    _ways(held["url"], first > 0, open)
    st.html(
        '<section class="stored" aria-label="Stored text"><p'
        f' class="title">{link(markup(held["title"]), held["url"])}</p>'
        f"{_about(held['url'], held['title'], held['kind'], held['published'], held['facts'], body)}{shown}"
        '<div class="page" tabindex="0" role="region"'
        f' aria-label="Text">{drawn(pieces)}</div></section>'
    )


@st.cache_data(max_entries=32, show_spinner=False)
def _about(
    url: str, title: str, kind: str, published: str, facts: dict[str, Any], body: str
) -> str:
    """What a document is, what it hides and what it says to machines, which takes a moment to look
    for in a long one. HTML.
    """
    whole = Passage("", body, 0, len(body))
    source = ReportSource(
        url, title, 0, "", "", None, published=published, passages=(whole,), **stated(facts)
    )
    line = provenance.line(source, markup(kind), f"{len(body):,} characters")
    return f'<p class="about">{line}{provenance.marks(source)}</p>{provenance.unread(source)}{hidden_text.detail(source)}'


def _first(body: str, start: int) -> int:
    """The character from which a text is shown that is opened at another: a line's first, or a
    word's.
    """
    before = start - BEFORE
    return (
        max(body.rfind("\n", before - BEFORE, before), body.rfind(" ", before - 60, before)) + 1
        if before > 0
        else 0
    )


def _ways(url: str, cut: bool, open: Open) -> None:
    with st.container(horizontal=True, key="stored_ways"):
        if cut:
            st.button(
                "From the beginning",
                key="whole",
                icon=":material/vertical_align_top:",
                on_click=open,
                args=(url,),
            )
        st.button(
            "Close",
            key="close_document",
            icon=":material/close:",
            on_click=open,
            args=("",),
            shortcut="Escape",
        )
