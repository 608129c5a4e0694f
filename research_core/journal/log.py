"""Append to, read and fork the event log of one session, and record each outside call once.

Live progress, resume, replay and what-if are all readings of this log. A recorded call, whether it
returned a value or failed, is answered from the log and not made again unless it is released.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from copy import copy
from typing import Any, Protocol

from research_core.errors import BoundaryError, CallForbidden, error_from_json, error_to_json
from research_core.journal.events import (
    APPROVE_PLAN,
    BODY_FIELDS,
    CALL_KINDS,
    Draft,
    Event,
    canonical_json,
    drop_voided,
    json_in_order,
    sha256,
    survives_void,
)
from research_core.journal.store import OPEN_OUTCOME, WAIT_OVER, EventRow

#: A longer text in the result of a call goes to the blob table; the event carries its hash.
INLINE_LENGTH = 2000
_REFERENCE_KEYS = ({"$bytes"}, {"$text"}, {"$json"})
_OUTCOME_BY_KIND: Mapping[str, Callable[[Any], str | None]] = {
    "command": lambda data: WAIT_OVER if data["do"] == APPROVE_PLAN else None,
    "finished": lambda data: data["outcome"],
    "failed": lambda _: "failed",
    "step": lambda data: OPEN_OUTCOME if data["next"] else "done",
}
MakeCall = Callable[[], Any]
NO_BLOBS: Mapping[str, bytes] = {}


class WallClock(Protocol):
    def now(self) -> float: ...


class EventStore(Protocol):
    """Where the events of one session are kept: `store.Store` or `memory_store.MemoryStore`."""

    session: str

    def append(
        self,
        rows: Sequence[EventRow],
        blobs: Mapping[str, bytes],
        at: float,
        *,
        fenced: bool = True,
    ) -> list[Event | None]: ...

    def read(
        self,
        after: int = 0,
        *,
        keyed: bool | None = None,
        keys: Sequence[str] = (),
        kinds: Sequence[str] = (),
    ) -> list[Event]: ...

    def blob(self, sha: str) -> bytes: ...

    def stop_reason(self) -> str | None: ...

    def fork(
        self,
        new_id: str,
        settings: Mapping[str, Any],
        at: float,
        kinds: Sequence[str],
        *,
        question: str = "",
    ) -> EventStore: ...


class EventLog:
    """The events of one session.

    A read-only log (a replay) answers known keys, keeps new events in memory and writes nothing.

    emitted: the events of this run in the order they were appended, as the fold needs them: in a
    live run as stored, in a replay as derived anew (except `decide`, whose stored choice counts).
    differences: (stored, derived) pairs found by a replay; forbidden: the calls that it asked for
    and the recorded run never made. Keyed events, including every call, are loaded on first use; a
    caller that only writes needs nothing but the voids, which are part of a key.
    """

    def __init__(
        self,
        store: EventStore,
        clock: WallClock,
        *,
        readonly: bool = False,
        listener: Callable[[Event], None] | None = None,
    ) -> None:
        self._store, self._clock, self.readonly, self._listener = store, clock, readonly, listener
        self._lock = threading.Lock()
        self._flights: dict[str, Future[Any]] = {}
        self._voided: dict[str, int] = {}
        self._keyed: dict[str, Event] = {}
        self._unwritten: dict[str, bytes] = {}
        self._derived: dict[str, Event] = {}
        self.emitted: list[Event] = []
        self.differences: list[tuple[Event, Event]] = []
        self._created: Mapping[str, Any] = {}
        self.forbidden: list[str] = []
        self._loaded = self._voids_loaded = False
        self.calls_made = 0

    @property
    def session(self) -> str:
        return self._store.session

    def append(self, *drafts: Draft) -> tuple[Event, ...]:
        """Write the drafts in one transaction and return their events.

        Where a key is already taken, the event already stored under it is returned.
        """
        packed = [_pack_draft(draft) for draft in drafts]
        with self._lock:
            events = (
                self._append_readonly(drafts, packed)
                if self.readonly
                else self._append(drafts, packed)
            )
            self.emitted.extend(events)
        if self._listener:
            for event in events:
                self._listener(event)
        return events

    def _append(
        self, drafts: Sequence[Draft], packed: Sequence[tuple[Any, dict[str, bytes]]]
    ) -> tuple[Event, ...]:
        """Write the drafts whose keys are not taken; the caller holds the lock."""
        if any(draft.key is not None and not survives_void(draft) for draft in drafts):
            self._load_voids()
        keys = [self._key(draft) for draft in drafts]
        new = [number for number, key in enumerate(keys) if key not in self._keyed]
        rows: list[EventRow] = []
        blobs: dict[str, bytes] = {}
        for number in new:
            data, bodies = packed[number]
            rows.append(_build_row(drafts[number], data, keys[number]))
            blobs |= bodies
        fenced = any(draft.kind != "command" for draft in drafts)
        stored = self._store.append(rows, blobs, self._clock.now(), fenced=fenced) if rows else []
        written: dict[int, Event] = {}
        lost: list[str] = []
        for number, row, event in zip(new, rows, stored, strict=True):
            if event is not None:
                written[number] = event
                self._remember(event)
            elif row.key:
                lost.append(row.key)
        if lost:  # another process wrote these keys first
            for event in self._store.read(keys=lost):
                self._remember(event)
        return tuple(
            written.get(number) or self._keyed[str(key)] for number, key in enumerate(keys)
        )

    def _append_readonly(
        self, drafts: Sequence[Draft], packed: Sequence[tuple[Any, dict[str, bytes]]]
    ) -> tuple[Event, ...]:
        """Derive the events of a replay and note how they differ from the stored ones."""
        events = []
        self._load()
        for draft, (data, blobs) in zip(drafts, packed, strict=True):
            self._unwritten |= blobs
            key = self._key(draft)
            if key in self._derived:  # the first write of this run counts here too
                events.append(self._derived[key])
                continue
            stored = self._keyed.get(str(key))
            seq, at = (stored.seq, stored.at) if stored else (0, 0.0)
            derived = Event(seq, at, draft.kind, json.loads(json_in_order(data)), key)
            if stored and draft.kind == "decide":
                derived = stored
            elif stored and stored.data != derived.data:
                self.differences.append((stored, derived))
            if key is not None:
                self._derived[key] = derived
            events.append(derived)
        return tuple(events)

    def record_call(
        self,
        kind: str,
        key: str,
        call: MakeCall,
        *,
        about: Mapping[str, Any] | None = None,
        keep: bool = True,
    ) -> Any:
        """Return the recorded result of a call, making and recording the call if there is none.

        kind: http | model | ddgs | library | session | browser | fact. call returns JSON values
        (bytes allowed) or raises a BoundaryError, which is recorded and raised again. Any other
        exception (a bug, a cancel, a cap) is not recorded. Threads that ask for the same key at
        once share one call; when two processes do, the first stored value counts for both. about: a
        description for readers of the log. keep: False records that the call happened but not its
        result, so a resume makes it again.
        """
        with self._lock:
            self._load()
            full = self._call_key(key)
            stored = self._keyed.get(full)
            flight = self._flights.get(full)
            leads = stored is None and flight is None
            if leads:
                flight = self._flights[full] = Future()
        if stored is not None:
            return self._value(stored)
        assert flight is not None
        return (
            self._make_call(flight, full, kind, call, about or {}, keep)
            if leads
            else flight.result()
        )

    def _make_call(
        self,
        flight: Future[Any],
        full: str,
        kind: str,
        call: MakeCall,
        about: Mapping[str, Any],
        keep: bool,
    ) -> Any:
        """Make the call and pass its outcome to every thread that waits for it."""
        try:
            if self.readonly:
                described = canonical_json(about)[:300]
                self.forbidden.append(str(about.get("what", kind)))
                raise CallForbidden(f"The recorded run never made this call: {kind} {described}.")
            if keep:
                value = self._record(full, kind, call, about)
            else:
                value = self._call_without_result(kind, call)
            flight.set_result(value)
            return value
        except BaseException as error:
            flight.set_exception(error)
            flight.exception()  # marks it as retrieved: nobody need be waiting
            raise
        finally:
            with self._lock:
                self._flights.pop(full, None)

    def _record(self, full: str, kind: str, call: MakeCall, about: Mapping[str, Any]) -> Any:
        """Make the call and store its value or error; return or raise what is stored."""
        try:
            result = {"value": call()}
        except BoundaryError as error:
            result = {"error": error_to_json(error)}
        packed, blobs = _pack(result, inline=INLINE_LENGTH)
        data = json_in_order({"kind": kind, "about": dict(about), **packed})
        with self._lock:
            self.calls_made += 1
            (event,) = self._store.append([EventRow("call", data, full)], blobs, self._clock.now())
            if event is None:  # another process stored its own
                event, blobs = self._store.read(keys=[full])[0], {}
            self._remember(event)
        return self._value(event, blobs)

    def _call_without_result(self, kind: str, call: MakeCall) -> Any:
        """Make the call and record only its kind, time and outcome.

        What the call was about may be the very thing to forget.
        """
        try:
            value = call()
        except BoundaryError as error:
            self.append(Draft("call", {"kind": kind, "outcome": error.kind}))
            raise
        self.append(Draft("call", {"kind": kind, "outcome": "answered"}))
        return value

    def copy_calls(self, journal: EventLog) -> None:
        """Record the calls of another log in one transaction; taken keys stay as they are."""
        rows: list[EventRow] = []
        blobs: dict[str, bytes] = {}
        for call in journal.calls():
            outcome = {}
            for name in ("value", "error"):
                if name in call.data:
                    outcome[name] = journal.open(call.data[name])
            packed, bodies = _pack(outcome, inline=INLINE_LENGTH)
            rows.append(EventRow("call", json_in_order({**call.data, **packed}), call.key))
            blobs |= bodies
        if not rows:
            return
        with self._lock:
            for event in self._store.append(rows, blobs, self._clock.now()):
                if event is not None:
                    self._remember(event)

    def has_call(self, key: str) -> bool:
        """Return True if a call with this key would be answered from the log."""
        with self._lock:
            self._load()
            return self._call_key(key) in self._keyed

    def was_cached(self, key: str) -> bool:
        """Return True if the call recorded under this key was answered from the cache alone.

        An answer that the server confirmed as still valid does not count.
        """
        with self._lock:
            self._load()
            stored = self._keyed.get(self._call_key(key))
            about = stored.data.get("about", {}) if stored else {}
            return "cached" in about and "renewed" not in about

    def is_voided(self, key: str) -> bool:
        """Return True if a recorded failure under this key was released for a retry.

        Retries released in the session this one was forked from count too.
        """
        with self._lock:
            self._load()
            return key in self._voided

    def decisions(self) -> list[Event]:
        """Return the stored choices still in force, in order; they do not follow from the calls."""
        with self._lock:
            self._load()
            return [event for event in drop_voided(self._keyed.values()) if event.kind == "decide"]

    def find_choice(self, key: str) -> Any:
        """Return the choice stored under this key, or None."""
        with self._lock:
            self._load()
            stood = self._keyed.get(f"decide:{key}")
            return stood.data if stood else None

    def calls(self) -> list[Event]:
        """Return the calls this session made itself, in commit order, without inherited ones."""
        with self._lock:
            self._load()
            begun = self._keyed.get("created:created")
            if begun is None:
                return []
            # A fork copies the calls it inherits before its own `created`.
            events = self._keyed.values()
            made = [event for event in events if event.kind == "call" and event.seq > begun.seq]
            return sorted(made, key=lambda event: event.seq)

    def answers(self) -> dict[str, Event]:
        """Return {key: the call event that answers it now}, including inherited calls."""
        with self._lock:
            self._load()
            keys: set[str] = set()
            for event in self._keyed.values():
                if event.kind == "call":
                    keys.add(str(event.key).removeprefix("call:").partition("~")[0])
            answering: dict[str, Event] = {}
            for key in sorted(keys):
                full = self._call_key(key)
                if full in self._keyed:
                    answering[key] = self._keyed[full]
            return answering

    def read(self, after: int = 0, *, kinds: Sequence[str] = ()) -> list[Event]:
        """Return stored events after a sequence number, in commit order.

        Large texts stay references; `open` resolves them.
        """
        return self._store.read(after, kinds=kinds)

    def read_created(self) -> Mapping[str, Any]:
        """Return the data of the event that began the session; {} before there is one.

        It never changes, and every step asks for it, so it is read once.
        """
        if not self._created:
            for begun in self.read(kinds=("created",))[:1]:
                self._created = begun.data
        return self._created

    def open(self, value: Any, blobs: Mapping[str, bytes] = NO_BLOBS) -> Any:
        """Return the value with its blob references resolved. blobs: those at hand, by SHA-256."""
        if isinstance(value, list):
            return [self.open(item, blobs) for item in value]
        if not isinstance(value, dict):
            return value
        if value.keys() == {"$bytes"}:
            return self._blob(value["$bytes"], blobs)
        if value.keys() == {"$text"}:
            return self._blob(value["$text"], blobs).decode("utf-8", "surrogatepass")
        if value.keys() == {"$json"}:
            value = value["$json"]
        return {name: self.open(item, blobs) for name, item in value.items()}

    def _blob(self, sha: str, blobs: Mapping[str, bytes]) -> bytes:
        for known in (blobs, self._unwritten):
            if sha in known:
                return known[sha]
        return self._store.blob(sha)

    def copy_in_memory(self) -> EventLog:
        """Return a copy that continues from here in memory and is never written."""
        with self._lock:
            self._load()
        twin = copy(self)
        twin.readonly = True
        twin._listener = None
        twin.emitted = list(self.emitted)
        twin.differences = []
        twin._unwritten = dict(self._unwritten)
        twin._derived = {event.key: event for event in self.emitted if event.key is not None}
        return twin

    def stop_reason(self) -> str | None:
        """Return the stop word left for this session's worker, or None; always None in a replay."""
        return None if self.readonly else self._store.stop_reason()

    def void(self, key: str) -> None:
        """Release a recorded failure, so that the next call under this key is made again.

        Everything derived from calls so far is derived anew too (`events.drop_voided`), so void
        between attempts, never during one.
        """
        with self._lock:
            self._load()
            number = self._voided.get(key, 0) + 1
        self.append(Draft("voided", {"key": key}, key=f"{key}~{number}"))

    def mark_unusable(self, key: str) -> None:
        """Record that the answer to a call cannot be used. It still answers this session."""
        with self._lock:
            self._load()
            full = self._call_key(key)
        self.append(Draft("unusable", {"call": full}, key=full))

    def list_unusable_calls(self) -> list[str]:
        """Return the keys of model calls that failed or whose answers could not be used.

        Calls inherited from another session count; those that were voided do not.
        """
        with self._lock:
            self._load()
            marked = {
                event.data["call"] for event in self._keyed.values() if event.kind == "unusable"
            }
        keys = []
        for key, call in self.answers().items():
            is_failed = call.data["kind"] == "model" and "error" in call.data
            if is_failed or call.key in marked:
                keys.append(key)
        return keys

    def fork(self, new_id: str, settings: Mapping[str, Any], *, question: str = "") -> EventLog:
        """Create a session with new settings that inherits only the recorded calls.

        question: "" to keep this session's.
        """
        store = self._store.fork(
            new_id, settings, self._clock.now(), sorted(CALL_KINDS), question=question
        )
        return EventLog(store, self._clock)

    def _load(self) -> None:
        """Load all keyed events once; the caller holds the lock."""
        if not self._loaded:
            self._remember_new(self._store.read(keyed=True))
        self._loaded = self._voids_loaded = True

    def _load_voids(self) -> None:
        """Load the voids once; the caller holds the lock."""
        if not self._voids_loaded:
            self._remember_new(self._store.read(kinds=("voided",)))
        self._voids_loaded = True

    def _remember_new(self, events: Iterable[Event]) -> None:
        for event in events:
            if event.key not in self._keyed:
                self._remember(event)

    def _remember(self, event: Event) -> None:
        if event.key is not None:
            self._keyed[event.key] = event
        if event.kind == "voided":
            self._voided[event.data["key"]] = self._voided.get(event.data["key"], 0) + 1

    def _key(self, draft: Draft) -> str | None:
        """Return the key a draft is stored under.

        After a void, derived events get a new key beside the old one. What the outside or the
        analyst wrote keeps its key.
        """
        if draft.key is None or survives_void(draft):
            return draft.full_key
        voids = sum(self._voided.values())
        return f"{voids}~{draft.full_key}" if voids else draft.full_key

    def _call_key(self, key: str) -> str:
        return f"call:{key}~{self._voided[key]}" if key in self._voided else f"call:{key}"

    def _value(self, event: Event, blobs: Mapping[str, bytes] = NO_BLOBS) -> Any:
        if "error" in event.data:
            raise error_from_json(self.open(event.data["error"], blobs))
        return self.open(event.data["value"], blobs)


