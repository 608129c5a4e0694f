"""Log a model's text while it is written, gathered into a few `delta` events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from research_core.journal.events import Draft
from research_core.journal.log import EventLog

DELTA_S = 0.25


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
