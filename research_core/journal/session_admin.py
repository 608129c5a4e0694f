"""Rename, tag, delete and restore stored sessions, and remove them for good.

Deleting marks the row, so that no reader sees the session and it can be restored; the purge, expire
and erase functions remove it. Running sessions are unknown here: `session_control` cancels one
before it is deleted, `retention` says which executors are alive.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from research_core.journal.database import Database
from research_core.journal.events import Event, canonical_json
from research_core.journal.store import (
    no_such_session,
    owned_by,
    read_event,
    read_event_data,
    seal_text,
    visible_to,
)
from research_core.journal.tables import blob, event, session
from research_core.models import Principal

#: A reference to a blob in the data of an event, as the log writes it.
_BLOB_REFERENCE = re.compile(r'"\$(?:bytes|text)":"([0-9a-f]{64})"')


@dataclass(frozen=True)
class BlobReferences:
    """The blobs that the events of a session refer to, up to event number `seq`."""

    shas: frozenset[str] = frozenset()
    seq: int = 0


@dataclass(frozen=True)
class SeenReferences:
    """What each session referred to when it was read, by session id.

    theirs: of the sessions to remove. others: of the tenant's other sessions.
    """

    theirs: dict[str, BlobReferences]
    others: dict[str, BlobReferences]


def rename_session(db: Database, who: Principal, id: str, title: str) -> None:
    """Set the title. Raises UsageError if there is no such session."""
    _update_session(
        db, id, visible_to(who), title=seal_text(db, who, title, "session", "title", id)
    )


def tag_session(db: Database, who: Principal, id: str, tags: Sequence[str]) -> None:
    """Replace the tags. Raises UsageError if there is no such session."""
    _update_session(
        db,
        id,
        visible_to(who),
        tags=seal_text(db, who, canonical_json(list(tags)), "session", "tags", id),
    )


def delete_session(db: Database, who: Principal, id: str, at: float) -> None:
    """Hide the session from readers until it is restored. Raises UsageError if there is none."""
    _update_session(db, id, visible_to(who), deleted=at)


def restore_session(db: Database, who: Principal, id: str) -> None:
    """Bring back a session, deleted or not. Raises UsageError if there is none."""
    _update_session(db, id, owned_by(who), deleted=None)


def _update_session(
    db: Database, id: str, condition: sa.ColumnElement[bool], **values: Any
) -> None:
    """Change a session's row. Raises UsageError if there is none that fits the condition."""
    change = sa.update(session).where(condition, session.c.id == id).values(**values)
    with db.writing() as conn:
        if conn.execute(change.returning(session.c.id)).scalar() is None:
            raise no_such_session(id)


def find_latest_events(
    db: Database, who: Principal, ids: Sequence[str], *keys: str
) -> dict[str, Event]:
    """Return {session id: its last event under these keys}; after a void, the one derived since."""
    spellings = []
    for key in keys:
        for name in db.cipher.names(who.tenant, key):
            spellings += [event.c.key == name, event.c.key.like(f"%~{name}")]
    query = (
        sa.select(event)
        .join(session, session.c.id == event.c.session)
        .where(visible_to(who), event.c.session.in_(ids), sa.or_(*spellings))
        .order_by(event.c.seq)
    )
    with db.reading() as conn:
        return {row.session: read_event(db, who, row) for row in conn.execute(query)}


def find_sessions_with(
    db: Database, who: Principal, ids: Sequence[str], keys: Sequence[str]
) -> set[str]:
    """Return the ids of those sessions that have an event under one of these keys."""
    names = [name for key in keys for name in db.cipher.names(who.tenant, key)]
    query = (
        sa.select(event.c.session)
        .join(session, session.c.id == event.c.session)
        .where(visible_to(who), event.c.session.in_(ids), event.c.key.in_(names))
    )
    with db.reading() as conn:
        return set(conn.execute(query).scalars())


def purge_deleted_sessions(db: Database, who: Principal, before: float) -> list[str]:
    """Remove what this user deleted before this time; return the session ids.

    Blobs that no other session of the tenant refers to go too. References are read while others
    write; inside the transaction only newer events are read. A session restored meanwhile stays.
    """
    return _remove_sessions(db, who, session.c.deleted < before)


def expire_sessions(
    db: Database, who: Principal, before: float, now: float, running: Collection[str]
) -> list[str]:
    """Remove this user's sessions untouched since this time; return the session ids.

    Like `purge_deleted_sessions`; a session touched meanwhile stays. running: the executors that
    are alive. Sessions they took and have not ended stay, as do sessions that tools may still
    continue.
    """
    untouched = sa.and_(
        session.c.updated < before, sa.or_(session.c.deleted.is_(None), session.c.deleted < before)
    )
    let_go = sa.or_(
        session.c.outcome.is_not(None),
        session.c.executor.is_(None),
        session.c.executor.not_in(running),
    )
    return _remove_sessions(
        db,
        who,
        sa.and_(untouched, let_go, sa.or_(session.c.until.is_(None), session.c.until <= now)),
    )


