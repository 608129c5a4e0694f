"""Move along a session's log: player buttons, slider, and the session's state at one point."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.session.activity import stages
from parts.session.sources import table as sources
from parts.shared.badges import OUTCOME_BADGES
from parts.shared.html_text import escape_line
from research_core.sessions import session_list
from research_core.sessions import snapshot as snapshots
from research_core.sessions.replay import Difference, Replay
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.timeline import (
    TimelineStep,
    find_neighbour,
    list_marked_steps,
    list_steps_around,
)
from research_core.text.words import clean_for_choice

SOURCE_COLUMNS = ("state", "title", "score", "relevance", "site")
MAX_DIFFERENCES = 50  # differences listed at most
POSITION_PARAMETER = "at"  # key of the event's number, also in the address


def set_start(snapshot: Snapshot, steps: Sequence[TimelineStep]) -> None:
    """Set the position for a new session or visit: the address's, or the end of the log."""
    if (
        st.session_state.get("replayed") != snapshot.session
        or POSITION_PARAMETER not in st.session_state
    ):
        st.session_state["replayed"], st.session_state["playing"] = snapshot.session, False
        asked = st.query_params.get(POSITION_PARAMETER, "")
        st.session_state[POSITION_PARAMETER] = (
            int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 10 else steps[-1].seq
        )
    st.session_state[POSITION_PARAMETER] = min(
        max(st.session_state[POSITION_PARAMETER], steps[0].seq), steps[-1].seq
    )


def draw_buttons(steps: Sequence[TimelineStep], playing: bool) -> None:
    """Draw the player's buttons and the jump to a notable event."""
    with st.container(key="player", horizontal=True, vertical_alignment="bottom", gap="small"):
        st.button(
            "Start",
            key="first",
            icon=":material/first_page:",
            on_click=_go_to,
            args=(steps[0].seq,),
        )
        st.button(
            "Back",
            key="back",
            icon=":material/chevron_left:",
            on_click=_step_by,
            args=(steps, -1),
            shortcut="K",
        )
        word, icon = ("Pause", ":material/pause:") if playing else ("Play", ":material/play_arrow:")
        st.button(
            word,
            key="play",
            icon=icon,
            type="primary",
            on_click=_toggle_play,
            args=(steps,),
            shortcut="P",
        )
        st.button(
            "Next",
            key="next",
            icon=":material/chevron_right:",
            on_click=_step_by,
            args=(steps, 1),
            shortcut="J",
        )
        st.button(
            "End", key="last", icon=":material/last_page:", on_click=_go_to, args=(steps[-1].seq,)
        )
        points = {
            step.seq: f"{step.after:.1f} s · {step.mark} · {clean_for_choice(step.text, 80)}"
            for step in list_marked_steps(steps)
        }
        st.selectbox(
            "Go to",
            list(points),
            index=None,
            key="point",
            format_func=points.__getitem__,
            on_change=_go_to_point,
            placeholder="Go to …",
            label_visibility="collapsed",
            width=340,
        )


def _go_to(seq: int) -> None:
    st.session_state[POSITION_PARAMETER] = seq
    st.session_state["playing"] = False


def _step_by(steps: Sequence[TimelineStep], by: int) -> None:
    _go_to(find_neighbour(steps, st.session_state[POSITION_PARAMETER], by))


def _go_to_point() -> None:
    if st.session_state["point"] is not None:
        _go_to(st.session_state["point"])
        st.session_state["point"] = None


def _toggle_play(steps: Sequence[TimelineStep]) -> None:
    """Start playing, from the beginning if the end was reached, or pause."""
    st.session_state["playing"] = not st.session_state.get("playing", False)
    if st.session_state["playing"] and st.session_state[POSITION_PARAMETER] >= steps[-1].seq:
        st.session_state[POSITION_PARAMETER] = steps[0].seq


def advance(steps: Sequence[TimelineStep], by: int) -> bool:
    """Move by a number of steps. Return False, and stop playing, once the end is reached."""
    st.session_state[POSITION_PARAMETER] = find_neighbour(
        steps, st.session_state[POSITION_PARAMETER], by
    )
    st.session_state["playing"] = st.session_state[POSITION_PARAMETER] < steps[-1].seq
    return bool(st.session_state["playing"])


def draw_slider(steps: Sequence[TimelineStep]) -> None:
    if len(steps) > 1:
        st.slider(
            "Event of the log",
            steps[0].seq,
            steps[-1].seq,
            key=POSITION_PARAMETER,
            help="Calls to the outside are events too, and change nothing here",
        )
    st.query_params[POSITION_PARAMETER] = str(st.session_state[POSITION_PARAMETER])


def draw_stage(then: Snapshot, steps: Sequence[TimelineStep]) -> None:
    """Draw the session at the current step: event, stages, gate and sources."""
    st.html(
        f'<p class="facts">It stood as {OUTCOME_BADGES[session_list.get_state(then.info)].html}</p>'
    )
    st.html(stages.format_stages(snapshots.list_stages(then)))
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.subheader("What happened", anchor=False)
        rows = "".join(
            _describe_step(step, now) for step, now in list_steps_around(steps, then.seq)
        )
        st.html(
            f'<ol class="told steps" tabindex="0" aria-label="Events about this point">{rows}</ol>'
        )
    with right:
        st.subheader("Sources", anchor=False)
        st.html(stages.format_gate(snapshots.build_gate_outlook(then)))
        if then.run.sources:
            sources.draw_table(then.sources, key="replayed_sources", columns=SOURCE_COLUMNS)
        else:
            st.caption("None yet.")


def _describe_step(step: TimelineStep, now: bool) -> str:
    mark = f'<b class="mark">{escape_line(step.mark)}</b> ' if step.mark else ""
    current = ' class="now" aria-current="step"' if now else ""
    return (
        f"<li{current}><time>{step.after:.1f} s</time>"
        f" <span>{mark}{escape_line(step.text, 300)}</span></li>"
    )


def draw_verdict(again: Replay, differences: Sequence[Difference]) -> None:
    """Say whether the derived report equals the stored one, and list the differences."""
    size = len(again.markdown.encode("utf-8", "surrogatepass"))
    if again.same and not differences:
        st.success(
            f"The same report, byte for byte ({size:,} bytes), and no event was derived otherwise."
            " No call was made."
        )
        return
    verdict = "The report is the same" if again.same else "The report came out otherwise"
    if len(differences) == 1:
        values = "1 stored value differs from what is"
    else:
        values = f"{len(differences)} stored values differ from those"
    st.warning(
        f"{verdict}; {values} derived now. The code has changed since, or the log was altered."
    )
    rows = "".join(map(_format_difference, differences[:MAX_DIFFERENCES]))
    head = (
        '<tr><th scope="col">event</th><th scope="col">where</th><th scope="col">stored</th><th'
        ' scope="col">derived now</th></tr>'
    )
    table = (
        "<caption>What differs, about where it"
        f" parts</caption><thead>{head}</thead><tbody>{rows}</tbody>"
    )
    st.html(f'<table class="plain apart">{table}</table>')


def _format_difference(one: Difference) -> str:
    event = f'{escape_line(one.kind)} <span class="facts">{escape_line(one.key, 80)}</span>'
    return (
        f"<tr><td>{event}</td><td>{escape_line(one.where)}</td><td>{escape_line(one.stored)}"
        f"</td><td>{escape_line(one.derived)}</td></tr>"
    )
