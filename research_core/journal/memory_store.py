"""Keep the events of a log in lists, for what is dropped with its last reference.

It answers like `store.Store`; no database is opened and nothing is sealed.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from research_core.journal.events import Event
from research_core.journal.store import EventRow


class MemoryStore:
    """The events of one session in memory. Thread-safe.

    question: what the session is about. session: its id, by default a new one.
    """

    def __init__(self, question: str = "", session: str = "") -> None:
        self.question = question
        self.session = session or uuid.uuid4().hex
        self._lock = threading.Lock()
        self._events: list[Event] = []
        self._keys: set[str] = set()
        self._blobs: dict[str, bytes] = {}
        self._next = 1

    def append(
        self,
        rows: Sequence[EventRow],
        blobs: Mapping[str, bytes],
        at: float,
        *,
        fenced: bool = True,
    ) -> list[Event | None]:
        """Keep a batch; return each row's event, or None if its key was taken.

        fenced: ignored: no other process has the session.
        """
        with self._lock:
            self._blobs.update(blobs)
            return [self._add(row, at) for row in rows]

    def _add(self, row: EventRow, at: float) -> Event | None:
        """Keep an event; a taken key uses up a number too, as in the database."""
        seq = self._next
        self._next += 1
        if row.key in self._keys:
            return None
        if row.key is not None:
            self._keys.add(row.key)
        event = Event(seq, at, row.kind, json.loads(row.data), row.key)
        self._events.append(event)
        return event

    def read(
        self,
        after: int = 0,
        *,
        keyed: bool | None = None,
        keys: Sequence[str] = (),
        kinds: Sequence[str] = (),
    ) -> list[Event]:
        """Return events in order: after a number, with any key, of these keys or kinds."""
        with self._lock:
            events = list(self._events)
        return [
            event
            for event in events
            if event.seq > after
            and (not keyed or event.key is not None)
            and (not keys or event.key in keys)
            and (not kinds or event.kind in kinds)
        ]

    def blob(self, sha: str) -> bytes:
        """Return the body of a blob. Raises KeyError if there is none with this hash."""
        with self._lock:
            return self._blobs[sha]

    def stop_reason(self) -> None:
        """Return None: no other process can stop this session."""

    def fork(
        self,
        new_id: str,
        settings: Mapping[str, Any],
        at: float,
        kinds: Sequence[str],
        *,
        question: str = "",
    ) -> MemoryStore:
        """Return a session that inherits only the events of these kinds.

        settings, at: are kept by the database alone.
        """
        fork = MemoryStore(question or self.question, new_id)
        with self._lock:
            fork._events = [event for event in self._events if event.kind in kinds]
            fork._blobs = dict(self._blobs)
        fork._keys = {event.key for event in fork._events if event.key is not None}
        fork._next = fork._events[-1].seq + 1 if fork._events else 1
        return fork
