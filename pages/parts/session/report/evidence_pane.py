"""The passage behind a citation, beside the text: a click, Enter, j or k on the text's citations
shows it in its page.

Clicks and keys are caught by a component (pages/reader.js); all that is shown of pages is drawn
here, so it needs no trust in their text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from parts.session.report import source_trust
from parts.session.report.passage import CITED, PLAIN, QUOTED, drawn
from parts.shared import current_user, failures, hidden_text, provenance
from parts.shared.badges import CHECK, OVERSTATED
from parts.shared.html_text import link, markup
from parts.shared.wording import when
from research_core.models import Passage, Report
from research_core.pipeline.methodology import overstated
from research_core.pipeline.page_support import elsewhere
from research_core.sessions import reading
from research_core.sessions.reading import Cited, Excerpt
from research_core.wiring import default_office

BAR = """
<nav class="reader" aria-label="Citations">
  <button type="button" data-step="-1" aria-keyshortcuts="k">Previous <kbd>k</kbd></button>
  <button type="button" data-step="1" aria-keyshortcuts="j">Next <kbd>j</kbd></button>
  <span role="status"></span>
  <button type="button" data-close aria-label="Close the passage">✕ <span>Close</span></button>
</nav>
"""
reader = st.components.v2.component(
    "assay_reader",
    html=BAR,
    js=(Path(__file__).parents[3] / "reader.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)
#: Characters of the page on either side of a passage; each press of the button shows the next.
AROUND = (400, 2_000, 10_000, 60_000)


@st.fragment(key="passage")
def pane(built: Report, citations: Sequence[Cited]) -> None:
    """The chosen citation, at first the one of the address or the first, and the way to the next.
    Only this is redrawn by a choice.
    """
    chosen = _chosen(built.session, len(citations))
    data = {
        "cite": chosen,
        "count": len(citations),
        "turn": st.session_state.get("turn", 0),
        "chosen": "cite" in st.query_params,
    }
    reader(key="reader", data=data, on_cite_change=_told)
    with failures.shown():
        _passage(built, citations[chosen - 1], AROUND[_widened(chosen)])


def _passage(built: Report, cited: Cited, around: int) -> None:
    who = current_user.who()
    page = _page(who.tenant, who.user, cited.source.page)
    st.html(_card(built, cited, page, around))
    _ways(
        built,
        cited,
        more=any(
            passage.start > around or passage.end + around < len(page) for passage in cited.passages
        ),
    )


def choose(number: int) -> None:
    """Open this citation when the pane is drawn next."""
    st.query_params["cite"] = str(number)


def _chosen(session: str, count: int) -> int:
    """What the address asks for; without that, where this session was left for another screen.

    An address that asks for a citation there is none of comes to name the one that is shown
    instead.
    """
    left = st.session_state.setdefault("cites_left", {})
    if "cite" not in st.query_params and session in left:
        choose(left[session])
    asked = st.query_params.get("cite", "1")
    number = min(max(int(asked), 1), count) if asked.isascii() and asked.isdigit() else 1
    if "cite" in st.query_params:
        if asked != str(number):
            choose(number)
        left[session] = number
    return number


def _told() -> None:
    match st.session_state["reader"]["cite"]:
        case [int() as number, int() as turn]:
            st.session_state["turn"] = turn
            choose(number)


def _widened(chosen: int) -> int:
    """How often more of the page was asked for at this citation."""
    number, times = st.session_state.get("widened", (0, 0))
    return min(times, len(AROUND) - 1) if number == chosen else 0


def _widen(number: int) -> None:
    st.session_state["widened"] = (number, _widened(number) + 1)


@st.cache_resource(max_entries=64, show_spinner=False)
def _page(tenant: str, user: str, page: str) -> str:
    """The stored text of a page of this user. It is stored under the hash of its text, so what is
    kept here cannot grow old.
    """
    return reading.page_text(default_office(), page, who=current_user.who())


def _ways(built: Report, cited: Cited, *, more: bool) -> None:
    """More of the page, and this source on the screens that decided over it."""
    query = {"session": built.session, "source": str(cited.source.number)}
    with st.container(horizontal=True, vertical_alignment="center", key="evidence_ways"):
        if more and _widened(cited.number) < len(AROUND) - 1:
            st.button(
                "More of the page",
                key="more",
                icon=":material/unfold_more:",
                on_click=_widen,
                args=(cited.number,),
            )
        st.page_link(
            "sources.py", label="On Sources", query_params=query, icon=":material/table_rows:"
        )
        st.page_link("gate.py", label="At the gate", query_params=query, icon=":material/rule:")


def _card(built: Report, cited: Cited, page: str, around: int) -> str:
    source, check = cited.source, CHECK.get(cited.sentence.state, CHECK["could not check"])
    warned = f" {OVERSTATED.html}" if overstated(cited.sentence) else ""
    note = f"{warned} {markup(cited.sentence.note)}" if cited.sentence.note else ""
    read = f"read {markup(when(source.fetched))}" if source.fetched else ""
    policy = built.settings["credibility"]
    shown = "".join(
        _place(cited, passage, page, around) for passage in cited.passages
    ) + _elsewhere(cited, page)
    return (
        f'<section class="evidence" data-cite="{cited.number}" data-around="{around}"'
        ' aria-live="polite" aria-label="Cited passage"><header><p'
        f' class="title"><b>[{source.number}]</b>'
        f" {link(markup(source.title), source.address)}</p>{source_trust.line(source, policy)}</header>{source_trust.detail(source, policy)}<p"
        f' class="about">{provenance.line(source, read)}{provenance.marks(source)}</p>{provenance.unread(source)}{hidden_text.detail(source)}<p'
        f' class="checked">{check.html}{note}</p>{shown}</section>'
    )


def _place(cited: Cited, passage: Passage, page: str, around: int) -> str:
    """One passage in its page, under a line that says where it stands."""
    at = reading.standing(cited.source, passage, page)
    far = f", {at.share * 100:.0f} % into the page" if page else "; the page is not stored"
    where = f"Passage {at.nth} of {at.count} of this source{far}"
    return f'<p class="about">{where}</p>{_excerpt(reading.excerpt(page, passage, cited.sentence.text, around=around))}'


def _elsewhere(cited: Cited, page: str) -> str:
    """Where else on the page the sentence is held, if the cited passage leaves it in doubt."""
    place = elsewhere(cited.sentence, cited.passages, page)
    if place is None:
        return ""
    far = f"{place.start / len(page) * 100:.0f} % into it"
    held = reading.excerpt(page, place, place.text, around=0)
    return f'<p class="about">Not in the cited passage, but on the page, {far}:</p>{_excerpt(held)}'


def _excerpt(excerpt: Excerpt) -> str:
    pieces = [
        (text, QUOTED if of_sentence else CITED if of_passage else PLAIN)
        for text, of_passage, of_sentence in excerpt.pieces
    ]
    return f'<blockquote class="page">{drawn(pieces)}</blockquote>'
