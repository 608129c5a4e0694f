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

#: What is recorded of this machine, which a replay may not have; it is no call.
MACHINE_FACT = "fact"
#: Raised when the recorded shape of a kind changes, so that an old journal is never misread.
CALL_VERSIONS = {
    "http": 1,
    "model": 1,
    "ddgs": 1,
    "library": 1,
    "session": 1,
    "browser": 1,
    MACHINE_FACT: 1,
}
#: How often a retryable failure is tried in all, by kind.
MAX_ATTEMPTS = {"http": 2, "model": 3, "ddgs": 1, "library": 1, "session": 1, "browser": 1}
BACKOFF_S, BACKOFF_MAX_S, STOP_POLL_S = 0.5, 8.0, 0.1
#: Calls at once, by the gate they pass; a host and an engine have a gate each.
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
#: Methods whose answers may stand for a later call; what a POST asks is in its key.
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
        self, log: EventLog, http: RawHttp, model: Model, clock: Clock, *, caps: Caps = Caps(), control: Control | None = None,
        cache: Callable[[], Cache | None] | None = None, services: CircuitBreakers | None = None,
    ) -> None:  # fmt: skip
        self.log, self._http, self._model, self._clock = log, http, model, clock
        self.control, self._cache, self.services = (
            control or Control(),
            cache,
            services or CircuitBreakers(clock.monotonic),
        )
        self._lock = threading.Lock()
        self._gates: dict[str, threading.Semaphore] = {}
        self._looked = 0.0
        self._word: str | None = None
        self.now = clock.monotonic
        self.account = Budget(caps, model, self.now, log.calls())

    # made when asked for: were they held here, they and the session's log would stay until the
    # collector looks for cycles
    @property
    def http(self) -> RecordedHttp:
        return RecordedHttp(self)

    @property
    def model(self) -> RecordedModel:
        return RecordedModel(self, self._model)

    def pass_through(
        self, kind: str, key: str, fn: Callable[..., Any], *, gate: str, limit: int, about: Mapping[str, Any], reserve: bool = False,
        keep: bool = True, kept: CachedCall | None = None, price: Price | None = None, service: Service | None = None,
        left: Callable[[float], float] = float,
    ) -> Any:  # fmt: skip
        """Return the recorded answer under this key, or call `fn` if nothing forbids it.

        kept: how the cache is used; `fn` then takes the headers that confirm an older answer and
        returns a `FullAnswer`. service: whose breaker and pace apply. left: limits seconds to what
        the call has left, and raises when that is nothing.
        """
        notes = dict(about)

        def outside(*given: Any) -> Any:
            with self._place(gate, limit, reserve, left):
                if service is not None:
                    asking = partial(
                        self._attempts, kind, partial(fn, *given), reserve, notes, patient=False
                    )
                    return self._of_service(service, asking, left(math.inf))
                return self._attempts(kind, partial(fn, *given), reserve, notes)

        def make() -> Any:
            self._permit(kind, reserve)
            ask = (
                (lambda *given: self.account.paid(price, notes, partial(outside, *given)))
                if price
                else outside
            )
            said = (kept.answer if kind == "http" else kept.plain)(ask, notes) if kept else ask()
            value = said.value if isinstance(said, FullAnswer) else said
            if kind == "model":
                self.account.settle(value)
            return value

        return self.log.recorded(kind, key, make, about=notes, keep=keep)

    def kept(
        self, key: str, whose: str, ttl_s: float, service: Service | None = None, rule: bool = False
    ) -> CachedCall | None:
        """Return how a call uses the cache; None if there is no cache or ttl_s is 0.

        whose: what distinguishes the answer beside the key. A call voided in this session is a
        retry.
        """
        cache = self._cache() if self._cache and ttl_s > 0 else None
        if cache is None:
            return None
        full, held = (
            f"{key}.{whose}" if whose else key,
            DeferredCache(cache, service.pending) if service else cache,
        )
        return CachedCall(
            held,
            full,
            ttl_s,
            self._clock.now,
            again=self.log.voided(key),
            rule=rule or service is not None,
        )

    def _of_service(
        self, service: Service, ask: Callable[[], FullAnswer], left: float
    ) -> FullAnswer:
        """Make one call of a service at its pace, and report the outcome to its breaker.

        left: seconds it may wait.
        """
        admitted = self.services.admit(service.name, service.pace_s, left)
        try:
            self.pause(admitted.wait_s, False)
            self.services.turn(admitted)
            said = ask()
        except BoundaryError as error:
            if error.ours or not service.trips:  # it was not asked, or is to be asked again
                self.services.dropped(admitted)
            else:
                self.services.heard(admitted, error.kind, error.retry_after)
            raise
        except BaseException:
            self.services.dropped(admitted)
            raise
        if service.trips:
            self.services.heard(
                admitted,
                error_kind_of(said.value["status"]),
                parse_retry_after(said.headers, self._clock.now()),
            )
        else:
            self.services.dropped(admitted)
        return said

    def tally(self) -> Tally:
        """Return what the session has used so far."""
        return self.account.tally(
            [kind for event in self.log.calls() if (kind := event.data["kind"]) != MACHINE_FACT]
        )

    def _permit(self, kind: str, reserve: bool) -> None:
        """Check stop, closing and caps; nothing else does.

        Raises Stopped, CallForbidden or CapReached.
        """
        self._go_on(reserve)
        self.account.permit(kind, reserve)

    def check_stop(self) -> None:
        """Raise Stopped if this process shuts down or the analyst cancelled.

        Looks at the database at most every 0.1 s.
        """
        if self.control.shutdown.is_set():
            raise Stopped("shutdown")
        with self._lock:
            due = time.monotonic() - self._looked >= STOP_POLL_S
            self._looked = time.monotonic() if due else self._looked
        if due:
            self._word = self.log.stop_reason()
        if self._word:
            raise Stopped(self._word)

    def _go_on(self, reserve: bool) -> None:
        """Raise if the run must not continue.

        Called before a call, while it waits, and before each attempt.
        """
        self.check_stop()
        if self.control.closed.is_set() and not reserve:
            raise CallForbidden("The run was stopped; no further calls are made.")

    @contextmanager
    def _place(
        self, gate: str, limit: int, reserve: bool, left: Callable[[float], float]
    ) -> Iterator[None]:
        """Hold one of the places at a gate; stop waiting when the run or the call's time ends."""
        with self._lock:
            places = self._gates.setdefault(gate, threading.Semaphore(limit))
        while not places.acquire(timeout=STOP_POLL_S):
            self._go_on(reserve)
            left(0.0)
        try:
            yield
        finally:
            places.release()

    def _attempts(
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
            self._go_on(reserve)
            notes |= {"attempts": attempt} if attempt > 1 else {}
            try:
                value = fn()
                wait = _parse_busy_wait(value, self._clock.now()) if kind == "http" else None
                if (
                    wait is None
                    or attempt == MAX_ATTEMPTS[kind]
                    or wait > BACKOFF_MAX_S
                    or not (patient or value.value["status"] != 429)
                ):
                    return value
            except Stopped:
                self.check_stop()  # a client that broke off knows that it was told to, not why
                raise
            except BoundaryError as error:
                wait = (
                    error.retry_after
                    if error.retry_after is not None
                    else BACKOFF_S * 2 ** (attempt - 1)
                )
                hung = (
                    kind == "model" and error.kind == "timeout"
                )  # it had all its time; two more such waits help nobody
                if (
                    hung
                    or error.ours
                    or error.absent
                    or not error.retryable
                    or attempt == MAX_ATTEMPTS[kind]
                    or wait > BACKOFF_MAX_S
                ):
                    raise
            self.pause(wait, reserve)
        raise AssertionError("unreachable")

    def pause(self, seconds: float, reserve: bool) -> None:
        """Wait while the run goes on; raise as `_go_on` does within 0.1 s of its end, even for 0 s."""
        self._go_on(reserve)
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.control.shutdown.wait(min(left, STOP_POLL_S))
            self._go_on(reserve)


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
        self._doorway, self._page, self._service, self._until, self._good_s = (
            doorway,
            page,
            service,
            until,
            good_s,
        )

    def on_behalf(self, page: str) -> RecordedHttp:
        return RecordedHttp(self._doorway, page, self._service, self._until, self._good_s)

    def within(self, seconds: float) -> RecordedHttp:
        return RecordedHttp(
            self._doorway,
            self._page,
            self._service,
            min(self._until, self._doorway.now() + seconds),
            self._good_s,
        )

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
        key, about = (
            call_key(MACHINE_FACT, CALL_VERSIONS[MACHINE_FACT], params),
            {"what": " ".join(str(value) for value in params.values())[:200]},
        )
        return unwrap_refusal(
            self._doorway.log.recorded(
                MACHINE_FACT, key, partial(capture_refusal, look), about=about
            )
        )

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
        raw, room = (
            with_access_token(self._doorway._http, login),
            {"max_bytes": max_bytes, **({"max_document": max_document} if max_document else {})},
        )
        how: dict[str, Any] = {"endpoint": endpoint, "stop": self._doorway.control.shutdown, **room}
        how |= {"wait": partial(self._doorway.pause, reserve=False)} if page else {}
        how |= {} if page and not self._page else {"on_behalf": self._page}
        sent: dict[str, Any] = {"data": dict(form)} if form else {}
        headers = {name.lower(): value for name, value in (headers or {}).items()}
        gate: dict[str, Any] = {
            "gate": f"host:{_find_host(url)}",
            "limit": CONCURRENCY_LIMITS["host"],
            "left": self._left,
        }
        secrets = redaction.collect_secrets(
            url, params or {}, {**headers, **(login.headers if login else {})}, endpoint=endpoint
        )

        def make(validators: Mapping[str, str] | None = None) -> FullAnswer:
            given = {**headers, **(validators or {})}
            try:
                reply = raw.send(
                    method,
                    url,
                    params=params,
                    headers=given,
                    json=json,
                    timeout_s=self._left(timeout_s),
                    **sent,
                    **how,
                )
            except BoundaryError as error:
                error.message = redaction.remove_secrets(error.message, secrets)
                raise
            return FullAnswer(redaction.redact_reply(reply, secrets), reply.headers)

        asked = {
            "method": method,
            "url": redaction.replace_service_address(url)
            if endpoint
            else redaction.strip_user(url),
            "params": redaction.drop_secret_names(params or {}, redaction.ACCOUNT_PARAMS),
            "headers": redaction.drop_secret_names(headers, redaction.SECRET_HEADERS),
            "json": json,
            **sent,
            **room,
        }
        key = call_key("http", CALL_VERSIONS["http"], asked)
        service, whose = (
            self._service,
            f"{redaction.hash_service_and_keys(url, secrets) if endpoint or secrets else ''}{_find_host(self._page)}",
        )
        old = service.ttl_s if service else self._good_s or ttl_s
        may_stand = keep and (method in CACHEABLE_METHODS or bool(self._good_s))
        kept = (
            self._doorway.kept(key, whose, old, service, bool(self._good_s)) if may_stand else None
        )
        about = {"what": f"{method} {redaction.strip_secrets(url)}"} | (
            {"page": self._page} if self._page else {}
        )
        value = self._doorway.pass_through(
            "http",
            key,
            make,
            **gate,
            about=about,
            keep=keep,
            kept=kept,
            price=price,
            service=service,
        )
        return HttpReply(
            value["url"],
            value["status"],
            value["headers"],
            value["body"],
            tuple(value["hops"]),
            self._doorway.log.kept(key),
        )

    def call(
        self, kind: str, params: Mapping[str, Any], fn: Callable[[], Any], *, limit: str = ""
    ) -> Any:
        gate, key = limit or kind, call_key(kind, CALL_VERSIONS[kind], params)
        about = {"what": " ".join(str(value) for value in params.values())[:200]}
        kept = (
            self._doorway.kept(key, "", self._service.ttl_s, self._service)
            if self._service
            else None
        )
        limits: dict[str, Any] = {
            "gate": gate,
            "limit": CONCURRENCY_LIMITS.get(gate, CONCURRENCY_LIMITS["engine"]),
            "left": self._left,
        }

        def make() -> Any:
            self._left(0.0)
            return fn()

        return self._doorway.pass_through(kind, key, make, about=about, kept=kept, **limits)

    def check_stop(self) -> None:
        self._doorway.check_stop()

    def close(self) -> None:
        self._doorway.control.closed.set()

    def out_of_time(self) -> bool:
        return self._doorway.account.out_of_time()

    def tally(self) -> dict[str, Any]:
        return asdict(self._doorway.tally())


def _parse_busy_wait(said: FullAnswer, now: float) -> float | None:
    """Return the seconds a busy server wants to be left alone; None if it is not busy."""
    if said.value["status"] not in BUSY_STATUSES:
        return None
    asked = parse_retry_after(said.headers, now)
    return BACKOFF_S if asked is None else asked


def _find_host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        raise FetchError(
            "Address refused: it is not a valid web address.", kind="validation"
        ) from None


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

        def heard(piece: str) -> None:
            self._doorway.check_stop()  # a long text is not waited for when the run is cancelled
            if on_text:
                on_text(piece)

        def make() -> dict[str, Any]:
            stream = (
                DeltaStream(
                    self._doorway.log, {"of": request.kind, "call": key}, heard, self._doorway.now
                )
                if on_text
                else None
            )
            reply = self._model.run(request, stream.text if stream else None)
            if stream:
                stream.end()
            return asdict(reply)

        about, reserve = {"what": f"{request.kind} ({self.name})"}, request.kind in WRITER_KINDS
        value = self._doorway.pass_through(
            "model",
            key,
            make,
            gate="model",
            limit=CONCURRENCY_LIMITS["model"],
            about=about,
            reserve=reserve,
        )
        calls = tuple(ToolCall(**call) for call in value["calls"])
        return ModelReply(**{**value, "usage": Usage(**value["usage"]), "calls": calls})
