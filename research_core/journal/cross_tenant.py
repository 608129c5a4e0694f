"""What a process has to know of all users at once, so that nothing here takes `who`: whose
sessions, notes, findings and cached pages

are due to be removed, who has any pages, who leads a session, how many sessions each process holds.
It tells who they are, or how many, and nothing of theirs; what is done is done for one user at a
time (`session_admin`, `userdata`, `cache`, `led`).
"""

from __future__ import annotations

import sqlalchemy as sa

from research_core.journal.database import Database
from research_core.journal.tables import cache, contribution, memory, session
from research_core.models import Principal


def list_users_with_deleted_sessions(db: Database, before: float) -> list[Principal]:
    """Those who deleted a session before this time that is not purged yet, in a stable order."""
    return _list_users(db, session, session.c.deleted < before)


def list_users_with_untouched_sessions(db: Database, before: float) -> list[Principal]:
    """Those who have a session to which nothing was added since this time, in a stable order."""
    return _list_users(db, session, session.c.updated < before)


def list_users_with_old_notes(db: Database, before: float) -> list[Principal]:
    """Those who have a note from before this time, in a stable order."""
    return _list_users(db, memory, memory.c.at <= before)


def list_users_with_old_contributions(db: Database, before: float) -> list[Principal]:
    """Those who shared a finding before this time that is still there, in a stable order."""
    return _list_users(db, contribution, contribution.c.at <= before)


def list_users_with_expired_cache(db: Database, now: float) -> list[Principal]:
    """One of each tenant that has entries in its cache which are of no use any more, in a stable
    order.
    """
    tenants = (
        sa.select(cache.c.tenant).where(cache.c.until < now).distinct().order_by(cache.c.tenant)
    )
    with db.reading() as conn:
        return [Principal(tenant) for tenant in conn.execute(tenants).scalars()]


def list_users_with_cache(db: Database) -> list[Principal]:
    """One of each tenant that has anything in its cache, in a stable order."""
    with db.reading() as conn:
        return [
            Principal(tenant)
            for tenant in conn.execute(
                sa.select(cache.c.tenant).distinct().order_by(cache.c.tenant)
            ).scalars()
        ]


def list_users_with_client_sessions(db: Database, now: float) -> list[Principal]:
    """Those who lead a session that tools may go on with, in a stable order."""
    return _list_users(db, session, sa.and_(session.c.until > now, session.c.deleted.is_(None)))


def count_sessions_by_executor(db: Database) -> dict[str, int]:
    """How many sessions that have not ended each executor took, be they whose they may. One that is
    deleted runs until it is stopped.
    """
    count = sa.select(session.c.executor, sa.func.count()).where(
        session.c.outcome.is_(None), session.c.executor.is_not(None)
    )
    with db.reading() as conn:
        return {row[0]: row[1] for row in conn.execute(count.group_by(session.c.executor))}


def _list_users(db: Database, table: sa.Table, which: sa.ColumnElement[bool]) -> list[Principal]:
    owners = (
        sa.select(table.c.tenant, table.c.user)
        .where(which)
        .distinct()
        .order_by(table.c.tenant, table.c.user)
    )
    with db.reading() as conn:
        return [Principal(tenant, user) for tenant, user in conn.execute(owners)]
