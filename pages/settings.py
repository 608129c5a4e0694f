"""Show this machine's engines, models, data, workers and versions. Never shows keys."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import streamlit as st

from parts.settings import (
    engines_and_models,
    machine_check,
    model_connection,
    model_server,
    ratings,
    state_badges,
)
from parts.shared import current_user, failures, search_places
from parts.shared.html_text import escape_line, escape_with_code
from parts.shared.wording import format_ago
from research_core.i18n import LANGUAGES, N_, _, current_language, format_number
from research_core.sessions import diagnostics, engine_health, retention
from research_core.sessions.diagnostics import DiagnosticItem, VariableState
from research_core.text.words import contains_words
from research_core.web.failure_texts import translate_failure
from research_core.wiring import default_resources

TABS = (
    N_("Search and models"),
    N_("Data and workers"),
    N_("Expert ratings"),
    N_("All settings"),
)
#: Variables that contain a folder or a host.
PLACE_VARIABLES = {
    "ASSAY_HOME",
    "ASSAY_DATABASE_URL",
    "SEARXNG_URL",
    "ASSAY_GEMINI_URL",
    "ASSAY_OPENAI_BASE_URL",
    "CHROME_PATH",
}
#: Optional parts, by their name in `diagnostics` without spaces: (label, purpose).
OPTIONAL_PARTS = {
    "archive": (N_("archive.org"), N_("Finds copies of missing pages.")),
    "exa": (N_("Exa"), N_("Paid. Reads pages that nothing else can.")),
    "embedding_model": (N_("Embedding model"), N_("Matches texts by meaning.")),
    "browser": (N_("Browser"), N_("Reads pages built by scripts.")),
}


def draw() -> None:
    st.title(_("Settings"), anchor=False)
    failures.draw_kept_failure()
    with st.container(key="settings"):
        search, data, rated, everything = st.tabs(
            [_(label) for label in TABS], key="tab", bind="query-params"
        )
        with search:
            _draw_search_and_models()
        with data:
            _draw_data_and_workers()
        with rated:
            ratings.draw()
        with everything:
            _draw_variables()


def _draw_search_and_models() -> None:
    resources = default_resources()
    left, right = st.columns(2, gap="large")
    with left:
        st.header(_("Search engines"), anchor=False)
        engines_and_models.draw_rows(
            diagnostics.list_engines(resources.settings),
            search_places.read_engine_health(current_user.current_principal()),
            partial(diagnostics.try_engine, resources),
            engines_and_models.describe_searches,
            offline=search_places.list_unreachable_engines(),
        )
        st.header(_("Models"), anchor=False)
        engines_and_models.draw_rows(
            diagnostics.list_models(resources.settings),
            engine_health.read_model_health(resources, who=current_user.current_principal()),
            partial(diagnostics.try_model, resources),
            engines_and_models.describe_sessions,
        )
        can_change = not model_connection.find_obstacle()
        model_server.draw(model_connection.choose_server_model if can_change else None)
        model_connection.draw()
    with right:
        st.header(_("Optional parts"), anchor=False)
        is_offline = not search_places.is_web_reachable()
        for row in diagnostics.list_fallback_readers(resources):
            _draw_part(row, is_offline=is_offline)
        for row in diagnostics.list_extras(resources):
            _draw_part(row)
        _draw_interface()
        machine_check.draw()


def _draw_part(row: DiagnosticItem, *, is_offline: bool = False) -> None:
    name = row.name.replace(" ", "_")
    label, purpose = OPTIONAL_PARTS[name]
    setup = ""
    if not row.on:
        setup = f'<p class="about">{escape_with_code(_format_setup(row.how))}</p>'
    badge = state_badges.find_badge(row, is_offline=is_offline)
    with st.container(key=f"item_{name}", gap=None):
        st.html(
            f"<p><b>{escape_line(_(label))}</b> {badge.html}</p>"
            f'<p class="about">{escape_line(_(purpose))}</p>{setup}'
        )


def _format_setup(how: str) -> str:
    """Return what enables a part: a setting in a sentence, or the reason as it is."""
    if "=" in how and " " not in how:
        return _("Set `{setting}` to use it.").format(setting=how.removesuffix("=…"))
    return translate_failure(how)


def _draw_interface() -> None:
    st.header(_("Interface"), anchor=False)
    rows = [(_("Theme"), _("System, light or dark. Change it in the menu ⋮."))]
    if not model_connection.draw_language():
        language = _(
            "{language}. The administrator sets it: `ASSAY_LANGUAGE` in the file `.env`."
        ).format(language=LANGUAGES[current_language()])
        rows.insert(0, (_("Interface language"), language))
    _draw_facts(_("Interface"), rows)


def _draw_facts(label: str, rows: Iterable[tuple[str, str]]) -> None:
    body = "".join(
        f"<tr><th scope=row>{escape_line(name)}</th><td>{escape_with_code(value)}</td></tr>"
        for name, value in rows
    )
    st.html(f'<table class="plain facts-table" aria-label="{escape_line(label)}">{body}</table>')


# -- data and workers ------------------------------------------------------------------------------


def _draw_data_and_workers() -> None:
    left, right = st.columns(2, gap="large")
    with left:
        _draw_data()
        _draw_workers()
    with right:
        st.header(_("Versions"), anchor=False)
        _draw_facts(_("Versions"), diagnostics.list_versions())


def _draw_data() -> None:
    """Draw where the data is, for the machine's own user only; with sign-in it is not shown."""
    if current_user.requires_sign_in():
        return
    stored = diagnostics.describe_stored_data(default_resources())
    if stored.sealed:
        encryption = _("AES-256-GCM")
    else:
        encryption = _("Off. `CACHE_ENCRYPTION_KEY=…` encrypts new data.")
    cached = retention.describe_page_cache(default_resources())
    rows = [(_("Folder"), str(stored.home)), (_("Database"), stored.database)]
    if stored.size is not None:  # a database server does not say
        size = _("{megabytes} MB").format(megabytes=format_number(stored.size / 1_000_000, ",.1f"))
        rows.append((_("Size"), size))
    rows += [
        (_("Encryption"), encryption),
        (_("Saved reports"), str(stored.home / "reports")),
        (_("Page cache"), cached or _("Empty")),
    ]
    st.header(_("Data"), anchor=False)
    _draw_facts(_("Data"), rows)
    st.button(_("Empty page cache"), key="empty_cache", disabled=not cached, on_click=_empty_cache)


