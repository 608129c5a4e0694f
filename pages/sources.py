"""Every source of a session and what-if: what was decided and why, what other settings would
decide, and a re-write under them.
"""

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
from research_core.sessions import reading, runner, whatif, workers
from research_core.sessions.reading import Reading
from research_core.sessions.whatif import WhatIf
from research_core.wiring import default_office

TEACHES = """
Here stands every source a search found, also those that were not used: the decision, the credibility score with the parts it is made
of, how far the source bears on the question, and the reason in words. Sliders show what other settings would have decided.
"""


def draw() -> None:
    shown = session_header.opened("Sources", TEACHES)
    if shown is None:
        return
    if not shown.run.sources:
        st.info("No source yet: no search has answered.")
        return
    if sliders.follow(shown):
        filters.forget()
    _turn(shown)
    _effect(shown)
    _list(shown)
    _ledger(shown)
    sliders.drawn()


@st.fragment(key="turn")
def _turn(shown: Reading) -> None:
    """The sliders and what they come to in figures."""
    with failures.shown():
        sliders.row(shown, host_knowledge.switches)
        what = sliders.now(shown)
        whatif_effect.outcome(what)


def _rewrite(shown: Reading, what: WhatIf) -> None:
    changed = what.settings != whatif.stands(shown.run)
    with st.container(horizontal=True, vertical_alignment="center", key="rewrite_row"):
        asked = st.button(
            "Re-write with these settings",
            key="rewrite",
            icon=":material/edit_note:",
            disabled=not changed,
            type="primary",
        )
        st.caption(
            whatif_effect.foretold(shown, whatif.foretell(shown.run, what))
            if changed
            else whatif_effect.AS_IT_RAN
        )
    if asked:
        office, who = default_office(), current_user.who()
        new = runner.rewrite(office, shown.session, what.settings, who=who)
        workers.engine(office).enqueue(new, who=who)
        st.switch_page("live.py", query_params={"session": new})


@st.fragment(key="effect")
def _effect(shown: Reading) -> None:
    """What a re-write would do, the chart, and what the change would do to the report."""
    with failures.shown():
        sliders.table_first()
        what, key = sliders.now(shown), filters.chart_key()
        _rewrite(shown, what)
        left, right = st.columns([3, 2], gap="medium")
        with left:
            policy = what.settings.credibility
            tiers = [tier.name for tier in policy.tiers]
            moved = {shift.url: shift.was for shift in what.shifts}
            charts.strip(
                what.sources,
                tiers,
                policy.minimum,
                moved,
                key=key,
                on_select=partial(filters.pick, key),
            )
        with right:
            whatif_effect.lists(what, whatif.weigh(shown.run, what), as_ran=sliders.as_ran(shown))


@st.fragment(key="list")
def _list(shown: Reading) -> None:
    """The table, and beside it the source that was opened."""
    with failures.shown():
        what = sliders.now(shown)
        failures.refused()
        found = reading.so_far(shown, what.sources)
        chosen = source_details.chosen(what)
        rows, whole = filters.rows(found, what)
        with st.container(horizontal=True, key="list"):
            with st.container(key="rows"):
                firsts = provenance.originals(what.sources, what.was)
                known_now = table.Known(what, firsts, assessment.each(shown, what, rows))
                table.choosable(
                    rows,
                    known_now,
                    chosen=chosen.url if chosen else "",
                    whole=whole,
                    key="sources",
                    on_choose=_choose,
                )
                table.order(what)
            if chosen:
                with st.container(key="opened", width=400):
                    source_details.card(shown, what, chosen)


def _choose(urls: Sequence[str]) -> None:
    rows = st.session_state["sources"]["selection"]["rows"]
    source_details.choose(urls[rows[0]] if rows else "")


@st.fragment(key="ledger")
def _ledger(shown: Reading) -> None:
    """What was found and is not used."""
    with failures.shown():
        what = sliders.now(shown)
        st.subheader("Ledger of what was rejected", anchor=False)
        rejected_sources.draw(shown, what)


draw()
