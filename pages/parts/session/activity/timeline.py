"""Move along a session's log: player buttons, slider, and the session's state at one point."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.session.activity import stages
from parts.session.sources import table as sources
from parts.shared import session_state
from parts.shared.html_text import escape_line
from parts.shared.wording import format_seconds
from research_core.i18n import _, ngettext
from research_core.sessions import snapshot as snapshots
from research_core.sessions.replay import Difference, Replay
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.timeline import (
    TimelineStep,
    find_neighbour,
    list_marked_steps,
    list_steps_around,
)
from research_core.text.words import clean_for_choice, clean_for_screen

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
            _("Start"),
            key="first",
            icon=":material/first_page:",
            on_click=_go_to,
            args=(steps[0].seq,),
        )
        st.button(
            _("Back"),
            key="back",
            icon=":material/chevron_left:",
            on_click=_step_by,
            args=(steps, -1),
            shortcut="K",
        )
        word, icon = (_("Play"), ":material/play_arrow:")
        if playing:
            word, icon = _("Pause"), ":material/pause:"
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
            _("Next"),
            key="next",
            icon=":material/chevron_right:",
            on_click=_step_by,
            args=(steps, 1),
            shortcut="J",
        )
        st.button(
            _("End"),
            key="last",
            icon=":material/last_page:",
            on_click=_go_to,
            args=(steps[-1].seq,),
        )
        points = {
            step.seq: f"{format_seconds(step.after)} · {_(step.mark)} · {clean_for_choice(step.text, 80)}"
            for step in list_marked_steps(steps)
        }
        st.selectbox(
            _("Go to"),
            list(points),
            index=None,
            key="point",
            format_func=points.__getitem__,
            on_change=_go_to_point,
            placeholder=_("Go to …"),
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
            _("Event of the log"),
            steps[0].seq,
            steps[-1].seq,
            key=POSITION_PARAMETER,
        )
    st.query_params[POSITION_PARAMETER] = str(st.session_state[POSITION_PARAMETER])


def draw_stage(then: Snapshot, steps: Sequence[TimelineStep]) -> None:
    """Draw the session at the current step: event, stages, gate and sources."""
    st.html(f'<p class="facts">{session_state.find_outcome_badge(then.info).html}</p>')
    st.html(stages.format_stages(snapshots.list_stages(then)))
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.header(_("Log"), anchor=False)
        rows = "".join(
            _describe_step(step, now) for step, now in list_steps_around(steps, then.seq)
        )
        st.html(
            f'<ol class="told steps" tabindex="0" aria-label="{escape_line(_("Events nearby"))}">'
            f"{rows}</ol>"
        )
    with right:
        st.header(_("Sources"), anchor=False)
        st.html(stages.format_gate(snapshots.build_gate_outlook(then)))
        if then.run.sources:
            sources.draw_table(then.sources, key="replayed_sources", columns=SOURCE_COLUMNS)
        else:
            st.caption(_("None yet."))


def _describe_step(step: TimelineStep, now: bool) -> str:
    mark = f'<b class="mark">{escape_line(_(step.mark))}</b> ' if step.mark else ""
    current = ' class="now" aria-current="step"' if now else ""
    return (
        f"<li{current}><time>{format_seconds(step.after)}</time>"
        f" <span>{mark}{escape_line(step.text, 300)}</span></li>"
    )


def draw_verdict(again: Replay, differences: Sequence[Difference]) -> None:
    """Say whether the derived report equals the stored one, and list the differences."""
    size = len(again.markdown.encode("utf-8", "surrogatepass"))
    if again.same and not differences:
        st.success(
            _("The same report, byte for byte ({size:,} bytes). No request was made.").format(
                size=size
            )
        )
        return
    verdict = _("The report is the same.") if again.same else _("The report differs.")
    values = ngettext(
        "{count} stored value differs from the one derived now.",
        "{count} stored values differ from those derived now.",
        len(differences),
    ).format(count=len(differences))
    why = clean_for_screen(again.origin) or _("The code has changed, or the log was altered.")
    st.warning(f"{verdict} {values} {why}")
    rows = "".join(map(_format_difference, differences[:MAX_DIFFERENCES]))
    columns = (_("Event"), _("Field"), _("Stored"), _("Derived now"))
    head = "".join(f'<th scope="col">{escape_line(name)}</th>' for name in columns)
    table = (
        f"<caption>{escape_line(_('Differences'))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
    )
    st.html(f'<table class="plain apart">{table}</table>')


def _format_difference(one: Difference) -> str:
    event = f'{escape_line(one.kind)} <span class="facts">{escape_line(one.key, 80)}</span>'
    return (
        f"<tr><td>{event}</td><td>{escape_line(one.where)}</td><td>{escape_line(one.stored)}"
        f"</td><td>{escape_line(one.derived)}</td></tr>"
    )
