"""Each layer of the doorway alone; `test_doorway` covers them together."""

from __future__ import annotations

import threading
from copy import copy
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import pytest

from research_core.context import memory_log
from research_core.errors import BoundaryError, CallForbidden, FetchError, ModelError, Stopped
from research_core.journal.cache import FullAnswer
from research_core.journal.layers import (
    BACKOFF_MAX_S,
    BACKOFF_S,
    CONCURRENCY_LIMITS,
    MAX_ATTEMPTS,
    ConcurrencyLimits,
    OutsideCall,
    Proceed,
    RateLimitPauses,
    Service,
    StopCheck,
    hold_slot,
    pause_for_rate_limit,
    retry_failures,
    stack_layers,
)
from research_core.llm.model_chain import ask_chain
from research_core.model_messages import ModelReply, Usage
from tests.logs import Hands


def call_of(*answers: FullAnswer | BaseException, kind: str = "http") -> OutsideCall:
    """A call that has these answers in turn, the last one for ever; `about` counts them."""
    left = list(answers)

    def make(_validators: object) -> FullAnswer:
        call.about["made"] = call.about.get("made", 0) + 1
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer

    call = OutsideCall(kind, "key", make, {}, limit_name=f"{kind}:a")
    return call


def answer_of(status: int, **headers: str) -> FullAnswer:
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return FullAnswer({"status": status}, headers)


class Stops:
    """A `StopCheck` that notes the pauses instead of waiting. over: from when on nothing goes."""

    def __init__(self, over: float = float("inf")) -> None:
        self.pauses: list[float] = []
        self.over = over

    def check_stop(self) -> None:
        if len(self.pauses) >= self.over:
            raise Stopped("cancel")

    def check_may_continue(self, _uses_reserve: bool) -> None:
        self.check_stop()

    def pause(self, seconds: float, _uses_reserve: bool) -> None:
        self.pauses.append(seconds)
        self.check_stop()


def test_a_call_passes_the_layers_in_the_order_of_the_list_and_its_answer_back() -> None:
    seen: list[str] = []

    def layer(name: str, proceed: Proceed, call: OutsideCall) -> FullAnswer:
        seen.append(name)
        answer = proceed(replace(call, about={**call.about, name: True}))
        seen.append(f"{name}, back")
        return answer

    def make(_validators: object) -> FullAnswer:
        seen.append("made")
        return FullAnswer(1, {})

    send = stack_layers((partial(layer, "first"), partial(layer, "second")))
    assert send(OutsideCall("http", "key", make, {}, limit_name="host:a")).value == 1
    assert seen == ["first", "second", "made", "second, back", "first, back"]


def test_a_layer_may_answer_by_itself() -> None:
    send = stack_layers((lambda _proceed, _call: FullAnswer("mine", {}),))
    call = call_of(answer_of(200))
    assert (send(call).value, call.about) == ("mine", {})


def retried(call: OutsideCall, stops: Stops) -> Any:
    send = stack_layers((partial(retry_failures, stops, lambda: 0.0),))
    try:
        return send(call).value["status"]
    except BoundaryError as error:
        return error.kind


BROKEN = FetchError("It broke off.", kind="network")


@pytest.mark.parametrize(
    ("answers", "outcome", "pauses"),
    [
        ([answer_of(200)], 200, []),
        ([answer_of(404), answer_of(200)], 404, []),
        ([BROKEN, answer_of(200)], 200, [BACKOFF_S]),
        ([BROKEN], "network", [BACKOFF_S]),
        ([answer_of(503), answer_of(200)], 200, [BACKOFF_S]),
        ([answer_of(429, retry_after="3"), answer_of(200)], 200, [3.0]),
        ([answer_of(429, retry_after=f"{BACKOFF_MAX_S + 1:.0f}"), answer_of(200)], 429, []),
        ([FetchError("It is ours.", kind="network", ours=True), answer_of(200)], "network", []),
    ],
)
def test_what_is_retried_and_after_how_long(
    answers: list[Any], outcome: int | str, pauses: list[float]
) -> None:
    call, stops = call_of(*answers), Stops()
    assert (retried(call, stops), stops.pauses) == (outcome, pauses)
    attempts = len(pauses) + 1
    assert call.about == {"made": attempts, **({"attempts": attempts} if pauses else {})}
    assert attempts <= MAX_ATTEMPTS["http"]


def broken_off(tokens: int) -> ModelError:
    """A failure whose answer used these tokens before it broke off."""
    error = ModelError("It broke off.", kind="upstream_unavailable")
    error.usage = asdict(Usage(tokens, 10, tokens / 1000)) if tokens else {}
    return error


