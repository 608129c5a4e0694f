"""Draw the tables of sources: decision, score and reason.

`draw_table` is a plain table for other screens. The table of the Sources screen is a component of
its own (pages/sources_table.js): columns sort by a click, a row opens by a click or Enter, and has
a button for what can be done with its source.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from parts.audit.audit_badges import ALL_SOURCE_BADGES, find_state, is_from_unknown_site
from parts.audit.checked_report import explain_credibility
from parts.session.sources import sliders
from parts.session.sources.actions import choose_row_action
from parts.session.sources.assessment import (
    AFTER_READING_EXPLAINED,
    AssessedSource,
    format_assessment,
)
from parts.session.sources.whatif_effect import UNKNOWN_HOST_NOTE
from parts.shared import provenance
from parts.shared.badges import (
    PENDING,
    SOURCE_BADGES,
    STATES_EXPLAINED,
    UNKNOWN_HOST,
    USE_BADGES,
)
from parts.shared.html_text import clean_cell
from research_core.i18n import N_, _
from research_core.models import ReportSource
from research_core.pipeline.audit_result import AuditedSource
from research_core.sessions.whatif import WhatIf
from research_core.trust.credibility import name_kind_of_site
from research_core.trust.provenance import name_site
from research_core.urls import is_own_document

# -- the plain table -------------------------------------------------------------------------------

MAX_HEIGHT = 540  # pixels
MAX_TABLE_ROWS = 15  # more rows scroll


def build_columns() -> dict[str, Any]:
    """Return the columns of a plain table by name, with their labels in the current language."""
    return {
        "state": st.column_config.MultiselectColumn(
            _("Decision"),
            options=[badge.label for badge in ALL_SOURCE_BADGES.values()],
            color=[badge.tone for badge in ALL_SOURCE_BADGES.values()],
            width=115,
            pinned=True,
        ),
        "title": st.column_config.TextColumn(_("Source"), width=310),
        "score": st.column_config.ProgressColumn(
            _("Credibility"), min_value=0, max_value=1, format="%.2f", width=120
        ),
        "relevance": st.column_config.NumberColumn(
            _("Relevance"), format="%d/5", help=_("1 to 5, judged from its passages"), width=80
        ),
        "note": st.column_config.TextColumn(
            _("Remarks"), help=_("Copies, pages read in part, hidden text"), width=215
        ),
        "site": st.column_config.TextColumn(_("Site"), width=210),
    }


def draw_table(sources: Sequence[ReportSource], *, key: str, columns: Sequence[str]) -> None:
    """Draw a sortable row for each source. columns: names of `build_columns`, not "note"."""
    rows = [
        {
            "state": [SOURCE_BADGES[source.status].label],
            "title": clean_cell(source.title),
            "score": source.parts.score if source.parts else None,
            "relevance": _get_relevance(source),
            "site": name_site(source.address),
        }
        for source in sources
    ]
    known = build_columns()
    st.dataframe(
        pd.DataFrame(rows, columns=list(columns)),
        column_config={name: known[name] for name in columns},
        hide_index=True,
        height="content" if len(rows) <= MAX_TABLE_ROWS else MAX_HEIGHT,
        placeholder="",
        key=key,
        alt=_("Sources with decision, credibility and relevance"),
    )


# -- the table of the Sources screen ---------------------------------------------------------------


#: What the table says of a source that the report's text may cite, in the place of "kept".
CITED, UNCITED = USE_BADGES
TABLE_BADGES = {**USE_BADGES, **ALL_SOURCE_BADGES}
#: Of the sources that the report may cite.
USED = frozenset({CITED, UNCITED, "kept"})
#: The help of the column Credibility, and the first line of a source's scores.
CREDIBILITY_EXPLAINED = N_(
    "How credible this search result looks before it is read. Half of the score counts your"
    " question's words in the snippet. The rest counts the kind of site and a date since 2020."
)


#: Why a rewrite reads some pages beyond the page limit, and leaves others unread.
NEW_READS_EXPLAINED = N_(
    "Beyond the page limit, a rewrite reads only pages that newly pass or that you include."
)


class TableColumn(NamedTuple):
    """kind: how pages/sources_table.js draws it; width in pixels, 0 for a share of the rest."""

    label: str
    kind: str
    width: int = 0
    help: str = ""
    places: int = 0
    unit: str = ""


COLUMNS = {
    "state": TableColumn(N_("Decision"), "badge", 130, STATES_EXPLAINED),
    "score": TableColumn(N_("Credibility"), "bar", 134, CREDIBILITY_EXPLAINED),
    "assessed": TableColumn(N_("After reading"), "text", 128, AFTER_READING_EXPLAINED),
    "relevance": TableColumn(
        N_("Relevance"), "figure", 100, N_("1 to 5, judged from its passages"), unit="/5"
    ),
    "source": TableColumn(N_("Source"), "source"),
    "was": TableColumn(
        N_("Before"),
        "text",
        108,
        N_("The decision in this session, before you changed any setting here"),
    ),
    "scored": TableColumn(
        N_("Score before"),
        "figure",
        108,
        N_("The credibility in this session, before you changed any setting here"),
        places=2,
    ),
    "action": TableColumn(N_("Action"), "action", 132),
    "why": TableColumn(
        N_("Why"),
        "text",
        help=N_(
            "Why the source is used or not. Before a page is read, its score is lower for each"
            " word of your question that the search result lacks."
        ),
    ),
    "note": TableColumn(N_("Remarks"), "text", 170, N_("Copies, pages read in part, hidden text")),
    "assessed_was": TableColumn(
        N_("After reading, before"),
        "text",
        128,
        N_("The quality after reading in this session, before you changed any setting here"),
    ),
    "host": TableColumn(N_("Site known"), "text", 118, UNKNOWN_HOST_NOTE),
    "number": TableColumn(N_("No."), "figure", 60, N_("Its number in the report's citations")),
    "tier": TableColumn(N_("Kind of site"), "text", 150),
    "domain": TableColumn(
        N_("Authority"), "figure", 92, N_("0 to 1, by the kind of site"), places=2
    ),
    "words": TableColumn(
        N_("Keywords"), "figure", 92, N_("Share of the question's words in the snippet"), places=2
    ),
    "date": TableColumn(
        N_("Date"), "figure", 68, N_("Bonus for a date since 2020 in the snippet"), places=2
    ),
    "url": TableColumn(N_("Page"), "link", 68),
}
#: Columns shown only if some source has a value.
OPTIONAL_COLUMNS = (
    "relevance",
    "was",
    "scored",
    "action",
    "assessed",
    "assessed_was",
    "host",
    "note",
)
#: Columns of the Sources screen; the others are shown on request.
MAIN_COLUMNS = ("state", "score", "relevance", "source", "was", "scored", "action", "why", "note")
#: Columns beside an opened source; its details show the rest.
COLUMNS_BESIDE_DETAILS = ("state", "score", "source", "was", "why")

grid = st.components.v2.component(
    "assay_sources",
    js=(Path(__file__).parents[3] / "sources_table.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


class SourceNotes(NamedTuple):
    """What the table shows beside each source.

    originals: the label of a copy's original, assessed: kept sources, or all that were read; both
    by URL. unquoted: kept sources that the report does not cite; new: pages that a rewrite read;
    both URLs. has_report: whether the others are cited; audited: what the check of a report found
    on its sources, by URL.
    """

    whatif: WhatIf
    originals: Mapping[str, str]
    assessed: Mapping[str, AssessedSource]
    unquoted: Collection[str] = ()
    new: Collection[str] = ()
    has_report: bool = False
    audited: Mapping[str, AuditedSource] = {}

    def find_use(self, source: ReportSource) -> str:
        """Return what the table says of a source: its status, or what the report makes of it."""
        is_kept = source.status == "kept" and self.find_status_before(source) in ("", "kept")
        return self.find_use_before(source) if is_kept or self.audited else source.status

    def find_status_before(self, source: ReportSource) -> str:
        """Return the status of a source in the stored session, "" if it was not decided there."""
        verdict = self.whatif.was.get(source.url)
        return verdict.status if verdict else ""

    def find_use_before(self, source: ReportSource) -> str:
        """Return what the table said of a source before anything was moved."""
        if self.audited:
            return find_state(source, self.audited)
        status = self.find_status_before(source) or source.status
        if status != "kept" or not self.has_report:
            return status
        return UNCITED if source.url in self.unquoted else CITED

    def format_use(self, source: ReportSource) -> str:
        """Return the badge of a source, and its earlier one if its decision changed. HTML."""
        shown = TABLE_BADGES[self.find_use(source)].html
        before = self.find_status_before(source)
        if before in ("", source.status):
            return shown
        earlier = TABLE_BADGES[self.find_use_before(source)].html
        return f"{shown} {_('in this session: {decision}').format(decision=earlier)}"


def draw_choosable_table(
    sources: Sequence[ReportSource],
    beside: SourceNotes,
    *,
    chosen: str,
    whole: bool,
    key: str,
    on_choose: Callable[[str], None],
    on_action: Callable[[ReportSource, str], None] | None,
) -> None:
    """Draw the sources, the chosen one marked, with the run's decisions.

    chosen: a URL or ""; whole: show all columns; on_choose: gets the URL of the opened source, or
    ""; on_action: gets the source of the pressed button and what to do, None for no buttons.
    """
    by_name = {sliders.short_source_name(source.url): source for source in sources}
    names: Sequence[str] = COLUMNS_BESIDE_DETAILS if chosen else MAIN_COLUMNS
    if whole:
        names = tuple(COLUMNS)
    rows = build_rows(sources, beside, names, chosen=chosen, can_act=on_action is not None)
    columns = []
    for name in names:
        if name not in OPTIONAL_COLUMNS or any(name in row["cells"] for row in rows):
            columns.append(_describe_column(name, beside))

    def open_row() -> None:
        source = by_name.get(st.session_state[key]["open"])
        on_choose(source.url if source else "")

    def act() -> None:
        source = by_name.get(st.session_state[key]["act"])
        action = choose_row_action(source, beside.whatif.sources) if source else None
        if source and action and on_action:
            on_action(source, action.do)

    grid(
        key=key,
        data={
            "label": _("Sources. The arrow keys move between rows, Enter opens one."),
            "sort": _("Sort by"),
            "columns": columns,
            "badges": _list_badges(),
            "actions": _list_actions(sources, beside) if on_action else {},
            "rows": rows,
        },
        on_open_change=open_row,
        on_act_change=act,
    )


def _describe_column(name: str, beside: SourceNotes) -> dict[str, Any]:
    column = COLUMNS[name]
    if beside.audited:
        changed: dict[str, dict[str, Any]] = {
            "state": {"label": N_("State"), "help": ""},
            "score": {"help": explain_credibility(beside.whatif.settings.credibility)},
        }
        column = column._replace(**changed.get(name, {}))
    return {
        "name": name,
        "label": _(column.label),
        "kind": column.kind,
        "width": column.width,
        "help": _(column.help) if column.help else "",
        "places": column.places,
        "unit": column.unit,
        "open": _("Open"),
    }


def _list_badges() -> dict[str, tuple[str, str, int]]:
    """Return the label, tone and sort position of each status, those of used sources first."""
    return {
        status: (badge.label, badge.tone, place)
        for place, (status, badge) in enumerate(TABLE_BADGES.items())
    }


def _list_actions(sources: Sequence[ReportSource], beside: SourceNotes) -> dict[str, str]:
    """Return the help text of each action that these sources offer, by label."""
    helps = {}
    for source in sources:
        action = choose_row_action(source, beside.whatif.sources)
        if action:
            helps[_(action.label)] = _(action.help)
    return helps


def build_rows(
    sources: Sequence[ReportSource],
    beside: SourceNotes,
    columns: Collection[str],
    *,
    chosen: str = "",
    can_act: bool = True,
) -> list[dict[str, Any]]:
    """Return a row for each source: ID, cells by column, and how it is drawn.

    columns: those whose cells are wanted. Hundreds of rows are sent each time a slider moves.
    """
    scores_before = {shift.url: shift.was for shift in beside.whatif.shifts}
    weakest = find_weakest(beside)
    rows = []
    for source in sources:
        cells = _build_cells(source) | _build_extra_cells(source, beside)
        cells["state"] = beside.find_use(source)
        cells["scored"] = scores_before.get(source.url)
        action = choose_row_action(source, beside.whatif.sources) if can_act else None
        cells["action"] = _(action.label) if action else None
        wanted = {name: cells[name] for name in columns if cells.get(name) not in (None, "")}
        row: dict[str, Any] = {"id": sliders.short_source_name(source.url), "cells": wanted}
        row["notes"] = _build_notes(source, beside, weakest)
        if source.url == chosen:
            row["chosen"] = True
        if source.status == "blocked":
            row["tint"] = True
        rows.append(row)
    return rows


def _build_notes(
    source: ReportSource, beside: SourceNotes, weakest: Collection[str]
) -> dict[str, list[tuple[str, str]]]:
    """Return the small print of cells by column: each a text and its help."""
    notes: dict[str, list[tuple[str, str]]] = {}
    use = beside.find_use(source)
    if source.url in beside.new:
        notes["state"] = [(_("read in this version"), _(NEW_READS_EXPLAINED))]
    elif source.status == "not_read" and beside.new:
        notes["why"] = [(_(NEW_READS_EXPLAINED), "")]
    if source.url in weakest:
        lowest = _("lowest of those cited") if use == CITED else _("lowest of those kept")
        notes["score"] = [(lowest, _("Before reading: the lowest credibility of these sources"))]
    found = beside.assessed.get(source.url)
    if found and found.now.is_low and use in USED and not beside.audited:
        low = _("after reading: {value}").format(value=format_assessment(found.now))
        notes.setdefault("score", []).append((low, _(AFTER_READING_EXPLAINED)))
    return notes


def find_weakest(beside: SourceNotes) -> frozenset[str]:
    """Return the URLs of the cited sources with the lowest credibility, none if all are equal.

    Where nothing is cited yet, that of the kept ones. A check of a report keeps all it can read.
    """
    for use in (CITED, "kept"):
        scored = []
        for source in beside.whatif.sources:
            if beside.find_use(source) == use and source.parts:
                # Equal as they are shown.
                scored.append((round(source.parts.score, 2), source.url))
        if scored:
            lowest = min(scored)[0]
            weakest = frozenset(url for score, url in scored if score == lowest)
            return weakest if len(weakest) < len(scored) else frozenset()
    return frozenset()


def _get_relevance(source: ReportSource) -> int | None:
    judged = source.relevance
    return judged.score if judged and judged.scored else None


def _build_cells(source: ReportSource) -> dict[str, Any]:
    parts = source.parts
    web = source.address.startswith(("http://", "https://"))
    return {
        "state": source.status,
        "source": [clean_cell(source.title), name_site(source.address)],
        "score": round(parts.score, 4) if parts else None,
        "relevance": _get_relevance(source),
        "why": clean_cell(source.reason),
        "tier": _describe_site(source),
        "domain": parts.domain if parts else None,
        "words": parts.relevance if parts else None,
        "date": parts.recency if parts else None,
        "url": source.address if web else None,
    }


def _describe_site(source: ReportSource) -> str:
    if source.parts:
        return clean_cell(name_kind_of_site(source.parts))
    if is_own_document(source.url):
        return _("library document, not scored")
    return _("not scored")


def _build_extra_cells(source: ReportSource, beside: SourceNotes) -> dict[str, Any]:
    cells: dict[str, Any] = {
        "host": UNKNOWN_HOST.label if is_from_unknown_site(source, beside.audited) else "",
        "note": provenance.format_notes(source, beside.originals.get(source.url, "")),
    }
    verdict = beside.whatif.was.get(source.url)
    if verdict:
        cells["number"] = verdict.number or None
        if verdict.status != source.status and source.status not in PENDING:
            cells["was"] = TABLE_BADGES[beside.find_use_before(source)].label
    found = beside.assessed.get(source.url)
    if found:
        cells["assessed"] = format_assessment(found.now)
        if found.changed:
            cells["assessed_was"] = format_assessment(found.was)
    return cells


def draw_order_note(whatif: WhatIf) -> None:
    """Say that rows keep the run's order, if scores or decisions differ now."""
    if whatif.flips or whatif.shifts:
        st.caption(
            _(
                "Rows stay where they were, so that you see what changes. Click a column's name to"
                " sort."
            )
        )
