"""Draw a report's caveats: single-source facts, contradictions, and the computed confidence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.session.report.passage import CITED, QUOTED, format_pieces
from parts.session.report.prose import SINGLE_SOURCE_LABELS
from parts.shared.badges import LEVEL_BADGES
from parts.shared.html_text import clean_cell, escape_line, format_link
from parts.shared.stylesheet import WRAPPED_ROW_HEIGHT
from research_core.citations.cited_passages import SourceCitation
from research_core.models import Report
from research_core.pipeline.backing import Backing, count_facts, list_kept_sources
from research_core.pipeline.confidence import Confidence
from research_core.pipeline.contradictions import Claim, Contradiction
from research_core.text.words import format_count

METHOD_NOTE = (
    "Found by words: sentences of kept sources that give another figure, date or name for the same,"
    " or deny what another says. What may explain it is said with each."
)
LIMIT_NOTE = "What is worded otherwise is not seen."
COLUMNS: dict[str, Any] = {
    "number": st.column_config.NumberColumn(
        "No.", help="Rows of one number contradict each other", width=45
    ),
    "about": st.column_config.TextColumn("About", width=190),
    "value": st.column_config.TextColumn("What it says", width=110),
    "source": st.column_config.TextColumn("Source", width=210),
    "kind": st.column_config.TextColumn("What may explain it", width=265),
    "published": st.column_config.TextColumn("Published", width=85),
    "credibility": st.column_config.ProgressColumn(
        "Credibility", min_value=0, max_value=1, format="%.2f", width=95
    ),
}


@st.fragment
def draw_toggle(backings: Sequence[Backing]) -> None:
    """Draw the switch that marks single-source facts; CSS applies it without a redraw."""
    count = sum(backing.single for backing in backings)
    with st.container(key="mark_alone"):
        st.toggle(
            f"Mark the {count} of {format_count(count_facts(backings), 'fact')} on one source",
            key="alone",
            disabled=not count,
            help="A fact is a cited sentence with a figure, a date or a name. Nothing independent"
            " of what it cites was seen to hold its words and figures. Sources of one site, and"
            " near-copies of one text, count as one, your own documents as no second publisher. A"
            " source that says the same in other words is not seen.",
        )


def draw_single_source_sentences(
    citations: Sequence[SourceCitation], backings: Sequence[Backing]
) -> None:
    """Draw the sentences that rest on one source, folded, with links to their places."""
    single = [backing for backing in backings if backing.single]
    if not single:
        return
    first = {cited.place: cited for cited in reversed(citations)}
    items = "".join(_format_single_source(backing, first[backing.place]) for backing in single)
    with st.expander(
        f"Rest on one source: {len(single)} of {format_count(count_facts(backings), 'fact')}",
        key="alone_list",
    ):
        st.html(f'<ul class="sources">{items}</ul>')


def _format_single_source(backing: Backing, cited: SourceCitation) -> str:
    numbers = ", ".join(f"[{number}]" for number in backing.sources)
    about = f"{SINGLE_SOURCE_LABELS[backing.rest]}: {numbers} {cited.source.title}"
    return (
        f'<li><a href="#goto-{cited.number}">{escape_line(backing.sentence.text)}</a><span'
        f' class="about">{escape_line(about)}</span></li>'
    )


def format_confidence(computed: Confidence) -> str:
    """Return the computed confidence as HTML: its level and why, and each measure."""
    rows = "".join(
        "<tr><th"
        f" scope=row>{escape_line(line.name.capitalize())}</th><td>{escape_line(line.value)}</td>"
        f"<td>{LEVEL_BADGES[line.level].html}</td>"
        f"<td>{escape_line(line.why)}</td></tr>"
        for line in computed.lines
    )
    reason = escape_line(computed.reason or "")
    head = (
        "<p>Computed from the sources and the checks of this report:"
        f" {LEVEL_BADGES[computed.level].html} {reason}</p>"
    )
    return f'{head}<table class="plain computed" aria-label="Computed confidence">{rows}</table>'


@st.fragment
def draw_contradictions(
    built: Report, citations: Sequence[SourceCitation], found: Sequence[Contradiction]
) -> None:
    """Draw a sortable row for each claim, and the selected claim's passage.

    Without contradictions: say what was compared.
    """
    st.subheader("Contradictions", anchor=False)
    if not found:
        st.caption(
            f"None found between sentences alike in words, in {len(list_kept_sources(built))} "
            "kept sources."
            f" {LIMIT_NOTE}"
        )
        return
    claims: list[tuple[int, Contradiction, Claim]] = []
    for number, one in enumerate(found, 1):
        claims += [(number, one, claim) for claim in one.claims]
    titles = {source.number: source.title for source in list_kept_sources(built)}
    with st.container(key="contradictions_table"):
        chosen: Any = st.dataframe(
            pd.DataFrame([_claim_row(*claim, titles) for claim in claims], columns=list(COLUMNS)),
            column_config=COLUMNS,
            hide_index=True,
            height="content" if len(claims) <= 6 else 440,
            row_height=WRAPPED_ROW_HEIGHT,
            key="contradictions",
            on_select="rerun",
            selection_mode="single-row",
            alt="Claims of sources that say different things of the same",
        )
        # A selection of an earlier table can point beyond this one.
        rows = chosen.selection.rows
        _, one, claim = claims[rows[0] if rows and rows[0] < len(claims) else 0]
        st.html(
            f'<p class="about">{escape_line(_describe_kind(one))}'
            f"</p>{format_claim_passage(built, citations, claim)}"
        )
    st.html(format_contradictions(built, citations, found))
    st.caption(f"{METHOD_NOTE} {LIMIT_NOTE}")


def format_contradictions(
    built: Report, citations: Sequence[SourceCitation], found: Sequence[Contradiction]
) -> str:
    """Return the contradictions as a list, for screens too narrow for the table. HTML.

    The style sheet shows either the list or the table.
    """
    items = ""
    for one in found:
        claims = "".join(
            f"<div>{_format_claim(claim)}{format_claim_passage(built, citations, claim)}</div>"
            for claim in one.claims
        )
        items += (
            f"<li><p><b>{escape_line(one.about)}</b> <span "
            f"class=about>{escape_line(_describe_kind(one))}</span></p>{claims}</li>"
        )
    return f'<ol class="differing" aria-label="Contradictions">{items}</ol>'


def _format_claim(claim: Claim) -> str:
    facts = []
    if claim.published:
        facts.append(f"published {claim.published}")
    if claim.credibility is not None:
        facts.append(f"credibility {claim.credibility:.2f}")
    return f'<p class="about">{escape_line(" · ".join(facts))}</p>'


def _describe_kind(one: Contradiction) -> str:
    """Return what may explain a contradiction."""
    return f"{one.kind}: {one.why}" if one.why else one.kind


def _claim_row(
    number: int, one: Contradiction, claim: Claim, titles: Mapping[int, str]
) -> tuple[Any, ...]:
    source = f"[{claim.source}] {clean_cell(titles[claim.source])}"
    return (
        number,
        clean_cell(one.about),
        clean_cell(claim.value),
        source,
        clean_cell(_describe_kind(one)),
        claim.published,
        claim.credibility,
    )


def format_claim_passage(built: Report, citations: Sequence[SourceCitation], claim: Claim) -> str:
    """Return a claim's passage, with a link to its place in the text if it is cited. HTML."""
    source = next(each for each in list_kept_sources(built) if each.number == claim.source)
    text = claim.sentence
    for passage in source.passages:
        if passage.id == claim.passage:
            text = passage.text
            break
    cited = _find_citation(citations, claim)
    link = f' <a href="#goto-{cited.number}">Its place in the text</a>' if cited else ""
    head = (
        f"<b>{escape_line(claim.value)}</b> [{source.number}]"
        f" {format_link(escape_line(source.title), source.address)}{link}"
    )
    return (
        f'<p class="about">{head}</p><blockquote'
        f' class="page">{format_pieces(_split_at_sentence(text, claim.sentence))}</blockquote>'
    )


def _find_citation(citations: Sequence[SourceCitation], claim: Claim) -> SourceCitation | None:
    """Return the first citation of the claim's source for the claim's sentence, if any."""
    for cited in citations:
        if cited.source.number != claim.source:
            continue
        if " ".join(cited.sentence.text.split()) == claim.sentence:
            return cited
    return None


def _split_at_sentence(text: str, sentence: str) -> list[tuple[str, int]]:
    """Split the passage at the sentence, which must match except for white space, and mark it."""
    found = re.search(r"\s+".join(map(re.escape, sentence.split())), text)
    if found is None:
        return [(text, CITED)]
    return [(text[: found.start()], CITED), (found[0], QUOTED), (text[found.end() :], CITED)]
