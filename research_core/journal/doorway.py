"""Send every outside call through journal, stop, caps, cache, limits and retry, in that order.

Steps use `Doorway.http` and `Doorway.model`; no step records, retries, sleeps or counts by itself.
The doorway records what crossed the boundary, never a parsed value.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from research_core.errors import (
    BoundaryError,
    CallForbidden,
    FetchError,
    Stopped,
    capture_refusal,
    unwrap_refusal,
)
from research_core.journal import redaction
from research_core.journal.access_token import with_access_token
from research_core.journal.budget import Budget
from research_core.journal.cache import Cache, CachedCall, DeferredCache, FullAnswer
from research_core.journal.circuit_breaker import CircuitBreakers
from research_core.journal.deps import Clock, Login, Model, Price, RawHttp
from research_core.journal.events import call_key
from research_core.journal.http_caching import BUSY_STATUSES, error_kind_of, parse_retry_after
from research_core.journal.log import EventLog
from research_core.journal.stream_events import DeltaStream
from research_core.model_messages import ModelReply, ModelRequest, ToolCall, Usage
from research_core.models import HttpReply
from research_core.policy import Caps, Tally

#: Kind of a recorded fact about this machine, which may differ in a replay; not a call.
MACHINE_FACT = "fact"
#: Raise a version when the recorded shape of its kind changes, so that no old log is misread.
CALL_VERSIONS = {
    "http": 1,
    "model": 1,
    "ddgs": 1,
    "library": 1,
    "session": 1,
    "browser": 1,
    MACHINE_FACT: 1,
}
#: How many attempts a call gets in all, by kind.
MAX_ATTEMPTS = {"http": 2, "model": 3, "ddgs": 1, "library": 1, "session": 1, "browser": 1}
BACKOFF_S, BACKOFF_MAX_S, STOP_POLL_S = 0.5, 8.0, 0.1
#: Concurrent calls by gate; each host and each engine has its own gate.
CONCURRENCY_LIMITS = {
    "model": 10,
    "host": 4,
    "engine": 2,
    "engine:duckduckgo": 1,
    "library": 8,
    "session": 8,
    "browser": 2,
}
#: Requests that may use the writer's reserve; nothing else may.
WRITER_KINDS = frozenset({"write", "explain_insufficient", "verify_sentence"})
#: Methods whose answers may be reused; the body of a POST is part of its key.
CACHEABLE_METHODS = frozenset({"GET", "POST"})


@dataclass(frozen=True)
class Control:
    """Stop signals: shutdown of this process, and `closed` for all but the writer.

    closed is set once gathering was stopped.
    """

    shutdown: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)


class Doorway:
    """Wraps the raw http and model of one session; holds its budget and concurrency gates."""

    def __init__(
        self,
        log: EventLog,
        http: RawHttp,
        model: Model,
        clock: Clock,
        *,
        caps: Caps = Caps(),
        control: Control | None = None,
        cache: Callable[[], Cache | None] | None = None,
        services: CircuitBreakers | None = None,
    ) -> None:
        self.log = log
        self._http = http
        self._model = model
        self._clock = clock
        self.control = control or Control()
        self._cache = cache
        self.services = services or CircuitBreakers(clock.monotonic)
        self._lock = threading.Lock()
        self._gates: dict[str, threading.Semaphore] = {}
        self._looked = 0.0
        self._word: str | None = None
        self.now = clock.monotonic
        self.account = Budget(caps, model, self.now, log.calls())

    # Built on each use: stored here they would form a cycle, and the session's log would stay in
    # memory until the next garbage collection.
    @property
    def http(self) -> RecordedHttp:
        return RecordedHttp(self)

    @property
    def model(self) -> RecordedModel:
        return RecordedModel(self, self._model)

    def pass_through(
        self,
        kind: str,
        key: str,
        fn: Callable[..., Any],
        *,
        gate: str,
        limit: int,
        about: Mapping[str, Any],
        reserve: bool = False,
        keep: bool = True,
        kept: CachedCall | None = None,
        price: Price | None = None,
        service: Service | None = None,
        left: Callable[[float], float] = float,
    ) -> Any:
        """Return the recorded answer under this key, or call `fn` if nothing forbids it.

        kept: how the cache is used; `fn` then takes the headers that confirm an older answer and
        returns a `FullAnswer`. service: whose breaker and pace apply. left: limits seconds to what
        the call has left, and raises when that is nothing.
        """
        notes = dict(about)

        def ask_outside(*given: Any) -> Any:
            call = partial(fn, *given)
            with self._hold_place(gate, limit, reserve, left):
                if service is None:
                    return self._call_with_retries(kind, call, reserve, notes)
                ask = partial(self._call_with_retries, kind, call, reserve, notes, patient=False)
                return self._call_service(service, ask, left(math.inf))

        def ask_within_budget(*given: Any) -> Any:
            if price is None:
                return ask_outside(*given)
            return self.account.pay_for(price, notes, partial(ask_outside, *given))

        def make() -> Any:
            self._permit(kind, reserve)
            if kept is None:
                answer = ask_within_budget()
            elif kind == "http":
                answer = kept.answer(ask_within_budget, notes)
            else:
                answer = kept.answer_plain(ask_within_budget, notes)
            value = answer.value if isinstance(answer, FullAnswer) else answer
            if kind == "model":
                self.account.settle(value)
            return value

        return self.log.record_call(kind, key, make, about=notes, keep=keep)

    def plan_caching(
        self, key: str, whose: str, ttl_s: float, service: Service | None = None, rule: bool = False
    ) -> CachedCall | None:
        """Return how a call uses the cache; None if there is no cache or ttl_s is 0.

        whose: what distinguishes the answer beside the key. A call voided in this session is a
        retry.
        """
        cache = self._cache() if self._cache and ttl_s > 0 else None
        if cache is None:
            return None
        return CachedCall(
            DeferredCache(cache, service.pending) if service else cache,
            f"{key}.{whose}" if whose else key,
            ttl_s,
            self._clock.now,
            again=self.log.is_voided(key),
            rule=rule or service is not None,
        )

    def _call_service(
        self, service: Service, ask: Callable[[], FullAnswer], left: float
    ) -> FullAnswer:
        """Make one call of a service at its pace, and report the outcome to its breaker.

        left: seconds it may wait.
        """
        admission = self.services.admit(service.name, service.pace_s, left)
        try:
            self.pause(admission.wait_s, False)
            self.services.check_turn(admission)
            answer = ask()
        except BoundaryError as error:
            # `ours` was never asked; without `trips` the service will be asked again soon.
            if error.ours or not service.trips:
                self.services.release(admission)
            else:
                self.services.record_outcome(admission, error.kind, error.retry_after)
            raise
        except BaseException:
            self.services.release(admission)
            raise
        if service.trips:
            kind = error_kind_of(answer.value["status"])
            retry_after = parse_retry_after(answer.headers, self._clock.now())
            self.services.record_outcome(admission, kind, retry_after)
        else:
            self.services.release(admission)
        return answer

    def tally(self) -> Tally:
        """Return what the session has used so far."""
        kinds = [event.data["kind"] for event in self.log.calls()]
        return self.account.tally([kind for kind in kinds if kind != MACHINE_FACT])

    def _permit(self, kind: str, reserve: bool) -> None:
        """Check stop, closing and caps; nothing else does.

        Raises Stopped, CallForbidden or CapReached.
        """
        self._check_may_continue(reserve)
        self.account.permit(kind, reserve)

    def check_stop(self) -> None:
        """Raise Stopped if this process shuts down or the analyst cancelled.

        Looks at the database at most every 0.1 s.
        """
        if self.control.shutdown.is_set():
            raise Stopped("shutdown")
        with self._lock:
            now = time.monotonic()
            due = now - self._looked >= STOP_POLL_S
            if due:
                self._looked = now
        if due:
            self._word = self.log.stop_reason()
        if self._word:
            raise Stopped(self._word)

    def _check_may_continue(self, reserve: bool) -> None:
        """Raise if the run must not continue.

        Called before a call, while it waits, and before each attempt.
        """
        self.check_stop()
        if self.control.closed.is_set() and not reserve:
            raise CallForbidden("The run was stopped; no further calls are made.")

    @contextmanager
    def _hold_place(
        self, gate: str, limit: int, reserve: bool, left: Callable[[float], float]
    ) -> Iterator[None]:
        """Hold one of the places at a gate; stop waiting when the run or the call's time ends."""
        with self._lock:
            places = self._gates.setdefault(gate, threading.Semaphore(limit))
        while not places.acquire(timeout=STOP_POLL_S):
            self._check_may_continue(reserve)
            left(0.0)
        try:
            yield
        finally:
            places.release()

    def _call_with_retries(
        self,
        kind: str,
        fn: Callable[[], Any],
        reserve: bool,
        notes: dict[str, Any],
        patient: bool = True,
    ) -> Any:
        """Make the call and retry failures that may pass.

        The last attempt and the number of attempts are recorded. patient: retry after "too many
        requests"; False for a service with a breaker.
        """
        for attempt in range(1, MAX_ATTEMPTS[kind] + 1):
            self._check_may_continue(reserve)
            if attempt > 1:
                notes["attempts"] = attempt
            is_last = attempt == MAX_ATTEMPTS[kind]
            try:
                value = fn()
            except Stopped:
                self.check_stop()  # a client that broke off knows only that it was told to, not why
                raise
            except BoundaryError as error:
                wait = error.retry_after
                if wait is None:
                    wait = BACKOFF_S * 2 ** (attempt - 1)
                if is_last or wait > BACKOFF_MAX_S or not _may_retry(kind, error):
                    raise
            else:
                busy_s = _parse_busy_wait(value, self._clock.now()) if kind == "http" else None
                if busy_s is None or is_last or busy_s > BACKOFF_MAX_S:
                    return value
                if not patient and value.value["status"] == 429:
                    return value
                wait = busy_s
            self.pause(wait, reserve)
        raise AssertionError("unreachable")

    def pause(self, seconds: float, reserve: bool) -> None:
        """Wait, even for 0 s, and raise within 0.1 s when the run must not continue."""
        self._check_may_continue(reserve)
        until = time.monotonic() + seconds
        left = until - time.monotonic()
        while left > 0:
            self.control.shutdown.wait(min(left, STOP_POLL_S))
            self._check_may_continue(reserve)
            left = until - time.monotonic()


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


