"""A session while it runs, on one screen: how far it is, the gate, its sources, its text, what can
be asked of it, and where it led.
"""

from __future__ import annotations

import streamlit as st

from parts.session.activity import arrivals, client_session, permission, stages, steering
from parts.shared import current_user, failures, session_header, watch
from parts.shared.badges import DECISION, STATE
from research_core.sessions import catalogue, diagnostics, live, reading, workers
from research_core.sessions.reading import Reading
from research_core.text.words import plain
from research_core.wiring import default_office

TEACHES = """
Here you watch a question being answered: the searches, the pages as they are read and judged, and the funnel from what was found to
what is kept. You can stop a run and have it write from what it has, or cancel it. Closing the tab stops nothing.
"""
#: What to say of a session that ended without a report, apart from one that failed, which says so
#: itself.
ENDED = {
    "interrupted": (
        "The process that ran this session is gone. Nothing it gathered is lost, and it goes on by"
        " itself where a worker runs."
    ),
    "cancelled": "This session was cancelled before its report. What it gathered is kept.",
}
TOPICS = {
    "search": "Search",
    "read": "Read",
    "judge": "Judge",
    "decide": "Decide",
    "write": "Write",
}


def draw() -> None:
    shown = session_header.opened("Live", TEACHES, followed=True)
    if shown is not None:
        _actions(shown)
        st.fragment(_screen, run_every=watch.every(shown.info.status))(
            shown.session, watch.made(shown, _asks)
        )


def _screen(session: str, drawn: tuple[object, ...]) -> None:
    """All that moves, in one fragment: each tab asks once a second, and what did not move is not
    sent again.

    drawn: what the actions above it were drawn for.
    """
    with failures.shown():
        shown = watch.follow(session)
        if watch.made(shown, _asks) != drawn:
            st.rerun()  # the timer and what can be done follow
        failures.refused()
        _standing(shown)
        if shown.info.row.until is None:
            st.html(watch.made(shown, _line))
        left, right = st.columns([1, 2], gap="medium")
        with left:
            if shown.info.row.until is None:
                _gate(shown)
            else:
                _steps(shown)
            _news(shown)
        with right:
            _text(shown)
            st.subheader("Sources", anchor=False)
            arrivals.table(shown)


def _standing(shown: Reading) -> None:
    now = default_office().clock.now()
    spent = stages.spending(
        watch.spent(shown), live.elapsed(shown, now), watch.made(shown, live.settings).caps
    )
    with st.container(horizontal=True, vertical_alignment="center", key="standing", gap="small"):
        st.html(
            f'<p class="facts" role="status">{STATE[catalogue.state(shown.info)].html}</p>',
            width="content",
        )
        st.html(
            f'<p class="facts">{spent}</p>', width="stretch"
        )  # moves each second: nobody wants it read out


def _line(shown: Reading) -> str:
    return stages.line(reading.stages(shown))


def _asks(shown: Reading) -> tuple[object, ...]:
    """What the actions are drawn for, which moves seldom."""
    asked, waiting = watch.made(shown, live.asked), watch.made(shown, permission.waiting)
    return shown.info.status, shown.run.gated is None, bool(shown.run.sources), asked, waiting


def _actions(shown: Reading) -> None:
    """What can be done now; of the same height at work and at the end, so that nothing below it
    jumps.
    """
    with st.container(key="live_actions"):
        if shown.info.row.until is not None:
            client_session.actions(shown)
        elif shown.at_work:
            steering.bar(shown)
        elif shown.info.status == "done":
            _result(shown)
        else:
            _ended(shown)


def _result(shown: Reading) -> None:
    gated = shown.run.gated or {"decision": "insufficient_data", "rationale": ""}
    with st.container(horizontal=True, vertical_alignment="center", key="result"):
        label = (
            "See why there is no report"
            if gated["decision"] == "insufficient_data"
            else f"Read the {DECISION[gated['decision']].word}"
        )
        st.page_link("report.py", label=label, icon=":material/article:")
        st.caption(plain(gated["rationale"]))


def _ended(shown: Reading) -> None:
    message, next_step = shown.failure
    if message:
        failures.say(message, next_step)
    else:
        st.info(ENDED[shown.info.status])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Resume",
            type="primary",
            key="resume",
            icon=":material/play_arrow:",
            on_click=_resume,
            args=(shown.session,),
        )
        st.caption(
            "It goes on from what is recorded; no call that was answered is made again.",
            width="content",
        )


def _resume(session: str) -> None:
    with failures.kept():
        workers.engine(default_office()).enqueue(session, who=current_user.who())


def _gate(shown: Reading) -> None:
    st.subheader("Gate", anchor=False)
    st.html(watch.made(shown, _bar))
    if shown.run.sources:
        st.page_link("gate.py", label="Every judgement with its passages", icon=":material/rule:")


def _steps(shown: Reading) -> None:
    st.subheader("Steps", anchor=False)
    client_session.trail(watch.made(shown, client_session.research))


def _bar(shown: Reading) -> str:
    return stages.gate(live.bar(shown))


def _news(shown: Reading) -> None:
    st.subheader("What happened", anchor=False)
    if not shown.events:
        _waiting()
        return
    topics = st.pills(
        "Show only",
        TOPICS,
        selection_mode="multi",
        key="topics",
        format_func=TOPICS.__getitem__,
        label_visibility="collapsed",
    )
    with st.container(key="news"):
        st.html(watch.made(shown, _told, tuple(topics), str(st.context.timezone)))


def _told(shown: Reading, topics: tuple[str, ...], _zone: str) -> str:
    """The time zone of the reader is in the times of day."""
    return stages.told(live.news(shown, topics))


def _waiting() -> None:
    st.caption("Nothing yet: the session waits for a worker.")
    if default_office().settings.worker_only:
        st.caption(
            "This server puts questions into the queue and answers none. `python3 run.py worker`"
            " starts a worker."
        )
        return
    if diagnostics.running_here(default_office()) >= workers.AT_ONCE:
        st.caption(
            f"This server runs {workers.AT_ONCE} sessions at once, of all its users, and so many"
            " run now. It begins when one ends."
        )


def _text(shown: Reading) -> None:
    if blocks := watch.made(shown, live.writing):
        st.subheader("The text so far" if shown.run.written is None else "The text", anchor=False)
        with st.container(key="writing", height=320, autoscroll=shown.at_work):
            st.html(stages.text(blocks))


draw()
