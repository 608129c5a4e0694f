"""Show what other settings would change: outcome, decisions, scores, support and confidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import streamlit as st

from parts.shared import report_use, watch
from parts.shared.badges import DECISION_BADGES, LEVEL_BADGES, SOURCE_BADGES
from parts.shared.html_text import escape_line, format_link
from research_core.export import document
from research_core.i18n import N_, _, format_number, join_list, join_sentences, ngettext
from research_core.models import ReportSource
from research_core.modes import EXHAUSTIVE
from research_core.pipeline.page_findings import explain_cause, lacks_topic, read_refusal
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
from research_core.text.words import capitalize_first
from research_core.trust.credibility import name_kind_of_site
from research_core.trust.provenance import name_site

UNCHANGED_NOTE = N_("Move the slider to see what would change.")
UNKNOWN_HOST_NOTE = N_("Nothing is known about this site. Its kind of address decides.")
MAX_LISTED = 200  # items; a slider at its end can flip every source
#: States of a source that is not to be read.
EXCLUDED = frozenset({"blocked", "struck"})


def draw_outcome(snapshot: Snapshot, whatif: WhatIf, forecast: ReadingForecast | None) -> None:
    """Draw the outcome and, under other settings than the run's, what a rewrite would do.

    forecast: None where a model chooses what to read.
    """
    decision = ""
    now = DECISION_BADGES[whatif.gate.decision].html
    if whatif.outcome_changes:
        decision = _("{before} <b>would become</b> {now}").format(
            before=DECISION_BADGES[whatif.stored.decision].html, now=now
        )
    elif whatif.gate.decision == "insufficient_data" and not is_as_run(snapshot, whatif):
        decision = _("With the pages read so far: {state}.").format(state=now)
    preview = escape_line(describe_preview(snapshot, whatif, forecast))
    st.html(f'<div class="outcome" role="status"><p>{decision} {preview}</p></div>')


def is_as_run(snapshot: Snapshot, whatif: WhatIf) -> bool:
    """Return True if these are the run's settings with all later decisions by hand."""
    return whatif.settings == whatifs.get_current_settings(snapshot.run)


def describe_preview(snapshot: Snapshot, whatif: WhatIf, forecast: ReadingForecast | None) -> str:
    """Return how many sources pass now and what a rewrite would read, in one or two sentences."""
    if is_as_run(snapshot, whatif):
        return _(UNCHANGED_NOTE)
    admitted = {
        flip.url for flip in whatif.flips if flip.was in EXCLUDED and flip.now not in EXCLUDED
    }
    failing = sum(flip.was not in EXCLUDED and flip.now in EXCLUDED for flip in whatif.flips)
    new = forecast.new if forecast else ()
    reading = _describe_reading(forecast)
    if new and admitted == set(new) and not failing:
        # The pages that pass are those that would be read: counted once.
        sentences = [_("{reading}.").format(reading=capitalize_first(reading))]
    else:
        changes = _describe_passing(len(admitted), failing)
        sentences = [_("{changes}; {reading}.").format(changes=changes, reading=reading)]
    if new and whatif.stored.decision == "insufficient_data" and snapshot.run.report is not None:
        sentences += _describe_doubt(snapshot, whatif, new)
    left = len(forecast.left) if forecast else 0
    if left:
        unused = ngettext(
            "{count} page already read would drop out.",
            "{count} pages already read would drop out.",
            left,
        )
        sentences.append(unused.format(count=left))
    unread = any(source.status == "not_read" for source in whatif.sources)
    if new and whatif.is_limited:
        most = _(
            "A lower minimum adds at most {limit} pages. Include a source to have it read too."
        )
        sentences.append(most.format(limit=whatif.view.mode.max_sources))
    elif unread and admitted & set(new):
        beyond = _(
            "Only pages that newly pass are read beyond the page limit ({limit}). A page that"
            " passed before stays unread unless you include it."
        )
        sentences.append(beyond.format(limit=whatif.view.mode.max_sources))
    elif unread and forecast is not None and not new:
        sentences.append(_describe_more_reading(snapshot, whatif))
    return join_sentences(sentences)


