"""Define the layers that every outside call passes, and how they are stacked.

A layer takes a call and `proceed`, which passes the call on to the next layer. It may answer the
call itself, raise, pass on a changed call, or call `proceed` again. `Doorway` lists them in order.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from research_core.errors import BoundaryError, CallForbidden, ModelError, Stopped, error_to_json
from research_core.journal.budget import Budget
from research_core.journal.cache import CachedCall, FullAnswer
from research_core.journal.circuit_breaker import CircuitBreakers
from research_core.journal.deps import Clock, Price
from research_core.journal.events import Draft
from research_core.journal.http_caching import BUSY_STATUSES, error_kind_of, parse_retry_after
from research_core.journal.log import EventLog
from research_core.model_messages import Usage, add_usage

#: How many attempts a call gets in all, by kind.
MAX_ATTEMPTS = {"http": 2, "model": 4, "ddgs": 1, "library": 1, "session": 1, "browser": 1}
BACKOFF_S, BACKOFF_MAX_S, STOP_POLL_S = 0.5, 8.0, 0.1
#: Failures of a model that has too much to do. Unless it says how long to wait, it gets so many
#: attempts, within 32 s.
BUSY_KINDS, BUSY_ATTEMPTS = frozenset({"rate_limited", "upstream_unavailable"}), 7
#: A model that answers with this status has a fault, unless the server says how long to wait.
FAULT_STATUS = 500
#: From so many seconds on all calls to a busy model wait, and the log says so.
LONG_WAIT_S = 4.0
#: Concurrent calls by the name of a limit, or by the word before its colon: `host:example.org` is
#: one host.
CONCURRENCY_LIMITS = {
    "model": 10,
    "host": 4,
    "engine": 2,
    "engine:duckduckgo": 1,
    "library": 8,
    "session": 8,
    "browser": 2,
}


@dataclass(frozen=True)
class Service:
    """The service a call asks, by the name of its breaker.

    pace_s: seconds between the starts of two calls. ttl_s: the greatest age of an answer. trips:
    whether the breaker counts the call. pending: answers not yet released to other sessions.
    """

    name: str
    pace_s: float = 0.0
    ttl_s: float = 0.0
    trips: bool = True
    pending: list[Callable[[], None]] = field(default_factory=list)


@dataclass(frozen=True)
class OutsideCall:
    """One call to the outside, as the layers see it.

    make: makes the call; takes `validators`, the headers that confirm an older answer. about: what
    the log says of the call; layers add to it. limit_name: what its concurrency is limited by.
    keep: False records that the call happened, but not its result. uses_reserve: the writer makes
    it. is_free: it uses no tokens of a model. shown_tokens: about how many a model is shown.
    expected_cost, kept_back: as `Budget.reserve_call` takes them.
    caching: how it uses the cache. service: whose breaker and pace apply. limit_seconds: limits
    seconds to what the call has left, and raises when that is nothing. find_patience: returns the
    longest wait before another attempt, in seconds. most_at_once: fewer concurrent calls than the
    limit allows, None for as many. given_up: the failures of models of a chain that another attempt
    does not ask. faulty: the limits of the models that answered an earlier call with a fault each
    time: they are asked once.
    """

    kind: str
    key: str
    make: Callable[[Mapping[str, str]], FullAnswer]
    about: dict[str, Any]
    limit_name: str
    keep: bool = True
    uses_reserve: bool = False
    is_free: bool = False
    shown_tokens: int = 0
    expected_cost: float | None = None
    kept_back: float = 0.0
    caching: CachedCall | None = None
    price: Price | None = None
    service: Service | None = None
    limit_seconds: Callable[[float], float] = float
    find_patience: Callable[[], float] = lambda: BACKOFF_MAX_S
    validators: Mapping[str, str] = field(default_factory=dict)
    most_at_once: int | None = None
    given_up: dict[str, ModelError] = field(default_factory=dict)
    faulty: set[str] = field(default_factory=set)


Proceed = Callable[[OutsideCall], FullAnswer]
Layer = Callable[[Proceed, OutsideCall], FullAnswer]


def stack_layers(layers: Sequence[Layer]) -> Proceed:
    """Return a function that sends a call through the layers, first to last, and then makes it."""
    proceed: Proceed = _make_call
    for layer in reversed(layers):
        proceed = partial(layer, proceed)
    return proceed


def _make_call(call: OutsideCall) -> FullAnswer:
    return call.make(call.validators)


# ---------------------------------------------------------------- what outlives a call


class StopCheck:
    """Raises in a session's calls once its run must not continue. Thread-safe.

    shutdown: set when this process ends. closed: set once gathering was stopped; only the writer
    may go on.
    """

    def __init__(
        self, log: EventLog, clock: Clock, shutdown: threading.Event, closed: threading.Event
    ) -> None:
        self._log = log
        self._clock = clock
        self._shutdown = shutdown
        self._closed = closed
        self._lock = threading.Lock()
        self._polled_at = 0.0
        self._reason: str | None = None

    def check_stop(self) -> None:
        """Raise Stopped if this process shuts down or the analyst cancelled.

        Looks at the database at most every 0.1 s.
        """
        if self._shutdown.is_set():
            raise Stopped("shutdown")
        with self._lock:
            now = time.monotonic()
            is_due = now - self._polled_at >= STOP_POLL_S
            if is_due:
                self._polled_at = now
        if is_due:
            self._reason = self._log.stop_reason()
        if self._reason:
            raise Stopped(self._reason)

    def check_may_continue(self, uses_reserve: bool) -> None:
        """Raise Stopped or CallForbidden if the run must not continue.

        Called before a call, while it waits, and before each attempt.
        """
        self.check_stop()
        if self._closed.is_set() and not uses_reserve:
            raise CallForbidden("The run was stopped; no further calls are made.")

    def pause(self, seconds: float, uses_reserve: bool) -> None:
        """Wait, even for 0 s, and raise within 0.1 s when the run must not continue."""
        self.check_may_continue(uses_reserve)
        left = seconds
        while left > 0:
            left -= self._clock.wait(self._shutdown, min(left, STOP_POLL_S))
            self.check_may_continue(uses_reserve)


class ConcurrencyLimits:
    """The slots of each limit of one session. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._slots: dict[str, threading.Semaphore] = {}

    def find_slots(self, limit_name: str, fewer: int | None = None) -> threading.Semaphore:
        """Return the slots of a limit, the same at each call. fewer: how many, at the first."""
        most = fewer or CONCURRENCY_LIMITS.get(limit_name)
        if most is None:
            kind = limit_name.partition(":")[0]
            most = CONCURRENCY_LIMITS.get(kind, CONCURRENCY_LIMITS["engine"])
        with self._lock:
            return self._slots.setdefault(limit_name, threading.Semaphore(most))


