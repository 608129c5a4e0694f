"""Show the passage behind the selected citation in its page, beside the report's text.

Clicks and keys (Enter, j, k) are caught by pages/reader.js. Text of pages is drawn here only, so
the component need not trust it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import streamlit as st

from parts.session.report import pdf_page
from parts.session.report.passage import CITED, PLAIN, QUOTED, format_pieces
from parts.session.sources.assessment import AFTER_READING_EXPLAINED, format_assessment
from parts.session.sources.sliders import short_source_name
from parts.shared import current_user, failures, hidden_text, provenance
from parts.shared.badges import (
    CHECK_BADGES,
    DANGLING_BADGE,
    OVERSTATED,
    SOURCE_BADGES,
    USE_BADGES,
    Badge,
    get_check_badge,
)
from parts.shared.html_text import escape_line, format_link
from parts.shared.wording import format_moment
from research_core.citations import cited_passages
from research_core.citations.cited_passages import Excerpt, SourceCitation
from research_core.i18n import N_, _, format_number, join_clauses, join_list
from research_core.models import Passage, Report, ReportSource, ScoreParts
from research_core.pipeline.assessment import assess_source
from research_core.pipeline.confidence import examine
from research_core.pipeline.methodology import is_overstated
from research_core.pipeline.page_support import find_support_in_page
from research_core.policy import RunSettings, checks_report
from research_core.sessions import snapshot
from research_core.trust import credibility
from research_core.trust.credibility import ScoreTerms
from research_core.trust.provenance import describe_missing_date, describe_same_site
from research_core.urls import is_own_document
from research_core.wiring import default_resources

#: The words in it are written by the browser, from `LABELS`.
READER_BAR = """
<nav class="reader">
  <button type="button" data-step="-1" aria-keyshortcuts="k"><span></span> <kbd>k</kbd></button>
  <button type="button" data-step="1" aria-keyshortcuts="j"><span></span> <kbd>j</kbd></button>
  <span role="status"></span>
  <button type="button" data-close>✕ <span></span></button>
</nav>
"""
LABELS = {
    "citations": N_("Citations"),
    "previous": N_("Previous"),
    "next": N_("Next"),
    "close": N_("Close"),
    "closePassage": N_("Close the passage"),
    "dialog": N_("The passage of a citation"),
    "status": N_("Citation {number} of {count}"),
}
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
    "site": N_("Authority of the kind of site"),
    "words": N_("Keyword match of the snippet"),
    "date": N_("Date since 2020 in the snippet"),
}
#: The words of these terms in the sum.
TERM_WORDS = {"site": N_("site"), "words": N_("keywords"), "date": N_("date")}
#: What each term is multiplied by, or is: a term that cannot count is not shown.
TERM_WEIGHTS = {"site": "domain_weight", "words": "relevance_weight", "date": "recency_bonus"}
NO_NUMBERS: Mapping[str, int] = MappingProxyType({})


@st.fragment(key="passage")
def draw_pane(
    built: Report,
    citations: Sequence[SourceCitation],
    gate_numbers: Mapping[str, int] = NO_NUMBERS,
    *,
    first: int = 1,
) -> None:
    """Draw the selected citation and the way to the next; only this fragment is redrawn.

    gate_numbers: of sources by address, where they differ from the numbers in this report.
    first: the number of the citation that is shown until one is chosen.
    """
    chosen = _chosen_number(built.session, len(citations), first)
    data = {
        "cite": chosen,
        "count": len(citations),
        "turn": st.session_state.get("turn", 0),
        "chosen": "cite" in st.query_params,
        "labels": {name: _(label) for name, label in LABELS.items()},
    }
    reader(key="reader", data=data, on_cite_change=_keep_choice)
    with failures.show_failures():
        cited = citations[chosen - 1]
        number = gate_numbers.get(cited.source.url, cited.source.number)
        _draw_passage(built, cited, CONTEXT_SIZES[_count_widenings(chosen)], number)


def _draw_passage(built: Report, cited: SourceCitation, around: int, gate_number: int) -> None:
    who = current_user.current_principal()
    page = _read_page(who.tenant, who.user, cited.source.page)
    st.html(_format_card(built, cited, page, around))
    pdf_page.draw_page(built, cited)
    has_more = any(
        passage.start > around or passage.end + around < len(page) for passage in cited.passages
    )
    _draw_links(built, cited, gate_number, more=has_more)


def choose_citation(number: int) -> None:
    """Select the citation that the pane shows when it is drawn next."""
    st.query_params["cite"] = str(number)


def _chosen_number(session: str, count: int, first: int) -> int:
    """Return the citation number from the address, else the one last shown for this session.

    Without either, `first`. A number that does not exist is corrected in the address.
    """
    left = st.session_state.setdefault("cites_left", {})
    if "cite" not in st.query_params and session in left:
        choose_citation(left[session])
    asked = st.query_params.get("cite", str(first))
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


def _set_widenings(number: int, times: int) -> None:
    st.session_state["widened"] = (number, times)


@st.cache_resource(max_entries=64, show_spinner=False)
def _read_page(tenant: str, user: str, page: str) -> str:
    """Return the stored text of a user's page; it is stored by hash, so the cache stays valid."""
    return snapshot.read_page_text(default_resources(), page, who=current_user.current_principal())


