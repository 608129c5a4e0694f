"""Draw the run's limits, model and source settings, folded under lines that sum them up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from parts.shared.wording import OFFLINE_NOTE, label_model
from research_core.i18n import N_, _, join_list, ngettext, put_in_quotes
from research_core.modes import EXHAUSTIVE, MAX_SOURCES, MIN_SOURCES, USUAL_SOURCES, ResearchMode
from research_core.policy import OFFLINE_MODEL, Caps, CredibilityPolicy, RunSettings
from research_core.sessions import run_defaults
from research_core.text.question import EXCLUSION_NEXT_STEP, NO_FILTER
from research_core.text.words import capitalize_first, clean_for_screen, truncate
from research_core.wiring import default_resources

DEFAULT_POLICY = CredibilityPolicy()
#: Field of the policy: (label, effect of moving it).
WEIGHTS = {
    "domain_weight": (
        N_("Site weight"),
        N_("Weight of the kind of site: universities and government 0.9, general web 0.4."),
    ),
    "relevance_weight": (
        N_("Keyword weight"),
        N_("Weight of the share of your question's words found in the snippet."),
    ),
    "recency_bonus": (
        N_("Date bonus"),
        N_("Added when the snippet names a year of this decade or says “days ago”."),
    ),
}
#: Lengths of a report, with what settings call them.
LENGTHS = {N_("brief"): "brief", N_("normal"): "", N_("long"): "long"}
#: Tasks that can be given to another model: their label, and what belongs to them.
ROLES = {
    "writer": (N_("Writer"), N_("Writes the report, or explains why there is none.")),
    "judge": (
        N_("Judge"),
        N_("Rates each source's relevance and checks sentences. A cheap model is enough."),
    ),
}
#: Field of the settings: (label, maximum, effect). An empty field means the mode's default.
THRESHOLDS = {
    "relevance_cutoff": (
        N_("Minimum relevance"),
        5,
        N_("Sources rated this or higher, from 1 to 5, are kept."),
    ),
    "min_full": (
        N_("Full report from"),
        10,
        N_("Relevant sources that a full report needs."),
    ),
    "min_short": (
        N_("Short report from"),
        10,
        N_("Relevant sources that a short report needs. With fewer there is no report."),
    ),
}
#: Field of `Caps`, but for the minutes: (label, minimum, step, format).
CAPS: dict[str, tuple[str, Any, Any, str]] = {
    "calls": (N_("Model calls"), 1, 10, "%d"),
    "tokens": (N_("Tokens"), 1, 10_000, "%d"),
    "cost": (N_("US dollars"), 0.0, 0.1, "%.2f"),
    "minutes": (N_("Minutes"), 0.1, 1.0, "%.1f"),
}
MODELS = {
    "offline": OFFLINE_NOTE,
    "gemini": N_("Plans, judges sources and writes the report."),
    "openai": N_("Plans, judges and writes, on the server in ASSAY_OPENAI_BASE_URL."),
}
#: Names of families that are not their key with a capital.
FAMILY_LABELS = {"openai": "OpenAI-compatible"}
#: Shown beside the cost limit if it cannot be relied on.
UNPRICED_NOTE = N_(
    "Some of these models have no known price, so a limit in US dollars may not hold. Limit the"
    " tokens instead."
)
STRATEGIES = {
    N_("planned"): N_("Plans its queries once. Fastest, with the fewest calls."),
    N_("agentic"): N_("The model chooses what to search and read, in up to ten rounds."),
}


def model_family(model: str) -> str:
    """Return a model's name without its version."""
    return model.partition(":")[0]


def _label_family(model: str) -> str:
    if model == OFFLINE_MODEL:
        return label_model(model)
    family = model_family(model)
    return FAMILY_LABELS.get(family, capitalize_first(family))


def draw_minimum() -> None:
    st.session_state.setdefault("minimum", DEFAULT_POLICY.minimum)
    st.slider(
        _("Minimum credibility"),
        0.0,
        1.0,
        DEFAULT_POLICY.minimum,
        step=0.01,
        key="minimum",
        persist_state="session",
        help=_(
            "A search result needs more than this, from 0 to 1, to be read. At this or less it is"
            " listed, but not read. Your own documents are not scored."
        ),
    )


def draw_fine_tuning(mode: ResearchMode) -> None:
    """Draw weights, date bonus, cutoff and thresholds, and a button that resets them all."""
    # The heading above the sliders says what they are set to, so that it needs them before.
    for name in WEIGHTS:
        st.session_state.setdefault(name, getattr(DEFAULT_POLICY, name))
    with st.expander(
        _("Scoring · {settings}").format(settings=_describe_tuning(mode)),
        key="fine_tuning",
        type="compact",
    ):
        st.caption(_("Score = site × weight + keywords × weight + date bonus, at most 1."))
        for column, (name, (label, what)) in zip(st.columns(3), WEIGHTS.items(), strict=True):
            column.slider(
                _(label),
                0.0,
                1.0,
                getattr(DEFAULT_POLICY, name),
                step=0.05,
                key=name,
                help=_(what),
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
                _(label),
                1,
                most,
                value=None,
                step=1,
                key=name,
                help=_(what),
                placeholder=_("{number} ({mode} mode)").format(
                    number=of_mode[name], mode=_(mode.name)
                ),
                persist_state="session",
            )
        st.button(
            _("Reset to defaults"),
            key="reset_tuning",
            type="tertiary",
            icon=":material/undo:",
            on_click=_reset,
        )


