"""Draw the run's limits, model and source settings, folded under lines that sum them up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from research_core.modes import EXHAUSTIVE, MAX_SOURCES, MIN_SOURCES, USUAL_SOURCES, ResearchMode
from research_core.policy import Caps, CredibilityPolicy, RunSettings
from research_core.sessions import run_defaults
from research_core.text.question import EXCLUSION_NEXT_STEP, NO_FILTER
from research_core.text.words import clean_for_screen, truncate
from research_core.wiring import default_resources

DEFAULT_POLICY = CredibilityPolicy()
#: Field of the policy: (label, effect of moving it).
WEIGHTS = {
    "domain_weight": (
        "Site weight",
        "Weight of the kind of site: universities and government 0.9, general web 0.4.",
    ),
    "relevance_weight": (
        "Keyword weight",
        "Weight of the share of your question's words found in the snippet.",
    ),
    "recency_bonus": (
        "Date bonus",
        "Added when the snippet names a year of this decade or says “days ago”.",
    ),
}
#: Lengths of a report, with what settings call them.
LENGTHS = {"brief": "brief", "normal": "", "long": "long"}
#: Tasks that can be given to another model: their label, and what belongs to them.
ROLES = {
    "writer": ("Written by", "The report, and the explanation where there is none."),
    "judge": (
        "Judged by",
        "How relevant each source is, and doubtful sentences. A cheap model is enough for this.",
    ),
}
#: Field of the settings: (label, maximum, effect). An empty field means the mode's default.
THRESHOLDS = {
    "relevance_cutoff": (
        "Minimum relevance",
        5,
        "Sources rated this or higher, from 1 to 5, are kept.",
    ),
    "min_full": ("Sources for a full report", 10, "Relevant sources a full report needs."),
    "min_short": (
        "Sources for a short report",
        10,
        "Relevant sources a short report needs. With fewer there is no report.",
    ),
}
#: Field of `Caps`, but for the minutes: (label, minimum, step, format).
CAPS: dict[str, tuple[str, Any, Any, str]] = {
    "calls": ("Model calls", 1, 10, "%d"),
    "tokens": ("Tokens", 1, 10_000, "%d"),
    "cost": ("US dollars", 0.0, 0.1, "%.2f"),
    "minutes": ("Minutes", 0.1, 1.0, "%.1f"),
}
MODELS = {
    "offline": (
        "Quotes the best sentences of its sources word for word. Needs no key and no network, costs"
        " nothing."
    ),
    "gemini": "Plans, judges the sources and writes the report.",
    "openai": "Plans, judges and writes, on the server of ASSAY_OPENAI_BASE_URL.",
}
#: Names of families that are not their key with a capital.
FAMILY_LABELS = {"openai": "OpenAI-compatible"}
#: Shown beside the cost limit if it cannot be relied on.
UNPRICED_NOTE = (
    "Not every model that may answer here has a known price. What such a call costs is not counted,"
    " so that a limit in US dollars may never be reached: limit the tokens instead."
)
STRATEGIES = {
    "planned": (
        "A plan of queries is made once and carried out: the quickest way, with the fewest calls."
    ),
    "agentic": "The model chooses round by round what to search and read, at most ten rounds.",
}


def model_family(model: str) -> str:
    """Return a model's name without its version."""
    return model.partition(":")[0]


def _label_family(model: str) -> str:
    family = model_family(model)
    return FAMILY_LABELS.get(family, family.capitalize())


def draw_minimum() -> None:
    st.session_state.setdefault("minimum", DEFAULT_POLICY.minimum)
    st.slider(
        "Minimum credibility",
        0.0,
        1.0,
        DEFAULT_POLICY.minimum,
        step=0.01,
        key="minimum",
        persist_state="session",
        help="Each search result is scored from 0 to 1 by its site, keywords and date. Those that "
        "score this or less are shown, but not read. Your own documents are not scored.",
    )


def draw_fine_tuning(mode: ResearchMode) -> None:
    """Draw weights, date bonus, cutoff and thresholds, and a button that resets them all."""
    # The heading above the sliders says what they are set to, so that it needs them before.
    for name in WEIGHTS:
        st.session_state.setdefault(name, getattr(DEFAULT_POLICY, name))
    with st.expander(f"Scoring · {_describe_tuning(mode)}", key="fine_tuning", type="compact"):
        st.caption("Score = site × weight + keywords × weight + date bonus, at most 1.")
        for column, (name, (label, what)) in zip(st.columns(3), WEIGHTS.items(), strict=True):
            column.slider(
                label,
                0.0,
                1.0,
                getattr(DEFAULT_POLICY, name),
                step=0.05,
                key=name,
                help=what,
                persist_state="session",
            )
        of_mode = {
            "relevance_cutoff": mode.relevance_cutoff,
            "min_full": mode.min_sources_full_report,
            "min_short": mode.min_sources_short_report,
        }
        for column, (name, (label, most, what)) in zip(
            st.columns(3), THRESHOLDS.items(), strict=True
        ):
            column.number_input(
                label,
                1,
                most,
                value=None,
                step=1,
                key=name,
                help=what,
                placeholder=f"{of_mode[name]} ({mode.name} mode)",
                persist_state="session",
            )
        st.button(
            "Reset to defaults",
            key="reset_tuning",
            type="tertiary",
            icon=":material/undo:",
            on_click=_reset,
        )


