"""Keep sign-ins on the server, so that ending one ends it wherever its cookies were copied.

A browser holds a random token, and the database its SHA-256 sum alone. A sign-in ends by signing
out, when it was not used for UNUSED_S, and LONGEST_S after it began.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from research_core.journal.database import Database
from research_core.journal.tables import sign_in
from research_core.model_messages import Json
from research_core.models import Principal

UNUSED_S, LONGEST_S = 12 * 3_600.0, 7 * 86_400.0
#: How exactly the time of the last use is kept, so that not every click writes.
SEEN_EVERY_S = 60.0


def build_principal(claims: Mapping[str, Any]) -> Principal | None:
    """Return whom the claims of an OpenID provider name; None if they name nobody.

    A subject is unique only with its issuer, which is a URL and holds no bar.
    """
    issuer, subject = claims.get("iss"), claims.get("sub")
    if not claims.get("is_logged_in") or not issuer or not subject:
        return None
    return Principal(Principal().tenant, f"{issuer}|{subject}")


def start_sign_in(db: Database, who: Principal, at: float) -> str:
    """Record a new sign-in and return the token for the browser."""
    token = secrets.token_urlsafe(32)
    row = sa.insert(sign_in).values(
        key=_hash_token(token), tenant=who.tenant, user=who.user, created=at, seen=at
    )
    with db.writing() as conn:
        conn.execute(row)
    return token


def use_sign_in(db: Database, who: Principal, token: str, at: float) -> bool:
    """Return True if the token is of a sign-in of this user that is in force, and renew it."""
    mine = sa.and_(sign_in.c.key == _hash_token(token), _is_in_force(who, at))
    with db.reading() as conn:
        seen = conn.execute(sa.select(sign_in.c.seen).where(mine)).scalar()
    if seen is None:
        return False
    if at - seen >= SEEN_EVERY_S:
        with db.writing() as conn:
            conn.execute(sa.update(sign_in).where(mine).values(seen=at))
    return True


def end_sign_in(db: Database, who: Principal, token: str, at: float) -> None:
    """End one sign-in of this user; do nothing if there is none of this token."""
    _end_sign_ins(db, sa.and_(sign_in.c.key == _hash_token(token), _is_in_force(who, at)), at)


def end_all_sign_ins(db: Database, who: Principal, at: float) -> None:
    """End every sign-in of this user, in every browser."""
    _end_sign_ins(db, _is_in_force(who, at), at)


def list_sign_ins(db: Database, who: Principal, at: float) -> list[Json]:
    """Return {"created", "seen"} of this user's sign-ins that are in force, last used first."""
    query = sa.select(sign_in.c.created, sign_in.c.seen).where(_is_in_force(who, at))
    with db.reading() as conn:
        rows = conn.execute(query.order_by(sign_in.c.seen.desc())).all()
    return [{"created": row.created, "seen": row.seen} for row in rows]


def export_sign_ins(db: Database, who: Principal) -> list[Json]:
    """Return {"created", "seen", "revoked"} of all sign-ins kept of this user, oldest first."""
    columns = (sign_in.c.created, sign_in.c.seen, sign_in.c.revoked)
    query = sa.select(*columns).where(_is_of(who)).order_by(sign_in.c.created)
    with db.reading() as conn:
        return [dict(row._mapping) for row in conn.execute(query)]


def sweep_sign_ins(db: Database, who: Principal, before: float) -> int:
    """Remove this user's sign-ins that began before this time; return how many."""
    old = sa.delete(sign_in).where(_is_of(who), sign_in.c.created <= before)
    with db.writing() as conn:
        return len(conn.execute(old.returning(sign_in.c.key)).all())


def _end_sign_ins(db: Database, which: sa.ColumnElement[bool], at: float) -> None:
    with db.writing() as conn:
        conn.execute(sa.update(sign_in).where(which).values(revoked=at))


def _is_of(who: Principal) -> sa.ColumnElement[bool]:
    return sa.and_(sign_in.c.tenant == who.tenant, sign_in.c.user == who.user)


def _is_in_force(who: Principal, at: float) -> sa.ColumnElement[bool]:
    return sa.and_(
        _is_of(who),
        sign_in.c.revoked.is_(None),
        sign_in.c.seen > at - UNUSED_S,
        sign_in.c.created > at - LONGEST_S,
    )


def _hash_token(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