def answer_that_used(tokens: int) -> FullAnswer:
    return FullAnswer({"usage": asdict(Usage(tokens, 20, tokens / 1000))}, {})


@pytest.mark.parametrize(
    ("answers", "made", "tokens", "cost"),
    [
        ([broken_off(100), answer_that_used(100)], 2, 230, 0.2),
        ([broken_off(100), broken_off(50), answer_that_used(100)], 2, 170, 0.15),
        ([broken_off(0), broken_off(100), broken_off(0), answer_that_used(7)], 4, 137, 0.107),
        ([broken_off(0), answer_that_used(7)], 2, 27, 0.007),
        ([answer_that_used(7)], 1, 27, 0.007),
    ],
    ids=["then answers", "twice", "among failures that used nothing", "used nothing", "answers"],
)
def test_what_a_broken_answer_used_counts_and_it_is_asked_for_once_more(
    answers: list[Any], made: int, tokens: int, cost: float
) -> None:
    call = call_of(*answers, kind="model")
    try:
        value = stack_layers((partial(retry_failures, Stops(), lambda: 0.0),))(call).value
        usage, requests = value["usage"], value.get("requests", 1)
    except ModelError as error:
        usage, requests = error.usage, error.requests
    assert call.about["made"] == made
    assert requests == made
    assert usage["input_tokens"] + usage["output_tokens"] == tokens
    assert usage["cost"] == pytest.approx(cost)


FAILURES: dict[str, ModelError] = {
    "busy": ModelError("Busy.", kind="upstream_unavailable", status=503),
    "slow": ModelError("Too slow.", kind="timeout"),
    "limited": ModelError("Later.", kind="rate_limited", retry_after=2.0),
    "limited for long": ModelError("Much later.", kind="rate_limited", retry_after=300.0),
    "refused": ModelError("No.", kind="auth_required", status=401),
    "gone": ModelError("What?", kind="not_found", status=404),
    "nonsense": ModelError("It answers HTML.", kind="bad_reply"),
}


def ask_models(**outcomes: str) -> tuple[str, dict[str, int], list[str]]:
    """Return who answered or the failure, how often each was asked, and the reasons before.

    outcomes: by model, a word of FAILURES or "answers" for each request, the last one for ever.
    """
    asked = dict.fromkeys(outcomes, 0)
    given_up: dict[str, ModelError] = {}

    def ask(model: str, _deadline: float, _on_text: object) -> ModelReply:
        words = outcomes[model].split(", ")
        word = words[min(asked[model], len(words) - 1)]
        asked[model] += 1
        if word == "answers":
            return ModelReply("Yes.", model)
        raise copy(FAILURES[word])

    def make(_validators: object) -> FullAnswer:
        reply = ask_chain(list(outcomes), 60.0, None, ask, given_up=given_up)
        return FullAnswer(reply.to_json(), {})

    call = OutsideCall(
        "model",
        "key",
        make,
        {},
        limit_name="model:a",
        find_patience=lambda: 60.0,
        given_up=given_up,
    )
    try:
        value = stack_layers((partial(retry_failures, Stops(), lambda: 0.0),))(call).value
    except ModelError as error:
        outcome, requests, reasons = error.kind, error.requests, ()
    else:
        reply = ModelReply.from_json(value)
        outcome, requests, reasons = reply.model, reply.requests, reply.passed_over
    assert requests == sum(asked.values())
    return outcome, asked, list(reasons)


@pytest.mark.parametrize(
    ("outcomes", "outcome", "asked"),
    [
        ({"a": "busy", "b": "slow"}, "upstream_unavailable", [7, 1]),
        ({"a": "busy", "b": "busy"}, "upstream_unavailable", [7, 7]),
        ({"a": "slow", "b": "answers"}, "timeout", [1, 0]),
        ({"a": "busy", "b": "limited for long"}, "upstream_unavailable", [7, 1]),
        ({"a": "limited for long", "b": "busy, busy, answers"}, "b", [1, 3]),
        ({"a": "limited for long", "b": "busy"}, "upstream_unavailable", [1, 7]),
        ({"a": "limited", "b": "busy", "c": "gone"}, "upstream_unavailable", [4, 7, 1]),
        ({"a": "limited for long", "b": "gone"}, "rate_limited", [1, 1]),
        ({"a": "limited", "b": "nonsense"}, "rate_limited", [4, 1]),
        ({"a": "busy", "b": "refused", "c": "answers"}, "upstream_unavailable", [7, 1, 0]),
        ({"a": "busy, busy, answers", "b": "slow"}, "a", [3, 1]),
        ({"a": "gone", "b": "busy", "c": "slow"}, "upstream_unavailable", [1, 7, 1]),
        ({"a": "busy, slow", "b": "busy, answers"}, "timeout", [2, 1]),
        ({"a": "gone", "b": "limited for long"}, "rate_limited", [1, 1]),
    ],
    ids=lambda value: ", ".join(value.values()) if isinstance(value, dict) else "",
)
def test_each_model_of_a_chain_is_asked_at_most_as_often_as_alone(
    outcomes: dict[str, str], outcome: str, asked: list[int]
) -> None:
    found = ask_models(**outcomes)
    assert (found[0], list(found[1].values())) == (outcome, asked)


