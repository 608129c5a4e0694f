"""Share findings in workspaces: members add copies of findings that other members can read.

A contribution is sealed under its contributor's tenant together with its workspace and user, so
that none of these can be changed unseen. Members of any tenant can read it: membership is checked
on every read. Who may become a member, and consent, are decided elsewhere.
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

#: Seconds a contribution is kept by default (WORKSPACE_RETENTION).
CONTRIBUTION_KEEP_S = 30 * 86_400.0


@dataclass(frozen=True)
class Contribution:
    """A shared finding. at: seconds since the epoch."""

    id: str
    workspace: str
    by: Principal
    at: float
    note: str
    url: str = ""
    tags: tuple[str, ...] = ()


def add_member(db: Database, workspace: str, member: Principal, at: float) -> None:
    """Add a member; an existing member stays one."""
    row = {"workspace": workspace, "tenant": member.tenant, "user": member.user, "since": at}
    with db.writing() as conn:
        conn.execute(insert(conn, membership).values(**row).on_conflict_do_nothing())


def remove_member(db: Database, workspace: str, member: Principal) -> bool:
    """Remove a member. Return True if they were one. Their contributions stay, being copies."""
    with db.writing() as conn:
        gone = (
            sa.delete(membership)
            .where(_membership_of(workspace, member))
            .returning(membership.c.workspace)
        )
        return conn.execute(gone).scalar() is not None


def list_memberships(db: Database, who: Principal) -> tuple[tuple[str, float], ...]:
    """Return (workspace, member since) pairs, by name."""
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
    """Add a copy of a finding and remove older ones; None, and nothing written, for a non-member.

    keep_s: seconds after which findings of the workspace are removed.
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
    """Return the findings of a workspace, the newest first; None for a non-member.

    keep_s: the greatest age, in seconds.
    """
    there = sa.select(contribution).where(
        contribution.c.workspace == workspace, contribution.c.at > now - keep_s
    )
    with db.reading() as conn:
        if not _is_member_within(conn, workspace, who):
            return None
        rows = conn.execute(there.order_by(contribution.c.at.desc(), contribution.c.id)).all()
    return tuple(_read_contribution(db, row) for row in rows)


def list_contributions(db: Database, who: Principal) -> tuple[Contribution, ...]:
    """Return everything a user contributed, the oldest first, whether still a member or not."""
    mine = sa.select(contribution).where(
        contribution.c.tenant == who.tenant, contribution.c.user == who.user
    )
    with db.reading() as conn:
        rows = conn.execute(mine.order_by(contribution.c.at, contribution.c.id)).all()
    return tuple(_read_contribution(db, row) for row in rows)


def sweep_contributions(db: Database, who: Principal, before: float) -> int:
    """Remove what a user contributed before this time; return the number."""
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
