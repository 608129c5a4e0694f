"""Record what a user agreed to, by purpose, as a history whose last row counts.

The tools check consent themselves. Withdrawing it removes nothing, as
`export_and_erase.erase_user_data` does.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from research_core.errors import UsageError
from research_core.journal.database import Database
from research_core.journal.tables import consent
from research_core.models import Principal
from research_core.policy import CONSENT_PURPOSES


@dataclass(frozen=True)
class ConsentRecord:
    """One row of the history. at: seconds since the epoch. by: user | admin."""

    who: Principal
    purpose: str
    given: bool
    at: float
    by: str


def give_consent(db: Database, who: Principal, purpose: str, at: float, by: str = "user") -> None:
    """Record consent. Raises UsageError for an unknown purpose."""
    _add_record(db, who, purpose, at, by, True)


def withdraw_consent(
    db: Database, who: Principal, purpose: str, at: float, by: str = "user"
) -> None:
    """Record the withdrawal of consent. Raises UsageError for an unknown purpose."""
    _add_record(db, who, purpose, at, by, False)


def find_consent(db: Database, who: Principal, purpose: str) -> float | None:
    """Return since when this user agrees, or None. Raises UsageError for an unknown purpose."""
    with db.reading() as conn:
        return find_consent_within(conn, who, _check_purpose(purpose))


def find_consent_within(conn: sa.Connection, who: Principal, purpose: str) -> float | None:
    """Return the same within a transaction, for what is written only with consent."""
    last = (
        sa.select(consent.c.given, consent.c.at)
        .where(_owned_by(who), consent.c.purpose == purpose)
        .order_by(consent.c.id.desc())
        .limit(1)
    )
    row = conn.execute(last).first()
    return float(row.at) if row is not None and row.given else None


def list_consent_records(db: Database, who: Principal) -> tuple[ConsentRecord, ...]:
    """Return the whole history of this user, the oldest first."""
    with db.reading() as conn:
        rows = conn.execute(sa.select(consent).where(_owned_by(who)).order_by(consent.c.id)).all()
    return tuple(ConsentRecord(who, row.purpose, row.given, row.at, row.by) for row in rows)


def _owned_by(who: Principal) -> sa.ColumnElement[bool]:
    return sa.and_(consent.c.tenant == who.tenant, consent.c.user == who.user)


def _check_purpose(purpose: str) -> str:
    if purpose not in CONSENT_PURPOSES:
        raise UsageError(
            f"There is no purpose {purpose!r}.",
            next_step=f"Choose among: {', '.join(CONSENT_PURPOSES)}.",
        )
    return purpose


def _add_record(
    db: Database, who: Principal, purpose: str, at: float, by: str, agreed: bool
) -> None:
    row = {
        "tenant": who.tenant,
        "user": who.user,
        "purpose": _check_purpose(purpose),
        "at": at,
        "by": by,
        "given": agreed,
    }
    with db.writing() as conn:
        conn.execute(sa.insert(consent).values(**row))