def _draw_links(built: Report, cited: SourceCitation, gate_number: int, *, more: bool) -> None:
    """Offer more of the page, and links to this source on Sources and Gate.

    The gate has no source that was not read, and Sources none without an address.
    """
    url = cited.source.url
    if not any(source.url == url for source in built.sources):
        return
    query = {"session": built.session, "source": str(gate_number or short_source_name(url))}
    with st.container(horizontal=True, vertical_alignment="center", key="evidence_ways"):
        _draw_context_buttons(cited.number, more=more)
        st.page_link(
            "sources.py", label=_("Source"), query_params=query, icon=":material/table_rows:"
        )
        if gate_number and not _is_audit(built):
            st.page_link(
                "gate.py", label=_("Gate decision"), query_params=query, icon=":material/rule:"
            )


def _draw_context_buttons(number: int, *, more: bool) -> None:
    """Offer the next size of context, and the first one again. more: the page has more."""
    times = _count_widenings(number)
    if more and times < len(CONTEXT_SIZES) - 1:
        st.button(
            _("More context"),
            key="more",
            icon=":material/unfold_more:",
            on_click=_set_widenings,
            args=(number, times + 1),
        )
    if times:
        st.button(
            _("Less context"),
            key="less",
            icon=":material/unfold_less:",
            on_click=_set_widenings,
            args=(number, 0),
        )


def _format_card(built: Report, cited: SourceCitation, page: str, around: int) -> str:
    source = cited.source
    if source.status != "kept" and not cited.passages:
        return _format_unread_card(cited, around)
    check = get_check_badge(cited.state, is_dangling=cited.is_dangling)
    check = check._replace(word=_(check.word))
    warned = f" {OVERSTATED._replace(word=_(OVERSTATED.word)).html}"
    if not is_overstated(cited.sentence):
        warned = ""
    note = f"{warned} {escape_line(cited.sentence.note)}" if cited.sentence.note else ""
    shown = "".join(
        _format_place(cited, passage, page, around) for passage in cited.passages
    ) + _format_other_places(cited, page)
    name = escape_line(_("Cited passage"))
    return (
        f'<section class="evidence" data-cite="{cited.number}" data-around="{around}"'
        f' aria-live="polite" aria-label="{name}"><header><p'
        f' class="title"><b>[{escape_line(cited.label, 60)}]</b>'
        f" {format_link(escape_line(source.title), source.address)}"
        f"</p>{_format_trust_line(source, built)}"
        f'<p class="checked">{check.html}{note}</p></header>'
        f"{provenance.format_unread(source)}{hidden_text.format_source_detail(source)}"
        f"{shown}{_format_about(source, built)}</section>"
    )


