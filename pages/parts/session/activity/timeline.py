"""Moving along a session's log: the player's buttons and slider, and what stands on the stage at
one point.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.session.activity import stages
from parts.session.sources import table as sources
from parts.shared.badges import STATE
from parts.shared.html_text import markup
from research_core.sessions import catalogue, live, playback, reading
from research_core.sessions.playback import Step
from research_core.sessions.reading import Reading
from research_core.sessions.replay import Difference, Replay
from research_core.text.words import plain

COLUMNS = ("state", "title", "score", "relevance", "site")
MOST = 50  # differences that are listed
AT = "at"  # the number of the event, in the address too


def start(shown: Reading, steps: Sequence[Step]) -> None:
    """Hold the point: that of the address, else the end. Another session begins at its own; so does
    a visit after one to another screen.
    """
    if st.session_state.get("replayed") != shown.session or AT not in st.session_state:
        st.session_state["replayed"], st.session_state["playing"] = shown.session, False
        asked = st.query_params.get(AT, "")
        st.session_state[AT] = (
            int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 10 else steps[-1].seq
        )
    st.session_state[AT] = min(max(st.session_state[AT], steps[0].seq), steps[-1].seq)


def buttons(steps: Sequence[Step], playing: bool) -> None:
    """To the start, one back, play or pause, one on, to the end; and straight to a point worth
    going to.
    """
    with st.container(key="player", horizontal=True, vertical_alignment="bottom", gap="small"):
        st.button(
            "Start", key="first", icon=":material/first_page:", on_click=_go, args=(steps[0].seq,)
        )
        st.button(
            "Back",
            key="back",
            icon=":material/chevron_left:",
            on_click=_step,
            args=(steps, -1),
            shortcut="K",
        )
        word, icon = ("Pause", ":material/pause:") if playing else ("Play", ":material/play_arrow:")
        st.button(
            word, key="play", icon=icon, type="primary", on_click=_play, args=(steps,), shortcut="P"
        )
        st.button(
            "Next",
            key="next",
            icon=":material/chevron_right:",
            on_click=_step,
            args=(steps, 1),
            shortcut="J",
        )
        st.button(
            "End", key="last", icon=":material/last_page:", on_click=_go, args=(steps[-1].seq,)
        )
        points = {
            step.seq: f"{step.after:.1f} s · {step.mark} · {plain(step.text, 80)}"
            for step in playback.points(steps)
        }
        st.selectbox(
            "Go to", list(points), index=None, key="point", format_func=points.__getitem__,
            on_change=_to_point, placeholder="Go to …",
            label_visibility="collapsed", width=340,
        )  # fmt: skip


def _go(seq: int) -> None:
    st.session_state[AT] = seq
    st.session_state["playing"] = False


def _step(steps: Sequence[Step], by: int) -> None:
    _go(playback.neighbour(steps, st.session_state[AT], by))


def _to_point() -> None:
    if st.session_state["point"] is not None:
        _go(st.session_state["point"])
        st.session_state["point"] = None


def _play(steps: Sequence[Step]) -> None:
    """Play on, from the start where the end was reached; or pause."""
    st.session_state["playing"] = not st.session_state.get("playing", False)
    if st.session_state["playing"] and st.session_state[AT] >= steps[-1].seq:
        st.session_state[AT] = steps[0].seq


def advance(steps: Sequence[Step], by: int) -> bool:
    """Go on by so many steps; False once the end is reached, where the player stops."""
    st.session_state[AT] = playback.neighbour(steps, st.session_state[AT], by)
    st.session_state["playing"] = st.session_state[AT] < steps[-1].seq
    return bool(st.session_state["playing"])


def slider(steps: Sequence[Step]) -> None:
    if len(steps) > 1:
        st.slider(
            "Event of the log",
            steps[0].seq,
            steps[-1].seq,
            key=AT,
            help="Calls to the outside are events too, and change nothing here",
        )
    st.query_params[AT] = str(st.session_state[AT])


def stage(then: Reading, steps: Sequence[Step]) -> None:
    """How the session stood: what had just happened, the line of stages, the gate so far, the
    sources.
    """
    st.html(f'<p class="facts">It stood as {STATE[catalogue.state(then.info)].html}</p>')
    st.html(stages.line(reading.stages(then)))
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.subheader("What happened", anchor=False)
        rows = "".join(_told(step, now) for step, now in playback.around(steps, then.seq))
        st.html(
            f'<ol class="told steps" tabindex="0" aria-label="Events about this point">{rows}</ol>'
        )
    with right:
        st.subheader("Sources", anchor=False)
        st.html(stages.gate(live.bar(then)))
        if then.run.sources:
            sources.table(reading.sources(then), key="replayed_sources", columns=COLUMNS)
        else:
            st.caption("None yet.")


def _told(step: Step, now: bool) -> str:
    mark = f'<b class="mark">{markup(step.mark)}</b> ' if step.mark else ""
    current = ' class="now" aria-current="step"' if now else ""
    return (
        f"<li{current}><time>{step.after:.1f} s</time>"
        f" <span>{mark}{markup(step.text, 300)}</span></li>"
    )


def verdict(again: Replay, differences: Sequence[Difference]) -> None:
    """Whether the derived report is the stored one, and every value that came out otherwise."""
    size = len(again.markdown.encode("utf-8", "surrogatepass"))
    if again.same and not differences:
        st.success(
            f"The same report, byte for byte ({size:,} bytes), and no event was derived otherwise."
            " No call was made."
        )
        return
    said = "The report is the same" if again.same else "The report came out otherwise"
    values = (
        "1 stored value differs from what is"
        if len(differences) == 1
        else f"{len(differences)} stored values differ from those"
    )
    st.warning(f"{said}; {values} derived now. The code has changed since, or the log was altered.")
    rows = "".join(map(_difference, differences[:MOST]))
    head = (
        '<tr><th scope="col">event</th><th scope="col">where</th><th scope="col">stored</th><th'
        ' scope="col">derived now</th></tr>'
    )
    table = (
        "<caption>What differs, about where it"
        f" parts</caption><thead>{head}</thead><tbody>{rows}</tbody>"
    )
    st.html(f'<table class="plain apart">{table}</table>')


def _difference(one: Difference) -> str:
    event = f'{markup(one.kind)} <span class="facts">{markup(one.key, 80)}</span>'
    return f"<tr><td>{event}</td><td>{markup(one.where)}</td><td>{markup(one.stored)}</td><td>{markup(one.derived)}</td></tr>"
