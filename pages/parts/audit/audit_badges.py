"""Define the badges of an audit's verdicts and of the states of its sources."""

from __future__ import annotations

from parts.shared.badges import Badge
from research_core.i18n import N_
from research_core.pipeline.audit_result import STATE_LABELS, VERDICT_LABELS

_VERDICT_SIGNS = {
    "supported": ("✓", "green"),
    "partly": ("◐", "orange"),
    N_("not found"): ("✕", "red"),
    N_("not decided"): ("≈", "gray"),
    N_("could not check"): ("?", "gray"),
}
_STATE_SIGNS = {
    "live": ("✓", "green"),
    "dead": ("!", "red"),
    N_("never existed"): ("⊘", "red"),
    "refused": ("⌀", "orange"),
    "paywalled": ("⌀", "orange"),
    N_("not read"): ("○", "gray"),
}
VERDICT_BADGES: dict[str, Badge] = {
    verdict: Badge(_VERDICT_SIGNS[verdict][0], label, _VERDICT_SIGNS[verdict][1])
    for verdict, label in VERDICT_LABELS.items()
}
STATE_BADGES: dict[str, Badge] = {
    state: Badge(_STATE_SIGNS[state][0], label, _STATE_SIGNS[state][1])
    for state, label in STATE_LABELS.items()
}
