"""What a report's reader should doubt: sentences that rest on one source, and sources that give different figures for the same thing."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.prose import ALONE
from parts.safe import link, markup
from research_core import scrutiny
from research_core.models import Report, ReportSource
from research_core.reading import Cited
from research_core.scrutiny import Backing, Claim, Disagreement

METHOD = "Found by words and figures: a sentence of each of two kept sources, alike in subject and unit, with different figures."
LIMIT = "Figures in sentences worded otherwise, and disagreement in words, are not seen."


@st.fragment
def toggle(backings: Sequence[Backing]) -> None:
    """Whether the text marks what rests on one source; the style sheet follows it, so that nothing else is redrawn."""
    count = sum(backing.alone for backing in backings)
    with st.container(key="mark_alone"):
        st.toggle(
            f"Mark the {count} of {len(backings)} cited sentences that rest on one source", key="alone", disabled=not count,
            help="Nothing independent of what they cite was seen to hold their words and figures. Sources of one registered domain, and "
            "near-copies of one text, count as one. A source that says the same in other words is not seen.",
        )  # fmt: skip


def alone(citations: Sequence[Cited], backings: Sequence[Backing]) -> None:
    """The sentences that rest on one source, folded away, each a way to its place in the text."""
    lone = [backing for backing in backings if backing.alone]
    if not lone:
        return
    first = {cited.place: cited for cited in reversed(citations)}
    with st.expander(f"Rest on one source: {len(lone)} of {len(backings)} cited sentences", key="alone_list"):
        st.html(f'<ul class="sources">{"".join(_lone(backing, first[backing.place]) for backing in lone)}</ul>')


def _lone(backing: Backing, cited: Cited) -> str:
    numbers = ", ".join(f"[{number}]" for number in backing.sources)
    about = f"{ALONE[backing.rest]}: {numbers} {cited.source.title}"
    return f'<li><a href="#goto-{cited.number}">{markup(backing.sentence.text)}</a><span class="about">{markup(about)}</span></li>'


def disagreements(built: Report, citations: Sequence[Cited], found: Sequence[Disagreement]) -> None:
    """The pairs as a table; without any, one line that says what was compared."""
    st.subheader("Contradictions", anchor=False)
    if not found:
        st.caption(f"None found between sentences alike in subject and unit, in {len(scrutiny.kept(built))} kept sources. {LIMIT}")
        return
    st.html(table(built, citations, found))
    most = f" At most {scrutiny.MOST_DISAGREEMENTS} are listed." if len(found) == scrutiny.MOST_DISAGREEMENTS else ""
    st.caption(f"{METHOD} {LIMIT}{most}")


def table(built: Report, citations: Sequence[Cited], found: Sequence[Disagreement]) -> str:
    """The pairs side by side, as HTML."""
    sources = {source.number: source for source in scrutiny.kept(built)}
    pairs = "".join(f"<tr>{''.join(_claim(claim, sources, citations) for claim in (pair.one, pair.other))}</tr>" for pair in found)
    head = "<tr><th scope=col>One source says</th><th scope=col>Another says</th></tr>"
    return f'<table class="plain pairs" aria-label="Contradictions">{head}{pairs}</table>'


def _claim(claim: Claim, sources: dict[int, ReportSource], citations: Sequence[Cited]) -> str:
    """What one of them says, as a way to its place in the text where it is cited there."""
    source = sources[claim.source]
    at = next((c for c in citations if c.source.number == claim.source and " ".join(c.sentence.text.split()) == claim.text), None)
    words = f'<a href="#goto-{at.number}">{markup(claim.text)}</a>' if at else markup(claim.text)
    return f'<td>{words}<span class="about"><b>[{source.number}]</b> {link(markup(source.title), source.address)}</span></td>'
