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
from research_core.i18n import N_, _
from research_core.sessions.compare import (
    KEY_OUTCOMES,
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
    "decided": Badge("⇄", N_("decision changed"), "orange"),
    "gained": Badge("+", N_("only after"), "green"),
    "lost": Badge("−", N_("only before"), "red"),
    "scored": Badge("≠", N_("score changed"), "blue"),
    "same": Badge("=", N_("same"), "gray"),
}
SENTENCES = {
    "changed": Badge("≈", N_("reworded"), "orange"),
    "gained": Badge("+", N_("only after"), "green"),
    "lost": Badge("−", N_("only before"), "red"),
    "kept": Badge("=", N_("same"), "gray"),
}
#: The kinds of pairs that are counted: label, key in the counts, and badges.
COUNTED = (
    (N_("Sources"), "source", SOURCES),
    (N_("Cited sentences"), "sentence", SENTENCES),
    (N_("Contradictions"), "contradiction", SENTENCES),
)
PAIRS_PER_PAGE = 40
MAX_SHORT_VALUE = 40  # characters of a setting that fits the line of those that differ


def draw_summary(found: Comparison) -> None:
    """Draw what differs: the settings first, then the number of differences of each kind."""
    lines = [_describe_settings(found)]
    counts = found.counts()
    for label, kind, badges in COUNTED:
        counted = _format_counts(kind, badges, counts)
        if counted:
            lines.append(f"{escape_line(_(label))}: {counted}")
    st.html("".join(f'<p class="facts">{line}</p>' for line in lines))


def _describe_settings(found: Comparison) -> str:
    """Return the settings that differ as one line of HTML."""
    if not found.settings:
        return escape_line(_("Same settings."))
    changes = [_format_short_change(change) for change in found.settings]
    label = escape_line(_("Settings that differ"))
    return f"{label}: {', '.join(changes)}"


def _format_short_change(change: Change) -> str:
    name = escape_line(change.name)
    if max(len(change.before), len(change.after)) > MAX_SHORT_VALUE:
        return f"<b>{name}</b>"
    return f"<b>{name} {escape_line(change.before)} → {escape_line(change.after)}</b>"


def _format_counts(kind: str, badges: dict[str, Badge], counts: dict[str, int]) -> str:
    shown = []
    for name, badge in badges.items():
        count = counts.get(f"{kind} {name}", 0)
        if count:
            shown.append(badge._replace(word=f"{count} {_(badge.word)}").html)
    return " ".join(shown)


def draw_settings(found: Comparison) -> None:
    if found.settings:
        _draw_table(found.settings, _("Setting"))
    else:
        st.caption(_("Both sessions have the same settings."))


def draw_outcome(found: Comparison) -> None:
    """Draw the main results of both, and whatever else differs."""
    names = [_(name) for name in KEY_OUTCOMES]
    _draw_table(
        [change for change in found.outcome if change.name in names or change.is_difference],
        _("Result"),
    )


