"""What two sessions have otherwise, drawn: tables of settings and outcome, the sources with their
scores, the sentences side by side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.compare import score_changes
from parts.shared import pager
from parts.shared.badges import CHECK, SOURCE, Badge
from parts.shared.html_text import cell, link, markup
from parts.shared.stylesheet import WHOLE
from research_core.sessions.compare import (
    Change,
    Comparison,
    Disputed,
    Said,
    SentencePair,
    SourcePair,
    scores,
)
from research_core.trust.provenance import site

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
ON_A_PAGE = 40


def summary(found: Comparison) -> None:
    """How much of each there is, in one line."""
    counts = found.counts()
    told = [
        _counted("Sources", "source", SOURCES, counts),
        _counted("Sentences", "sentence", SENTENCES, counts),
    ]
    if found.disputed:
        told.append(_counted("Contradictions between sources", "contradiction", SENTENCES, counts))
    st.html("".join(f'<p class="facts">{line}</p>' for line in told))


def _counted(word: str, kind: str, badges: dict[str, Badge], counts: dict[str, int]) -> str:
    shown = [
        badge._replace(word=f"{counts[f'{kind} {name}']} {badge.word}").html
        for name, badge in badges.items()
        if f"{kind} {name}" in counts
    ]
    return f"{word}: {' '.join(shown) or 'none in either'}"


def settings(found: Comparison) -> None:
    if found.settings:
        _table(found.settings, "Settings that differ")
    else:
        st.caption("Both were asked with the same settings.")


def outcome(found: Comparison) -> None:
    _table(found.outcome, "Decision and funnel of both")


def _table(changes: Iterable[Change], caption: str) -> None:
    rows = "".join(
        f'<tr class="{"own" if change.before != change.after else ""}"><th'
        f' scope="row">{markup(change.name)}</th>'
        f"<td>{markup(change.before, 300)}</td><td>{markup(change.after, 300)}</td></tr>"
        for change in changes
    )
    head = '<tr><th></th><th scope="col">before</th><th scope="col">after</th></tr>'
    table = (
        f"<caption>{caption}; what differs stands"
        f" out</caption><thead>{head}</thead><tbody>{rows}</tbody>"
    )
    st.html(f'<table class="plain apart">{table}</table>')


# -- sources ---------------------------------------------------------------------------------------------------------------


def sources(found: Comparison) -> None:
    """The sources of the chosen changes, all but the same ones at first, and the scores that moved
    as a chart.
    """
    if not found.sources:
        st.caption("Neither has found a source.")
        return
    shown = _chosen(found.sources, SOURCES, "same", "changes of sources")
    _source_table(shown)
    score_changes.draw(
        [
            pair
            for pair in shown
            if pair.before and pair.after and scores(pair.before) != scores(pair.after)
        ]
    )


def _chosen(pairs: Sequence[Any], badges: dict[str, Badge], unchanged: str, what: str) -> list[Any]:
    """Those of the changes that are picked; without a pick all that is not unchanged, or everything
    where nothing is.
    """
    counts = Counter(pair.change for pair in pairs)
    kinds = [kind for kind in badges if counts[kind]]
    picked = st.pills(
        what.capitalize(), kinds, selection_mode="multi", key=what.replace(" ", "_"),
        label_visibility="collapsed",
        default=[kind for kind in kinds if kind != unchanged] or kinds,
        format_func=lambda kind: f"{badges[kind].label} {counts[kind]}",
    )  # fmt: skip
    return [pair for pair in pairs if pair.change in picked]


def _source_table(pairs: Sequence[SourcePair]) -> None:
    rows = pd.DataFrame([_source_row(pair) for pair in pairs], columns=list(COLUMNS))
    whole = st.toggle(
        "Whole titles and reasons", key="whole_apart", help="Wraps what a row of one line would cut"
    )
    st.dataframe(
        rows, column_config=COLUMNS, hide_index=True,
        height="content" if len(rows) <= (6 if whole else 12) else 460, key="sources_apart",
        placeholder="", row_height=WHOLE if whole else None,
        alt="Sources of both sessions with decision, credibility and relevance before and after",
    )  # fmt: skip


def _badges(label: str, badges: dict[str, Badge], width: int, **more: Any) -> Any:
    shown = list(badges.values())
    return st.column_config.MultiselectColumn(
        label,
        options=[badge.label for badge in shown],
        color=[badge.tone for badge in shown],
        width=width,
        **more,
    )


COLUMNS: dict[str, Any] = {
    "change": _badges("Change", SOURCES, 145, pinned=True),
    "title": st.column_config.TextColumn("Source", width=250),
    "was": _badges("Decision before", SOURCE, 120),
    "now": _badges("Decision after", SOURCE, 120),
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
    (credibility_was, relevance_was), (credibility_now, relevance_now) = (
        scores(pair.before),
        scores(pair.after),
    )
    return {
        "change": [SOURCES[pair.change].label],
        "title": cell(pair.title),
        "was": [SOURCE[pair.before.status].label] if pair.before else [],
        "now": [SOURCE[pair.after.status].label] if pair.after else [],
        "credibility_was": credibility_was,
        "credibility_now": credibility_now,
        "relevance_was": relevance_was,
        "relevance_now": relevance_now,
        "why": cell(pair.after.reason) if pair.after else "",
        "site": site(pair.url),
    }


# -- sentences -------------------------------------------------------------------------------------------------------------


def sentences(found: Comparison) -> None:
    """The sentences of both reports side by side, with what each cites and what the check found of
    it.
    """
    if not found.sentences:
        st.caption("Neither has a report yet.")
        return
    shown = _chosen(found.sentences, SENTENCES, "kept", "changes of sentences")
    rows = "".join(map(_pair, pager.page(shown, ON_A_PAGE, key="sentence_page")))
    st.html(f'<ol class="apart" aria-label="Sentences before and after">{rows}</ol>')


def _pair(pair: SentencePair) -> str:
    badge = SENTENCES[pair.change].html
    if pair.before and pair.after and pair.before == pair.after:
        return f'<li class="whole">{badge}<div>{_said(pair.before, "both")}</div></li>'
    before, after = _said(pair.before, "before", pair.why), _said(pair.after, "after", pair.why)
    return f'<li>{badge}<div class="before">{before}</div><div class="after">{after}</div></li>'


def _said(said: Said | None, word: str, why: str = "") -> str:
    if said is None:
        return f'<p class="facts">not {word}{": " if why else ""}{markup(why)}</p>'
    cites = " ".join(
        f'<span class="about">{link(f"[{number}] {markup(site(url))}", url)}</span>'
        for number, _, url in said.cites
    )
    check = (
        CHECK[said.state].html if said.state in CHECK else '<span class="facts">no citation</span>'
    )
    return f"<p>{markup(said.text, 2000)}</p><p>{cites} {check}</p>"


# -- contradictions --------------------------------------------------------------------------------------------------------


def disputed(found: Comparison) -> None:
    """What the sources of either report say different things of, the same in both as well."""
    if not found.disputed:
        st.caption(
            "In neither report do sources give different figures, dates or names for one thing or"
            " deny what another says, as far as words show it."
        )
        return
    rows = "".join(map(_dispute, found.disputed))
    names = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("about", "what is said, and by which sources", "what may explain it")
    )
    head = f"<tr><th></th>{names}</tr>"
    st.html(
        '<table class="plain apart"><caption>Contradictions of'
        f" both</caption><thead>{head}</thead><tbody>{rows}</tbody></table>"
    )


def _dispute(one: Disputed) -> str:
    values = "; ".join(f"{markup(claim.value, 80)} [{claim.source}]" for claim in one.found.claims)
    why = (
        f"{one.found.kind}{': ' if one.found.why else ''}{one.found.why}"
        if one.found.kind != "differs"
        else "nothing that was seen"
    )
    badge = SENTENCES[one.change].html
    return (
        f"<tr><td>{badge}</td><th"
        f' scope="row">{markup(one.found.about, 200)}</th><td>{values}</td><td>{markup(why, 200)}</td></tr>'
    )
