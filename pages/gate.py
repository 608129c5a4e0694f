"""Show a session's gate: the decision, what it needed and reached, and every judged source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import streamlit as st

from parts.session import session_screen
from parts.session.gate import cards, judge_agreement
from parts.shared import pager, search_places, watch
from parts.shared.badges import DECISION_BADGES, SOURCE_BADGES
from parts.shared.html_text import escape_line
from research_core.decisions import gate
from research_core.i18n import N_, _
from research_core.modes import MODES, ResearchMode
from research_core.pipeline.page_findings import explain_cause, find_refusal, format_cause
from research_core.policy import OFFLINE_MODEL
from research_core.sessions import agreement
from research_core.sessions import snapshot as snapshots
from research_core.sessions.snapshot import Snapshot
from research_core.text.words import clean_for_screen

INTRODUCTION = N_("Whether there is a report, and how relevant each page is, from 1 to 5.")
#: Text shown in place of a missing decision, by the session's status.
UNDECIDED_REASONS = {
    "queued": N_("Not decided yet: the session has not begun."),
    "running": N_("Not decided yet: pages are still being rated."),
    "interrupted": N_("Interrupted before the gate. It resumes when a worker is free."),
    "waiting": N_("Not decided yet: approve the plan under Activity."),
    "cancelled": N_("Cancelled before the gate. Resume it under Activity."),
    "failed": N_("Failed before the gate. Activity says why. Resume it there."),
}
ORDERS = {
    "gate": N_("Kept first"),
    "high": N_("Highest score first"),
    "low": N_("Lowest score first"),
    "site": N_("By site"),
}
CARDS_PER_PAGE = 40
Choice = TypeVar("Choice", str, int)


def draw() -> None:
    snapshot = session_screen.open_session(_("Gate"), _(INTRODUCTION))
    if snapshot is None:
        return
    if snapshot.run.settings.checks_report:
        st.info(
            _(
                "The check of a report has no gate: every page that the report cites and that could"
                " be read is used."
            )
        )
        return
    _draw_decision(snapshot)
    read = watch.derive(snapshot, snapshots.list_read_sources)
    if not any(source.relevance for source in read):
        st.info(
            _("No source has been rated yet.") if snapshot.at_work else _("No source was rated.")
        )
        return
    _draw_cards(snapshot)
    if snapshot.run.gated is not None and snapshot.run.settings.judging_model != OFFLINE_MODEL:
        judge_agreement.draw(watch.derive(snapshot, _compare_judges))


def _compare_judges(snapshot: Snapshot) -> agreement.Agreement:
    return agreement.measure_agreement(snapshot.run)


def _draw_decision(snapshot: Snapshot) -> None:
    decided = snapshot.run.gated
    if decided is None:
        st.info(_(UNDECIDED_REASONS.get(snapshot.info.status, UNDECIDED_REASONS["running"])))
    else:
        badge = DECISION_BADGES[decided["decision"]].html
        rationale = escape_line(decided["rationale"].rstrip("."), 1000)
        st.html(f'<p class="decision">{badge} <bdi>{rationale}.</bdi></p>')
    if decided and decided["reason"]:
        pages = (snapshot.run.written or {}).get("pages", {})
        refusal = find_refusal(snapshot.run, gate.read_gate(snapshot.run), pages)
        cause = clean_for_screen(format_cause(refusal))
        refusal = replace(refusal, web=search_places.is_web_reachable())
        st.markdown(f"**{cause}** {clean_for_screen(explain_cause(refusal))}")
    mode = snapshot.run.mode
    with st.container(horizontal=True, key="conditions", gap="large"):
        st.html(
            cards.format_conditions(
                mode,
                watch.derive(snapshot, _count_relevant),
                len(watch.derive(snapshot, snapshots.list_read_sources)),
            ),
            width="content",
        )
        st.html(watch.derive(snapshot, _format_scores), width="content")
        modes = [ResearchMode.from_name(name) for name in MODES if name != mode.name]
        st.html(cards.format_other_modes(modes), width="content")


def _count_relevant(snapshot: Snapshot) -> int:
    """Return how many sources count for the decision, up to now if there is none yet."""
    found = gate.read_gate(snapshot.run)
    return len(found.kept) - found.copies


def _format_scores(snapshot: Snapshot) -> str:
    return cards.format_score_counts(
        snapshots.count_scores(snapshot), snapshot.run.mode.relevance_cutoff
    )


def _draw_cards(snapshot: Snapshot) -> None:
    """Draw filter, order and one page of cards, since there can be a hundred of them."""
    read = watch.derive(snapshot, snapshots.list_read_sources)
    counts = Counter(source.status for source in read)
    scores = snapshots.count_scores(snapshot)
    with st.container(horizontal=True, vertical_alignment="center", key="gate_choice"):
        only = _draw_pills(
            _("Decision"),
            "gate_only",
            {
                status: f"{badge.label} {counts[status]}"
                for status, badge in SOURCE_BADGES.items()
                if counts[status]
            },
        )
        score = _draw_pills(
            _("Relevance"),
            "gate_scores",
            {score: f"{score}/5" for score in (5, 4, 3, 2, 1) if scores[score]},
        )
        order = st.selectbox(
            _("Order"),
            ORDERS,
            key="gate_order",
            format_func=lambda order: _(ORDERS[order]),
            width=200,
            label_visibility="collapsed",
        )
    found = snapshots.filter_sources(read, tuple(only), tuple(score), order)
    # The report's passages link here by a source's number; that source comes first.
    named = st.query_params.get("source", "")
    chosen = sorted(found, key=lambda source: str(source.number) != named)
    if chosen:
        cards.draw_cards(pager.draw_page(chosen, CARDS_PER_PAGE, key="gate_page"))
    else:
        st.caption(_("No source matches these filters."))


def _draw_pills(label: str, key: str, labels: Mapping[Choice, str]) -> list[Choice]:
    """Draw a filter and return what is chosen; with a single option there is nothing to choose."""
    if len(labels) < 2:
        return []
    return st.pills(
        label,
        list(labels),
        selection_mode="multi",
        key=key,
        format_func=lambda option: labels[option],
        label_visibility="collapsed",
    )


draw()
