"""Send every outside call through journal, stop, caps, cache, limits and retry, in that order.

Steps use `Doorway.http` and `Doorway.model`; no step records, retries, sleeps or counts by itself.
The doorway records what crossed the boundary, never a parsed value. `layers` has each layer alone.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from research_core.errors import (
    REFUSAL_KINDS,
    BoundaryError,
    FetchError,
    ModelError,
    ModelRefused,
    capture_refusal,
    unwrap_refusal,
)
from research_core.journal import redaction
from research_core.journal.access_token import with_access_token
from research_core.journal.budget import SUMMARY_RESERVE, Budget, was_sent
from research_core.journal.cache import Cache, CachedCall, DeferredCache, FullAnswer
from research_core.journal.circuit_breaker import CircuitBreakers
from research_core.journal.deps import (
    Clock,
    Http,
    LimitedModel,
    Login,
    Model,
    Price,
    PricedModel,
    RawHttp,
    Send,
)
from research_core.journal.events import Draft, call_key
from research_core.journal.layers import (
    ConcurrencyLimits,
    OutsideCall,
    RateLimitPauses,
    Service,
    StopCheck,
    answer_from_cache,
    answer_from_journal,
    hold_slot,
    pause_for_rate_limit,
    pay_price,
    refuse_after_stop,
    reserve_budget,
    respect_service,
    retry_failures,
    stack_layers,
)
from research_core.journal.log import EventLog
from research_core.journal.rule_versions import read_rules, runs_under
from research_core.model_messages import (
    NO_OTHER_MODEL,
    REPORT_KINDS,
    ModelReply,
    ModelRequest,
)
from research_core.models import HttpReply
from research_core.policy import JUDGING_KINDS, OFFLINE_MODEL, Caps, Tally

NO_MODELS: Mapping[str, Model] = {}
#: Seconds between two events of a text that is being written.
DELTA_S = 0.25
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
#: Requests that may use the writer's reserve; nothing else may.
RESERVE_KINDS = REPORT_KINDS | {"explain_insufficient", "verify_sentence"}
#: The version of the rules of prompting from which a refused model ends a run.
REFUSAL_VERSION = 2
#: The version of the rules of scoring from which an unusable text of a writer counts as a failure.
UNUSABLE_VERSION = 7
#: Seconds that a call waits at least for a model that was rate limited and said for how long.
MODEL_PATIENCE_S = 60.0
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
    """Wraps the raw http and model of one session; holds its budget and concurrency limits."""

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
        model_by_kind: Mapping[str, Model] = NO_MODELS,
        writing_calls: int = 1,
    ) -> None:
        """model_by_kind: the models that answer these kinds of request instead of `model`.

        writing_calls: model calls that a cap keeps back for the writer.
        """
        self.log = log
        self.raw_http = http
        self.control = control or Control()
        self.services = services or CircuitBreakers(clock.monotonic)
        self.now = clock.monotonic
        self.budget = Budget(caps, clock.monotonic, log.calls(), writing_calls)
        self.stop = StopCheck(log, clock, self.control.shutdown, self.control.closed)
        #: By call key: the kind of request and the model that answered it.
        self.answers: dict[str, tuple[str, str]] = {}
        #: By call key: the kind of request, and why models did not answer it, a sentence each.
        self.failures: dict[str, tuple[str, tuple[str, ...]]] = {}
        #: By failure of a model, in words: what to do about it.
        self.next_steps: dict[str, str] = {}
        #: Names of the models that answered a call made in this attempt.
        self.answering: set[str] = set()
        #: By model: the refusal that ends the run.
        self.refusals: dict[str, ModelError] = {}
        #: Limits of the models whose last call ended with errors of the server alone.
        self.faulty: set[str] = set()
        self._model = model
        self._model_by_kind = model_by_kind
        self._clock = clock
        self._cache = cache
        # A call goes from the top to the bottom, its answer back up.
        self._send = stack_layers(
            (
                partial(answer_from_journal, log),
                partial(refuse_after_stop, self.stop),
                partial(reserve_budget, self.budget),
                answer_from_cache,
                partial(pay_price, self.budget),
                partial(hold_slot, ConcurrencyLimits(), self.stop),
                partial(respect_service, self.services, self.stop, clock.now),
                partial(retry_failures, self.stop, clock.now),
                partial(pause_for_rate_limit, RateLimitPauses(log, clock.monotonic), self.stop),
            )
        )

    # Built on each use: stored here they would form a cycle, and the session's log would stay in
    # memory until the next garbage collection.
    @property
    def http(self) -> RecordedHttp:
        return RecordedHttp(self)

    @property
    def model(self) -> RecordedModel:
        return RecordedModel(self, self._model, self._model_by_kind)

    def pass_through(self, call: OutsideCall) -> Any:
        """Return the recorded answer of a call, or make it if nothing forbids it."""
        return self._send(call).value

    def plan_caching(
        self,
        key: str,
        whose: str,
        ttl_s: float,
        service: Service | None = None,
        ignores_headers: bool = False,
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
            is_retry=self.log.is_voided(key),
            ignores_headers=ignores_headers or service is not None,
        )

    def count_answers(self) -> dict[str, dict[str, int]]:
        """Return by kind of request how many answers of each model this attempt used.

        Recorded answers of earlier attempts, and of the session that this one was made from, count
        where they were used again.
        """
        counts: dict[str, Counter[str]] = {}
        for kind, model in list(self.answers.values()):
            counts.setdefault(kind, Counter())[model] += 1
        return {kind: dict(sorted(counts[kind].items())) for kind in sorted(counts)}

    def count_failures(self) -> dict[str, dict[str, int]]:
        """Return by kind of request why models did not answer it in this attempt, with counts.

        A request may have been answered by a later model of the chain.
        """
        counts: dict[str, Counter[str]] = {}
        for kind, messages in list(self.failures.values()):
            counts.setdefault(kind, Counter()).update(messages)
        return {kind: dict(sorted(counts[kind].items())) for kind in sorted(counts)}

    def tally(self) -> Tally:
        """Return what the session has used so far."""
        kinds = [event.data["kind"] for event in self.log.calls() if was_sent(event.data)]
        return self.budget.tally([kind for kind in kinds if kind != MACHINE_FACT])


@dataclass(frozen=True, eq=False)
class RecordedHttp(Http):
    """`deps.http`: HTTP requests and other calls through the doorway.

    page: the page on whose behalf it sends. until: when its time is up, on the clock's scale.
    max_age_s: how old its answers may be, whatever their headers say; 0 if the headers count.
    """

    doorway: Doorway
    page: str = ""
    service: Service | None = None
    until: float = math.inf
    max_age_s: float = 0.0

    def on_behalf(self, page: str) -> RecordedHttp:
        return replace(self, page=page)

    def with_deadline(self, seconds: float) -> RecordedHttp:
        return replace(self, until=min(self.until, self.doorway.now() + seconds))

    def with_max_age(self, seconds: float) -> RecordedHttp:
        return replace(self, max_age_s=seconds)

    def for_service(
        self, service: str, *, pace_s: float = 0.0, ttl_s: float = 0.0, trips: bool = True
    ) -> RecordedHttp:
        # The service has its own rule of age.
        return replace(self, service=Service(service, pace_s, ttl_s, trips), max_age_s=0.0)

    def release_answers(self) -> None:
        pending = self.service.pending if self.service else []
        while pending:
            pending.pop()()

    def record_fact(self, params: Mapping[str, Any], look: Callable[[], Any]) -> Any:
        key = call_key(MACHINE_FACT, CALL_VERSIONS[MACHINE_FACT], params)
        # Looking at this machine needs no permission, costs nothing and cannot be busy.
        result = self.doorway.log.record_call(
            MACHINE_FACT, key, partial(capture_refusal, look), about=_describe_params(params)
        )
        return unwrap_refusal(result)

    def list_open_breakers(self, services: Sequence[str]) -> list[str]:
        asked = {"asked": "who is left alone", "services": list(services)}
        return list(
            self.record_fact(asked, partial(self.doorway.services.list_open, list(services)))
        )

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
        host = _find_host(url)
        headers = {name.lower(): value for name, value in (headers or {}).items()}
        carried = {**headers, **(login.headers if login else {})}
        secrets = redaction.collect_secrets(url, params or {}, carried, endpoint=endpoint)
        plain: dict[str, Any] = {"json": json, "max_bytes": max_bytes}
        if form:
            plain["data"] = dict(form)
        if max_document:
            plain["max_document"] = max_document
        key = _http_key(method, url, params or {}, headers, plain, endpoint=endpoint)
        sent = _SentRequest(
            with_access_token(self.doorway.raw_http.send, login),
            method,
            url,
            headers,
            {"params": params, **plain, **self._guard_options(endpoint=endpoint, page=page)},
            secrets,
            lambda: self._limit_seconds(timeout_s),
        )
        caching = None
        if keep and (method in CACHEABLE_METHODS or self.max_age_s):
            caching = self._plan_caching(key, url, secrets, endpoint=endpoint, ttl_s=ttl_s)
        value = self.doorway.pass_through(
            OutsideCall(
                "http",
                key,
                sent.send,
                self._describe_request(method, url),
                limit_name=f"host:{host}",
                keep=keep,
                caching=caching,
                price=price,
                service=self.service,
                limit_seconds=self._limit_seconds,
            )
        )
        return _build_reply(value, cached=self.doorway.log.was_cached(key))

    def _describe_request(self, method: str, url: str) -> dict[str, Any]:
        about = {"what": f"{method} {redaction.strip_secrets(url)}"}
        if self.page:
            about["page"] = self.page
        if self.service:
            about["service"] = self.service.name
        return about

    def _limit_seconds(self, seconds: float) -> float:
        """Return at most the seconds a call still has. Raises FetchError if it has none."""
        left = self.until - self.doorway.now()
        if left <= 0:
            raise FetchError(
                "This call reached its time limit.",
                kind="timeout",
                next_step="Ask for less at once.",
                ours=True,
            )
        return min(seconds, left)

    def _guard_options(self, *, endpoint: bool, page: bool) -> dict[str, Any]:
        """Return the options by which the guarded session decides whether and when to send."""
        doorway = self.doorway
        options: dict[str, Any] = {"endpoint": endpoint, "stop": doorway.control.shutdown}
        if page:
            options["wait"] = partial(doorway.stop.pause, uses_reserve=False)
        if not page or self.page:
            options["on_behalf"] = self.page
        return options

    def _plan_caching(
        self, key: str, url: str, secrets: Sequence[str], *, endpoint: bool, ttl_s: float
    ) -> CachedCall | None:
        """Return how this request uses the cache. ttl_s: for a request without a service."""
        # Another service, key or page may get another answer to the same call key.
        service_hash = ""
        if endpoint or secrets:
            service_hash = redaction.hash_service_and_keys(url, secrets)
        return self.doorway.plan_caching(
            key,
            service_hash + _find_host(self.page),
            self.service.ttl_s if self.service else self.max_age_s or ttl_s,
            self.service,
            ignores_headers=bool(self.max_age_s),
        )

    def call(
        self, kind: str, params: Mapping[str, Any], fn: Callable[[], Any], *, limit: str = ""
    ) -> Any:
        key = call_key(kind, CALL_VERSIONS[kind], params)
        service = self.service
        caching = self.doorway.plan_caching(key, "", service.ttl_s, service) if service else None

        def make(_validators: Mapping[str, str]) -> FullAnswer:
            self._limit_seconds(0.0)
            return FullAnswer(fn(), {})

        about = _describe_params(params)
        if service:
            about["service"] = service.name
        return self.doorway.pass_through(
            OutsideCall(
                kind,
                key,
                make,
                about,
                limit_name=limit or kind,
                caching=caching,
                limit_seconds=self._limit_seconds,
            )
        )

    def check_stop(self) -> None:
        self.doorway.stop.check_stop()

    def close(self) -> None:
        self.doorway.control.closed.set()

    def out_of_time(self) -> bool:
        return self.doorway.budget.out_of_time()

    def tally(self) -> dict[str, Any]:
        tally = {**self.doorway.tally().to_json(), "models": self.doorway.count_answers()}
        failures = self.doorway.count_failures()
        if failures:
            tally["failures"] = failures
        cut_off = count_cut_texts(self.doorway.log)
        if cut_off:
            tally["cut_off"] = cut_off
        if self.doorway.next_steps:
            tally["next_steps"] = dict(sorted(self.doorway.next_steps.items()))
        return tally


@dataclass(frozen=True)
class _SentRequest:
    """A request as the guarded session gets it.

    options: all but the headers and the time. secrets: removed from its answer. find_timeout:
    returns the seconds it may take, or raises.
    """

    send_raw: Send
    method: str
    url: str
    headers: Mapping[str, str]
    options: Mapping[str, Any]
    secrets: Sequence[str]
    find_timeout: Callable[[], float]

    def send(self, validators: Mapping[str, str]) -> FullAnswer:
        """Send the request and return its answer without secrets.

        validators: headers that confirm an older answer.
        """
        headers = {**self.headers, **validators}
        try:
            reply = self.send_raw(
                self.method,
                self.url,
                headers=headers,
                timeout_s=self.find_timeout(),
                **self.options,
            )
        except BoundaryError as error:
            error.message = redaction.remove_secrets(error.message, self.secrets)
            raise
        return FullAnswer(redaction.redact_reply(reply, self.secrets), reply.headers)


def _describe_params(params: Mapping[str, Any]) -> dict[str, Any]:
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

    def __init__(self, doorway: Doorway, model: Model, by_kind: Mapping[str, Model]) -> None:
        self._doorway, self._model, self._by_kind = doorway, model, by_kind

    @property
    def name(self) -> str:
        return self._model.name

    def open(self) -> None:
        for model in (self._model, *self._by_kind.values()):
            model.open()  # opening one again does nothing

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        """Return the recorded reply to a request, or ask the model and record its reply."""
        model, key = self._find_call(request)
        given_up: dict[str, ModelError] = {}

        def pass_on(piece: str) -> None:
            self._doorway.stop.check_stop()  # a cancelled run does not wait for a long text
            if on_text:
                on_text(piece)

        def make(_validators: Mapping[str, str]) -> FullAnswer:
            asked = replace(request, given_up=dict(given_up))
            if on_text is None:
                return FullAnswer(self._ask(model, asked, None).to_json(), {})
            about: dict[str, Any] = {"of": request.kind, "call": key}
            if "section" in request.inputs:
                about["part"] = request.inputs["section"]
            if request.attempt > 1:
                about["attempt"] = request.attempt
            stream = DeltaStream(self._doorway.log, about, pass_on, self._doorway.now)
            reply = self._ask(model, asked, stream.add)
            stream.finish()
            return FullAnswer(reply.to_json(), {})

        is_free = model.name == OFFLINE_MODEL
        expected_cost = model.estimate_cost(request) if isinstance(model, PricedModel) else None
        call = OutsideCall(
            "model",
            key,
            make,
            {"what": describe_model_call(request.kind, model.name)},
            limit_name=f"model:{model.name}",
            most_at_once=model.most_at_once if isinstance(model, LimitedModel) else None,
            uses_reserve=request.kind in RESERVE_KINDS,
            is_free=is_free,
            shown_tokens=0 if is_free else request.estimated_tokens,
            expected_cost=expected_cost,
            kept_back=SUMMARY_RESERVE if request.kind == "write_section" else 0.0,
            find_patience=partial(self._doorway.budget.limit_wait, MODEL_PATIENCE_S),
            given_up=given_up,
            faulty=self._doorway.faulty,
        )
        try:
            value = self._doorway.pass_through(call)
        except ModelError as error:
            if error.message != NO_OTHER_MODEL:
                listed = error.list_failures()
                self._doorway.failures[key] = request.kind, tuple(said for said, _ in listed)
                self._doorway.next_steps.update((said, step) for said, step in listed if step)
            if self._is_refused(model, error):
                raise self._build_refusal(request, error) from error
            raise
        self._doorway.answers[key] = request.kind, value["model"]
        reply = ModelReply.from_json(value)
        asked = tuple(failure for failure in reply.passed_over if failure not in reply.unasked)
        if asked:
            self._doorway.failures[key] = request.kind, asked
        return reply

    def _ask(
        self, model: Model, request: ModelRequest, on_text: Callable[[str], None] | None
    ) -> ModelReply:
        """Return a model's reply. A model that another call found refused is not asked."""
        refusals = self._doorway.refusals
        if model.name in refusals and model.name not in self._doorway.answering:
            failure = copy(refusals[model.name])
            failure.requests, failure.usage = 0, {}
            raise failure
        try:
            reply = model.run(request, on_text)
        except ModelError as error:
            if self._is_refused(model, error):
                refusals[model.name] = error
            raise
        self._note_answer(model, request, reply)
        return reply

    def _note_answer(self, model: Model, request: ModelRequest, reply: ModelReply) -> None:
        """Note that a model answered; log the first answer of another one in its place.

        Another one is chosen by the chain, or by a request that passes models over.
        """
        self._doorway.answering.add(model.name)
        reasons = reply.passed_over or self._find_earlier_failure(request)
        if reasons:
            data = {"model": model.name, "by": reply.model, "why": reasons[0]}
            key = f"{model.name} by {reply.model}{' as writer' if request.skip_models else ''}"
            self._doorway.log.append(Draft("replaced", data, key))

    def _find_earlier_failure(self, request: ModelRequest) -> tuple[str, ...]:
        """Return why the models that a request passes over gave no text that can be used."""
        if request.skip_models:
            for attempt in range(request.attempt - 1, 0, -1):
                _, key = self._find_call(replace(request, attempt=attempt, skip_models=0))
                if key in self._doorway.failures:
                    return self._doorway.failures[key][1][-1:]
        return ()

    def _find_call(self, request: ModelRequest) -> tuple[Model, str]:
        """Return the model that answers a request, and the key of the call."""
        model = self._by_kind.get(request.kind, self._model)
        return model, call_key("model", CALL_VERSIONS["model"], request.params(model.name))

    def count_unusable(self, request: ModelRequest, problem: str) -> None:
        """Count the answer to a request among the failures, and mark it in the log.

        problem: why, a sentence.
        """
        if runs_under(read_rules(self._doorway.log), "scoring", UNUSABLE_VERSION):
            _, key = self._find_call(request)
            self._doorway.answers.pop(key, None)
            _, before = self._doorway.failures.get(key, ("", ()))
            self._doorway.failures[key] = request.kind, (*before, problem)
            self._doorway.log.mark_unusable(key)

    def _is_refused(self, model: Model, error: ModelError) -> bool:
        """Return True if the provider refuses the model, so that the run ends.

        A model that has answered in this attempt is not refused. As some servers answer 403 because
        of the text of a single page, after 403 an answer in an earlier attempt counts too. A replay
        is never ended.
        """
        log = self._doorway.log
        if error.kind not in REFUSAL_KINDS or model.name in self._doorway.answering or log.readonly:
            return False
        if error.status == 403 and _has_answered(log, model.name):
            return False
        return runs_under(read_rules(log), "prompting", REFUSAL_VERSION)

    def _build_refusal(self, request: ModelRequest, error: ModelError) -> ModelRefused:
        """Name the role whose model is refused.

        Models of one family share a key. If the run's own model is of the same family and has not
        answered yet, a refused key counts as refused to it.
        """
        model, _ = self._find_call(request)
        family = model.name.partition(":")[0]
        is_shared = self._model.name.partition(":")[0] == family
        is_of_key = (
            error.kind == "auth_required" and self._model.name not in self._doorway.answering
        )
        role = "model"
        if model is not self._model and not (is_shared and is_of_key):
            role = "judge" if request.kind in JUDGING_KINDS else "writer"
        message = error.message if role == "model" else f"The {role} is refused: {error.message}"
        return ModelRefused(message, role=role, next_step=error.next_step)