def _describe_tuning(mode: ResearchMode) -> str:
    """Return which settings differ from the defaults."""
    state = st.session_state
    changed = []
    for name, (label, _) in WEIGHTS.items():
        if state[name] != getattr(DEFAULT_POLICY, name):
            changed.append(f"{label.lower()} {state[name]:g}")
    for name, (label, *_) in THRESHOLDS.items():
        if state.get(name) is not None:
            changed.append(f"{label.lower()} {state[name]}")
    return ", ".join(changed) or "defaults"


def _reset() -> None:
    st.session_state.update(
        {
            "minimum": DEFAULT_POLICY.minimum,
            **{name: getattr(DEFAULT_POLICY, name) for name in WEIGHTS},
            **dict.fromkeys(THRESHOLDS),
        }
    )


def credibility_policy() -> CredibilityPolicy:
    return CredibilityPolicy(
        minimum=st.session_state["minimum"], **{name: st.session_state[name] for name in WEIGHTS}
    )


def draw_sources() -> None:
    """Draw the number of sources that the exhaustive mode reads."""
    st.session_state.setdefault("sources", USUAL_SOURCES)
    st.number_input(
        f"Sources to read ({MIN_SOURCES} to {MAX_SOURCES})",
        step=10,
        key="sources",
        help="More sources take more time and tokens: one model call for each.",
        persist_state="session",
    )


def chosen_sources() -> int | None:
    """Return the number of sources set for the exhaustive mode, None for the usual one."""
    if st.session_state.get("mode") != EXHAUSTIVE:
        return None
    sources = st.session_state.get("sources")
    return None if sources in (None, USUAL_SOURCES) else int(sources)


def draw_length() -> None:
    """Draw how long the report may be."""
    st.session_state.setdefault("length", "normal")
    st.segmented_control(
        "Report length",
        list(LENGTHS),
        key="length",
        format_func=str.capitalize,
        required=True,
        persist_state="session",
    )


def chosen_length() -> str:
    return LENGTHS[st.session_state["length"]]


def mode_thresholds() -> Mapping[str, int | None]:
    return {name: st.session_state.get(name) for name in THRESHOLDS}


def draw_model_and_strategy() -> None:
    """Draw the choice of model and strategy; a model drives the run only where it can."""
    models = run_defaults.list_models(default_resources())
    if st.session_state.get("model") not in models:
        st.session_state["model"] = models[0]
    drives = run_defaults.can_call_tools(st.session_state["model"])
    if st.session_state.get("strategy") not in STRATEGIES or not drives:
        st.session_state["strategy"] = "planned"
    with st.expander(
        f"Model · {_label_family(st.session_state['model'])}, {st.session_state['strategy']}",
        key="models",
        type="compact",
    ):
        left, right = st.columns(2, gap="medium")
        captions = [MODELS[model_family(name)] for name in models]
        left.radio(
            "Model",
            models,
            key="model",
            format_func=_describe_model,
            captions=captions,
            persist_state="session",
        )
        if len(models) == 1:
            left.caption(
                "For one that judges and writes, put `GEMINI_API_KEY=…`, or the address and the"
                " model of your own server (`ASSAY_OPENAI_BASE_URL=…`, `ASSAY_OPENAI_MODELS=…`),"
                " into `.env` beside `run.py` and start Assay again."
            )
        right.radio(
            "Strategy",
            list(STRATEGIES),
            key="strategy",
            format_func=str.capitalize,
            captions=list(STRATEGIES.values()),
            disabled=not drives,
            persist_state="session",
        )
        _draw_roles()
        if st.session_state["strategy"] == "agentic":
            offered = [row.name for row in run_defaults.list_offered_tools(default_resources())]
            about = (
                "Beside searching the web and reading pages. Each may ask a service of its own,"
                " with the keys of this machine."
            )
            st.multiselect(
                "Tools the model may call too",
                offered,
                key="tools",
                help=about,
                placeholder="None",
                persist_state="session",
            )
        if not drives:
            right.caption(
                "The agentic strategy needs a model that can call tools; this one cannot."
            )