def test_a_model_given_up_stays_among_the_reasons_why_another_answers() -> None:
    found = ask_models(a="limited for long", b="busy, busy, answers")
    assert found[2] == ["Much later."]


class Waits(Stops):
    """Moves the clock on instead of waiting."""

    now = 100.0

    def pause(self, seconds: float, _uses_reserve: bool) -> None:
        self.pauses.append(round(seconds, 1))
        self.now += seconds


def limited(seconds: float | None) -> ModelError:
    return ModelError("Too many requests.", kind="rate_limited", retry_after=seconds)


@pytest.mark.parametrize(
    ("answers", "outcome", "pauses", "waiting"),
    [
        ([limited(37.3), answer_of(200)], 200, [37.3], [37.3]),
        ([limited(37.3), limited(12.0), answer_of(200)], 200, [37.3, 12.0], [37.3, 12.0]),
        ([limited(61.0), answer_of(200)], "rate_limited", [], []),
        ([limited(None), answer_of(200)], 200, [BACKOFF_S], []),
        ([ModelError("Overloaded.", kind="upstream_unavailable"), answer_of(200)],
         200, [BACKOFF_S], []),
        ([*[copy(FAILURES["busy"])] * 6, answer_of(200)], 200, [0.5, 1, 2, 4, 8, 16], [4, 8, 16]),
        ([FAILURES["busy"]], "upstream_unavailable", [0.5, 1, 2, 4, 8, 16], [4, 8, 16]),
        ([ModelError("Busy.", kind="upstream_unavailable", retry_after=45.0), answer_of(200)],
         200, [45.0], [45.0]),
        ([ModelError("Off.", kind="network")], "network", [0.5, 1, 2], []),
        ([ModelError("Too slow.", kind="timeout"), answer_of(200)], "timeout", [], []),
    ],
    ids=["once", "twice", "longer than its patience", "no time said", "overloaded",
         "overloaded for 32 s", "overloaded for ever", "overloaded, says until when",
         "not reached", "timeout"],
)  # fmt: skip
def test_a_rate_limit_is_waited_for_and_told(
    answers: list[Any], outcome: int | str, pauses: list[float], waiting: list[float]
) -> None:
    stops, log = Waits(), memory_log("Why?")
    rate = RateLimitPauses(log, lambda: stops.now)
    layers = (
        partial(retry_failures, stops, lambda: 0.0),
        partial(pause_for_rate_limit, rate, stops),
    )
    call = replace(
        call_of(*answers), kind="model", limit_name="model:a", find_patience=lambda: 60.0
    )
    try:
        got: int | str = stack_layers(layers)(call).value["status"]
    except BoundaryError as error:
        got = error.kind
    assert (got, stops.pauses) == (outcome, pauses)
    assert [event.data["seconds"] for event in log.read(kinds=("waiting",))] == waiting


def test_one_refusal_holds_every_call_to_the_model_and_no_other() -> None:
    stops = Waits()
    rate = RateLimitPauses(memory_log("Why?"), lambda: stops.now)
    send = stack_layers((partial(pause_for_rate_limit, rate, stops),))
    with pytest.raises(ModelError):
        send(
            replace(
                call_of(limited(20.0)),
                kind="model",
                limit_name="model:a",
                find_patience=lambda: 60.0,
            )
        )
    stops.now += 5
    send(call_of(answer_of(200)))
    assert stops.pauses == []
    send(
        replace(
            call_of(answer_of(200)), kind="model", limit_name="model:a", find_patience=lambda: 60.0
        )
    )
    assert stops.pauses == [15.0]


