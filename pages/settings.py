"""Show this machine's engines, models, data, workers and versions. Never shows keys."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from parts.settings import engines_and_models, machine_check, model_server, ratings
from parts.shared import current_user, failures, search_places
from parts.shared.html_text import escape_line, escape_with_code
from parts.shared.wording import format_ago
from research_core.sessions import diagnostics, engine_health, page_cache
from research_core.wiring import default_resources

DOTENV_NOTE = (
    "\nSettings are lines `KEY=VALUE` of the file `.env` beside `run.py`, or environment "
    "variables, which win. They are read when Assay starts:\n"
    "change a line, then stop Assay (Ctrl-C) and start it again. This screen never writes "
    "them, and of keys and passwords it shows\n"
    "only whether they are set.\n"
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
#: Readers of pages that a plain request cannot read.
READERS = {"archive": "archive.org, for pages that are gone", "exa": "Exa, paid, at last"}
#: Optional parts and their purpose.
EXTRAS = {
    "embedding model": "For passages, sources and libraries by meaning.",
    "browser": "For pages that only their scripts fill.",
}
THEME_NOTE = (
    "Light or dark follows your system. The menu ⋮ at the top right changes it for this browser."
)


def draw() -> None:
    st.title("Settings", anchor=False)
    failures.draw_kept_failure()
    resources = default_resources()
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader("Search engines", anchor=False)
        engines_and_models.draw_rows(
            diagnostics.list_engines(resources.settings),
            search_places.read_engine_health(current_user.current_principal()),
            partial(diagnostics.try_engine, resources),
        )
        st.subheader("Models", anchor=False)
        engines_and_models.draw_rows(
            diagnostics.list_models(resources.settings),
            engine_health.read_model_health(resources, who=current_user.current_principal()),
            partial(diagnostics.try_model, resources),
        )
        model_server.draw()
        machine_check.draw()
        ratings.draw()
    with right:
        _draw_readers()
        _draw_extras()
        _draw_data()
        _draw_workers()
        _draw_facts("Versions", diagnostics.list_versions())
        st.subheader("Look", anchor=False)
        st.caption(THEME_NOTE)
    st.subheader("All settings", anchor=False)
    st.markdown(DOTENV_NOTE, width=760)
    _draw_variables()


def _draw_readers() -> None:
    rows = []
    for row in diagnostics.list_fallback_readers(default_resources()):
        rows.append((READERS[row.name], "ready" if row.on else f"not used: {row.how}"))
    _draw_facts("Reading pages", tuple(rows))


def _draw_extras() -> None:
    rows = []
    for row in diagnostics.list_extras(default_resources()):
        rows.append((row.name, f"{EXTRAS[row.name]} {row.how or 'Ready.'}"))
    _draw_facts("Optional parts", tuple(rows))


def _draw_facts(heading: str, rows: tuple[tuple[str, str], ...]) -> None:
    st.subheader(heading, anchor=False)
    body = "".join(
        f"<tr><th scope=row>{escape_line(name)}</th><td>{escape_with_code(value)}</td></tr>"
        for name, value in rows
    )
    st.html(f'<table class="plain facts-table" aria-label="{escape_line(heading)}">{body}</table>')


def _draw_data() -> None:
    """Draw where the data is, for the machine's own user only; with sign-in it is not shown."""
    if current_user.requires_sign_in():
        return
    stored = diagnostics.describe_stored_data(default_resources())
    if stored.sealed:
        rest = "sealed with AES-256-GCM"
    else:
        rest = "in clear; CACHE_ENCRYPTION_KEY=… seals what is stored from then on"
    cached = page_cache.describe_page_cache(default_resources())
    rows = [("folder", str(stored.home)), ("database", stored.database)]
    if stored.size is not None:  # a database server does not say
        rows.append(("size", f"{stored.size / 1_000_000:,.1f} MB"))
    rows += [
        ("at rest", rest),
        ("saved reports", str(stored.home / "reports")),
        ("page cache", cached or "empty"),
    ]
    _draw_facts("Data", tuple(rows))
    st.button("Empty the page cache", key="empty_cache", disabled=not cached, on_click=_empty_cache)


def _empty_cache() -> None:
    with failures.keep_failures():
        page_cache.empty_page_cache(default_resources())


def _draw_workers() -> None:
    resources = default_resources()
    found = diagnostics.summarize_workers(resources, who=current_user.current_principal())
    rows = []
    for number, (name, age) in enumerate(found.alive, 1):
        rows.append((f"process {number}", f"{_worker_host(name)}heard of {format_ago(age)} ago"))
    if not rows:
        rows.append(("none", "no process takes sessions now"))
    counts = f"{found.running} running, {found.queued} waiting, {found.interrupted} interrupted"
    rows.append(("your sessions", counts))
    _draw_facts("Workers", tuple(rows))
    if resources.settings.worker_only:
        st.caption("Processes of `run.py worker` do the research.")
    elif not found.alive:
        st.caption("Start Assay again, or a `run.py worker`: what waits goes on by itself.")


def _worker_host(worker: str) -> str:
    """Return the host of a worker, which users who sign in from elsewhere are not told."""
    if current_user.requires_sign_in():
        return ""
    return f"{worker.rpartition(':')[0]}, "


def _draw_variables() -> None:
    rows = []
    for row in diagnostics.list_variables(default_resources().settings):
        if current_user.requires_sign_in() and row.name in PLACE_VARIABLES:
            value = "not shown"
        else:
            value = row.shown or "not set"
        rows.append((row.name, value, "yes" if row.own else "", row.meaning))
    st.dataframe(
        pd.DataFrame(rows, columns=["Variable", "Value", "Changed", "What it is"]),
        hide_index=True,
        key="variables",
        height="content",
        alt="Every setting with its value, secrets only as set or not set",
    )


draw()
