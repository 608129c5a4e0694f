"""A session's log, step by step: how it stood after each event; and its report derived again with
every call forbidden.
"""

from __future__ import annotations

import streamlit as st

from parts.session.activity import timeline
from parts.shared import current_user, failures, session_header, watch
from research_core.sessions import playback, replay
from research_core.sessions.playback import Step
from research_core.sessions.reading import Reading
from research_core.wiring import default_office

TEACHES = """
Here you slide along a session's log and see it as it stood after any event: the stages, the funnel, the sources, the gate so far. The
same log also gives the report again, byte for byte, with every call to the outside forbidden.
"""
#: Between two steps of the player, in seconds; a long session takes longer strides, so that it
#: plays within about a minute.
TICK_S, TICKS = 0.6, 80


def draw() -> None:
    shown = session_header.opened("Replay", TEACHES)
    if shown is None:
        return
    if not shown.events:
        st.info("Nothing has happened yet: the session waits for a worker.")
        return
    steps = watch.made(shown, playback.steps)
    timeline.start(shown, steps)
    playing = st.session_state.get("playing", False)
    timeline.buttons(steps, playing)
    st.fragment(_stage, run_every=TICK_S if playing else None)(shown, steps)
    _again(shown)


def _stage(shown: Reading, steps: tuple[Step, ...]) -> None:
    with failures.shown():
        if st.session_state.get("playing") and not timeline.advance(
            steps, max(1, len(steps) // TICKS)
        ):
            st.rerun()
        timeline.slider(steps)
        timeline.stage(playback.until(shown, st.session_state["at"]), steps)


def _again(shown: Reading) -> None:
    st.subheader("The report, derived again", anchor=False)
    st.caption(
        "Runs the session's own steps over its log, all calls forbidden. The same log must give the"
        " same report, byte for byte."
    )
    if st.button(
        "Derive the report again, all calls forbidden", key="derive", icon=":material/fact_check:"
    ):
        with failures.shown():
            again = replay.replay(default_office(), current_user.who(), shown.session)
            timeline.verdict(again, list(replay.differences(again)))


draw()
