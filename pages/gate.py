"""Show a session's gate: the decision, each mode's thresholds, and every judged source."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from parts.session.gate import cards, judge_agreement
from parts.shared import pager, session_header, watch
from parts.shared.badges import DECISION_BADGES, SOURCE_BADGES
from research_core.models import NO_REPORT_REASONS
from research_core.modes import MODES, ResearchMode
from research_core.sessions import agreement
from research_core.sessions import snapshot as snapshots
from research_core.sessions.snapshot import Snapshot
from research_core.text.words import clean_for_screen

INTRODUCTION = (
    "Every source that was read is rated from 1 to 5 for relevance. See each rating with its"
    " passages, and the decision: a full report, a short one, or none."
)
#: Text shown in place of a missing decision, by the session's status.
UNDECIDED_REASONS = {
    "queued": "Not decided yet: the session has not begun.",
    "running": "Not decided yet: the gate waits until every source it may read has been judged.",
    "interrupted": (
        "Interrupted before the gate. It goes on from here when a worker takes the session up"
        " again."
    ),
    "waiting": "Not decided yet: the plan waits for your approval under Activity.",
    "cancelled": "Cancelled before the gate. Resume the session under Activity.",
    "failed": "The run failed before the gate. Activity says why; resume it there.",
}
ORDERS = {
    "gate": "As at the gate",
    "high": "Highest score first",
    "low": "Lowest score first",
    "site": "By site",
}
CARDS_PER_PAGE = 40


def draw() -> None:
    snapshot = session_header.open_session("Gate", INTRODUCTION)
    if snapshot is None:
        return
    _draw_decision(snapshot)
    read = watch.derive(snapshot, snapshots.list_read_sources)
    if not any(source.relevance for source in read):
        st.info("No source has been judged yet.")
        return
    if snapshot.run.gated is not None:
        judge_agreement.draw(watch.derive(snapshot, _compare_judges))
    _draw_cards(snapshot)


def _compare_judges(snapshot: Snapshot) -> agreement.Agreement:
    return agreement.measure_agreement(snapshot.run)


def _draw_decision(snapshot: Snapshot) -> None:
    decided = snapshot.run.gated
    cutoff = snapshot.run.mode.relevance_cutoff
    left, right = st.columns([3, 2], gap="large")
    with left:
        if decided is None:
            st.info(UNDECIDED_REASONS.get(snapshot.info.status, UNDECIDED_REASONS["running"]))
        else:
            st.markdown(
                f"**{DECISION_BADGES[decided['decision']].word.capitalize()}.**"
                f" {clean_for_screen(decided['rationale'])}."
            )
        if decided and decided["reason"]:
            st.markdown(
                f"**{clean_for_screen(decided['reason']).capitalize()}.**"
                f" {clean_for_screen(NO_REPORT_REASONS[decided['reason']])}"
            )
        st.html(watch.derive(snapshot, _format_scores))
        st.caption(
            f"Sources that score {cutoff} or more are kept. Unscored sources are kept and flagged."
        )
    with right:
        cards.draw_thresholds([ResearchMode.from_name(name) for name in MODES], snapshot.run.mode)


def _format_scores(snapshot: Snapshot) -> str:
    return cards.format_score_counts(
        snapshots.count_scores(snapshot), snapshot.run.mode.relevance_cutoff
    )


def _draw_cards(snapshot: Snapshot) -> None:
    """Draw filter, order and one page of cards, since there can be a hundred of them."""
    read = watch.derive(snapshot, snapshots.list_read_sources)
    counts = Counter(source.status for source in read)
    with st.container(horizontal=True, vertical_alignment="top", key="gate_choice"):
        only = st.pills(
            "Decision",
            [status for status in SOURCE_BADGES if counts[status]],
            selection_mode="multi",
            key="gate_only",
            format_func=lambda s: f"{SOURCE_BADGES[s].label} {counts[s]}",
        )
        score = st.pills(
            "Score",
            [5, 4, 3, 2, 1],
            selection_mode="multi",
            key="gate_scores",
            format_func=lambda n: f"{n}/5",
        )
        order = st.selectbox(
            "Order", ORDERS, key="gate_order", format_func=ORDERS.__getitem__, width=200
        )
    found = snapshots.filter_sources(read, tuple(only), tuple(score), order)
    # The report's passages link here by a source's number; that source comes first.
    named = st.query_params.get("source", "")
    chosen = sorted(found, key=lambda source: str(source.number) != named)
    if chosen:
        cards.draw_cards(pager.draw_page(chosen, CARDS_PER_PAGE, key="gate_page"))
    else:
        st.caption("None of the sources that were read is like that.")


draw()