def _build_row(draft: Draft, data: Any, key: str | None) -> EventRow:
    text = json_in_order(data)
    if draft.kind not in _OUTCOME_BY_KIND:
        return EventRow(draft.kind, text, key)
    outcome = _OUTCOME_BY_KIND[draft.kind](data)
    decision = data.get("decision") if outcome else None
    return EventRow(draft.kind, text, key, outcome, decision)


def _pack_draft(draft: Draft) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Pack a draft's data, moving page texts and bytes out into blobs.

    Everything a reading of the log folds stays in the event.
    """
    bodies = {
        name: draft.data[name] for name in BODY_FIELDS.get(draft.kind, ()) if name in draft.data
    }
    data, blobs = _pack(draft.data)
    texts, more = _pack(bodies, inline=-1)
    return {**data, **texts}, {**blobs, **more}


def _pack(value: Any, *, inline: float = math.inf) -> tuple[Any, dict[str, bytes]]:
    """Return the value with bytes and long texts replaced by references, and the blobs by hash."""
    blobs: dict[str, bytes] = {}

    def store(mark: str, body: bytes) -> dict[str, str]:
        sha = sha256(body)
        blobs[sha] = body
        return {mark: sha}

    def pack(item: Any) -> Any:
        if isinstance(item, bytes):
            return store("$bytes", item)
        if isinstance(item, str) and len(item) > inline:
            return store("$text", item.encode("utf-8", "surrogatepass"))
        if isinstance(item, (list, tuple)):
            return [pack(part) for part in item]
        if not isinstance(item, Mapping):
            return item
        packed = {str(name): pack(part) for name, part in item.items()}
        # Outside data that looks like a reference is marked as plain JSON.
        return {"$json": packed} if packed.keys() in _REFERENCE_KEYS else packed

    return pack(value), blobs
