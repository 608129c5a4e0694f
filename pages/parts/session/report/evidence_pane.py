"""Show the passage behind the selected citation in its page, beside the report's text.

Clicks and keys (Enter, j, k) are caught by pages/reader.js. Text of pages is drawn here only, so
the component need not trust it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from parts.session.report.passage import CITED, PLAIN, QUOTED, format_pieces
from parts.shared import current_user, failures, hidden_text, provenance
from parts.shared.badges import CHECK_BADGES, OVERSTATED, SOURCE_BADGES
from parts.shared.html_text import escape_line, format_link
from parts.shared.wording import format_moment
from research_core.citations import cited_passages
from research_core.citations.cited_passages import Excerpt, SourceCitation
from research_core.models import Passage, Report, ReportSource, ScoreParts
from research_core.pipeline.methodology import is_overstated
from research_core.pipeline.page_support import find_support_in_page
from research_core.sessions import snapshot
from research_core.trust import credibility
from research_core.trust.credibility import ScoreTerms
from research_core.wiring import default_resources

READER_BAR = """
<nav class="reader" aria-label="Citations">
  <button type="button" data-step="-1" aria-keyshortcuts="k">Previous <kbd>k</kbd></button>
  <button type="button" data-step="1" aria-keyshortcuts="j">Next <kbd>j</kbd></button>
  <span role="status"></span>
  <button type="button" data-close aria-label="Close the passage">✕ <span>Close</span></button>
</nav>
"""
reader = st.components.v2.component(
    "assay_reader",
    html=READER_BAR,
    js=(Path(__file__).parents[3] / "reader.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)
#: Characters of context on either side of a passage; each press of the button takes the next size.
CONTEXT_SIZES = (400, 2_000, 10_000, 60_000)
#: Terms of a score, in the order of `ScoreTerms`, with their meaning.
PART_NAMES = {
    "site": "authority of the kind of site",
    "words": "share of the question's words in the snippet",
    "date": "a recent date in the snippet",
}


@st.fragment(key="passage")
def draw_pane(built: Report, citations: Sequence[SourceCitation]) -> None:
    """Draw the selected citation and the way to the next; only this fragment is redrawn."""
    chosen = _chosen_number(built.session, len(citations))
    data = {
        "cite": chosen,
        "count": len(citations),
        "turn": st.session_state.get("turn", 0),
        "chosen": "cite" in st.query_params,
    }
    reader(key="reader", data=data, on_cite_change=_keep_choice)
    with failures.show_failures():
        _draw_passage(built, citations[chosen - 1], CONTEXT_SIZES[_count_widenings(chosen)])


def _draw_passage(built: Report, cited: SourceCitation, around: int) -> None:
    who = current_user.current_principal()
    page = _read_page(who.tenant, who.user, cited.source.page)
    st.html(_format_card(built, cited, page, around))
    has_more = any(
        passage.start > around or passage.end + around < len(page) for passage in cited.passages
    )
    _draw_links(built, cited, more=has_more)


def choose_citation(number: int) -> None:
    """Select the citation that the pane shows when it is drawn next."""
    st.query_params["cite"] = str(number)


def _chosen_number(session: str, count: int) -> int:
    """Return the citation number from the address, else the one last shown for this session.

    A number that does not exist is corrected in the address.
    """
    left = st.session_state.setdefault("cites_left", {})
    if "cite" not in st.query_params and session in left:
        choose_citation(left[session])
    asked = st.query_params.get("cite", "1")
    number = min(max(int(asked), 1), count) if asked.isascii() and asked.isdigit() else 1
    if "cite" in st.query_params:
        if asked != str(number):
            choose_citation(number)
        left[session] = number
    return number


def _keep_choice() -> None:
    # The turn counts choices, so that the browser ignores what is drawn for an earlier one.
    match st.session_state["reader"]["cite"]:
        case [int() as number, int() as turn]:
            st.session_state["turn"] = turn
            choose_citation(number)


def _count_widenings(chosen: int) -> int:
    """Return how often more context was requested for this citation."""
    widened: tuple[int, int] = st.session_state.get("widened", (0, 0))
    number, times = widened
    if number == chosen:
        return min(times, len(CONTEXT_SIZES) - 1)
    return 0


def _widen_context(number: int) -> None:
    st.session_state["widened"] = (number, _count_widenings(number) + 1)


@st.cache_resource(max_entries=64, show_spinner=False)
def _read_page(tenant: str, user: str, page: str) -> str:
    """Return the stored text of a user's page; it is stored by hash, so the cache stays valid."""
    return snapshot.read_page_text(default_resources(), page, who=current_user.current_principal())


def _draw_links(built: Report, cited: SourceCitation, *, more: bool) -> None:
    """Offer more of the page, and links to this source on Sources and Gate."""
    query = {"session": built.session, "source": str(cited.source.number)}
    with st.container(horizontal=True, vertical_alignment="center", key="evidence_ways"):
        if more and _count_widenings(cited.number) < len(CONTEXT_SIZES) - 1:
            st.button(
                "More of the page",
                key="more",
                icon=":material/unfold_more:",
                on_click=_widen_context,
                args=(cited.number,),
            )
        st.page_link(
            "sources.py", label="On Sources", query_params=query, icon=":material/table_rows:"
        )
        st.page_link("gate.py", label="At the gate", query_params=query, icon=":material/rule:")


