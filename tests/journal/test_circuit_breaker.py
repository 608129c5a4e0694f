"""The breaker and the pace of a service: opens at once when it says "too many", lets one call ask
again, and hears only live outcomes.
"""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.context import memory_log
from research_core.errors import FetchError
from research_core.journal.circuit_breaker import (
    MAX_FAILURES,
    REST_MAX_S,
    REST_S,
    TRIP_AT_ONCE_KINDS,
    AdmittedCall,
    CircuitBreakers,
)
from research_core.journal.doorway import Doorway
from research_core.journal.layers import CONCURRENCY_LIMITS
from research_core.models import HttpReply
from tests.counter import Ticking
from tests.journal.test_doorway import Outside
from tests.scripted import Scripted
from tests.timing import LONG_S, check_duration


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def services(clock: Ticking) -> CircuitBreakers:
    return CircuitBreakers(clock.monotonic)


def fail(services: CircuitBreakers, kind: str = "network", times: int = 1, **more: float) -> None:
    for _ in range(times):
        services.record_outcome(services.admit("tea"), kind, **more)


def refused(services: CircuitBreakers, name: str = "tea") -> FetchError:
    with pytest.raises(FetchError) as caught:
        services.admit(name)
    assert caught.value.kind == "circuit_open"
    return caught.value


def test_a_service_that_says_too_many_is_left_alone_at_once(
    services: CircuitBreakers, clock: Ticking
) -> None:
    fail(services, "rate_limited")
    assert refused(services).retry_after == REST_S
    assert services.list_states() == {"tea": "open"}
    clock.pass_by(REST_S)
    assert services.list_states() == {"tea": "half_open"}
    assert services.admit("tea").wait_s == 0.0


def test_it_is_left_alone_for_as_long_as_it_asks_within_bounds(services: CircuitBreakers) -> None:
    fail(services, "rate_limited", retry_after=120.0)
    assert refused(services).retry_after == 120.0
    services.record_outcome(services.admit("coffee"), "rate_limited", 86_400.0)
    assert refused(services, "coffee").retry_after == REST_MAX_S


@pytest.mark.parametrize("kind", ["network", "timeout", "upstream_unavailable"])
def test_failures_in_a_row_open_it_and_an_answer_between_them_does_not(
    services: CircuitBreakers, kind: str
) -> None:
    fail(services, kind, MAX_FAILURES - 1)
    fail(services, "")
    fail(services, kind, MAX_FAILURES - 1)
    fail(services, kind)
    refused(services)


@pytest.mark.parametrize(
    "kind", ["", "auth_required", "not_found", "bad_reply", "blocked", "config"]
)
def test_what_says_nothing_of_its_health_opens_nothing(
    services: CircuitBreakers, kind: str
) -> None:
    fail(services, kind, 2 * MAX_FAILURES)
    assert services.list_states() == {"tea": "closed"}


def test_exactly_one_call_asks_again_however_many_want_to(
    services: CircuitBreakers, clock: Ticking
) -> None:
    fail(services, "rate_limited")
    clock.pass_by(REST_S)

    def ask(_n: int) -> AdmittedCall | None:
        try:
            return services.admit("tea")
        except FetchError:
            return None

    with ThreadPoolExecutor(8) as pool:
        (probe,) = filter(None, pool.map(ask, range(32)))
    services.record_outcome(probe, "")
    assert not services.admit("tea").probe


def test_a_probe_that_fails_opens_it_again_and_one_that_was_never_made_leaves_the_place_to_another(
    services: CircuitBreakers, clock: Ticking
) -> None:
    fail(services, "rate_limited")
    clock.pass_by(REST_S)
    fail(services, "network")
    refused(services)
    clock.pass_by(REST_S)
    services.release(services.admit("tea"))
    assert services.admit("tea").probe


def test_calls_of_one_service_start_a_pace_apart_and_others_do_not_wait(
    services: CircuitBreakers, clock: Ticking
) -> None:
    assert [services.admit("tea", 1.5).wait_s for _ in range(3)] == [0.0, 1.5, 3.0]
    assert services.admit("coffee", 1.5).wait_s == 0.0
    clock.pass_by(10.0)
    assert services.admit("tea", 1.5).wait_s == 0.0


