"""Show a session while it runs: progress, gate, sources, text and actions.

The report opens by itself when a run that was watched here ends.
"""

from __future__ import annotations

import streamlit as st

from parts.session import session_screen
from parts.session.activity import (
    arrivals,
    client_session,
    permission,
    plan_review,
    stages,
    steering,
)
from parts.shared import (
    current_user,
    failures,
    rewrites,
    session_header,
    session_state,
    watch,
)
from research_core.i18n import N_, _, gettext, ngettext
from research_core.policy import OFFLINE_MODEL, RunSettings
from research_core.sessions import (
    diagnostics,
    run_defaults,
    spending,
    timeline,
    workers,
)
from research_core.sessions import snapshot as snapshots
from research_core.sessions.snapshot import Snapshot
from research_core.text.words import clean_for_screen
from research_core.wiring import default_resources

INTRODUCTION = N_(
    "Follow a session: searches, pages read, and the report as it is written. Closing the tab does"
    " not stop it."
)
CANCELLED_NOTE = N_("Cancelled before the report. Everything found so far is kept.")
#: By the role whose model failed.
CONTINUE_LABELS = {
    "model": N_("Continue with {model}"),
    "writer": N_("Write with {model}"),
    "judge": N_("Judge with {model}"),
}
#: The same for going on without a language model.
OFFLINE_LABELS = {
    "model": N_("Continue without a language model"),
    "writer": N_("Write without a language model"),
    "judge": N_("Judge without a language model"),
}
TOPICS = {
    "search": N_("Search"),
    "read": N_("Read"),
    "judge": N_("Judge"),
    "decide": N_("Decide"),
    "write": N_("Write"),
}


def draw() -> None:
    snapshot = session_screen.open_session(_("Activity"), _(INTRODUCTION), followed=True)
    if snapshot is not None:
        session_state.open_finished_report(snapshot)
        _draw_actions(snapshot)
        # Made a fragment here, since how often it is redrawn depends on the session.
        st.fragment(_draw_screen, run_every=watch.poll_interval(snapshot.info.status))(
            snapshot.session, watch.derive(snapshot, _action_state)
        )


def _draw_screen(session: str, drawn: tuple[object, ...]) -> None:
    """Draw everything that changes, in one fragment that is refreshed every second.

    drawn: the state the actions above the fragment were drawn for.
    """
    with failures.show_failures():
        snapshot = watch.follow_session(session)
        if watch.derive(snapshot, _action_state) != drawn:
            st.rerun()  # updates the timer and the actions
        failures.draw_kept_failure()
        _draw_progress(snapshot)
        if snapshot.info.row.until is None:
            st.html(watch.derive(snapshot, _format_stages))
        if snapshot.info.status == "waiting":
            _draw_news(snapshot)
            return
        left, right = st.columns([1, 2], gap="medium")
        with left:
            is_audit = snapshot.run.settings.checks_report
            if snapshot.info.row.until is None and not is_audit:
                _draw_gate(snapshot)
            else:
                _draw_steps(snapshot)
            _draw_news(snapshot)
        with right:
            _draw_text(snapshot)
            st.header(_("Sources"), anchor=False)
            arrivals.draw_table(snapshot)


def _draw_progress(snapshot: Snapshot) -> None:
    now = default_resources().clock.now()
    settings = watch.derive(snapshot, snapshots.read_settings)
    spent = stages.format_spending(
        watch.get_spent(snapshot),
        spending.measure_elapsed(snapshot, now),
        settings.caps,
        is_offline=settings.models == {OFFLINE_MODEL},
    )
    result = watch.derive(snapshot, session_header.format_findings)
    paused = stages.format_wait(snapshots.find_rate_limit_wait(snapshot, now))
    with st.container(horizontal=True, vertical_alignment="center", key="standing", gap="small"):
        st.html(
            f'<p class="facts" role="status">{session_state.format_state(snapshot)}</p>',
            width="content",
        )
        # Without role="status", since a screen reader would read it out every second.
        st.html(f'<p class="facts">{result}{spent}{paused}</p>', width="stretch")


def _format_stages(snapshot: Snapshot) -> str:
    return stages.format_stages(snapshots.list_stages(snapshot))


def _action_state(snapshot: Snapshot) -> tuple[object, ...]:
    """Return the state that decides which actions are drawn; it seldom changes."""
    asked = watch.derive(snapshot, snapshots.list_commands)
    waiting = watch.derive(snapshot, permission.find_waiting)
    return (
        snapshot.info.status,
        snapshot.run.gated is None,
        bool(snapshot.run.sources),
        asked,
        waiting,
    )