class RateLimitPauses:
    """Until when each model that limits requests or is overloaded is not asked. Thread-safe.

    All calls to a model share its pause, so that one refusal is enough.
    """

    def __init__(self, log: EventLog, now: Callable[[], float]) -> None:
        """now: seconds for measuring intervals."""
        self._log, self._now = log, now
        self._lock = threading.Lock()
        self._ends: dict[str, float] = {}

    def find_wait(self, limit_name: str) -> float:
        """Return the seconds until this model may be asked, 0 if it may be now."""
        with self._lock:
            return max(0.0, self._ends.get(limit_name, 0.0) - self._now())

    def extend(self, limit_name: str, seconds: float) -> None:
        """Ask this model nothing for so many seconds, and log that the run waits."""
        with self._lock:
            earlier, end = self._ends.get(limit_name, 0.0), self._now() + seconds
            self._ends[limit_name] = max(earlier, end)
        if end > earlier + STOP_POLL_S:
            self._log.append(Draft("waiting", {"for": "model", "seconds": round(seconds, 1)}))


# ---------------------------------------------------------------- the layers


def answer_from_journal(log: EventLog, proceed: Proceed, call: OutsideCall) -> FullAnswer:
    """Answer from the log what this session recorded before; record any other call."""
    value = log.record_call(
        call.kind, call.key, lambda: proceed(call).value, about=call.about, keep=call.keep
    )
    return FullAnswer(value, {})


