"""The engine in this process on SQLite, and worker processes on PostgreSQL that are killed, frozen
and thawed.
"""

from __future__ import annotations

import itertools
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import pytest
import sqlalchemy as sa

from research_core.errors import ResearchError, UsageError
from research_core.journal import session_admin, store
from research_core.models import Principal
from research_core.policy import RunSettings
from research_core.sessions import (
    dbos_queue,
    heartbeats,
    session_control,
    session_start,
    session_status,
)
from research_core.sessions.replay import replay_session
from research_core.sessions.workers import WorkerEngine, WorkerPace, get_engine, serve_until_signal
from research_core.tools.client_session import store as client_sessions
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.everyday import mark_first_everyday
from tests.served_world import (
    ServedModel,
    ServedResources,
    Server,
    make_resources,
    new_session,
    run_worker,
    serve_world,
    start_process,
)
from tests.timing import LONG_S, check_duration, wait_until
from tests.world import QUESTION

#: A heart may miss many beats on a machine that stalls: none counts as dead for that.
PACE = WorkerPace(beat=0.2, dead_after=60.0, reap=0.2, poll=0.05)
#: Where one is frozen on purpose, and others are to find it dead.
QUICK = replace(PACE, dead_after=3.0)


@pytest.fixture
def server() -> Iterator[Server]:
    with serve_world(low=0.01, high=0.05) as server:
        yield server


@pytest.fixture
def place(tmp_path: Path, server: Server) -> Iterator[ServedResources]:
    place = make_resources(tmp_path / "home", server.port)
    yield place
    place.db.close()


class Begin(Protocol):
    def __call__(
        self, place: ServedResources, kind: type[WorkerEngine] = WorkerEngine, **options: Any
    ) -> WorkerEngine: ...


@pytest.fixture
def start() -> Iterator[Begin]:
    """Start an engine; whatever is still running after the test is stopped."""
    begun: list[WorkerEngine] = []

    def start(
        place: ServedResources, kind: type[WorkerEngine] = WorkerEngine, **options: Any
    ) -> WorkerEngine:
        begun.append(kind(place, **{"pace": PACE, "model": ServedModel(place.port), **options}))
        begun[-1].start()
        return begun[-1]

    yield start
    for worker in begun:
        worker.stop()


@pytest.fixture
def started(place: ServedResources, start: Begin) -> WorkerEngine:
    return start(place)


def status(place: Resources, session: str) -> str:
    return session_status.read_session_info(place, session).status


def ended(place: Resources, session: str) -> str:
    wait_until(lambda: status(place, session) in session_status.TERMINAL_STATUSES)
    return status(place, session)


def eighth(number: int, _what: str) -> bool:
    return number == 8


def calls(place: Resources, session: str) -> int:
    """Count the calls that left this machine."""
    made = open_log(place, LOCAL_USER, session).calls()
    return sum(call.data["kind"] != "fact" for call in made)


# ---------------------------------------------------------------- one process


@pytest.mark.full
def test_a_session_is_run_once_however_often_it_is_enqueued(
    started: WorkerEngine, place: ServedResources, server: Server
) -> None:
    session = new_session(place)
    assert status(place, session) == "queued"
    started.enqueue(session)
    started.enqueue(session)
    wait_until(lambda: status(place, session) == "running")
    started.enqueue(session)
    assert ended(place, session) == "done"
    time.sleep(3 * PACE.poll)
    assert len(server.calls) == calls(place, session)
    assert session_status.read_session_info(place, session).row.epoch == 1
    assert replay_session(place, LOCAL_USER, session).same


@pytest.mark.full
def test_an_engine_that_starts_removes_what_anybody_deleted_long_ago(
    place: ServedResources, start: Begin
) -> None:
    who = Principal("other", "user")
    session = session_start.new_session(
        place, QUESTION, RunSettings(model=ServedModel.name), who=who
    )
    session_admin.delete_session(
        place.db, who, session, place.clock.now() - session_control.KEPT_DELETED_S - 60.0
    )
    start(place)
    wait_until(lambda: not session_status.list_sessions(place, who=who, deleted=True))


def test_an_engine_looks_again_and_again_for_what_is_kept_no_longer(
    place: ServedResources, start: Begin
) -> None:
    start(place, pace=replace(PACE, purge=0.05))
    session = new_session(place)
    session_admin.delete_session(
        place.db, LOCAL_USER, session, place.clock.now() - session_control.KEPT_DELETED_S - 60.0
    )
    wait_until(lambda: not session_status.list_sessions(place, deleted=True))


