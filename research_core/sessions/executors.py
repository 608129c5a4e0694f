"""Record which processes run sessions and when each was last alive.

They belong to no user, so nothing here takes `who`. The session's own row says who runs it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

import sqlalchemy as sa

from research_core.journal.database import Database, insert
from research_core.journal.tables import executor

#: Seconds after its last word that an executor is taken for dead.
DEAD_AFTER_S = 10.0


def record_beat(db: Database, id: str, at: float) -> None:
    """Record that this executor is alive at this time, in seconds since the epoch."""
    with db.writing() as conn:
        row = insert(conn, executor).values(id=id, at=at)
        conn.execute(row.on_conflict_do_update(index_elements=["id"], set_={"at": at}))


def forget_executor(db: Database, id: str) -> None:
    with db.writing() as conn:
        conn.execute(sa.delete(executor).where(executor.c.id == id))


def list_executors(db: Database) -> dict[str, float]:
    """Return when each known executor was last alive."""
    with db.reading() as conn:
        return {row.id: row.at for row in conn.execute(sa.select(executor))}


def is_alive(
    executor: str, beats: Mapping[str, float], now: float, *, dead_after_s: float = DEAD_AFTER_S
) -> bool:
    """True if the executor was heard of lately and, on this machine, its process exists."""
    if now - beats.get(executor, 0.0) > dead_after_s:
        return False
    machine, pid, _ = executor.rsplit(":", 2)
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
