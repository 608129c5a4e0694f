"""Export and erase everything kept about one user. Each store is one row of `USER_STORES`.

Not erased: libraries that other users share; the page cache, which knows no user; the audit, a
chain of lines that nothing may be removed from. An erasure itself is recorded with its time and row
counts, without content.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict

import sqlalchemy as sa

from research_core.i18n import N_
from research_core.journal import session_admin, store
from research_core.journal.database import Database
from research_core.journal.events import canonical_json
from research_core.journal.tables import consent as consents
from research_core.journal.tables import (
    contribution,
    erasure,
    membership,
    override,
    share,
    sign_in,
    usage,
)
from research_core.journal.tables import memory as memories
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.search.library import shelf
from research_core.text.dates import format_rfc3339, format_times
from research_core.userdata import (
    analytics,
    consent,
    memory,
    overrides,
    shares,
    sign_ins,
    workspaces,
)

#: What an erasure leaves, and why.
NOT_EXPORTED = {
    "library": N_("Libraries that others share with you."),
    "cache": N_("Cached pages, without who requested them, until they expire."),
    "audit": N_("Audit lines: they form a chain that a removal would break."),
    "erasures": N_("The time of each erasure and its row counts."),
}


def export_user_data(db: Database, who: Principal) -> Json:
    """Return everything kept about this user, by store; times are RFC 3339 in UTC.

    Raises SettingsError without the encryption key.
    """
    data: Json = {"tenantId": who.tenant, "userId": who.user}
    for name, export, _ in USER_STORES:
        data[name] = export(db, who)
    data["erasures"] = [format_times(each, "at") for each in list_erasures(db, who)]
    data["notIncluded"] = NOT_EXPORTED
    return data


def erase_user_data(db: Database, who: Principal, at: float) -> tuple[dict[str, int], list[str]]:
    """Remove everything for good, all or nothing; return rows removed by store, and session ids.

    What a run still writes to one of these sessions is lost.
    """
    seen = session_admin.collect_references(db, who)
    counts: dict[str, int] = {}
    sessions: list[str] = []
    with db.writing() as conn:
        for name, _, table in USER_STORES:
            if name == "libraries":
                counts[name] = shelf.erase_libraries(conn, who)
            elif table is None:
                sessions = session_admin.erase_sessions(db, conn, who, seen)
                counts[name] = len(sessions)
            else:
                counts[name] = _remove_rows(conn, who, table)
        record = sa.insert(erasure).values(
            tenant=who.tenant, user=who.user, at=at, counts=canonical_json(counts)
        )
        conn.execute(record)
    return counts, sessions


def list_erasures(db: Database, who: Principal) -> list[Json]:
    """Return the erasures of this user, the oldest first; at: seconds since the epoch."""
    query = (
        sa.select(erasure)
        .where(erasure.c.tenant == who.tenant, erasure.c.user == who.user)
        .order_by(erasure.c.id)
    )
    with db.reading() as conn:
        return [{"at": row.at, "counts": json.loads(row.counts)} for row in conn.execute(query)]


def _remove_rows(conn: sa.Connection, who: Principal, table: sa.Table) -> int:
    """Remove this user's rows of a table; return their number."""
    removed = (
        sa.delete(table)
        .where(table.c.tenant == who.tenant, table.c.user == who.user)
        .returning(table.c.tenant)
    )
    return len(conn.execute(removed).all())


def _export_consents(db: Database, who: Principal) -> list[Json]:
    return [
        {"purpose": each.purpose, "given": each.given, "at": format_rfc3339(each.at), "by": each.by}
        for each in consent.list_consent_records(db, who)
    ]


def _export_memories(db: Database, who: Principal) -> list[Json]:
    """Return all notes, including those too old to be recalled but not yet swept."""
    notes = memory.recall_notes(db, who, "", None, 0.0, keep_s=math.inf)
    return [format_times(asdict(each), "at") for each in notes]


def _export_contributions(db: Database, who: Principal) -> list[Json]:
    return [
        {
            "id": each.id,
            "workspace": each.workspace,
            "at": format_rfc3339(each.at),
            "note": each.note,
            "url": each.url,
            "tags": list(each.tags),
        }
        for each in workspaces.list_contributions(db, who)
    ]


def _export_memberships(db: Database, who: Principal) -> list[Json]:
    return [
        {"workspace": workspace, "since": format_rfc3339(since)}
        for workspace, since in workspaces.list_memberships(db, who)
    ]


def _export_overrides(db: Database, who: Principal) -> list[Json]:
    """Return the user's overrides."""
    return [asdict(each) for each in overrides.list_overrides(db, who)]


def _export_calls(db: Database, who: Principal) -> Json:
    counted = analytics.summarize_usage(db, who)
    return {} if counted is None else format_times(asdict(counted), "first", "last")


def _export_sessions(db: Database, who: Principal) -> list[Json]:
    rows = store.list_sessions(db, who, limit=None)
    rows += store.list_sessions(db, who, limit=None, deleted=True)
    names = ("id", "question", "title", "created", "updated", "deleted")
    return [
        format_times({name: getattr(row, name) for name in names}, "created", "updated", "deleted")
        for row in rows
    ]


def _export_sign_ins(db: Database, who: Principal) -> list[Json]:
    return [
        format_times(each, "created", "seen", "revoked")
        for each in sign_ins.export_sign_ins(db, who)
    ]


def _export_shares(db: Database, who: Principal) -> list[Json]:
    return [
        format_times(each, "created", "expires", "revoked")
        for each in shares.export_shares(db, who)
    ]


def _export_libraries(db: Database, who: Principal) -> list[Json]:
    libraries = []
    for each in shelf.export_libraries(db, who):
        documents = [format_times(row, "added_at") for row in each.get("documents", ())]
        if "documents" in each:
            each = {**each, "documents": documents}
        libraries.append(format_times(each, "removed"))
    return libraries


#: (name, export function, table of its rows). None: sessions, which `session_admin` erases with
#: their blobs, and libraries, which `shelf` erases with their vectors. Consents go first, so that
#: nothing that needs one is written after the erasure.
USER_STORES: tuple[tuple[str, Callable[[Database, Principal], object], sa.Table | None], ...] = (
    ("consents", _export_consents, consents),
    ("memories", _export_memories, memories),
    ("contributions", _export_contributions, contribution),
    ("memberships", _export_memberships, membership),
    ("overrides", _export_overrides, override),
    ("analytics", _export_calls, usage),
    ("signIns", _export_sign_ins, sign_in),
    ("shares", _export_shares, share),
    ("libraries", _export_libraries, None),
    ("sessions", _export_sessions, None),
)