def _format_unread_card(cited: SourceCitation, around: int) -> str:
    """Return the card of a source that was not read, or of a mark without a source. HTML.

    Its address is no link, as the page was not checked.
    """
    source = cited.source
    check = CHECK_BADGES["could not check"]
    if cited.is_dangling:
        check = DANGLING_BADGE
    check = check._replace(word=_(check.word))
    name = escape_line(_("Cited passage"))
    url = "" if source.url == source.title else source.url
    facts = " · ".join(filter(None, (escape_line(source.reason), escape_line(url, 400))))
    note = "" if cited.is_dangling else f" {escape_line(cited.sentence.note, 600)}"
    return (
        f'<section class="evidence" data-cite="{cited.number}" data-around="{around}"'
        f' aria-live="polite" aria-label="{name}"><header><p class="title">'
        f"<b>[{escape_line(cited.label, 60)}]</b>"
        f' <bdi dir="auto">{escape_line(source.title, 300)}</bdi>'
        f'</p><p class="about">{facts}</p>'
        f'<p class="checked">{check.html}{note}</p></header></section>'
    )


def _format_about(source: ReportSource, built: Report) -> str:
    """Return where the source is from and how it was scored, folded. HTML."""
    read = ""
    if source.fetched:
        read = escape_line(_("read {time}").format(time=format_moment(source.fetched)))
    return (
        f"<details><summary>{escape_line(_('About this source'))}</summary>"
        f'<p class="about">{provenance.format_origin(source, read)}'
        f"{provenance.format_badges(source)}</p>{_format_trust_detail(source, built)}</details>"
    )


# -- why the source was used ----------------------------------------------------------------------


def _is_audit(built: Report) -> bool:
    return checks_report(built.settings)


def _format_trust_line(source: ReportSource, built: Report) -> str:
    """Return the decision and both scores in one line of HTML.

    The check of a given report decides nothing on sources, and rates no relevance.
    """
    policy = built.settings["credibility"]
    scored = escape_line(_("library document") if is_own_document(source.url) else _("not scored"))
    if source.parts:
        widths = zip(PART_NAMES, _compute_shares(source.parts, policy).widths, strict=True)
        bar = "".join(f'<i class="{name}" style="width:{width:.0%}"></i>' for name, width in widths)
        scored = _("credibility {score}").format(
            score=f"<b>{format_number(source.parts.score, '.2f')}</b>"
        )
        scored += f' <span class="bar" aria-hidden="true">{bar}</span>'
    if _is_audit(built):
        return f'<p class="trust">{scored}</p>'
    judged = source.relevance
    relevance = escape_line(_("relevance not scored"))
    if judged and judged.scored:
        dots = "●" * judged.score + "○" * (5 - judged.score)
        relevance = _("relevance {score}").format(score=f"<b>{judged.score}/5</b>")
        relevance += f' <span aria-hidden="true">{dots}</span>'
    badge = USE_BADGES["cited"] if source.status == "kept" else SOURCE_BADGES[source.status]
    badge = badge._replace(word=_(badge.word))
    if source.approved:
        scored += f" {Badge('!', _('included by hand'), 'orange').html}"
    facts = " · ".join(filter(None, (scored, relevance, _format_low_quality(source, built))))
    return f'<p class="trust">{badge.html} {facts}</p>'


def _format_low_quality(source: ReportSource, built: Report) -> str:
    """Return that a source was rated low once it was read, "" for any other. HTML."""
    if source.parts is None:
        return ""
    policy = RunSettings.from_json(built.settings).credibility
    found = assess_source(source, policy, examine(built).backings)
    if not found.is_low:
        return ""
    low = _("after reading: {value}").format(
        value=f"<b>{escape_line(format_assessment(found))}</b>"
    )
    return f'<span title="{escape_line(_(AFTER_READING_EXPLAINED))}">{low}</span>'


