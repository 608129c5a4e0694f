"""How much may be asked for: spans, days, tenants apart, and what is left."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from research_core.errors import BoundaryError
from research_core.journal.limits import DAY_S, MAX_KNOWN_KEYS, Limits, SlidingWindow
from research_core.journal.tables import open_database
from tests.counter import Ticking, make_tool_caller


def limits(clock: Ticking, db: Any = None, **most: int) -> Limits:
    held = db or open_database("sqlite://")
    return Limits(lambda: held, clock.now, clock.monotonic, **most)


def test_so_many_requests_fit_into_any_minute_and_a_refused_one_counts_for_nothing() -> None:
    clock = Ticking()
    at = limits(clock, per_minute=3)
    took = []
    for wait in (0, 20, 20, 10, 10.25, 19.5, 0.25):
        clock.pass_by(wait)
        took.append(at.count_request("a") is None)
    assert took == [True, True, True, False, True, False, True]
    refused = at.count_request("a")
    assert refused is not None
    assert (refused.limit, refused.retry_s, "3 requests a minute" in refused.message) == (
        "minute",
        60,
        True,
    )


def test_tenants_have_limits_of_their_own_and_share_the_global_one() -> None:
    clock = Ticking()
    at = limits(clock, per_minute=2, per_second=3)
    assert [at.count_request("a"), at.count_request("a")] == [None, None]
    assert {at.count_request("a").limit for _ in range(9)} == {"minute"}  # type: ignore[union-attr]
    assert (
        at.count_request("b") is None
    )  # nine refusals of another tenant took nothing of what all share
    said = at.count_request("c")
    assert said is not None
    assert (said.limit, said.retry_s) == ("second", 60)
    clock.pass_by(1)
    assert at.count_request("c") is None


def test_active_users_share_their_tenant_s_requests_alike() -> None:
    clock = Ticking()
    at = limits(clock, per_minute=6)
    assert [at.count_request("a", "ann") for _ in range(4)] == [None] * 4  # alone so far
    clock.pass_by(1)
    assert at.count_request("a", "ben") is None
    refused = at.count_request("a", "ann")
    assert refused is not None
    assert (refused.limit, "3 requests a minute" in refused.message) == ("user", True)
    assert at.count_request("b", "ann") is None  # of another tenant
    assert at.count_request("a", "ben") is None
    full = at.count_request("a", "ben")
    assert full is not None
    assert full.limit == "minute"
    clock.pass_by(59.5)  # what Ann asked has passed, what Ben asked has not
    assert [at.count_request("a", "ann") for _ in range(3)] == [None] * 3
    said = at.count_request("a", "ann")
    assert said is not None
    assert said.limit == "user"
    clock.pass_by(61)
    assert [at.count_request("a", "ann") for _ in range(6)] == [None] * 6


def test_no_limit_is_no_limit() -> None:
    at = limits(Ticking())
    assert {at.count_request("a") for _ in range(500)} == {at.count_address("1.2.3.4")} == {None}
    at.count_tool_call("a")
    assert at.describe("a") == {"limited": False}


def test_an_address_has_a_limit_whoever_asks_from_it() -> None:
    at = limits(Ticking(), per_address=2)
    assert [at.count_address("1.2.3.4") is None for _ in range(3)] == [True, True, False]
    assert at.count_address("1.2.3.5") is None


def test_it_remembers_only_so_many_that_asked() -> None:
    window = SlidingWindow(1, 60.0)
    for n in range(MAX_KNOWN_KEYS + 1):
        window.count_event(str(n), 0.0)
    assert not window.is_full("0", 0.0)
    assert window.is_full("1", 0.0)


def test_the_day_s_calls_are_counted_by_tenant_and_outlive_the_process(tmp_path: Path) -> None:
    clock, url = Ticking(), f"sqlite:///{tmp_path / 'assay.db'}"
    first = limits(clock, open_database(url), per_day=2)
    first.count_tool_call("a")
    again = limits(clock, open_database(url), per_day=2)
    again.count_tool_call("a")
    with pytest.raises(BoundaryError, match="2 calls") as caught:
        again.count_tool_call("a")
    assert (caught.value.kind, caught.value.retry_after) == ("rate_limited", 3_600)
    again.count_tool_call("b")
    refused = again.count_request("a")
    assert refused is not None
    assert (refused.limit, refused.retry_s) == ("day", 3_600)
    assert again.count_request("b") is None
    clock.pass_by(DAY_S - clock.now() % DAY_S)
    assert again.count_request("a") is None
    again.count_tool_call("a")


def test_calls_at_once_are_each_counted(tmp_path: Path) -> None:
    at = limits(Ticking(), open_database(f"sqlite:///{tmp_path / 'assay.db'}"), per_day=100)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: at.count_tool_call("a"), range(40))) == [None] * 40
    assert at.describe("a")["tenantPerDay"]["remaining"] == 60


def test_what_is_left_is_told_and_never_less_than_nothing() -> None:
    clock = Ticking()
    at = limits(clock, per_minute=2, per_second=5, per_day=1)
    at.count_request("a")
    at.count_tool_call("a")
    with pytest.raises(BoundaryError):
        at.count_tool_call("a")
    assert at.describe("a") == {
        "limited": True,
        "tenantPerMinute": {"limit": 2, "remaining": 1},
        "globalPerSecond": {"limit": 5, "remaining": 4},
        "tenantPerDay": {
            "limit": 1,
            "remaining": 0,
            "resetsAt": "2025-06-16T00:00:00Z",
        },
    }
    assert at.describe("b")["tenantPerMinute"]["remaining"] == 2


def test_a_tool_caller_refuses_what_is_over_the_limit_and_the_audit_has_it(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, {})
    at.limits = limits(Ticking(), per_day=1)
    assert at.serve("format_nothing", {}).error is not None
    served = at.serve("clinical_search", {"query": "tea"})
    assert isinstance(served.error, BoundaryError)
    assert served.error.kind == "rate_limited"
    assert at.list_recent_errors()[0]["kind"] == "rate_limited"
