"""Define the badges of an audit's verdicts and of the states of its sources."""

from __future__ import annotations

from parts.shared.badges import Badge
from research_core.export.audit import STATE_SIGNS, UNCITED_SIGN, VERDICT_SIGNS
from research_core.i18n import N_
from research_core.pipeline.audit_result import STATE_LABELS, VERDICT_LABELS

VERDICT_BADGES: dict[str, Badge] = {
    verdict: Badge(VERDICT_SIGNS[verdict].symbol, label, VERDICT_SIGNS[verdict].tone)
    for verdict, label in VERDICT_LABELS.items()
}
#: Of a sentence that states a fact and cites nothing.
UNCITED_BADGE = Badge(UNCITED_SIGN.symbol, N_("no citation"), UNCITED_SIGN.tone)
STATE_BADGES: dict[str, Badge] = {
    state: Badge(STATE_SIGNS[state].symbol, label, STATE_SIGNS[state].tone)
    for state, label in STATE_LABELS.items()
}
