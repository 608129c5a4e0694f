"""Save a user's notes, sealed, and return those young enough to be read.

Older notes go with the next note or sweep. Callers check consent (`consent.find_consent`).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from research_core.journal.database import Database
from research_core.journal.events import canonical_json
from research_core.journal.store import seal_text, unseal_text
from research_core.journal.tables import memory
from research_core.models import Principal

#: Seconds a note is kept by default (MEMORY_RETENTION).
NOTE_KEEP_S = 90 * 86_400.0


@dataclass(frozen=True)
class MemoryNote:
    """A saved note. at: seconds since the epoch."""

    id: str
    at: float
    note: str
    topic: str = ""
    url: str = ""
    tags: tuple[str, ...] = ()


def save_note(
    db: Database,
    who: Principal,
    note: str,
    topic: str,
    url: str,
    tags: Sequence[str],
    at: float,
    *,
    keep_s: float = NOTE_KEEP_S,
) -> MemoryNote:
    """Save a note, and remove this user's notes older than keep_s seconds."""
    entry = MemoryNote(secrets.token_hex(12), at, note, topic, url, tuple(tags))
    body = canonical_json({"note": note, "topic": topic, "url": url, "tags": list(tags)})
    row = {
        "id": entry.id,
        "tenant": who.tenant,
        "user": who.user,
        "at": at,
        "payload": seal_text(db, who, body, *_payload_place(who, entry.id)),
    }
    with db.writing() as conn:
        conn.execute(sa.delete(memory).where(_owned_by(who), memory.c.at <= at - keep_s))
        conn.execute(sa.insert(memory).values(**row))
    return entry


def recall_notes(
    db: Database,
    who: Principal,
    topic: str,
    limit: int | None,
    now: float,
    *,
    keep_s: float = NOTE_KEEP_S,
) -> tuple[MemoryNote, ...]:
    """Return this user's notes of a topic, the newest first, none older than keep_s seconds.

    topic: "" for all. limit: the greatest number, None for all.
    """
    query = (
        sa.select(memory)
        .where(_owned_by(who), memory.c.at > now - keep_s)
        .order_by(memory.c.at.desc(), memory.c.id)
    )
    with db.reading() as conn:
        rows = conn.execute(query).all()
    notes = []
    for row in rows:
        note = _read_note(db, who, row.id, row.at, row.payload)
        if not topic or note.topic.casefold() == topic.casefold():
            notes.append(note)
    return tuple(notes[:limit])


def sweep_notes(db: Database, who: Principal, before: float) -> int:
    """Remove this user's notes from before this time; return their number."""
    old = sa.delete(memory).where(_owned_by(who), memory.c.at <= before).returning(memory.c.id)
    with db.writing() as conn:
        return len(conn.execute(old).all())


def _read_note(db: Database, who: Principal, id: str, at: float, payload: bytes) -> MemoryNote:
    body = json.loads(unseal_text(db, who, payload, *_payload_place(who, id)))
    return MemoryNote(id, at, body["note"], body["topic"], body["url"], tuple(body["tags"]))


def _payload_place(who: Principal, id: str) -> tuple[str, ...]:
    return ("memory", who.user, id)


def _owned_by(who: Principal) -> sa.ColumnElement[bool]:
    return sa.and_(memory.c.tenant == who.tenant, memory.c.user == who.user)
