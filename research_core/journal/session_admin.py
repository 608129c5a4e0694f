"""What an analyst does to the sessions they keep: title, tag, delete, restore, and lose for good
after a while. The statements.

Deleting marks the row, so that no reading sees the session (`store`) and it can be brought back;
`purge`, `expire` and `erase` remove it. Knows nothing of running sessions: `runner` cancels one
before it is deleted, `retention` says who is alive.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from research_core.journal.database import Database
from research_core.journal.events import Event, canon
from research_core.journal.store import data_of, event_of, kept, mine, missing, sealed
from research_core.journal.tables import blob, event, session
from research_core.models import Principal

#: A reference to a blob in the data of an event, as the log writes it.
_REFERENCE = re.compile(r'"\$(?:bytes|text)":"([0-9a-f]{64})"')


@dataclass(frozen=True)
class References:
    """The blobs that the events of a session refer to, up to an event."""

    shas: frozenset[str] = frozenset()
    seq: int = 0


@dataclass(frozen=True)
class Seen:
    """What sessions referred to when they were looked at, by id. theirs: of those that are to go;
    others: the tenant's other ones.
    """

    theirs: dict[str, References]
    others: dict[str, References]


def rename(db: Database, who: Principal, id: str, title: str) -> None:
    """Raises UsageError, as do the next three, when there is no such session."""
    _change(db, id, kept(who), title=sealed(db, who, title, "session", "title", id))


def tag(db: Database, who: Principal, id: str, tags: Sequence[str]) -> None:
    _change(db, id, kept(who), tags=sealed(db, who, canon(list(tags)), "session", "tags", id))


def delete(db: Database, who: Principal, id: str, at: float) -> None:
    """No reading sees it from now on; `restore` brings it back."""
    _change(db, id, kept(who), deleted=at)


def restore(db: Database, who: Principal, id: str) -> None:
    """The same session again, whether it had been deleted or not."""
    _change(db, id, mine(who), deleted=None)


def _change(db: Database, id: str, whose: sa.ColumnElement[bool], **values: Any) -> None:
    with db.writing() as conn:
        if (
            conn.execute(
                sa.update(session)
                .where(whose, session.c.id == id)
                .values(**values)
                .returning(session.c.id)
            ).scalar()
            is None
        ):
            raise missing(id)


def latest(db: Database, who: Principal, ids: Sequence[str], key: str) -> dict[str, Event]:
    """For each of these sessions the last event under this key, if it has one; where calls were
    voided, the one derived since.
    """
    found = sa.select(event).join(session, session.c.id == event.c.session)
    spelled = [
        way
        for name in db.cipher.names(who.tenant, key)
        for way in (event.c.key == name, event.c.key.like(f"%~{name}"))
    ]
    found = found.where(kept(who), event.c.session.in_(ids), sa.or_(*spelled)).order_by(event.c.seq)
    with db.reading() as conn:
        return {row.session: event_of(db, who, row) for row in conn.execute(found)}


def purge(db: Database, who: Principal, before: float) -> list[str]:
    """Remove what this user deleted before this time, with the blobs that no other session of the
    tenant refers to; which sessions.

    What refers to what is read while others write; once they have to wait, only what they wrote
    meanwhile is looked at. A session that was restored meanwhile stays.
    """
    return _remove(db, who, session.c.deleted < before)


def expire(
    db: Database, who: Principal, before: float, now: float, running: Collection[str]
) -> list[str]:
    """As `purge`, what of this user's nobody touched since this time, be it by deleting it; a
    session that is touched meanwhile stays.

    running: the executors that are alive. What one of them has taken and not ended stays, and so
    does what tools may still go on with.
    """
    untouched = sa.and_(
        session.c.updated < before, sa.or_(session.c.deleted.is_(None), session.c.deleted < before)
    )
    let_go = sa.or_(
        session.c.outcome.is_not(None),
        session.c.executor.is_(None),
        session.c.executor.not_in(running),
    )
    return _remove(
        db,
        who,
        sa.and_(untouched, let_go, sa.or_(session.c.until.is_(None), session.c.until <= now)),
    )


def erase(db: Database, conn: sa.Connection, who: Principal, seen: Seen) -> list[str]:
    """Within a transaction, remove all of this user's sessions, with such blobs; which. seen: what
    `look` told before it began.
    """
    since = sa.select(session.c.id).where(mine(who), session.c.id.not_in(seen.theirs))
    theirs = seen.theirs | {
        id: _references(db, conn, who, id) for id in conn.execute(since).scalars().all()
    }
    return _drop(db, conn, who, mine(who), Seen(theirs, seen.others))


def look(db: Database, who: Principal) -> Seen:
    """What all sessions of this user's tenant refer to just now: `erase` then holds others up for
    what is new only.
    """
    return _look(db, who, mine(who))


def _remove(db: Database, who: Principal, which: sa.ColumnElement[bool]) -> list[str]:
    stale = sa.and_(mine(who), which)
    seen = _look(db, who, stale)
    if not seen.theirs:
        return []
    with db.writing() as conn:
        return _drop(db, conn, who, stale, seen)


def _look(db: Database, who: Principal, stale: sa.ColumnElement[bool]) -> Seen:
    with db.reading() as conn:
        old = {
            id: _references(db, conn, who, id)
            for id in conn.execute(sa.select(session.c.id).where(stale)).scalars().all()
        }
        if not old:
            return Seen({}, {})
        return Seen(
            old,
            {id: _references(db, conn, who, id) for id in _sessions(conn, who) if id not in old},
        )


def _drop(
    db: Database, conn: sa.Connection, who: Principal, stale: sa.ColumnElement[bool], seen: Seen
) -> list[str]:
    """Remove what is stale of what was seen to be, and the blobs that nothing refers to then."""
    if (
        conn.dialect.name == "postgresql"
    ):  # who stores a blob again meanwhile waits, and then finds it gone
        conn.execute(sa.text("LOCK TABLE blob IN SHARE ROW EXCLUSIVE MODE"))
    removed = (
        sa.delete(session).where(stale, session.c.id.in_(seen.theirs)).returning(session.c.id)
    )  # its events go with it
    gone = sorted(conn.execute(removed).scalars())
    orphans = {sha for id in gone for sha in seen.theirs[id].shas}
    for id in _sessions(conn, who):
        known = seen.theirs.get(id) or seen.others.get(id) or References()
        orphans -= known.shas | _references(db, conn, who, id, known.seq).shas
    for sha in sorted(orphans):
        conn.execute(sa.delete(blob).where(blob.c.tenant == who.tenant, blob.c.sha == sha))
    return gone


def _sessions(conn: sa.Connection, who: Principal) -> Sequence[str]:
    """All of the tenant's: a blob is shared by its users."""
    return (
        conn.execute(sa.select(session.c.id).where(session.c.tenant == who.tenant)).scalars().all()
    )


def _references(
    db: Database, conn: sa.Connection, who: Principal, id: str, after: int = 0
) -> References:
    """Of the events after this one. What the outside wrote may look like a reference; then one blob
    too many is kept.
    """
    found, last = set[str](), after
    bodies = (
        sa.select(event.c.session, event.c.seq, event.c.kind, event.c.data)
        .where(event.c.session == id, event.c.seq > after)
        .order_by(event.c.seq)
    )
    for row in conn.execute(bodies):
        found.update(_REFERENCE.findall(data_of(db, who, row)))
        last = row.seq
    return References(frozenset(found), last)
