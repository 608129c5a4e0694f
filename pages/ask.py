"""Ask a question: mode, places to search, limits on sources and the run. Opens Live."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from parts.ask import examples, length_counter, prefill, recent_sessions, run_form
from parts.shared import current_user, failures, search_places, session_state
from parts.shared.search_places import SearchPlaces
from research_core.errors import UsageError
from research_core.i18n import N_, _
from research_core.models import Principal
from research_core.modes import EXHAUSTIVE, MODES, ResearchMode
from research_core.policy import LIBRARY_ENGINE, OFFLINE_MODEL, Caps, RunSettings
from research_core.sessions import run_defaults, session_start, workers
from research_core.sessions.estimates import (
    Estimate,
    estimate_run,
    format_estimate,
    summarize_estimate,
)
from research_core.text.question import clean_question
from research_core.text.words import capitalize_first
from research_core.wiring import default_resources

TITLE = N_("Research you can check: every sentence linked to its source")
MODE_DESCRIPTIONS = {
    N_("quick"): N_("A first look."),
    N_("standard"): N_("Enough for most questions."),
    N_("deep"): N_("Looks for gaps and follows them up."),
    N_("exhaustive"): N_("A section for each part of the question."),
}


def draw() -> None:
    prefill.clear_started_question()
    prefill.fill_from_address()
    st.title(_(TITLE), anchor=False)
    st.text_area(
        _("Your question"),
        key="question",
        placeholder=_("Ask one thing, in a full sentence"),
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
    advanced = st.expander(_("Advanced"), key="advanced")
    with row:
        _draw_mode_choice()
        place = search_places.draw_places(notes=notes, engines=advanced.container())
        go = st.button(
            _("Research"),
            type="primary",
            key="go",
            icon=":material/arrow_forward:",
            shortcut="Ctrl+Enter",
        )
        length_counter.draw(st.session_state["question"])
    mode = _find_mode(message)
    with advanced:
        limits = _draw_advanced_settings(mode)
    recent_sessions.draw()
    engines = (*place.engines, *((LIBRARY_ENGINE,) if place.library else ()))
    estimate = _estimate_mode(
        mode=mode.name,
        strategy=st.session_state["strategy"],
        engines=engines,
        sources=mode.max_sources if mode.name == EXHAUSTIVE else None,
        length=run_form.chosen_length(),
        model=st.session_state["model"],
        writer=st.session_state.get("writer") or "",
        judge=st.session_state.get("judge") or "",
        who=current_user.current_principal(),
    )
    expected.caption(
        f"{_(MODE_DESCRIPTIONS[mode.name])} {summarize_estimate(estimate, limits)}",
        help=f"{format_estimate(estimate, limits)} {_describe_thresholds(mode)}",
    )
    _draw_missing_model(expected)
    if go:
        with message, failures.show_failures():
            _start_run(place, limits)


def _draw_missing_model(place: DeltaGenerator) -> None:
    """Link to the form that connects a language model, if there is none and nobody signs in."""
    if current_user.requires_sign_in():
        return
    if run_defaults.list_models(default_resources()) != (OFFLINE_MODEL,):
        return
    with place.container(
        horizontal=True, vertical_alignment="center", gap="small", key="missing_model"
    ):
        st.caption(_("No language model: reports only quote their sources."), width="content")
        st.page_link(
            "settings.py",
            label=_("Connect a model"),
            query_params={"form": "connect_model"},
            icon=":material/tune:",
            width="content",
        )


def _find_mode(message: DeltaGenerator) -> ResearchMode:
    """Return the chosen mode; a number of sources that it cannot read is refused in `message`."""
    name = st.session_state["mode"]
    try:
        return ResearchMode.from_name(name, sources=run_form.chosen_sources())
    except UsageError as error:
        with message:
            failures.draw_failure(error.message, error.next_step)
        return ResearchMode.from_name(name)


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
        _("Mode"),
        MODES,
        key="mode",
        format_func=_format_mode,
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )


def _format_mode(mode: str) -> str:
    return capitalize_first(_(mode))


def _describe_thresholds(mode: ResearchMode) -> str:
    return _("Full report: {full} relevant sources. Short report: {short}.").format(
        full=mode.min_sources_full_report, short=mode.min_sources_short_report
    )


@st.cache_data(ttl=20, max_entries=100, show_spinner=False)
def _estimate_mode(
    *,
    mode: str,
    strategy: str,
    engines: tuple[str, ...],
    sources: int | None,
    length: str,
    model: str,
    writer: str,
    judge: str,
    who: Principal,
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
    with st.popover(_("Link to this form"), key="link", type="tertiary", icon=":material/link:"):
        st.caption(_("Opens this form filled in, except the engines. Starts nothing."))
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
    session_state.watch_to_the_end(session)
    prefill.mark_question_started()
    st.switch_page("live.py", query_params={"session": session})


draw()
