"""List every source that was found but not used, by the rule that rejected it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from parts.session.sources import sliders
from parts.session.sources.table import MAX_TABLE_ROWS
from parts.shared.badges import SOURCE_BADGES
from parts.shared.html_text import clean_cell
from research_core.models import ReportSource
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.whatif import WhatIf
from research_core.trust.provenance import name_site


class RejectionRule(NamedTuple):
    """Why sources of a state are rejected. do: the action that brings one back, "" for none."""

    says: str
    back: str
    do: str = ""


RULES = {
    "blocked": RejectionRule(
        "Scored at or below the minimum credibility.",
        "Approve: it passes the threshold, not the gate.",
        "approve",
    ),
    "dropped": RejectionRule(
        "Read, and judged to bear too little on the question.",
        "Let in: “Relevance from” goes down to its score, for all sources.",
        "lower",
    ),
    "struck": RejectionRule("Struck by hand.", "Restore: its scores decide again.", "restore"),
    "failed": RejectionRule(
        "It passed, and could not be read.",
        "Nothing here can read it; resuming the session tries again where that may help.",
    ),
    "duplicate": RejectionRule(
        "Another address of a page that is counted already.",
        "It comes back when the other one is struck.",
    ),
    "not_read": RejectionRule(
        "It passed, and the budget of pages went to others.",
        "Approve: a re-write reads it beside the others.",
        "approve",
    ),
    "readable": RejectionRule(
        "It passes now, and was never judged.",
        "A re-write may read it; approve it to be sure.",
        "approve",
    ),
}
#: Actions: one of `sliders.MANUAL_DECISIONS`, or lowering the slider.
ACTION_LABELS = {"approve": "Approve", "restore": "Restore", "lower": "Let in"}


def draw(snapshot: Snapshot, whatif: WhatIf) -> None:
    """Draw one rule at a time with its count; actions take effect in what-if at once."""
    rejected: dict[str, list[ReportSource]] = {}
    for status in RULES:
        sources = [source for source in whatif.sources if source.status == status]
        if sources:
            rejected[status] = sources
    if not rejected:
        st.caption("Nothing was rejected: every source that was found is kept.")
        return
    kinds = list(rejected)
    chosen = st.pills(
        "Rejected because",
        kinds,
        key="rule",
        format_func=lambda kind: f"{SOURCE_BADGES[kind].label} {len(rejected[kind])}",
        default=kinds[0],
        required=True,
    )
    rule = RULES[chosen]
    st.caption(f"{rule.says} {rule.back}")
    _draw_table(snapshot, rule, rejected[chosen])


def _draw_table(snapshot: Snapshot, rule: RejectionRule, rows: Sequence[ReportSource]) -> None:
    data = pd.DataFrame(
        [{"do": ACTION_LABELS.get(rule.do), **_table_row(source)} for source in rows]
    )
    columns: dict[str, Any] = {
        "title": st.column_config.TextColumn("Source", width=300),
        "score": st.column_config.NumberColumn("Credibility", format="%.2f", width=80),
        "why": st.column_config.TextColumn("Rejected because", width=520),
        "site": st.column_config.TextColumn("Site", width=180),
    }
    if rule.do and sliders.can_decide(snapshot):
        back = st.column_config.ButtonColumn(
            "", width=90, key="back", on_click=_bring_back, args=(snapshot, rule.do, rows)
        )
        columns = {"do": back, **columns}
    st.dataframe(
        data[list(columns)],
        column_config=columns,
        hide_index=True,
        height="content" if len(rows) <= MAX_TABLE_ROWS else 380,
        key=f"ledger_{rule.do or 'none'}",
        alt="Rejected sources with the rule that rejected each",
    )


def _bring_back(snapshot: Snapshot, do: str, rows: Sequence[ReportSource]) -> None:
    source = rows[st.session_state["back"]["row"]]
    if do == "lower" and source.relevance:
        sliders.set_sliders(snapshot, cutoff=source.relevance.score)
    else:
        sliders.decide(snapshot, do, source.url)


def _table_row(source: ReportSource) -> dict[str, Any]:
    why = source.reason
    judged = source.relevance
    if source.status == "dropped" and judged:
        why = f"judged {judged.score}; “Relevance from” {judged.score} would keep it. {why}"
    score = source.parts.score if source.parts else None
    return {
        "title": clean_cell(source.title),
        "score": score,
        "why": clean_cell(why),
        "site": name_site(source.address),
    }