class RecordedHttp:
    """`deps.http`: HTTP requests and other calls through the doorway.

    until: when its time is up, on the clock's scale. good_s: how long its answers are good where
    that is a rule.
    """

    def __init__(
        self,
        doorway: Doorway,
        page: str = "",
        service: Service | None = None,
        until: float = math.inf,
        good_s: float = 0.0,
    ) -> None:
        self._doorway = doorway
        self._page = page
        self._service = service
        self._until = until
        self._good_s = good_s

    def on_behalf(self, page: str) -> RecordedHttp:
        return RecordedHttp(self._doorway, page, self._service, self._until, self._good_s)

    def within(self, seconds: float) -> RecordedHttp:
        until = min(self._until, self._doorway.now() + seconds)
        return RecordedHttp(self._doorway, self._page, self._service, until, self._good_s)

    def lasting(self, seconds: float) -> RecordedHttp:
        return RecordedHttp(self._doorway, self._page, self._service, self._until, seconds)

    def of(
        self, service: str, *, pace_s: float = 0.0, ttl_s: float = 0.0, trips: bool = True
    ) -> RecordedHttp:
        return RecordedHttp(
            self._doorway, self._page, Service(service, pace_s, ttl_s, trips), self._until
        )

    def keep(self) -> None:
        pending = self._service.pending if self._service else []
        while pending:
            pending.pop()()

    def fact(self, params: Mapping[str, Any], look: Callable[[], Any]) -> Any:
        key = call_key(MACHINE_FACT, CALL_VERSIONS[MACHINE_FACT], params)
        result = self._doorway.log.record_call(
            MACHINE_FACT, key, partial(capture_refusal, look), about=_describe_params(params)
        )
        return unwrap_refusal(result)

    def resting(self, services: Sequence[str]) -> list[str]:
        asked = {"asked": "who is left alone", "services": list(services)}
        return list(self.fact(asked, partial(self._doorway.services.resting, list(services))))

    def _left(self, timeout_s: float) -> float:
        """Return the seconds a call of at most timeout_s still has. Raises FetchError if none."""
        left = self._until - self._doorway.now()
        if left <= 0:
            raise FetchError(
                "The time for this call was up.",
                kind="timeout",
                next_step="Ask for less at once.",
                ours=True,
            )
        return min(timeout_s, left)

    def send(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        timeout_s: float = 15.0,
        max_bytes: int = 5_000_000,
        endpoint: bool = False,
        keep: bool = True,
        ttl_s: float = 0.0,
        page: bool = False,
        max_document: int = 0,
        price: Price | None = None,
        login: Login | None = None,
    ) -> HttpReply:
        gate = f"host:{_find_host(url)}"
        headers = {name.lower(): value for name, value in (headers or {}).items()}
        secrets = redaction.collect_secrets(
            url, params or {}, {**headers, **(login.headers if login else {})}, endpoint=endpoint
        )
        plain: dict[str, Any] = {"json": json, "max_bytes": max_bytes}
        if form:
            plain["data"] = dict(form)
        if max_document:
            plain["max_document"] = max_document
        key = _http_key(method, url, params or {}, headers, plain, endpoint=endpoint)
        make = partial(
            self._send_raw,
            with_access_token(self._doorway._http, login),
            method,
            url,
            headers,
            secrets,
            timeout_s,
            {"params": params, **plain, **self._guard_options(endpoint=endpoint, page=page)},
        )
        about = {"what": f"{method} {redaction.strip_secrets(url)}"}
        if self._page:
            about["page"] = self._page
        kept = None
        if keep and (method in CACHEABLE_METHODS or self._good_s):
            kept = self._plan_caching(key, url, secrets, endpoint=endpoint, ttl_s=ttl_s)
        value = self._doorway.pass_through(
            "http",
            key,
            make,
            gate=gate,
            limit=CONCURRENCY_LIMITS["host"],
            left=self._left,
            about=about,
            keep=keep,
            kept=kept,
            price=price,
            service=self._service,
        )
        return _build_reply(value, cached=self._doorway.log.was_cached(key))

    def _guard_options(self, *, endpoint: bool, page: bool) -> dict[str, Any]:
        """Return the options by which the guarded session decides whether and when to send."""
        doorway = self._doorway
        options: dict[str, Any] = {"endpoint": endpoint, "stop": doorway.control.shutdown}
        if page:
            options["wait"] = partial(doorway.pause, reserve=False)
        if not page or self._page:
            options["on_behalf"] = self._page
        return options

    def _send_raw(
        self,
        raw: RawHttp,
        method: str,
        url: str,
        headers: Mapping[str, str],
        secrets: Sequence[str],
        timeout_s: float,
        options: Mapping[str, Any],
        validators: Mapping[str, str] | None = None,
    ) -> FullAnswer:
        """Send the request and return its answer without secrets.

        validators: headers that confirm an older answer.
        """
        given = {**headers, **(validators or {})}
        try:
            reply = raw.send(method, url, headers=given, timeout_s=self._left(timeout_s), **options)
        except BoundaryError as error:
            error.message = redaction.remove_secrets(error.message, secrets)
            raise
        return FullAnswer(redaction.redact_reply(reply, secrets), reply.headers)

    def _plan_caching(
        self, key: str, url: str, secrets: Sequence[str], *, endpoint: bool, ttl_s: float
    ) -> CachedCall | None:
        """Return how this request uses the cache. ttl_s: for a request without a service."""
        # Another service, key or page may get another answer to the same call key.
        service_hash = ""
        if endpoint or secrets:
            service_hash = redaction.hash_service_and_keys(url, secrets)
        max_age_s = self._service.ttl_s if self._service else self._good_s or ttl_s
        return self._doorway.plan_caching(
            key,
            service_hash + _find_host(self._page),
            max_age_s,
            self._service,
            rule=bool(self._good_s),
        )

    def call(
        self, kind: str, params: Mapping[str, Any], fn: Callable[[], Any], *, limit: str = ""
    ) -> Any:
        key = call_key(kind, CALL_VERSIONS[kind], params)
        gate = limit or kind
        service = self._service
        kept = self._doorway.plan_caching(key, "", service.ttl_s, service) if service else None

        def make() -> Any:
            self._left(0.0)
            return fn()

        return self._doorway.pass_through(
            kind,
            key,
            make,
            gate=gate,
            limit=CONCURRENCY_LIMITS.get(gate, CONCURRENCY_LIMITS["engine"]),
            left=self._left,
            about=_describe_params(params),
            kept=kept,
        )

    def check_stop(self) -> None:
        self._doorway.check_stop()

    def close(self) -> None:
        self._doorway.control.closed.set()

    def out_of_time(self) -> bool:
        return self._doorway.account.out_of_time()

    def tally(self) -> dict[str, Any]:
        return asdict(self._doorway.tally())


