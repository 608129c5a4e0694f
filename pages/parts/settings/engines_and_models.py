"""Rows of the Settings screen: a search engine or a model with its health, how to enable it, and a
button that tries it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from parts.shared import failures, health, jobs
from parts.shared.html_text import markup
from research_core.sessions.diagnostics import Item, Trial
from research_core.sessions.history import NEVER, Health
from research_core.text.words import plain
from research_core.wiring import default_office


def rows(
    items: Sequence[Item], known: Mapping[str, Health], attempt: Callable[[str], Trial]
) -> None:
    """One row for each that is in use, with what a trial came to below it until the next; the
    others folded, with what enables them.
    """
    for item in (item for item in items if item.on):
        with st.container(key=f"item_{item.name.replace(':', '_')}", gap=None):
            _row(item.name, known.get(item.name, NEVER), attempt)
    jobs.follow(*(_key(item.name) for item in items if item.on))
    off = [item for item in items if not item.on]
    if off:
        with st.expander(
            f"Not in use · {', '.join(health.name(item.name) for item in off)}",
            key=f"off_{off[0].name}",
            type="compact",
        ):
            st.caption(
                "To use one, put its line into the file .env beside run.py, and start Assay again."
            )
            for item in off:
                st.markdown(plain(health.name(item.name), 60))
                st.code(item.how, language=None, wrap_lines=True)


def _row(name: str, healthy: Health, attempt: Callable[[str], Trial]) -> None:
    key = _key(name)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        said = health.words(healthy, now=default_office().clock.now())
        st.html(
            f"<p><b>{markup(health.name(name))}</b></p><p"
            f' class="about">{markup(said)}</p>{_why(healthy)}',
            width="stretch",
        )
        st.button(
            "Try it",
            key=f"try_{name}",
            disabled=jobs.under_way(key),
            on_click=_try,
            args=(key, name, attempt),
        )
    with failures.shown():
        if tried := jobs.done(key):
            st.html(
                f'<p class="tried" role="status">{health.STATE[tried.state].html}'
                f" {markup(words(tried), 400)}</p>"
            )


def _why(healthy: Health) -> str:
    return f'<p class="about">{markup(health.why(healthy))}</p>' if healthy.reason else ""


def _key(name: str) -> str:
    return f"trial {name}"


def _try(key: str, name: str, attempt: Callable[[str], Trial]) -> None:
    jobs.start(key, f"Asking {health.name(name)}", lambda _heard: attempt(name))


def words(tried: Trial) -> str:
    """What came, how long it took, and for a model what it cost."""
    results = f"{tried.results} results" if tried.results else ""
    used = f"{tried.tokens} tokens" if tried.tokens else ""
    cost = (
        ""
        if not used
        else (
            "cost unknown"
            if tried.cost is None
            else f"US$ {tried.cost:.6f}"
            if tried.cost
            else "no cost"
        )
    )
    return " · ".join(
        part for part in (f"{tried.seconds:.1f} s", results, tried.words, used, cost) if part
    )
