"""Logs for tests: a clock that is set by hand, and a session with its log.

Also programs that run beside the test.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from research_core.context import ResearchContext
from research_core.journal.database import Database
from research_core.journal.events import Draft, Event
from research_core.journal.log import EventLog
from research_core.journal.store import Store, create_session
from research_core.models import Principal
from tests.timing import LONG_S

ROOT = Path(__file__).parents[1]
ANN = Principal("north", "ann")
BEN = Principal("north", "ben")
CLEO = Principal("south", "ann")


class Hands:
    """A clock that is set by hand."""

    def __init__(self, at: float = 1_790_000_000.0) -> None:
        self.at = at

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at

    def wait(self, event: threading.Event, seconds: float) -> float:
        return seconds


class WaitingHands(Hands):
    """A clock that stands still, for calls that do wait."""

    def wait(self, event: threading.Event, seconds: float) -> float:
        event.wait(seconds)
        return seconds


def stored_context(log: EventLog, deps: Any = None) -> ResearchContext:
    """A context that knows all that a stored log holds."""
    past = log.read()
    return ResearchContext(past[0].data["question"], deps, log=log, past=past)


class HeardLog(EventLog):
    """A log that knows how far its run has listened to the analyst."""

    def __init__(self, store: Store, clock: Any, **options: Any) -> None:
        super().__init__(store, clock, **options)
        self._heard, self._listened = 0, threading.Condition()

    def read(self, after: int = 0, *, kinds: Sequence[str] = ()) -> list[Event]:
        events = super().read(after, kinds=kinds)
        if tuple(kinds) == ("command",):
            with self._listened:
                self._heard = max([self._heard, *(event.seq for event in events)])
                self._listened.notify_all()
        return events

    def say(self, *commands: Draft) -> None:
        """Give the run these commands; returns when it has them, and heeds them before anything
        that it is told later.
        """
        last = self.append(*commands)[-1].seq
        with self._listened:
            assert self._listened.wait_for(lambda: self._heard >= last, LONG_S), (
                "the run did not listen"
            )


def new_session(
    db: Database, id: str = "s", who: Principal = ANN, settings: Mapping[str, Any] | None = None
) -> str:
    create_session(db, who, id, "What is asked?", settings or {"mode": "quick"}, 100.0)
    return id


def log_of(
    db: Database,
    id: str = "s",
    *,
    who: Principal = ANN,
    epoch: int | None = None,
    readonly: bool = False,
    listener: Callable[[Event], None] | None = None,
) -> EventLog:
    """As a process that has just started opens it."""
    return EventLog(Store(db, who, id, epoch), Hands(), readonly=readonly, listener=listener)


def new_log(db: Database, id: str = "s", who: Principal = ANN) -> EventLog:
    return log_of(db, new_session(db, id, who), who=who)


def at_once(number: int, task: Callable[[int], Any]) -> list[Any]:
    """What the task returned, or raised, in each of so many threads."""
    with ThreadPoolExecutor(number) as pool:
        futures = [pool.submit(task, n) for n in range(number)]
    return [future.exception() or future.result() for future in futures]


@contextmanager
def beside(program: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A program in a process of its own, until the block ends. Close its stdin to tell it
    something.
    """
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ran(program: str, *arguments: str) -> str:
    """What a program printed that ran to its end without a word on stderr."""
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout
