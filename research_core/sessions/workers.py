"""Run sessions in worker processes: DBOS decides which process runs an attempt and when.

Each attempt is one workflow without steps: it calls `runner.resume_or_run` and returns how that
ended; only the log says what happened. By default the app's process is the worker, on the store's
SQLite file. With ASSAY_WORKER_ONLY the app only enqueues, and `run.py worker` processes do the
work. A process has one engine, from `get_engine`.
"""

from __future__ import annotations

import logging
import math
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

import sqlalchemy as sa

from research_core.errors import ResearchError, SettingsError, Stopped, StoreError, UsageError
from research_core.journal import cross_tenant, store
from research_core.journal.deps import Model
from research_core.journal.doorway import Control
from research_core.journal.events import Draft
from research_core.models import Principal
from research_core.sessions import (
    heartbeats,
    retention,
    runner,
    session_control,
    session_status,
    spending,
)
from research_core.sessions.heartbeats import is_alive
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log

if TYPE_CHECKING:
    from research_core.sessions.dbos_queue import WorkQueue

_log = logging.getLogger(__name__)
#: How attempts ended; the lines of text of a program leave it out.
_ends = logging.getLogger(f"{__name__}.ends")
#: A worker process that was told to end is gone after so many seconds.
EXIT_TIMEOUT_S = 1.5
#: Seconds that a thread of a worker computes before another one has its turn: Python's own 5 ms
#: make a thread that holds the database's write lock wait so long after each statement.
SWITCH_INTERVAL_S = 0.0005


@dataclass(frozen=True)
class WorkerPace:
    """The intervals of a worker in seconds.

    beats; when a silent worker counts as dead; looks for dead workers and for new work; grace:
    given to runs at a stop; retry: between tries to record a failure while the database refuses;
    purge: between two purges; unqueued: how long a session is outside the queue until a worker
    queues it.
    """

    beat: float = heartbeats.BEAT_S
    dead_after: float = heartbeats.DEAD_AFTER_S
    reap: float = 2.0
    poll: float = 0.2
    grace: float = 0.7
    retry: float = 5.0
    purge: float = retention.DAY_S
    unqueued: float = 20.0


@dataclass(frozen=True)
class QueueState:
    """The queue of all processes on the database.

    waiting: sessions that wait for a worker; oldest_s: seconds that the first of them has waited;
    running: sessions that workers run; workers: processes that are alive and run sessions.
    """

    waiting: int
    oldest_s: float
    running: int
    workers: int


@dataclass
class Work:
    """What this process has done since it began.

    ended: attempts by outcome; seconds: that they took; model_calls, tokens, cost (US dollars): of
    their sessions; unpriced: those of them with a model of unknown price.
    """

    ended: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    model_calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0


class WorkerEngine:
    """This process's part in the work.

    runs: whether it runs sessions or only enqueues them; model: replaces the configured one.
    """

    def __init__(
        self,
        resources: Resources,
        *,
        runs: bool | None = None,
        pace: WorkerPace = WorkerPace(),
        model: Model | None = None,
    ) -> None:
        self.resources, self.pace = resources, pace
        self.runs = not resources.settings.worker_only if runs is None else runs
        self.executor = heartbeats.make_executor_id()
        self._model = model
        self._live: dict[str, Control] = {}
        self.work = Work()
        self._first_unqueued: dict[str, float] = {}
        self._last_look = -math.inf
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._open = ExitStack()

    def start(self) -> None:
        """Open the queue and, unless this process only enqueues, run sessions from it.

        Those of dead workers come first.

        Raises StoreError, and UsageError if this process already has an engine.
        """
        from research_core.sessions.dbos_queue import open_queue

        with _one_at_a_time:
            if _running:
                raise UsageError(
                    "This process already has an engine.",
                    next_step="Use workers.get_engine(resources).",
                )
            with ExitStack() as opening:
                at_once = self.resources.settings.sessions_at_once
                queue = open_queue(self.resources.db, at_once=at_once, poll_s=self.pace.poll)
                self._queue: WorkQueue = opening.enter_context(queue)
                _running.append(self)
                opening.callback(_running.clear)
                if self.runs:
                    self._run(opening)
                self._open = opening.pop_all()

    def _run(self, opening: ExitStack) -> None:
        """Start the parts of a process that runs sessions.

        It beats before it takes work, so that nobody finds its work without a worker.
        """
        from research_core.sessions.dbos_queue import run_scheduler

        opening.enter_context(
            heartbeats.keep_heartbeat(self.resources, self.executor, every_s=self.pace.beat)
        )
        opening.enter_context(run_scheduler(self.resources.db, self.executor, self.run))
        reaper = threading.Thread(target=self._reap, name="assay-reaper", daemon=True)
        reaper.start()
        purging = threading.Thread(target=self._purge, name="assay-purge", daemon=True)
        purging.start()
        opening.callback(purging.join, 1.0)
        opening.callback(reaper.join, 1.0)
        opening.callback(self._stopping.set)

    def stop(self) -> None:
        """Stop within about a second. Running sessions stay unfinished for the next worker."""
        with self._lock:
            self._stopping.set()
            for control in self._live.values():
                control.shutdown.set()
        until = time.monotonic() + self.pace.grace
        while self._live and time.monotonic() < until:
            time.sleep(0.01)
        with _one_at_a_time:
            self._open.close()

    # -- what a page asks for --------------------------------------------------

    def enqueue(self, session: str, *, who: Principal = LOCAL_USER) -> None:
        """Queue a session to run or resume; repeated calls for one attempt count once.

        If it waits, its log first says which number it has. Raises UsageError if there is no such
        session.
        """
        attempt = session_control.reopen(self.resources, session, who=who)
        if attempt is None:
            return
        place = self._queue.plan_place(session, attempt, who)
        at_once = self.resources.settings.sessions_at_once * len(self._list_live_executors())
        if place.ahead or place.running >= at_once:
            open_log(self.resources, who, session).append(
                Draft("queued", {"ahead": place.ahead}, str(attempt))
            )
        self._queue.enqueue(session, attempt, who, place.priority)

    def cancel(self, session: str, *, who: Principal = LOCAL_USER) -> None:
        """Stop a session, running or queued. The queue is told last: it can stop no call."""
        session_control.cancel(self.resources, session, who=who)
        self._queue.cancel(session)

    def find_place(self, session: str) -> int | None:
        """Return how many sessions, of any user, begin before this one; None if none waits so."""
        return self._queue.find_place(session)

    def measure_queue(self) -> QueueState:
        """Return the state of the queue. Raises StoreError."""
        times = self._queue.list_times()
        now = heartbeats.read_clock(self.resources)
        oldest = max(0.0, now - min(times)) if times else 0.0
        return QueueState(
            len(times), oldest, self._queue.count_running(), len(self._list_live_executors())
        )

    # -- the work --------------------------------------------------------------

    def run(self, session: str, who: Principal) -> str:
        """Run one attempt: done | failed | cancelled | waiting, or elsewhere if it runs already.

        Raises Stopped to be run again.
        """
        control = Control()
        with self._lock:
            if self._stopping.is_set():
                raise Stopped("shutdown")
            if session in self._live:
                return "elsewhere"
            self._live[session] = control
        began = time.monotonic()
        try:
            outcome = self._attempt(session, who, control)
        finally:
            with self._lock:
                del self._live[session]
        self._count(session, who, outcome, time.monotonic() - began)
        return outcome

    def _count(self, session: str, who: Principal, outcome: str, seconds: float) -> None:
        """Log how an attempt ended, and count what it used."""
        extra = {"session": session, "outcome": outcome, "seconds": round(seconds, 3)}
        _ends.info(f"Session {session} ended: {outcome}.", extra=extra)
        if outcome == "elsewhere":
            return
        used = spending.SessionUsage()
        # It may be gone, or the database; what it used is then not counted.
        with suppress(StoreError, UsageError):
            used = spending.count_ended(self.resources, session, who=who)
        with self._lock:
            self.work.ended[outcome] += 1
            self.work.seconds += seconds
            self.work.model_calls += used.calls
            self.work.tokens += used.tokens
            self.work.cost += used.cost or 0.0
            self.work.unpriced += used.cost is None

    def _attempt(self, session: str, who: Principal, control: Control) -> str:
        try:
            row = store.find_session(self.resources.db, who, session)
            if row.outcome in (*session_status.TERMINAL_STATUSES, store.WAITING_OUTCOME):
                return str(row.outcome)
            if (
                row.executor not in (None, self.executor)
                and row.executor in self._list_live_executors()
            ):
                return "elsewhere"
            return runner.resume_or_run(
                self.resources,
                session,
                self.executor,
                who=who,
                control=control,
                model=self._model,
                seen=row,
            ).outcome
        except ResearchError as error:
            return self._give_up(session, who, control, error)

    def _give_up(self, session: str, who: Principal, control: Control, error: ResearchError) -> str:
        """Record a failure that could not record itself, once the database accepts it.

        Until then the session looks as if it ran.
        """
        while True:
            try:
                runner.give_up(self.resources, session, error, self.executor, who=who)
            except StoreError:
                if control.shutdown.wait(self.pace.retry):
                    raise Stopped("shutdown") from error
            except UsageError:
                # The session was deleted meanwhile.
                return "failed"
            else:
                return "failed"

    # -- the dead --------------------------------------------------------------

    def _list_live_executors(self) -> set[str]:
        beats = heartbeats.list_executors(self.resources.db)
        now = heartbeats.read_clock(self.resources)
        return {
            name for name in beats if is_alive(name, beats, now, dead_after_s=self.pace.dead_after)
        }

    def _reap(self) -> None:
        """Look for sessions of dead workers, at once and then repeatedly."""
        while not self._stopping.is_set():
            try:
                self._take_over()
                self._queue_forgotten()
            except (StoreError, sa.exc.SQLAlchemyError) as error:
                _log.warning(f"Looking for dead workers failed, and will be tried again: {error}")
            self._stopping.wait(self.pace.reap)

    def _purge(self) -> None:
        """Delete expired data of all users, at once and then daily.

        Data of inactive users would otherwise be kept for ever.
        """
        while not self._stopping.is_set():
            try:
                retention.enforce_retention(self.resources)
            except ResearchError as error:
                _log.warning(f"Removing what is kept no longer failed: {error.sentence()}")
            self._stopping.wait(self.pace.purge)

    def _take_over(self) -> None:
        """Put the sessions of dead workers back into the queue.

        A worker wrongly thought dead finds its epoch outdated and writes nothing more.
        """
        dead = self._queue.list_owners() - self._list_live_executors() - {self.executor}
        if dead:
            self._queue.requeue(sorted(dead))
        heartbeats.reap_executors(
            self.resources.db, heartbeats.read_clock(self.resources) - self.pace.dead_after
        )

    def _queue_forgotten(self) -> None:
        """Queue the sessions of processes that ended after making them and before queueing them.

        A session counts as such once this process has found it outside the queue for a while, so
        no clock but its own matters.
        """
        now = time.monotonic()
        if now - self._last_look < self.pace.unqueued / 2:
            return
        self._last_look = now
        waiting = cross_tenant.list_waiting_sessions(self.resources.db)
        queued = self._queue.list_sessions() if waiting else set()
        first = {}
        for session, who in waiting:
            if session in queued:
                continue
            first[session] = self._first_unqueued.get(session, now)
            if now - first[session] < self.pace.unqueued:
                continue
            # It may have been deleted meanwhile.
            with suppress(UsageError):
                self.enqueue(session, who=who)
        self._first_unqueued = first


# -- one to a process ----------------------------------------------------------

_one_at_a_time = threading.RLock()
#: The engine of this process, at most one, because the queue's library allows no more.
_running: list[WorkerEngine] = []


def find_running_engine() -> WorkerEngine | None:
    """Return the engine of this process if it has been started."""
    with _one_at_a_time:
        return _running[0] if _running else None


def has_live_worker(resources: Resources) -> bool:
    """Return True if any process that runs sessions is alive."""
    beats, now = heartbeats.list_executors(resources.db), heartbeats.read_clock(resources)
    return any(is_alive(name, beats, now) for name in beats)


def get_engine(resources: Resources) -> WorkerEngine:
    """Return the engine of this process, started at the first call.

    Raises UsageError if it serves another database.
    """
    with _one_at_a_time:
        if not _running:
            WorkerEngine(resources).start()
        if _running[0].resources.settings.database_url != resources.settings.database_url:
            raise UsageError(
                "This process already works on another database.",
                next_step="Start another process for this one.",
            )
        return _running[0]


# -- as a process of its own ---------------------------------------------------


def main(prepare: Callable[[Resources], None] = lambda _: None) -> int:
    """Run `run.py worker` until SIGTERM or Ctrl-C; return the exit code of a failed start.

    prepare: is called before the start.
    """
    try:
        resources = Resources(Settings.from_env())
        prepare(resources)
        serve_until_signal(WorkerEngine(resources, runs=True))
    except ResearchError as error:
        _log.error(f"assay: {error.sentence()}")
        return 2 if isinstance(error, (SettingsError, UsageError)) else 1


def serve_until_signal(worker: WorkerEngine) -> NoReturn:
    """Start, wait for a signal and exit within EXIT_TIMEOUT_S, leaving work for the next worker.

    Raises what `start` raises.
    """
    signalled = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: signalled.set())
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    worker.start()
    _log.info(f"Worker {worker.executor} takes sessions.")
    signalled.wait()
    # Stopping may be slow: DBOS gives each of its threads 10 s to end.
    last = threading.Timer(EXIT_TIMEOUT_S, os._exit, (0,))
    last.daemon = True
    last.start()
    worker.stop()
    # An ordinary exit would wait for the calls in flight.
    os._exit(0)
