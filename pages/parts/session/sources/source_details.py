"""Show one source: decision, score, passages, the sentences citing it, and manual actions."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.session.report.passage import PLAIN, format_pieces
from parts.session.sources import assessment as assessed
from parts.session.sources import host_knowledge, sliders
from parts.session.sources.whatif_effect import UNKNOWN_HOST_NOTE
from parts.shared import failures, hidden_text, provenance
from parts.shared.badges import SOURCE_BADGES, UNKNOWN_HOST
from parts.shared.html_text import escape_line, format_link
from parts.shared.wording import plural_ending
from research_core.citations import cited_passages
from research_core.decisions import gate
from research_core.models import ReportSource, ScoreParts
from research_core.pipeline import assessment, report
from research_core.policy import CredibilityPolicy
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.whatif import WhatIf
from research_core.text.words import clean_for_screen, format_count
from research_core.trust.credibility import compute_terms
from research_core.trust.provenance import is_unknown_host


def draw_card(snapshot: Snapshot, whatif: WhatIf, source: ReportSource) -> None:
    """Draw the card with its buttons, which act on the running session, else on what-if."""
    _draw_buttons(snapshot, source)
    parts = (
        _format_head(source, whatif),
        _format_score(source, whatif),
        _format_host_knowledge(snapshot, source, whatif),
        _format_words(source.parts),
        _format_snippet(snapshot, source),
        _format_relevance(source),
        hidden_text.format_source_detail(source),
    )
    st.html(f'<article class="opened" aria-label="The source">{"".join(parts)}</article>')
    host_knowledge.draw_override_form(snapshot, source, whatif)
    _draw_sentences(snapshot, source)


def _draw_buttons(snapshot: Snapshot, source: ReportSource) -> None:
    with st.container(horizontal=True, key="by_hand"):
        if sliders.can_decide(snapshot):
            _draw_manual_buttons(snapshot, source)
        st.button(
            "Close",
            key="close",
            icon=":material/close:",
            on_click=choose_source,
            args=("",),
            shortcut="Escape",
        )
    if not sliders.can_decide(snapshot):
        st.caption(
            "The gate has decided. Once the report is written, you can include and exclude sources"
            " here, and rewrite it."
        )


def _draw_manual_buttons(snapshot: Snapshot, source: ReportSource) -> None:
    if source.status == "blocked":
        _draw_button(
            snapshot,
            "approve",
            "Include",
            "check",
            source.url,
            "Skip the credibility check; its relevance still decides.",
        )
    if source.status != "struck":
        _draw_button(
            snapshot,
            "strike",
            "Exclude",
            "block",
            source.url,
            "Leave it out of the report.",
        )
    if source.status == "struck" or source.approved:
        _draw_button(
            snapshot, "restore", "Restore", "undo", source.url, "Decide by its scores again."
        )


def _draw_button(snapshot: Snapshot, do: str, label: str, icon: str, url: str, about: str) -> None:
    st.button(
        label,
        key=do,
        icon=f":material/{icon}:",
        help=about,
        on_click=sliders.decide,
        args=(snapshot, do, url),
    )


def find_chosen(whatif: WhatIf) -> ReportSource | None:
    """Return the source named in the address, by report number or short name."""
    asked = st.query_params.get("source", "")
    is_number = asked.isascii() and asked.isdigit() and len(asked) < 5
    if is_number and int(asked):
        for source in whatif.sources:
            if source.url in whatif.was and whatif.was[source.url].number == int(asked):
                return source
    elif asked:
        for source in whatif.sources:
            if sliders.short_source_name(source.url) == asked:
                return source
    return None


def choose_source(url: str) -> None:
    """Open this source, or close the card for "". Clears kept failures. For callbacks."""
    failures.forget_failure()
    if url:
        st.query_params["source"] = sliders.short_source_name(url)
    else:
        st.query_params.pop("source", None)


def _format_head(source: ReportSource, whatif: WhatIf) -> str:
    before = whatif.was.get(source.url)
    number = ""
    states = SOURCE_BADGES[source.status].html
    if before and before.number:
        number = f"<b>[{before.number}]</b> "
    if before and before.status != source.status:
        states += f" in the run: {SOURCE_BADGES[before.status].html}"
    if is_unknown_host(source):
        states += f" {UNKNOWN_HOST.html_with_tooltip(UNKNOWN_HOST_NOTE)}"
    approved = "included by you" if source.approved else ""
    original = provenance.find_originals(whatif.sources, whatif.was).get(source.url, "")
    # The judge's explanation is shown with its score below.
    is_judged = source.relevance is not None and source.reason == source.relevance.explanation
    reason = "" if is_judged else f"<p>{escape_line(source.reason, 800)}</p>"
    return (
        f'<p class="title">{number}{format_link(escape_line(source.title, 300), source.address)}'
        "</p>"
        f'<p class="about">{provenance.format_origin(source, approved)}</p>'
        f"<p>{states}{provenance.format_badges(source, original)}</p>"
        f"{provenance.format_unread(source)}{reason}"
    )


def _format_score(source: ReportSource, whatif: WhatIf) -> str:
    """Return the terms of the score as figures and as a bar with the threshold. HTML."""
    parts = source.parts
    policy = whatif.settings.credibility
    if parts is None:
        return (
            '<p class="about">Your own document, or a page no search listed: no'
            " credibility score.</p>"
        )
    terms = compute_terms(parts, policy.domain_weight, policy.relevance_weight)
    cells = ""
    for (name, product), term in zip(_list_terms(parts, policy), terms, strict=True):
        cells += (
            f"<tr><th scope=row>{escape_line(name)}</th><td>{escape_line(product)}</td>"
            f"<td>{term:.3f}</td></tr>"
        )
    bar = ""
    for number, width in enumerate(terms.widths):
        bar += f'<i class="share{number}" style="width:{100 * width:.1f}%"></i>'
    notes = ""
    if terms.capped:
        notes += f", {terms.capped}"
    if parts.provisional:
        notes += ", provisional"
    verdict = "blocked at" if policy.blocks(parts.score) else "more than"
    return (
        f'<div class="sum" aria-hidden="true">{bar}<b'
        f' style="left:{100 * policy.minimum:.1f}%"></b></div><table'
        f' class="plain"><caption>Credibility {parts.score:.3f}: {verdict}'
        f" {policy.minimum:.2f}{notes}</caption>{cells}</table>"
    )


def _format_host_knowledge(snapshot: Snapshot, source: ReportSource, whatif: WhatIf) -> str:
    """Return what is known of the host, and of the page if it was read. HTML."""
    if source.parts is None:
        return ""
    return host_knowledge.format_table(
        assessed.assess_source(snapshot, whatif, source),
        assessment.list_known_parts(source, whatif.settings.credibility),
    )


def _list_terms(parts: ScoreParts, policy: CredibilityPolicy) -> Sequence[tuple[str, str]]:
    """Return each term of the score in words and as a product."""
    asked = len(parts.matched) + len(parts.missing)
    return (
        (parts.site, f"{parts.domain:.2f} × {policy.domain_weight:.2f}"),
        (
            f"{len(parts.matched)} of {format_count(asked, 'word')}",
            f"{parts.relevance:.2f} × {policy.relevance_weight:.2f}",
        ),
        ("recent date" if parts.recency else "no recent date", ""),
    )


def _format_words(parts: ScoreParts | None) -> str:
    """Return the question's words, ticked if the snippet has them, else struck through. HTML."""
    if parts is None or not (parts.matched or parts.missing):
        return ""
    matched = " ".join(
        f'<span class="badge green">✓ {escape_line(word, 60)}</span>' for word in parts.matched
    )
    missing = " ".join(
        f'<span class="badge gray">✕ <s>{escape_line(word, 60)}</s></span>'
        for word in parts.missing
    )
    return (
        f'<p class="words" aria-label="Words of the question in the snippet">{matched}'
        f" {missing}</p>"
    )


