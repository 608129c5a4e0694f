"""Draw judged sources as cards, the distribution of scores, and the modes' thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from parts.session.report.passage import PLAIN, format_pieces
from parts.shared import hidden_text, provenance
from parts.shared.badges import SOURCE_BADGES
from parts.shared.html_text import escape_line, format_link
from parts.shared.wording import plural_ending
from research_core.models import Passage, ReportSource
from research_core.modes import ResearchMode


def draw_cards(sources: Sequence[ReportSource]) -> None:
    """Draw a card for each source: decision, score, explanation, and folded passages."""
    st.html(f'<div class="cards">{"".join(map(_format_card, sources))}</div>')


def _format_card(source: ReportSource) -> str:
    count = len(source.passages)
    passages = (
        "".join(_format_passage(passage) for passage in source.passages)
        or "<p>Nothing in it bears on the question.</p>"
    )
    judged = " judged" if source.relevance else ""
    folded = (
        f"<details><summary>{count}"
        f" passage{plural_ending(count)}{judged}</summary>{passages}</details>"
    )
    return (
        "<article"
        f' class="card">{_format_head(source)}{_format_judgement(source)}{folded}'
        f"{hidden_text.format_source_detail(source)}</article>"
    )


def _format_head(source: ReportSource) -> str:
    verdict = {"kept": "KEEP", "dropped": "DROP"}.get(source.status, source.status.upper())
    badge = SOURCE_BADGES[source.status]._replace(word=verdict)
    number = f"<b>[{source.number}]</b> " if source.number else ""
    head = f"<p>{badge.html} {_format_dots(source)}{provenance.format_badges(source)}</p>"
    return (
        f"{head}<p"
        f' class="title">{number}{format_link(escape_line(source.title), source.address)}'
        f"</p>{_format_about(source)}"
    )


def _format_dots(source: ReportSource) -> str:
    """Return the score as five dots and as a figure."""
    relevance = source.relevance
    if relevance is None:
        if source.status == "judging":
            return ""
        return '<span class="score">not judged</span>'
    if not relevance.scored:
        return '<span class="score">relevance not scored</span>'
    dots = "●" * relevance.score + "○" * (5 - relevance.score)
    return f'<span class="score"><span aria-hidden="true">{dots}</span> {relevance.score}/5</span>'


def _format_about(source: ReportSource) -> str:
    return (
        '<p class="about">'
        f"{provenance.format_origin(source, provenance.format_credibility(source))}"
        f"</p>{provenance.format_unread(source)}"
    )


def _format_judgement(source: ReportSource) -> str:
    judged = escape_line(source.relevance.explanation, 800) if source.relevance else ""
    if source.status not in ("kept", "dropped") and source.reason:
        other = f"<i>{escape_line(source.reason, 800)}</i>"
    else:
        other = ""
    return f"<p>{' '.join(filter(None, (judged, other)))}</p>"


def _format_passage(passage: Passage) -> str:
    return f'<blockquote class="passage">{format_pieces([(passage.text, PLAIN)])}</blockquote>'


def format_score_counts(counts: Mapping[int, int], cutoff: int) -> str:
    """Return the number of sources with each score from 1 to 5 as bars with the cutoff. HTML."""
    most = max(1, *(counts[score] for score in range(1, 6)))
    bars = "".join(
        _format_bar(score, counts[score], most, score >= cutoff, score == cutoff)
        for score in range(1, 6)
    )
    summary = ", ".join(f"{counts[score]} scored {score}" for score in range(1, 6))
    if counts.get(0):
        unscored = (
            f'<p class="about">{counts[0]} could not be scored and stand outside this chart.</p>'
        )
    else:
        unscored = ""
    figure = (
        f'<div class="scores" role="img" aria-label="Sources by score: {summary}; kept from'
        f' {cutoff}">{bars}</div>'
    )
    return f"<figure>{figure}{unscored}</figure>"


def _format_bar(score: int, count: int, most: int, kept: bool, cut: bool) -> str:
    state = "kept" if kept else "dropped"
    kind = f"{state} cut" if cut else state
    return (
        f'<span class="{kind}"><b>{count or ""}</b><i'
        f' style="height:{3.2 * count / most:.2f}rem"></i>'
        f"<small>{score} {SOURCE_BADGES[state].symbol}</small></span>"
    )


def draw_thresholds(modes: Sequence[ResearchMode], own: ResearchMode) -> None:
    """Draw the number of kept sources each mode requires, this session's row marked."""
    rows = ""
    for mode in modes:
        # The session's own mode can have other thresholds than the mode of its name.
        if mode.name == own.name:
            rows += _format_threshold(own, True)
        else:
            rows += _format_threshold(mode, False)
    head = (
        "<tr><th scope=col>Mode</th><th scope=col>Reads</th><th scope=col>Full report</th><th"
        " scope=col>Short report</th></tr>"
    )
    st.html(
        '<table class="plain"><caption>Sources kept that each mode asks'
        f" for</caption>{head}{rows}</table>"
    )


def _format_threshold(mode: ResearchMode, own: bool) -> str:
    name = mode.name
    row_class = ""
    if own:
        name += " ◂ this session"
        row_class = " class=own"
    return (
        f'<tr{row_class}><th scope="row">{name}</th><td>≤ {mode.max_sources}</td>'
        f"<td>≥ {mode.min_sources_full_report}</td><td>≥ {mode.min_sources_short_report}</td></tr>"
    )
