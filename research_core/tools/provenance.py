"""How fresh an answer of a tool is and who gave it, as a client sees it beside the answer
(`_meta`): a reading of the call's own log.

A model never sees any of it. What a provider failed with is told in one word, and no address, key
or count of a breaker is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from research_core.journal.events import Event
from research_core.model_messages import Json
from research_core.models import ANSWERED_STATES
from research_core.policy import LIBRARY_ENGINE, SESSION_ENGINE
from research_core.search.providers import KINDS
from research_core.tools.registry import Tool

#: Tools whose answers tell how old they are even when they are new; of the others only what came
#: out of the cache does.
ALWAYS_DATED = frozenset({"web_search"})
#: Tools that say nothing of it: their answers are put together of many.
NEVER_DATED = frozenset(
    {
        "search_and_scrape",
        "brand_research",
        "verify_citation",
        "audit_bibliography",
        "verify_recommendation",
    }
)
#: Kinds of providers that are routed, so that who answered is worth telling.
ROUTED_KINDS = frozenset({"web", "images", "news", "patents", "papers"})
#: How long an answer of a tool that asks no provider may stand for another call, in seconds.
PAGE_TTL_S = 3_600.0
#: Kinds of calls that ask the outside.
OUTSIDE_CALLS = frozenset({"http", "ddgs", "browser"})
#: What a session holds itself is asked beside the providers and stands in for none.
OWN_PROVIDERS = frozenset({LIBRARY_ENGINE, SESSION_ENGINE})


@dataclass(frozen=True)
class FailedProvider:
    """A provider that failed. kind: of the failure; reason: what it said, and what can be done."""

    provider: str
    kind: str
    reason: str


def build_meta(
    tool: Tool, calls: Sequence[Event], events: Sequence[Event], *, routed: bool, seconds: float
) -> Json:
    """calls, events: those of this call alone. routed: whether the settings say who is asked in
    which order; seconds: how long it took.

    Who was asked is told where the settings say the order, and wherever more than one was asked.
    """
    fresh = _describe_freshness(tool, calls)
    told = (
        fresh
        if tool.name not in NEVER_DATED and (tool.name in ALWAYS_DATED or fresh["cached"])
        else {}
    )
    asked = [each for each in _list_asked_providers(events) if each["engine"] not in OWN_PROVIDERS]
    several = len({each["engine"] for each in asked}) > 1 and (
        tool.name not in NEVER_DATED or any(each["state"] not in ANSWERED_STATES for each in asked)
    )
    if asked and (several or (routed and tool.asks in ROUTED_KINDS)):
        told = {**told, "routing": _describe_routing(asked, bool(fresh["cached"]), seconds)}
    return told


def list_failed_providers(events: Sequence[Event]) -> tuple[FailedProvider, ...]:
    """The providers that failed in a call, in the order they were asked."""
    asked = [each for each in _list_asked_providers(events) if each["state"] not in ANSWERED_STATES]
    return tuple(
        FailedProvider(each["engine"], each.get("kind", "upstream_unavailable"), each["reason"])
        for each in asked
    )


def _list_asked_providers(events: Sequence[Event]) -> list[Json]:
    return [event.data for event in events if event.kind in ("searched", "search_failed")]


def _describe_freshness(tool: Tool, calls: Sequence[Event]) -> Json:
    about = [
        event.data.get("about", {}) for event in calls if event.data.get("kind") in OUTSIDE_CALLS
    ]
    cached = bool(about) and all(each.get("cached") for each in about)
    longest = KINDS[tool.asks].ttl_s if tool.asks else PAGE_TTL_S
    age = max((int(each.get("age", 0)) for each in about), default=0) if cached else 0
    return {
        "cached": cached,
        "ageSeconds": age,
        "maxAgeSeconds": int(longest),
        "freshness": "cached" if cached else "fresh",
    }


def _describe_routing(asked: Sequence[Json], cached: bool, seconds: float) -> Json:
    """The first to be asked and the last to answer; another one answered where these are two, or
    after one of them failed.
    """
    first, names = asked[0], list(dict.fromkeys(each["engine"] for each in asked))
    used = next(
        (each["engine"] for each in reversed(asked) if each["state"] in ANSWERED_STATES), ""
    )
    fell_back = bool(used) and used != first["engine"]
    reason = "circuit_open" if first.get("kind") == "circuit_open" else "primary_unavailable"
    return {
        **({"provider_used": used} if used and not cached else {}),
        "providers_attempted": names,
        "fallback": fell_back,
        **(
            {"fallback_reason": reason}
            if fell_back and first["state"] not in ANSWERED_STATES
            else {}
        ),
        "cache_hit": cached,
        "latency_ms": round(1000 * seconds),
    }
