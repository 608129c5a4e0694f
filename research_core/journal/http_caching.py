"""What an HTTP answer's status and headers mean to whoever keeps it: how long it is good for, and
how long a host wants to be left alone.

RFC 9110 and 9111, as far as a cache of one tenant needs them, and the specified times for failures.
Pure: it keeps nothing, asks nothing, and takes the time from its caller. What a page's text says is
`web`'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from research_core.errors import ERROR_KINDS

Headers = Mapping[str, str]

#: Statuses of a server that is busy; the last one of them is an answer like any other.
BUSY_STATUSES = frozenset({429, 502, 503, 504})
#: What a status means, by the error kinds: one of its own, else that of its hundred.
STATUS_KINDS = {
    401: "auth_required", 402: "auth_required", 407: "auth_required", 403: "blocked",
    451: "blocked",
    404: "not_found", 410: "not_found", 408: "timeout", 429: "rate_limited",
}  # fmt: skip
STATUS_CLASS_KINDS = {1: "bad_reply", 3: "bad_reply", 4: "blocked", 5: "upstream_unavailable"}
#: Seconds for which a failure of this kind is taken for granted. 0: asking again costs nobody
#: anything, or a person may have put it right.
FAILURE_TTL_S = {
    "validation": 4 * 3600.0, "browser_unavailable": 4 * 3600.0, "blocked": 1800.0,
    "auth_required": 1800.0,
    "network": 120.0, "timeout": 120.0, "rate_limited": 90.0, "disallowed": 0.0, "config": 0.0,
    "circuit_open": 0.0,
}  # fmt: skip
DEFAULT_FAILURE_TTL_S = 600.0
#: No host is left alone for longer than this, whatever it asks.
MAX_RETRY_AFTER_S = 86_400.0


def error_kind_of(status: int) -> str:
    """The error kind of a status, "" of a success."""
    return (
        ""
        if 200 <= status < 300
        else STATUS_KINDS.get(status) or STATUS_CLASS_KINDS.get(status // 100, "bad_reply")
    )


def may_succeed_later(call: Mapping[str, Any]) -> bool:
    """Whether a recorded call failed in a way that passes by itself, or that a person may have put
    right since: a key, a switch.
    """
    if error := call.get("error"):
        return (
            ERROR_KINDS[error["kind"]]
            or error.get("ours", False)
            or error["kind"] in ("auth_required", "config", "browser_unavailable", "disallowed")
        )
    return call["kind"] == "http" and call.get("value", {}).get("status") in BUSY_STATUSES


def parse_retry_after(headers: Headers, now: float | None = None) -> float | None:
    """Seconds that `Retry-After` asks for, written as a number or as a date; None where it asks
    nothing that can be read.

    A date counts from the answer's own, so that it does not matter how the two clocks differ; from
    `now` where it bears none. Without `now` too it asks nothing: whoever reads an answer again, in
    a replay, must read the same.
    """
    asked = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,12}", asked):
        return min(float(asked), MAX_RETRY_AFTER_S)
    until, since = parse_http_date(asked), parse_http_date(headers.get("date", "")) or now
    return (
        None if until is None or since is None else min(max(0.0, until - since), MAX_RETRY_AFTER_S)
    )


def parse_http_date(text: str) -> float | None:
    """An HTTP date in seconds since the epoch; None where it is none."""
    try:
        return parsedate_to_datetime(text).timestamp() if text else None
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def freshness_seconds(status: int, headers: Headers, ttl_s: float, now: float) -> float | None:
    """Seconds for which an answer may stand for the next one, at most ttl_s where it is a success;
    None where it must not be kept.

    0 for one that has to be asked about each time. `private` forbids nothing here: what is kept is
    one tenant's.
    """
    says = parse_cache_control(headers.get("cache-control", ""))
    if "no-store" in says or "*" in headers.get("vary", ""):
        return None
    if kind := error_kind_of(status):
        return failure_seconds(kind, parse_retry_after(headers, now)) or None
    if "no-cache" in says or (not says and "no-cache" in headers.get("pragma", "").lower()):
        return 0.0
    return max(0.0, min(ttl_s, _stated_lifetime(headers, says, ttl_s, now)))


def failure_seconds(kind: str, wait_s: float | None) -> float:
    """Seconds for which a failure is taken for granted; never longer than the other side itself
    asked for.
    """
    usual = FAILURE_TTL_S.get(kind, DEFAULT_FAILURE_TTL_S)
    return usual if wait_s is None else min(usual, wait_s)


def _stated_lifetime(headers: Headers, says: Mapping[str, str], ttl_s: float, now: float) -> float:
    """How long the server says that its answer stays good; ttl_s where it does not say."""
    if re.fullmatch(r"[0-9]{1,12}", says.get("max-age", "")):
        age = headers.get("age", "").strip()
        return float(says["max-age"]) - (float(age) if re.fullmatch(r"[0-9]{1,12}", age) else 0.0)
    if "expires" in headers:  # one that is no date, such as 0, means "already"
        return (parse_http_date(headers["expires"]) or 0.0) - (
            parse_http_date(headers.get("date", "")) or now
        )
    return ttl_s


def parse_cache_control(text: str) -> dict[str, str]:
    """The words of a Cache-Control header in lower case, each with its value or ""; of two alike
    the first.
    """
    found: dict[str, str] = {}
    for word in text.split(","):
        name, _, value = word.partition("=")
        if name.strip():
            found.setdefault(name.strip().lower(), value.strip().strip('"'))
    return found


def states_lifetime(headers: Headers) -> bool:
    return bool(headers.keys() & {"cache-control", "expires", "pragma"})


def build_validators(headers: Headers) -> dict[str, str]:
    """The headers that ask whether this answer still holds; none where it carries nothing to ask
    by.
    """
    asked = {
        "if-none-match": headers.get("etag", ""),
        "if-modified-since": headers.get("last-modified", ""),
    }
    return {name: value for name, value in asked.items() if value}


def apply_not_modified(kept: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any] | None:
    """What was kept with the headers of the 304 that confirms it; None where that came from another
    address, and confirms another page.
    """
    if (said["url"], said["hops"]) != (kept["url"], kept["hops"]):
        return None
    return {
        **kept,
        "headers": {
            **kept["headers"],
            **{name: value for name, value in said["headers"].items() if name != "content-type"},
        },
    }