def test_who_has_no_time_to_wait_for_its_turn_is_told_so_and_takes_none(
    services: CircuitBreakers,
) -> None:
    assert [services.admit("tea", 3.0).wait_s for _ in range(2)] == [0.0, 3.0]
    with pytest.raises(FetchError, match="would wait 6 s") as caught:
        services.admit("tea", 3.0, 5.0)
    assert (caught.value.kind, caught.value.ours) == ("timeout", True)
    assert services.admit("tea", 3.0, 6.0).wait_s == 6.0


def test_who_is_left_alone_can_be_asked_of_several(services: CircuitBreakers) -> None:
    fail(services, "rate_limited")
    assert services.list_open(["tea", "coffee"]) == ["tea"]


def test_whoever_asks_by_hand_again_is_let_through_but_not_to_one_that_asked_to_be_left_alone(
    services: CircuitBreakers,
) -> None:
    fail(services, "network", MAX_FAILURES)
    services.record_outcome(services.admit("coffee"), "rate_limited")
    services.close_failed()
    assert not services.admit("tea").probe
    refused(services, "coffee")


# ---------------------------------------------------------------- calls that end after others began


@pytest.mark.parametrize("kind", ["", "network", "timeout", "auth_required", "bad_reply"])
def test_what_an_older_call_ends_with_ends_no_rest_and_frees_no_place(
    services: CircuitBreakers, clock: Ticking, kind: str
) -> None:
    old = [services.admit("tea") for _ in range(2 * MAX_FAILURES)]
    services.record_outcome(services.admit("tea"), "rate_limited")
    services.record_outcome(old.pop(), kind)
    assert refused(services).retry_after == REST_S
    clock.pass_by(REST_S)
    probe = services.admit("tea")
    for call in old:
        services.record_outcome(call, kind)
    refused(services)  # it is still being asked whether it is well
    services.record_outcome(probe, "")
    assert services.list_states() == {"tea": "closed"}


def test_a_call_that_was_broken_off_frees_the_place_of_no_other(
    services: CircuitBreakers, clock: Ticking
) -> None:
    old = services.admit("tea")
    fail(services, "rate_limited")
    clock.pass_by(REST_S)
    services.admit("tea")
    services.release(old)
    refused(services)


def test_failures_of_before_a_rest_are_not_counted_after_it(
    services: CircuitBreakers, clock: Ticking
) -> None:
    old = [services.admit("tea") for _ in range(MAX_FAILURES)]
    fail(services, "rate_limited")
    clock.pass_by(REST_S)
    services.record_outcome(services.admit("tea"), "")
    for call in old:
        services.record_outcome(call, "timeout")
    assert services.list_states() == {"tea": "closed"}


def test_too_many_is_heard_whichever_call_it_is_told_and_never_makes_a_rest_shorter(
    services: CircuitBreakers, clock: Ticking
) -> None:
    old = [services.admit("tea") for _ in range(3)]
    fail(services, "network", MAX_FAILURES)
    services.record_outcome(old.pop(), "rate_limited", 100.0)
    assert refused(services).retry_after == 100.0
    services.record_outcome(old.pop(), "rate_limited", 5.0)
    assert refused(services).retry_after == 100.0
    services.close_failed()
    refused(services)  # it was left alone for its trouble, and has asked for it since
    clock.pass_by(100.0)
    services.record_outcome(services.admit("tea"), "")
    services.record_outcome(old.pop(), "rate_limited")
    refused(services)


def test_a_probe_that_began_before_a_too_many_ends_no_rest_by_its_answer(
    services: CircuitBreakers, clock: Ticking
) -> None:
    old = services.admit("tea")
    fail(services, "rate_limited")
    clock.pass_by(REST_S)
    probe = services.admit("tea")
    services.record_outcome(old, "rate_limited")
    services.record_outcome(probe, "")
    assert refused(services).retry_after == REST_S
    clock.pass_by(REST_S)
    assert services.admit("tea").probe


