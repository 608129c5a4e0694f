"""Draw the table of sources used on all screens: decision, score and reason.

On Sources a row can be chosen, blocked rows are tinted, and the run's decision stands beside the
current one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from parts.session.sources.assessment import AssessedSource
from parts.session.sources.whatif_effect import UNKNOWN_HOST_NOTE
from parts.shared import provenance
from parts.shared.badges import SOURCE_BADGES, UNKNOWN_HOST
from parts.shared.html_text import clean_cell
from parts.shared.stylesheet import WRAPPED_ROW_HEIGHT
from research_core.models import ReportSource
from research_core.sessions.whatif import WhatIf
from research_core.trust.provenance import is_unknown_host, name_site

COLUMNS: dict[str, Any] = {
    "state": st.column_config.MultiselectColumn(
        "Decision",
        options=[badge.label for badge in SOURCE_BADGES.values()],
        color=[badge.tone for badge in SOURCE_BADGES.values()],
        width=115,
        pinned=True,
    ),
    "number": st.column_config.NumberColumn(
        "No.", format="%d", help="The number its citations carry in the report", width=45
    ),
    "was": st.column_config.TextColumn(
        "In the run", help="What the run decided, where that differs", width=110
    ),
    "title": st.column_config.TextColumn("Source", width=310),
    "score": st.column_config.ProgressColumn(
        "Credibility", min_value=0, max_value=1, format="%.2f", width=120
    ),
    "scored": st.column_config.NumberColumn(
        "Score in the run", format="%.2f", help="Where it differs", width=110
    ),
    "relevance": st.column_config.NumberColumn(
        "Relevance", format="%d / 5", help="1-5, as judged from its passages", width=80
    ),
    "assessed": st.column_config.TextColumn(
        "Once read",
        help=(
            "What its host, its page and who says the same come to once it is read; it lets nobody"
            " in or out"
        ),
        width=100,
    ),
    "assessed_was": st.column_config.TextColumn(
        "Once read, in the run", help="Where it differs", width=140
    ),
    "host": st.column_config.TextColumn("Host", help=UNKNOWN_HOST_NOTE, width=115),
    "note": st.column_config.TextColumn(
        "To note",
        help="Copies, which count once; what was not read; what the page hides; other addresses",
        width=215,
    ),
    "why": st.column_config.TextColumn("Why", width=430),
    "site": st.column_config.TextColumn("Site", width=210),
    "tier": st.column_config.TextColumn("Kind of site", width=165),
    "domain": st.column_config.NumberColumn(
        "Authority", format="%.2f", help="0-1, by the kind of site", width=80
    ),
    "words": st.column_config.NumberColumn(
        "Words", format="%.2f", help="Share of the question's words in the snippet", width=70
    ),
    "date": st.column_config.NumberColumn(
        "Date", format="%.2f", help="Bonus for a recent date in the snippet", width=60
    ),
    "url": st.column_config.LinkColumn("Page", display_text="open", width=60),
}
MAX_HEIGHT = 540  # pixels
MAX_TABLE_ROWS = 15  # more rows scroll
#: Columns shown only if some source has a value.
OPTIONAL_COLUMNS = ("was", "scored", "assessed", "assessed_was", "host", "note")
BASE_COLUMNS = tuple(name for name in COLUMNS if name not in OPTIONAL_COLUMNS)
#: Columns of the Sources screen, first those that fit on a phone.
CHOOSABLE_COLUMNS = (
    "state",
    "score",
    "title",
    "was",
    "scored",
    "relevance",
    "assessed",
    "assessed_was",
    "host",
    "note",
    "why",
    "number",
    "site",
    "tier",
    "domain",
    "words",
    "date",
    "url",
)
COLUMN_WIDTHS = {"state": 112, "score": 92, "title": 250, "relevance": 72, "why": 320, "note": 160}
#: Columns that come first beside an opened source, whose card has the rest.
COLUMNS_BESIDE_CARD = ("state", "score", "title", "why")
COLUMN_WIDTHS_BESIDE_CARD = COLUMN_WIDTHS | {"score": 88, "title": 215, "why": 245}
MAX_TINTED_ROWS = 250  # tinting takes 20 times as long as the table, and the badge says the same
TINT = "background-color: rgba(190, 62, 50, 0.13)"  # visible on white and on black


def draw_table(
    sources: Sequence[ReportSource], *, key: str, columns: Sequence[str] = BASE_COLUMNS
) -> None:
    """Draw a sortable row for each source."""
    rows = pd.DataFrame([_table_row(source) for source in sources], columns=list(COLUMNS))
    st.dataframe(
        rows[list(columns)],
        column_config={name: COLUMNS[name] for name in columns},
        hide_index=True,
        height="content" if len(rows) <= MAX_TABLE_ROWS else MAX_HEIGHT,
        placeholder="",
        key=key,
        alt="Sources with decision, credibility and relevance",
    )


class SourceNotes(NamedTuple):
    """Additional columns. originals: of `provenance.find_originals`; assessed: by URL."""

    what: WhatIf
    originals: Mapping[str, str]
    assessed: Mapping[str, AssessedSource]


def draw_choosable_table(
    sources: Sequence[ReportSource],
    beside: SourceNotes,
    *,
    chosen: str,
    whole: bool,
    key: str,
    on_choose: Callable[[Sequence[str]], None],
) -> None:
    """Draw the sources with one selectable, and with the run's decisions.

    chosen: a URL or ""; whole: wrap titles and reasons instead of cutting them; on_choose: gets the
    URLs of the rows.
    """
    cells = _list_cells(sources, beside)
    first: tuple[str, ...] = ()
    widths = COLUMN_WIDTHS
    if chosen:
        first = COLUMNS_BESIDE_CARD
        widths = COLUMN_WIDTHS_BESIDE_CARD
    columns = []
    for name in dict.fromkeys((*first, *CHOOSABLE_COLUMNS)):
        if name not in OPTIONAL_COLUMNS or any(row[name] for row in cells):
            columns.append(name)
    rows = pd.DataFrame(cells, columns=columns)
    urls = [source.url for source in sources]
    selected = [urls.index(chosen)] if chosen in urls else []
    # A table's selection is a place of a row, and rows move; it can be set only before it is drawn.
    st.session_state[key] = {"selection": {"rows": selected, "columns": [], "cells": []}}
    most = MAX_HEIGHT // WRAPPED_ROW_HEIGHT if whole else MAX_TABLE_ROWS
    st.dataframe(
        rows.style.apply(_tint_rows, axis=None) if len(rows) <= MAX_TINTED_ROWS else rows,
        column_config={
            name: COLUMNS[name] | {"width": widths.get(name, COLUMNS[name]["width"])}
            for name in columns
        },
        hide_index=True,
        height="content" if len(rows) <= most else MAX_HEIGHT,
        row_height=WRAPPED_ROW_HEIGHT if whole else None,
        placeholder="",
        key=key,
        on_select=lambda: on_choose(urls),
        selection_mode="single-row",
        alt=(
            "Sources with decision, credibility, relevance and the reason; Shift and Space open the"
            " row the cursor is on"
        ),
    )


def _list_cells(sources: Sequence[ReportSource], beside: SourceNotes) -> list[dict[str, Any]]:
    """Return the cells of every column for each source."""
    scores_before = {shift.url: shift.was for shift in beside.what.shifts}
    cells = []
    for source in sources:
        row = {**_table_row(source), **_build_extra_cells(source, beside)}
        row["scored"] = scores_before.get(source.url)
        cells.append(row)
    return cells


def draw_order_note(what: WhatIf) -> None:
    """Say that rows keep the run's order, if scores or decisions differ now."""
    if what.flips or what.shifts:
        st.caption(
            "Rows keep the order of the run, so that they stand still while you try. A press on a"
            " column's name sorts by what it says now."
        )


