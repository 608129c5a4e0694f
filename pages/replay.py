"""Replay a session's log step by step, and derive its report again without any request."""

from __future__ import annotations

import streamlit as st

from parts.session.activity import timeline
from parts.shared import current_user, failures, session_header, watch
from research_core.sessions import replay
from research_core.sessions import snapshot as snapshots
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.timeline import TimelineStep, list_steps
from research_core.wiring import default_resources

INTRODUCTION = (
    "\nHere you slide along a session's log and see it as it stood after any event: the "
    "stages, the funnel, the sources, the gate so far. The\n"
    "same log also gives the report again, byte for byte, with every call to the outside "
    "forbidden.\n"
)
#: Seconds between two steps of the player.
TICK_S = 0.6
#: Steps of the player at most: it skips events of a long session, which then plays in a minute.
TICKS = 80


def draw() -> None:
    snapshot = session_header.open_session("Replay", INTRODUCTION)
    if snapshot is None:
        return
    if not snapshot.events:
        st.info("Nothing has happened yet: the session waits for a worker.")
        return
    steps = watch.derive(snapshot, list_steps)
    timeline.set_start(snapshot, steps)
    playing = st.session_state.get("playing", False)
    timeline.draw_buttons(steps, playing)
    # Redrawn on a timer only while it plays.
    st.fragment(_draw_stage, run_every=TICK_S if playing else None)(snapshot, steps)
    _draw_rederivation(snapshot)


def _draw_stage(snapshot: Snapshot, steps: tuple[TimelineStep, ...]) -> None:
    with failures.show_failures():
        if st.session_state.get("playing") and not timeline.advance(
            steps, max(1, len(steps) // TICKS)
        ):
            st.rerun()
        timeline.draw_slider(steps)
        timeline.draw_stage(snapshots.rewind_to(snapshot, st.session_state["at"]), steps)


def _draw_rederivation(snapshot: Snapshot) -> None:
    st.subheader("The report, derived again", anchor=False)
    st.caption(
        "Runs the session's own steps over its log, all calls forbidden. The same log must give the"
        " same report, byte for byte."
    )
    if st.button(
        "Derive the report again, all calls forbidden", key="derive", icon=":material/fact_check:"
    ):
        with failures.show_failures():
            again = replay.replay_session(
                default_resources(), current_user.current_principal(), snapshot.session
            )
            timeline.draw_verdict(again, list(replay.list_differences(again)))


draw()