def test_asking_by_hand_lets_calls_through_beside_a_probe_and_sends_no_second_one(
    services: CircuitBreakers, clock: Ticking
) -> None:
    fail(services, "network", MAX_FAILURES)
    clock.pass_by(REST_S)
    probe = services.admit("tea")
    services.close_failed()
    fail(services, "network", MAX_FAILURES)
    clock.pass_by(REST_S)
    refused(services)
    services.record_outcome(probe, "")
    assert services.admit("tea").probe


def test_a_call_that_waited_for_its_turn_is_not_made_once_the_service_is_left_alone(
    services: CircuitBreakers, clock: Ticking
) -> None:
    first, waiting = (services.admit("tea", 10.0) for _ in range(2))
    services.check_turn(waiting)
    services.record_outcome(first, "rate_limited")
    clock.pass_by(10.0)
    with pytest.raises(FetchError, match="not asked for another 50 s") as caught:
        services.check_turn(waiting)
    assert (caught.value.kind, caught.value.retry_after) == ("circuit_open", REST_S - 10.0)
    clock.pass_by(REST_S)
    probe = services.admit("tea")
    services.check_turn(probe)
    with pytest.raises(FetchError):  # whether it is well is not known yet
        services.check_turn(waiting)
    services.record_outcome(probe, "")
    services.check_turn(waiting)


SECONDS = st.sampled_from([10, 40, 90])
DEEDS = st.one_of(
    *[st.just(("ask",))] * 3,  # so often that many calls are under way
    *[
        st.tuples(
            st.just("end"),
            st.integers(0, 9),
            st.sampled_from(["", "rate_limited", "network"]),
            st.none() | SECONDS,
        )
    ]
    * 3,
    st.tuples(st.just("drop"), st.integers(0, 9)),
    st.tuples(st.just("pass"), SECONDS),
    st.just(("again",)),
)


@given(st.lists(DEEDS, min_size=60, max_size=90))
def test_whatever_the_order_one_probe_is_under_way_at_most_and_no_end_of_a_call_ends_a_rest(
    deeds: list[tuple[Any, ...]],
) -> None:
    """Only the answer of a probe, after the rest, closes a breaker; only a "too many" makes a rest
    longer, and nothing makes it shorter.
    """
    clock = Ticking()
    services, under_way = CircuitBreakers(clock.monotonic), list[AdmittedCall]()

    def rest() -> tuple[str, float]:
        state = services.list_states().get("tea", "closed")
        return state, (refused(services).retry_after or 0.0) if state == "open" else 0.0

    for do, *how in deeds:
        state, left = rest()
        if do == "ask":
            try:
                under_way.append(services.admit("tea"))
            except FetchError:
                assert state == "open" or any(call.probe for call in under_way)
        elif do == "pass":
            clock.pass_by(float(how[0]))
        elif do == "again":
            services.close_failed()
        elif under_way:
            call = under_way.pop(how[0] % len(under_way))
            kind = how[1] if do == "end" else "dropped"
            if do == "end":
                services.record_outcome(call, *how[1:])
            else:
                services.release(call)
            now, still = rest()
            if state == "open":
                assert now == "open"
                assert still == left or (still > left and kind in TRIP_AT_ONCE_KINDS)
            if state == "half_open" and not call.probe:
                assert now == ("open" if kind in TRIP_AT_ONCE_KINDS else "half_open")
        assert sum(call.probe for call in under_way) <= 1


# ---------------------------------------------------------------- behind the doorway

PAGE = "https://tea.example.org/"


@pytest.fixture
def outside() -> Outside:
    return Outside(lambda url: HttpReply(url, 200, {}, b"{}"))


@pytest.fixture
def door(services: CircuitBreakers, clock: Ticking, outside: Outside) -> Doorway:
    return Doorway(memory_log("tea"), outside, Scripted(""), clock, services=services)


def late(door: Doorway, seconds: float, pace_s: float = 0.0) -> FetchError:
    """How a call of the service fails that has so many seconds."""
    with pytest.raises(FetchError) as caught:
        door.http.for_service("tea", pace_s=pace_s).with_deadline(seconds).send(
            "GET", f"{PAGE}{seconds}"
        )
    assert caught.value.kind == "timeout"
    return caught.value


def test_a_call_whose_time_is_up_says_nothing_of_the_service(
    door: Doorway, outside: Outside
) -> None:
    for n in range(MAX_FAILURES):
        late(door, -n)
    assert (outside.asked, door.services.list_open(["tea"])) == ([], [])


