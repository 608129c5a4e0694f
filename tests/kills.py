"""`kill -9` at a random moment of a run, then the resume in another process.

`kill_once` does both and returns what was asked of the world and what came of it; `Story.faults`
says what must not be in it. Five such stories are tests, twenty a benchmark.
"""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from research_core.journal.doorway import MACHINE_FACT
from research_core.sessions import session_status, workers
from research_core.sessions.replay import replay_session
from research_core.wiring import LOCAL_USER, open_log
from tests.served_world import (
    ServedResources,
    Server,
    attempt_run,
    make_resources,
    new_session,
    run_worker,
    serve_world,
    start_process,
)
from tests.timing import LONG_S, wait_until

PACE = workers.WorkerPace(reap=0.5, poll=0.1)


@dataclass(frozen=True)
class Story:
    """One kill, at the request of that number, and what came of it.

    calls: those of a run nobody disturbs; asked: before the kill; recorded: in the log then; again:
    what was asked after it; repeated: what was asked twice, with the seconds from its answer to the
    kill (negative or None: it was not yet answered); settled: what was answered when the kill was
    put off until all of it would be in the log; resumed_s, finished_s: from the start of the second
    process to its first request, and to the report.
    """

    at: int
    calls: int
    asked: int
    recorded: int
    again: tuple[str, ...]
    repeated: dict[str, float | None]
    settled: tuple[str, ...]
    resumed_s: float
    finished_s: float
    same_as_replay: bool
    same_as_undisturbed: bool

    def faults(self) -> list[str]:
        twice = [what for what, times in Counter(self.again).items() if times > 1]
        late = sorted({*self.settled} & {*self.again})
        missing = self.calls - self.recorded
        found = {
            "nothing was recorded at the kill": self.recorded == 0,
            "everything was recorded at the kill": missing == 0,
            f"{len(self.again)} calls after the kill, where {missing} were missing": len(self.again)
            != missing,
            f"made twice after the kill: {twice}": bool(twice),
            f"answered and made again: {late}": bool(late),
            "the replay gives another report": not self.same_as_replay,
            "an undisturbed run writes another text": not self.same_as_undisturbed,
        }
        return [fault for fault, there in found.items() if there]


def run_undisturbed(home: Path, seed: int, mode: str, database_url: str = "") -> tuple[int, str]:
    """Return how many calls a run makes that nobody kills, and the text it writes."""
    with (
        serve_world(seed=seed, low=0.0, high=0.0) as server,
        close_database_after(make_resources(home, server.port, database_url)) as place,
    ):
        session = new_session(place, mode)
        assert attempt_run(place, session).outcome == "done"
        return len(server.calls), read_report(place, session)


def read_report(place: ServedResources, session: str) -> str:
    log = open_log(place, LOCAL_USER, session)
    return str(log.open(log.read(kinds=("written",))[-1].data["text"]))


def kill_once(
    home: Path,
    chance: random.Random,
    way: str = "command",
    mode: str = "standard",
    database_url: str = "",
) -> Story:
    """Run, kill at a moment that `chance` names, go on in another process, replay.

    way: command, two processes that run this session, as `assay ask` and `assay resume` do; worker,
    two that take it from the queue.
    """
    seed = chance.randrange(1000)
    calls, text = run_undisturbed(home, seed, mode, database_url)
    at, jitter, patient = (
        chance.randint(3, calls - 2),
        chance.random() * 0.06,
        chance.random() < 0.5,
    )
    with (
        serve_world(seed=seed) as server,
        close_database_after(make_resources(home, server.port, database_url)) as place,
    ):
        session = new_session(place, mode)
        if way == "worker":
            enqueue(place, session)
        killed, settled = _run_until_killed(server, place, session, way, at, jitter, patient)
        wait_until(server.is_idle)  # what the dead one had sent comes in for a while after its end
        before = list(server.calls)
        recorded = count_recorded(place, session)
        began = time.monotonic()
        _run_to_the_end(place, session, way)
        finished_s = time.monotonic() - began
        after = server.calls[len(before) :]
        again = tuple(call.what for call in after)
        repeated = {
            call.what: killed - call.answered if call.answered else None
            for call in before
            if call.what in again
        }
        replayed = replay_session(place, LOCAL_USER, session)
        same = replayed.same and not replayed.differences
        same_text = read_report(place, session) == text
        return Story(
            at,
            calls,
            len(before),
            recorded,
            again,
            repeated,
            settled,
            after[0].asked - began,
            finished_s,
            same,
            same_text,
        )


def count_recorded(place: ServedResources, session: str) -> int:
    """Return how many answers are in the log. Facts about this machine, which are recorded as calls
    too, are asked of nobody.
    """
    calls = open_log(place, LOCAL_USER, session).calls()
    return sum(call.data["kind"] != MACHINE_FACT for call in calls)


@contextmanager
def close_database_after(place: ServedResources) -> Iterator[ServedResources]:
    yield place
    place.db.close()


def enqueue(place: ServedResources, session: str) -> None:
    """Ask for the session as an app does that only enqueues."""
    asking = workers.WorkerEngine(place, runs=False)
    asking.start()
    asking.enqueue(session)
    asking.stop()


def _start(place: ServedResources, session: str, way: str) -> ForkServerProcess:
    if way == "worker":
        return start_process(run_worker, replace(place), PACE)
    return start_process(attempt_run, replace(place), session)


def _run_until_killed(
    server: Server,
    place: ServedResources,
    session: str,
    way: str,
    at: int,
    jitter: float,
    patient: bool,
) -> tuple[float, tuple[str, ...]]:
    """Run until a moment after the request of that number came in, and return the time of the kill.

    Nothing is answered from that request on. patient: it waits until all that was answered is in
    the log; what that is is returned too.
    """
    moment, settled = list[float](), list[str]()

    def kill() -> None:
        time.sleep(jitter)
        if patient:
            settled.extend(_settled(server, place, session))
        moment.append(time.monotonic())
        running.kill()

    server.halt, server.at[at] = (lambda number, what: number == at), kill
    running = _start(place, session, way)
    running.join(LONG_S)
    server.going.set()
    assert running.exitcode == -signal.SIGKILL, (
        f"the process ended with {running.exitcode} before it was killed"
    )
    return moment[0], tuple(settled)


def _settled(server: Server, place: ServedResources, session: str) -> list[str]:
    """What was answered, once as many calls are in the log; or once it is certain that they will
    not be.
    """
    end = time.monotonic() + LONG_S / 2
    while True:
        answered = [call.what for call in list(server.calls) if call.answered]
        if count_recorded(place, session) >= len(answered) or time.monotonic() > end:
            return answered
        time.sleep(0.01)


def _run_to_the_end(place: ServedResources, session: str, way: str) -> None:
    """Start another process, and wait for the session's end. A worker needs no word: it finds what
    the dead one left.
    """
    running = _start(place, session, way)
    if way == "worker":
        end = time.monotonic() + LONG_S
        while (
            session_status.read_session_info(place, session).status
            not in session_status.TERMINAL_STATUSES
            and time.monotonic() < end
        ):
            time.sleep(0.02)
        running.terminate()
    running.join(LONG_S)
    assert running.exitcode == 0, f"the second process ended with {running.exitcode}"
    assert session_status.read_session_info(place, session).status == "done"
