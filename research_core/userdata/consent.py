"""What a user has agreed to, by purpose: a history to which rows are only added, and of which the
last row counts.

Whether a tool goes by it is the tool's to ask; nothing that was kept is removed when consent is
withdrawn (`subject.erase` does that).
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from research_core.errors import UsageError
from research_core.journal.database import Database
from research_core.journal.tables import consent
from research_core.models import Principal

PURPOSES = ("memory", "analytics", "workspace")


@dataclass(frozen=True)
class Record:
    """One row of the history. at: seconds since the epoch. by: user | admin."""

    who: Principal
    purpose: str
    given: bool
    at: float
    by: str


def give(db: Database, who: Principal, purpose: str, at: float, by: str = "user") -> None:
    """Raises UsageError, as do the next two, for a purpose that there is not."""
    _add(db, who, purpose, at, by, True)


def withdraw(db: Database, who: Principal, purpose: str, at: float, by: str = "user") -> None:
    _add(db, who, purpose, at, by, False)


def given(db: Database, who: Principal, purpose: str) -> float | None:
    """Since when this user agrees to it, None where they do not."""
    with db.reading() as conn:
        return standing(conn, who, _known(purpose))


def standing(conn: sa.Connection, who: Principal, purpose: str) -> float | None:
    """The same within a transaction, for what is written only with consent."""
    last = (
        sa.select(consent.c.given, consent.c.at)
        .where(_whose(who), consent.c.purpose == purpose)
        .order_by(consent.c.id.desc())
        .limit(1)
    )
    row = conn.execute(last).first()
    return float(row.at) if row is not None and row.given else None


def records(db: Database, who: Principal) -> tuple[Record, ...]:
    """The whole history of this user, the oldest first."""
    with db.reading() as conn:
        rows = conn.execute(sa.select(consent).where(_whose(who)).order_by(consent.c.id)).all()
    return tuple(Record(who, row.purpose, row.given, row.at, row.by) for row in rows)


def _whose(who: Principal) -> sa.ColumnElement[bool]:
    return sa.and_(consent.c.tenant == who.tenant, consent.c.user == who.user)


def _known(purpose: str) -> str:
    if purpose not in PURPOSES:
        raise UsageError(
            f"There is no purpose {purpose!r}.", next_step=f"Choose among: {', '.join(PURPOSES)}."
        )
    return purpose


def _add(db: Database, who: Principal, purpose: str, at: float, by: str, agreed: bool) -> None:
    row = {
        "tenant": who.tenant,
        "user": who.user,
        "purpose": _known(purpose),
        "at": at,
        "by": by,
        "given": agreed,
    }
    with db.writing() as conn:
        conn.execute(sa.insert(consent).values(**row))
