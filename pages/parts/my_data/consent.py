"""Draw a card for each purpose a user can consent to: meaning, date, and a button to change it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.my_data import erase
from parts.shared import current_user, failures
from parts.shared.badges import Badge
from parts.shared.html_text import escape_line, escape_with_code
from parts.shared.wording import format_moment
from research_core.sessions import user_summary
from research_core.sessions.user_summary import ConsentPurpose
from research_core.wiring import default_resources

#: Purpose: (name, meaning of agreeing to it).
PURPOSES = {
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
CONSENT_GIVEN = Badge("✓", "you agree", "green")
CONSENT_NOT_GIVEN = Badge("○", "you do not agree", "gray")
SWITCHED_OFF = Badge("–", "switched off", "gray")


def draw(purposes: Sequence[ConsentPurpose]) -> None:
    for column, purpose in zip(st.columns(len(purposes), gap="small"), purposes, strict=True):
        with column, st.container(border=True, height="stretch", key=f"purpose_{purpose.name}"):
            _draw_card(purpose)


def _draw_card(purpose: ConsentPurpose) -> None:
    title, means = PURPOSES[purpose.name]
    agreed = purpose.since is not None
    if agreed:
        badge = CONSENT_GIVEN
    elif purpose.on:
        badge = CONSENT_NOT_GIVEN
    else:
        badge = SWITCHED_OFF
    st.html(f'<p class="agreed"><strong>{escape_line(title)}</strong> {badge.html}</p>')
    st.html(
        f'<p class="means">{escape_with_code(means)}</p><p class="facts">{_format_since(purpose)}'
        "</p>"
    )
    if agreed:
        st.button(
            "Withdraw",
            key=f"withdraw_{purpose.name}",
            on_click=_record_consent,
            args=(purpose.name, False),
            help="Nothing more is kept. What there is stays until you erase it.",
        )
    else:
        st.button(
            "Agree",
            key=f"agree_{purpose.name}",
            on_click=_record_consent,
            args=(purpose.name, True),
            disabled=not purpose.on,
        )


def _format_since(purpose: ConsentPurpose) -> str:
    """Return since when the consent holds, and what is switched off. HTML."""
    if purpose.since is not None:
        since = f"since {escape_line(format_moment(purpose.since))}"
    elif purpose.withdrawn is not None:
        since = f"withdrawn {escape_line(format_moment(purpose.withdrawn))}"
    else:
        since = "never given"
    if not purpose.on:
        note = f"nothing is kept while it is switched off: `{purpose.setting}=true` switches it on"
        since += f" · {escape_with_code(note)}"
    return f"<span>{since}</span>"


def _record_consent(purpose: str, give: bool) -> None:
    erase.forget_erasure()
    with failures.keep_failures():
        user_summary.set_consent(
            default_resources(), purpose, give, who=current_user.current_principal()
        )
