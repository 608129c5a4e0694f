"""Filter the table of sources by decision, change, words, and the chart's selection.

A filter by a single decision explains why its sources are not used, and how to bring them back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set

import streamlit as st

from parts.audit.audit_badges import ALL_SOURCE_BADGES, find_state, is_from_unknown_site
from parts.session.sources import sliders
from parts.shared.badges import PENDING, SOURCE_BADGES, UNKNOWN_HOST
from research_core.i18n import N_, _, join_sentences, ngettext
from research_core.models import ReportSource
from research_core.pipeline.audit_result import AuditedSource
from research_core.sessions.whatif import WhatIf
from research_core.text.words import contains_words
from research_core.trust.provenance import name_site

FLIPS, SHIFTS, HOSTS = "flips", "shifts", "unknown"
#: For each state of a source that is not used: why, and how to bring it back.
RULES = {
    "blocked": N_("At or below the minimum credibility. Include a source, or lower the minimum."),
    "dropped": N_("Read, but below the minimum relevance. Lower that minimum to keep more."),
    "struck": N_("Excluded by you. Restore it to decide by its scores."),
    "failed": N_("Could not be read. Resume the session to try again."),
    "duplicate": N_("Another address of a page that is already counted."),
    "not_read": N_("Not read: page limit reached. A rewrite reads the sources that you include."),
    "readable": N_("Eligible with these settings: a rewrite would read it."),
}


def filter_sources(
    found: Sequence[ReportSource], whatif: WhatIf, audited: Mapping[str, AuditedSource]
) -> tuple[list[ReportSource], bool]:
    """Draw the filters. Return the matching sources, and whether to show all columns.

    audited: what the check of a report found on its sources, by URL.
    """
    urls_by_kind = {
        FLIPS: {flip.url for flip in whatif.flips},
        SHIFTS: {shift.url for shift in whatif.shifts},
        HOSTS: {source.url for source in found if is_from_unknown_site(source, audited)},
    }
    states = {source.url: find_state(source, audited) for source in found}
    labels = _format_labels(states, urls_by_kind, whatif)
    with st.container(horizontal=True, vertical_alignment="center", key="sift"):
        only = st.pills(
            _("Show only"),
            list(labels),
            selection_mode="multi",
            key="only",
            format_func=lambda kind: labels[kind],
            label_visibility="collapsed",
        )
        words = st.text_input(
            _("Find"),
            key="find",
            type="search",
            live=True,  # filters while the user types
            placeholder=_("Title, site or reason"),
            width=170,
            label_visibility="collapsed",
        )
        whole = _draw_columns_toggle()
        picked = _chart_selection(found)
    rule = st.container()
    wanted = set()
    for kind in only:
        wanted |= urls_by_kind.get(kind, set())
    # A source whose decision changes stays in sight under the filter that had it.
    moved = {flip.url for flip in whatif.flips if flip.was in only}
    wanted |= moved
    shown = []
    for source in found:
        if only and states[source.url] not in only and source.url not in wanted:
            continue
        if picked and source.url not in picked:
            continue
        text = f"{source.title} {name_site(source.address)} {source.reason}"
        if contains_words(text, words):
            shown.append(source)
    if len(only) == 1 and only[0] in RULES:
        beside = _describe_moved(sum(source.url in moved for source in shown))
        rule.caption(join_sentences([_(RULES[only[0]]), beside]))
    return shown, whole


def _draw_columns_toggle() -> bool:
    """Draw the switch for all columns, which stays as it is while other screens are open."""
    if "whole" not in st.session_state:  # Streamlit forgets it when the screen is left
        st.session_state["whole"] = st.session_state.get("all_columns", False)
    st.session_state["all_columns"] = st.toggle(_("All columns"), key="whole")
    return bool(st.session_state["all_columns"])


def _describe_moved(count: int) -> str:
    """Say how many rows are listed only because they were in the chosen state before, or ""."""
    if not count:
        return ""
    return ngettext(
        "Also listed: {count} source that your settings move out of this group.",
        "Also listed: {count} sources that your settings move out of this group.",
        count,
    ).format(count=count)


def _format_labels(
    states: Mapping[str, str], urls_by_kind: Mapping[str, Set[str]], whatif: WhatIf
) -> dict[str, str]:
    """Return a label with the count, and its change, for each filter that matches a source.

    A chosen filter stays while decisions that it showed have changed.
    """
    labels = {}
    counts = Counter(states.values())
    before = Counter(verdict.status for verdict in whatif.stored.verdicts)
    chosen = {flip.was for flip in whatif.flips} & set(st.session_state.get("only") or ())
    for status, badge in ALL_SOURCE_BADGES.items():
        if counts[status] or status in chosen:
            labels[status] = f"{badge.label} {counts[status]}"
            change = counts[status] - before[status]
            if (
                change
                and before
                and status in SOURCE_BADGES
                and status != "readable"
                and status not in PENDING
            ):
                labels[status] += f" ({'+' if change > 0 else '−'}{abs(change)})"
    names = {
        FLIPS: _("⇄ decision changed"),
        SHIFTS: _("≠ score changed"),
        HOSTS: UNKNOWN_HOST.label,
    }
    for kind, urls in urls_by_kind.items():
        if urls:
            share = _("{count} of {total}").format(count=len(urls), total=len(states))
            labels[kind] = f"{names[kind]} {share}"
    return labels


def _chart_selection(found: Sequence[ReportSource]) -> set[str]:
    """Return the URLs selected in the chart, and draw a button that clears the selection."""
    picked = {source.url for source in found} & set(st.session_state.get("picked", ()))
    if picked:
        st.button(
            _("{count} selected in the chart").format(count=len(picked)),
            key="unpick",
            icon=":material/close:",
            help=_("Show all sources"),
            on_click=_clear_on_click,
        )
    return picked


def keep_chart_selection(key: str) -> None:
    """Filter the table by the chart's selected points. Call it from the chart's callback."""
    st.session_state["picked"] = [
        point["customdata"][0] for point in st.session_state[key]["selection"]["points"]
    ]
    sliders.redraw("list")


def chart_key() -> str:
    """Return the chart's widget key. It changes to clear the selection, as Streamlit cannot."""
    return f"strip_{st.session_state.get('unpicked', 0)}"


def clear_selection() -> None:
    """Clear the chart's selection, for another session or at the analyst's request."""
    st.session_state["picked"] = []
    st.session_state["unpicked"] = st.session_state.get("unpicked", 0) + 1


def _clear_on_click() -> None:
    clear_selection()
    sliders.redraw("list", "effect")
