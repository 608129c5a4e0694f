"""Replay a session's log step by step, and derive its report again without any request."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.session import session_screen
from parts.session.activity import timeline
from parts.shared import current_user, failures, watch
from parts.shared.html_text import escape_line
from parts.shared.wording import format_seconds
from research_core.i18n import N_, _
from research_core.sessions import replay
from research_core.sessions import snapshot as snapshots
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.timeline import TimelineStep, list_steps
from research_core.wiring import default_resources

INTRODUCTION = N_(
    "Step through the log of a session and see it as it was at any point. Then derive the report"
    " again from the log alone, without any request."
)
MAX_STEP_LENGTH = 160
#: Seconds between two steps of the player.
TICK_S = 0.6
#: Steps of the player at most: it skips events of a long session, which then plays in a minute.
TICKS = 80


def draw() -> None:
    snapshot = session_screen.open_session(_("Replay"), _(INTRODUCTION))
    if snapshot is None:
        return
    if not snapshot.events:
        st.info(_("Nothing has happened yet. The session waits for a worker."))
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
        _draw_step_name(steps)
        timeline.draw_slider(steps)
        timeline.draw_stage(snapshots.rewind_to(snapshot, st.session_state["at"]), steps)


def _draw_step_name(steps: Sequence[TimelineStep]) -> None:
    """Draw the number, time and words of the current step, which screen readers say when it moves.

    While it plays they say nothing.
    """
    at = st.session_state[timeline.POSITION_PARAMETER]
    passed = [step for step in steps if step.seq <= at]
    step = passed[-1]
    place = _("Step {number} of {count}").format(number=len(passed), count=len(steps))
    role = "" if st.session_state.get("playing") else ' role="status"'
    st.html(
        f'<p class="step-name"{role}><b>{escape_line(place)}</b>'
        f' <span class="facts">{escape_line(format_seconds(step.after))}</span>'
        f" {escape_line(step.text, MAX_STEP_LENGTH)}</p>"
    )


def _draw_rederivation(snapshot: Snapshot) -> None:
    st.header(_("Derive the report again"), anchor=False)
    st.caption(_("The same log must give the same report, byte for byte. Requests are forbidden."))
    if st.button(_("Derive again"), key="derive", icon=":material/fact_check:"):
        with failures.show_failures():
            again = replay.replay_session(
                default_resources(), current_user.current_principal(), snapshot.session
            )
            timeline.draw_verdict(again, list(replay.list_differences(again)))


draw()