def refuse_after_stop(stop: StopCheck, proceed: Proceed, call: OutsideCall) -> FullAnswer:
    """Refuse a call of a run that must not continue."""
    stop.check_may_continue(call.uses_reserve)
    return proceed(call)


def reserve_budget(budget: Budget, proceed: Proceed, call: OutsideCall) -> FullAnswer:
    """Count the call against the caps, and what a model used once it answered.

    An answer that cannot be used counts too.
    """
    budget.reserve_call(
        call.kind,
        call.uses_reserve,
        is_free=call.is_free,
        tokens=call.shown_tokens,
        cost=call.expected_cost,
        kept_back=call.kept_back,
    )
    try:
        answer = proceed(call)
        if call.kind == "model":
            budget.count_usage(answer.value)
    except ModelError as error:
        budget.count_usage(error_to_json(error))
        raise
    finally:
        budget.end_call(call.shown_tokens, call.expected_cost)
    return answer


def answer_from_cache(proceed: Proceed, call: OutsideCall) -> FullAnswer:
    """Answer from the cache while an answer is good; store the answer of any other call."""
    if call.caching is None:
        return proceed(call)

    def ask(validators: Mapping[str, str]) -> FullAnswer:
        return proceed(replace(call, validators=validators))

    if call.kind == "http":
        return call.caching.answer(ask, call.about)
    return call.caching.answer_plain(ask, call.about)


def pay_price(budget: Budget, proceed: Proceed, call: OutsideCall) -> FullAnswer:
    """Reserve what the call costs by itself. Comes after the cache, whose answers are free."""
    if call.price is None:
        return proceed(call)
    return budget.pay_for(call.price, call.about, lambda: proceed(call))


def hold_slot(
    limits: ConcurrencyLimits, stop: StopCheck, proceed: Proceed, call: OutsideCall
) -> FullAnswer:
    """Hold a slot of the call's limit; stop waiting when the run or the call's time ends."""
    slots = limits.find_slots(call.limit_name, call.most_at_once)
    while not slots.acquire(timeout=STOP_POLL_S):
        stop.check_may_continue(call.uses_reserve)
        call.limit_seconds(0.0)
    try:
        return proceed(call)
    finally:
        slots.release()


def respect_service(
    breakers: CircuitBreakers,
    stop: StopCheck,
    now: Callable[[], float],
    proceed: Proceed,
    call: OutsideCall,
) -> FullAnswer:
    """Make one call of a service at its pace, and report the outcome to its breaker."""
    service = call.service
    if service is None:
        return proceed(call)
    patience_s = call.limit_seconds(math.inf)
    admission = breakers.admit(service.name, service.pace_s, patience_s)
    try:
        stop.pause(admission.wait_s, False)
        breakers.check_turn(admission)
        answer = proceed(call)
    except BoundaryError as error:
        # `ours` was never asked; without `trips` the service will be asked again soon.
        if error.ours or not service.trips:
            breakers.release(admission)
        else:
            breakers.record_outcome(admission, error.kind, error.retry_after)
        raise
    except BaseException:
        breakers.release(admission)
        raise
    if service.trips:
        kind = error_kind_of(answer.value["status"])
        retry_after = parse_retry_after(answer.headers, now())
        breakers.record_outcome(admission, kind, retry_after)
    else:
        breakers.release(admission)
    return answer