@pytest.mark.full
def test_nothing_is_asked_after_a_cancel_and_a_resume_asks_for_the_rest(
    started: WorkerEngine, place: ServedResources, server: Server
) -> None:
    server.low, server.high = 0.1, 0.2
    session = new_session(place)
    server.halt = eighth
    started.enqueue(session)
    wait_until(lambda: not server.going.is_set())
    started.cancel(session)
    server.going.set()
    assert ended(place, session) == "cancelled"
    wait_until(server.is_idle)  # what was on its way by then has arrived
    asked = len(server.calls)
    time.sleep(0.5)
    assert len(server.calls) == asked
    assert session_status.read_stored_report(place, session) is None
    started.enqueue(session)
    assert ended(place, session) == "done"
    assert len(server.calls) == len(set(server.asked())) == calls(place, session) > asked


@pytest.mark.full
def test_stop_and_write_now_writes_from_what_is_judged(
    started: WorkerEngine, place: ServedResources, server: Server
) -> None:
    server.low, server.high = 0.1, 0.3
    session = new_session(place, "deep")
    server.halt = lambda _, what: (
        "judge" in what and not any("judge" in call.what for call in server.calls[:-1])
    )
    started.enqueue(session)
    wait_until(lambda: not server.going.is_set())
    session_control.send_command(place, session, "stop")
    server.going.set()
    assert ended(place, session) == "done"
    again = replay_session(place, LOCAL_USER, session)
    assert again.same
    assert "stopped" in again.markdown


@pytest.mark.full
def test_a_shutdown_leaves_the_session_to_the_next_start(
    place: ServedResources, server: Server, start: Begin
) -> None:
    server.low, server.high = 0.1, 0.2
    worker = start(place)
    session = new_session(place)
    server.halt = eighth
    worker.enqueue(session)
    wait_until(lambda: not server.going.is_set())
    server.going.set()
    worker.stop()
    assert status(place, session) == "interrupted"
    wait_until(server.is_idle)  # what was on its way by then has arrived
    recorded, asked = calls(place, session), len(server.calls)
    time.sleep(0.3)
    assert len(server.calls) == asked
    worker = start(place)
    assert ended(place, session) == "done"
    worker.stop()
    assert len(server.calls) - asked <= calls(place, session) - recorded
    assert replay_session(place, LOCAL_USER, session).same


class Broken(ServedModel):
    """A model whose writer raises this."""

    def __init__(self, port: int, error: Exception) -> None:
        super().__init__(port)
        self.error = error

    def run(self, request: Any, on_text: Any = None) -> Any:
        if request.kind in ("write", "explain_insufficient"):
            raise self.error
        return super().run(request, on_text)


@pytest.mark.full
@pytest.mark.parametrize(
    ("error", "sentence", "kept"),
    [
        (
            ResearchError("The writer is out of ink.", next_step="Buy some."),
            "out of ink",
            ("SUCCESS", {"outcome": "failed"}),
        ),
        (
            KeyError("title"),
            "A mistake in Assay ended this run: KeyError: 'title'.",
            ("ERROR", None),
        ),
    ],
    ids=["a failure", "our own mistake"],
)
def test_a_failed_run_says_why_and_is_not_run_again(
    place: ServedResources,
    server: Server,
    error: Exception,
    sentence: str,
    kept: tuple[str, object],
    start: Begin,
) -> None:
    worker = start(place, model=Broken(place.port, error))
    session = new_session(place)
    worker.enqueue(session)
    assert ended(place, session) == "failed"
    worker.stop()
    (event,) = open_log(place, LOCAL_USER, session).read(kinds=("failed",))
    assert sentence in event.data["error"]
    with dbos_queue.open_tables(place.db) as tables:
        assert [(row.workflow_id, row.status, row.output) for row in tables.list_workflows()] == [
            (f"{session}#1", *kept)
        ]
    asked = len(server.calls)
    worker = start(place)
    time.sleep(0.5)
    worker.stop()
    assert status(place, session) == "failed"
    assert len(server.calls) == asked


@pytest.mark.full
@pytest.mark.parametrize(
    "by_dbos", mark_first_everyday([True, False]), ids=["taken from the queue", "left in the queue"]
)
def test_a_session_cancelled_in_the_queue_never_runs(
    place: ServedResources, server: Server, by_dbos: bool, start: Begin
) -> None:
    asking = start(place, runs=False)
    session = new_session(place)
    asking.enqueue(session)
    (asking.cancel if by_dbos else lambda session: session_control.cancel(place, session))(session)
    assert status(place, session) == "cancelled"
    asking.stop()
    worker = start(place)
    time.sleep(0.5)
    assert (server.calls, status(place, session)) == ([], "cancelled")
    worker.enqueue(session)
    assert ended(place, session) == "done"
    worker.stop()


