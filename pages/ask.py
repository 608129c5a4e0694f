"""Ask a question: mode, places to search, limits on sources and the run. Opens Live."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from parts.ask import examples, length_counter, prefill, run_form
from parts.shared import current_user, failures, search_places, session_header
from parts.shared.badges import DECISION_BADGES, SESSION_BADGES
from parts.shared.search_places import SearchPlaces
from parts.shared.wording import format_ago
from research_core.errors import UsageError
from research_core.models import Principal
from research_core.modes import EXHAUSTIVE, MODES, ResearchMode
from research_core.policy import LIBRARY_ENGINE, Caps, RunSettings
from research_core.sessions import run_defaults, session_start, session_status, workers
from research_core.sessions.estimates import (
    Estimate,
    estimate_run,
    format_estimate,
    summarize_estimate,
)
from research_core.text.question import clean_question
from research_core.text.words import clean_for_screen
from research_core.wiring import default_resources

TITLE = "Research you can check: every sentence linked to its source"
MODE_DESCRIPTIONS = {
    "quick": "A first look.",
    "standard": "Enough for most questions.",
    "deep": "Looks for gaps and follows them up.",
    "exhaustive": "A section for each part of the question.",
}
#: Latest sessions listed beside the form.
MAX_RECENT = 5


def draw() -> None:
    prefill.fill_from_address()
    st.title(TITLE, anchor=False)
    st.text_area(
        "Your question",
        key="question",
        placeholder="Ask one thing, in a full sentence",
        height=110,
        persist_state="session",
        label_visibility="collapsed",
    )
    st.session_state.setdefault("mode", "standard")
    row = st.container(horizontal=True, vertical_alignment="bottom", key="start")
    # Containers for what depends on choices that are drawn further down.
    message = st.container()
    expected = st.container()
    notes = st.container(gap=None, key="place_notes")
    examples.draw()
    advanced = st.expander("Advanced", key="advanced")
    with row:
        _draw_mode_choice()
        place = search_places.draw_places(notes=notes, engines=advanced.container())
        go = st.button(
            "Research",
            type="primary",
            key="go",
            icon=":material/arrow_forward:",
            shortcut="Ctrl+Enter",
        )
        length_counter.draw(st.session_state["question"])
    mode = _find_mode(message)
    with advanced:
        limits = _draw_advanced_settings(mode)
    _draw_recent_sessions()
    engines = (*place.engines, *((LIBRARY_ENGINE,) if place.library else ()))
    estimate = _estimate_mode(
        engines,
        st.session_state["strategy"],
        st.session_state["model"],
        current_user.current_principal(),
        mode.name,
        mode.max_sources if mode.name == EXHAUSTIVE else None,
        run_form.chosen_length(),
        st.session_state.get("writer") or "",
        st.session_state.get("judge") or "",
    )
    expected.caption(
        f"{MODE_DESCRIPTIONS[mode.name]} {summarize_estimate(estimate, limits)}",
        help=f"{format_estimate(estimate, limits)}. {_describe_thresholds(mode)}",
    )
    if go:
        with message, failures.show_failures():
            _start_run(place, limits)


def _find_mode(message: DeltaGenerator) -> ResearchMode:
    """Return the chosen mode; a number of sources that it cannot read is refused in `message`."""
    name = st.session_state["mode"]
    try:
        return ResearchMode.from_name(name, sources=run_form.chosen_sources())
    except UsageError as error:
        with message:
            failures.draw_failure(error.message, error.next_step)
        return ResearchMode.from_name(name)


def _draw_recent_sessions() -> None:
    """Draw the latest sessions, if there are any."""
    infos = session_status.list_sessions(
        default_resources(), who=current_user.current_principal(), limit=MAX_RECENT
    )
    if not infos:
        return
    st.subheader("Recent", anchor=False)
    with st.container(key="recent", gap=None):
        for info in infos:
            _draw_recent_session(info)
    if len(infos) == MAX_RECENT:
        st.page_link("sessions.py", label="All sessions")


def _draw_recent_session(info: session_status.SessionInfo) -> None:
    """Draw a link to the session's most useful screen, and its decision or else its state."""
    row = info.row
    if info.status == "done":
        badge = DECISION_BADGES.get(row.decision, SESSION_BADGES[info.status])
    else:
        badge = SESSION_BADGES[info.status]
    target = "report.py" if info.status == "done" else "live.py"
    with st.container(key=f"recent_{row.id}", gap=None):
        st.page_link(
            target,
            label=clean_for_screen(row.title or row.question, 90),
            query_params={"session": row.id},
        )
        st.html(
            f'<p class="facts">{badge.html} {session_header.format_origin(info)}'
            f" {format_ago(default_resources().clock.now() - row.created)} ago</p>"
        )


