"""How often a user has called which tool, counted only while they agree to it. Nothing of what was
asked is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from research_core.journal.database import Database, insert
from research_core.journal.tables import usage
from research_core.models import Principal
from research_core.userdata.consent import standing

#: How many of the tools called last are told.
RECENT = 10


@dataclass(frozen=True)
class Count:
    """How often one tool was called. first, last: of the earliest and the latest call, seconds
    since the epoch.
    """

    tool: str
    calls: int
    first: float
    last: float


@dataclass(frozen=True)
class Summary:
    """calls: how many of each tool. first, last: of the earliest and the latest call, seconds since
    the epoch. recent: the latest first.
    """

    calls: dict[str, int]
    first: float
    last: float
    recent: tuple[str, ...]


def count(db: Database, who: Principal, tool: str, at: float) -> bool:
    """Add one call. False, and nothing written, without consent."""
    with db.writing() as conn:
        if standing(conn, who, "analytics") is None:
            return False
        new = insert(conn, usage).values(
            tenant=who.tenant, user=who.user, tool=tool, made=1, first=at, last=at
        )
        more = {
            "made": usage.c.made + 1,
            "last": sa.case((usage.c.last > at, usage.c.last), else_=at),
        }
        conn.execute(
            new.on_conflict_do_update(index_elements=["tenant", "user", "tool"], set_=more)
        )
    return True


def counts(db: Database, who: Principal) -> tuple[Count, ...]:
    """This user's own by tool, the one called last first."""
    mine = (
        sa.select(usage)
        .where(usage.c.tenant == who.tenant, usage.c.user == who.user)
        .order_by(usage.c.last.desc(), usage.c.tool)
    )
    with db.reading() as conn:
        return tuple(Count(row.tool, row.made, row.first, row.last) for row in conn.execute(mine))


def summary(db: Database, who: Principal) -> Summary | None:
    """The same in few words; None where nothing was counted."""
    rows = counts(db, who)
    if not rows:
        return None
    calls = {row.tool: row.calls for row in rows}
    return Summary(calls, min(row.first for row in rows), rows[0].last, tuple(calls)[:RECENT])
