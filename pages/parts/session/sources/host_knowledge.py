"""Show what is known of a source's host and page, which parts count, and the analyst's override.

An override is tried in what-if first, and stored for later runs on request.
"""

from __future__ import annotations

import streamlit as st

from parts.session.sources import sliders
from parts.session.sources.assessment import AssessedSource
from parts.shared import current_user, failures
from parts.shared.html_text import escape_line
from research_core.i18n import N_, _, format_number
from research_core.models import ReportSource
from research_core.pipeline.assessment import (
    CORROBORATION_PART,
    PAGE_PART,
    AssessmentPart,
    describe_part,
    get_source_host,
    list_known_parts,
)
from research_core.policy import Override
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.whatif import WhatIf
from research_core.wiring import default_resources, remember_override

HOST_NOTE = N_("Choose which evidence about a site counts. This changes its credibility.")
READ_PAGE_NOTE = N_(
    "Signs of quality on the page itself, once it is read. They change no decision."
)

READING_NOTE = N_(
    "To judge the page, go by its quality after reading: it rates the site, the page itself, and"
    " whether other sources agree. Credibility only decides which search results are read."
)


def draw_site_switch(own: list[str]) -> None:
    """Draw a switch for each kind of evidence about a site. own: the session's own parts."""
    sliders.draw_switch(_("Evidence about the site"), "if_parts", own, _(HOST_NOTE))


def draw_page_switch() -> None:
    """Draw a switch for each part of what a read page shows."""
    sliders.draw_switch(
        _("Quality after reading"),
        "if_read",
        sliders.READ_PARTS,
        _(READ_PAGE_NOTE),
        "turn",
        "list",
    )


def format_table(found: AssessedSource | None, known: tuple[AssessmentPart, ...]) -> str:
    """Return the parts as rows, the counted ones first; the caption has a read page's sum. HTML."""
    parts = found.now.parts if found else known
    rows = "".join(map(_format_row, parts))
    caption = _("What is known about the site")
    note = ""
    if found:
        note = f'<p class="about">{escape_line(_(READING_NOTE))}</p>'
        now = f"{format_number(found.now.value, '.2f')}, {escape_line(_(found.now.level))}"
        caption = _("Quality after reading: {now}").format(now=now)
        if found.changed:
            was = f"{format_number(found.was.value, '.2f')}, {escape_line(_(found.was.level))}"
            caption = _("Quality after reading: {was} → {now}").format(was=was, now=now)
    return f'{note}<table class="plain known"><caption>{caption}</caption>{rows}</table>'


def _format_row(part: AssessmentPart) -> str:
    adds = part.name in (PAGE_PART, CORROBORATION_PART)
    figure = format_number(part.value, "+.2f" if adds else ".2f")
    row_class = "" if part.counts else ' class="quiet"'
    mark = "" if part.counts else f' <span class="about">({_("not counted")})</span>'
    name = escape_line(_(sliders.PART_LABELS[part.name]))
    label, why = describe_part(part)
    evidence = (
        f"<td>{escape_line(label, 120)}{mark}<br><span"
        f" class=about>{escape_line(why, 300)}</span></td>"
    )
    return f"<tr{row_class}><th scope=row>{name}</th>{evidence}<td>{figure}</td></tr>"


def draw_override_form(snapshot: Snapshot, source: ReportSource, whatif: WhatIf) -> None:
    """Draw a form to override a host's authority, in what-if or for later runs too.

    It opens with the host's current value.
    """
    host = get_source_host(source)
    if not host or snapshot.at_work:
        return
    current = sliders.tried_overrides().get(host)
    if not current:
        for override in snapshot.run.settings.credibility.overrides:
            if override.host == host:
                current = override
                break
    with (
        st.popover(_("Rate this site"), icon=":material/rate_review:"),
        failures.show_failures(),
    ):
        st.caption(
            _("Your rating of {host} replaces all other evidence. 0 excludes it.").format(host=host)
        )
        counts = next(
            part.value
            for part in list_known_parts(source, whatif.settings.credibility)
            if part.counts
        )
        value = st.slider(
            _("Authority"),
            0.0,
            1.0,
            round(current.value if current else counts, 2),
            0.01,
            key=f"word_value_{host}",
        )
        reason = st.text_input(
            _("Reason"),
            current.reason if current else "",
            key=f"word_reason_{host}",
            placeholder=_("Reason for your rating"),
        )
        with st.container(horizontal=True):
            st.button(
                _("Try"),
                key="word_try",
                on_click=sliders.try_override,
                args=(Override(host, value, reason.strip()),),
            )
            st.button(
                _("Save rating"),
                key="word_keep",
                on_click=_remember_override,
                args=(host, value, reason),
                disabled=not reason.strip(),
                help=_("Used in later sessions. Needs a reason. My data lists your ratings."),
            )


def _remember_override(host: str, value: float, reason: str) -> None:
    with failures.keep_failures():
        made = Override(host, value, reason.strip())
        remember_override(default_resources(), made, who=current_user.current_principal())
        sliders.try_override(made)
