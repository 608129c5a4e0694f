"""Show every source of a session, with what-if sliders and a re-write under their settings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from parts.session.sources import (
    assessment,
    charts,
    filters,
    host_knowledge,
    rejected_sources,
    sliders,
    source_details,
    table,
    whatif_effect,
)
from parts.shared import current_user, failures, provenance, session_header
from research_core.sessions import session_start, workers
from research_core.sessions import snapshot as snapshots
from research_core.sessions import whatif as whatifs
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.whatif import WhatIf
from research_core.wiring import default_resources

INTRODUCTION = (
    "\nHere stands every source a search found, also those that were not used: the decision, "
    "the credibility score with the parts it is made\n"
    "of, how far the source bears on the question, and the reason in words. Sliders show "
    "what other settings would have decided.\n"
)


def draw() -> None:
    snapshot = session_header.open_session("Sources", INTRODUCTION)
    if snapshot is None:
        return
    if not snapshot.run.sources:
        st.info("No source yet: no search has answered.")
        return
    if sliders.follow_session(snapshot):
        filters.clear_selection()
    _draw_sliders(snapshot)
    _draw_effect(snapshot)
    _draw_sources(snapshot)
    _draw_rejected(snapshot)
    sliders.mark_drawn()


@st.fragment(key="turn")
def _draw_sliders(snapshot: Snapshot) -> None:
    """Draw the sliders and their effect in figures."""
    with failures.show_failures():
        sliders.draw_row(snapshot, host_knowledge.draw_switches)
        whatif = sliders.current_whatif(snapshot)
        whatif_effect.draw_outcome(whatif)


def _draw_rewrite(snapshot: Snapshot, whatif: WhatIf) -> None:
    changed = whatif.settings != whatifs.get_current_settings(snapshot.run)
    with st.container(horizontal=True, vertical_alignment="center", key="rewrite_row"):
        asked = st.button(
            "Re-write with these settings",
            key="rewrite",
            icon=":material/edit_note:",
            disabled=not changed,
            type="primary",
        )
        if changed:
            forecast = whatifs.forecast_reading(snapshot.run, whatif)
            st.caption(whatif_effect.describe_rewrite(snapshot, forecast))
        else:
            st.caption(whatif_effect.UNCHANGED_NOTE)
    if asked:
        resources = default_resources()
        who = current_user.current_principal()
        new = session_start.rewrite(resources, snapshot.session, whatif.settings, who=who)
        workers.get_engine(resources).enqueue(new, who=who)
        st.switch_page("live.py", query_params={"session": new})


@st.fragment(key="effect")
def _draw_effect(snapshot: Snapshot) -> None:
    """Draw the re-write, the chart, and the effect on the report."""
    with failures.show_failures():
        sliders.yield_to_table()
        whatif = sliders.current_whatif(snapshot)
        key = filters.chart_key()
        _draw_rewrite(snapshot, whatif)
        left, right = st.columns([3, 2], gap="medium")
        with left:
            policy = whatif.settings.credibility
            tiers = [tier.name for tier in policy.tiers]
            moved = {shift.url: shift.was for shift in whatif.shifts}
            charts.draw_strip(
                whatif.sources,
                tiers,
                policy.minimum,
                moved,
                key=key,
                on_select=partial(filters.keep_chart_selection, key),
            )
        with right:
            whatif_effect.draw_lists(
                whatif,
                whatifs.recompute_confidence(snapshot.run, whatif),
                as_ran=sliders.is_as_run(snapshot),
            )


@st.fragment(key="list")
def _draw_sources(snapshot: Snapshot) -> None:
    """Draw the table, and beside it the opened source."""
    with failures.show_failures():
        whatif = sliders.current_whatif(snapshot)
        failures.draw_kept_failure()
        found = snapshots.mark_pending_sources(snapshot, whatif.sources)
        chosen = source_details.find_chosen(whatif)
        rows, whole = filters.filter_sources(found, whatif)
        with st.container(horizontal=True, key="list"):
            with st.container(key="rows"):
                firsts = provenance.find_originals(whatif.sources, whatif.was)
                known_now = table.SourceNotes(
                    whatif, firsts, assessment.assess_sources(snapshot, whatif, rows)
                )
                table.draw_choosable_table(
                    rows,
                    known_now,
                    chosen=chosen.url if chosen else "",
                    whole=whole,
                    key="sources",
                    on_choose=_choose_row,
                )
                table.draw_order_note(whatif)
            if chosen:
                with st.container(key="opened", width=400):
                    source_details.draw_card(snapshot, whatif, chosen)


def _choose_row(urls: Sequence[str]) -> None:
    rows = st.session_state["sources"]["selection"]["rows"]
    source_details.choose_source(urls[rows[0]] if rows else "")


@st.fragment(key="ledger")
def _draw_rejected(snapshot: Snapshot) -> None:
    """Draw the sources that were found but not used."""
    with failures.show_failures():
        whatif = sliders.current_whatif(snapshot)
        st.subheader("Ledger of what was rejected", anchor=False)
        rejected_sources.draw(snapshot, whatif)


draw()
