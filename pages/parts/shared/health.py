"""Show how a search engine or a model has answered lately."""

from __future__ import annotations

from parts.shared.badges import Badge
from parts.shared.wording import format_ago
from research_core.i18n import N_, _, ngettext
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
    """Return an engine's last outcome, its age and how many searches it answered, as one line."""
    badge = HEALTH_BADGES[health.state]
    if not health.tries:
        return badge.label
    ago = _("{state} {time} ago").format(state=badge.label, time=format_ago(now - health.at))
    share = ngettext(
        "answered {well} of the last {count} search",
        "answered {well} of the last {count} searches",
        health.tries,
    )
    return f"{ago} · {share.format(well=health.answer_count, count=health.tries)}"


def format_reason(health: Health) -> str:
    """Return the reason of the last failure as one short line of text."""
    return truncate(" ".join(strip_invisible(health.reason).split()), 200)
