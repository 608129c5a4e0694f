"""Resources for tests of what serves the tools.

Their outside is written answers; their clock stands still unless it is made to go.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from research_core.errors import FetchError
from research_core.journal.circuit_breaker import CircuitBreakers as Breakers
from research_core.models import HttpReply
from research_core.sessions.tool_calls import ToolCaller
from research_core.settings import Settings
from research_core.wiring import Resources
from tests.tool_calls_made import Said, ScriptedServices


class Ticking:
    """A clock that stands still between calls of `pass_by`."""

    def __init__(self) -> None:
        self.at = 1_750_000_000.0

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at

    def wait(self, event: threading.Event, seconds: float) -> float:
        return seconds

    def pass_by(self, seconds: float) -> None:
        self.at += seconds


class Counter(Resources):
    """Resources in a folder, whose every call to the outside these answer."""

    @cached_property
    def outside(self) -> ScriptedServices:
        return ScriptedServices({})

    @cached_property
    def client(self) -> Any:
        return self.outside

    @cached_property
    def clock(self) -> Any:
        return Ticking()

    @cached_property
    def services(self) -> Breakers:
        """Make no call wait for its turn: five seconds pass between two looks at the clock."""
        looks = count(0.0, 5.0)
        return Breakers(lambda: self.clock.monotonic() + next(looks))


def make_tool_caller(folder: Path, answers: Mapping[str, Said], **options: Any) -> ToolCaller:
    """Return a tool caller over such resources.

    options: fields of the settings; no engine of ddgs is asked unless they say so.
    """
    usual = {
        "database_url": f"sqlite:///{folder / 'assay.db'}",
        "ddgs_engines": (),
        "searxng_url": "http://searx.example.org",
    }
    resources = Counter(Settings(home=folder, **{**usual, **options}))
    resources.outside.answers = dict(answers)
    return ToolCaller(resources)


class SlowServices(ScriptedServices):
    """Services each of whose answers takes some seconds, by the clock of a tool caller."""

    seconds = 0.0
    clock: Any = None

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        limit_s = options.get("timeout_s", self.seconds)
        self.clock.pass_by(min(self.seconds, limit_s))
        if limit_s < self.seconds:
            raise FetchError("It took too long.", kind="timeout")
        return super().send(method, url, **options)


def make_slow_caller(
    folder: Path, answers: Mapping[str, Said], seconds: float, **options: Any
) -> ToolCaller:
    """Return a tool caller whose every call to the outside takes so many seconds."""
    at = make_tool_caller(folder, {}, **options)
    services = SlowServices(answers)
    services.clock = at.resources.clock
    services.seconds = seconds
    at.resources.__dict__["outside"] = services
    return at
