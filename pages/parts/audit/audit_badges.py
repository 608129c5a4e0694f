"""Define the badges of an audit's results and of the states of its sources."""

from __future__ import annotations

from collections.abc import Mapping

from parts.shared.badges import PENDING, SOURCE_BADGES, Badge
from research_core.export.audit import RESULT_SIGNS, STATE_SIGNS, UNCITED_SIGN
from research_core.i18n import N_
from research_core.models import ReportSource
from research_core.pipeline.audit_result import RESULT_LABELS, STATE_LABELS, AuditedSource
from research_core.trust.provenance import is_unknown_host

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
#: Of the sources of every session: their decision, or their state in the check of a report.
ALL_SOURCE_BADGES = {**SOURCE_BADGES, **STATE_BADGES}
#: Of a source whose site has a low authority, in a check.
LOW_BADGE = Badge("▼", N_("low credibility"), "gray")


def find_state(source: ReportSource, audited: Mapping[str, AuditedSource]) -> str:
    """Return the key of a source's badge. audited: what a check found, by URL."""
    found = audited.get(source.url)
    return source.status if found is None or source.status in PENDING else found.state


def is_from_unknown_site(source: ReportSource, audited: Mapping[str, AuditedSource]) -> bool:
    """Return whether nothing is known of the site; in a check, as its report counts it."""
    found = audited.get(source.url)
    return found.is_unknown if found else is_unknown_host(source)