def erase_sessions(
    db: Database, conn: sa.Connection, who: Principal, seen: SeenReferences
) -> list[str]:
    """Remove all sessions of this user within a transaction; return the session ids.

    seen: the result of `collect_references` from before the transaction.
    """
    since = sa.select(session.c.id).where(owned_by(who), session.c.id.not_in(seen.theirs))
    theirs = seen.theirs | {
        id: _read_references(db, conn, who, id) for id in conn.execute(since).scalars().all()
    }
    return _remove_stale(db, conn, who, owned_by(who), SeenReferences(theirs, seen.others))


def collect_references(db: Database, who: Principal) -> SeenReferences:
    """Collect what the tenant's sessions refer to, so that `erase_sessions` blocks briefly."""
    return _collect_stale(db, who, owned_by(who))


def _remove_sessions(db: Database, who: Principal, which: sa.ColumnElement[bool]) -> list[str]:
    stale = sa.and_(owned_by(who), which)
    seen = _collect_stale(db, who, stale)
    if not seen.theirs:
        return []
    with db.writing() as conn:
        return _remove_stale(db, conn, who, stale, seen)


def _collect_stale(db: Database, who: Principal, stale: sa.ColumnElement[bool]) -> SeenReferences:
    """Collect what the stale sessions and the tenant's other sessions refer to."""
    theirs: dict[str, BlobReferences] = {}
    others: dict[str, BlobReferences] = {}
    with db.reading() as conn:
        for id in conn.execute(sa.select(session.c.id).where(stale)).scalars().all():
            theirs[id] = _read_references(db, conn, who, id)
        if theirs:
            for id in _list_tenant_sessions(conn, who):
                if id not in theirs:
                    others[id] = _read_references(db, conn, who, id)
    return SeenReferences(theirs, others)


def _remove_stale(
    db: Database,
    conn: sa.Connection,
    who: Principal,
    stale: sa.ColumnElement[bool],
    seen: SeenReferences,
) -> list[str]:
    """Remove the stale sessions that were seen, and the blobs nothing refers to any more."""
    if conn.dialect.name == "postgresql":
        # A process that stores a blob again meanwhile waits, and then finds it gone.
        conn.execute(sa.text("LOCK TABLE blob IN SHARE ROW EXCLUSIVE MODE"))
    # The events of a session are removed with it.
    removal = sa.delete(session).where(stale, session.c.id.in_(seen.theirs))
    removed = sorted(conn.execute(removal.returning(session.c.id)).scalars())
    orphans: set[str] = set()
    for id in removed:
        orphans |= seen.theirs[id].shas
    for id in _list_tenant_sessions(conn, who):
        known = seen.theirs.get(id) or seen.others.get(id) or BlobReferences()
        orphans -= known.shas | _read_references(db, conn, who, id, known.seq).shas
    for sha in sorted(orphans):
        conn.execute(sa.delete(blob).where(blob.c.tenant == who.tenant, blob.c.sha == sha))
    return removed


def _list_tenant_sessions(conn: sa.Connection, who: Principal) -> Sequence[str]:
    """Return all session ids of the tenant: its users share blobs."""
    return (
        conn.execute(sa.select(session.c.id).where(session.c.tenant == who.tenant)).scalars().all()
    )


def _read_references(
    db: Database, conn: sa.Connection, who: Principal, id: str, after: int = 0
) -> BlobReferences:
    """Read the blob references in the events after this one.

    Outside text may look like a reference; then one blob too many is kept.
    """
    found, last = set[str](), after
    bodies = (
        sa.select(event.c.session, event.c.seq, event.c.kind, event.c.data)
        .where(event.c.session == id, event.c.seq > after)
        .order_by(event.c.seq)
    )
    for row in conn.execute(bodies):
        found.update(_BLOB_REFERENCE.findall(read_event_data(db, who, row)))
        last = row.seq
    return BlobReferences(frozenset(found), last)


#: A database is worth compacting from this share of free pages on, and so many free bytes.
FREE_SHARE, FREE_BYTES = 0.25, 10_000_000


def measure_free_space(db: Database) -> tuple[int, int]:
    """Return the bytes of an SQLite database and those that deleted rows left free, or 0, 0.

    PostgreSQL reuses such space by itself.
    """
    if db.engine.dialect.name != "sqlite":
        return 0, 0
    with db.reading() as conn:
        size, pages, free = (
            int(conn.exec_driver_sql(f"PRAGMA {name}").scalar_one())
            for name in ("page_size", "page_count", "freelist_count")
        )
    return size * pages, size * free


def compact_database(db: Database) -> None:
    """Give the space of deleted rows back to the disk; writers wait meanwhile.

    Raises StoreError, also if another process keeps writing for too long.
    """
    with db.reading() as conn:
        free = conn.execution_options(isolation_level="AUTOCOMMIT")
        free.exec_driver_sql("VACUUM")
        if db.engine.dialect.name == "sqlite":
            free.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def compact_if_worthwhile(db: Database) -> bool:
    """Compact the database if much of it is free. Raises StoreError."""
    size, free = measure_free_space(db)
    if free < FREE_BYTES or free < FREE_SHARE * size:
        return False
    compact_database(db)
    return True
