"""The table of sources, the same wherever it stands: the decision first, the score as a bar, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.badges import SOURCE
from research_core.models import ReportSource
from research_core.reading import site
from research_core.text import truncate, visible

COLUMNS: dict[str, Any] = {
    "state": st.column_config.MultiselectColumn(
        "Decision",
        options=[badge.label for badge in SOURCE.values()],
        color=[badge.tone for badge in SOURCE.values()],
        width=115,
        pinned=True,
    ),
    "number": st.column_config.NumberColumn("No.", help="The number its citations carry in the report", width=45),
    "title": st.column_config.TextColumn("Source", width=310),
    "score": st.column_config.ProgressColumn("Credibility", min_value=0, max_value=1, format="%.2f", width=120),
    "relevance": st.column_config.NumberColumn("Relevance", format="%d / 5", help="1-5, as judged from its passages", width=80),
    "why": st.column_config.TextColumn("Why", width=430),
    "site": st.column_config.TextColumn("Site", width=210),
    "tier": st.column_config.TextColumn("Kind of site", width=165),
    "domain": st.column_config.NumberColumn("Authority", format="%.2f", help="0-1, by the kind of site", width=80),
    "words": st.column_config.NumberColumn("Words", format="%.2f", help="Share of the question's words in the snippet", width=70),
    "date": st.column_config.NumberColumn("Date", format="%.2f", help="Bonus for a recent date in the snippet", width=60),
    "url": st.column_config.LinkColumn("Page", display_text="open", width=60),
}
TALLEST = 15  # rows; more scroll inside the table


def table(sources: Sequence[ReportSource], *, key: str, columns: Sequence[str] = tuple(COLUMNS)) -> None:
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


def _row(source: ReportSource) -> dict[str, Any]:
    parts, judged = source.parts, source.relevance
    return {
        "state": [SOURCE[source.status].label],
        "number": source.number or None,
        "title": _cell(source.title),
        "site": site(source.url),
        "score": parts.score if parts else None,
        "relevance": judged.score if judged and judged.scored else None,
        "why": _cell(source.reason),
        "tier": parts.tier if parts else "own document, not scored",
        "domain": parts.domain if parts else None,
        "words": parts.relevance if parts else None,
        "date": parts.recency if parts else None,
        "url": source.url if source.url.startswith(("http://", "https://")) else None,
    }


def _cell(text: str) -> str:
    """One line; what a spreadsheet would take for a formula gets a quote before it, since the table can be saved as CSV."""
    line = truncate(" ".join(visible(text).split()), 300)
    return f"'{line}" if line.startswith(("=", "+", "-", "@")) else line
