"""What is known of a source's host and what its page shows, part by part; which parts count; and the analyst's own word on a host.

A word is tried in what-if first, and remembered for later runs when the analyst says so.
"""

from __future__ import annotations

import streamlit as st

from parts import failures, me, sliders
from parts.safe import markup
from research_core.assessment import CORROBORATION, PAGE, Assessment, Part, host_of
from research_core.models import ReportSource
from research_core.policy import PARTS, Override
from research_core.reading import Reading
from research_core.wiring import default_office, remember_word

#: What each part is called, and what it is.
NAMES = {
    "override": "Your word",
    "ratings": "Expert ratings",
    "institution": "Institutions",
    "outlet": "Outlets",
    "name": "Names",
    "tier": "Kind of address",
    "unknown": "Not known",
    PAGE: "The page",
    CORROBORATION: "Others",
}
ABOUT = (
    "What Assay knows of hosts refines the kinds of site that anybody can be in. Each part can be switched off: your own word, lists of "
    "expert ratings that were imported, institutions by their addresses, the table of outlets, and names that look like predatory journals."
)
REASON_LENGTH = 300


def switches(own: list[str]) -> None:
    """Which parts count, beside the sliders. own: those of the session."""
    st.pills(
        "Counts, of what is known of a host", PARTS, selection_mode="multi", default=own, key="if_parts", help=ABOUT,
        format_func=NAMES.__getitem__, bind="query-params", on_change=sliders.redraw,
    )  # fmt: skip


def table(found: Assessment | None, known: tuple[Part, ...]) -> str:
    """The parts as rows, those that count first in their order, the sum in the caption where the page was read. HTML."""
    parts = found.parts if found else known
    rows = "".join(map(_row, parts))
    caption = f"Assessment once read {found.value:.2f}: {markup(found.level)}" if found else "What is known of the host"
    return f'<table class="plain known"><caption>{caption}</caption>{rows}</table>'


def _row(part: Part) -> str:
    adds = part.name in (PAGE, CORROBORATION)
    figure = f"{part.value:+.2f}" if adds else f"{part.value:.2f}"
    quiet = "" if part.counts else ' class="quiet"'
    sign = "" if part.counts else ' <span class="about">does not count</span>'
    said = f"<td>{markup(part.label, 120)}{sign}<br><span class=about>{markup(part.why, 300)}</span></td>"
    return f"<tr{quiet}><th scope=row>{NAMES[part.name]}</th>{said}<td>{figure}</td></tr>"


def word(shown: Reading, source: ReportSource) -> None:
    """A form for the analyst's own word on the host of a source: tried in what-if at once, remembered on demand."""
    host = host_of(source)
    if not host or shown.at_work:
        return
    said = sliders.words().get(host) or next((w for w in shown.run.settings.credibility.overrides if w.host == host), None)
    with st.popover("Say what you think of this host", icon=":material/rate_review:"), failures.shown():
        st.caption(f"Your word on {host} and what is under it counts before everything else that is known of it.")
        value = st.slider("Authority", 0.0, 1.0, said.value if said else 0.5, 0.05, key="word_value")
        reason = st.text_input(
            "Why", said.reason if said else "", key="word_reason", max_chars=REASON_LENGTH, placeholder="a reason to read later"
        )
        with st.container(horizontal=True):
            st.button("Try it here", key="word_try", on_click=sliders.say, args=(Override(host, value, reason.strip()),))
            st.button(
                "Remember it", key="word_keep", on_click=_remember, args=(host, value, reason), disabled=not reason.strip(),
                help="For every run of yours that begins from now on; needs a reason. My data lists and erases it.",
            )  # fmt: skip


def _remember(host: str, value: float, reason: str) -> None:
    with failures.kept():
        made = Override(host, value, reason.strip())
        remember_word(default_office(), made, who=me.who())
        sliders.say(made)