def _draw_table(changes: Iterable[Change], label: str) -> None:
    rows = "".join(map(_format_change, changes))
    head = "".join(
        f'<th scope="col">{escape_line(name)}</th>' for name in (label, _("Before"), _("After"))
    )
    st.html(
        '<div class="wide" tabindex="0" role="region"'
        f' aria-label="{escape_line(label)}"><table class="plain apart"><thead><tr>{head}</tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _format_change(change: Change) -> str:
    row_class = "own" if change.is_difference else ""
    return (
        f'<tr class="{row_class}"><th scope="row">{escape_line(change.name)}</th>'
        f"<td>{escape_line(change.before, 300)}</td><td>{escape_line(change.after, 300)}</td></tr>"
    )


# -- sources ---------------------------------------------------------------------------------------


def draw_sources(found: Comparison) -> None:
    """Draw the sources that differ, filtered by kind of change, and a chart of changed scores."""
    if not found.sources:
        st.caption(_("Neither session found a source."))
        return
    shown = _pick_changes(
        found.sources, SOURCES, "same", "changes_of_sources", _("Sources by change")
    )
    _draw_source_table(shown)
    moved = []
    for pair in shown:
        is_in_both = pair.before and pair.after
        if is_in_both and get_scores(pair.before) != get_scores(pair.after):
            moved.append(pair)
    score_changes.draw(moved)


def _pick_changes(
    pairs: Sequence[Any], badges: dict[str, Badge], unchanged: str, key: str, label: str
) -> list[Any]:
    """Draw a filter and return the pairs that pass it.

    Without a choice: all but the unchanged pairs, or all pairs if none changed.
    """
    counts = Counter(pair.change for pair in pairs)
    kinds = [kind for kind in badges if counts[kind]]
    picked = st.pills(
        label,
        kinds,
        selection_mode="multi",
        key=key,
        label_visibility="collapsed",
        default=[kind for kind in kinds if kind != unchanged] or kinds,
        format_func=lambda kind: f"{badges[kind].label} {counts[kind]}",
    )
    return [pair for pair in pairs if pair.change in picked]


def _draw_source_table(pairs: Sequence[SourcePair]) -> None:
    columns = build_columns()
    rows = pd.DataFrame([_source_row(pair) for pair in pairs], columns=list(columns))
    whole = st.toggle(_("Full text"), key="whole_apart")
    most_rows = 6 if whole else 12  # more rows scroll
    st.dataframe(
        rows,
        column_config=columns,
        hide_index=True,
        height="content" if len(rows) <= most_rows else 460,
        key="sources_apart",
        placeholder="",
        row_height=WRAPPED_ROW_HEIGHT if whole else None,
        alt=_("Sources before and after: decision, credibility and relevance"),
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


def build_columns() -> dict[str, Any]:
    """Return the columns of the table of sources, in the language of the screens."""
    column = st.column_config
    return {
        "change": _badge_column(_("Change"), SOURCES, 145, pinned=True),
        "title": column.TextColumn(_("Source"), width=250),
        "was": _badge_column(_("Decision before"), SOURCE_BADGES, 120),
        "now": _badge_column(_("Decision after"), SOURCE_BADGES, 120),
        "why": column.TextColumn(_("Reason after"), width=320),
        "credibility_was": column.NumberColumn(_("Credibility before"), format="%.2f", width=125),
        "credibility_now": column.NumberColumn(_("Credibility after"), format="%.2f", width=115),
        "relevance_was": column.NumberColumn(_("Relevance before"), format="%d / 5", width=120),
        "relevance_now": column.NumberColumn(_("Relevance after"), format="%d / 5", width=110),
        "site": column.TextColumn(_("Site"), width=180),
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
        st.caption(_("Neither session has a report yet."))
        return
    shown = _pick_changes(
        found.sentences, SENTENCES, "kept", "changes_of_sentences", _("Sentences by change")
    )
    rows = "".join(map(_format_pair, pager.draw_page(shown, PAIRS_PER_PAGE, key="sentence_page")))
    st.html(
        f'<ol class="apart" aria-label="{escape_line(_("Sentences before and after"))}">{rows}</ol>'
    )


def _format_pair(pair: SentencePair) -> str:
    badge = SENTENCES[pair.change].html
    if pair.before and pair.after and pair.before == pair.after:
        return f'<li class="whole">{badge}<div>{_format_sentence(pair.before)}</div></li>'
    before = _format_sentence(pair.before, pair.why)
    after = _format_sentence(pair.after, pair.why)
    return f'<li>{badge}<div class="before">{before}</div><div class="after">{after}</div></li>'


def _format_sentence(said: ReportSentence | None, why: str = "") -> str:
    """Return a sentence with its citations, or why a report does not have it. HTML."""
    if said is None:
        missing = _("Not in this report: {reason}") if why else _("Not in this report")
        return f'<p class="facts">{escape_line(missing.format(reason=why))}</p>'
    cites = " ".join(
        f'<span class="about">{format_link(f"[{number}] {escape_line(name_site(url))}", url)}'
        "</span>"
        for number, _, url in said.cites
    )
    check = CHECK_BADGES[said.state].html if said.state in CHECK_BADGES else ""
    return f"<p>{escape_line(said.text, 2000)}</p><p>{cites} {check}</p>"


# -- contradictions --------------------------------------------------------------------------------


def draw_disputes(found: Comparison) -> None:
    """Draw the contradictions of either report, including those they share."""
    if not found.disputed:
        st.caption(_("No contradictions found in either report."))
        return
    rows = "".join(map(_format_dispute, found.disputed))
    names = (_("Change"), _("Topic"), _("Values and sources"), _("Possible explanation"))
    head = "".join(f'<th scope="col">{escape_line(name)}</th>' for name in names)
    st.html(
        '<div class="wide" tabindex="0" role="region"'
        f' aria-label="{escape_line(_("Contradictions"))}"><table class="plain apart">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _format_dispute(one: ContradictionChange) -> str:
    found = one.found
    values = ", ".join(f"{escape_line(claim.value, 80)} [{claim.source}]" for claim in found.claims)
    if found.kind == "differs":
        why = _("none found")
    elif found.why:
        why = f"{found.kind}: {found.why}"
    else:
        why = found.kind
    return (
        f"<tr><td>{SENTENCES[one.change].html}</td><th"
        f' scope="row">{escape_line(found.about, 200)}</th><td>{values}</td>'
        f"<td>{escape_line(why, 200)}</td></tr>"
    )
