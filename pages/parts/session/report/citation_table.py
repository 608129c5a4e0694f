"""Draw a report's citations: one line of check results, and a table that opens each citation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.session.report import evidence_pane
from parts.session.report.prose import SINGLE_SOURCE_LABELS
from parts.shared.badges import CHECK_BADGES, OVERSTATED, Badge
from parts.shared.html_text import clean_cell, escape_line
from parts.shared.wording import plural_ending
from research_core.citations.cited_passages import SourceCitation
from research_core.models import Report
from research_core.pipeline.backing import Backing
from research_core.pipeline.methodology import is_overstated, is_unsourced

ONE_SOURCE = Badge("◇", "rests on one source", "gray")
#: Badges with the short word of each state, for a narrow column.
STATE_BADGES = {state: badge._replace(word=state) for state, badge in CHECK_BADGES.items()}
MAX_TABLE_ROWS = 12  # more rows scroll
COLUMNS: dict[str, Any] = {
    "number": st.column_config.NumberColumn(
        "No.", help="Its place in the text", width=45, pinned=True
    ),
    "state": st.column_config.MultiselectColumn(
        "Check",
        options=[badge.label for badge in (*STATE_BADGES.values(), OVERSTATED)],
        color=[badge.tone for badge in (*STATE_BADGES.values(), OVERSTATED)],
        help="What the comparison with the stored passage found",
        width=135,
    ),
    "sentence": st.column_config.TextColumn("Sentence", width=340),
    "source": st.column_config.TextColumn("Source", width=200),
    "credibility": st.column_config.ProgressColumn(
        "Credibility", min_value=0, max_value=1, format="%.2f", width=95
    ),
    "relevance": st.column_config.NumberColumn("Relevance", format="%d / 5", width=80),
    "alone": st.column_config.TextColumn(
        "Rests on",
        help="Where nothing independent of its source was seen to say the same",
        width=105,
    ),
    "note": st.column_config.TextColumn("Note", width=230),
}


def format_summary(built: Report, citations: Sequence[SourceCitation]) -> str:
    """Return counts of check results, each a link to its next citation in the text. HTML.

    It also serves as the legend of the signs.
    """
    counts: Counter[str] = Counter(cited.sentence.state for cited in citations)
    overstated = sum(is_overstated(cited.sentence) for cited in citations)
    missing = 0
    for block in built.blocks:
        missing += sum(is_unsourced(built, sentence) for sentence in block.sentences)
    jumps = []
    for state, badge in CHECK_BADGES.items():
        if counts[state]:
            jumps.append(_format_jump(state, badge._replace(word=f"{counts[state]} {badge.word}")))
    if overstated:
        badge = OVERSTATED._replace(word=f"{overstated} {OVERSTATED.word}")
        jumps.append(_format_jump("overstated", badge))
    if missing:
        word = f"{missing} sentence{plural_ending(missing)} without a source"
        jumps.append(_format_jump("uncited", Badge("∅", word, "gray")))
    count = f"{len(citations)} citation{plural_ending(len(citations))}"
    return (
        f'<p class="facts jumps">{count}, compared with the stored passages: {" ".join(jumps)}</p>'
    )


def _format_jump(state: str, badge: Badge) -> str:
    return (
        f'<button type="button" class="badge {badge.tone}" data-jump="{escape_line(state)}" '
        f'title="Go to the first such place, then to the next">{escape_line(badge.label)}</button>'
    )


@st.fragment
def draw_table(citations: Sequence[SourceCitation], backings: Sequence[Backing]) -> None:
    """Draw a sortable row for each citation; selecting one opens it in the text and the pane."""
    alone = {
        backing.place: SINGLE_SOURCE_LABELS[backing.rest] for backing in backings if backing.single
    }
    labels = _format_labels(citations, alone)
    only = st.pills(
        "Show only",
        list(labels),
        selection_mode="multi",
        key="only_citations",
        format_func=labels.__getitem__,
    )
    shown = [cited for cited in citations if _is_wanted(cited, only, alone)]
    st.session_state["citations_shown"] = [cited.number for cited in shown]
    state_width = 290 if "overstated" in labels else 135
    st.dataframe(
        pd.DataFrame([_table_row(cited, alone) for cited in shown], columns=list(COLUMNS)),
        column_config=COLUMNS | {"state": COLUMNS["state"] | {"width": state_width}},
        hide_index=True,
        height="content" if len(shown) <= MAX_TABLE_ROWS else 440,
        placeholder="",
        key="citations",
        on_select=_open_selected,
        selection_mode="single-row",
        alt="All citations with their check, sentence and source",
    )


def _format_labels(citations: Sequence[SourceCitation], alone: Mapping[int, str]) -> dict[str, str]:
    """Return a label with its count for each filter of the table."""
    labels = {}
    counts: Counter[str] = Counter(cited.sentence.state for cited in citations)
    for state, badge in CHECK_BADGES.items():
        if counts[state]:
            labels[state] = f"{badge.label} {counts[state]}"
    labels["alone"] = f"{ONE_SOURCE.label} {sum(cited.place in alone for cited in citations)}"
    overstated = sum(is_overstated(cited.sentence) for cited in citations)
    if overstated:
        labels["overstated"] = f"{OVERSTATED.label} {overstated}"
    return labels


def _is_wanted(cited: SourceCitation, only: Sequence[str], alone: Mapping[int, str]) -> bool:
    """Return True if a citation passes the filters: one of these states (if any), one source."""
    if "alone" in only and cited.place not in alone:
        return False
    states = {name for name in only if name != "alone"}
    if not states or cited.sentence.state in states:
        return True
    return "overstated" in states and is_overstated(cited.sentence)


def _open_selected() -> None:
    rows = st.session_state["citations"]["selection"]["rows"]
    shown = st.session_state["citations_shown"]
    if rows and rows[0] < len(shown):
        evidence_pane.choose_citation(shown[rows[0]])
        st.rerun("passage")


def _table_row(cited: SourceCitation, alone: Mapping[int, str]) -> dict[str, Any]:
    source = cited.source
    sentence = cited.sentence
    states = [STATE_BADGES.get(sentence.state, STATE_BADGES["could not check"]).label]
    if is_overstated(sentence):
        states.append(OVERSTATED.label)
    judged = source.relevance
    return {
        "number": cited.number,
        "state": states,
        "sentence": clean_cell(sentence.text),
        "source": f"[{source.number}] {clean_cell(source.title)}",
        "note": clean_cell(sentence.note),
        "credibility": source.parts.score if source.parts else None,
        "relevance": judged.score if judged and judged.scored else None,
        "alone": alone.get(cited.place, ""),
    }
