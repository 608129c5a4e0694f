"""Show how a search engine or a model has answered lately."""

from __future__ import annotations

from parts.shared.badges import Badge
from parts.shared.wording import format_ago
from research_core.i18n import N_, _, ngettext
from research_core.models import ANSWERED_STATES
from research_core.sessions.engine_health import NEVER_ASKED, Health
from research_core.sessions.engine_names import format_engine_name
from research_core.text.words import strip_invisible, truncate

#: Badge of a call's outcome; "" means that there was no call.
HEALTH_BADGES = {
    "answered": Badge("✓", N_("answered"), "green"),
    "empty": Badge("○", N_("found nothing"), "gray"),
    "refused": Badge("⊘", N_("refused"), "red"),
    "timed_out": Badge("◷", N_("timed out"), "orange"),
    "failed": Badge("!", N_("failed"), "orange"),
    "": Badge("·", N_("not used yet"), "gray"),
}


def format_engine_label(engine: str) -> str:
    """Return an engine's usual name."""
    return format_engine_name(engine)


def format_health(health: Health = NEVER_ASKED, *, now: float) -> str:
    """Return the last outcome, its age and the share of answered calls as one line of text."""
    badge = HEALTH_BADGES[health.state]
    if not health.tries:
        return badge.label
    well = sum(health.counts.get(state, 0) for state in ANSWERED_STATES)
    ago = _("{state} {time} ago").format(state=badge.label, time=format_ago(now - health.at))
    share = ngettext(
        "{well} of the last {count} call succeeded",
        "{well} of the last {count} calls succeeded",
        health.tries,
    )
    return f"{ago} · {share.format(well=well, count=health.tries)}"


def format_reason(health: Health) -> str:
    """Return the reason of the last failure as one short line of text."""
    return truncate(" ".join(strip_invisible(health.reason).split()), 200)
