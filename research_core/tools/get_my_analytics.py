"""get_my_analytics: how often its caller has called which tool, counted with their consent."""

from __future__ import annotations

from research_core.model_messages import Json
from research_core.tools.client_session.shared import format_moment
from research_core.tools.consented import find_refusal
from research_core.tools.registry import Call
from research_core.tools.session import bind
from research_core.userdata import analytics


def get_my_analytics(call: Call) -> Json:
    """Tell how often you have called which tool, and when. Counted only with your consent; nothing
    of what you asked is kept.
    """
    _, deps = bind(call, "calls")
    db = deps.db()
    refusal = find_refusal(db, deps.who, "analytics")
    if refusal:
        return refusal
    usage = analytics.summarize_usage(db, deps.who)
    if usage is None:
        return {"status": "empty", "reason": "Nothing has been counted yet."}
    counts = {
        "tenantId": deps.who.tenant,
        "userId": deps.who.user,
        "totalCalls": sum(usage.calls.values()),
        "toolCounts": usage.calls,
        "firstSeen": format_moment(usage.first),
        "lastSeen": format_moment(usage.last),
        "recentTools": list(usage.recent),
    }
    return {"status": "ok", "analytics": counts}
