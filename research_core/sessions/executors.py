"""Which processes run sessions, and when each was last alive. They are nobody's data, so that
nothing here takes `who`.

Knows no session: who runs one stands in the session's own row.
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
    """This executor is alive."""
    with db.writing() as conn:
        row = insert(conn, executor).values(id=id, at=at)
        conn.execute(row.on_conflict_do_update(index_elements=["id"], set_={"at": at}))


def forget_executor(db: Database, id: str) -> None:
    with db.writing() as conn:
        conn.execute(sa.delete(executor).where(executor.c.id == id))


def list_executors(db: Database) -> dict[str, float]:
    """Every executor that has not been reaped, and when it was last alive."""
    with db.reading() as conn:
        return {row.id: row.at for row in conn.execute(sa.select(executor))}


def is_alive(
    executor: str, beats: Mapping[str, float], now: float, *, dead_after_s: float = DEAD_AFTER_S
) -> bool:
    """Whether an executor was heard of lately; one of this machine must also still be a process."""
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
    """Strike off the executors last alive before this time and name them; of two reapers only one
    is told a name.
    """
    with db.writing() as conn:
        return list(
            conn.execute(
                sa.delete(executor).where(executor.c.at < before).returning(executor.c.id)
            ).scalars()
        )