def test_a_pause_holds_only_the_calls_to_its_model_and_none_that_has_no_time() -> None:
    stops = Waits()
    pauses = RateLimitPauses(memory_log("Why?"), lambda: stops.now)
    pauses.extend("model:a", 20.0)
    send = stack_layers((partial(pause_for_rate_limit, pauses, stops),))
    call = replace(call_of(answer_of(200)), kind="model", limit_name="model:b")
    send(call)
    assert stops.pauses == []
    with pytest.raises(ModelError, match="no time to wait"):
        send(replace(call, limit_name="model:a", find_patience=lambda: 19.0))


def test_a_service_that_is_asked_too_often_is_left_to_its_breaker() -> None:
    stops = Stops()
    call = replace(call_of(answer_of(429), answer_of(200)), service=Service("tea"))
    assert (retried(call, stops), stops.pauses) == (429, [])
    call = replace(call_of(answer_of(503), answer_of(200)), service=Service("tea"))
    assert (retried(call, stops), stops.pauses) == (200, [BACKOFF_S])


def test_a_run_that_is_over_makes_no_further_attempt() -> None:
    call = call_of(BROKEN)
    with pytest.raises(Stopped):
        retried(call, Stops(over=1))
    assert call.about["made"] == 1


def test_a_place_is_free_again_however_the_call_ends() -> None:
    limits = ConcurrencyLimits()
    send = stack_layers((partial(hold_slot, limits, Stops()),))
    for _ in range(CONCURRENCY_LIMITS["host"] + 1):
        with pytest.raises(FetchError):
            send(replace(call_of(BROKEN), limit_name="host:a"))
    assert send(replace(call_of(answer_of(200)), limit_name="host:a")).value == {"status": 200}


@pytest.mark.parametrize(
    ("limit_name", "limit"),
    [
        ("model", "model"),
        ("host:a.example.org", "host"),
        ("engine:brave", "engine"),
        ("engine:duckduckgo", "engine:duckduckgo"),
        ("something new", "engine"),
    ],
)
def test_a_limit_has_the_slots_of_its_kind(limit_name: str, limit: str) -> None:
    slots = ConcurrencyLimits().find_slots(limit_name)
    taken = 0
    while slots.acquire(blocking=False):
        taken += 1
    assert taken == CONCURRENCY_LIMITS[limit]


def test_once_gathering_is_closed_only_the_writer_goes_on() -> None:
    class Log:
        def stop_reason(self) -> None: ...

    closed = threading.Event()
    stop = StopCheck(Log(), Hands(), threading.Event(), closed)
    stop.check_may_continue(False)
    closed.set()
    stop.check_may_continue(True)
    with pytest.raises(CallForbidden):
        stop.check_may_continue(False)


def fault(status: int = 500, retry_after: float | None = None) -> ModelError:
    return ModelError("boom", kind="upstream_unavailable", status=status, retry_after=retry_after)


@pytest.mark.parametrize(
    ("failure", "among", "first", "second"),
    [
        (fault(), {}, 4, 1),
        (fault(), {"m1": fault(), "m2": fault()}, 4, 1),
        (fault(), {"m1": ModelError("Gone.", kind="not_found", status=404), "m2": fault()}, 4, 1),
        (fault(), {"m1": fault(), "m2": fault(503)}, 7, 7),
        (fault(503), {}, 7, 7),
        (fault(502), {}, 7, 7),
        (fault(500, 2.0), {}, 4, 4),
    ],
)
def test_a_fault_that_repeats_is_asked_about_less_often_than_an_overload(
    failure: ModelError, among: dict[str, ModelError], first: int, second: int
) -> None:
    failure.by_model = among
    faulty: set[str] = set()
    for made in (first, second):
        call = replace(call_of(failure, kind="model"), faulty=faulty)
        call = replace(call, find_patience=lambda: 60.0)
        stops = Stops()
        with pytest.raises(ModelError, match="boom"):
            retry_failures(stops, lambda: 0.0, stack_layers(()), call)
        assert len(stops.pauses) == made - 1
        assert made != 4 or failure.retry_after or sum(stops.pauses) < 4


def test_a_model_that_answers_after_a_fault_is_asked_as_before() -> None:
    faulty: set[str] = set()
    for answer, made in ((fault(), 4), (fault(), 1), (FullAnswer({}, {}), 1), (fault(), 4)):
        call = replace(call_of(answer, kind="model"), faulty=faulty)
        stops = Stops()
        if isinstance(answer, ModelError):
            with pytest.raises(ModelError, match="boom"):
                retry_failures(stops, lambda: 0.0, stack_layers(()), call)
        else:
            retry_failures(stops, lambda: 0.0, stack_layers(()), call)
        assert len(stops.pauses) == made - 1
