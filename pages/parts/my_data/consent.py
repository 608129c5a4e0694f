"""What a user can agree to have kept: a card for each, with what it means, since when, and the one
click that changes it.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.my_data import erase
from parts.shared import current_user, failures
from parts.shared.badges import Badge
from parts.shared.html_text import coded, markup
from parts.shared.wording import when
from research_core.sessions import user_summary
from research_core.sessions.user_summary import Purpose
from research_core.wiring import default_office

#: What each is called, and what agreeing to it means.
MEANS = {
    "memory": (
        "Notes",
        (
            "A model or a program that uses the tools may save notes for you (`memory_save`) and"
            " read them later."
        ),
    ),
    "workspace": (
        "Sharing",
        "What is put into a workspace for you (`workspace_contribute`) is read by all its members.",
    ),
    "analytics": (
        "Counts of calls",
        "How often you call which tool is counted. Nothing of what you ask is kept with it.",
    ),
}
GIVEN, NOT_GIVEN, OFF = (
    Badge("✓", "you agree", "green"),
    Badge("○", "you do not agree", "gray"),
    Badge("–", "switched off", "gray"),
)


def draw(purposes: Sequence[Purpose]) -> None:
    for column, purpose in zip(st.columns(len(purposes), gap="small"), purposes, strict=True):
        with column, st.container(border=True, height="stretch", key=f"purpose_{purpose.name}"):
            _card(purpose)


def _card(purpose: Purpose) -> None:
    title, means = MEANS[purpose.name]
    agreed = purpose.since is not None
    badge = GIVEN if agreed else NOT_GIVEN if purpose.on else OFF
    st.html(f'<p class="agreed"><strong>{markup(title)}</strong> {badge.html}</p>')
    st.html(f'<p class="means">{coded(means)}</p><p class="facts">{_since(purpose)}</p>')
    if agreed:
        st.button(
            "Withdraw", key=f"withdraw_{purpose.name}", on_click=_say, args=(purpose.name, False),
            help="Nothing more is kept. What there is stays until you erase it.",
        )  # fmt: skip
    else:
        st.button(
            "Agree",
            key=f"agree_{purpose.name}",
            on_click=_say,
            args=(purpose.name, True),
            disabled=not purpose.on,
        )


def _since(purpose: Purpose) -> str:
    """When they said what counts, and what is switched off. HTML."""
    if purpose.since is not None:
        said = f"since {markup(when(purpose.since))}"
    else:
        said = (
            f"withdrawn {markup(when(purpose.withdrawn))}"
            if purpose.withdrawn is not None
            else "never given"
        )
    how = (
        f" · {coded(f'nothing is kept while it is switched off: `{purpose.setting}=true` switches it on')}"
        if not purpose.on
        else ""
    )
    return f"<span>{said}{how}</span>"


def _say(purpose: str, give: bool) -> None:
    erase.forget()
    with failures.kept():
        user_summary.agree(default_office(), purpose, give, who=current_user.who())
