"""The table of sources, the same wherever it stands: the decision first, the score as a bar, and
why.

On the Sources screen a row can be chosen, blocked rows are tinted, and what the run decided stands
beside what would be decided now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from parts.session.sources.assessment import Assessed
from parts.session.sources.whatif_effect import NOTHING_KNOWN, is_unknown
from parts.shared import provenance
from parts.shared.badges import SOURCE, UNKNOWN
from parts.shared.html_text import cell
from parts.shared.stylesheet import WHOLE
from research_core.models import ReportSource
from research_core.sessions.whatif import WhatIf
from research_core.trust.provenance import site

COLUMNS: dict[str, Any] = {
    "state": st.column_config.MultiselectColumn(
        "Decision",
        options=[badge.label for badge in SOURCE.values()],
        color=[badge.tone for badge in SOURCE.values()],
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
    "host": st.column_config.TextColumn("Host", help=NOTHING_KNOWN, width=115),
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
HIGHEST = 540  # pixels
TALLEST = 15  # rows; more scroll inside the table
#: Only where some source has anything there.
SOMETIMES = ("was", "scored", "assessed", "assessed_was", "host", "note")
PLAIN = tuple(name for name in COLUMNS if name not in SOMETIMES)
#: As the Sources screen shows them: what a phone is wide enough for comes first.
CHOOSABLE = (
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
WIDTHS = {"state": 112, "score": 92, "title": 250, "relevance": 72, "why": 320, "note": 160}
#: Beside an opened source there is room for these; what else there is to know of it stands there.
BESIDE = ("state", "score", "title", "why")
BESIDE_WIDTHS = WIDTHS | {"score": 88, "title": 215, "why": 245}
TINTED = 250  # rows; a tint costs twenty times the time of the table, and the badge says the same
TINT = "background-color: rgba(190, 62, 50, 0.13)"  # seen on paper and on black


def table(sources: Sequence[ReportSource], *, key: str, columns: Sequence[str] = PLAIN) -> None:
    """One row for each source, sortable by every column."""
    rows = pd.DataFrame([_row(source) for source in sources], columns=list(COLUMNS))
    st.dataframe(
        rows[list(columns)],
        column_config={name: COLUMNS[name] for name in columns},
        hide_index=True,
        height="content" if len(rows) <= TALLEST else HIGHEST,
        placeholder="",
        key=key,
        alt="Sources with decision, credibility and relevance",
    )


class Known(NamedTuple):
    """What stands beside the sources. originals: as `provenance.originals` has them; assessed: of
    those that were read, by URL.
    """

    what: WhatIf
    originals: Mapping[str, str]
    assessed: Mapping[str, Assessed]


def choosable(
    sources: Sequence[ReportSource],
    beside: Known,
    *,
    chosen: str,
    whole: bool,
    key: str,
    on_choose: Callable[[Sequence[str]], None],
) -> None:
    """The same rows to choose one from, with what the run decided.

    chosen: a URL or ""; whole: titles and reasons wrapped, not cut; on_choose gets the URLs of the
    rows.
    """
    before = {shift.url: shift.was for shift in beside.what.shifts}
    said = [
        {**_row(each), **_beside(each, beside), "scored": before.get(each.url)} for each in sources
    ]
    first, widths = (BESIDE, BESIDE_WIDTHS) if chosen else ((), WIDTHS)
    columns = [
        name
        for name in dict.fromkeys((*first, *CHOOSABLE))
        if name not in SOMETIMES or any(one[name] for one in said)
    ]
    rows = pd.DataFrame(said, columns=columns)
    urls = [source.url for source in sources]
    st.session_state[key] = {
        "selection": {
            "rows": [urls.index(chosen)] if chosen in urls else [],
            "columns": [],
            "cells": [],
        }
    }
    st.dataframe(
        rows.style.apply(_tint, axis=None) if len(rows) <= TINTED else rows,
        column_config={
            name: COLUMNS[name] | {"width": widths.get(name, COLUMNS[name]["width"])}
            for name in columns
        },
        hide_index=True,
        height="content" if len(rows) <= (HIGHEST // WHOLE if whole else TALLEST) else HIGHEST,
        row_height=WHOLE if whole else None,
        placeholder="",
        key=key,
        on_select=lambda: on_choose(urls),
        selection_mode="single-row",
        alt=(
            "Sources with decision, credibility, relevance and the reason; Shift and Space open the"
            " row the cursor is on"
        ),
    )


def order(what: WhatIf) -> None:
    """That the rows stand as the run left them, where scores or decisions are others now."""
    if what.flips or what.shifts:
        st.caption(
            "Rows keep the order of the run, so that they stand still while you try. A press on a"
            " column's name sorts by what it says now."
        )


def _beside(source: ReportSource, beside: Known) -> dict[str, Any]:
    verdict, found = beside.what.was.get(source.url), beside.assessed.get(source.url)
    return {
        "number": (verdict.number if verdict else 0) or None,
        "was": SOURCE[verdict.status].label if verdict and verdict.status != source.status else "",
        "host": UNKNOWN.label if is_unknown(source) else "",
        "note": provenance.notes(source, beside.originals.get(source.url, "")),
        "assessed": f"{found.now.value:.2f} {found.now.level}" if found else "",
        "assessed_was": (
            f"{found.was.value:.2f} {found.was.level}" if found and found.changed else ""
        ),
    }


def _tint(rows: pd.DataFrame) -> pd.DataFrame:
    blocked = rows["state"].str[0] == SOURCE["blocked"].label
    return pd.DataFrame(
        {name: blocked.map({True: TINT, False: ""}) for name in rows.columns}, index=rows.index
    )


def _row(source: ReportSource) -> dict[str, Any]:
    parts, judged = source.parts, source.relevance
    return {
        "state": [SOURCE[source.status].label],
        "number": source.number or None,
        "title": cell(source.title),
        "site": site(source.address),
        "score": parts.score if parts else None,
        "relevance": judged.score if judged and judged.scored else None,
        "why": cell(source.reason),
        "tier": cell(parts.site) if parts else "own document, not scored",
        "domain": parts.domain if parts else None,
        "words": parts.relevance if parts else None,
        "date": parts.recency if parts else None,
        "url": source.address if source.address.startswith(("http://", "https://")) else None,
    }
