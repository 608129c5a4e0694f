"""What other settings would change: the outcome and the counts beside those of the run, what flips,
and which sentences lose support.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from parts.session.report.caveats import LEVEL
from parts.shared.badges import DECISION, SOURCE, UNKNOWN
from parts.shared.html_text import link, markup
from research_core.models import ReportSource
from research_core.pipeline.confidence import DECIDING
from research_core.sessions.reading import Reading
from research_core.sessions.whatif import Flip, Foretold, Loss, Shift, Weighed, WhatIf
from research_core.trust.provenance import site

AS_IT_RAN = (
    "These are the session's own settings. Move a slider, or strike or approve a source, to see"
    " what would change."
)
NOTHING_KNOWN = (
    "Nothing is known of the host; that says nothing against it, and its authority is that of its"
    " kind of address."
)
LISTED = 200  # lines of a list that scrolls; a slider at its end can flip every source


def counts(what: WhatIf) -> dict[str, int]:
    """How many sources there are of each state, in the order of the states."""
    return {
        status: count
        for status in SOURCE
        if (count := sum(source.status == status for source in what.sources))
    }


def outcome(what: WhatIf) -> None:
    """The outcome with its reason, and how many sources are decided how; what differs from the run
    stands beside it.
    """
    now, before = DECISION[what.gate.decision], DECISION[what.stored.decision]
    change = f"{before.html} <b>would become</b> " if what.outcome_changes else ""
    was = {
        status: sum(verdict.status == status for verdict in what.stored.verdicts)
        for status in SOURCE
    }
    here = counts(what)
    told = " ".join(
        _count(status, here.get(status, 0), was[status])
        for status in SOURCE
        if here.get(status) or was[status]
    )
    unknown = sum(is_unknown(source) for source in what.sources)
    told += (
        f" <span>{UNKNOWN._replace(word=f'{unknown} of unknown hosts').titled(NOTHING_KNOWN)}</span>"
        if unknown
        else ""
    )
    st.html(
        f'<div class="outcome" role="status"><p>{change}{now.html} {markup(what.gate.rationale)}.</p>'
        f'<p class="counts">{told}</p></div>'
    )  # fmt: skip


def is_unknown(source: ReportSource) -> bool:
    """Whether nothing is known of its host, so that it counts as any of its kind of address."""
    return source.parts is not None and source.parts.basis == "unknown"


def _count(status: str, now: int, was: int) -> str:
    badge = SOURCE[status]._replace(word=f"{now} {SOURCE[status].word}")
    change = (
        f' <b class="change">{"+" if now > was else "−"}{abs(now - was)}</b>' if now != was else ""
    )
    return f"<span>{badge.html}{change}</span>"


def foretold(shown: Reading, told: Foretold | None) -> str:
    """What a re-write would do, in a sentence or two."""
    kept = "The re-write is a session of its own; this one stays as it is."
    if told is None:
        return (
            "The model chooses anew what to read; calls it makes again are answered from the"
            f" record. {kept}"
        )
    if not (told.new or told.left):
        return f"No new page would be read: all {len(told.again)} are on record. {kept}"
    new = (
        f"{len(told.new)} new page{'' if len(told.new) == 1 else 's'} would be read"
        if told.new
        else "No new page would be read"
    )
    left = f", {len(told.left)} of those read before would not be used" if told.left else ""
    return (
        f"{new}{left}: {shown.run.settings.mode} mode reads up to {shown.run.mode.max_sources}."
        f" {kept}"
    )


# -- lists -------------------------------------------------------------------------------------------------------------------


def lists(what: WhatIf, weighed: Weighed | None = None, *, as_ran: bool = False) -> None:
    """What changes in a sentence, then what flips, loses support, would be read, is scored
    otherwise, and what the confidence comes to.
    """
    by_url = {source.url: source for source in what.sources}
    parts = (
        f'<p class="in_short">{changes(what, as_ran=as_ran)}</p>',
        _weighed(weighed) if weighed else "",
        _sentences("Would lose their last support", what.lost, what, by_url),
        _sentences("Would lose some support", what.weakened, what, by_url),
        _flips(
            "Decided otherwise", [flip for flip in what.flips if flip.now != "readable"], by_url
        ),
        _flips(
            "Would be read now", [flip for flip in what.flips if flip.now == "readable"], by_url
        ),
        _shifts(what.shifts, by_url),
    )
    st.html(
        '<section class="effect" tabindex="0" aria-label="What would'
        f' change">{"".join(parts)}</section>'
    )


def changes(what: WhatIf, *, as_ran: bool = False) -> str:
    """How many decisions and scores would be others, and by how much. HTML."""
    flips, shifts = len(what.flips), len(what.shifts)
    if not (flips or shifts):
        if as_ran:
            return "Nothing would change: this is how the run decided."
        return "No decision and no score would change under these settings."
    decisions = (
        f"{flips} decision{_s(flips)} change{'s' * (flips == 1)}"
        if flips
        else "No decision changes"
    )
    if not shifts:
        return f"{decisions}; every score stays as it is."
    ends = sorted((min(shift.by for shift in what.shifts), max(shift.by for shift in what.shifts)))
    far = (
        f"by {_signed(ends[0])}"
        if round(ends[0], 2) == round(ends[1], 2)
        else f"by {_signed(ends[0])} to {_signed(ends[1])}"
    )
    return f"{decisions}; {shifts} score{_s(shifts)} {'does' if shifts == 1 else 'do'}, {far}."


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _signed(by: float) -> str:
    return f"{'+' if by > 0 else '−'}{abs(by):.2f}"


def _shifts(shifts: Sequence[Shift], by_url: Mapping[str, ReportSource]) -> str:
    if not shifts:
        return ""
    return _listed(
        "Scored otherwise",
        [_shift(shift, by_url[shift.url]) for shift in shifts[:LISTED]],
        len(shifts),
    )


def _shift(shift: Shift, source: ReportSource) -> str:
    known = f": {markup(source.parts.site)}" if source.parts else ""
    about = f'<span class="about">{markup(site(source.address))}{known}</span>'
    return (
        f"<li><b>{shift.was:.2f} → {shift.now:.2f}</b>"
        f" {link(markup(source.title, 120), source.address)} {about}</li>"
    )


def _weighed(weighed: Weighed) -> str:
    """The computed confidence before and after, and the measures that move; what decides nothing
    and stays high is no news.
    """
    if weighed.now is None:
        return (
            f"<h3>Computed confidence: {LEVEL[weighed.was.level].html} → there would be no"
            " report</h3>"
        )
    both = enumerate(zip(weighed.was.lines, weighed.now.lines, strict=True))
    pairs = [
        (was, now)
        for n, (was, now) in both
        if was != now and (n < DECIDING or {was.level, now.level} != {"high"})
    ]
    rows = "".join(
        f"<li>{markup(was.name.capitalize())}: {markup(was.value)} → {markup(now.value)}"
        f"{f' {LEVEL[was.level].html} → {LEVEL[now.level].html}' if was.level != now.level else ''}</li>"
        for was, now in pairs
    )
    levels = LEVEL[weighed.was.level].html + (
        f" → {LEVEL[weighed.now.level].html}"
        if weighed.was.level != weighed.now.level
        else " still"
    )
    return f"<h3>Computed confidence of the text that is left: {levels}</h3><ul>{rows}</ul>"


def _sentences(
    title: str, losses: Sequence[Loss], what: WhatIf, by_url: Mapping[str, ReportSource]
) -> str:
    if not losses:
        return ""
    items = "".join(
        f"<li>{markup(loss.sentence.text, 400)} {_cited(loss, what, by_url)}</li>"
        for loss in losses[:LISTED]
    )
    return f"<h3>{title}: {len(losses)} sentence{_s(len(losses))}</h3><ul>{items}</ul>"


def _cited(loss: Loss, what: WhatIf, by_url: Mapping[str, ReportSource]) -> str:
    gone = ", ".join(
        f"[{what.was[url].number}] {SOURCE[by_url[url].status].label}" for url in loss.gone
    )
    left = (
        f"; keeps {', '.join(f'[{what.was[url].number}]' for url in loss.left)}"
        if loss.left
        else ""
    )
    return f'<span class="about">cites {markup(gone)}{left}</span>'


def _flips(title: str, flips: Sequence[Flip], by_url: Mapping[str, ReportSource]) -> str:
    if not flips:
        return ""
    return _listed(title, [_flip(flip, by_url[flip.url]) for flip in flips[:LISTED]], len(flips))


def _listed(title: str, items: Sequence[str], count: int) -> str:
    """Under a title the first of so many sources, as HTML."""
    more = (
        f"<li>… and {count - len(items)} more, which the table lists</li>"
        if count > len(items)
        else ""
    )
    return f"<h3>{title}: {count} source{_s(count)}</h3><ul>{''.join(items)}{more}</ul>"


def _flip(flip: Flip, source: ReportSource) -> str:
    signs = f"{SOURCE[flip.was].html} → {SOURCE[flip.now].html}"
    about = f'<span class="about">{markup(site(source.address))}: {markup(flip.why)}</span>'
    return f"<li>{signs} {link(markup(source.title, 120), source.address)} {about}</li>"
