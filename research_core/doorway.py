"""The one way out. Every call to the outside passes here: journal, caps, cancel, limits and retry, once, in that order.

`Doorway.http` and `Doorway.model` are what steps are given; no step records, retries, sleeps or counts by itself. It records
what crossed the boundary, never a parsed value. It does not parse, cache or decide.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from research_core.deps import Clock, Model, RawHttp
from research_core.errors import BoundaryError, CallForbidden, CapReached, Stopped
from research_core.events import Draft, call_key
from research_core.log import EventLog
from research_core.models import HttpReply, ModelReply, ModelRequest, ToolCall, Usage
from research_core.policy import Caps

#: Raised when the recorded shape of a kind changes, so that an old journal is never misread.
VERSIONS = {"http": 1, "model": 1, "ddgs": 1, "library": 1}
#: How often a retryable failure is tried in all, by kind.
ATTEMPTS = {"http": 2, "model": 3, "ddgs": 1, "library": 1}
BACKOFF_S, BACKOFF_MAX_S = 0.5, 8.0
#: Calls at once, by the gate they pass; a host and an engine have a gate each.
LIMITS = {"model": 10, "host": 4, "engine": 4, "library": 8}
#: Requests that may use the writer's reserve; nothing else may.
WRITER_KINDS = frozenset({"write", "explain_insufficient", "verify_sentence"})
RESERVE = {"calls": 1.0, "tokens": 0.25, "cost": 0.25, "seconds": 0.25}  # calls: a number; the rest: a share of the cap
STOP_POLL_S = 0.1
DELTA_S = 0.25
SECRET_HEADERS = frozenset({"authorization", "x-api-key", "x-goog-api-key", "x-subscription-token", "cookie", "proxy-authorization"})
SECRET_PARAMS = frozenset({"key", "api_key", "apikey", "token", "access_token", "mailto", "email"})
KEPT_HEADERS = frozenset({"content-type", "content-language", "date", "etag", "last-modified", "location", "retry-after", "x-robots-tag"})


@dataclass
class Spent:
    """What this session has used so far, earlier attempts included. cost in US dollars; a price that is not known counts as nothing."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    began: float = 0.0


@dataclass(frozen=True)
class Tally:
    """What a session used, as its report says it. other_calls: searches, pages, library reads; cost in US dollars."""

    model_calls: int
    other_calls: int
    tokens: int
    cost: float
    seconds: float


@dataclass(frozen=True)
class Control:
    """How the doorway is told to stop: shutdown by this process, a cap, or calls closed after *stop and write now*."""

    shutdown: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)