def _describe_tuning(mode: ResearchMode) -> str:
    """Return which settings differ from the defaults."""
    state = st.session_state
    changed = []
    for name, (label, _help) in WEIGHTS.items():
        if state[name] != getattr(DEFAULT_POLICY, name):
            changed.append(f"{_(label)} {state[name]:g}")
    for name, (label, *_rest) in THRESHOLDS.items():
        if state.get(name) is not None:
            changed.append(f"{_(label)} {state[name]}")
    return join_list(changed) or _("defaults")


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
        _("Page limit ({least} to {most})").format(least=MIN_SOURCES, most=MAX_SOURCES),
        step=10,
        key="sources",
        help=_("Each page takes one model call."),
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
        _("Report length"),
        list(LENGTHS),
        key="length",
        format_func=_capitalize,
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
        _("Model · {model}, {strategy}").format(
            model=_label_family(st.session_state["model"]), strategy=_(st.session_state["strategy"])
        ),
        key="models",
        type="compact",
    ):
        left, right = st.columns(2, gap="medium")
        captions = [_(MODELS[model_family(name)]) for name in models]
        left.radio(
            _("Model"),
            models,
            key="model",
            format_func=_describe_model,
            captions=captions,
            persist_state="session",
        )
        if len(models) == 1:
            left.caption(
                _(
                    "For a language model, put `GEMINI_API_KEY=…` or `ASSAY_OPENAI_BASE_URL=…` and"
                    " `ASSAY_OPENAI_MODELS=…` into `.env`, then restart Assay."
                )
            )
        right.radio(
            _("Strategy"),
            list(STRATEGIES),
            key="strategy",
            format_func=_capitalize,
            captions=[_(about) for about in STRATEGIES.values()],
            disabled=not drives,
            persist_state="session",
        )
        _draw_roles()
        if st.session_state["strategy"] == "agentic":
            offered = [row.name for row in run_defaults.list_offered_tools(default_resources())]
            about = _("Each may ask a service of its own, with the keys of this machine.")
            st.multiselect(
                _("Further tools"),
                offered,
                key="tools",
                help=about,
                placeholder=_("None"),
                persist_state="session",
            )
        if not drives:
            right.caption(_("Agentic needs a model that can call tools."))


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
            _(label),
            ("", *names),
            key=role,
            format_func=partial(_describe_role, usual=usual_names[role]),
            help=_(about),
            persist_state="session",
        )


def _describe_role(model: str, usual: str) -> str:
    if model:
        return _describe_model(model)
    return _("Default: {model}").format(model=_describe_model(usual))


def _capitalize(name: str) -> str:
    return capitalize_first(_(name))


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
    for name, (label, *_rest) in CAPS.items():
        limit = state.get(f"cap_{name}")
        if limit is not None:
            set_limits.append(f"{_(label)}: {limit:g}")
    summary = join_list(set_limits)
    with st.expander(
        _("Limits · {limits}").format(limits=summary or _("none")), key="limits", type="compact"
    ):
        st.caption(
            _(
                "At a limit, the report is written from the sources judged so far, if they are"
                " enough."
            )
        )
        for column, (name, (label, least, step, form)) in zip(
            st.columns(4), CAPS.items(), strict=True
        ):
            column.number_input(
                _(label),
                least,
                value=None,
                step=step,
                format=form,
                key=f"cap_{name}",
                placeholder=_("no limit"),
                persist_state="session",
            )
        roles = (state.get("writer") or "", state.get("judge") or "")
        if not run_defaults.is_priced(default_resources(), state["model"], *roles):
            # It matters only to somebody who relies on a limit in dollars.
            draw_note = st.caption if state.get("cap_cost") is None else st.warning
            draw_note(_(UNPRICED_NOTE))
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
        _("Review the plan first"),
        key="review_plan",
        disabled=not is_planned,
        persist_state="session",
        help=_("Edit queries and sub-questions before anything is searched.")
        if is_planned
        else _("The agentic strategy makes no plan."),
    )


def is_plan_reviewed() -> bool:
    """Return True if the run waits for the analyst to approve its plan."""
    return bool(st.session_state["review_plan"]) and st.session_state["strategy"] == "planned"


def draw_instructions() -> None:
    state = st.session_state
    lines = state.get("instructions", "").splitlines()
    count = sum(bool(line.strip()) for line in lines)
    summary = _("nothing more")
    if count:
        summary = ngettext("{count} instruction", "{count} instructions", count).format(count=count)
    with st.expander(
        _("Also cover · {instructions}").format(instructions=summary), key="also", type="compact"
    ):
        st.text_area(
            _("One instruction per line"),
            key="instructions",
            height=90,
            placeholder=_("Costs after 2020\nSmall islands"),
            help=_("Each line becomes one more query and is passed to the writer. {note}").format(
                note=_(NO_FILTER)
            ),
            persist_state="session",
        )
        exclusions = run_defaults.find_exclusions(state.get("instructions", ""))
        if exclusions:
            _draw_unfiltered_note(exclusions)


def _draw_unfiltered_note(lines: Sequence[str]) -> None:
    """Warn about instructions the run cannot follow: the offline model refuses such lines."""
    quoted = join_list([put_in_quotes(clean_for_screen(truncate(line, 80), 200)) for line in lines])
    if run_defaults.can_call_tools(st.session_state["model"]):
        st.info(
            _("{lines}: not searched, only passed to the writer. {note}").format(
                lines=quoted, note=_(NO_FILTER)
            )
        )
    else:
        st.warning(f"{quoted}: {_(NO_FILTER)} {_(EXCLUSION_NEXT_STEP)}")
