"""Show what other settings would change: outcome, counts, flips, and lost support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from parts.session.report.caveats import LEVEL_BADGES
from parts.shared.badges import DECISION_BADGES, SOURCE_BADGES, UNKNOWN_HOST
from parts.shared.html_text import escape_line, format_link
from parts.shared.wording import plural_ending
from research_core.models import ReportSource
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.whatif import (
    ConfidenceChange,
    Flip,
    Loss,
    ReadingForecast,
    Shift,
    WhatIf,
)
from research_core.trust.provenance import is_unknown_host, name_site

UNCHANGED_NOTE = (
    "These are the session's own settings. Move a slider, or strike or approve a source, to see"
    " what would change."
)
UNKNOWN_HOST_NOTE = (
    "Nothing is known of the host; that says nothing against it, and its authority is that of its"
    " kind of address."
)
MAX_LISTED = 200  # items; a slider at its end can flip every source


def count_states(whatif: WhatIf) -> dict[str, int]:
    """Return the number of sources in each state, in the order of the states."""
    counts = Counter(source.status for source in whatif.sources)
    return {status: counts[status] for status in SOURCE_BADGES if counts[status]}


def draw_outcome(whatif: WhatIf) -> None:
    """Draw the outcome, its reason and the counts, beside those of the run if they differ."""
    now = DECISION_BADGES[whatif.gate.decision]
    before = DECISION_BADGES[whatif.stored.decision]
    change = f"{before.html} <b>would become</b> " if whatif.outcome_changes else ""
    counts_before = Counter(verdict.status for verdict in whatif.stored.verdicts)
    counts_now = count_states(whatif)
    counts = []
    for status in SOURCE_BADGES:
        if counts_now.get(status) or counts_before[status]:
            counts.append(_format_count(status, counts_now.get(status, 0), counts_before[status]))
    html = " ".join(counts)
    unknown = sum(is_unknown_host(source) for source in whatif.sources)
    if unknown:
        badge = UNKNOWN_HOST._replace(word=f"{unknown} of unknown hosts")
        html += f" <span>{badge.html_with_tooltip(UNKNOWN_HOST_NOTE)}</span>"
    st.html(
        f'<div class="outcome" role="status"><p>{change}{now.html} '
        f"{escape_line(whatif.gate.rationale)}.</p>"
        f'<p class="counts">{html}</p></div>'
    )


def _format_count(status: str, now: int, was: int) -> str:
    badge = SOURCE_BADGES[status]._replace(word=f"{now} {SOURCE_BADGES[status].word}")
    if now == was:
        return f"<span>{badge.html}</span>"
    sign = "+" if now > was else "−"
    return f'<span>{badge.html} <b class="change">{sign}{abs(now - was)}</b></span>'


def describe_rewrite(snapshot: Snapshot, told: ReadingForecast | None) -> str:
    """Return what a re-write would do, in one or two sentences."""
    kept = "The re-write is a session of its own; this one stays as it is."
    if told is None:
        return (
            "The model chooses anew what to read; calls it makes again are answered from the"
            f" record. {kept}"
        )
    if not (told.new or told.left):
        return f"No new page would be read: all {len(told.again)} are on record. {kept}"
    if told.new:
        new = f"{len(told.new)} new page{plural_ending(len(told.new))} would be read"
    else:
        new = "No new page would be read"
    left = f", {len(told.left)} of those read before would not be used" if told.left else ""
    return (
        f"{new}{left}: {snapshot.run.settings.mode} mode reads up to"
        f" {snapshot.run.mode.max_sources}."
        f" {kept}"
    )


# -- lists -----------------------------------------------------------------------------------------


def draw_lists(
    whatif: WhatIf, weighed: ConfidenceChange | None = None, *, as_ran: bool = False
) -> None:
    """Draw a summary, then flips, lost support, new reads, changed scores and confidence."""
    by_url = {source.url: source for source in whatif.sources}
    decided = [flip for flip in whatif.flips if flip.now != "readable"]
    readable = [flip for flip in whatif.flips if flip.now == "readable"]
    parts = (
        f'<p class="in_short">{format_changes(whatif, as_ran=as_ran)}</p>',
        _format_confidence(weighed) if weighed else "",
        _format_sentences("Would lose their last support", whatif.lost, whatif, by_url),
        _format_sentences("Would lose some support", whatif.weakened, whatif, by_url),
        _format_flips("Decided otherwise", decided, by_url),
        _format_flips("Would be read now", readable, by_url),
        _format_shifts(whatif.shifts, by_url),
    )
    st.html(
        '<section class="effect" tabindex="0" aria-label="What would'
        f' change">{"".join(parts)}</section>'
    )


def format_changes(whatif: WhatIf, *, as_ran: bool = False) -> str:
    """Return how many decisions and scores would change, and by how much. HTML."""
    flips = len(whatif.flips)
    shifts = len(whatif.shifts)
    if not (flips or shifts):
        if as_ran:
            return "Nothing would change: this is how the run decided."
        return "No decision and no score would change under these settings."
    if flips:
        decisions = f"{flips} decision{plural_ending(flips)} change{'s' * (flips == 1)}"
    else:
        decisions = "No decision changes"
    if not shifts:
        return f"{decisions}; every score stays as it is."
    changes = [shift.by for shift in whatif.shifts]
    least = min(changes)
    most = max(changes)
    change = f"by {_format_signed(least)}"
    if round(least, 2) != round(most, 2):
        change += f" to {_format_signed(most)}"
    verb = "does" if shifts == 1 else "do"
    return f"{decisions}; {shifts} score{plural_ending(shifts)} {verb}, {change}."


def _format_signed(by: float) -> str:
    return f"{'+' if by > 0 else '−'}{abs(by):.2f}"


def _format_shifts(shifts: Sequence[Shift], by_url: Mapping[str, ReportSource]) -> str:
    if not shifts:
        return ""
    return _format_list(
        "Scored otherwise",
        [_format_shift(shift, by_url[shift.url]) for shift in shifts[:MAX_LISTED]],
        len(shifts),
    )


def _format_shift(shift: Shift, source: ReportSource) -> str:
    known = f": {escape_line(source.parts.site)}" if source.parts else ""
    about = f'<span class="about">{escape_line(name_site(source.address))}{known}</span>'
    return (
        f"<li><b>{shift.was:.2f} → {shift.now:.2f}</b>"
        f" {format_link(escape_line(source.title, 120), source.address)} {about}</li>"
    )


def _format_confidence(weighed: ConfidenceChange) -> str:
    """Return the confidence before and after, and the measures that change or matter. HTML."""
    if weighed.now is None:
        return (
            f"<h3>Computed confidence: {LEVEL_BADGES[weighed.was.level].html} → there would be no"
            " report</h3>"
        )
    rows = ""
    for place, (was, now) in enumerate(zip(weighed.was.lines, weighed.now.lines, strict=True)):
        stays_high = was.level == now.level == "high"
        if was == now or (place >= weighed.was.deciding and stays_high):
            continue
        levels = ""
        if was.level != now.level:
            levels = f" {LEVEL_BADGES[was.level].html} → {LEVEL_BADGES[now.level].html}"
        rows += (
            f"<li>{escape_line(was.name.capitalize())}: {escape_line(was.value)} → "
            f"{escape_line(now.value)}{levels}</li>"
        )
    levels = LEVEL_BADGES[weighed.was.level].html
    if weighed.was.level == weighed.now.level:
        levels += " still"
    else:
        levels += f" → {LEVEL_BADGES[weighed.now.level].html}"
    return f"<h3>Computed confidence of the text that is left: {levels}</h3><ul>{rows}</ul>"


def _format_sentences(
    title: str, losses: Sequence[Loss], whatif: WhatIf, by_url: Mapping[str, ReportSource]
) -> str:
    if not losses:
        return ""
    items = "".join(
        f"<li>{escape_line(loss.sentence.text, 400)} {_format_loss(loss, whatif, by_url)}</li>"
        for loss in losses[:MAX_LISTED]
    )
    return f"<h3>{title}: {len(losses)} sentence{plural_ending(len(losses))}</h3><ul>{items}</ul>"


def _format_loss(loss: Loss, whatif: WhatIf, by_url: Mapping[str, ReportSource]) -> str:
    gone = ", ".join(
        f"[{whatif.was[url].number}] {SOURCE_BADGES[by_url[url].status].label}" for url in loss.gone
    )
    if loss.left:
        left = f"; keeps {', '.join(f'[{whatif.was[url].number}]' for url in loss.left)}"
    else:
        left = ""
    return f'<span class="about">cites {escape_line(gone)}{left}</span>'


def _format_flips(title: str, flips: Sequence[Flip], by_url: Mapping[str, ReportSource]) -> str:
    if not flips:
        return ""
    return _format_list(
        title, [_format_flip(flip, by_url[flip.url]) for flip in flips[:MAX_LISTED]], len(flips)
    )


def _format_list(title: str, items: Sequence[str], count: int) -> str:
    """Return a titled list of the first items and the total count. HTML."""
    if count > len(items):
        more = f"<li>… and {count - len(items)} more, which the table lists</li>"
    else:
        more = ""
    return f"<h3>{title}: {count} source{plural_ending(count)}</h3><ul>{''.join(items)}{more}</ul>"


def _format_flip(flip: Flip, source: ReportSource) -> str:
    signs = f"{SOURCE_BADGES[flip.was].html} → {SOURCE_BADGES[flip.now].html}"
    about = (
        f'<span class="about">{escape_line(name_site(source.address))}: '
        f"{escape_line(flip.why)}</span>"
    )
    return f"<li>{signs} {format_link(escape_line(source.title, 120), source.address)} {about}</li>"