def queue_order(place: Resources, sessions: Mapping[str, str], asking: WorkerEngine) -> list[str]:
    """The names of the waiting sessions, the first to begin first."""
    places = {name: asking.find_place(session) for name, session in sessions.items()}
    assert sorted(filter(None, places.values())) == list(range(1, len(places)))
    return sorted(places, key=lambda name: places[name] or 0)


def test_users_take_turns_however_many_sessions_one_of_them_queued(
    place: ServedResources, start: Begin
) -> None:
    asking = start(place, runs=False)
    sessions: dict[str, str] = {}
    for user, count in (("ann", 4), ("ben", 2), ("cleo", 1), ("ann", 1)):
        who = Principal(LOCAL_USER.tenant, user)
        for _ in range(count):
            name = f"{user}{sum(key.startswith(user) for key in sessions) + 1}"
            sessions[name] = new_session(place, who=who)
            asking.enqueue(sessions[name], who=who)
    assert queue_order(place, sessions, asking) == [
        "ann1", "ben1", "cleo1", "ann2", "ben2", "ann3", "ann4", "ann5",
    ]  # fmt: skip
    # The same user under another tenant is another user.
    other = Principal("elsewhere", "ann")
    sessions["other"] = new_session(place, who=other)
    asking.enqueue(sessions["other"], who=other)
    assert asking.find_place(sessions["other"]) == 3


def test_sessions_queued_before_any_worker_all_run_and_their_logs_begin_with_their_number(
    place: ServedResources, start: Begin
) -> None:
    asking = start(place, runs=False)
    sessions = [new_session(place) for _ in range(6)]
    for session in sessions:
        asking.enqueue(session)
    asking.stop()
    started = start(place)
    assert [ended(place, session) for session in sessions] == ["done"] * len(sessions)
    for ahead, session in enumerate(sessions):
        first, second = open_log(place, LOCAL_USER, session).read()[:2]
        assert (first.kind, first.data, second.kind) == ("queued", {"ahead": ahead}, "created")
    # With room for another one, a session begins at once and has no number.
    free = new_session(place)
    started.enqueue(free)
    assert ended(place, free) == "done"
    assert open_log(place, LOCAL_USER, free).read()[0].kind == "created"


def test_a_worker_runs_no_more_sessions_at_once_than_its_setting_says(
    place: ServedResources, start: Begin
) -> None:
    one = replace(place, settings=replace(place.settings, sessions_at_once=1))
    asking = start(one, runs=False)
    sessions = [new_session(place) for _ in range(3)]
    for session in sessions:
        asking.enqueue(session)
    asking.stop()
    start(one)
    assert [ended(place, session) for session in sessions] == ["done"] * len(sessions)
    logs = [open_log(place, LOCAL_USER, session).read() for session in sessions]
    times = [(log[1].at, log[-1].at) for log in logs]
    assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(times))


def test_the_log_of_a_session_begins_with_its_number_in_the_queue(
    place: ServedResources, start: Begin
) -> None:
    asking = start(place, runs=False)
    sessions = [new_session(place) for _ in range(3)]
    for session in sessions:
        asking.enqueue(session)
        asking.enqueue(session)
    asking.stop()
    first = [open_log(place, LOCAL_USER, session).read() for session in sessions]
    assert [[(event.kind, event.data) for event in events] for events in first] == [
        [("queued", {"ahead": 0})],  # nobody works on the queue
        [("queued", {"ahead": 1})],
        [("queued", {"ahead": 2})],
    ]
    worker = start(place)
    assert {ended(place, session) for session in sessions} == {"done"}
    assert open_log(place, LOCAL_USER, sessions[2]).read()[0].kind == "queued"
    worker.stop()


#: How long the worker of the next tests leaves a session that nobody queued.
SOON = replace(PACE, unqueued=0.5)


def test_a_session_whose_process_ended_before_it_was_queued_is_taken_up(
    place: ServedResources, start: Begin, server: Server
) -> None:
    """Two users made one each; a third is in the queue, and is run once like the others."""
    other = Principal("elsewhere", "ann")
    asking = start(place, runs=False)
    asking.enqueue(queued := new_session(place))
    asking.stop()
    lost, theirs = new_session(place), new_session(place, who=other)
    worker = start(place, pace=SOON)
    assert {ended(place, session) for session in (queued, lost)} == {"done"}
    wait_until(lambda: session_status.read_session_info(place, theirs, who=other).status == "done")
    epochs = [store.find_session(place.db, LOCAL_USER, id).epoch for id in (queued, lost)]
    assert epochs == [1, 1]
    assert len(server.calls) == sum(
        call.data["kind"] != "fact"
        for session, who in ((queued, LOCAL_USER), (lost, LOCAL_USER), (theirs, other))
        for call in open_log(place, who, session).calls()
    )
    worker.stop()


