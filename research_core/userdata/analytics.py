"""Count a user's tool calls, only with consent and without what was asked."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from research_core.journal.database import Database, insert
from research_core.journal.tables import usage
from research_core.models import Principal
from research_core.userdata.consent import find_consent_within

#: How many of the latest tools a summary lists.
RECENT_TOOLS = 10


@dataclass(frozen=True)
class ToolUsage:
    """The calls of one tool. first, last: earliest and latest, seconds since the epoch."""

    tool: str
    calls: int
    first: float
    last: float


@dataclass(frozen=True)
class UsageSummary:
    """A user's calls in short.

    calls: {tool: number}. first, last: of all calls, seconds since the epoch. recent: the latest
    first.
    """

    calls: dict[str, int]
    first: float
    last: float
    recent: tuple[str, ...]


def count_tool_call(db: Database, who: Principal, tool: str, at: float) -> bool:
    """Count one call. Returns False and writes nothing without consent."""
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
    """Return this user's calls by tool, the one called last first."""
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
    """Return a summary of this user's calls, or None if nothing was counted."""
    rows = list_tool_usage(db, who)
    if not rows:
        return None
    calls = {row.tool: row.calls for row in rows}
    return UsageSummary(
        calls, min(row.first for row in rows), rows[0].last, tuple(calls)[:RECENT_TOOLS]
    )
