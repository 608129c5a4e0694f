"""Format a session's progress as HTML: stages, spending, gate, draft text and news."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import repeat
from math import ceil

from parts.session.report import prose
from parts.shared.badges import DECISION_BADGES, Badge
from parts.shared.html_text import escape_line
from parts.shared.wording import format_cost, format_duration, format_time_of_day
from research_core.i18n import N_, _, format_number, join_list, ngettext
from research_core.models import Block, format_state_counts
from research_core.policy import Caps
from research_core.sessions.snapshot import GateOutlook, Stage, StageFigure
from research_core.sessions.spending import Elapsed, SessionUsage
from research_core.sessions.timeline import News
from research_core.text.words import capitalize_first

#: Badges of each `Stage.state`; their words are read out.
STAGE_BADGES = {
    "done": Badge("✓", N_("done"), "green"),
    "now": Badge("●", N_("in progress"), "blue"),
    "halted": Badge("‖", N_("stopped"), "orange"),
    "to come": Badge("○", N_("not started"), "gray"),
}


def format_stages(stages: Sequence[Stage]) -> str:
    """Return the stages from left to right, the running ones marked as current. HTML."""
    label = escape_line(_("Progress"))
    return f'<ol class="stages" aria-label="{label}">{"".join(map(_format_stage, stages))}</ol>'


def _format_stage(stage: Stage) -> str:
    figures = "".join(map(_format_figure, stage.figures)) or "<span>&nbsp;</span>"
    current = ' aria-current="step"' if stage.state == "now" else ""
    badge = STAGE_BADGES[stage.state]
    name = (
        f'<span class="step"><i title="{escape_line(badge.text)}">{badge.symbol}</i>'
        f" {escape_line(_(stage.name))}</span>"
    )
    return (
        f'<li class="{stage.state.replace(" ", "-")}"{current}>{name}<span'
        f' class="figures">{figures}</span></li>'
    )


def _format_figure(figure: StageFigure) -> str:
    title = f' title="{escape_line(figure.help)}"' if figure.help else ""
    return f"<span{title}><b>{figure.number}</b> {escape_line(figure.unit)}</span>"


def format_wait(seconds: float) -> str:
    """Return that the run waits for a rate-limited model, "" for 0 seconds. HTML."""
    if not seconds:
        return ""
    # Rounded up, so that it never says 0 s while the run waits.
    waiting = _("rate limited, waiting {seconds} s").format(seconds=ceil(seconds))
    return f" · <b>{escape_line(waiting)}</b>"


def format_spending(
    spent: SessionUsage, elapsed: Elapsed, caps: Caps, *, is_offline: bool = False
) -> str:
    """Return time, calls, tokens and cost so far, each with its limit if there is one. HTML.

    is_offline: rules on this machine answer instead of a model; only a limit counts their steps.
    """
    facts = [
        _format_time(elapsed, caps.seconds),
        _format_calls(spent.calls, caps.calls, is_offline=is_offline),
    ]
    if spent.tokens or caps.tokens is not None:
        tokens = _format_capped(format_number(spent.tokens), caps.tokens, ",")
        facts.append(ngettext("{used} token", "{used} tokens", spent.tokens).format(used=tokens))
    facts.append(_format_cost(spent.cost, caps.cost))
    return " · ".join(filter(None, facts))


def _format_calls(calls: int, cap: int | None, *, is_offline: bool) -> str:
    used = _format_capped(format_number(calls), cap, ",")
    if not is_offline:
        return ngettext("{used} model call", "{used} model calls", calls).format(used=used)
    if cap is None:
        return ""
    return ngettext("{used} step by rules", "{used} steps by rules", calls).format(used=used)


def _format_time(elapsed: Elapsed, cap: float | None) -> str:
    """Return the elapsed time with its limit, which applies to a single attempt."""
    time = format_duration(elapsed.seconds)
    if cap is None:
        return time
    if elapsed.of_attempt:
        return _("{used} of {limit}").format(used=time, limit=format_duration(cap))
    return _("{used} (limit {limit} for each attempt)").format(
        used=time, limit=format_duration(cap)
    )


def _format_cost(spent: float | None, cap: float | None) -> str:
    if cap is None:
        return format_cost(spent)
    if spent is None:
        return _("cost unknown, the limit of ${limit:g} may not hold").format(limit=cap)
    return _format_capped(f"${format_number(spent, '.4f')}", cap, "g", unit="$")


def _format_capped(used: str, cap: float | None, spec: str, unit: str = "") -> str:
    if cap is None:
        return used
    return _("{used} of {limit}").format(used=used, limit=f"{unit}{format_number(cap, spec)}")


def format_gate(outlook: GateOutlook) -> str:
    """Return the gate so far: counts, the mode's thresholds, and the actual or likely decision."""
    mode = outlook.mode
    counts = [format_state_counts({"kept": outlook.kept})]
    if outlook.copies:
        copies = ngettext(
            "{count} of them a copy, not counted",
            "{count} of them copies, not counted",
            outlook.copies,
        )
        counts.append(copies.format(count=outlook.copies))
    counts.append(format_state_counts({"dropped": outlook.dropped}))
    if outlook.coming and not outlook.decision:
        counts.append(_("{count} being read or judged").format(count=outlook.coming))
    requirements = _(
        "{mode} mode needs {full} kept sources for a full report, {short} for a short one. A"
        " source is kept if its relevance is {cutoff} of 5 or more."
    ).format(
        mode=capitalize_first(_(mode.name)),
        full=mode.min_sources_full_report,
        short=mode.min_sources_short_report,
        cutoff=mode.relevance_cutoff,
    )
    if outlook.decision:
        decided = f"{DECISION_BADGES[outlook.decision].html} {escape_line(outlook.rationale)}."
    else:
        decided = escape_line(outlook.outlook)
    return (
        f'<div class="gate-bar"><p>{join_list(counts)}</p><p>{decided}</p>'
        f'<p class="about">{requirements}</p></div>'
    )


def format_text(blocks: Sequence[Block]) -> str:
    """Return the text written so far, without citations, since nothing is checked yet. HTML."""
    # Its headings are below that of the panel.
    small = []
    for block in blocks:
        small.append(replace(block, level=3) if block.kind == "heading" else block)
    return f'<div class="writing">{prose.format_blocks(small, repeat(""))}</div>'


def format_news(news: Sequence[News]) -> str:
    """Return what happened, newest first. HTML."""
    label = escape_line(_("Log, newest first"))
    items = "".join(map(_format_news_item, news))
    return f'<ol class="told" tabindex="0" aria-label="{label}">{items}</ol>'


def _format_news_item(one: News) -> str:
    return (
        f'<li class="{one.topic}"><time '
        f'title="{format_time_of_day(one.at)}">{format_duration(one.after)}</time>'
        f" <span>{escape_line(one.text, 400)}</span></li>"
    )
