"""What a report's reader should doubt: facts that rest on one source, contradictions, and the
confidence computed of all of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.session.report.passage import CITED, QUOTED, drawn
from parts.session.report.prose import ALONE
from parts.shared.badges import Badge
from parts.shared.html_text import cell, link, markup
from parts.shared.stylesheet import WHOLE
from research_core.models import Report
from research_core.pipeline.backing import Backing, kept
from research_core.pipeline.confidence import Confidence
from research_core.pipeline.contradictions import Claim, Contradiction
from research_core.sessions.reading import Cited

METHOD = (
    "Found by words: sentences of kept sources that give another figure, date or name for the same,"
    " or deny what another says. What may explain it is said with each."
)
LIMIT = "What is worded otherwise is not seen."
LEVEL = {
    "high": Badge("▲", "high", "green"),
    "moderate": Badge("◆", "moderate", "orange"),
    "low": Badge("▼", "low", "red"),
}
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
def toggle(backings: Sequence[Backing]) -> None:
    """Whether the text marks what rests on one source; the style sheet follows it, so that nothing
    else is redrawn.
    """
    count = sum(backing.single for backing in backings)
    with st.container(key="mark_alone"):
        st.toggle(
            f"Mark the {count} of {len(backings)} cited sentences that rest on one source",
            key="alone", disabled=not count,
            help="Nothing independent of what they cite was seen to hold their words and figures. Sources of one site, and near-copies of "
            "one text, count as one, your own documents as no second publisher. A source that says the same in other words is not seen.",
        )  # fmt: skip


def alone(citations: Sequence[Cited], backings: Sequence[Backing]) -> None:
    """The sentences that rest on one source, folded away, each a way to its place in the text."""
    lone = [backing for backing in backings if backing.single]
    if not lone:
        return
    first = {cited.place: cited for cited in reversed(citations)}
    with st.expander(
        f"Rest on one source: {len(lone)} of {len(backings)} cited sentences", key="alone_list"
    ):
        st.html(
            f'<ul class="sources">{"".join(_lone(backing, first[backing.place]) for backing in lone)}</ul>'
        )


def _lone(backing: Backing, cited: Cited) -> str:
    numbers = ", ".join(f"[{number}]" for number in backing.sources)
    about = f"{ALONE[backing.rest]}: {numbers} {cited.source.title}"
    return (
        f'<li><a href="#goto-{cited.number}">{markup(backing.sentence.text)}</a><span'
        f' class="about">{markup(about)}</span></li>'
    )


def confident(computed: Confidence) -> str:
    """The computed confidence as HTML: the level, and each measure with its figure and why it
    stands where it does.
    """
    rows = "".join(
        "<tr><th"
        f" scope=row>{markup(line.name.capitalize())}</th><td>{markup(line.value)}</td><td>{LEVEL[line.level].html}</td>"
        f"<td>{markup(line.why)}</td></tr>"
        for line in computed.lines
    )
    head = (
        "<p>Computed from the sources and the checks of this report:"
        f" {LEVEL[computed.level].html}</p>"
    )
    return f'{head}<table class="plain computed" aria-label="Computed confidence">{rows}</table>'


@st.fragment
def contradictions(
    built: Report, citations: Sequence[Cited], found: Sequence[Contradiction]
) -> None:
    """Each claim of each contradiction as a row that sorts, and the passage of the chosen one;
    without any, what was compared.
    """
    st.subheader("Contradictions", anchor=False)
    if not found:
        st.caption(
            f"None found between sentences alike in words, in {len(kept(built))} kept sources."
            f" {LIMIT}"
        )
        return
    claims = [(number, one, claim) for number, one in enumerate(found, 1) for claim in one.claims]
    titles = {source.number: source.title for source in kept(built)}
    with st.container(key="contradictions_table"):
        chosen: Any = st.dataframe(
            pd.DataFrame([_row(*claim, titles) for claim in claims], columns=list(COLUMNS)),
            column_config=COLUMNS, hide_index=True,
            height="content" if len(claims) <= 6 else 440, row_height=WHOLE, key="contradictions",
            on_select="rerun",
            selection_mode="single-row",
            alt="Claims of sources that say different things of the same",
        )  # fmt: skip
        rows = chosen.selection.rows
        _, one, claim = claims[rows[0] if rows and rows[0] < len(claims) else 0]
        st.html(f'<p class="about">{markup(_kind(one))}</p>{said(built, citations, claim)}')
    st.html(listed(built, citations, found))
    st.caption(f"{METHOD} {LIMIT}")


def listed(built: Report, citations: Sequence[Cited], found: Sequence[Contradiction]) -> str:
    """The same one under the other, for a screen too narrow for a table; the style sheet shows one
    of the two. HTML.
    """
    items = "".join(
        f"<li><p><b>{markup(one.about)}</b> <span class=about>{markup(_kind(one))}</span></p>"
        f"{''.join(f'<div>{_claim(claim)}{said(built, citations, claim)}</div>' for claim in one.claims)}</li>"
        for one in found
    )
    return f'<ol class="differing" aria-label="Contradictions">{items}</ol>'


def _claim(claim: Claim) -> str:
    facts = (
        f"published {claim.published}" if claim.published else "",
        "" if claim.credibility is None else f"credibility {claim.credibility:.2f}",
    )
    return f'<p class="about">{markup(" · ".join(filter(None, facts)))}</p>'


def _kind(one: Contradiction) -> str:
    """What may explain it, in words."""
    return f"{one.kind}: {one.why}" if one.why else one.kind


def _row(
    number: int, one: Contradiction, claim: Claim, titles: Mapping[int, str]
) -> tuple[Any, ...]:
    source = f"[{claim.source}] {cell(titles[claim.source])}"
    return (
        number,
        cell(one.about),
        cell(claim.value),
        source,
        cell(_kind(one)),
        claim.published,
        claim.credibility,
    )


def said(built: Report, citations: Sequence[Cited], claim: Claim) -> str:
    """What one source says, in its passage, with a way to its place in the text where it is cited
    there. HTML.
    """
    source = next(each for each in kept(built) if each.number == claim.source)
    text = next(
        (passage.text for passage in source.passages if passage.id == claim.passage), claim.sentence
    )
    at = next(
        (
            c
            for c in citations
            if c.source.number == claim.source
            and " ".join(c.sentence.text.split()) == claim.sentence
        ),
        None,
    )
    way = f' <a href="#goto-{at.number}">Its place in the text</a>' if at else ""
    head = (
        f"<b>{markup(claim.value)}</b> [{source.number}]"
        f" {link(markup(source.title), source.address)}{way}"
    )
    return (
        f'<p class="about">{head}</p><blockquote'
        f' class="page">{drawn(_pieces(text, claim.sentence))}</blockquote>'
    )


def _pieces(text: str, sentence: str) -> list[tuple[str, int]]:
    """The passage with the sentence marked, where it stands there as it is quoted but for white
    space.
    """
    found = re.search(r"\s+".join(map(re.escape, sentence.split())), text)
    if found is None:
        return [(text, CITED)]
    return [(text[: found.start()], CITED), (found[0], QUOTED), (text[found.end() :], CITED)]
