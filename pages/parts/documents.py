"""The documents of a library: the table, a search with the place of each passage, and the stored text of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.passage import PLAIN, drawn
from parts.safe import cell, link, markup
from parts.words import when
from research_core.reading import site
from research_core.text import holds, plain

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


def table(rows: Sequence[dict[str, Any]], *, key: str) -> list[str]:
    """One row for each document, sortable by every column; the addresses of those that are selected."""
    shown = pd.DataFrame([_row(row) for row in rows], columns=list(COLUMNS))
    event = st.dataframe(
        shown, column_config=COLUMNS, hide_index=True, height="content" if len(rows) <= TALLEST else 460, key=key, placeholder="",
        on_select="rerun", selection_mode="multi-row", alt="Documents of this library with kind, date, size and when they were added",
    )  # fmt: skip
    return [rows[place]["url"] for place in event["selection"]["rows"] if place < len(rows)]


def _row(row: dict[str, Any]) -> dict[str, Any]:
    address = row["url"] if row["url"].startswith(("http://", "https://")) else None
    added, file = when(row["added_at"]), row["file"].replace("\\", "/").rpartition("/")[2]
    cells = {name: cell(row[name]) for name in ("title", "kind", "published")}
    return {**cells, "size": row["size"], "added": added, "file": cell(file), "url": address}


def filtered(rows: Sequence[dict[str, Any]], words: str) -> list[dict[str, Any]]:
    """Those whose title, file, kind or address holds all of these words."""
    return [row for row in rows if holds(" ".join(str(row[name]) for name in ("title", "file", "kind", "url")), words)]


def found(rows: Sequence[dict[str, Any]], *, key: str) -> None:
    """Search results, best first: a button that opens the document, the passage, and where it stands. The choice goes to this key."""
    if not rows:
        st.caption("Nothing in this library holds any of these words.")
    for number, row in enumerate(rows, 1):
        with st.container(key=f"found_{number}", gap=None):
            st.button(
                plain(row["title"], 160), key=f"open_{number}", type="tertiary", wrap=True, on_click=_choose, args=(key, row["url"]),
            )  # fmt: skip
            place = f"passage {row['passage']} of {row['passages']}" if row["passages"] > 1 else "the whole text"
            st.html(f'<p class="about">{markup(site(row["url"]))} · {place}</p><p class="snippet">{markup(row["snippet"], 600)}</p>')


def _choose(key: str, url: str) -> None:
    st.session_state[key] = url


def text(held: dict[str, Any]) -> None:
    """The stored text of a document, cleaned, in a panel that scrolls by itself."""
    body = held["text"]
    facts = [site(held["url"]), held["kind"], *filter(None, [held["published"]]), f"{len(body):,} characters"]
    cut = f"<p class=about>The first {LONGEST:,} characters are shown.</p>" if len(body) > LONGEST else ""
    st.html(
        f'<section class="stored" aria-label="Stored text"><p class="title">{link(markup(held["title"]), held["url"])}</p>'
        f'<p class="about">{" · ".join(markup(fact) for fact in facts)}</p>{cut}'
        f'<div class="page" tabindex="0" role="region" aria-label="Text">{drawn([(body[:LONGEST], PLAIN)])}</div></section>'
    )