def _empty_cache() -> None:
    with failures.keep_failures():
        retention.empty_page_cache(default_resources())


def _draw_workers() -> None:
    resources = default_resources()
    found = diagnostics.summarize_workers(resources, who=current_user.current_principal())
    rows = []
    for number, (name, age) in enumerate(found.alive, 1):
        rows.append((_("Worker {number}").format(number=number), _describe_worker(name, age)))
    counts = _("{running} running, {queued} waiting, {interrupted} interrupted").format(
        running=found.running, queued=found.queued, interrupted=found.interrupted
    )
    rows.append((_("Your sessions"), counts))
    st.header(_("Workers"), anchor=False)
    _draw_facts(_("Workers"), rows)
    if not found.alive:
        st.warning(
            _("No worker is running. Start Assay again, or `run.py worker`: sessions then resume."),
            icon=":material/warning:",
        )


def _describe_worker(worker: str, age: float) -> str:
    """Return when a worker was last active, and its host unless users sign in from elsewhere."""
    active = _("active {age} ago").format(age=format_ago(age))
    if current_user.requires_sign_in():
        return active
    return f"{worker.rpartition(':')[0]}, {active}"


# -- all settings ----------------------------------------------------------------------------------


def _draw_variables() -> None:
    st.markdown(
        _("Set `KEY=VALUE` lines in `.env` beside `run.py`, then restart Assay. Environment"
          " variables take precedence."),
        width=760,
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        words = st.text_input(
            _("Find a setting"),
            key="variable_words",
            type="search",
            placeholder=_("Name or purpose"),
            label_visibility="collapsed",
            width=320,
        )
        only_changed = st.toggle(_("Changed only"), key="changed_variables")
    rows = []
    for row in diagnostics.list_variables(default_resources().settings):
        if (row.own or not only_changed) and contains_words(f"{row.name}\n{_(row.meaning)}", words):
            rows.append(row)
    if not rows:
        st.caption(_("No setting matches."))
        return
    heads = "".join(
        f"<th scope=col>{escape_line(head)}</th>"
        for head in (_("Setting"), _("Value"), _("Purpose"))
    )
    label = escape_line(_("All settings with their values. Keys and passwords are never shown."))
    st.html(
        f'<table class="plain variables" aria-label="{label}"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(map(_format_variable, rows))}</tbody></table>"
    )


def _format_variable(row: VariableState) -> str:
    """Return a row of the table of settings as HTML, with a badge on a changed value."""
    value = escape_line(_format_value(row))
    if row.own:
        value = f'<b>{value}</b> <span class="badge gray">{escape_line(_("changed"))}</span>'
    return (
        f"<tr><th scope=row>{escape_line(row.name)}</th><td>{value}</td>"
        f"<td>{escape_with_code(_(row.meaning))}</td></tr>"
    )


def _format_value(row: VariableState) -> str:
    if current_user.requires_sign_in() and row.name in PLACE_VARIABLES:
        return _("not shown")
    return row.shown or _("not set")


draw()