def _draw_actions(snapshot: Snapshot) -> None:
    """Draw the possible actions, at constant height so that nothing below them jumps."""
    with st.container(key="live_actions"):
        if snapshot.info.row.until is not None:
            client_session.draw_actions(snapshot)
        elif snapshot.at_work:
            steering.draw_bar(snapshot)
        elif snapshot.info.status == "done":
            return
        elif snapshot.info.status == "waiting":
            plan_review.draw_editor(snapshot)
        else:
            _draw_ending(snapshot)


def _draw_ending(snapshot: Snapshot) -> None:
    message, next_step = snapshot.failure
    if message:
        failures.draw_failure(message, next_step)
    elif snapshot.info.status == "cancelled":
        st.info(_(CANCELLED_NOTE))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            _("Resume now") if snapshot.info.status == "interrupted" else _("Resume"),
            type="primary",
            key="resume",
            icon=":material/play_arrow:",
            on_click=_resume_session,
            args=(snapshot.session,),
        )
        st.caption(_("Nothing is searched or read twice."), width="content")
    if snapshot.failed_role:
        _draw_other_models(snapshot, snapshot.failed_role)


def _draw_other_models(snapshot: Snapshot, role: str) -> None:
    """Draw a button for each other model that can go on with a run whose model failed."""
    run = snapshot.run.settings
    with st.container(horizontal=True, gap="small"):
        for name in run_defaults.list_other_models(default_resources(), run, role):
            labels = OFFLINE_LABELS if name == OFFLINE_MODEL else CONTINUE_LABELS
            st.button(
                gettext(labels[role]).format(model=clean_for_screen(name)),
                key=f"other-{name}",
                icon=":material/swap_horiz:",
                help=_("Starts a new session from the sources found so far."),
                on_click=_go_on_with,
                args=(snapshot.session, run, role, name),
            )


def _go_on_with(session: str, run: RunSettings, role: str, model: str) -> None:
    """Start a session from the sources of another, with another model, and open it."""
    with failures.keep_failures():
        changed = run_defaults.change_models(run, default_resources().settings, **{role: model})
        st.query_params.update(session=rewrites.start_rewrite(session, changed))


def _resume_session(session: str) -> None:
    with failures.keep_failures():
        workers.get_engine(default_resources()).enqueue(
            session, who=current_user.current_principal()
        )


def _draw_gate(snapshot: Snapshot) -> None:
    st.header(_("Gate"), anchor=False)
    st.html(watch.derive(snapshot, _format_gate))
    if snapshot.run.sources:
        st.page_link("gate.py", label=_("See every judgement"), icon=":material/rule:")


def _draw_steps(snapshot: Snapshot) -> None:
    st.header(_("Steps"), anchor=False)
    client_session.draw_trail(watch.derive(snapshot, client_session.read_research))


def _format_gate(snapshot: Snapshot) -> str:
    return stages.format_gate(snapshots.build_gate_outlook(snapshot))


def _draw_news(snapshot: Snapshot) -> None:
    st.header(_("Log"), anchor=False)
    if not snapshot.events:
        _draw_waiting()
        return
    topics = st.pills(
        _("Show only"),
        TOPICS,
        selection_mode="multi",
        key="topics",
        format_func=_describe_topic,
        label_visibility="collapsed",
    )
    with st.container(key="news"):
        st.html(watch.derive(snapshot, _format_news, tuple(topics), str(st.context.timezone)))


def _describe_topic(topic: str) -> str:
    return _(TOPICS[topic])


def _format_news(snapshot: Snapshot, topics: tuple[str, ...], _zone: str) -> str:
    """Format the news of a session. _zone: part of the cache key, since times are shown in it."""
    return stages.format_news(timeline.list_news(snapshot, topics))


def _draw_waiting() -> None:
    if default_resources().settings.worker_only:
        if not workers.has_live_worker(default_resources()):
            st.caption(_("No worker is running. Start one with `python3 run.py worker`."))
        return
    at_once = default_resources().settings.sessions_at_once
    if diagnostics.count_running_here(default_resources()) >= at_once:
        st.caption(
            ngettext(
                "This server runs {count} session at once. This one starts when it ends.",
                "This server runs {count} sessions at once. This one starts when one ends.",
                at_once,
            ).format(count=at_once)
        )


def _draw_text(snapshot: Snapshot) -> None:
    blocks = watch.derive(snapshot, snapshots.parse_written_so_far)
    if not blocks:
        return
    st.header(_("Draft") if snapshot.run.written is None else _("Text"), anchor=False)
    with st.container(key="writing", height=320, autoscroll=snapshot.at_work):
        st.html(stages.format_text(blocks))


draw()
