"""What an answer's headers mean to whoever keeps it: how long it is good, what must not be kept,
how long a host wants to be left alone.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import ERROR_KINDS, FetchError
from research_core.journal import http_caching
from research_core.models import HttpReply
from research_core.web.fetch import responses

NOW = 1_790_000_000.0  # Mon, 21 Sep 2026 14:13:20 GMT
HOUR = "Mon, 21 Sep 2026 15:13:20 GMT"
DATE = "Mon, 21 Sep 2026 14:13:20 GMT"
AHEAD = "Mon, 21 Sep 2026 15:03:20 GMT"  # the clock of a server that is 50 minutes fast

FRESH = {
    "nothing said": ({}, 3600.0),
    "longer than asked": ({"cache-control": "max-age=86400"}, 3600.0),
    "shorter than asked": ({"cache-control": "public, Max-Age=60"}, 60.0),
    "quoted": ({"cache-control": 'max-age="60"'}, 60.0),
    "already old on its way": ({"cache-control": "max-age=60", "age": "45"}, 15.0),
    "too old on its way": ({"cache-control": "max-age=60", "age": "100"}, 0.0),
    "private": ({"cache-control": "private, max-age=120"}, 120.0),
    "for shared caches": ({"cache-control": "s-maxage=1, max-age=120"}, 120.0),
    "of two the first": ({"cache-control": "max-age=60, max-age=5"}, 60.0),
    "asked each time": ({"cache-control": "no-cache"}, 0.0),
    "asked each time, of old": ({"pragma": "No-Cache"}, 0.0),
    "an old word beside a new one": ({"pragma": "no-cache", "cache-control": "max-age=60"}, 60.0),
    "expires": ({"expires": HOUR, "date": AHEAD}, 600.0),
    "expires without a date": ({"expires": HOUR}, 3600.0),
    "expired": ({"expires": DATE}, 0.0),
    "expires at no date": ({"expires": "0"}, 0.0),
    "max-age before expires": ({"expires": DATE, "cache-control": "max-age=60"}, 60.0),
    "not to be kept": ({"cache-control": "max-age=60, no-store"}, None),
    "another answer each time": ({"vary": "*"}, None),
    "by headers that are in the key": ({"vary": "accept, user-agent"}, 3600.0),
    "nonsense": ({"cache-control": "max-age=soon, =, ,max-age"}, 3600.0),
}


@pytest.mark.parametrize("case", FRESH)
def test_how_long_a_page_is_good(case: str) -> None:
    headers, seconds = FRESH[case]
    assert http_caching.freshness_seconds(200, headers, 3600.0, NOW) == seconds


@pytest.mark.parametrize(
    ("status", "headers", "seconds"),
    [
        (401, {}, 1800.0),
        (403, {}, 1800.0),
        (
            403,
            {"cache-control": "max-age=5"},
            1800.0,
        ),  # how long a refusal stands is no matter of a page's age
        (403, {"cache-control": "no-store"}, None),
        (404, {}, 600.0),
        (408, {}, 120.0),
        (429, {}, 90.0),
        (429, {"retry-after": "30"}, 30.0),
        (429, {"retry-after": "3600"}, 90.0),
        (429, {"retry-after": "0"}, None),
        (500, {}, 600.0),
        (503, {"retry-after": "120"}, 120.0),
        (304, {}, 600.0),
        (999, {}, 600.0),
    ],
)
def test_how_long_a_failure_is_taken_for_granted(
    status: int, headers: dict[str, str], seconds: float | None
) -> None:
    assert http_caching.freshness_seconds(status, headers, 3600.0, NOW) == seconds


def test_the_specified_times_by_kind() -> None:
    hours = {kind: http_caching.failure_seconds(kind, None) / 60 for kind in ERROR_KINDS}
    assert {kind: hours.pop(kind) for kind in ("validation", "browser_unavailable")} == {
        "validation": 240,
        "browser_unavailable": 240,
    }
    assert {kind: hours.pop(kind) for kind in ("blocked", "auth_required")} == {
        "blocked": 30,
        "auth_required": 30,
    }
    assert {kind: hours.pop(kind) for kind in ("network", "timeout", "rate_limited")} == {
        "network": 2,
        "timeout": 2,
        "rate_limited": 1.5,
    }
    never = ("circuit_open", "config", "disallowed")
    assert {kind: hours.pop(kind, 0) for kind in never} == dict.fromkeys(never, 0)
    assert set(hours.values()) == {10}


def test_a_status_means_to_the_cache_what_it_means_to_the_reader() -> None:
    for status in (*range(100, 200), *range(300, 600)):
        with pytest.raises(FetchError) as refused:
            responses.raise_for_status(
                HttpReply("https://a/1", status, {"retry-after": HOUR, "date": AHEAD}, b"")
            )
        assert (refused.value.kind, refused.value.retry_after) == (
            http_caching.error_kind_of(status),
            600.0,
        )
    responses.raise_for_status(HttpReply("https://a/1", 204, {}, b""))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "120"}, 120.0),
        ({"retry-after": " 0 "}, 0.0),
        ({"retry-after": HOUR}, 3600.0),
        ({"retry-after": HOUR, "date": AHEAD}, 600.0),  # by the server's own clock
        ({"retry-after": DATE}, 0.0),
        ({"retry-after": "Sunday, 06-Nov-94 08:49:37 GMT"}, 0.0),
        ({"retry-after": "999999999999"}, 86_400.0),
        ({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}, 86_400.0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "1.5"}, None),
        ({"retry-after": "٣"}, None),
        ({"retry-after": "soon"}, None),
    ],
    ids=str,
)
def test_how_long_a_host_wants_to_be_left_alone(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert http_caching.parse_retry_after(headers, NOW) == seconds


def test_a_date_beside_no_clock_asks_for_nothing() -> None:
    assert http_caching.parse_retry_after({"retry-after": HOUR}) is None
    assert http_caching.parse_retry_after({"retry-after": HOUR, "date": DATE}) == 3600.0
    assert http_caching.parse_retry_after({"retry-after": "7"}) == 7.0


HEADERS = st.dictionaries(
    st.sampled_from(
        ["cache-control", "expires", "date", "age", "pragma", "vary", "retry-after", "etag"]
    ),
    st.text(max_size=40)
    | st.lists(
        st.sampled_from(["max-age=", "no-cache", ",", "9", "=", '"', " ", "GMT", HOUR]), max_size=8
    ).map("".join),
)


@given(status=st.integers(100, 999), headers=HEADERS, ttl=st.floats(0, 1e6))
def test_whatever_a_server_says_is_bounded(
    status: int, headers: dict[str, str], ttl: float
) -> None:
    seconds = http_caching.freshness_seconds(status, headers, ttl, NOW)
    assert seconds is None or 0 <= seconds <= (ttl if 200 <= status < 300 else 4 * 3600)
    wait = http_caching.parse_retry_after(headers, NOW)
    assert wait is None or 0 <= wait <= http_caching.MAX_RETRY_AFTER_S


def test_a_confirmation_is_of_the_very_page_it_was_asked_about() -> None:
    kept = {
        "url": "https://a/1",
        "hops": ["https://a/"],
        "status": 200,
        "headers": {"etag": "x", "content-type": "text/html"},
        "body": b"page",
    }
    said = {
        "url": "https://a/1",
        "hops": ["https://a/"],
        "status": 304,
        "headers": {"etag": "y", "content-type": "text/plain"},
        "body": b"",
    }
    assert http_caching.apply_not_modified(kept, said) == {
        **kept,
        "headers": {"etag": "y", "content-type": "text/html"},
    }
    assert http_caching.apply_not_modified(kept, {**said, "url": "https://a/2"}) is None
    assert http_caching.apply_not_modified(kept, {**said, "hops": []}) is None