def test_a_session_that_was_resumed_and_not_queued_is_taken_up(
    place: ServedResources, start: Begin
) -> None:
    session = new_session(place)
    session_control.cancel(place, session)
    assert session_control.reopen(place, session) == 2  # and here the process ended
    worker = start(place, pace=SOON)
    assert ended(place, session) == "done"
    worker.stop()


def test_only_sessions_that_wait_for_a_worker_are_taken_up(
    place: ServedResources, start: Begin, server: Server
) -> None:
    deleted, cancelled = new_session(place), new_session(place)
    session_control.delete(place, deleted)
    session_control.cancel(place, cancelled)
    led = client_sessions.begin_session(
        place.db, LOCAL_USER, place.clock, QUESTION, RunSettings(), 1e9
    )
    worker = start(place, pace=replace(SOON, unqueued=0.2))
    time.sleep(1.0)
    worker.stop()
    assert server.calls == []
    assert [status(place, id) for id in (cancelled, led.id)] == ["cancelled", "open"]


def test_a_process_that_only_asks_runs_nothing(
    place: ServedResources, server: Server, start: Begin
) -> None:
    asking = start(replace(place, settings=replace(place.settings, worker_only=True)))
    session = new_session(place)
    asking.enqueue(session)
    time.sleep(0.5)
    asking.stop()
    assert (server.calls, status(place, session)) == ([], "queued")


