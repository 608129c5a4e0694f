"""A tool called as the registry calls it, before services that give written answers.

A call's outcome holds what it said, asked, kept, and told its session.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from research_core.context import ResearchContext, memory_log
from research_core.errors import FetchError
from research_core.journal.cache import CacheEntry
from research_core.journal.circuit_breaker import CircuitBreakers as Paces
from research_core.journal.deps import Deps, Provider
from research_core.journal.doorway import Doorway
from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.policy import RunSettings
from research_core.search import providers
from research_core.settings import Settings
from research_core.tools import run_tool
from research_core.tools.outputs import SCHEMAS
from tests.contracts import encoded
from tests.scripted import Scripted
from tests.tool_session import POOL
from tests.world import StillClock

RECORDED = Path(__file__).parents[1].parent / "shared" / "data" / "api_fixtures"
#: When a tool is called, in seconds: 2026-11-22T13:30:00Z, as the written answers are of that day.
NOW = 1_795_354_200.0
#: (status, body), a body alone for a status of 200, or a failure.
Said = Any


class FixedClock(StillClock):
    """A clock that stands still at a moment."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def now(self) -> float:
        return self.seconds


@dataclass
class ScriptedServices:
    """Answers by the beginning of an address, the longest that fits.

    asked: (method, address, options) of every request.
    """

    answers: Mapping[str, Said]
    asked: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        self.asked.append((method, url, options))
        fitting = [start for start in self.answers if url.startswith(start)]
        said = (
            self.answers[max(fitting, key=len)]
            if fitting
            else FetchError("There is nobody at this address.", kind="network")
        )
        if isinstance(said, Exception):
            raise said
        if isinstance(said, HttpReply):
            return said
        status, body = said if isinstance(said, tuple) else (200, said)
        return HttpReply(url, status, {}, encoded(body))


@dataclass
class EmptyCache:
    """A cache that holds nothing, and notes for how many seconds what it is given would be good."""

    put_s: list[float] = field(default_factory=list)

    def get(self, _key: str) -> None:
        return None

    def put(self, _key: str, entry: CacheEntry, _now: float) -> None:
        if not entry.failed:
            self.put_s.append(entry.fresh_s)


@dataclass(frozen=True)
class CallOutcome:
    """What came of one call."""

    answer: Json
    context: ResearchContext
    services: ScriptedServices
    shelf: EmptyCache

    @property
    def error(self) -> str:
        """The sentence of its failure; it fails the test where there is none."""
        return str(self.answer["error"])

    @property
    def kept_s(self) -> float | None:
        """For how many seconds every answer it got may stand for another call; None where none may."""
        (seconds,) = set(self.shelf.put_s) or {None}
        return seconds

    def requests(self, start: str = "") -> list[tuple[str, str, dict[str, Any]]]:
        return [asked for asked in self.services.asked if asked[1].startswith(start)]

    def params(self, start: str = "") -> list[dict[str, str]]:
        """The parameters of every request to an address that begins like this."""
        return [dict(options.get("params") or {}) for _, _, options in self.requests(start)]


def make_tool_call(
    tool: str,
    answers: Mapping[str, Said],
    *,
    settings: Mapping[str, Any] | None = None,
    engines: tuple[Provider, ...] | None = None,
    now: float = NOW,
    shelf: Any = None,
    artifact: Callable[[bytes, str], str] | None = None,
    fallbacks: tuple[str, ...] = (),
    **arguments: Any,
) -> CallOutcome:
    """Call a tool by the names on the wire, and check its answer against its schema.

    engines: those of the session, by default those the settings make available; shelf: a cache in
    place of one that holds nothing; artifact: keeps large bodies; fallbacks: third parties that may
    be asked.
    """
    configured = Settings(
        home=Path("unused"), database_url="sqlite://", **{"ddgs_engines": (), **(settings or {})}
    )
    log, services, shelf, clock = (
        memory_log("tea"),
        ScriptedServices(answers),
        EmptyCache() if shelf is None else shelf,
        FixedClock(now),
    )
    cache: Any = partial(lambda held: held, shelf)
    paces = Paces(
        partial(next, count(0.0, 5.0))
    )  # five seconds pass between two looks at the clock, so that no call waits for its turn
    doorway = Doorway(log, services, Scripted("no answer"), clock, cache=cache, services=paces)
    rows = providers.list_available_rows(configured) if engines is None else engines
    deps = Deps(
        configured,
        RunSettings(fallbacks=fallbacks),
        doorway.http,
        doorway.model,
        log,
        clock,
        POOL,
        engines=rows,
        artifact=artifact,
    )
    context = ResearchContext("tea", deps)
    answer = json.loads(run_tool(tool, arguments, context))
    if "error" not in answer:
        check_answer(tool, answer)
    return CallOutcome(answer, context, services, shelf)


def replay_call(said: CallOutcome, tool: str, **arguments: Any) -> Json:
    """Return what the same call answers from its session's log.

    There is nobody to ask then, and no key is set.
    """
    log, clock = said.context.log, StillClock()
    doorway = Doorway(log, ScriptedServices({}), Scripted("no answer"), clock)
    bare = Settings(home=Path("unused"), database_url="sqlite://", ddgs_engines=())
    deps = Deps(bare, RunSettings(), doorway.http, doorway.model, log, clock, POOL)
    answer: Json = json.loads(run_tool(tool, arguments, ResearchContext("tea", deps)))
    return answer


def check_answer(tool: str, answer: Any) -> None:
    """Fail if the answer breaks its tool's output schema or holds a field that is not in it."""
    _validator(tool).validate(answer)


@cache
def _validator(tool: str) -> Any:
    """Return the validator of a tool's answers, built once.

    To check the schema takes longer than a call.
    """
    schema = close_schema(SCHEMAS[tool])
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    return validator(schema)


def close_schema(schema: Any) -> Any:
    """Return the schema with every object closed, so that what it does not name is refused."""
    if isinstance(schema, dict):
        shut = {"additionalProperties": False} if "properties" in schema else {}
        return {**{name: close_schema(each) for name, each in schema.items()}, **shut}
    return [close_schema(each) for each in schema] if isinstance(schema, list) else schema


def for_each_recorded(*names: str) -> pytest.MarkDecorator:
    """Run one test for each of these recorded bodies, as (body, name).

    It is skipped where the shared data is absent.
    """
    found = [
        pytest.param((RECORDED / name).read_bytes(), name, id=name)
        for name in names
        if (RECORDED / name).exists()
    ]
    absent = pytest.param(
        b"",
        "",
        marks=pytest.mark.skip(
            reason="the recorded replies, ../shared/data/api_fixtures, are not here"
        ),
    )
    return pytest.mark.parametrize(("body", "name"), found or [absent])
