"""Workspaces: who belongs to one, and the findings its members have put there, each a copy with
whose it is and when.

A contribution is sealed in the place of its contributor's tenant, together with its workspace and
user, so that none of them can be changed in the database unseen; a member of any tenant reads it,
since membership is what counts, and is looked up with every reading. Who may be admitted is not
decided here, nor is consent.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from research_core.journal.database import Database, insert
from research_core.journal.events import canonical_json
from research_core.journal.store import seal_text, unseal_text
from research_core.journal.tables import contribution, membership
from research_core.models import Principal

#: Seconds a contribution is kept where nobody says otherwise (WORKSPACE_RETENTION).
CONTRIBUTION_KEEP_S = 30 * 86_400.0


@dataclass(frozen=True)
class Contribution:
    """A finding as its contributor put it there. at: seconds since the epoch."""

    id: str
    workspace: str
    by: Principal
    at: float
    note: str
    url: str = ""
    tags: tuple[str, ...] = ()


def add_member(db: Database, workspace: str, member: Principal, at: float) -> None:
    """Make somebody a member; one who is stays what they are."""
    row = {"workspace": workspace, "tenant": member.tenant, "user": member.user, "since": at}
    with db.writing() as conn:
        conn.execute(insert(conn, membership).values(**row).on_conflict_do_nothing())


def remove_member(db: Database, workspace: str, member: Principal) -> bool:
    """Whether they were a member. What they contributed stays, as a copy does."""
    with db.writing() as conn:
        gone = (
            sa.delete(membership)
            .where(_membership_of(workspace, member))
            .returning(membership.c.workspace)
        )
        return conn.execute(gone).scalar() is not None


def is_member(db: Database, workspace: str, member: Principal) -> bool:
    with db.reading() as conn:
        return _is_member_within(conn, workspace, member)


def list_memberships(db: Database, who: Principal) -> tuple[tuple[str, float], ...]:
    """The workspaces of a user by name, and since when."""
    mine = sa.select(membership.c.workspace, membership.c.since).where(
        membership.c.tenant == who.tenant, membership.c.user == who.user
    )
    with db.reading() as conn:
        return tuple(
            (row.workspace, row.since)
            for row in conn.execute(mine.order_by(membership.c.workspace))
        )


def add_contribution(
    db: Database,
    who: Principal,
    workspace: str,
    note: str,
    url: str,
    tags: Sequence[str],
    at: float,
    *,
    keep_s: float = CONTRIBUTION_KEEP_S,
) -> Contribution | None:
    """Add a copy of a finding, and remove what is older than keep_s seconds there; None, and
    nothing written, for no member.
    """
    made = Contribution(secrets.token_hex(12), workspace, who, at, note, url, tuple(tags))
    payload = seal_text(
        db,
        who,
        canonical_json({"note": note, "url": url, "tags": list(tags)}),
        *_payload_place(workspace, who, made.id),
    )
    row = {
        "id": made.id,
        "workspace": workspace,
        "tenant": who.tenant,
        "user": who.user,
        "at": at,
        "payload": payload,
    }
    with db.writing() as conn:
        if not _is_member_within(conn, workspace, who):
            return None
        conn.execute(
            sa.delete(contribution).where(
                contribution.c.workspace == workspace, contribution.c.at <= at - keep_s
            )
        )
        conn.execute(sa.insert(contribution).values(**row))
    return made


def read_workspace(
    db: Database, who: Principal, workspace: str, now: float, *, keep_s: float = CONTRIBUTION_KEEP_S
) -> tuple[Contribution, ...] | None:
    """What is in a workspace, the newest first, none older than keep_s seconds; None for no member."""
    there = sa.select(contribution).where(
        contribution.c.workspace == workspace, contribution.c.at > now - keep_s
    )
    with db.reading() as conn:
        if not _is_member_within(conn, workspace, who):
            return None
        rows = conn.execute(there.order_by(contribution.c.at.desc(), contribution.c.id)).all()
    return tuple(_read_contribution(db, row) for row in rows)


def list_contributions(db: Database, who: Principal) -> tuple[Contribution, ...]:
    """Everything a user has put anywhere, the oldest first, whether they are still a member or not."""
    mine = sa.select(contribution).where(
        contribution.c.tenant == who.tenant, contribution.c.user == who.user
    )
    with db.reading() as conn:
        rows = conn.execute(mine.order_by(contribution.c.at, contribution.c.id)).all()
    return tuple(_read_contribution(db, row) for row in rows)


def sweep_contributions(db: Database, who: Principal, before: float) -> int:
    """Remove what a user put anywhere before this time; how many."""
    old = sa.and_(
        contribution.c.tenant == who.tenant,
        contribution.c.user == who.user,
        contribution.c.at <= before,
    )
    with db.writing() as conn:
        return len(
            conn.execute(sa.delete(contribution).where(old).returning(contribution.c.id)).all()
        )


def _read_contribution(db: Database, row: sa.Row[tuple[object, ...]]) -> Contribution:
    by = Principal(row.tenant, row.user)
    body = json.loads(unseal_text(db, by, row.payload, *_payload_place(row.workspace, by, row.id)))
    return Contribution(
        row.id, row.workspace, by, row.at, body["note"], body["url"], tuple(body["tags"])
    )


def _payload_place(workspace: str, by: Principal, id: str) -> tuple[str, ...]:
    return ("contribution", workspace, by.user, id)


def _is_member_within(conn: sa.Connection, workspace: str, who: Principal) -> bool:
    return (
        conn.execute(
            sa.select(membership.c.workspace).where(_membership_of(workspace, who))
        ).scalar()
        is not None
    )


def _membership_of(workspace: str, who: Principal) -> sa.ColumnElement[bool]:
    return sa.and_(
        membership.c.workspace == workspace,
        membership.c.tenant == who.tenant,
        membership.c.user == who.user,
    )
