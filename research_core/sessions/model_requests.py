"""List what a session asked of models: each request in full, the answering model and the time.

A log keeps each answer under the hash of its request (`events.call_key`), not the request. A replay
builds every request again; if the log knows its hash, it is exactly the request that was sent.
Requests that a replay does not reach are listed with the reason. Nothing is called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from research_core.errors import ResearchError
from research_core.journal.budget import was_sent
from research_core.journal.deps import Model
from research_core.journal.doorway import CALL_VERSIONS, parse_model_call
from research_core.journal.events import Event, call_key
from research_core.journal.store import find_session
from research_core.model_messages import Json, ModelReply, ModelRequest
from research_core.models import Principal
from research_core.sessions.replay import replay_session
from research_core.wiring import LOCAL_USER, Resources, open_log

#: The version of the recorded shape of a model's call, which its key is made of too.
VERSION = CALL_VERSIONS["model"]
CHANGED_SINCE = (
    "Assay, or what it stands on, has changed since this session, so the request cannot be made"
    " again letter by letter."
)


@dataclass(frozen=True)
class RecordedRequest:
    """One recorded model call.

    call: the SHA-256 of `params` it is recorded under; kind: as in `ModelRequest`; model: the name
    it was asked by; at: seconds since the epoch; answered: the id of the answering model, "" if
    none; failed: why not; params: as `ModelRequest.params`, None if not reproducible; lack: why
    not, or ""; cost: US dollars or None; estimated: the tokens were not counted by the server;
    notes: what was unusual about the call.
    """

    call: str
    kind: str
    model: str
    at: float
    answered: str = ""
    failed: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    params: Json | None = field(default=None, hash=False)
    lack: str = ""
    estimated: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class RecordedRequests:
    """The requests in the order of the log. unread: why they are unavailable, else ""."""

    made: tuple[RecordedRequest, ...] = ()
    unread: str = ""


def list_requests(
    resources: Resources, session: str, *, who: Principal = LOCAL_USER
) -> RecordedRequests:
    """Return every model request that was sent and that a session's report rests on.

    A deleted session has none, and the reason is given. If a replay fails, requests come without
    their contents, because how far it got depends on which answer was first. Requests that were
    inherited from another session and that this one did not use are left out.
    """
    try:
        find_session(resources.db, who, session)
    except ResearchError as error:
        return RecordedRequests(unread=error.message)
    log = open_log(resources, who, session)
    calls = []
    for key, event in log.answers().items():
        if event.data["kind"] == "model" and was_sent(event.data):
            calls.append((key, event))
    calls.sort(key=lambda each: each[1].seq)
    names_by_kind: dict[str, set[str]] = {}
    for _, event in calls:
        kind, name = _read_kind_and_model(event)
        names_by_kind.setdefault(kind, set()).add(name)
    own = {event.seq for event in log.calls()}
    params_by_key: dict[str, Json] = {}
    is_replayed = True
    lack = CHANGED_SINCE
    try:
        replay_session(
            resources,
            who,
            session,
            lambda model: _RecordingModel(model, names_by_kind, params_by_key),
        )
    except ResearchError as error:
        params_by_key = {}
        is_replayed = False
        lack = f"{CHANGED_SINCE} {error.message}"
    made = []
    for key, event in calls:
        params = params_by_key.get(key)
        if params is None and is_replayed and event.seq not in own:
            continue
        made.append(_build_recorded_request(key, event, log.open, params, lack))
    return RecordedRequests(tuple(made))


def _read_kind_and_model(event: Event) -> tuple[str, str]:
    """Return the kind of a recorded request and the model that was asked."""
    return parse_model_call(event.data["about"].get("what", ""))


def _build_recorded_request(
    key: str, event: Event, open_value: Callable[[Json], Json], params: Json | None, lack: str
) -> RecordedRequest:
    kind, model = _read_kind_and_model(event)
    asked: dict[str, Any] = {
        "call": key,
        "kind": kind,
        "model": model,
        "at": event.at,
        "params": params,
        "lack": "" if params else lack,
    }
    has_failed = "value" not in event.data
    answer = open_value(event.data["error" if has_failed else "value"])
    if has_failed:
        asked["failed"] = answer.get("message") or "It failed."
    # An answer that could not be used was paid for, too.
    usage = answer.get("usage", {})
    return RecordedRequest(
        **asked,
        answered=answer.get("model", ""),
        input_tokens=usage.get("input_tokens", 0),
        output_tokens=usage.get("output_tokens", 0),
        cost=usage.get("cost", 0.0),
        estimated=usage.get("estimated", False),
        notes=(*answer.get("passed_over", ()), *answer.get("notes", ())),
    )


@dataclass(frozen=True)
class _RecordingModel:
    """The recorded model; notes every request by its key, for each model asked for its kind."""

    model: Model
    names_by_kind: Mapping[str, Collection[str]]
    params_by_key: dict[str, Json]

    @property
    def name(self) -> str:
        return self.model.name

    def open(self) -> None:
        self.model.open()

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        for name in self.names_by_kind.get(request.kind, ()):
            params = request.params(name)
            self.params_by_key[call_key("model", VERSION, params)] = params
        return self.model.run(request, on_text)
