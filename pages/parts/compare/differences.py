"""Draw the differences of two sessions: settings, outcome, sources and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.compare import score_changes
from parts.shared import pager
from parts.shared.badges import CHECK_BADGES, SOURCE_BADGES, Badge
from parts.shared.html_text import clean_cell, escape_line, format_link
from parts.shared.stylesheet import WRAPPED_ROW_HEIGHT
from research_core.sessions.compare import (
    Change,
    Comparison,
    ContradictionChange,
    ReportSentence,
    SentencePair,
    SourcePair,
    get_scores,
)
from research_core.trust.provenance import name_site

SOURCES = {
    "decided": Badge("⇄", "decided otherwise", "orange"),
    "gained": Badge("+", "gained", "green"),
    "lost": Badge("−", "lost", "red"),
    "scored": Badge("≠", "scored otherwise", "blue"),
    "same": Badge("=", "the same", "gray"),
}
SENTENCES = {
    "changed": Badge("≈", "changed", "orange"),
    "gained": Badge("+", "gained", "green"),
    "lost": Badge("−", "lost", "red"),
    "kept": Badge("=", "kept", "gray"),
}
PAIRS_PER_PAGE = 40


def draw_summary(found: Comparison) -> None:
    """Draw one line with the number of differences of each kind."""
    counts = found.counts()
    told = [
        _format_count("Sources", "source", SOURCES, counts),
        _format_count("Sentences", "sentence", SENTENCES, counts),
    ]
    if found.disputed:
        told.append(
            _format_count("Contradictions between sources", "contradiction", SENTENCES, counts)
        )
    st.html("".join(f'<p class="facts">{line}</p>' for line in told))


def _format_count(word: str, kind: str, badges: dict[str, Badge], counts: dict[str, int]) -> str:
    shown = [
        badge._replace(word=f"{counts[f'{kind} {name}']} {badge.word}").html
        for name, badge in badges.items()
        if f"{kind} {name}" in counts
    ]
    return f"{word}: {' '.join(shown) or 'none in either'}"


def draw_settings(found: Comparison) -> None:
    if found.settings:
        _draw_table(found.settings, "Settings that differ")
    else:
        st.caption("Both were asked with the same settings.")


def draw_outcome(found: Comparison) -> None:
    _draw_table(found.outcome, "Decision and funnel of both")


def _draw_table(changes: Iterable[Change], caption: str) -> None:
    rows = "".join(map(_format_change, changes))
    head = '<tr><th></th><th scope="col">before</th><th scope="col">after</th></tr>'
    table = (
        f"<caption>{caption}; what differs stands"
        f" out</caption><thead>{head}</thead><tbody>{rows}</tbody>"
    )
    st.html(f'<table class="plain apart">{table}</table>')


def _format_change(change: Change) -> str:
    row_class = "own" if change.before != change.after else ""
    return (
        f'<tr class="{row_class}"><th scope="row">{escape_line(change.name)}</th>'
        f"<td>{escape_line(change.before, 300)}</td><td>{escape_line(change.after, 300)}</td></tr>"
    )


# -- sources ---------------------------------------------------------------------------------------


def draw_sources(found: Comparison) -> None:
    """Draw the sources that differ, filtered by kind of change, and a chart of changed scores."""
    if not found.sources:
        st.caption("Neither has found a source.")
        return
    shown = _pick_changes(found.sources, SOURCES, "same", "changes of sources")
    _draw_source_table(shown)
    moved = []
    for pair in shown:
        is_in_both = pair.before and pair.after
        if is_in_both and get_scores(pair.before) != get_scores(pair.after):
            moved.append(pair)
    score_changes.draw(moved)


def _pick_changes(
    pairs: Sequence[Any], badges: dict[str, Badge], unchanged: str, what: str
) -> list[Any]:
    """Draw a filter and return the pairs that pass it.

    Without a choice: all but the unchanged pairs, or all pairs if none changed.
    """
    counts = Counter(pair.change for pair in pairs)
    kinds = [kind for kind in badges if counts[kind]]
    picked = st.pills(
        what.capitalize(),
        kinds,
        selection_mode="multi",
        key=what.replace(" ", "_"),
        label_visibility="collapsed",
        default=[kind for kind in kinds if kind != unchanged] or kinds,
        format_func=lambda kind: f"{badges[kind].label} {counts[kind]}",
    )
    return [pair for pair in pairs if pair.change in picked]


def _draw_source_table(pairs: Sequence[SourcePair]) -> None:
    rows = pd.DataFrame([_source_row(pair) for pair in pairs], columns=list(COLUMNS))
    whole = st.toggle(
        "Whole titles and reasons", key="whole_apart", help="Wraps what a row of one line would cut"
    )
    most_rows = 6 if whole else 12  # more rows scroll
    st.dataframe(
        rows,
        column_config=COLUMNS,
        hide_index=True,
        height="content" if len(rows) <= most_rows else 460,
        key="sources_apart",
        placeholder="",
        row_height=WRAPPED_ROW_HEIGHT if whole else None,
        alt="Sources of both sessions with decision, credibility and relevance before and after",
    )


def _badge_column(label: str, badges: dict[str, Badge], width: int, **more: Any) -> Any:
    shown = list(badges.values())
    return st.column_config.MultiselectColumn(
        label,
        options=[badge.label for badge in shown],
        color=[badge.tone for badge in shown],
        width=width,
        **more,
    )


COLUMNS: dict[str, Any] = {
    "change": _badge_column("Change", SOURCES, 145, pinned=True),
    "title": st.column_config.TextColumn("Source", width=250),
    "was": _badge_column("Decision before", SOURCE_BADGES, 120),
    "now": _badge_column("Decision after", SOURCE_BADGES, 120),
    "why": st.column_config.TextColumn("Why now", width=320),
    "credibility_was": st.column_config.NumberColumn(
        "Credibility before", format="%.2f", width=120
    ),
    "credibility_now": st.column_config.NumberColumn("after", format="%.2f", width=60),
    "relevance_was": st.column_config.NumberColumn("Relevance before", format="%d / 5", width=115),
    "relevance_now": st.column_config.NumberColumn("after", format="%d / 5", width=60),
    "site": st.column_config.TextColumn("Site", width=180),
}


def _source_row(pair: SourcePair) -> dict[str, Any]:
    credibility_was, relevance_was = get_scores(pair.before)
    credibility_now, relevance_now = get_scores(pair.after)
    return {
        "change": [SOURCES[pair.change].label],
        "title": clean_cell(pair.title),
        "was": [SOURCE_BADGES[pair.before.status].label] if pair.before else [],
        "now": [SOURCE_BADGES[pair.after.status].label] if pair.after else [],
        "credibility_was": credibility_was,
        "credibility_now": credibility_now,
        "relevance_was": relevance_was,
        "relevance_now": relevance_now,
        "why": clean_cell(pair.after.reason) if pair.after else "",
        "site": name_site(pair.url),
    }


# -- sentences -------------------------------------------------------------------------------------


def draw_sentences(found: Comparison) -> None:
    """Draw the sentences of both reports side by side, with citations and check results."""
    if not found.sentences:
        st.caption("Neither has a report yet.")
        return
    shown = _pick_changes(found.sentences, SENTENCES, "kept", "changes of sentences")
    rows = "".join(map(_format_pair, pager.draw_page(shown, PAIRS_PER_PAGE, key="sentence_page")))
    st.html(f'<ol class="apart" aria-label="Sentences before and after">{rows}</ol>')


def _format_pair(pair: SentencePair) -> str:
    badge = SENTENCES[pair.change].html
    if pair.before and pair.after and pair.before == pair.after:
        return f'<li class="whole">{badge}<div>{_format_sentence(pair.before, "both")}</div></li>'
    before = _format_sentence(pair.before, "before", pair.why)
    after = _format_sentence(pair.after, "after", pair.why)
    return f'<li>{badge}<div class="before">{before}</div><div class="after">{after}</div></li>'


def _format_sentence(said: ReportSentence | None, word: str, why: str = "") -> str:
    if said is None:
        reason = f": {escape_line(why)}" if why else ""
        return f'<p class="facts">not {word}{reason}</p>'
    cites = " ".join(
        f'<span class="about">{format_link(f"[{number}] {escape_line(name_site(url))}", url)}'
        "</span>"
        for number, _, url in said.cites
    )
    if said.state in CHECK_BADGES:
        check = CHECK_BADGES[said.state].html
    else:
        check = '<span class="facts">no citation</span>'
    return f"<p>{escape_line(said.text, 2000)}</p><p>{cites} {check}</p>"


# -- contradictions --------------------------------------------------------------------------------


def draw_disputes(found: Comparison) -> None:
    """Draw the contradictions of either report, including those they share."""
    if not found.disputed:
        st.caption(
            "In neither report do sources give different figures, dates or names for one thing or"
            " deny what another says, as far as words show it."
        )
        return
    rows = "".join(map(_format_dispute, found.disputed))
    names = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("about", "what is said, and by which sources", "what may explain it")
    )
    head = f"<tr><th></th>{names}</tr>"
    st.html(
        '<table class="plain apart"><caption>Contradictions of'
        f" both</caption><thead>{head}</thead><tbody>{rows}</tbody></table>"
    )


def _format_dispute(one: ContradictionChange) -> str:
    found = one.found
    values = "; ".join(f"{escape_line(claim.value, 80)} [{claim.source}]" for claim in found.claims)
    if found.kind == "differs":
        why = "nothing that was seen"
    elif found.why:
        why = f"{found.kind}: {found.why}"
    else:
        why = found.kind
    return (
        f"<tr><td>{SENTENCES[one.change].html}</td><th"
        f' scope="row">{escape_line(found.about, 200)}</th><td>{values}</td>'
        f"<td>{escape_line(why, 200)}</td></tr>"
    )
