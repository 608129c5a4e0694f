"""Choose the badge of an engine, a model or an optional part: whether a run can use it now."""

from __future__ import annotations

from parts.shared.badges import Badge
from research_core.i18n import N_, _
from research_core.sessions.diagnostics import DiagnosticItem
from research_core.sessions.engine_health import NEVER_ASKED, Health

READY = Badge("✓", N_("Ready"), "green")
MISSING_KEY = Badge("○", N_("Missing key"), "orange")
OFF = Badge("–", N_("Off"), "gray")
OFFLINE = Badge("⊘", N_("No connection"), "orange")
#: Badges of what is set up but failed when it was last called, by `Health.state`.
FAILED = {
    "refused": Badge("⊘", N_("Refused"), "red"),
    "timed_out": Badge("◷", N_("Timed out"), "orange"),
    "failed": Badge("!", N_("Failed"), "orange"),
}


def find_badge(
    item: DiagnosticItem, health: Health = NEVER_ASKED, *, is_offline: bool = False
) -> Badge:
    """Return the badge of an item, with its word in the language of the screens.

    is_offline: it needs the network, which this machine does not reach now.
    """
    if item.on and is_offline:
        badge = OFFLINE
    elif item.on:
        badge = FAILED.get(health.state, READY)
    elif "_KEY=" in item.how or "_TOKEN=" in item.how:
        badge = MISSING_KEY
    else:
        badge = OFF
    return badge._replace(word=_(badge.word))