def _build_extra_cells(source: ReportSource, beside: SourceNotes) -> dict[str, Any]:
    cells: dict[str, Any] = {
        "number": None,
        "was": "",
        "host": UNKNOWN_HOST.label if is_unknown_host(source) else "",
        "note": provenance.format_notes(source, beside.originals.get(source.url, "")),
        "assessed": "",
        "assessed_was": "",
    }
    verdict = beside.what.was.get(source.url)
    if verdict:
        cells["number"] = verdict.number or None
        if verdict.status != source.status:
            cells["was"] = SOURCE_BADGES[verdict.status].label
    found = beside.assessed.get(source.url)
    if found:
        cells["assessed"] = f"{found.now.value:.2f} {found.now.level}"
        if found.changed:
            cells["assessed_was"] = f"{found.was.value:.2f} {found.was.level}"
    return cells


def _tint_rows(rows: pd.DataFrame) -> pd.DataFrame:
    blocked = rows["state"].str[0] == SOURCE_BADGES["blocked"].label
    return pd.DataFrame(
        {name: blocked.map({True: TINT, False: ""}) for name in rows.columns}, index=rows.index
    )


def _table_row(source: ReportSource) -> dict[str, Any]:
    parts = source.parts
    judged = source.relevance
    return {
        "state": [SOURCE_BADGES[source.status].label],
        "number": source.number or None,
        "title": clean_cell(source.title),
        "site": name_site(source.address),
        "score": parts.score if parts else None,
        "relevance": judged.score if judged and judged.scored else None,
        "why": clean_cell(source.reason),
        "tier": clean_cell(parts.site) if parts else "own document, not scored",
        "domain": parts.domain if parts else None,
        "words": parts.relevance if parts else None,
        "date": parts.recency if parts else None,
        "url": source.address if source.address.startswith(("http://", "https://")) else None,
    }
