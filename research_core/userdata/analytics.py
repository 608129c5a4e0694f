"""How often a user has called which tool, counted only while they agree to it. Nothing of what was
asked is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from research_core.journal.database import Database, insert
from research_core.journal.tables import usage
from research_core.models import Principal
from research_core.userdata.consent import find_consent_within

#: How many of the tools called last are told.
RECENT_TOOLS = 10


@dataclass(frozen=True)
class ToolUsage:
    """How often one tool was called. first, last: of the earliest and the latest call, seconds
    since the epoch.
    """

    tool: str
    calls: int
    first: float
    last: float


@dataclass(frozen=True)
class UsageSummary:
    """calls: how many of each tool. first, last: of the earliest and the latest call, seconds since
    the epoch. recent: the latest first.
    """

    calls: dict[str, int]
    first: float
    last: float
    recent: tuple[str, ...]


def count_tool_call(db: Database, who: Principal, tool: str, at: float) -> bool:
    """Add one call. False, and nothing written, without consent."""
    with db.writing() as conn:
        if find_consent_within(conn, who, "analytics") is None:
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


def list_tool_usage(db: Database, who: Principal) -> tuple[ToolUsage, ...]:
    """This user's own by tool, the one called last first."""
    mine = (
        sa.select(usage)
        .where(usage.c.tenant == who.tenant, usage.c.user == who.user)
        .order_by(usage.c.last.desc(), usage.c.tool)
    )
    with db.reading() as conn:
        return tuple(
            ToolUsage(row.tool, row.made, row.first, row.last) for row in conn.execute(mine)
        )


def summarize_usage(db: Database, who: Principal) -> UsageSummary | None:
    """The same in few words; None where nothing was counted."""
    rows = list_tool_usage(db, who)
    if not rows:
        return None
    calls = {row.tool: row.calls for row in rows}
    return UsageSummary(
        calls, min(row.first for row in rows), rows[0].last, tuple(calls)[:RECENT_TOOLS]
    )
