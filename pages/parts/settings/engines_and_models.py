"""Draw search engines and models on Settings: health, how to enable them, and a trial."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from parts.shared import failures, health, jobs
from parts.shared.html_text import escape_line
from research_core.sessions.diagnostics import DiagnosticItem, TrialResult
from research_core.sessions.engine_health import NEVER_ASKED, Health
from research_core.text.words import clean_for_screen, format_count
from research_core.wiring import default_resources


def draw_rows(
    items: Sequence[DiagnosticItem],
    known: Mapping[str, Health],
    attempt: Callable[[str], TrialResult],
) -> None:
    """Draw a row for each enabled item with its last trial, the others folded with instructions."""
    enabled = [item for item in items if item.on]
    disabled = [item for item in items if not item.on]
    for item in enabled:
        with st.container(key=f"item_{item.name.replace(':', '_')}", gap=None):
            _draw_row(item.name, known.get(item.name, NEVER_ASKED), attempt)
    jobs.follow_jobs(*(_trial_key(item.name) for item in enabled))
    if not disabled:
        return
    names = [health.format_engine_label(item.name) for item in disabled]
    with st.expander(
        f"Not in use · {', '.join(names)}", key=f"off_{disabled[0].name}", type="compact"
    ):
        st.caption(
            "To use one, put its line into the file .env beside run.py, and start Assay again."
        )
        for name, item in zip(names, disabled, strict=True):
            st.markdown(clean_for_screen(name, 60))
            st.code(item.how, language=None, wrap_lines=True)


def _draw_row(name: str, healthy: Health, attempt: Callable[[str], TrialResult]) -> None:
    key = _trial_key(name)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        text = health.format_health(healthy, now=default_resources().clock.now())
        st.html(
            f"<p><b>{escape_line(health.format_engine_label(name))}</b></p><p"
            f' class="about">{escape_line(text)}</p>{_describe_failure(healthy)}',
            width="stretch",
        )
        st.button(
            "Try it",
            key=f"try_{name}",
            disabled=jobs.is_under_way(key),
            on_click=_run_trial,
            args=(key, name, attempt),
        )
    with failures.show_failures():
        tried = jobs.take_result(key)
        if tried:
            st.html(
                f'<p class="tried" role="status">{health.HEALTH_BADGES[tried.state].html}'
                f" {escape_line(format_trial(tried), 400)}</p>"
            )


def _describe_failure(healthy: Health) -> str:
    if healthy.reason:
        return f'<p class="about">{escape_line(health.format_reason(healthy))}</p>'
    return ""


def _trial_key(name: str) -> str:
    return f"trial {name}"


def _run_trial(key: str, name: str, attempt: Callable[[str], TrialResult]) -> None:
    jobs.start_job(
        key, f"Asking {health.format_engine_label(name)}", lambda _report_progress: attempt(name)
    )


def format_trial(tried: TrialResult) -> str:
    """Return what a trial returned, how long it took, and for a model what it cost."""
    facts = [f"{tried.seconds:.1f} s"]
    if tried.results:
        facts.append(format_count(tried.results, "result"))
    facts.append(tried.words)
    if tried.tokens:
        about = "about " if tried.estimated else ""
        facts.append(f"{about}{format_count(tried.tokens, 'token')}")
        if tried.cost is None:
            facts.append("cost unknown")
        elif tried.cost:
            facts.append(f"US$ {tried.cost:.6f}")
        else:
            facts.append("no cost")
    facts.extend(tried.notes)
    return " · ".join(filter(None, facts))