def _describe_doubt(snapshot: Snapshot, whatif: WhatIf, new: Sequence[str]) -> Iterator[str]:
    """Yield why there may still be no report when these pages are read."""
    refusal = read_refusal(watch.derive(snapshot, report_use.build_report))
    if lacks_topic(refusal):
        yield document.join_run_text(document.parse_inline(explain_cause(refusal)))
    elif not whatifs.is_any_likely(whatif.view, new):
        yield describe_unlikely(len(new))


def describe_unlikely(count: int) -> str:
    """Return that so many new pages are probably not about the question."""
    return ngettext(
        "It has few of the words of your question, so there may still be no report.",
        "They have few of the words of your question, so there may still be no report.",
        count,
    )


def _describe_more_reading(snapshot: Snapshot, whatif: WhatIf) -> str:
    """Return what would make a rewrite read a page that passes unread, where it reads none."""
    limit = whatif.view.mode.max_sources
    if snapshot.run.mode.name == EXHAUSTIVE:
        text = _(
            "Include a source to have it read, or raise the page limit ({limit}) under Advanced."
        )
    else:
        text = _(
            "Include a source to have it read. The page limit ({limit}) belongs to the mode: for"
            " more pages, ask again in another mode."
        )
    return text.format(limit=limit)


def _describe_passing(passing: int, failing: int) -> str:
    more = ngettext(
        "{count} more source could be used", "{count} more sources could be used", passing
    )
    fewer = ngettext(
        "{count} source could no longer be used", "{count} sources could no longer be used", failing
    )
    if passing and failing:
        return join_list([more.format(count=passing), fewer.format(count=failing)])
    if passing:
        return more.format(count=passing)
    if failing:
        return fewer.format(count=failing)
    return _("The same sources could be used")


def _describe_reading(forecast: ReadingForecast | None) -> str:
    if forecast is None:
        return _("the model chooses again what to read")
    new = len(forecast.new)
    if not new:
        return _("no new page would be read")
    read = ngettext("{count} new page would be read", "{count} new pages would be read", new)
    return read.format(count=new)


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
        _format_sentences(_("Sentences without support"), whatif.lost, whatif, by_url),
        _format_sentences(_("Sentences with less support"), whatif.weakened, whatif, by_url),
        _format_flips(_("Decision changed"), decided, by_url),
        _format_flips(_("Would be read"), readable, by_url),
        _format_shifts(whatif.shifts, by_url),
    )
    label = escape_line(_("What would change"))
    st.html(f'<section class="effect" tabindex="0" aria-label="{label}">{"".join(parts)}</section>')


def format_changes(whatif: WhatIf, *, as_ran: bool = False) -> str:
    """Return how many decisions and scores would change, and by how much. HTML."""
    flips = len(whatif.flips)
    shifts = len(whatif.shifts)
    if not (flips or shifts):
        if as_ran:
            return _("Nothing would change: these are the settings of this session.")
        return _("No decision and no score changes.")
    sentences = []
    if flips:
        decisions = ngettext("{count} decision changes.", "{count} decisions change.", flips)
        sentences.append(decisions.format(count=flips))
    if shifts:
        changes = [shift.by for shift in whatif.shifts]
        least = _format_signed(min(changes))
        most = _format_signed(max(changes))
        if least == most:
            scores = ngettext(
                "{count} score changes by {by}.", "{count} scores change by {by}.", shifts
            ).format(count=shifts, by=least)
        else:
            scores = ngettext(
                "{count} score changes by {least} to {most}.",
                "{count} scores change by {least} to {most}.",
                shifts,
            ).format(count=shifts, least=least, most=most)
        sentences.append(scores)
    return " ".join(sentences)


def _format_signed(by: float) -> str:
    return f"{'+' if by > 0 else '−'}{format_number(abs(by), '.2f')}"