def _draw_roles() -> None:
    """Draw the choice of other models for writing and judging, if there is more than one model."""
    resources = default_resources()
    names = run_defaults.list_role_models(resources)
    if len(names) == 1:
        return
    usual = run_defaults.choose_models(RunSettings(), resources.settings, st.session_state["model"])
    usual_names = {"writer": usual.writing_model, "judge": usual.judging_model}
    for column, (role, (label, about)) in zip(st.columns(2), ROLES.items(), strict=True):
        if st.session_state.get(role) not in names:
            st.session_state[role] = ""
        column.selectbox(
            label,
            ("", *names),
            key=role,
            format_func=partial(_describe_role, usual=usual_names[role]),
            help=about,
            persist_state="session",
        )


def _describe_role(model: str, usual: str) -> str:
    return _describe_model(model) if model else f"Default: {_describe_model(usual)}"


def selected_tools() -> tuple[str, ...]:
    """Return the additional tools that a model that drives the run may call."""
    if st.session_state["strategy"] == "agentic":
        return tuple(st.session_state.get("tools") or ())
    return ()


def _describe_model(model: str) -> str:
    version = model.partition(":")[2]
    if version:
        return f"{_label_family(model)} ({clean_for_screen(version, 60)})"
    return _label_family(model)


def draw_caps() -> Caps:
    """Draw the hard limits and return them; an empty field means no limit."""
    state = st.session_state
    set_limits = []
    for name, (label, *_) in CAPS.items():
        limit = state.get(f"cap_{name}")
        if limit is not None:
            set_limits.append(f"{limit:g} {label.lower()}")
    summary = ", ".join(set_limits)
    with st.expander(f"Limits · {summary or 'none'}", key="limits", type="compact"):
        st.caption(
            "When a limit is reached nothing new begins, and the report is written from the sources"
            " judged by then, if they are enough. Of the model calls two or three go to planning,"
            " one to each source that is judged and one to the writing."
        )
        for column, (name, (label, least, step, form)) in zip(
            st.columns(4), CAPS.items(), strict=True
        ):
            column.number_input(
                label,
                least,
                value=None,
                step=step,
                format=form,
                key=f"cap_{name}",
                placeholder="no limit",
                persist_state="session",
            )
        roles = (state.get("writer") or "", state.get("judge") or "")
        if not run_defaults.is_priced(default_resources(), state["model"], *roles):
            # It matters only to somebody who relies on a limit in dollars.
            draw_note = st.caption if state.get("cap_cost") is None else st.warning
            draw_note(UNPRICED_NOTE)
    minutes = state.get("cap_minutes")
    return Caps(
        state.get("cap_calls"),
        state.get("cap_tokens"),
        state.get("cap_cost"),
        None if minutes is None else 60 * minutes,
    )


def draw_plan_review() -> None:
    """Draw the choice to approve the plan first. The agentic strategy has no plan."""
    is_planned = st.session_state["strategy"] == "planned"
    st.checkbox(
        "Show me the plan before searching",
        key="review_plan",
        disabled=not is_planned,
        persist_state="session",
        help="You can edit the queries and sub-questions before you start the research. Nothing is"
        " searched until then."
        if is_planned
        else "The agentic strategy makes no plan: the model chooses round by round.",
    )


def is_plan_reviewed() -> bool:
    """Return True if the run waits for the analyst to approve its plan."""
    return bool(st.session_state["review_plan"]) and st.session_state["strategy"] == "planned"


def draw_instructions() -> None:
    state = st.session_state
    lines = state.get("instructions", "").splitlines()
    count = sum(bool(line.strip()) for line in lines)
    summary = "nothing more"
    if count:
        summary = f"{count} more {'thing' if count == 1 else 'things'}"
    with st.expander(f"Also cover · {summary}", key="also", type="compact"):
        st.text_area(
            "One instruction a line",
            key="instructions",
            height=90,
            placeholder="also cover costs after 2020\nlook at small islands too",
            help="Each line, of 3 to 500 characters, becomes one more query and is told to the "
            f"writer. {NO_FILTER} To keep a "
            "source out, exclude it under Activity, or raise the minimum credibility.",
            persist_state="session",
        )
        exclusions = run_defaults.find_exclusions(state.get("instructions", ""))
        if exclusions:
            _draw_unfiltered_note(exclusions)


def _draw_unfiltered_note(lines: Sequence[str]) -> None:
    """Warn about instructions the run cannot follow: the offline model refuses such lines."""
    quoted = ", ".join(f"“{clean_for_screen(truncate(line, 80), 200)}”" for line in lines)
    if run_defaults.can_call_tools(st.session_state["model"]):
        st.info(
            f"{quoted}: no search is made of this; the writer is told. {NO_FILTER} To keep a source"
            " out, exclude it under Activity."
        )
    else:
        st.warning(f"{quoted}: {NO_FILTER} {EXCLUSION_NEXT_STEP}")
