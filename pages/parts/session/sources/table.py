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
        "No.", format="%d", help="Its number in the report's citations", width=45
    ),
    "was": st.column_config.TextColumn(
        "In the run", help="The run's decision, where it differs", width=110
    ),
    "title": st.column_config.TextColumn("Source", width=310),
    "source": st.column_config.TextColumn("Source", width=380),
    "score": st.column_config.ProgressColumn(
        "Credibility", min_value=0, max_value=1, format="%.2f", width=120
    ),
    "scored": st.column_config.NumberColumn(
        "Score in the run", format="%.2f", help="Where it differs", width=110
    ),
    "relevance": st.column_config.NumberColumn(
        "Relevance", format="%d / 5", help="1 to 5, judged from its passages", width=80
    ),
    "assessed": st.column_config.TextColumn(
        "After reading",
        help="Site, page content and corroboration together; changes no decision",
        width=100,
    ),
    "assessed_was": st.column_config.TextColumn(
        "After reading, in the run", help="Where it differs", width=140
    ),
    "host": st.column_config.TextColumn("Site known", help=UNKNOWN_HOST_NOTE, width=115),
    "note": st.column_config.TextColumn(
        "Notes",
        help="Copies (counted once), parts not read, hidden text, other addresses",
        width=215,
    ),
    "why": st.column_config.TextColumn("Why", width=430),
    "site": st.column_config.TextColumn("Site", width=210),
    "tier": st.column_config.TextColumn("Kind of site", width=165),
    "domain": st.column_config.NumberColumn(
        "Authority", format="%.2f", help="0 to 1, by the kind of site", width=80
    ),
    "words": st.column_config.NumberColumn(
        "Keywords", format="%.2f", help="Share of the question's words in the snippet", width=70
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
BASE_COLUMNS = tuple(name for name in COLUMNS if name not in (*OPTIONAL_COLUMNS, "source"))
#: Columns of the Sources screen; the others are shown on request.
MAIN_COLUMNS = ("state", "score", "relevance", "source", "was", "scored", "why", "note")
ALL_COLUMNS = (
    *MAIN_COLUMNS,
    "assessed",
    "assessed_was",
    "host",
    "number",
    "tier",
    "domain",
    "words",
    "date",
    "url",
)
COLUMN_WIDTHS = {"state": 118, "score": 96, "relevance": 74, "source": 380, "why": 360}
#: Columns beside an opened source; its card shows the rest.
COLUMNS_BESIDE_CARD = ("state", "score", "source", "was", "why")
COLUMN_WIDTHS_BESIDE_CARD = COLUMN_WIDTHS | {"score": 88, "source": 260, "why": 200}
MAX_TINTED_ROWS = 250  # tinting takes 20 times as long as the table, and the badge says the same
TINT = "background-color: rgba(190, 62, 50, 0.13)"  # visible on white and on black


class RowAction(NamedTuple):
    """The button in a source's row. do: one of `sliders.MANUAL_DECISIONS`, or "lower"."""

    label: str
    do: str


INCLUDE, EXCLUDE = RowAction("Include", "approve"), RowAction("Exclude", "strike")
RESTORE = RowAction("Restore", "restore")
#: The action offered for a source in each state.
ROW_ACTIONS = {
    "kept": EXCLUDE,
    "reading": EXCLUDE,
    "judging": EXCLUDE,
    "waiting": EXCLUDE,
    "blocked": INCLUDE,
    "not_read": INCLUDE,
    "readable": EXCLUDE,
    "struck": RESTORE,
}


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

    whatif: WhatIf
    originals: Mapping[str, str]
    assessed: Mapping[str, AssessedSource]


def choose_action(source: ReportSource) -> RowAction | None:
    """Return the action of a row, None for a source that no action can bring back."""
    if source.approved:
        return RESTORE
    if source.status == "dropped" and source.relevance and source.relevance.scored:
        return RowAction(f"Accept {source.relevance.score} / 5", "lower")
    return ROW_ACTIONS.get(source.status)


def draw_choosable_table(
    sources: Sequence[ReportSource],
    beside: SourceNotes,
    *,
    chosen: str,
    whole: bool,
    key: str,
    on_choose: Callable[[Sequence[str]], None],
    on_action: Callable[[ReportSource, str], None] | None,
) -> None:
    """Draw the sources with one selectable, and with the run's decisions.

    chosen: a URL or ""; whole: show all columns; on_choose: gets the URLs of the rows; on_action:
    gets the source of the pressed button and what to do, None for no buttons.
    """
    cells = _list_cells(sources, beside)
    widths = COLUMN_WIDTHS_BESIDE_CARD if chosen else COLUMN_WIDTHS
    names: Sequence[str] = COLUMNS_BESIDE_CARD if chosen else MAIN_COLUMNS
    if whole:
        names = ALL_COLUMNS
    columns = [
        name for name in names if name not in OPTIONAL_COLUMNS or any(row[name] for row in cells)
    ]
    config = {
        name: COLUMNS[name] | {"width": widths.get(name, COLUMNS[name]["width"])}
        for name in columns
    }
    actions = [choose_action(source) for source in sources]
    if on_action is not None and not chosen and any(actions):
        columns.insert(columns.index("why"), "action")
        for row, action in zip(cells, actions, strict=True):
            row["action"] = action.label if action else None
        config["action"] = st.column_config.ButtonColumn(
            "",
            width=104,
            key=f"{key}_action",
            on_click=_act_on_row,
            args=(f"{key}_action", sources, actions, on_action),
        )
    rows = pd.DataFrame(cells, columns=columns)
    urls = [source.url for source in sources]
    selected = [urls.index(chosen)] if chosen in urls else []
    # A table's selection is a place of a row, and rows move; it can be set only before it is drawn.
    st.session_state[key] = {"selection": {"rows": selected, "columns": [], "cells": []}}
    st.dataframe(
        rows.style.apply(_tint_rows, axis=None) if len(rows) <= MAX_TINTED_ROWS else rows,
        column_config=config,
        hide_index=True,
        height="content" if len(rows) <= MAX_HEIGHT // WRAPPED_ROW_HEIGHT else MAX_HEIGHT,
        row_height=WRAPPED_ROW_HEIGHT,
        placeholder="",
        key=key,
        on_select=lambda: on_choose(urls),
        selection_mode="single-row",
        alt=(
            "Sources with decision, credibility, relevance and the reason; Shift and Space open the"
            " row the cursor is on"
        ),
    )


def _act_on_row(
    key: str,
    sources: Sequence[ReportSource],
    actions: Sequence[RowAction | None],
    on_action: Callable[[ReportSource, str], None],
) -> None:
    row = st.session_state[key]["row"]
    action = actions[row]
    if action:
        on_action(sources[row], action.do)


def _list_cells(sources: Sequence[ReportSource], beside: SourceNotes) -> list[dict[str, Any]]:
    """Return the cells of every column for each source."""
    scores_before = {shift.url: shift.was for shift in beside.whatif.shifts}
    cells = []
    for source in sources:
        row = {**_table_row(source), **_build_extra_cells(source, beside)}
        row["scored"] = scores_before.get(source.url)
        cells.append(row)
    return cells


def draw_order_note(whatif: WhatIf) -> None:
    """Say that rows keep the run's order, if scores or decisions differ now."""
    if whatif.flips or whatif.shifts:
        st.caption("Rows keep the order of the run while you try settings. Click a column to sort.")


def _build_extra_cells(source: ReportSource, beside: SourceNotes) -> dict[str, Any]:
    cells: dict[str, Any] = {
        "number": None,
        "was": "",
        "host": UNKNOWN_HOST.label if is_unknown_host(source) else "",
        "note": provenance.format_notes(source, beside.originals.get(source.url, "")),
        "assessed": "",
        "assessed_was": "",
    }
    verdict = beside.whatif.was.get(source.url)
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
        "source": f"{clean_cell(source.title)}\n{name_site(source.address)}",
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