def _format_snippet(snapshot: Snapshot, source: ReportSource) -> str:
    view = snapshot.run.sources[source.url]
    listing = gate.choose_listing(view, snapshot.run.settings)
    if listing is None or not listing.snippet:
        return ""
    shown_by = f"<summary>Snippet from {escape_line(listing.engine, 60)}</summary>"
    return (
        f'<details open>{shown_by}<p class="passage">{escape_line(listing.snippet, 600)}</p>'
        "</details>"
    )


def _format_relevance(source: ReportSource) -> str:
    judged = source.relevance
    if judged is None:
        return '<p class="about">Not read, so its relevance was not judged.</p>'
    score = "not scored"
    if judged.scored:
        score = f"{'●' * judged.score}{'○' * (5 - judged.score)} {judged.score}/5"
    head = f"<p><b>relevance {score}</b> {escape_line(judged.explanation, 800)}</p>"
    if not source.passages:
        return f'{head}<p class="about">No passage is relevant to the question.</p>'
    quoted = "".join(
        f'<blockquote class="passage">{format_pieces([(passage.text, PLAIN)])}</blockquote>'
        for passage in source.passages
    )
    count = f"{len(source.passages)} passage{plural_ending(len(source.passages))} judged"
    return f"{head}<details><summary>{count}</summary>{quoted}</details>"


def _draw_sentences(snapshot: Snapshot, source: ReportSource) -> None:
    """Draw the report's sentences that cite the source, as links to their places."""
    if snapshot.run.report is None:
        return
    cited = [
        one
        for one in cited_passages.list_citations(report.build(snapshot.run))
        if one.source.url == source.url
    ]
    if not cited:
        st.html('<p class="about">The report does not cite it.</p>')
        return
    st.html(
        f'<p class="about">Cited by {len(cited)} sentence{plural_ending(len(cited))} of the'
        " report:</p>"
    )
    with st.container(key="cited_by"):
        for one in cited:
            query = {"session": snapshot.session, "cite": str(one.number)}
            st.page_link(
                "report.py", label=clean_for_screen(one.sentence.text, 160), query_params=query
            )
