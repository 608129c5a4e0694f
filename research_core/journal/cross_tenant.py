"""List users and count sessions across all tenants, for retention and scheduling.

Nothing here takes `who`. The functions return who the users are or how many sessions there are,
never their data; the work itself is done for one user at a time.
"""

from __future__ import annotations

import sqlalchemy as sa

from research_core.journal.database import Database
from research_core.journal.tables import (
    cache,
    contribution,
    library,
    memory,
    session,
    share,
    sign_in,
)
from research_core.models import Principal


def list_users_with_deleted_sessions(db: Database, before: float) -> list[Principal]:
    """Return the users with an unpurged session deleted before this time, in stable order."""
    return _list_users(db, session, session.c.deleted < before)


def list_users_with_untouched_sessions(db: Database, before: float) -> list[Principal]:
    """Return the users with a session last updated before this time, in stable order."""
    return _list_users(db, session, session.c.updated < before)


def list_users_with_removed_libraries(db: Database, before: float) -> list[Principal]:
    """Return the users with a library removed before this time, in stable order."""
    due = (library.c.removed != 0, library.c.removed <= before)
    query = sa.select(library.c.tenant, library.c.maker).where(*due).distinct()
    with db.reading() as conn:
        rows = conn.execute(query.order_by(library.c.tenant, library.c.maker)).all()
    return [Principal(row.tenant, row.maker) for row in rows]


def list_users_with_old_notes(db: Database, before: float) -> list[Principal]:
    """Return the users with a note from before this time, in stable order."""
    return _list_users(db, memory, memory.c.at <= before)


def list_users_with_old_sign_ins(db: Database, before: float) -> list[Principal]:
    """Return the users with a sign-in that began before this time, in stable order."""
    return _list_users(db, sign_in, sign_in.c.created <= before)


def list_users_with_expired_shares(db: Database, before: float) -> list[Principal]:
    """Return the users with a link that expired before this time, in stable order."""
    return _list_users(db, share, share.c.expires <= before)


def list_users_with_old_contributions(db: Database, before: float) -> list[Principal]:
    """Return the users with a shared finding from before this time, in stable order."""
    return _list_users(db, contribution, contribution.c.at <= before)


def list_users_with_expired_cache(db: Database, now: float) -> list[Principal]:
    """Return one user of each tenant with expired cache entries, in stable order."""
    tenants = (
        sa.select(cache.c.tenant).where(cache.c.until < now).distinct().order_by(cache.c.tenant)
    )
    with db.reading() as conn:
        return [Principal(tenant) for tenant in conn.execute(tenants).scalars()]


def list_users_with_cache(db: Database) -> list[Principal]:
    """Return one user of each tenant that has cache entries, in stable order."""
    tenants = sa.select(cache.c.tenant).distinct().order_by(cache.c.tenant)
    with db.reading() as conn:
        return [Principal(tenant) for tenant in conn.execute(tenants).scalars()]


def list_waiting_sessions(db: Database) -> list[tuple[str, Principal]]:
    """Return the sessions that no process has begun since they were made or resumed, oldest first.

    Those that clients lead and deleted ones are not among them.
    """
    empty = (session.c.executor, session.c.outcome, session.c.until, session.c.deleted)
    query = sa.select(session.c.id, session.c.tenant, session.c.user)
    query = query.where(*(column.is_(None) for column in empty))
    with db.reading() as conn:
        rows = conn.execute(query.order_by(session.c.created, session.c.id)).all()
    return [(row.id, Principal(row.tenant, row.user)) for row in rows]


def list_users_with_client_sessions(db: Database, now: float) -> list[Principal]:
    """Return the users with a client session that tools may still continue, in stable order."""
    return _list_users(db, session, sa.and_(session.c.until > now, session.c.deleted.is_(None)))


def count_sessions_by_executor(db: Database) -> dict[str, int]:
    """Return {executor: number of unfinished sessions it took}, over all users.

    Deleted sessions count: they run until they are stopped.
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