def _parse_busy_wait(answer: FullAnswer, now: float) -> float | None:
    """Return the seconds a busy server wants to be left alone; None if it is not busy."""
    if answer.value["status"] not in BUSY_STATUSES:
        return None
    retry_after = parse_retry_after(answer.headers, now)
    return BACKOFF_S if retry_after is None else retry_after


def _may_retry(kind: str, error: BoundaryError) -> bool:
    """Return True if another attempt may succeed where this one failed."""
    if kind == "model" and error.kind == "timeout":
        return False  # it used all its time; two more such waits do not help
    return error.retryable and not error.ours and not error.absent


def _describe_params(params: Mapping[str, Any]) -> dict[str, str]:
    """Return the `about` of a call: its parameters in at most 200 characters."""
    return {"what": " ".join(str(value) for value in params.values())[:200]}


def _find_host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        raise FetchError(
            "Address refused: it is not a valid web address.", kind="validation"
        ) from None


def _http_key(
    method: str,
    url: str,
    params: Mapping[str, str],
    headers: Mapping[str, str],
    plain: Mapping[str, Any],
    *,
    endpoint: bool,
) -> str:
    """Return the call key of a request, which holds no secret and no address of a service."""
    asked = redaction.replace_service_address(url) if endpoint else redaction.strip_user(url)
    key_params = {
        "method": method,
        "url": asked,
        "params": redaction.drop_secret_names(params, redaction.ACCOUNT_PARAMS),
        "headers": redaction.drop_secret_names(headers, redaction.SECRET_HEADERS),
        **plain,
    }
    return call_key("http", CALL_VERSIONS["http"], key_params)


