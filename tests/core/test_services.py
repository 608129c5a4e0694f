"""The breaker and the pace of a service: opens at once when it says "too many", lets one call ask again, and hears only live outcomes."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from research_core.context import memory_log
from research_core.doorway import LIMITS, Doorway
from research_core.errors import FetchError
from research_core.models import HttpReply
from research_core.services import FAILURES, REST_MAX_S, REST_S, Services
from tests.core.test_doorway import Outside
from tests.counter import Ticking
from tests.patience import LONG_S, lasting
from tests.scripted import Scripted


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def services(clock: Ticking) -> Services:
    return Services(clock.monotonic)


def fail(services: Services, kind: str = "network", times: int = 1, **more: float) -> None:
    for _ in range(times):
        services.admit("tea")
        services.heard("tea", kind, **more)


def refused(services: Services, name: str = "tea") -> FetchError:
    with pytest.raises(FetchError) as caught:
        services.admit(name)
    assert caught.value.kind == "circuit_open"
    return caught.value


def test_a_service_that_says_too_many_is_left_alone_at_once(services: Services, clock: Ticking) -> None:
    fail(services, "rate_limited")
    assert refused(services).retry_after == REST_S
    assert services.states() == {"tea": "open"}
    clock.pass_by(REST_S)
    assert services.states() == {"tea": "half_open"}
    assert services.admit("tea") == 0.0


def test_it_is_left_alone_for_as_long_as_it_asks_within_bounds(services: Services) -> None:
    fail(services, "rate_limited", retry_after=120.0)
    assert refused(services).retry_after == 120.0
    services.heard("coffee", "rate_limited", 86_400.0)
    assert refused(services, "coffee").retry_after == REST_MAX_S


@pytest.mark.parametrize("kind", ["network", "timeout", "upstream_unavailable"])
def test_failures_in_a_row_open_it_and_an_answer_between_them_does_not(services: Services, kind: str) -> None:
    fail(services, kind, FAILURES - 1)
    fail(services, "")
    fail(services, kind, FAILURES - 1)
    services.admit("tea")
    services.heard("tea", kind)
    refused(services)


@pytest.mark.parametrize("kind", ["", "auth_required", "not_found", "bad_reply", "blocked", "config"])
def test_what_says_nothing_of_its_health_opens_nothing(services: Services, kind: str) -> None:
    fail(services, kind, 2 * FAILURES)
    assert services.states() == {"tea": "closed"}


def test_exactly_one_call_asks_again_however_many_want_to(services: Services, clock: Ticking) -> None:
    fail(services, "rate_limited")
    clock.pass_by(REST_S)

    def ask(_n: int) -> bool:
        try:
            services.admit("tea")
        except FetchError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(32))) == 1
    services.heard("tea", "")
    assert services.admit("tea") == 0.0


def test_a_probe_that_fails_opens_it_again_and_one_that_was_never_made_leaves_the_place_to_another(
    services: Services, clock: Ticking
) -> None:
    fail(services, "rate_limited")
    clock.pass_by(REST_S)
    fail(services, "network")
    refused(services)
    clock.pass_by(REST_S)
    services.admit("tea")
    services.dropped("tea")
    assert services.admit("tea") == 0.0


def test_calls_of_one_service_start_a_pace_apart_and_others_do_not_wait(services: Services, clock: Ticking) -> None:
    assert [services.admit("tea", 1.5) for _ in range(3)] == [0.0, 1.5, 3.0]
    assert services.admit("coffee", 1.5) == 0.0
    clock.pass_by(10.0)
    assert services.admit("tea", 1.5) == 0.0


def test_who_has_no_time_to_wait_for_its_turn_is_told_so_and_takes_none(services: Services) -> None:
    assert [services.admit("tea", 3.0) for _ in range(2)] == [0.0, 3.0]
    with pytest.raises(FetchError, match="in 6 s") as caught:
        services.admit("tea", 3.0, 5.0)
    assert (caught.value.kind, caught.value.ours) == ("timeout", True)
    assert services.admit("tea", 3.0, 6.0) == 6.0


def test_who_is_left_alone_can_be_asked_of_several(services: Services) -> None:
    fail(services, "rate_limited")
    assert services.resting(["tea", "coffee"]) == ["tea"]


def test_whoever_asks_by_hand_again_is_let_through_but_not_to_one_that_asked_to_be_left_alone(services: Services) -> None:
    fail(services, "network", FAILURES)
    services.heard("coffee", "rate_limited")
    services.try_again()
    assert services.admit("tea") == 0.0
    refused(services, "coffee")


# ---------------------------------------------------------------- behind the doorway

PAGE = "https://tea.example.org/"


@pytest.fixture
def outside() -> Outside:
    return Outside(lambda url: HttpReply(url, 200, {}, b"{}"))


@pytest.fixture
def door(services: Services, clock: Ticking, outside: Outside) -> Doorway:
    return Doorway(memory_log("tea"), outside, Scripted(""), clock, services=services)


def late(door: Doorway, seconds: float, pace_s: float = 0.0) -> FetchError:
    """How a call of the service fails that has so many seconds."""
    with pytest.raises(FetchError) as caught:
        door.http.of("tea", pace_s=pace_s).within(seconds).send("GET", f"{PAGE}{seconds}")
    assert caught.value.kind == "timeout"
    return caught.value


def test_a_call_whose_time_is_up_says_nothing_of_the_service(door: Doorway, outside: Outside) -> None:
    for n in range(FAILURES):
        late(door, -n)
    assert (outside.asked, door.services.resting(["tea"])) == ([], [])


def test_a_call_waits_for_no_turn_that_comes_after_its_time(door: Doorway, outside: Outside) -> None:
    door.http.of("tea", pace_s=60.0).send("GET", PAGE)
    with lasting(0.0, 20.0):
        late(door, 5.0, pace_s=60.0)
    assert len(outside.asked) == 1


def test_a_call_waits_for_no_place_at_a_gate_when_its_time_is_up(clock: Ticking) -> None:
    begun, going = threading.Semaphore(0), threading.Event()

    def slowly(url: str) -> HttpReply:
        begun.release()
        assert going.wait(LONG_S)
        return HttpReply(url, 200, {}, b"{}")

    door = Doorway(memory_log("tea"), Outside(slowly), Scripted(""), clock)
    with ThreadPoolExecutor() as pool:
        held = [pool.submit(door.http.send, "GET", f"{PAGE}{n}") for n in range(LIMITS["host"])]
        assert all(begun.acquire(timeout=LONG_S) for _ in held)
        waiting = pool.submit(door.http.within(5.0).send, "GET", PAGE)
        clock.pass_by(10.0)
        try:
            with pytest.raises(FetchError, match="time for this call was up"):
                waiting.result(LONG_S)
        finally:
            going.set()
    assert all(each.result().status == 200 for each in held)