def _format_trust_detail(source: ReportSource, built: Report) -> str:
    """Return the terms of the credibility score and the reason for the relevance."""
    if source.parts:
        scored = _format_sum(source, source.parts, built.settings["credibility"])
        same_site = describe_same_site(source, built.sources)
        if same_site:
            scored += f"<br>{escape_line(same_site)}"
    elif is_own_document(source.url):
        scored = escape_line(_("Documents of a library have no credibility score."))
    else:
        scored = escape_line(_("It was not read, so it has no credibility score."))
    relevance = f"<br>{escape_line(source.relevance.explanation)}" if source.relevance else ""
    return f'<p class="about">{scored}{relevance}</p>'


def _format_sum(source: ReportSource, parts: ScoreParts, policy: Mapping[str, Any]) -> str:
    terms = _compute_shares(parts, policy)
    terms_html = " + ".join(
        f'<span title="{escape_line(_(about))}">{escape_line(_(TERM_WORDS[name]))} {format_number(term, ".2f")}</span>'
        for (name, about), term in zip(PART_NAMES.items(), terms, strict=True)
        if policy[TERM_WEIGHTS[name]]
    )
    total = join_list([terms_html, escape_line(terms.capped)] if terms.capped else [terms_html])
    notes = (credibility.name_kind_of_site(parts), describe_missing_date(source))
    kind = escape_line(join_clauses(note for note in notes if note))
    return f"{format_number(parts.score, '.2f')} = {total} ({kind})"


def _compute_shares(parts: ScoreParts, policy: Mapping[str, Any]) -> ScoreTerms:
    return credibility.compute_terms(parts, policy["domain_weight"], policy["relevance_weight"])


# -- the passage in its page ----------------------------------------------------------------------


def _format_place(cited: SourceCitation, passage: Passage, page: str, around: int) -> str:
    """Return a passage in its page, under a line that says where it is. HTML."""
    share = f"{cited_passages.measure_passage_position(passage, page) * 100:.0f}"
    if page and share == "0":  # it begins the page
        where = _("Start of the page. Grey text is outside the passage.")
    elif page:
        where = _("{share}% into the page. Grey text is outside the passage.").format(share=share)
    else:
        where = _("The page is not stored, only this passage.")
    excerpt = cited_passages.build_excerpt(page, passage, cited.sentence.text, around=around)
    # The passage of a checked report is the sentence of the page that decides.
    is_literal = any(of_sentence for _text, _of_passage, of_sentence in excerpt.pieces)
    decides = bool(cited.mark) and not is_literal
    return f'<p class="about">{escape_line(where)}</p>{_format_excerpt(excerpt, decides=decides)}'


def _format_other_places(cited: SourceCitation, page: str) -> str:
    """Return other places on the page with the sentence, if the cited one is in doubt. HTML."""
    place = find_support_in_page(cited.sentence, cited.passages, page)
    if place is None:
        return ""
    share = f"{place.start / len(page) * 100:.0f}"
    if share == "0":
        where = _("Not in the cited passage, but at the start of the page:")
    else:
        where = _("Not in the cited passage, but {share}% into the page:").format(share=share)
    excerpt = cited_passages.build_excerpt(page, place, place.text, around=0)
    return f'<p class="about">{escape_line(where)}</p>{_format_excerpt(excerpt)}'


def _format_excerpt(excerpt: Excerpt, *, decides: bool = False) -> str:
    """Return the excerpt as HTML. decides: highlight the passage as if it were the sentence."""
    pieces = []
    for text, of_passage, of_sentence in excerpt.pieces:
        if of_sentence or (decides and of_passage):
            style = QUOTED
        elif of_passage:
            style = CITED
        else:
            style = PLAIN
        pieces.append((text, style))
    return f'<blockquote class="page">{format_pieces(pieces)}</blockquote>'