def test_a_call_waits_for_no_turn_that_comes_after_its_time(
    door: Doorway, outside: Outside
) -> None:
    door.http.for_service("tea", pace_s=60.0).send("GET", PAGE)
    with check_duration(0.0, 20.0):
        late(door, 5.0, pace_s=60.0)
    assert len(outside.asked) == 1


@pytest.mark.parametrize(
    "said",
    [
        HttpReply(PAGE, 429, {}, b""),
        HttpReply(PAGE, 500, {}, b""),
        FetchError("It broke off.", kind="bad_reply"),
    ],
)
def test_what_is_asked_again_soon_keeps_its_pace_and_trips_nothing(
    clock: Ticking, said: Any
) -> None:
    outside, waits = Outside(said), list[float]()

    class Noting(CircuitBreakers):
        def check_turn(self, admission: AdmittedCall) -> None:
            waits.append(admission.wait_s)

    door = Doorway(
        memory_log("tea"), outside, Scripted(""), clock, services=Noting(clock.monotonic)
    )
    for n in range(MAX_FAILURES + 1):
        with suppress(FetchError):
            door.http.for_service("tea", pace_s=0.2, trips=False).send("GET", f"{PAGE}{n}")
    assert len({url for _, url, _ in outside.asked}) == MAX_FAILURES + 1
    assert (door.services.list_open(["tea"]), waits[0]) == ([], 0.0)
    assert all(wait > 0 for wait in waits[1:])


def test_calls_that_wait_for_their_turn_go_to_nobody_who_said_too_many_meanwhile(
    clock: Ticking,
) -> None:
    second, told = threading.Event(), threading.Event()

    class Noting(CircuitBreakers):
        """The second call is admitted before the first is answered, and its turn comes after that
        was heard.
        """

        def admit(
            self, name: str, pace_s: float = 0.0, patience_s: float = math.inf
        ) -> AdmittedCall:
            admission = super().admit(name, pace_s, patience_s)
            if admission.wait_s:
                second.set()
            return admission

        def check_turn(self, admission: AdmittedCall) -> None:
            assert not admission.wait_s or told.wait(LONG_S)
            super().check_turn(admission)

        def record_outcome(
            self, admission: AdmittedCall, kind: str, retry_after: float | None = None
        ) -> None:
            super().record_outcome(admission, kind, retry_after)
            told.set()

    def too_many(url: str) -> HttpReply:
        assert second.wait(LONG_S)
        return HttpReply(url, 429, {}, b"{}")

    outside = Outside(too_many)
    door = Doorway(
        memory_log("tea"), outside, Scripted(""), clock, services=Noting(clock.monotonic)
    )
    tea = door.http.for_service("tea", pace_s=0.01)
    with ThreadPoolExecutor() as pool:
        first, other = (pool.submit(tea.send, "GET", f"{PAGE}{n}") for n in range(2))
        ends = [each.exception(LONG_S) for each in (first, other)]
    assert len(outside.asked) == 1
    (failed,) = filter(None, ends)
    assert isinstance(failed, FetchError)
    assert failed.kind == "circuit_open"


def test_a_call_waits_for_no_place_at_a_gate_when_its_time_is_up(clock: Ticking) -> None:
    begun, going = threading.Semaphore(0), threading.Event()

    def slowly(url: str) -> HttpReply:
        begun.release()
        assert going.wait(LONG_S)
        return HttpReply(url, 200, {}, b"{}")

    door = Doorway(memory_log("tea"), Outside(slowly), Scripted(""), clock)
    with ThreadPoolExecutor() as pool:
        held = [
            pool.submit(door.http.send, "GET", f"{PAGE}{n}")
            for n in range(CONCURRENCY_LIMITS["host"])
        ]
        assert all(begun.acquire(timeout=LONG_S) for _ in held)
        waiting = pool.submit(door.http.with_deadline(5.0).send, "GET", PAGE)
        clock.pass_by(10.0)
        try:
            with pytest.raises(FetchError, match="call reached its time limit"):
                waiting.result(LONG_S)
        finally:
            going.set()
    assert all(each.result().status == 200 for each in held)
