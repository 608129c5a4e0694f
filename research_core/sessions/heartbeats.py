"""Record which processes run sessions and when each was last alive.

Such a process is an executor, as DBOS names it: a worker, or the command line. Executors belong to
no user, so nothing here takes `who`. The session's own row says who runs it.
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


def make_executor_id() -> str:
    """Return a unique name for this process."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


@contextmanager
def keep_heartbeat(resources: Resources, id: str, *, every_s: float = BEAT_S) -> Iterator[None]:
    """Record repeatedly that this executor is alive, until the block ends."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(every_s):
            # The next beat tries again, and important writes meet the error themselves.
            with suppress(StoreError):
                record_beat(resources.db, id, resources.clock.now())

    record_beat(resources.db, id, resources.clock.now())
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
    """Record that this executor is alive at this time, in seconds since the epoch."""
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
    """Return True if the executor beat lately and, if it is on this machine, its process exists."""
    if now - beats.get(id, 0.0) > dead_after_s:
        return False
    machine, pid, _ = id.rsplit(":", 2)
    return machine != socket.gethostname() or _is_process(int(pid))


def _is_process(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


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
