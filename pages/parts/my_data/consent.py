"""Draw a card for each purpose a user can consent to: meaning, date, and a button to change it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st

from parts.my_data import erase
from parts.shared import current_user, failures
from parts.shared.badges import Badge
from parts.shared.html_text import escape_line
from parts.shared.wording import format_moment
from research_core.i18n import N_, _
from research_core.sessions import user_summary
from research_core.sessions.user_summary import ConsentPurpose
from research_core.wiring import default_resources

#: Purpose: (name, what is stored with consent).
PURPOSES = {
    "memory": (N_("Notes"), N_("AI programs connected to Assay may save notes for you.")),
    "workspace": (N_("Sharing"), N_("Workspace members see findings shared for you.")),
    "analytics": (N_("Tool usage"), N_("Counts your calls of each tool, never their content.")),
}
AGREED = Badge("✓", N_("Agreed"), "green")
NOT_AGREED = Badge("○", N_("Not agreed"), "gray")
OFF = Badge("–", N_("Off"), "gray")


def draw(purposes: Sequence[ConsentPurpose]) -> None:
    for column, purpose in zip(st.columns(len(purposes), gap="small"), purposes, strict=True):
        with column, st.container(border=True, height="stretch", key=f"purpose_{purpose.name}"):
            _draw_card(purpose)


def _draw_card(purpose: ConsentPurpose) -> None:
    title, means = PURPOSES[purpose.name]
    agreed = purpose.since is not None
    if agreed:
        badge = AGREED
    elif purpose.on:
        badge = NOT_AGREED
    else:
        badge = OFF
    badge = badge._replace(word=_(badge.word))
    st.html(f'<p class="agreed"><strong>{escape_line(_(title))}</strong> {badge.html}</p>')
    lines = "".join(f'<p class="facts">{escape_line(line)}</p>' for line in _list_facts(purpose))
    if not purpose.on:
        off = _("Turned off. The administrator can turn it on.")
        setting = escape_line(f"{purpose.setting}=true")
        lines += f'<p class="facts" title="{setting}">{escape_line(off)}</p>'
    st.html(f'<p class="means">{escape_line(_(means))}</p>{lines}')
    if agreed:
        st.button(
            _("Withdraw"),
            key=f"withdraw_{purpose.name}",
            on_click=_record_consent,
            args=(purpose.name, False),
            help=_("Stored data stays until you erase it."),
        )
    elif purpose.on:
        st.button(
            _("Agree"),
            key=f"agree_{purpose.name}",
            on_click=_record_consent,
            args=(purpose.name, True),
        )


def _list_facts(purpose: ConsentPurpose) -> Iterator[str]:
    """Yield when consent was given or withdrawn."""
    if purpose.since is not None:
        yield _("Since {moment}").format(moment=format_moment(purpose.since))
    elif purpose.withdrawn is not None:
        yield _("Withdrawn {moment}").format(moment=format_moment(purpose.withdrawn))


def _record_consent(purpose: str, give: bool) -> None:
    erase.forget_erasure()
    with failures.keep_failures():
        user_summary.set_consent(
            default_resources(), purpose, give, who=current_user.current_principal()
        )
