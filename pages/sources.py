"""Show every source of a session, with what-if sliders and a rewrite under their settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from parts.audit import checked_report
from parts.session import session_screen
from parts.session.sources import (
    assessment,
    charts,
    filters,
    host_knowledge,
    sliders,
    source_details,
    table,
    whatif_effect,
)
from parts.shared import failures, provenance, report_use, rewrites, watch
from research_core.i18n import N_, _
from research_core.models import ReportSource
from research_core.sessions import snapshot as snapshots
from research_core.sessions import whatif as whatifs
from research_core.sessions.snapshot import Snapshot

INTRODUCTION = N_("Every source found, including the ones not used, and why.")


def draw() -> None:
    snapshot = session_screen.open_session(_("Sources"), _(INTRODUCTION))
    if snapshot is None:
        return
    if not snapshot.run.sources:
        st.info(_("No sources yet. The search has not answered."))
        return
    if sliders.follow_session(snapshot):
        filters.clear_selection()
    # A check reads every cited source, whatever its scores, so it has no thresholds to move.
    is_check = snapshot.run.settings.checks_report
    if not is_check:
        _draw_row(snapshot)
    _draw_sources(snapshot)
    if not is_check:
        _draw_effect(snapshot)
    sliders.mark_drawn()


def _draw_row(snapshot: Snapshot) -> None:
    """Draw the slider, the others under Advanced, the buttons, and what a rewrite would do."""
    with st.container(horizontal=True, key="sliders", vertical_alignment="bottom"):
        with st.container(key="main_slider", width=280):
            _draw_main_slider(snapshot)
        with st.container(key="advanced_sliders", width="content"):
            _draw_advanced(snapshot)
        with st.container(key="turn"):
            _draw_turn(snapshot)


@st.fragment(key="main_slider")
def _draw_main_slider(snapshot: Snapshot) -> None:
    with failures.show_failures():
        sliders.apply_values()
        sliders.draw_main_slider(snapshot)


@st.fragment(key="advanced_sliders")
def _draw_advanced(snapshot: Snapshot) -> None:
    with failures.show_failures():
        own = list(whatifs.read_dials(snapshot.run).parts)
        switches: dict[str, Callable[[], None]] = {
            "date": partial(host_knowledge.draw_site_switch, own),
            "cutoff": host_knowledge.draw_page_switch,
        }
        sliders.draw_advanced(snapshot, switches)


@st.fragment(key="turn")
def _draw_turn(snapshot: Snapshot) -> None:
    """Draw the buttons, and what a rewrite would do."""
    with (
        failures.show_failures(),
        st.container(horizontal=True, vertical_alignment="bottom", key="turn_row"),
    ):
        sliders.draw_reset(snapshot)
        pressed = _draw_rewrite_button(snapshot)
        _draw_outcome(snapshot)
        sliders.keep_in_address(snapshot)
        if pressed:
            rewrites.open_rewrite(snapshot.session, sliders.current_whatif(snapshot).settings)


def _draw_rewrite_button(snapshot: Snapshot) -> bool:
    return st.button(
        _("Rewrite report"),
        key="rewrite",
        icon=":material/edit_note:",
        help=_("Makes a new session with these settings. This one stays as it is."),
        disabled=sliders.is_as_run(snapshot),
        type="primary" if _would_change(snapshot) else "secondary",
    )


def _would_change(snapshot: Snapshot) -> bool:
    if sliders.is_as_run(snapshot):
        return False
    whatif = sliders.current_whatif(snapshot)
    forecast = whatifs.forecast_reading(snapshot.run, whatif)
    return whatifs.would_change_report(whatif, forecast)


def _draw_outcome(snapshot: Snapshot) -> None:
    whatif = sliders.current_whatif(snapshot)
    whatif_effect.draw_outcome(snapshot, whatif, whatifs.forecast_reading(snapshot.run, whatif))


@st.fragment(key="effect")
def _draw_effect(snapshot: Snapshot) -> None:
    """Draw the chart, and the effect on the report."""
    with failures.show_failures():
        sliders.yield_to_table()
        whatif = sliders.current_whatif(snapshot)
        key = filters.chart_key()
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
        audited = checked_report.map_sources(snapshot)
        rows, whole = filters.filter_sources(found, whatif, audited)
        with st.container(horizontal=True, key="list"):
            with st.container(key="rows"):
                firsts = provenance.find_originals(whatif.sources, whatif.was)
                # All columns show every assessment, the others only that a used source is low.
                read = rows if whole else [source for source in rows if source.status == "kept"]
                assessed = assessment.assess_sources(snapshot, whatif, read)
                known_now = table.SourceNotes(
                    whatif,
                    firsts,
                    assessed,
                    unquoted=watch.derive(snapshot, report_use.list_unquoted),
                    new=report_use.find_new_reads(snapshot),
                    has_report=report_use.has_report(snapshot),
                    audited=audited,
                )
                table.draw_choosable_table(
                    rows,
                    known_now,
                    chosen=chosen.url if chosen else "",
                    whole=whole,
                    key="sources",
                    on_choose=source_details.choose_source,
                    on_action=partial(_act, snapshot) if sliders.can_decide(snapshot) else None,
                )
                table.draw_order_note(whatif)
            if chosen:
                with st.container(key="opened", width=400):
                    source_details.draw_card(snapshot, known_now, chosen)


def _act(snapshot: Snapshot, source: ReportSource, do: str) -> None:
    if do == "lower" and source.relevance:
        sliders.set_sliders(snapshot, cutoff=source.relevance.score)
    else:
        sliders.decide(snapshot, do, source.url)


draw()