def _format_shifts(shifts: Sequence[Shift], by_url: Mapping[str, ReportSource]) -> str:
    if not shifts:
        return ""
    return _format_list(
        _("Score changed"),
        [_format_shift(shift, by_url[shift.url]) for shift in shifts[:MAX_LISTED]],
        len(shifts),
    )


def _format_shift(shift: Shift, source: ReportSource) -> str:
    known = f": {escape_line(name_kind_of_site(source.parts))}" if source.parts else ""
    about = f'<span class="about">{escape_line(name_site(source.address))}{known}</span>'
    return (
        f"<li><b>{format_number(shift.was, '.2f')} → {format_number(shift.now, '.2f')}</b>"
        f" {format_link(escape_line(source.title, 120), source.address)} {about}</li>"
    )


def _format_confidence(weighed: ConfidenceChange) -> str:
    """Return the confidence before and after, and the measures that change or matter. HTML."""
    before = LEVEL_BADGES[weighed.was.level].html
    if weighed.now is None:
        return f"<h2>{_('Confidence: {before} → no report').format(before=before)}</h2>"
    rows = ""
    for place, (was, now) in enumerate(zip(weighed.was.lines, weighed.now.lines, strict=True)):
        stays_high = was.level == now.level == "high"
        if was == now or (place >= weighed.was.deciding and stays_high):
            continue
        levels = ""
        if was.level != now.level:
            levels = f" {LEVEL_BADGES[was.level].html} → {LEVEL_BADGES[now.level].html}"
        rows += (
            f"<li>{escape_line(capitalize_first(was.name))}: {escape_line(was.value)} → "
            f"{escape_line(now.value)}{levels}</li>"
        )
    if weighed.was.level == weighed.now.level:
        head = _("Confidence: {level} (unchanged)").format(level=before)
    else:
        after = LEVEL_BADGES[weighed.now.level].html
        head = _("Confidence: {before} → {after}").format(before=before, after=after)
    return f"<h2>{head}</h2><ul>{rows}</ul>"


def _format_sentences(
    title: str, losses: Sequence[Loss], whatif: WhatIf, by_url: Mapping[str, ReportSource]
) -> str:
    if not losses:
        return ""
    items = "".join(
        f"<li>{escape_line(loss.sentence.text, 400)} {_format_loss(loss, whatif, by_url)}</li>"
        for loss in losses[:MAX_LISTED]
    )
    return f"<h2>{title}: {len(losses)}</h2><ul>{items}</ul>"


def _format_loss(loss: Loss, whatif: WhatIf, by_url: Mapping[str, ReportSource]) -> str:
    gone = escape_line(
        join_list(
            [
                f"[{whatif.was[url].number}] {SOURCE_BADGES[by_url[url].status].label}"
                for url in loss.gone
            ]
        )
    )
    if loss.left:
        left = join_list([f"[{whatif.was[url].number}]" for url in loss.left])
        cited = _("cites {gone}, still has {left}").format(gone=gone, left=left)
    else:
        cited = _("cites only {gone}").format(gone=gone)
    return f'<span class="about">{cited}</span>'


def _format_flips(title: str, flips: Sequence[Flip], by_url: Mapping[str, ReportSource]) -> str:
    if not flips:
        return ""
    return _format_list(
        title, [_format_flip(flip, by_url[flip.url]) for flip in flips[:MAX_LISTED]], len(flips)
    )


def _format_list(title: str, items: Sequence[str], count: int) -> str:
    """Return a titled list of the first items and the total count. HTML."""
    more = ""
    if count > len(items):
        more = f"<li>{_('{count} more in the table').format(count=count - len(items))}</li>"
    return f"<h2>{title}: {count}</h2><ul>{''.join(items)}{more}</ul>"


def _format_flip(flip: Flip, source: ReportSource) -> str:
    signs = f"{SOURCE_BADGES[flip.was].html} → {SOURCE_BADGES[flip.now].html}"
    about = (
        f'<span class="about">{escape_line(name_site(source.address))}: '
        f"{escape_line(flip.why)}</span>"
    )
    return f"<li>{signs} {format_link(escape_line(source.title, 120), source.address)} {about}</li>"