class Doorway:
    """Wraps one session's raw http and model. State: what was spent, the gates, and the last look at the stop word."""

    def __init__(
        self, log: EventLog, http: RawHttp, model: Model, clock: Clock, *, caps: Caps = Caps(), control: Control | None = None
    ) -> None:
        self.log, self._http, self._model, self._clock, self._caps = log, http, model, clock, caps
        self.control = control or Control()
        self._lock = threading.Lock()
        self._gates: dict[str, threading.Semaphore] = {}
        self._looked = 0.0
        self._word: str | None = None
        self.spent = Spent(began=clock.now())
        for event in log.calls():
            self._settle(event.data)
        self.http = RecordedHttp(self)
        self.model = RecordedModel(self, model)

    def pass_through(self, kind: str, params: Mapping[str, Any], fn: Callable[[], Any], *, gate: str, limit: int, about: Mapping[str, Any],
                     reserve: bool = False, keep: bool = True, ordinal: int = 0) -> Any:  # fmt: skip
        """The recorded answer of `fn` under (kind, params); made only if the journal does not know it and nothing forbids it."""
        key = call_key(kind, VERSIONS[kind], {**params, **({"ordinal": ordinal} if ordinal else {})})

        def make() -> Any:
            self._permit(kind, reserve)
            with self._gate(gate, limit):
                return self._attempts(kind, fn)

        made_before = self.log.knows(key)
        value = self.log.recorded(kind, key, make, about=about, keep=keep)
        if not made_before and kind == "model":
            self._settle({"kind": kind, "value": value})
        return value

    def tally(self) -> Tally:
        """What the session has used up to now."""
        kinds = [event.data["kind"] for event in self.log.calls()]
        with self._lock:
            used = self.spent
            seconds = round(self._clock.now() - used.began, 3)
            return Tally(used.calls, len(kinds) - kinds.count("model"), used.tokens, round(used.cost, 6), seconds)

    def _permit(self, kind: str, reserve: bool) -> None:
        """Cancel, "calls forbidden" and caps, checked here and nowhere else. Raises Stopped, CallForbidden or CapReached."""
        self.check_stop()
        if self.control.closed.is_set() and not reserve:
            raise CallForbidden("The run was stopped; no further calls are made.")
        if kind != "model":
            return
        with self._lock:
            for cap, used in (("calls", self.spent.calls), ("tokens", self.spent.tokens), ("cost", self.spent.cost)):
                self._within(cap, used, reserve)
            self._within("seconds", self._clock.now() - self.spent.began, reserve)
            self.spent.calls += 1  # reserved before, so that calls in flight count

    def _within(self, cap: str, used: float, reserve: bool) -> None:
        limit = getattr(self._caps, cap)
        if limit is None:
            return
        held = 0.0 if reserve else (RESERVE[cap] if cap == "calls" else RESERVE[cap] * limit)
        if used >= limit - held:
            raise CapReached(cap, f"The cap of {limit:g} {cap} was reached.")

    def _settle(self, data: Mapping[str, Any]) -> None:
        """Count what a recorded model call used. A call of an earlier attempt also counts as made."""
        if data.get("kind") != "model" or "value" not in data:
            return
        usage = data["value"]["usage"]
        with self._lock:
            self.spent.calls += "about" in data
            self.spent.tokens += usage["input_tokens"] + usage["output_tokens"]
            self.spent.cost += usage["cost"] or 0.0

    def check_stop(self) -> None:
        """Raises Stopped when this process shuts down or the analyst cancelled; looks at the database at most every 0.1 s."""
        if self.control.shutdown.is_set():
            raise Stopped("shutdown")
        with self._lock:
            due = time.monotonic() - self._looked >= STOP_POLL_S
            self._looked = time.monotonic() if due else self._looked
        if due:
            self._word = self.log.stop_reason()
        if self._word:
            raise Stopped(self._word)

    def _gate(self, name: str, limit: int) -> threading.Semaphore:
        with self._lock:
            return self._gates.setdefault(name, threading.Semaphore(limit))

    def _attempts(self, kind: str, fn: Callable[[], Any]) -> Any:
        """The call, tried again after a retryable failure; the last attempt and their number are what is recorded."""
        for attempt in range(1, ATTEMPTS[kind] + 1):
            try:
                return fn()
            except BoundaryError as error:
                if not error.retryable or attempt == ATTEMPTS[kind]:
                    if attempt > 1:
                        error.message += f" (tried {attempt} times)"
                    raise
                wait = error.retry_after if error.retry_after is not None else BACKOFF_S * 2 ** (attempt - 1)
                if self.control.shutdown.wait(min(wait, BACKOFF_MAX_S)):
                    raise Stopped("shutdown") from error
                self.check_stop()
        raise AssertionError("unreachable")


