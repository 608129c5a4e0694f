"""What other settings would change: the outcome and the counts beside those of the run, what flips, and which sentences lose support."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from parts.badges import DECISION, SOURCE
from parts.safe import link, markup
from research_core.models import ReportSource
from research_core.origin import site
from research_core.reading import Reading
from research_core.whatif import Flip, Foretold, Loss, WhatIf

AS_IT_RAN = "These are the session's own settings. Move a slider, or strike or approve a source, to see what would change."
LISTED = 200  # lines of a list that scrolls; a slider at its end can flip every source


def counts(what: WhatIf) -> dict[str, int]:
    """How many sources there are of each state, in the order of the states."""
    return {status: count for status in SOURCE if (count := sum(source.status == status for source in what.sources))}


def outcome(what: WhatIf) -> None:
    """The outcome with its reason, and how many sources are decided how; what differs from the run stands beside it."""
    now, before = DECISION[what.gate.decision], DECISION[what.stored.decision]
    change = f"{before.html} <b>would become</b> " if what.outcome_changes else ""
    was = {status: sum(verdict.status == status for verdict in what.stored.verdicts) for status in SOURCE}
    here = counts(what)
    told = " ".join(_count(status, here.get(status, 0), was[status]) for status in SOURCE if here.get(status) or was[status])
    st.html(
        f'<div class="outcome" role="status"><p>{change}{now.html} {markup(what.gate.rationale)}.</p>'
        f'<p class="counts">{told}</p></div>'
    )  # fmt: skip


def _count(status: str, now: int, was: int) -> str:
    badge = SOURCE[status]._replace(word=f"{now} {SOURCE[status].word}")
    change = f' <b class="change">{"+" if now > was else "−"}{abs(now - was)}</b>' if now != was else ""
    return f"<span>{badge.html}{change}</span>"


def foretold(shown: Reading, told: Foretold | None) -> str:
    """What a re-write would do, in a sentence or two."""
    kept = "The re-write is a session of its own; this one stays as it is."
    if told is None:
        return f"The model chooses anew what to read; calls it makes again are answered from the record. {kept}"
    if not (told.new or told.left):
        return f"No new page would be read: all {len(told.again)} are on record. {kept}"
    new = f"{len(told.new)} new page{'' if len(told.new) == 1 else 's'} would be read" if told.new else "No new page would be read"
    left = f", {len(told.left)} of those read before would not be used" if told.left else ""
    return f"{new}{left}: {shown.run.settings.mode} mode reads up to {shown.run.mode.max_sources}. {kept}"


# -- lists -------------------------------------------------------------------------------------------------------------------


def lists(what: WhatIf) -> None:
    """What flips, what loses support, and what would be read; a sentence where nothing would change."""
    by_url = {source.url: source for source in what.sources}
    parts = (
        _sentences("Would lose their last support", what.lost, what, by_url),
        _sentences("Would lose some support", what.weakened, what, by_url),
        _flips("Decided otherwise", [flip for flip in what.flips if flip.now != "readable"], by_url),
        _flips("Would be read now", [flip for flip in what.flips if flip.now == "readable"], by_url),
    )
    said = "".join(parts) or f'<p class="about">{_unchanged(what)}</p>'
    st.html(f'<section class="effect" tabindex="0" aria-label="What would change">{said}</section>')


def _unchanged(what: WhatIf) -> str:
    if what.gate.rationale != what.stored.rationale:
        return "No source is decided otherwise and every sentence keeps its support."
    return "Nothing would change: this is how the run decided."


def _sentences(title: str, losses: Sequence[Loss], what: WhatIf, by_url: Mapping[str, ReportSource]) -> str:
    if not losses:
        return ""
    items = "".join(f"<li>{markup(loss.sentence.text, 400)} {_cited(loss, what, by_url)}</li>" for loss in losses[:LISTED])
    return f"<h3>{title}: {len(losses)} sentence{'' if len(losses) == 1 else 's'}</h3><ul>{items}</ul>"


def _cited(loss: Loss, what: WhatIf, by_url: Mapping[str, ReportSource]) -> str:
    gone = ", ".join(f"[{what.was[url].number}] {SOURCE[by_url[url].status].label}" for url in loss.gone)
    left = f"; keeps {', '.join(f'[{what.was[url].number}]' for url in loss.left)}" if loss.left else ""
    return f'<span class="about">cites {markup(gone)}{left}</span>'


def _flips(title: str, flips: Sequence[Flip], by_url: Mapping[str, ReportSource]) -> str:
    if not flips:
        return ""
    items = "".join(_flip(flip, by_url[flip.url]) for flip in flips[:LISTED])
    more = f"<li>… and {len(flips) - LISTED} more, which the table lists</li>" if len(flips) > LISTED else ""
    return f"<h3>{title}: {len(flips)} source{'' if len(flips) == 1 else 's'}</h3><ul>{items}{more}</ul>"


def _flip(flip: Flip, source: ReportSource) -> str:
    signs = f"{SOURCE[flip.was].html} → {SOURCE[flip.now].html}"
    about = f'<span class="about">{markup(site(source.address))}: {markup(flip.why)}</span>'
    return f"<li>{signs} {link(markup(source.title, 120), source.address)} {about}</li>"