@pytest.mark.full
def test_a_run_that_could_not_say_how_it_ended_says_so_later(
    tmp_path: Path, server: Server, start: Begin
) -> None:
    gave_up = threading.Event()

    class Watched(WorkerEngine):
        def _give_up(self, *about: Any) -> str:
            gave_up.set()
            return super()._give_up(*about)

    plain = make_resources(tmp_path / "home", server.port)
    place = replace(plain, settings=replace(plain.settings, busy_timeout_s=0.2))
    worker = start(place, Watched, pace=replace(PACE, retry=0.1))
    session = new_session(place)
    server.halt = eighth
    worker.enqueue(session)
    wait_until(lambda: not server.going.is_set())
    other = sqlite3.connect(tmp_path / "home" / "assay.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    server.going.set()
    assert gave_up.wait(LONG_S)
    other.execute("ROLLBACK")
    other.close()
    assert ended(place, session) == "failed"
    (event,) = open_log(place, LOCAL_USER, session).read(kinds=("failed",))
    assert "locked by another process" in event.data["error"]
    worker.enqueue(session)
    assert ended(place, session) == "done"
    worker.stop()
    place.db.close()


def test_a_session_that_another_process_runs_is_left_to_it(
    started: WorkerEngine, place: ServedResources, server: Server
) -> None:
    session = new_session(place)
    with heartbeats.keep_heartbeat(place, other := heartbeats.make_executor_id()):
        store.take_session(place.db, LOCAL_USER, session, other, place.clock.now())
        assert started.run(session, LOCAL_USER) == "elsewhere"
    assert started.run(session, LOCAL_USER) == "done"


def test_one_process_has_one_engine(
    started: WorkerEngine, place: ServedResources, tmp_path: Path, start: Begin
) -> None:
    assert get_engine(place) is get_engine(replace(place)) is started
    with pytest.raises(UsageError, match="already has an engine"):
        WorkerEngine(place).start()
    with pytest.raises(UsageError, match="another database"):
        get_engine(make_resources(tmp_path / "elsewhere", place.port))


def test_a_worker_process_ends_at_once_when_told_to(
    place: ServedResources, server: Server, start: Begin
) -> None:
    server.low = server.high = 2 * LONG_S
    worker = start_process(run_worker, replace(place), PACE)
    asking = start(place, runs=False)
    session = new_session(place)
    asking.enqueue(session)
    wait_until(lambda: server.calls)
    os.kill(int(worker.pid or 0), signal.SIGTERM)
    with check_duration(0, 10):
        worker.join(LONG_S)
    assert worker.exitcode == 0
    assert status(place, session) == "interrupted"


class Stubborn(WorkerEngine):
    """An engine that is slow to let go."""

    def start(self) -> None:
        (self.resources.settings.home / "started").touch()

    def stop(self) -> None:
        time.sleep(2 * LONG_S)


def stubborn(place: ServedResources) -> None:
    serve_until_signal(Stubborn(place))


@pytest.mark.full
def test_a_worker_process_ends_however_slow_it_is_to_let_go(place: ServedResources) -> None:
    place.settings.home.mkdir(parents=True, exist_ok=True)
    worker = start_process(stubborn, replace(place))
    wait_until((place.settings.home / "started").exists)
    os.kill(int(worker.pid or 0), signal.SIGTERM)
    with check_duration(0, 30):
        worker.join(LONG_S)
    assert worker.exitcode == 0


# ---------------------------------------------------------------- several processes


@pytest.fixture
def shared(tmp_path: Path, server: Server, postgres_url: str) -> Iterator[ServedResources]:
    """Resources on PostgreSQL, this process only asking."""
    place = make_resources(tmp_path / "home", server.port, postgres_url)
    yield place
    place.db.close()


@pytest.fixture
def crew(shared: ServedResources, server: Server, start: Begin) -> Iterator[WorkerEngine]:
    """Two worker processes; the engine of this one, which only asks."""
    server.low, server.high = 0.1, 0.2
    asking = start(shared, runs=False)
    workers = [start_process(run_worker, replace(shared), QUICK) for _ in range(2)]
    yield asking
    for worker in workers:
        worker.kill()
        worker.join(LONG_S)


def owner(place: Resources, session: str) -> int:
    """The process that has the session."""
    return pid(str(session_status.read_session_info(place, session).row.executor))


def pid(executor: str) -> int:
    return int(executor.rsplit(":", 2)[1])


def strike(server: Server, place: Resources, session: str, number: int) -> int:
    """Send the session's worker a signal while the eighth request is under way; its process."""
    struck: list[int] = []

    def send() -> None:
        process = owner(place, session)
        os.kill(process, number)
        struck.append(process)

    server.at[8] = send
    wait_until(lambda: struck)
    return struck[0]


def test_one_worker_is_killed_and_the_other_finishes(
    crew: WorkerEngine, shared: ServedResources, server: Server
) -> None:
    session = new_session(shared)
    crew.enqueue(session)
    killed = strike(server, shared, session, signal.SIGKILL)
    wait_until(
        lambda: owner(shared, session) != killed
    )  # what the dead one had sent has come in by then
    recorded, asked = calls(shared, session), len(server.calls)
    assert ended(shared, session) == "done"
    assert len(server.calls) - asked <= calls(shared, session) - recorded
    assert replay_session(shared, LOCAL_USER, session).same


def test_a_frozen_worker_is_replaced_and_can_write_nothing_when_it_thaws(
    crew: WorkerEngine, shared: ServedResources, server: Server
) -> None:
    session = new_session(shared)
    crew.enqueue(session)
    frozen = strike(server, shared, session, signal.SIGSTOP)
    assert ended(shared, session) == "done"
    other = owner(shared, session)
    assert other != frozen
    log = open_log(shared, LOCAL_USER, session)
    events = log.read()
    os.kill(frozen, signal.SIGCONT)
    wait_until(lambda: frozen in map(pid, heartbeats.list_executors(shared.db)))
    time.sleep(0.5)  # the answer it was waiting for is there by now, and could not be recorded
    asked = len(server.calls)
    assert log.read() == events
    assert [event.kind for event in events].count("report") == 1
    assert replay_session(shared, LOCAL_USER, session).same

    os.kill(other, signal.SIGKILL)
    crew.enqueue(second := new_session(shared))
    assert ended(shared, second) == "done"
    assert owner(shared, second) == frozen
    assert len(server.calls) - asked == calls(shared, second)


def freeze_while_writing(place: ServedResources, session: str) -> None:
    with place.db.writing() as connection:
        connection.execute(
            sa.update(store.session).where(store.session.c.id == session).values(updated=0.0)
        )
        os.kill(os.getpid(), signal.SIGSTOP)


def test_a_worker_frozen_while_it_writes_keeps_nobody_from_the_session(
    shared: ServedResources,
) -> None:
    session = new_session(shared)
    frozen = start_process(freeze_while_writing, replace(shared), session)
    wait_until(
        lambda: Path(f"/proc/{frozen.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"
    )
    assert (
        store.take_session(
            shared.db, LOCAL_USER, session, heartbeats.make_executor_id(), shared.clock.now()
        )
        == 1
    )
    frozen.kill()
    frozen.join(LONG_S)