def _draw_advanced_settings(mode: ResearchMode) -> Caps:
    """Draw the settings that most questions leave at their defaults. Return the run's limits."""
    left, right = st.columns(2, gap="medium")
    with left:
        run_form.draw_minimum()
    with right:
        run_form.draw_length()
        if mode.name == EXHAUSTIVE:
            run_form.draw_sources()
    with st.container(gap=None, key="folds"):
        run_form.draw_fine_tuning(mode)
        run_form.draw_model_and_strategy()
        limits = run_form.draw_caps()
        run_form.draw_instructions()
        run_form.draw_plan_review()
        _draw_link()
    return limits


def _draw_mode_choice() -> None:
    st.segmented_control(
        "How thorough",
        MODES,
        key="mode",
        format_func=str.capitalize,
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )


def _describe_thresholds(mode: ResearchMode) -> str:
    return (
        f"Full report: {mode.min_sources_full_report} relevant sources. Short report:"
        f" {mode.min_sources_short_report}."
    )


@st.cache_data(ttl=20, max_entries=100, show_spinner=False)
def _estimate_mode(
    engines: tuple[str, ...],
    strategy: str,
    model: str,
    who: Principal,
    mode: str,
    sources: int | None,
    length: str,
    writer: str,
    judge: str,
) -> Estimate:
    """Return the estimate of a run, read from the sessions at most three times a minute.

    sources: how many the exhaustive mode reads; writer, judge: other models for these tasks, "" for
    the usual ones.
    """
    resources = default_resources()
    run = RunSettings(mode=mode, strategy=strategy, engines=engines, sources=sources, length=length)
    run = run_defaults.choose_models(run, resources.settings, model, writer, judge)
    return estimate_run(resources, run, who=who)


def _draw_link() -> None:
    with st.popover("Link to this form", key="link", type="tertiary", icon=":material/link:"):
        st.caption(
            "Opens this form with the question and choices filled in, except the ticked engines. Starts"
            " nothing."
        )
        st.code(
            f"{(st.context.url or '').partition('?')[0]}"
            f"{prefill.build_link(st.session_state.to_dict())}",
            language=None,
            wrap_lines=True,
        )


def _start_run(place: SearchPlaces, limits: Caps) -> None:
    resources = default_resources()
    who = current_user.current_principal()
    question = clean_question(st.session_state["question"])
    thresholds = run_form.mode_thresholds()
    run = run_defaults.build_run_settings(
        resources,
        mode=st.session_state["mode"],
        sources=run_form.chosen_sources(),
        engines=place.engines,
        library=place.library,
        model=st.session_state["model"],
        length=run_form.chosen_length(),
        writer=st.session_state.get("writer") or "",
        judge=st.session_state.get("judge") or "",
        strategy=st.session_state["strategy"],
        credibility=run_form.credibility_policy(),
        relevance_cutoff=thresholds["relevance_cutoff"],
        min_full=thresholds["min_full"],
        min_short=thresholds["min_short"],
        caps=limits,
        instructions=st.session_state["instructions"],
        tools=run_form.selected_tools(),
        review_plan=run_form.is_plan_reviewed(),
        who=who,
        look=search_places.is_web_reachable,
    )
    session = session_start.new_session(resources, question, run, who=who)
    workers.get_engine(resources).enqueue(session, who=who)
    st.switch_page("live.py", query_params={"session": session})


draw()
