"""Draw a run's sources as they arrive; the selected one can be included, excluded or reset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import streamlit as st

from parts.audit.audit_badges import ALL_SOURCE_BADGES
from parts.session.sources.actions import list_actions
from parts.session.sources.table import build_columns
from parts.shared import current_user, failures, provenance, watch
from parts.shared.badges import Badge
from parts.shared.html_text import clean_cell, escape_line, format_link
from research_core.i18n import N_, _
from research_core.models import ReportSource
from research_core.sessions import session_control
from research_core.sessions import snapshot as snapshots
from research_core.sessions.snapshot import Snapshot
from research_core.trust.provenance import name_site
from research_core.wiring import default_resources

COLUMN_WIDTHS = {"state": 116, "title": 400, "score": 100, "relevance": 76}
#: Widths if any source has a note, which must be visible without scrolling sideways.
COLUMN_WIDTHS_WITH_NOTES = {**COLUMN_WIDTHS, "title": 235, "note": 165}
SCHEMA = pa.schema(
    {
        "state": pa.list_(pa.string()),
        "title": pa.string(),
        "score": pa.float64(),
        "relevance": pa.int64(),
        "note": pa.string(),
    }
)
MAX_TABLE_ROWS = 12  # more rows scroll
TOO_LATE = N_("The gate has decided. Change sources on the Sources tab and rewrite the report.")


def draw_table(snapshot: Snapshot) -> None:
    """Draw the sources, and buttons for the selected one, which stays selected when rows move."""
    sources = watch.derive(snapshot, snapshots.list_by_arrival)
    if not sources:
        st.caption(_("No sources yet."))
        return
    by_url = {source.url: source for source in sources}
    _select_chosen_row(list(by_url))
    rows = watch.derive(snapshot, _build_rows)
    st.dataframe(
        rows,
        column_config=_column_config(
            COLUMN_WIDTHS_WITH_NOTES if "note" in rows.column_names else COLUMN_WIDTHS
        ),
        hide_index=True,
        height="content" if len(sources) <= MAX_TABLE_ROWS else 440,
        placeholder="",
        key="arrivals",
        on_select=_keep_choice,
        selection_mode="single-row",
        alt=_("Sources with decision, credibility and relevance"),
    )
    _draw_chosen(snapshot, by_url.get(st.session_state.get("chosen", "")))


def _column_config(widths: Mapping[str, int]) -> dict[str, Any]:
    columns = build_columns()
    return {name: {**columns[name], "width": width} for name, width in widths.items()}


def _build_rows(snapshot: Snapshot) -> pa.Table:
    """Return the rows as an Arrow table, converted once for all tabs.

    The column of notes is left out if there are none.
    """
    sources = watch.derive(snapshot, snapshots.list_by_arrival)
    # A copy names its original by number, and no column here has the numbers.
    sites = {source.number: name_site(source.address) for source in sources if source.number}
    rows = [
        _build_row(source, sites.get(source.copy_of, ""), _find_badge(snapshot, source))
        for source in sources
    ]
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    if any(row["note"] for row in rows):
        return table
    return table.drop_columns("note")


def _find_badge(snapshot: Snapshot, source: ReportSource) -> Badge:
    """Return the badge of a source; a check of a report keeps none, it opens what is cited."""
    is_opened = snapshot.run.settings.checks_report and source.status == "kept"
    return ALL_SOURCE_BADGES["live" if is_opened else source.status]


def _build_row(source: ReportSource, original: str, badge: Badge) -> dict[str, object]:
    judged = source.relevance
    return {
        "state": [badge.label],
        "title": clean_cell(source.title),
        "score": source.parts.score if source.parts else None,
        "relevance": judged.score if judged and judged.scored else None,
        "note": clean_cell(provenance.format_notes(source, original)),
    }


def _select_chosen_row(urls: Sequence[str]) -> None:
    """Select the row where the chosen source is now. Call it before the table is drawn."""
    chosen = st.session_state.get("chosen")
    rows = [urls.index(chosen)] if chosen in urls else []
    before = st.session_state.get("arrivals", {}).get("selection", {}).get("rows", [])
    if list(before) != rows:
        st.session_state["arrivals"] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    st.session_state["arrivals_urls"] = urls


def _keep_choice() -> None:
    """Keep the row selected in the table as it was last drawn. urls: its rows."""
    rows = st.session_state["arrivals"]["selection"]["rows"]
    urls = st.session_state.get("arrivals_urls", [])
    st.session_state["chosen"] = urls[rows[0]] if rows and rows[0] < len(urls) else None


def _draw_chosen(snapshot: Snapshot, source: ReportSource | None) -> None:
    can_decide = snapshot.at_work and snapshot.run.gated is None
    if source is None:
        if can_decide:
            st.caption(_("Select a row to include or exclude its source."))
        elif snapshot.at_work:
            st.caption(_(TOO_LATE))
        return
    about = escape_line(name_site(source.address))
    if source.reason:
        about += f" · {escape_line(source.reason, 300)}"
    st.html(
        f'<p class="chosen">{_find_badge(snapshot, source).html}'
        f" {format_link(escape_line(source.title), source.address)}"
        f' <span class="about">{about}</span></p>'
    )
    if not can_decide:
        st.caption(_(TOO_LATE))
        return
    with st.container(horizontal=True, key="moves"):
        for action in list_actions(source):
            st.button(
                _(action.label),
                key=action.do,
                icon=action.icon,
                help=_(action.help),
                on_click=_decide_source,
                args=(snapshot.session, action.do, source.url),
            )
    for command in watch.derive(snapshot, snapshots.list_commands):
        if command.state == "waiting" and command.url == source.url:
            st.caption(_("Requested. It takes effect within seconds."))
            break


def _decide_source(session: str, do: str, url: str) -> None:
    with failures.keep_failures():
        session_control.send_command(
            default_resources(), session, do, url=url, who=current_user.current_principal()
        )
