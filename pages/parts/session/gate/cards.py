"""Draw judged sources as cards, the distribution of scores, and what a report needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from parts.session.report.passage import PLAIN, format_pieces
from parts.shared import hidden_text, provenance
from parts.shared.badges import SOURCE_BADGES
from parts.shared.html_text import escape_line, format_link
from research_core.i18n import _, join_sentences, ngettext
from research_core.models import Passage, ReportSource
from research_core.modes import ResearchMode
from research_core.text.words import capitalize_first
from research_core.trust.provenance import name_site


def draw_cards(sources: Sequence[ReportSource]) -> None:
    """Draw a card for each source: decision, score, and folded the explanation and passages.

    What is not kept says why at once.
    """
    st.html(f'<div class="cards">{"".join(map(_format_card, sources))}</div>')


def _format_card(source: ReportSource) -> str:
    reason = "" if source.status == "kept" else _format_judgement(source)
    return (
        f'<article class="card">{_format_head(source)}{reason}{_format_folded(source)}'
        f"{hidden_text.format_source_detail(source)}</article>"
    )


def _format_head(source: ReportSource) -> str:
    badge = SOURCE_BADGES[source.status].html
    number = f"<b>[{source.number}]</b> " if source.number else ""
    credibility = ""
    if source.parts:
        credibility = _("credibility {score:.2f}").format(score=source.parts.score)
    site = escape_line(name_site(source.address))
    about = " · ".join(filter(None, (site, credibility)))
    return (
        f"<p>{badge} {_format_dots(source)}{provenance.format_badges(source)}</p>"
        f'<p class="title">{number}{format_link(escape_line(source.title), source.address)}</p>'
        f'<p class="about">{about}</p>{provenance.format_unread(source)}'
    )


def _format_dots(source: ReportSource) -> str:
    """Return the score as five dots and as a figure."""
    relevance = source.relevance
    if relevance is None:
        if source.status == "judging":
            return ""
        return f'<span class="score">{_("not rated")}</span>'
    if not relevance.scored:
        return f'<span class="score">{_("relevance not scored")}</span>'
    dots = "●" * relevance.score + "○" * (5 - relevance.score)
    return f'<span class="score"><span aria-hidden="true">{dots}</span> {relevance.score}/5</span>'


def _format_judgement(source: ReportSource) -> str:
    judged = escape_line(source.relevance.explanation, 800) if source.relevance else ""
    other = ""
    if source.status not in ("kept", "dropped") and source.reason:
        other = f"<i>{escape_line(source.reason, 800)}</i>"
    return f"<p><bdi>{' '.join(filter(None, (judged, other)))}</bdi></p>"


def _format_folded(source: ReportSource) -> str:
    """Return where the page is from, why it was kept, and its passages, folded. HTML."""
    count = len(source.passages)
    title = ngettext("{count} passage", "{count} passages", count).format(count=count)
    passages = "".join(_format_passage(passage) for passage in source.passages)
    if not count:
        passages = f"<p>{_('No passage is relevant to the question.')}</p>"
    reason = ""
    if source.status == "kept":
        reason = _format_judgement(source)
        title = ngettext("Reason and {count} passage", "Reason and {count} passages", count)
        title = title.format(count=count)
    origin = f'<p class="about">{provenance.format_origin(source)}</p>'
    return f"<details><summary>{title}</summary>{reason}{origin}{passages}</details>"


def _format_passage(passage: Passage) -> str:
    return f'<blockquote class="passage">{format_pieces([(passage.text, PLAIN)])}</blockquote>'


def format_score_counts(counts: Mapping[int, int], cutoff: int) -> str:
    """Return the number of sources with each score from 1 to 5 as bars with the cutoff. HTML."""
    most = max(1, *(counts[score] for score in range(1, 6)))
    bars = "".join(
        _format_bar(score, counts[score], most, score >= cutoff, score == cutoff)
        for score in range(1, 6)
    )
    summary = ", ".join(f"{score}/5: {counts[score]}" for score in range(1, 6))
    label = escape_line(
        _("Sources by relevance. {counts}. Kept from {cutoff}.").format(
            counts=summary, cutoff=cutoff
        )
    )
    unscored = ""
    if counts.get(0):
        text = ngettext(
            "{count} source could not be scored. It is kept and flagged.",
            "{count} sources could not be scored. They are kept and flagged.",
            counts[0],
        ).format(count=counts[0])
        unscored = f'<p class="about">{text}</p>'
    return (
        f'<figure><div class="scores" role="img" aria-label="{label}">{bars}</div>'
        f"{unscored}</figure>"
    )


def _format_bar(score: int, count: int, most: int, kept: bool, cut: bool) -> str:
    state = "kept" if kept else "dropped"
    kind = f"{state} cut" if cut else state
    return (
        f'<span class="{kind}"><b>{count or ""}</b><i'
        f' style="height:{3.2 * count / most:.2f}rem"></i>'
        f"<small>{score} {SOURCE_BADGES[state].symbol}</small></span>"
    )


def format_conditions(mode: ResearchMode, relevant: int, read: int) -> str:
    """Return the table of what the mode needs and what was reached, and how much was read. HTML.

    relevant: kept sources that count; read: pages that were read.
    """
    rows = (
        _format_condition(_("Full report"), mode.min_sources_full_report, relevant),
        _format_condition(_("Short report"), mode.min_sources_short_report, relevant),
    )
    body = ""
    for name, needed, reached in rows:
        body += f'<tr><th scope="row">{name}</th><td>{needed}</td><td>{reached}</td></tr>'
    heads = (_("Condition"), _("Needed"), _("Reached"))
    head = "".join(f"<th scope=col>{title}</th>" for title in heads)
    caption = _("{mode} mode keeps pages rated {score}/5 or more").format(
        mode=capitalize_first(_(mode.name)), score=mode.relevance_cutoff
    )
    table = f'<table class="plain"><caption>{caption}</caption><tr>{head}</tr>{body}</table>'
    return f'{table}<p class="about">{_describe_read(mode, read)}</p>'


def _describe_read(mode: ResearchMode, read: int) -> str:
    """Return how many pages were read, and why there may be more than the limit."""
    text = ngettext(
        "{count} page read. The limit of this mode is {limit}.",
        "{count} pages read. The limit of this mode is {limit}.",
        read,
    ).format(count=read, limit=mode.max_sources)
    if read <= mode.max_sources:
        return text
    uncounted = _("Pages from an earlier version and pages that you included do not count.")
    return join_sentences([text, uncounted])


def _format_condition(name: str, needed: int, reached: int) -> tuple[str, str, str]:
    text = ngettext("{count} source", "{count} sources", needed).format(count=needed)
    return name, text, f"{reached} {'✓' if reached >= needed else '✕'}"


def format_other_modes(modes: Sequence[ResearchMode]) -> str:
    """Return what each of these modes needs, folded. HTML."""
    items = ""
    for mode in modes:
        needed = ngettext(
            "Full report: {count} relevant source.",
            "Full report: {count} relevant sources.",
            mode.min_sources_full_report,
        ).format(count=mode.min_sources_full_report)
        short = _("Short report: {count}.").format(count=mode.min_sources_short_report)
        limit = _("Page limit: {count}.").format(count=mode.max_sources)
        items += f"<li><b>{capitalize_first(_(mode.name))}</b> {needed} {short} {limit}</li>"
    return f'<details class="modes"><summary>{_("Other modes")}</summary><ul>{items}</ul></details>'
