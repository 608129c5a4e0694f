"""Keep links that let anybody who has one read one session of their owner, and nothing else.

A link holds a random token, and the database its SHA-256 sum alone, so that whoever reads the
database can open nothing. A link ends when its owner revokes it, when it expires, or with its
session. Looking up a token is one statement, whatever is wrong with it.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from research_core.errors import UsageError
from research_core.journal.database import Database
from research_core.journal.store import no_such_session, visible_to
from research_core.journal.tables import session as sessions
from research_core.journal.tables import share
from research_core.model_messages import Json
from research_core.models import Principal

DAY_S = 86_400.0
#: Days after which a link may expire, the first unless chosen otherwise.
LIFETIMES_DAYS = (7, 1, 30)
#: Links of one session that are in force at a time.
MAX_LINKS = 20


@dataclass(frozen=True)
class Share:
    """A link to a session. key: names it to its owner; times: seconds since the epoch."""

    key: str
    who: Principal
    session: str
    created: float
    expires: float


def create_share(db: Database, who: Principal, session: str, at: float, days: int) -> str:
    """Make a link to a session of this user and return its token, which is not kept.

    Raises UsageError if the user has no such session, or MAX_LINKS links to it.
    """
    if days not in LIFETIMES_DAYS:
        raise UsageError(f"A link cannot last {days} days.", next_step="Choose 1, 7 or 30.")
    mine = sa.select(sessions.c.id).where(visible_to(who), sessions.c.id == session)
    token = secrets.token_urlsafe(32)
    row = sa.insert(share).values(
        key=_hash_token(token),
        tenant=who.tenant,
        user=who.user,
        session=session,
        created=at,
        expires=at + days * DAY_S,
    )
    with db.writing() as conn:
        if conn.execute(mine).scalar() is None:
            raise no_such_session(session)
        links = sa.select(sa.func.count()).select_from(share).where(_is_of(who, session, at))
        if conn.execute(links).scalar_one() >= MAX_LINKS:
            raise UsageError(
                f"This session has {MAX_LINKS} links.", next_step="Revoke one of them first."
            )
        conn.execute(row)
    return token


def find_share(db: Database, token: str, at: float) -> Share | None:
    """Return what a token opens; None if it is wrong, revoked or expired, or the session deleted.

    The token alone decides. Its hash is compared by the database's index, so that the time that
    takes says nothing of a stored token.
    """
    is_open = (share.c.key == _hash_token(token), share.c.revoked.is_(None), share.c.expires > at)
    query = (
        sa.select(share)
        .join(sessions, sessions.c.id == share.c.session)
        .where(*is_open, sessions.c.deleted.is_(None))
    )
    with db.reading() as conn:
        row = conn.execute(query).one_or_none()
    return _read_share(row) if row is not None else None


def list_shares(db: Database, who: Principal, session: str, at: float) -> list[Share]:
    """Return this user's links to a session that are in force, the newest first."""
    query = sa.select(share).where(_is_of(who, session, at)).order_by(share.c.created.desc())
    with db.reading() as conn:
        return [_read_share(row) for row in conn.execute(query)]


def revoke_share(db: Database, who: Principal, key: str, at: float) -> None:
    """End a link of this user; do nothing if there is none of this key."""
    mine = (share.c.key == key, share.c.tenant == who.tenant, share.c.user == who.user)
    with db.writing() as conn:
        conn.execute(sa.update(share).where(*mine, share.c.revoked.is_(None)).values(revoked=at))


def export_shares(db: Database, who: Principal) -> list[Json]:
    """Return {"session", "created", "expires", "revoked"} of all links kept, oldest first."""
    columns = (share.c.session, share.c.created, share.c.expires, share.c.revoked)
    mine = (share.c.tenant == who.tenant, share.c.user == who.user)
    query = sa.select(*columns).where(*mine).order_by(share.c.created, share.c.key)
    with db.reading() as conn:
        return [dict(row._mapping) for row in conn.execute(query)]


def sweep_shares(db: Database, who: Principal, before: float) -> int:
    """Remove this user's links that expired before this time; return how many."""
    old = sa.delete(share).where(
        share.c.tenant == who.tenant, share.c.user == who.user, share.c.expires <= before
    )
    with db.writing() as conn:
        return len(conn.execute(old.returning(share.c.key)).all())


def _is_of(who: Principal, session: str, at: float) -> sa.ColumnElement[bool]:
    return sa.and_(
        share.c.tenant == who.tenant,
        share.c.user == who.user,
        share.c.session == session,
        share.c.revoked.is_(None),
        share.c.expires > at,
    )


def _read_share(row: sa.Row[tuple[object, ...]]) -> Share:
    who = Principal(row.tenant, row.user)
    return Share(row.key, who, row.session, row.created, row.expires)


def _hash_token(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
