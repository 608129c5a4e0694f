"""The table of sources, the same wherever it stands: the decision first, the score as a bar, and why.

On the Sources screen a row can be chosen, blocked rows are tinted, and what the run decided stands beside what would be decided now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts import provenance
from parts.badges import SOURCE
from parts.safe import cell
from research_core.decide import Verdict
from research_core.models import ReportSource
from research_core.origin import site

COLUMNS: dict[str, Any] = {
    "state": st.column_config.MultiselectColumn(
        "Decision",
        options=[badge.label for badge in SOURCE.values()],
        color=[badge.tone for badge in SOURCE.values()],
        width=115,
        pinned=True,
    ),
    "number": st.column_config.NumberColumn("No.", format="%d", help="The number its citations carry in the report", width=45),
    "was": st.column_config.TextColumn("In the run", help="What the run decided, where that differs", width=110),
    "title": st.column_config.TextColumn("Source", width=310),
    "score": st.column_config.ProgressColumn("Credibility", min_value=0, max_value=1, format="%.2f", width=120),
    "relevance": st.column_config.NumberColumn("Relevance", format="%d / 5", help="1-5, as judged from its passages", width=80),
    "note": st.column_config.TextColumn(
        "To note", help="Copies, which count once; what was not read; what the page hides; other addresses", width=215
    ),
    "why": st.column_config.TextColumn("Why", width=430),
    "site": st.column_config.TextColumn("Site", width=210),
    "tier": st.column_config.TextColumn("Kind of site", width=165),
    "domain": st.column_config.NumberColumn("Authority", format="%.2f", help="0-1, by the kind of site", width=80),
    "words": st.column_config.NumberColumn("Words", format="%.2f", help="Share of the question's words in the snippet", width=70),
    "date": st.column_config.NumberColumn("Date", format="%.2f", help="Bonus for a recent date in the snippet", width=60),
    "url": st.column_config.LinkColumn("Page", display_text="open", width=60),
}
TALLEST = 15  # rows; more scroll inside the table
PLAIN = tuple(name for name in COLUMNS if name not in ("was", "note"))
#: As the Sources screen shows them: what a phone is wide enough for comes first.
CHOOSABLE = ("state", "score", "title", "was", "relevance", "note", "why", "number", "site", "tier", "domain", "words", "date", "url")
WIDTHS = {"state": 112, "score": 92, "title": 290, "relevance": 66, "why": 470}
TINTED = 250  # rows; a tint costs twenty times the time of the table, and the badge says the same
TINT = "background-color: rgba(190, 62, 50, 0.13)"  # seen on paper and on black


def table(sources: Sequence[ReportSource], *, key: str, columns: Sequence[str] = PLAIN) -> None:
    """One row for each source, sortable by every column."""
    rows = pd.DataFrame([_row(source) for source in sources], columns=list(COLUMNS))
    st.dataframe(
        rows[list(columns)],
        column_config={name: COLUMNS[name] for name in columns},
        hide_index=True,
        height="content" if len(rows) <= TALLEST else 540,
        placeholder="",
        key=key,
        alt="Sources with decision, credibility and relevance",
    )


def choosable(
    sources: Sequence[ReportSource],
    was: Mapping[str, Verdict],
    originals: Mapping[str, str],
    *,
    chosen: str,
    key: str,
    on_choose: Callable[[Sequence[str]], None],
) -> None:
    """The same rows to choose one from. was: what the run decided, by URL; originals: as `provenance.originals` has them;

    chosen: a URL or ""; on_choose gets the URLs of the rows.
    """
    numbers = {url: verdict.number or None for url, verdict in was.items()}
    more = [{"was": _was(each, was), "note": provenance.notes(each, originals.get(each.url, ""))} for each in sources]
    columns = [name for name in CHOOSABLE if name not in ("was", "note") or any(said[name] for said in more)]
    said = [{**_row(each), **also, "number": numbers.get(each.url)} for each, also in zip(sources, more, strict=True)]
    rows = pd.DataFrame(said, columns=columns)
    urls = [source.url for source in sources]
    st.session_state[key] = {"selection": {"rows": [urls.index(chosen)] if chosen in urls else [], "columns": [], "cells": []}}
    st.dataframe(
        rows.style.apply(_tint, axis=None) if len(rows) <= TINTED else rows,
        column_config={name: COLUMNS[name] | {"width": WIDTHS.get(name, COLUMNS[name]["width"])} for name in columns},
        hide_index=True,
        height="content" if len(rows) <= TALLEST else 540,
        placeholder="",
        key=key,
        on_select=lambda: on_choose(urls),
        selection_mode="single-row",
        alt="Sources with decision, credibility, relevance and the reason; Shift and Space open the row the cursor is on",
    )


def _tint(rows: pd.DataFrame) -> pd.DataFrame:
    blocked = rows["state"].str[0] == SOURCE["blocked"].label
    return pd.DataFrame({name: blocked.map({True: TINT, False: ""}) for name in rows.columns}, index=rows.index)


def _was(source: ReportSource, was: Mapping[str, Verdict]) -> str:
    """What the run decided, "" where that is what is decided now."""
    before = was.get(source.url)
    return SOURCE[before.status].label if before and before.status != source.status else ""


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
