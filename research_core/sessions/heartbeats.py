"""Record which processes run sessions and when each was last alive.

Such a process is an executor, as DBOS names it: a worker, or the command line. Executors belong to
no user, so nothing here takes `who`. The session's own row says who runs it.

An executor is known by a random name and counts as alive while it beats, by the clock of the
database. Process ids say nothing: two containers may share a host name and each have a process 1,
and the clocks of two machines may differ.
"""

from __future__ import annotations

import os
import socket
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

import sqlalchemy as sa

from research_core.errors import StoreError
from research_core.journal.database import Database, insert
from research_core.journal.tables import executor
from research_core.wiring import Resources

#: Seconds between two beats, and after the last one until an executor counts as dead.
BEAT_S, DEAD_AFTER_S = 2.0, 10.0


#: A random word for this process; a forked child, which has another process id, gets its own.
_process_words: dict[int, str] = {}


def make_executor_id() -> str:
    """Return a unique name for an executor of this process.

    The host and the process id are there for whoever reads it; nothing compares them.
    """
    return f"{name_process()}-{uuid.uuid4().hex[:8]}"


def name_process() -> str:
    """Return what the names of this process's executors begin with, and no others do."""
    word = _process_words.setdefault(os.getpid(), uuid.uuid4().hex[:8])
    return f"{socket.gethostname()}:{os.getpid()}:{word}"


def read_clock(resources: Resources) -> float:
    """Return the time by the clock of the database, in seconds since the epoch.

    All processes on one SQLite file are on one machine, whose clock is the database's.
    """
    if resources.db.engine.dialect.name == "sqlite":
        return resources.clock.now()
    with resources.db.reading() as conn:
        seconds = sa.func.extract("epoch", sa.func.clock_timestamp())
        return float(conn.execute(sa.select(seconds)).scalar_one())


@contextmanager
def keep_heartbeat(resources: Resources, id: str, *, every_s: float = BEAT_S) -> Iterator[None]:
    """Record repeatedly that this executor is alive, until the block ends."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(every_s):
            # The next beat tries again, and important writes meet the error themselves.
            with suppress(StoreError):
                record_beat(resources.db, id, read_clock(resources))

    record_beat(resources.db, id, read_clock(resources))
    thread = threading.Thread(target=beat, name="assay-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(1.0)
        # A beat that could not be removed goes stale and is reaped.
        with suppress(StoreError):
            forget_executor(resources.db, id)


def record_beat(db: Database, id: str, at: float) -> None:
    """Record that this executor is alive at this time, by `read_clock`."""
    with db.writing() as conn:
        row = insert(conn, executor).values(id=id, at=at)
        conn.execute(row.on_conflict_do_update(index_elements=["id"], set_={"at": at}))


def forget_executor(db: Database, id: str) -> None:
    """Remove the record of an executor that ended."""
    with db.writing() as conn:
        conn.execute(sa.delete(executor).where(executor.c.id == id))


def list_executors(db: Database) -> dict[str, float]:
    """Return when each known executor was last alive."""
    with db.reading() as conn:
        return {row.id: row.at for row in conn.execute(sa.select(executor))}


def is_alive(
    id: str, beats: Mapping[str, float], now: float, *, dead_after_s: float = DEAD_AFTER_S
) -> bool:
    """Return True if the executor beat lately. now: by `read_clock`."""
    return now - beats.get(id, 0.0) <= dead_after_s


def reap_executors(db: Database, before: float) -> list[str]:
    """Remove and return the executors last alive before this time.

    Of two concurrent reapers only one gets a name.
    """
    with db.writing() as conn:
        return list(
            conn.execute(
                sa.delete(executor).where(executor.c.at < before).returning(executor.c.id)
            ).scalars()
        )
