"""Keep a user's own authority scores of hosts, with reasons, for their later runs.

A run copies them when it begins, so that it can be replayed with the ones it had. An override
covers a host and its subdomains; a public suffix, under which anybody registers names, gets none.
"""

from __future__ import annotations

import json

import sqlalchemy as sa

from research_core.errors import UsageError
from research_core.journal.database import Database, insert
from research_core.journal.events import canonical_json
from research_core.journal.store import seal_text, unseal_text
from research_core.journal.tables import override
from research_core.models import Principal
from research_core.policy import REASON_LENGTH, Override
from research_core.urls import registered_domain


def save_override(db: Database, who: Principal, chosen: Override, at: float) -> None:
    """Save an override, replacing the user's earlier one on that host.

    Raises UsageError for a public suffix or a reason that is too long.
    """
    if is_public_suffix(chosen.host):
        raise UsageError(
            f"{chosen.host} is not a site but a suffix of many people's sites, and your rating"
            " would count for all of them.",
            next_step=f"Name one site, such as example.{chosen.host}.",
        )
    if len(chosen.reason) > REASON_LENGTH:
        raise UsageError(
            f"The reason has {len(chosen.reason):,} characters; at most {REASON_LENGTH:,} are"
            " allowed.",
            next_step="Shorten it.",
        )
    values = {
        "at": at,
        "payload": seal_text(
            db,
            who,
            canonical_json({"value": chosen.value, "reason": chosen.reason}),
            *_payload_place(who, chosen.host),
        ),
    }
    row = {"tenant": who.tenant, "user": who.user, "host": chosen.host}
    with db.writing() as conn:
        keep = insert(conn, override).values(**row, **values)
        conn.execute(
            keep.on_conflict_do_update(index_elements=["tenant", "user", "host"], set_=values)
        )


def is_public_suffix(host: str) -> bool:
    """Return True if anybody can register names under this host ("co.uk", "github.io")."""
    below = f"site.{host}"
    try:
        return registered_domain(f"https://{below}/") == below
    except ValueError:
        return False


def remove_override(db: Database, who: Principal, host: str) -> bool:
    """Remove the override on this host. Return True if there was one."""
    mine = sa.delete(override).where(
        override.c.tenant == who.tenant, override.c.user == who.user, override.c.host == host
    )
    with db.writing() as conn:
        return conn.execute(mine.returning(override.c.host)).scalar() is not None


def list_overrides(db: Database, who: Principal) -> tuple[Override, ...]:
    """Return a user's overrides, by host."""
    query = (
        sa.select(override)
        .where(override.c.tenant == who.tenant, override.c.user == who.user)
        .order_by(override.c.host)
    )
    with db.reading() as conn:
        rows = conn.execute(query).all()
    found = []
    for row in rows:
        data = json.loads(unseal_text(db, who, row.payload, *_payload_place(who, row.host)))
        found.append(Override(row.host, data["value"], data["reason"]))
    return tuple(found)


def _payload_place(who: Principal, host: str) -> tuple[str, ...]:
    return ("override", who.user, host)
