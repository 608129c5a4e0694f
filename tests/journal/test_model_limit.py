"""A model that takes few calls at once is asked no more at a time by one session."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from research_core.context import memory_log
from research_core.journal.doorway import Doorway
from research_core.model_messages import ModelReply, ModelRequest
from research_core.wiring import SystemClock
from tests.timing import LONG_S


@dataclass
class CountingModel:
    """Answers once `together` calls are under way, or none more has come for a while."""

    most_at_once: int | None
    together: int
    name: str = "counting"
    most: int = 0
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _full: threading.Event = field(default_factory=threading.Event)

    def open(self) -> None: ...

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
            if self._now == self.together:
                self._full.set()
        self._full.wait(LONG_S if self.together > 1 else 0.05)
        with self._lock:
            self._now -= 1
        return ModelReply(request.prompt, self.name)


class NoHttp:
    def send(self, *_arguments: object, **_options: object) -> None:
        raise AssertionError("nothing is requested here")


@pytest.mark.parametrize(("limit", "most"), [(1, 1), (3, 3), (None, 10)])
def test_calls_of_a_model_at_once(limit: int | None, most: int) -> None:
    model = CountingModel(limit, most)
    doorway = Doorway(memory_log("q"), NoHttp(), model, SystemClock())  # type: ignore[arg-type]
    requests = [ModelRequest("plan", "", f"prompt {number}", {}) for number in range(12)]
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(doorway.model.run, requests))
    assert [reply.text for reply in replies] == [request.prompt for request in requests]
    assert model.most == most