def retry_failures(
    stop: StopCheck, now: Callable[[], float], proceed: Proceed, call: OutsideCall
) -> FullAnswer:
    """Retry failures that may pass; the last attempt counts, and their number is logged.

    What a model used for answers that broke off is counted with the last. Such an answer is asked
    for again once.
    """
    paid, models = Usage(), 1
    asked = _AskedModels()
    attempt = 0
    while True:
        attempt += 1
        stop.check_may_continue(call.uses_reserve)
        if attempt > 1:
            call.about["attempts"] = attempt
        is_last = attempt == MAX_ATTEMPTS[call.kind]
        try:
            answer = proceed(call)
        except Stopped:
            stop.check_stop()  # a client that broke off knows only that it was told to, not why
            raise
        except BoundaryError as error:
            retry_s = _give_up_models(call, error, attempt)
            if isinstance(error, ModelError):
                asked.add(error)
                models = max(models, error.models)
                if error.usage and paid != Usage():
                    retry_s = None
                paid = add_usage(paid, Usage(**error.usage))
                if paid != Usage():
                    error.usage = asdict(paid)
            if retry_s is None:
                if isinstance(error, ModelError):
                    if _has_only_faults(error):
                        call.faulty.add(call.limit_name)
                    failure = asked.describe(call, error, attempt)
                    failure.models = models
                    raise failure from error
                raise
            wait_s = retry_s
        else:
            busy_s = _find_busy_wait(call, answer, now)
            if busy_s is None or is_last or busy_s > BACKOFF_MAX_S:
                call.faulty.discard(call.limit_name)
                return _add_earlier(answer, paid, asked.requests.total())
            wait_s = busy_s
        stop.pause(wait_s, call.uses_reserve)


def _give_up_models(call: OutsideCall, error: BoundaryError, attempt: int) -> float | None:
    """Return the seconds to wait before another attempt, None if there is none.

    The models of a chain that failed for good are given up, each as it would be alone.
    """
    if not isinstance(error, ModelError) or not error.by_model:
        wait_s = _find_retry_wait(call, error, attempt)
        return None if wait_s == math.inf else wait_s
    waits = []
    for model, failure in error.by_model.items():
        wait_s = _find_retry_wait(call, failure, attempt)
        if wait_s is None or wait_s == math.inf:
            call.given_up[model] = failure
        else:
            waits.append(wait_s)
    return waits[0] if waits else None


def _find_retry_wait(call: OutsideCall, error: BoundaryError, attempt: int) -> float | None:
    """Return the seconds to wait after a failure, inf if too many, None for no other attempt."""
    if not _may_retry(call.kind, error):
        return None
    is_fault = call.kind == "model" and _is_fault(error)
    if is_fault and call.limit_name in call.faulty:
        return None
    is_busy = call.kind == "model" and error.kind in BUSY_KINDS and not is_fault
    wait_s, most = error.retry_after, MAX_ATTEMPTS[call.kind]
    if wait_s is None:
        wait_s = BACKOFF_S * 2 ** (attempt - 1)
        most = BUSY_ATTEMPTS if is_busy else most
    if wait_s > (call.find_patience() if is_busy else BACKOFF_MAX_S):
        return math.inf
    return wait_s if attempt < most else None


@dataclass
class _AskedModels:
    """The models that all attempts of a call asked. failures: the latest of each, by its name."""

    requests: Counter[str] = field(default_factory=Counter)
    failures: dict[str, ModelError] = field(default_factory=dict)

    def add(self, error: ModelError) -> None:
        """Add what one attempt sent, and why each model failed; one without a name is alone."""
        for model, failure in (error.by_model or {"": error}).items():
            self.requests[model] += failure.requests
        self.failures.update(error.by_model)

    def describe(self, call: OutsideCall, error: ModelError, attempt: int) -> ModelError:
        """Return the failure of the last attempt, which names each model with its requests.

        The model whose failure it is comes last.
        """
        failure = copy(error)
        failure.requests = self.requests.total()
        if not error.by_model:
            failure.message = _describe_patience(call, error, failure.requests, attempt)
            return failure
        ordered = sorted(self.failures, key=lambda model: _is_same(self.failures[model], error))
        described = []
        for model in ordered:
            each = self.failures[model]
            message = _describe_patience(call, each, self.requests[model], attempt)
            described.append((message, each.next_step, self.requests[model]))
        failure.message = " ".join(dict.fromkeys(message for message, _, _ in described))
        if len(described) > 1:
            sent = [row[:2] for row in described if row[2]] or [row[:2] for row in described]
            failure.failures = tuple(sent)
        return failure


