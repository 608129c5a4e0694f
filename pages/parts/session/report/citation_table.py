"""All citations of a report: what their check found, in one line that leads to each, and as a table
that opens each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.session.report import evidence_pane
from parts.session.report.prose import ALONE
from parts.shared.badges import CHECK, OVERSTATED, Badge
from parts.shared.html_text import cell, markup
from research_core.models import Report
from research_core.pipeline.backing import Backing
from research_core.pipeline.methodology import overstated, unsourced
from research_core.sessions.reading import Cited

ONE = Badge("◇", "rests on one source", "gray")
#: In a narrow column the short word of each state will do.
SHORT = {state: badge._replace(word=state) for state, badge in CHECK.items()}
TALLEST = 12  # rows; more scroll inside the table
COLUMNS: dict[str, Any] = {
    "number": st.column_config.NumberColumn(
        "No.", help="Its place in the text", width=45, pinned=True
    ),
    "state": st.column_config.MultiselectColumn(
        "Check",
        options=[badge.label for badge in (*SHORT.values(), OVERSTATED)],
        color=[badge.tone for badge in (*SHORT.values(), OVERSTATED)],
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


def summary(built: Report, citations: Sequence[Cited]) -> str:
    """What the check found, as one line of HTML that is the legend of the signs too; each leads to
    the first such place, then the next.
    """
    found = [
        (state, badge, sum(cited.sentence.state == state for cited in citations))
        for state, badge in CHECK.items()
    ]
    missing = sum(
        unsourced(built, sentence) for block in built.blocks for sentence in block.sentences
    )
    count = f"{len(citations)} citation{'' if len(citations) == 1 else 's'}"
    jumps = [
        _jump(state, badge._replace(word=f"{number} {badge.word}"))
        for state, badge, number in found
        if number
    ]
    if warned := sum(overstated(cited.sentence) for cited in citations):
        jumps.append(_jump("overstated", OVERSTATED._replace(word=f"{warned} {OVERSTATED.word}")))
    if missing:
        jumps.append(
            _jump(
                "uncited",
                Badge(
                    "∅", f"{missing} sentence{'' if missing == 1 else 's'} without a source", "gray"
                ),
            )
        )
    return (
        f'<p class="facts jumps">{count}, compared with the stored passages: {" ".join(jumps)}</p>'
    )


def _jump(state: str, badge: Badge) -> str:
    return (
        f'<button type="button" class="badge {badge.tone}" data-jump="{markup(state)}" '
        f'title="Go to the first such place, then to the next">{markup(badge.label)}</button>'
    )


@st.fragment
def table(citations: Sequence[Cited], backings: Sequence[Backing]) -> None:
    """One row for each citation, sortable by every column; a chosen row is opened in the text and
    beside it.
    """
    alone = {backing.place: ALONE[backing.rest] for backing in backings if backing.single}
    counts = {state: sum(cited.sentence.state == state for cited in citations) for state in CHECK}
    labels = {
        state: f"{badge.label} {counts[state]}" for state, badge in CHECK.items() if counts[state]
    }
    labels["alone"] = f"{ONE.label} {sum(cited.place in alone for cited in citations)}"
    if warned := sum(overstated(cited.sentence) for cited in citations):
        labels["overstated"] = f"{OVERSTATED.label} {warned}"
    wide = {"state": COLUMNS["state"] | {"width": 290 if warned else 135}}
    only = st.pills(
        "Show only",
        list(labels),
        selection_mode="multi",
        key="only_citations",
        format_func=labels.__getitem__,
    )
    shown = [cited for cited in citations if _wanted(cited, only, alone)]
    st.session_state["citations_shown"] = [cited.number for cited in shown]
    st.dataframe(
        pd.DataFrame([_row(cited, alone) for cited in shown], columns=list(COLUMNS)),
        column_config=COLUMNS | wide,
        hide_index=True,
        height="content" if len(shown) <= TALLEST else 440,
        placeholder="",
        key="citations",
        on_select=_opened,
        selection_mode="single-row",
        alt="All citations with their check, sentence and source",
    )


def _wanted(cited: Cited, only: Sequence[str], alone: Mapping[int, str]) -> bool:
    """Of the states asked for, any; and of those the ones that rest on one source, where that is
    asked for.
    """
    states = [name for name in only if name != "alone"]
    held = {cited.sentence.state} | ({"overstated"} if overstated(cited.sentence) else set())
    return (not states or not held.isdisjoint(states)) and (
        "alone" not in only or cited.place in alone
    )


def _opened() -> None:
    rows, shown = (
        st.session_state["citations"]["selection"]["rows"],
        st.session_state["citations_shown"],
    )
    if rows and rows[0] < len(shown):
        evidence_pane.choose(shown[rows[0]])
        st.rerun("passage")


def _row(cited: Cited, alone: Mapping[int, str]) -> dict[str, Any]:
    source, sentence = cited.source, cited.sentence
    judged = source.relevance
    return {
        "number": cited.number,
        "state": [
            SHORT.get(sentence.state, SHORT["could not check"]).label,
            *([OVERSTATED.label] if overstated(sentence) else []),
        ],
        "sentence": cell(sentence.text),
        "source": f"[{source.number}] {cell(source.title)}",
        "note": cell(sentence.note),
        "credibility": source.parts.score if source.parts else None,
        "relevance": judged.score if judged and judged.scored else None,
        "alone": alone.get(cited.place, ""),
    }
