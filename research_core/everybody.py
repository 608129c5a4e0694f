"""What a process has to know of all users at once, so that nothing here takes `who`: whose deleted sessions are due to be purged.

It tells who they are and nothing of theirs; what is done is done for one user at a time (`keeping`).
"""

from __future__ import annotations

import sqlalchemy as sa

from research_core.database import Database
from research_core.models import Principal
from research_core.store import session


def with_deleted(db: Database, before: float) -> list[Principal]:
    """Those who deleted a session before this time that is not purged yet, in a stable order."""
    owners = sa.select(session.c.tenant, session.c.user).where(session.c.deleted < before).distinct()
    with db.reading() as conn:
        return [Principal(tenant, user) for tenant, user in conn.execute(owners.order_by(session.c.tenant, session.c.user))]
