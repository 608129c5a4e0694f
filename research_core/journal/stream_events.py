"""A model's text while it is written, as events of the log: gathered, so that a stream is a few
events and not one for each word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from research_core.journal.events import Draft
from research_core.journal.log import EventLog

DELTA_S = 0.25


class DeltaStream:
    """Gathers the pieces of one attempt's stream into `delta` events, at most four a second; a
    replay ignores them.

    Each says where in the text it belongs: an attempt made anew starts at 0 again, and what was
    streamed before from there on is void.
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

    def text(self, piece: str) -> None:
        self._on_text(piece)
        self._held.append(piece)
        if self._now() - self._last >= DELTA_S:
            self.flush()

    def end(self) -> None:
        """The rest of a text of which a part was said. One that came at once is not streamed: it is
        the reply, recorded next.
        """
        if self._start:
            self.flush()

    def flush(self) -> None:
        text = "".join(self._held)
        if text:
            self._log.append(Draft("delta", {**self._about, "start": self._start, "text": text}))
        self._held, self._start, self._last = [], self._start + len(text), self._now()