def _format_card(built: Report, cited: SourceCitation, page: str, around: int) -> str:
    source = cited.source
    check = CHECK_BADGES.get(cited.sentence.state, CHECK_BADGES["could not check"])
    warned = f" {OVERSTATED.html}" if is_overstated(cited.sentence) else ""
    note = f"{warned} {escape_line(cited.sentence.note)}" if cited.sentence.note else ""
    read = f"read {escape_line(format_moment(source.fetched))}" if source.fetched else ""
    policy = built.settings["credibility"]
    shown = "".join(
        _format_place(cited, passage, page, around) for passage in cited.passages
    ) + _format_other_places(cited, page)
    return (
        f'<section class="evidence" data-cite="{cited.number}" data-around="{around}"'
        ' aria-live="polite" aria-label="Cited passage"><header><p'
        f' class="title"><b>[{source.number}]</b>'
        f" {format_link(escape_line(source.title), source.address)}"
        f"</p>{_format_trust_line(source, policy)}"
        f"</header>{_format_trust_detail(source, policy)}<p"
        f' class="about">{provenance.format_origin(source, read)}'
        f"{provenance.format_badges(source)}"
        f"</p>{provenance.format_unread(source)}{hidden_text.format_source_detail(source)}<p"
        f' class="checked">{check.html}{note}</p>{shown}</section>'
    )


# -- why the source was used ----------------------------------------------------------------------


def _format_trust_line(source: ReportSource, policy: Mapping[str, Any]) -> str:
    """Return the decision and both scores in one line of HTML.

    policy: the session's credibility policy, as its settings store it.
    """
    scored = "own document"
    if source.parts:
        widths = zip(PART_NAMES, _compute_shares(source.parts, policy).widths, strict=True)
        bar = "".join(f'<i class="{name}" style="width:{width:.0%}"></i>' for name, width in widths)
        scored = (
            f'credibility <b>{source.parts.score:.2f}</b> <span class="bar"'
            f' aria-hidden="true">{bar}</span>'
        )
    judged = source.relevance
    relevance = "relevance not scored"
    if judged and judged.scored:
        dots = "●" * judged.score + "○" * (5 - judged.score)
        relevance = f'relevance <b>{judged.score}/5</b> <span aria-hidden="true">{dots}</span>'
    approved = " included by you" if source.approved else ""
    return (
        f'<p class="trust">{SOURCE_BADGES[source.status].html}{approved} {scored} · {relevance}</p>'
    )


def _format_trust_detail(source: ReportSource, policy: Mapping[str, Any]) -> str:
    """Return the terms of the credibility score and the reason for the relevance."""
    if source.parts:
        scored = _format_sum(source.parts, policy)
    else:
        scored = "An own document has no credibility score."
    relevance = f"<br>{escape_line(source.relevance.explanation)}" if source.relevance else ""
    return f'<p class="about">{scored}{relevance}</p>'


def _format_sum(parts: ScoreParts, policy: Mapping[str, Any]) -> str:
    terms = _compute_shares(parts, policy)
    terms_html = " + ".join(
        f'<span title="{escape_line(about)}">{name} {term:.2f}</span>'
        for (name, about), term in zip(PART_NAMES.items(), terms, strict=True)
    )
    capped = f", {terms.capped}" if terms.capped else ""
    return f"{parts.score:.2f} = {terms_html}{capped} ({escape_line(parts.site)})"


def _compute_shares(parts: ScoreParts, policy: Mapping[str, Any]) -> ScoreTerms:
    return credibility.compute_terms(parts, policy["domain_weight"], policy["relevance_weight"])


# -- the passage in its page ----------------------------------------------------------------------


def _format_place(cited: SourceCitation, passage: Passage, page: str, around: int) -> str:
    """Return a passage in its page, under a line that says where it is. HTML."""
    at = cited_passages.find_passage_position(cited.source, passage, page)
    position = f", {at.share * 100:.0f} % into the page" if page else "; the page is not stored"
    where = f"Passage {at.nth} of {at.count} of this source{position}"
    excerpt = cited_passages.build_excerpt(page, passage, cited.sentence.text, around=around)
    return f'<p class="about">{where}</p>{_format_excerpt(excerpt)}'


def _format_other_places(cited: SourceCitation, page: str) -> str:
    """Return other places on the page with the sentence, if the cited one is in doubt. HTML."""
    place = find_support_in_page(cited.sentence, cited.passages, page)
    if place is None:
        return ""
    position = f"{place.start / len(page) * 100:.0f} % into it"
    excerpt = cited_passages.build_excerpt(page, place, place.text, around=0)
    return (
        f'<p class="about">Not in the cited passage, but on the page, {position}:'
        f"</p>{_format_excerpt(excerpt)}"
    )


def _format_excerpt(excerpt: Excerpt) -> str:
    pieces = []
    for text, of_passage, of_sentence in excerpt.pieces:
        if of_sentence:
            style = QUOTED
        elif of_passage:
            style = CITED
        else:
            style = PLAIN
        pieces.append((text, style))
    return f'<blockquote class="page">{format_pieces(pieces)}</blockquote>'