class RecordedHttp:
    """`deps.http`: the guarded session, and any other call, through the doorway."""

    def __init__(self, doorway: Doorway) -> None:
        self._doorway = doorway

    def send(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        timeout_s: float = 15.0,
        max_bytes: int = 5_000_000,
        endpoint: bool = False,
        keep: bool = True,
    ) -> HttpReply:
        raw, stop = self._doorway._http, self._doorway.control.shutdown
        headers = {name.lower(): value for name, value in (headers or {}).items()}

        def make() -> dict[str, Any]:
            reply = raw.send(
                method,
                url,
                params=params,
                headers=headers,
                json=json,
                timeout_s=timeout_s,
                max_bytes=max_bytes,
                endpoint=endpoint,
                stop=stop,
            )
            kept = {name: value for name, value in reply.headers.items() if name in KEPT_HEADERS}
            return {"url": reply.url, "status": reply.status, "headers": kept, "body": reply.body, "hops": list(reply.hops)}

        key = {
            "method": method, "url": _without_secrets(url), "params": _public(params or {}, SECRET_PARAMS),
            "headers": _public(headers, SECRET_HEADERS), "json": json, "max_bytes": max_bytes,
        }  # fmt: skip
        host = urlsplit(url).hostname or ""
        about = {"what": f"{method} {key['url']}"}
        value = self._doorway.pass_through("http", key, make, gate=f"host:{host}", limit=LIMITS["host"], about=about, keep=keep)
        return HttpReply(value["url"], value["status"], value["headers"], value["body"], tuple(value["hops"]))

    def call(self, kind: str, params: Mapping[str, Any], fn: Callable[[], Any], *, limit: str = "") -> Any:
        gate = limit or kind
        about = {"what": " ".join(str(value) for value in params.values())[:200]}
        return self._doorway.pass_through(kind, params, fn, gate=gate, limit=LIMITS.get(gate, LIMITS["engine"]), about=about)

    def check_stop(self) -> None:
        self._doorway.check_stop()

    def close(self) -> None:
        self._doorway.control.closed.set()

    def tally(self) -> dict[str, Any]:
        return asdict(self._doorway.tally())


class RecordedModel:
    """`deps.model`: the same model, every reply journalled as it came, its text streamed to the log while it is written."""

    def __init__(self, doorway: Doorway, model: Model) -> None:
        self._doorway, self._model = doorway, model

    @property
    def name(self) -> str:
        return self._model.name

    def run(self, request: ModelRequest, on_text: Callable[[str], None] | None = None) -> ModelReply:
        params = {
            "model": self.name, "kind": request.kind, "system": request.system, "prompt": request.prompt, "inputs": request.inputs,
            "schema": request.schema, "tools": list(request.tools), "history": list(request.history),
        }  # fmt: skip
        stream = Deltas(self._doorway.log, request.kind, on_text) if on_text else None

        def make() -> dict[str, Any]:
            reply = self._model.run(request, stream.text if stream else None)
            if stream:
                stream.flush()
            return asdict(reply)

        reserve = request.kind in WRITER_KINDS
        about = {"what": f"{request.kind} ({self.name})"}
        value = self._doorway.pass_through("model", params, make, gate="model", limit=LIMITS["model"], about=about, reserve=reserve)
        calls = tuple(ToolCall(**call) for call in value["calls"])
        return ModelReply(**{**value, "usage": Usage(**value["usage"]), "calls": calls})


class Deltas:
    """Gathers pieces of a stream into `delta` events, at most four a second; a replay ignores them."""

    def __init__(self, log: EventLog, kind: str, on_text: Callable[[str], None]) -> None:
        self._log, self._kind, self._on_text = log, kind, on_text
        self._held: list[str] = []
        self._last = time.monotonic()

    def text(self, piece: str) -> None:
        self._on_text(piece)
        self._held.append(piece)
        if time.monotonic() - self._last >= DELTA_S:
            self.flush()

    def flush(self) -> None:
        if self._held:
            self._log.append(Draft("delta", {"of": self._kind, "text": "".join(self._held)}))
        self._held, self._last = [], time.monotonic()


def _public(values: Mapping[str, str], secret: Iterable[str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name.lower() not in secret}


def _without_secrets(url: str) -> str:
    parts = urlsplit(url)
    if not parts.query:
        return url
    return urlunsplit(
        parts._replace(
            query=urlencode([(n, v) for n, v in parse_qsl(parts.query, keep_blank_values=True) if n.lower() not in SECRET_PARAMS])
        )
    )
