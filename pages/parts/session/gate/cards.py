"""A judged source as a card, and the thresholds of the three modes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from parts.session.report.passage import PLAIN, drawn
from parts.shared import hidden_text, provenance
from parts.shared.badges import SOURCE
from parts.shared.html_text import link, markup
from research_core.models import Passage, ReportSource
from research_core.modes import ResearchMode


def judged(sources: Sequence[ReportSource]) -> None:
    """A card for each: decision, score, explanation and, folded away, the passages it was judged
    on.
    """
    st.html(f'<div class="cards">{"".join(map(_card, sources))}</div>')


def _card(source: ReportSource) -> str:
    count = len(source.passages)
    passages = (
        "".join(_passage(passage) for passage in source.passages)
        or "<p>Nothing in it bears on the question.</p>"
    )
    judged = " judged" if source.relevance else ""
    folded = (
        f"<details><summary>{count}"
        f" passage{'' if count == 1 else 's'}{judged}</summary>{passages}</details>"
    )
    return (
        "<article"
        f' class="card">{_head(source)}{_judgement(source)}{folded}{hidden_text.detail(source)}</article>'
    )


def _head(source: ReportSource) -> str:
    verdict = {"kept": "KEEP", "dropped": "DROP"}.get(source.status, source.status.upper())
    badge = SOURCE[source.status]._replace(word=verdict)
    number = f"<b>[{source.number}]</b> " if source.number else ""
    head = f"<p>{badge.html} {_dots(source)}{provenance.marks(source)}</p>"
    return (
        f"{head}<p"
        f' class="title">{number}{link(markup(source.title), source.address)}</p>{_about(source)}'
    )


def _dots(source: ReportSource) -> str:
    """The score as five dots and as a figure."""
    relevance = source.relevance
    if relevance is None:
        return "" if source.status == "judging" else '<span class="score">not judged</span>'
    if not relevance.scored:
        return '<span class="score">relevance not scored</span>'
    dots = "●" * relevance.score + "○" * (5 - relevance.score)
    return f'<span class="score"><span aria-hidden="true">{dots}</span> {relevance.score}/5</span>'


def _about(source: ReportSource) -> str:
    return f'<p class="about">{provenance.line(source, provenance.scored(source))}</p>{provenance.unread(source)}'


def _judgement(source: ReportSource) -> str:
    judged = markup(source.relevance.explanation, 800) if source.relevance else ""
    other = (
        f"<i>{markup(source.reason, 800)}</i>"
        if source.status not in ("kept", "dropped") and source.reason
        else ""
    )
    return f"<p>{' '.join(filter(None, (judged, other)))}</p>"


def _passage(passage: Passage) -> str:
    return f'<blockquote class="passage">{drawn([(passage.text, PLAIN)])}</blockquote>'


def scores(counts: Mapping[int, int], cutoff: int) -> str:
    """How many sources scored 1 to 5, as bars with the cutoff between what is dropped and what is
    kept. HTML.
    """
    most = max(1, *(counts[score] for score in range(1, 6)))
    bars = "".join(
        _bar(score, counts[score], most, score >= cutoff, score == cutoff) for score in range(1, 6)
    )
    told = ", ".join(f"{counts[score]} scored {score}" for score in range(1, 6))
    unscored = (
        f'<p class="about">{counts[0]} could not be scored and stand outside this chart.</p>'
        if counts.get(0)
        else ""
    )
    figure = (
        f'<div class="scores" role="img" aria-label="Sources by score: {told}; kept from'
        f' {cutoff}">{bars}</div>'
    )
    return f"<figure>{figure}{unscored}</figure>"


def _bar(score: int, count: int, most: int, kept: bool, cut: bool) -> str:
    kind = f"{'kept' if kept else 'dropped'}{' cut' if cut else ''}"
    sign = SOURCE["kept" if kept else "dropped"].symbol
    return (
        f'<span class="{kind}"><b>{count or ""}</b><i'
        f' style="height:{3.2 * count / most:.2f}rem"></i><small>{score} {sign}</small></span>'
    )


def thresholds(modes: Sequence[ResearchMode], own: ResearchMode) -> None:
    """How many kept sources each mode asks for, this session's own row marked and with its own
    figures.
    """
    rows = "".join(
        _threshold(own if mode.name == own.name else mode, mode.name == own.name) for mode in modes
    )
    head = (
        "<tr><th scope=col>Mode</th><th scope=col>Reads</th><th scope=col>Full report</th><th"
        " scope=col>Short report</th></tr>"
    )
    st.html(
        '<table class="plain"><caption>Sources kept that each mode asks'
        f" for</caption>{head}{rows}</table>"
    )


def _threshold(mode: ResearchMode, own: bool) -> str:
    figures = (
        f"≤ {mode.max_sources}",
        f"≥ {mode.min_sources_full_report}",
        f"≥ {mode.min_sources_short_report}",
    )
    name = f"{mode.name} ◂ this session" if own else mode.name
    return (
        f"<tr{' class=own' if own else ''}><th"
        f' scope="row">{name}</th>{"".join(f"<td>{figure}</td>" for figure in figures)}</tr>'
    )