def _has_answered(log: EventLog, model: str) -> bool:
    """Return True if the log has an answer to a request that went to this model."""
    for event in log.calls():
        call = event.data
        if call["kind"] != "model" or "value" not in call:
            continue
        if parse_model_call(call["about"]["what"])[1] == model:
            return True
    return False


def describe_model_call(kind: str, model: str) -> str:
    """Describe a call as the log names it: the kind of request and the model that is asked."""
    return f"{kind} ({model})"


def parse_model_call(described: str) -> tuple[str, str]:
    """Return the kind of request and the model of a call as the log names it."""
    kind, _, model = described.partition(" (")
    return kind, model.removesuffix(")")


# ---------------------------------------------------------------- streamed text


def count_cut_texts(log: EventLog) -> int:
    """Return how many texts broke off because the process that received them ended.

    The log has a beginning for each of them and no outcome: a recorded call says how many attempts
    it took. Requests whose answers are not streamed leave no beginning.
    """
    begun = Counter(
        event.data["call"] for event in log.read(kinds=("delta",)) if event.data["start"] == 0
    )
    if not begun:
        return 0
    ended: Counter[str] = Counter()
    for event in log.calls():
        key = str(event.key).removeprefix("call:").partition("~")[0]
        ended[key] += event.data["about"].get("attempts", 1)
    return (begun - ended).total()


class DeltaStream:
    """Gathers the pieces of one streamed text into `delta` events, at most four a second.

    Each event says where in the text it starts: a new attempt starts at 0 again, which voids what
    was streamed from there on. A replay ignores them.
    """

    def __init__(
        self,
        log: EventLog,
        about: Mapping[str, Any],
        on_text: Callable[[str], None],
        now: Callable[[], float],
    ) -> None:
        """now: seconds for measuring intervals."""
        self._log, self._about, self._on_text, self._now = log, about, on_text, now
        self._held: list[str] = []
        self._start = 0
        self._last = now()

    def add(self, piece: str) -> None:
        """Pass a piece on and log what was gathered if the interval is over."""
        self._on_text(piece)
        self._held.append(piece)
        if self._now() - self._last >= DELTA_S:
            self.flush()

    def finish(self) -> None:
        """Log the rest of a text whose beginning was logged.

        A text that came all at once is not streamed: the reply itself is recorded next.
        """
        if self._start:
            self.flush()

    def flush(self) -> None:
        """Log the gathered text as one event."""
        text = "".join(self._held)
        if text:
            self._log.append(Draft("delta", {**self._about, "start": self._start, "text": text}))
        self._held, self._start, self._last = [], self._start + len(text), self._now()
