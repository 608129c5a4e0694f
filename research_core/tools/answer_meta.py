"""Describe how fresh an answer is and who gave it, for clients (`_meta`), from the call's own log.

No model sees this. The failure of a provider is one word; no address, key or breaker count is
given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from research_core.journal.events import Event
from research_core.journal.http_caching import error_kind_of
from research_core.model_messages import Json
from research_core.models import ANSWERED_STATES
from research_core.policy import LIBRARY_ENGINE, SESSION_ENGINE
from research_core.search.providers import KINDS, find_service
from research_core.tools.registry import Tool

#: Tools whose answers always state their age; others only do so if they are cached.
ALWAYS_DATED = frozenset({"web_search"})
#: Tools whose answers combine many replies and so have no age.
NEVER_DATED = frozenset(
    {
        "search_and_scrape",
        "brand_research",
        "verify_citation",
        "audit_bibliography",
        "verify_recommendation",
    }
)
#: The one of those whose answer is the pages themselves: of those from the cache it gives the age.
READS_PAGES = "search_and_scrape"
#: Kinds of providers with a configurable order, for which it matters who answered.
ROUTED_KINDS = frozenset({"web", "images", "news", "patents", "papers"})
#: Seconds that an answer of a tool without providers may be reused.
PAGE_TTL_S = 3_600.0
#: Kinds of calls to outside services.
OUTSIDE_CALLS = frozenset({"http", "ddgs", "browser"})
#: The session's own sources, which are searched besides the providers and replace none.
OWN_PROVIDERS = frozenset({LIBRARY_ENGINE, SESSION_ENGINE})


@dataclass(frozen=True)
class FailedProvider:
    """A provider that failed. kind: of the failure; reason: its message and a next step."""

    provider: str
    kind: str
    reason: str


def build_meta(
    tool: Tool, calls: Sequence[Event], events: Sequence[Event], *, routed: bool, seconds: float
) -> Json:
    """Build the metadata of one answer.

    calls, events: of this call alone; routed: whether the settings name the order of providers;
    seconds: the duration. Providers are named if routed, or if more than one was asked.
    """
    meta: Json = {}
    freshness = _describe_freshness(tool, _list_effective_calls(tool, calls, events))
    is_combined = tool.name in NEVER_DATED
    if not is_combined and (tool.name in ALWAYS_DATED or freshness["cached"]):
        meta |= freshness
    if tool.name == READS_PAGES:
        meta |= _describe_cached_pages(calls)
    asked = [row for row in _list_asked_providers(events) if row["engine"] not in OWN_PROVIDERS]
    has_several = len({row["engine"] for row in asked}) > 1
    if is_combined and not any(row["state"] not in ANSWERED_STATES for row in asked):
        has_several = False
    if asked and (has_several or (routed and tool.asks in ROUTED_KINDS)):
        meta["routing"] = _describe_routing(asked, bool(freshness["cached"]), seconds)
    return meta


def list_failed_providers(events: Sequence[Event]) -> tuple[FailedProvider, ...]:
    """List the providers that failed in a call, in the order they were asked."""
    failed: list[FailedProvider] = []
    for row in _list_asked_providers(events):
        if row["state"] not in ANSWERED_STATES:
            kind = row.get("kind", "upstream_unavailable")
            failed.append(FailedProvider(row["engine"], kind, row["reason"]))
    return tuple(failed)


def _list_asked_providers(events: Sequence[Event]) -> list[Json]:
    return [event.data for event in events if event.kind in ("searched", "search_failed")]


def _list_effective_calls(
    tool: Tool, calls: Sequence[Event], events: Sequence[Event]
) -> list[Event]:
    """List the outside calls that the answer is made of: not those that failed.

    Calls to a provider that failed are left out, whatever their status: its reply was not used.
    """
    outside = [call for call in calls if call.data.get("kind") in OUTSIDE_CALLS]
    failed: set[str] = set()
    answered: set[str] = set()
    for row in _list_asked_providers(events):
        service = find_service(tool.asks or "web", row["engine"])
        if row["state"] in ANSWERED_STATES:
            answered.add(service)
        else:
            failed.add(service)
    effective: list[Event] = []
    for call in outside:
        service = call.data.get("about", {}).get("service", "")
        if service not in failed - answered and not _has_failed(call, service):
            effective.append(call)
    return effective or outside


def _has_failed(call: Event, service: str) -> bool:
    """Return whether a call had no reply, or a page none with content.

    The status of a service's reply is for its provider to judge: 404 may mean that it has nothing.
    """
    if "error" in call.data or "outcome" in call.data:
        return bool(call.data.get("outcome") != "answered")
    value = call.data.get("value")
    if service or not isinstance(value, dict) or not isinstance(value.get("status"), int):
        return False
    return bool(error_kind_of(value["status"]))


def _describe_freshness(tool: Tool, calls: Sequence[Event]) -> Json:
    """Return whether the answer came out of the cache, with its age and maximum age in seconds."""
    about = [call.data.get("about", {}) for call in calls]
    cached = bool(about) and all(each.get("cached") for each in about)
    max_age = KINDS[tool.asks].ttl_s if tool.asks else PAGE_TTL_S
    age = max(int(each.get("age", 0)) for each in about) if cached else 0
    return {
        "cached": cached,
        "ageSeconds": age,
        "maxAgeSeconds": int(max_age),
        "freshness": "cached" if cached else "fresh",
    }


def _describe_cached_pages(calls: Sequence[Event]) -> Json:
    """Return how many page replies came out of the cache, and the greatest age in seconds.

    {} if there are none. A reply that its site confirmed to be current is not one of them.
    """
    ages: list[int] = []
    for call in calls:
        about = call.data.get("about", {})
        is_page = call.data.get("kind") in OUTSIDE_CALLS and not about.get("service")
        if is_page and about.get("cached") and "renewed" not in about and not _has_failed(call, ""):
            ages.append(int(about.get("age", 0)))
    if not ages:
        return {}
    return {"cachedPages": len(ages), "oldestPageAgeSeconds": max(ages)}


def _describe_routing(asked: Sequence[Json], cached: bool, seconds: float) -> Json:
    """Return who was asked, who answered last, and why that is not the first one asked."""
    first = asked[0]
    used = ""
    for row in asked:
        if row["state"] in ANSWERED_STATES:
            used = row["engine"]
    fell_back = bool(used) and used != first["engine"]
    routing: Json = {}
    if used and not cached:
        routing["provider_used"] = used
    routing["providers_attempted"] = list(dict.fromkeys(row["engine"] for row in asked))
    routing["fallback"] = fell_back
    if fell_back and first["state"] not in ANSWERED_STATES:
        is_open = first.get("kind") == "circuit_open"
        routing["fallback_reason"] = "circuit_open" if is_open else "primary_unavailable"
    routing["cache_hit"] = cached
    routing["latency_ms"] = round(1000 * seconds)
    return routing