def _build_reply(value: Mapping[str, Any], *, cached: bool) -> HttpReply:
    """Return the recorded answer of a request."""
    return HttpReply(
        value["url"],
        value["status"],
        value["headers"],
        value["body"],
        tuple(value["hops"]),
        cached,
    )


class RecordedModel:
    """`deps.model`: records every reply as it came and streams its text to the log."""

    def __init__(self, doorway: Doorway, model: Model) -> None:
        self._doorway, self._model = doorway, model

    @property
    def name(self) -> str:
        return self._model.name

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        key = call_key("model", CALL_VERSIONS["model"], request.params(self.name))

        def pass_on(piece: str) -> None:
            self._doorway.check_stop()  # a cancelled run does not wait for a long text
            if on_text:
                on_text(piece)

        def make() -> dict[str, Any]:
            if on_text is None:
                return asdict(self._model.run(request, None))
            about = {"of": request.kind, "call": key}
            stream = DeltaStream(self._doorway.log, about, pass_on, self._doorway.now)
            reply = self._model.run(request, stream.text)
            stream.end()
            return asdict(reply)

        value = self._doorway.pass_through(
            "model",
            key,
            make,
            gate="model",
            limit=CONCURRENCY_LIMITS["model"],
            about={"what": f"{request.kind} ({self.name})"},
            reserve=request.kind in WRITER_KINDS,
        )
        calls = tuple(ToolCall(**call) for call in value["calls"])
        return ModelReply(**{**value, "usage": Usage(**value["usage"]), "calls": calls})