def _is_same(one: ModelError, other: ModelError) -> bool:
    return (one.message, one.kind) == (other.message, other.kind)


def _describe_patience(call: OutsideCall, error: ModelError, requests: int, attempt: int) -> str:
    """Return a failure with its requests, and the wait asked for if it was too long.

    requests: of all attempts. A wait is too long if another attempt could succeed, but later than
    the step may wait.
    """
    message = error.message
    if requests > max(1, error.requests):
        message += f" {requests} requests were made."
    if error.retry_after is not None and _find_retry_wait(call, error, attempt) == math.inf:
        message += (
            f" The provider asked to wait {math.ceil(error.retry_after):,} s, longer than this step"
            " may wait."
        )
    return message


def _add_earlier(answer: FullAnswer, paid: Usage, requests: int) -> FullAnswer:
    """Return a model's answer with what the attempts before it used, and their requests."""
    if not requests:
        return answer
    value = {**answer.value, "requests": requests + answer.value.get("requests", 1)}
    if paid != Usage():
        value["usage"] = asdict(add_usage(paid, Usage(**answer.value["usage"])))
    return replace(answer, value=value)


def pause_for_rate_limit(
    pauses: RateLimitPauses, stop: StopCheck, proceed: Proceed, call: OutsideCall
) -> FullAnswer:
    """Let a call to a model wait while another one's refusal says when it may be asked.

    Raises ModelError if that is later than the call can wait.
    """
    if call.kind != "model":
        return proceed(call)
    wait_s = pauses.find_wait(call.limit_name)
    if wait_s > call.find_patience():
        failure = ModelError(
            f"The model takes no requests for another {wait_s:.0f} s, and the run has no time to"
            " wait.",
            kind="rate_limited",
            next_step="Wait, or choose another model.",
        )
        failure.requests = 0
        raise failure
    if wait_s:
        stop.pause(wait_s, call.uses_reserve)
    try:
        return proceed(call)
    except ModelError as error:
        wait_s = error.retry_after or 0.0
        if error.retry_after is None:
            backoff_s = _find_retry_wait(call, error, call.about.get("attempts", 1)) or 0.0
            wait_s = backoff_s if backoff_s >= LONG_WAIT_S else 0.0
        if error.kind in BUSY_KINDS and 0 < wait_s <= call.find_patience():
            pauses.extend(call.limit_name, wait_s)
        raise


def _find_busy_wait(
    call: OutsideCall, answer: FullAnswer, now: Callable[[], float]
) -> float | None:
    """Return the seconds to wait before a busy server is asked again; None if it is not to be."""
    if call.kind != "http" or answer.value["status"] not in BUSY_STATUSES:
        return None
    if call.service is not None and answer.value["status"] == 429:
        return None  # the service's breaker opens
    retry_after = parse_retry_after(answer.headers, now())
    return BACKOFF_S if retry_after is None else retry_after


def _is_fault(error: BoundaryError) -> bool:
    """Return True for an error of the server that is neither an overload nor a limit."""
    return error.status == FAULT_STATUS and error.retry_after is None


def _has_only_faults(error: ModelError) -> bool:
    """Return True if models of a chain, or the one asked, have faults and none is busy."""
    failures = list(error.by_model.values()) or [error]
    others = [failure for failure in failures if not _is_fault(failure)]
    return len(others) < len(failures) and not any(each.kind in BUSY_KINDS for each in others)


def _may_retry(kind: str, error: BoundaryError) -> bool:
    """Return True if another attempt may succeed where this one failed."""
    if kind == "model" and error.kind == "timeout":
        return False  # it used all its time; two more such waits do not help
    return error.retryable and not error.ours and not error.absent
