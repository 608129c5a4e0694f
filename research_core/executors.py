"""Which processes run sessions, and when each was last alive. They are nobody's data, so that nothing here takes `who`.

Knows no session: who runs one stands in the session's own row.
"""

from __future__ import annotations

import sqlalchemy as sa

from research_core.database import Database, insert
from research_core.tables import executor


def beat(db: Database, id: str, at: float) -> None:
    """This executor is alive."""
    with db.writing() as conn:
        row = insert(conn, executor).values(id=id, at=at)
        conn.execute(row.on_conflict_do_update(index_elements=["id"], set_={"at": at}))


def forget(db: Database, id: str) -> None:
    with db.writing() as conn:
        conn.execute(sa.delete(executor).where(executor.c.id == id))


def known(db: Database) -> dict[str, float]:
    """Every executor that has not been reaped, and when it was last alive."""
    with db.reading() as conn:
        return {row.id: row.at for row in conn.execute(sa.select(executor))}


def reap(db: Database, before: float) -> list[str]:
    """Strike off the executors last alive before this time and name them; of two reapers only one is told a name."""
    with db.writing() as conn:
        return list(conn.execute(sa.delete(executor).where(executor.c.at < before).returning(executor.c.id)).scalars())
