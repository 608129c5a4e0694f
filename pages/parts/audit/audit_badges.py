"""Define the badges of an audit's results and of the states of its sources."""

from __future__ import annotations

from parts.shared.badges import Badge
from research_core.export.audit import RESULT_SIGNS, STATE_SIGNS, UNCITED_SIGN
from research_core.i18n import N_
from research_core.pipeline.audit_result import RESULT_LABELS, STATE_LABELS

RESULT_BADGES: dict[str, Badge] = {
    result: Badge(RESULT_SIGNS[result].symbol, label, RESULT_SIGNS[result].tone)
    for result, label in RESULT_LABELS.items()
}
#: Of a sentence that states a fact and cites nothing.
UNCITED_BADGE = Badge(UNCITED_SIGN.symbol, N_("no citation"), UNCITED_SIGN.tone)
STATE_BADGES: dict[str, Badge] = {
    state: Badge(STATE_SIGNS[state].symbol, label, STATE_SIGNS[state].tone)
    for state, label in STATE_LABELS.items()
}
