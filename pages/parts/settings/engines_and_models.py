"""Draw search engines and models on Settings: state, how to enable them, and a test."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from parts.settings import state_badges
from parts.shared import failures, health, jobs
from parts.shared.badges import Badge
from parts.shared.html_text import escape_line
from parts.shared.wording import OFFLINE_NOTE, format_ago, label_model
from research_core.i18n import _, format_number, ngettext
from research_core.policy import OFFLINE_MODEL
from research_core.sessions.diagnostics import DiagnosticItem, TrialResult
from research_core.sessions.engine_health import NEVER_ASKED, Health
from research_core.wiring import default_resources


def draw_rows(
    items: Sequence[DiagnosticItem],
    known: Mapping[str, Health],
    attempt: Callable[[str], TrialResult],
    describe: Callable[[int], str],
    offline: Collection[str] = (),
) -> None:
    """Draw a row for each enabled item with its last use, the others folded with instructions.

    describe: `describe_searches` or `describe_sessions`; offline: names of items that this machine
    does not reach now.
    """
    enabled = [item for item in items if item.on]
    disabled = [item for item in items if not item.on]
    for item in enabled:
        with st.container(key=f"item_{item.name.replace(':', '_')}", gap=None):
            healthy = known.get(item.name, NEVER_ASKED)
            tried = jobs.read_result(_trial_key(item.name))
            latest = replace(healthy, state=tried.state) if tried else healthy
            badge = state_badges.find_badge(item, latest, is_offline=item.name in offline)
            if item.name == OFFLINE_MODEL:
                _draw_offline_model(badge)
            else:
                _draw_row(item, _describe_use(healthy, describe), badge, attempt)
    jobs.follow_jobs(*(_trial_key(item.name) for item in enabled))
    if disabled:
        _draw_disabled(disabled)


def _draw_disabled(items: Sequence[DiagnosticItem]) -> None:
    label = _("Not in use: {count}").format(count=len(items))
    with st.expander(label, key=f"off_{items[0].name}", type="compact"):
        st.caption(_("Add the line to `.env` beside `run.py`, then restart Assay."))
        for item in items:
            name = escape_line(health.format_engine_label(item.name))
            st.html(f"<p><b>{name}</b> {state_badges.find_badge(item).html}</p>")
            st.code(item.how, language=None, wrap_lines=True)


def _draw_offline_model(badge: Badge) -> None:
    """Draw that no language model is needed, which no call can test."""
    st.html(
        f"<p><b>{escape_line(label_model(OFFLINE_MODEL))}</b> {badge.html}</p>"
        f'<p class="about">{escape_line(_(OFFLINE_NOTE))}</p>'
    )


def _draw_row(
    item: DiagnosticItem, use: str, badge: Badge, attempt: Callable[[str], TrialResult]
) -> None:
    """Draw an item with its last use, as HTML, and a button that tests it."""
    key = _trial_key(item.name)
    label = health.format_engine_label(item.name)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(
            f"<p><b>{escape_line(label)}</b> {badge.html}</p>{use}",
            width="stretch",
        )
        st.button(
            _("Test"),
            key=f"try_{item.name}",
            disabled=jobs.is_under_way(key),
            on_click=start_trial,
            args=(item.name, attempt),
            help=_("Makes one small call to {name}.").format(name=label),
        )
    with failures.show_failures():
        tried = jobs.take_result(key)
        if tried:
            draw_trial(tried)


def draw_trial(tried: TrialResult) -> None:
    """Draw the result of a test."""
    badge = health.HEALTH_BADGES[tried.state].html
    st.html(f'<p class="tried" role="status">{badge} {escape_line(format_trial(tried), 600)}</p>')


def describe_searches(count: int) -> str:
    """Return the sentence on an engine's last searches, with fields {age}, {well} and {count}."""
    return ngettext(
        "Last search {age} ago. It answered {well} of the last {count} search.",
        "Last search {age} ago. It answered {well} of the last {count} searches.",
        count,
    )


def describe_sessions(count: int) -> str:
    """Return the sentence on a model's last sessions, with fields {age}, {well} and {count}."""
    return ngettext(
        "Last used {age} ago. It answered in {well} of the last {count} session.",
        "Last used {age} ago. It answered in {well} of the last {count} sessions.",
        count,
    )


def _describe_use(healthy: Health, describe: Callable[[int], str]) -> str:
    """Return when it was last used, how often it answered, and why not. HTML."""
    if not healthy.tries:
        return ""
    line = describe(healthy.tries).format(
        age=format_ago(default_resources().clock.now() - healthy.at),
        well=healthy.answer_count,
        count=healthy.tries,
    )
    reason = ""
    if healthy.reason:
        reason = f'<p class="about">{escape_line(health.format_reason(healthy))}</p>'
    return f'<p class="about">{escape_line(line)}</p>{reason}'


def _trial_key(name: str) -> str:
    return f"trial {name}"


def start_trial(name: str, attempt: Callable[[str], TrialResult]) -> None:
    """Start the test of an engine or a model; its row shows the result."""
    about = _("Testing {name}").format(name=health.format_engine_label(name))
    jobs.start_job(_trial_key(name), about, lambda _report_progress: attempt(name))


def format_trial(tried: TrialResult) -> str:
    """Return what a test returned, how long it took, and for a model what it cost."""
    facts = [_("{number:.1f} s").format(number=tried.seconds)]
    if tried.results:
        facts.append(
            ngettext("{count} result", "{count} results", tried.results).format(count=tried.results)
        )
    facts.append(tried.words)
    if tried.tokens:
        facts.append(_format_tokens(tried))
        facts.append(_format_cost(tried.cost))
    facts.extend(tried.notes)
    return " · ".join(filter(None, facts))


def _format_tokens(tried: TrialResult) -> str:
    if tried.estimated:
        text = ngettext("about {count} token", "about {count} tokens", tried.tokens)
    else:
        text = ngettext("{count} token", "{count} tokens", tried.tokens)
    return text.format(count=format_number(tried.tokens))


def _format_cost(cost: float | None) -> str:
    if cost is None:
        return _("cost unknown")
    return f"US$ {format_number(cost, '.6f')}" if cost else _("no cost")
