"""Ask a question: mode, places to search, limits on sources and the run. Opens Live."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from parts.ask import examples, length_counter, prefill, run_form
from parts.shared import current_user, failures, search_places, session_header
from parts.shared.badges import DECISION_BADGES, SESSION_BADGES
from parts.shared.search_places import SearchPlaces
from parts.shared.wording import format_ago
from research_core.models import Principal
from research_core.modes import EXHAUSTIVE, MODES, ResearchMode
from research_core.policy import LIBRARY_ENGINE, Caps, RunSettings
from research_core.sessions import run_defaults, session_start, session_status, workers
from research_core.sessions.estimates import Estimate, estimate_run
from research_core.sessions.estimates import format_estimate as estimate_words
from research_core.text.question import clean_question
from research_core.text.words import clean_for_screen
from research_core.wiring import default_resources

MODE_DESCRIPTIONS = {
    "quick": "A first look.",
    "standard": "Enough for most questions.",
    "deep": "Also looks for gaps and follows them up.",
    "exhaustive": "A section for each part of the question; looks for gaps up to four times.",
}
#: Latest sessions listed beside the form.
MAX_RECENT = 5


def draw() -> None:
    prefill.fill_from_address()
    st.title("Ask", anchor=False)
    st.text_area(
        "Your question",
        key="question",
        placeholder="Ask one thing, in a full sentence",
        height=84,
        persist_state="session",
    )
    with st.container(horizontal=True, vertical_alignment="center", key="start"):
        go = st.button(
            "Research",
            type="primary",
            key="go",
            icon=":material/arrow_forward:",
            shortcut="Ctrl+Enter",
        )
        length_counter.draw(st.session_state["question"])
    # Containers for what depends on choices that are drawn further down.
    message = st.container()
    expected = st.container()
    left, middle, right = st.columns(3, gap="medium")
    modes = left.container()
    with left:
        run_form.draw_length()
        run_form.draw_minimum()
    with middle:
        place = search_places.draw_places()
    with right:
        known = _draw_recent_sessions()
        if not known:
            examples.draw()
    folds = st.container(gap=None, key="folds")
    # The settings need the mode, whose choice needs the estimates, which need the settings.
    st.session_state.setdefault("mode", "standard")
    with folds:
        limits = _draw_advanced_settings(
            ResearchMode.from_name(st.session_state["mode"], sources=run_form.chosen_sources())
        )
    engines = (*place.engines, *((LIBRARY_ENGINE,) if place.library else ()))
    estimates = _estimate_each_mode(
        engines,
        st.session_state["strategy"],
        st.session_state["model"],
        current_user.current_principal(),
        run_form.chosen_sources(),
    )
    with modes:
        _draw_mode_choice(estimates)
        if st.session_state["mode"] == EXHAUSTIVE:
            run_form.draw_sources()
    expected.caption(estimate_words(estimates[st.session_state["mode"]], limits))
    if known:
        examples.draw()
    if go:
        with message, failures.show_failures():
            _start_run(place, limits)


def _draw_recent_sessions() -> bool:
    """Draw the latest sessions. Return False, drawing nothing, if there are none."""
    infos = session_status.list_sessions(
        default_resources(), who=current_user.current_principal(), limit=MAX_RECENT
    )
    if not infos:
        return False
    st.markdown("Recent")
    with st.container(key="recent", gap=None):
        for info in infos:
            _draw_recent_session(info)
    if len(infos) == MAX_RECENT:
        st.page_link("sessions.py", label="All sessions")
    return True


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
    run_form.draw_fine_tuning(mode)
    run_form.draw_model_and_strategy()
    limits = run_form.draw_caps()
    run_form.draw_instructions()
    run_form.draw_plan_review()
    _draw_link()
    return limits


def _draw_mode_choice(estimates: dict[str, Estimate]) -> None:
    captions = [_describe_mode(name, estimates[name]) for name in MODES]
    st.radio(
        "How thorough",
        MODES,
        index=list(MODES).index("standard"),
        key="mode",
        format_func=str.capitalize,
        captions=captions,
        persist_state="session",
    )


def _describe_mode(name: str, estimate: Estimate) -> str:
    sources = run_form.chosen_sources() if name == EXHAUSTIVE else None
    mode = ResearchMode.from_name(name, sources=sources)
    full = mode.min_sources_full_report
    short = mode.min_sources_short_report
    thresholds = f"{full} kept make a full report, {short} a short one."
    return (
        f"{MODE_DESCRIPTIONS[name]} Reads up to {mode.max_sources} sources;"
        f" {thresholds}{_format_typical_time(estimate)}"
    )


@st.cache_data(ttl=20, max_entries=100, show_spinner=False)
def _estimate_each_mode(
    engines: tuple[str, ...], strategy: str, model: str, who: Principal, sources: int | None
) -> dict[str, Estimate]:
    """Return an estimate for each mode, read from the sessions at most three times a minute.

    sources: how many the exhaustive mode reads.
    """
    estimates = {}
    for mode in MODES:
        run = RunSettings(mode=mode, strategy=strategy, model=model, engines=engines)
        if mode == EXHAUSTIVE:
            run = replace(run, sources=sources)
        estimates[mode] = estimate_run(default_resources(), run, who=who)
    return estimates


def _format_typical_time(estimate: Estimate) -> str:
    """Return the typical time of a run, for the choice of a mode."""
    if estimate.seconds is None:
        return ""
    return f" Typically {_format_time(estimate.seconds.median)}."


def _format_time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min"


def _draw_link() -> None:
    with st.popover("Link to this form", key="link", type="tertiary", icon=":material/link:"):
        st.caption(
            "Opens this screen with the question and the choices filled in, but for which engines"
            " are ticked. It starts nothing."
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
