"""Show what other settings would change: outcome, decisions, scores, support and confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from parts.shared.badges import DECISION_BADGES, LEVEL_BADGES, SOURCE_BADGES
from parts.shared.html_text import escape_line, format_link
from parts.shared.wording import plural_ending
from research_core.models import ReportSource
from research_core.sessions import whatif as whatifs
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.whatif import (
    ConfidenceChange,
    Flip,
    Loss,
    ReadingForecast,
    Shift,
    WhatIf,
)
from research_core.text.words import format_count
from research_core.trust.provenance import name_site

UNCHANGED_NOTE = "Move the slider, or include and exclude sources, to see what would change."
UNKNOWN_HOST_NOTE = (
    "Nothing is known about this site. That is no mark against it: its authority is that of its"
    " kind of address."
)
MAX_LISTED = 200  # items; a slider at its end can flip every source
#: States of a source that is not to be read.
EXCLUDED = frozenset({"blocked", "struck"})


def draw_outcome(snapshot: Snapshot, whatif: WhatIf, forecast: ReadingForecast | None) -> None:
    """Draw the outcome and, under other settings than the run's, what a rewrite would do.

    forecast: None where a model chooses what to read.
    """
    now = DECISION_BADGES[whatif.gate.decision]
    before = DECISION_BADGES[whatif.stored.decision]
    change = f"{before.html} <b>would become</b> " if whatif.outcome_changes else ""
    preview = escape_line(describe_preview(snapshot, whatif, forecast))
    st.html(
        f'<div class="outcome" role="status"><p>{change}{now.html} '
        f"{escape_line(whatif.gate.rationale)}. {preview}</p></div>"
    )


def describe_preview(snapshot: Snapshot, whatif: WhatIf, forecast: ReadingForecast | None) -> str:
    """Return in a sentence how many sources pass now and what a rewrite would read."""
    if whatif.settings == whatifs.get_current_settings(snapshot.run):
        return UNCHANGED_NOTE
    passing = sum(flip.was in EXCLUDED and flip.now not in EXCLUDED for flip in whatif.flips)
    failing = sum(flip.was not in EXCLUDED and flip.now in EXCLUDED for flip in whatif.flips)
    changes = []
    if passing:
        verb = "passes" if passing == 1 else "pass"
        changes.append(f"{format_count(passing, 'more source')} {verb}")
    if failing:
        verb = "passes" if failing == 1 else "pass"
        changes.append(f"{format_count(failing, 'source')} no longer {verb}")
    counts = " and ".join(changes) or "The same sources pass"
    return f"{counts}; {_describe_reading(snapshot, forecast)}."


def _describe_reading(snapshot: Snapshot, forecast: ReadingForecast | None) -> str:
    if forecast is None:
        return "the model chooses again which pages to read"
    new = len(forecast.new)
    read = "no new page would be read"
    if new:
        read = f"{new} would be read (page limit {snapshot.run.mode.max_sources})"
    if forecast.left:
        left = format_count(len(forecast.left), "page")
        read += f", and {left} read before would not be used"
    return read


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
        _format_flips("Decision changed", decided, by_url),
        _format_flips("Would be read", readable, by_url),
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
            return "Nothing would change: these are the settings of this session."
        return "These settings change no decision and no score."
    if flips:
        decisions = f"{flips} decision{plural_ending(flips)} change{'s' * (flips == 1)}"
    else:
        decisions = "No decision changes"
    if not shifts:
        return f"{decisions}; no score does."
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
        "Score changed",
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
        return f"<h3>Confidence: {LEVEL_BADGES[weighed.was.level].html} → no report</h3>"
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
        levels += " (unchanged)"
    else:
        levels += f" → {LEVEL_BADGES[weighed.now.level].html}"
    return f"<h3>Confidence of what remains: {levels}</h3><ul>{rows}</ul>"


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
