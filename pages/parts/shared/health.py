"""How a search engine or a model has answered lately, as a badge and in words."""

from __future__ import annotations

from parts.shared.badges import Badge
from parts.shared.wording import ago
from research_core.models import WELL
from research_core.sessions.diagnostics import engine_name
from research_core.sessions.history import NEVER, Health
from research_core.text.words import truncate, visible

#: What one call can come to; "" is that there was none.
STATE = {
    "answered": Badge("✓", "answered", "green"),
    "empty": Badge("○", "found nothing", "gray"),
    "refused": Badge("⊘", "refused", "red"),
    "timed_out": Badge("◷", "timed out", "orange"),
    "failed": Badge("!", "failed", "orange"),
    "": Badge("·", "never tried in a session", "gray"),
}


def name(engine: str) -> str:
    """An engine's name as people know it."""
    return engine_name(engine)


def words(health: Health = NEVER, *, now: float) -> str:
    """The last outcome, how long ago, and how many of the latest calls were answered; one line of
    plain text.
    """
    badge = STATE[health.state]
    if not health.tries:
        return badge.label
    well = sum(health.counts.get(state, 0) for state in WELL)
    return (
        f"{badge.label} {ago(now - health.at)} ago · {well} of the last {health.tries}"
        f" {'call' if health.tries == 1 else 'calls'} went well"
    )


def why(health: Health) -> str:
    """The reason of a last outcome that was a failure, as one short line of text."""
    return truncate(" ".join(visible(health.reason).split()), 200)
