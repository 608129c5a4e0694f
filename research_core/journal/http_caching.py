"""Interpret HTTP statuses and headers for the cache: freshness, failures, Retry-After.

Implements RFC 9110 and 9111 as far as a cache of one tenant needs them, and the specified times for
failures. Pure: the caller passes the time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from research_core.errors import ERROR_KINDS

Headers = Mapping[str, str]

#: Statuses of a busy server; after the last attempt such an answer is returned like any other.
BUSY_STATUSES = frozenset({429, 502, 503, 504})
#: The error kind of a status; else that of its class (4xx, 5xx).
STATUS_KINDS = {
    401: "auth_required", 402: "auth_required", 407: "auth_required", 403: "blocked",
    451: "blocked",
    404: "not_found", 410: "not_found", 408: "timeout", 429: "rate_limited",
}  # fmt: skip
STATUS_CLASS_KINDS = {1: "bad_reply", 3: "bad_reply", 4: "blocked", 5: "upstream_unavailable"}
#: Seconds a failure of each kind is reused. 0: asking again costs nothing, or a person may have
#: fixed it.
FAILURE_TTL_S = {
    "validation": 4 * 3600.0, "browser_unavailable": 4 * 3600.0, "blocked": 1800.0,
    "auth_required": 1800.0,
    "network": 120.0, "timeout": 120.0, "rate_limited": 90.0, "disallowed": 0.0, "config": 0.0,
    "circuit_open": 0.0,
}  # fmt: skip
DEFAULT_FAILURE_TTL_S = 600.0
#: The longest `Retry-After` that is respected.
MAX_RETRY_AFTER_S = 86_400.0


def error_kind_of(status: int) -> str:
    """Return the error kind of a status, "" for a success."""
    if 200 <= status < 300:
        return ""
    return STATUS_KINDS.get(status) or STATUS_CLASS_KINDS.get(status // 100, "bad_reply")


def may_succeed_later(call: Mapping[str, Any]) -> bool:
    """Return True if a recorded call failed in a way that may have passed.

    Either the failure passes by itself, or a person may have fixed it: a key, a switch.
    """
    error = call.get("error")
    if not error:
        return call["kind"] == "http" and call.get("value", {}).get("status") in BUSY_STATUSES
    fixable = ("auth_required", "config", "browser_unavailable", "disallowed")
    if call["kind"] == "model" and error["kind"] == "not_found":
        return True  # a model can be loaded, or its name corrected
    return ERROR_KINDS[error["kind"]] or error.get("ours", False) or error["kind"] in fixable


def parse_retry_after(headers: Headers, now: float | None = None) -> float | None:
    """Return the seconds `Retry-After` asks for, as a number or a date; None if it is unreadable.

    A date counts from the answer's own date, so a difference between the two clocks does not
    matter; from `now` if the answer has none. Without `now` either, the result is None: a replay
    must read the same as the run did.
    """
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,12}", text):
        return min(float(text), MAX_RETRY_AFTER_S)
    until = parse_http_date(text)
    since = parse_http_date(headers.get("date", "")) or now
    if until is None or since is None:
        return None
    return min(max(0.0, until - since), MAX_RETRY_AFTER_S)


def parse_http_date(text: str) -> float | None:
    """Return an HTTP date in seconds since the epoch, or None."""
    try:
        return parsedate_to_datetime(text).timestamp() if text else None
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def freshness_seconds(status: int, headers: Headers, ttl_s: float, now: float) -> float | None:
    """Return the seconds an answer may be reused, at most ttl_s for a success.

    None if it must not be kept; 0 if it must be confirmed each time. `private` forbids nothing,
    because the cache belongs to one tenant.
    """
    directives = parse_cache_control(headers.get("cache-control", ""))
    if "no-store" in directives or "*" in headers.get("vary", ""):
        return None
    kind = error_kind_of(status)
    if kind:
        return failure_seconds(kind, parse_retry_after(headers, now)) or None
    if "no-cache" in directives:
        return 0.0
    if not directives and "no-cache" in headers.get("pragma", "").lower():
        return 0.0
    return max(0.0, min(ttl_s, _stated_lifetime(headers, directives, ttl_s, now)))


def failure_seconds(kind: str, wait_s: float | None) -> float:
    """Return the seconds a failure is reused, never longer than the other side asked for."""
    usual = FAILURE_TTL_S.get(kind, DEFAULT_FAILURE_TTL_S)
    return usual if wait_s is None else min(usual, wait_s)


def _stated_lifetime(
    headers: Headers, directives: Mapping[str, str], ttl_s: float, now: float
) -> float:
    """Return the seconds the server says its answer stays good; ttl_s if it does not say."""
    if re.fullmatch(r"[0-9]{1,12}", directives.get("max-age", "")):
        age = headers.get("age", "").strip()
        age_s = float(age) if re.fullmatch(r"[0-9]{1,12}", age) else 0.0
        return float(directives["max-age"]) - age_s
    if "expires" in headers:
        # An unreadable date, such as 0, means "already expired".
        expires = parse_http_date(headers["expires"]) or 0.0
        return expires - (parse_http_date(headers.get("date", "")) or now)
    return ttl_s


def parse_cache_control(text: str) -> dict[str, str]:
    """Return {directive: value or ""} of a Cache-Control header, lower case, first one wins."""
    found: dict[str, str] = {}
    for word in text.split(","):
        name, _, value = word.partition("=")
        if name.strip():
            found.setdefault(name.strip().lower(), value.strip().strip('"'))
    return found


def states_lifetime(headers: Headers) -> bool:
    """Return True if the headers say anything about freshness."""
    return bool(headers.keys() & {"cache-control", "expires", "pragma"})


def build_validators(headers: Headers) -> dict[str, str]:
    """Return the headers that ask whether this answer is still valid; {} if it has no validator."""
    asked = {
        "if-none-match": headers.get("etag", ""),
        "if-modified-since": headers.get("last-modified", ""),
    }
    return {name: value for name, value in asked.items() if value}


def apply_not_modified(kept: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the kept answer with the headers of the 304 that confirms it.

    None if the 304 came from another address and so confirms another page.
    """
    if said["url"] != kept["url"] or said["hops"] != kept["hops"]:
        return None
    renewed = {name: value for name, value in said["headers"].items() if name != "content-type"}
    return {**kept, "headers": {**kept["headers"], **renewed}}
