"""Reseal with the current key everything the previous key sealed, so that it can be discarded.

Every column of sealed bodies is processed in bounded batches, one transaction each, while
everything else goes on: both keys open data, and rows written meanwhile are left alone. After a
kill, run it again to continue. Data stored in clear stays in clear. COLUMNS repeats what its owners
(`store`, `library.shelf`, `cache`, `userdata`) seal and bind; a test compares.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from research_core.errors import SettingsError, StoreError
from research_core.journal.database import Database
from research_core.journal.encryption import SEAL_MAGIC, SEALED_MARK, Cipher
from research_core.journal.store import reseal_event, seal_payload, unseal_payload
from research_core.journal.tables import (
    blob,
    cache,
    contribution,
    document,
    event,
    memory,
    override,
    session,
    vector,
)
from research_core.models import Principal
from research_core.search.library import shelf

#: A batch is at most so many rows, and so many bytes where it is more than one row.
MAX_BATCH_ROWS = 200
MAX_BATCH_BYTES = 8_000_000
_KEY, _PREVIOUS = "CACHE_ENCRYPTION_KEY", "CACHE_ENCRYPTION_KEY_PREV"


@dataclass(frozen=True)
class SealedColumn:
    """A column of sealed bodies.

    place: of a row, what its body is bound to after the tenant; text: bodies are stored as text.
    """

    column: sa.Column[Any]
    place: Callable[[Any], tuple[str, ...]]
    text: bool = False

    @property
    def table(self) -> sa.Table:
        table = self.column.table
        assert isinstance(table, sa.Table)
        return table

    @property
    def name(self) -> str:
        return f"{self.table.name}.{self.column.name}"


def _session_column(name: str) -> SealedColumn:
    return SealedColumn(session.c[name], lambda row: ("session", name, row.id))


def _document_column(name: str, *about: str, text: bool = False) -> SealedColumn:
    return SealedColumn(
        document.c[name], lambda row: ("document", row.library, row.url, *about), text
    )


COLUMNS = (
    *(_session_column(name) for name in ("question", "settings", "title", "tags")),
    SealedColumn(event.c.data, lambda row: ("event", row.session, row.kind, str(row.seq))),
    SealedColumn(blob.c.body, lambda row: ("blob", row.sha)),
    _document_column("text"),
    _document_column("facts", "facts"),
    _document_column("title", "title", text=True),
    _document_column("file", "file", text=True),
    SealedColumn(vector.c.body, lambda row: ("vector", row.model, row.key)),
    SealedColumn(cache.c.body, lambda row: ("cache", row.key)),
    SealedColumn(memory.c.payload, lambda row: ("memory", row.user, row.id)),
    SealedColumn(
        contribution.c.payload, lambda row: ("contribution", row.workspace, row.user, row.id)
    ),
    SealedColumn(override.c.payload, lambda row: ("override", row.user, row.host)),
)


@dataclass(frozen=True)
class RotationResult:
    """The result of a rotation.

    sealed: resealed rows by column; damaged: rows the previous key cannot open, left as they are;
    left: rows sealed meanwhile by a process that knows only the previous key; unknown: rows of a
    third key.
    """

    sealed: dict[str, int]
    damaged: int
    left: int
    unknown: int


def rotate_keys(
    db: Database, on_batch: Callable[[int, int], None] = lambda done, of: None
) -> RotationResult:
    """Reseal what the previous key sealed.

    on_batch: called after each batch with (rows done, total). Raises SettingsError without
    changes if there are not two keys, or the previous key is not that of the stored data.
    """
    _check_keys(db.cipher)
    found = {column: _count_rows(db, _select_sealed_by_previous(db, column)) for column in COLUMNS}
    total = sum(found.values())
    unknown = sum(_count_rows(db, _select_sealed_by_unknown(db, column)) for column in COLUMNS)
    if unknown and not total:
        raise SettingsError(
            f"{_PREVIOUS} is the wrong key: no stored row was encrypted with it, and {unknown:,} rows"
            " were encrypted with an unknown key. Nothing was changed.",
            next_step=f"Set {_PREVIOUS} to the key used before {_KEY}.",
        )
    sealed = {column.name: 0 for column in COLUMNS}
    damaged = 0
    done = 0
    for column in COLUMNS:
        if not found[column]:
            continue
        for batch in _iterate_batches(db, column):
            resealed, broken = _reseal(db, column, batch)
            sealed[column.name] += resealed
            damaged += broken
            done += len(batch)
            on_batch(done, max(total, done))
    rest = sum(_count_rows(db, _select_sealed_by_previous(db, column)) for column in COLUMNS)
    return RotationResult(sealed, damaged, max(rest - damaged, 0), unknown)


def _check_keys(cipher: Cipher) -> None:
    if not cipher.on:
        step = (
            f"Set {_KEY} to a new key (`openssl rand -hex 32`), and {_PREVIOUS} to the one before."
        )
        raise SettingsError(f"{_KEY} is not set: there is no key to encrypt with.", next_step=step)
    if not cipher.previous_head:
        raise SettingsError(
            f"{_PREVIOUS} is not set, or is the same as {_KEY}: there is no key to change from.",
            next_step=(
                f"Set {_PREVIOUS} to the old key, {_KEY} to the new one, and restart Assay"
                " everywhere."
            ),
        )


# ---------------------------------------------------------------- which rows


def _starts_with(column: SealedColumn, head: bytes) -> sa.ColumnElement[bool]:
    """Match bodies that start with `head`, a multiple of three bytes for bodies stored as text."""
    start = shelf.SEALED + b64encode(head).decode() if column.text else head
    return sa.func.substr(column.column, 1, len(start)) == start


def _select_sealed_by_previous(db: Database, column: SealedColumn) -> sa.Select[Any]:
    return sa.select(column.table).where(_starts_with(column, db.cipher.previous_head))


def _select_sealed_by_unknown(db: Database, column: SealedColumn) -> sa.Select[Any]:
    sealed = _starts_with(column, SEAL_MAGIC[:6] if column.text else SEAL_MAGIC + SEALED_MARK)
    return sa.select(column.table).where(
        sealed,
        *(
            sa.not_(_starts_with(column, head))
            for head in (db.cipher.head, db.cipher.previous_head)
        ),
    )


def _count_rows(db: Database, rows: sa.Select[Any]) -> int:
    count = sa.select(sa.func.count()).select_from(rows.subquery())
    with db.reading() as conn:
        return int(conn.execute(count).scalar_one())


def _iterate_batches(db: Database, column: SealedColumn) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Yield the primary keys of the rows to reseal, in order, batch by batch."""
    key = sa.tuple_(*column.table.primary_key)
    sized = _select_sealed_by_previous(db, column).with_only_columns(
        *column.table.primary_key, sa.func.length(column.column).label("size")
    )
    after: tuple[Any, ...] | None = None
    while True:
        more = sized if after is None else sized.where(key > after)
        with db.reading() as conn:
            rows = [
                tuple(row)
                for row in conn.execute(
                    more.order_by(*column.table.primary_key).limit(MAX_BATCH_ROWS)
                )
            ]
        if not rows:
            return
        batch, size = list[tuple[Any, ...]](), 0
        for *one, length in rows:
            if batch and size + length > MAX_BATCH_BYTES:
                yield batch
                batch, size = [], 0
            batch.append(tuple(one))
            size += length
        yield batch
        after = batch[-1]


# ---------------------------------------------------------------- a batch


def _reseal(db: Database, column: SealedColumn, keys: Sequence[tuple[Any, ...]]) -> tuple[int, int]:
    """Reseal these rows in one transaction; return how many, and how many could not be opened."""
    rows = _select_sealed_by_previous(db, column).where(
        sa.tuple_(*column.table.primary_key).in_(keys)
    )
    if column.table is event:
        # An event has no tenant of its own, only that of its session.
        rows = rows.join(session, session.c.id == event.c.session).add_columns(session.c.tenant)
    anew, damaged = list[tuple[Any, dict[str, Any]]](), 0
    with db.reading() as conn:
        found = conn.execute(rows).all()
    for row in found:
        try:
            anew.append((row, _reseal_values(db, column, row)))
        except StoreError:
            # No key opens it; the result counts such rows.
            damaged += 1
    with db.writing() as conn:
        taken = _find_taken_keys(conn, anew) if column.table is event else set()
        for row, values in anew:
            if "key" in values and (row.session, values["key"]) in taken:
                values["key"] = row.key
        if anew:
            conn.execute(
                _build_update(column, anew[0][1]),
                [_build_parameters(column, row, values) for row, values in anew],
            )
    return len(anew), damaged


def _find_taken_keys(
    conn: sa.Connection, anew: Sequence[tuple[Any, dict[str, Any]]]
) -> set[tuple[str, str]]:
    """Return the new keys that a session already has.

    A process that knew only the new key did not see the old spelling. The later event then has the
    new key; the earlier one keeps the old spelling, which nobody looks up.
    """
    keys = [
        values["key"]
        for row, values in anew
        if values["key"] is not None and values["key"] != row.key
    ]
    found = sa.select(event.c.session, event.c.key).where(
        event.c.session.in_({row.session for row, _ in anew}), event.c.key.in_(keys)
    )
    return {(row.session, row.key) for row in conn.execute(found)} if keys else set()


#: How much of a body is compared: what it begins with, key and nonce. No nonce is used twice, so
#: that what begins alike is the same.
_COMPARED_LENGTH = 64


def _build_update(column: SealedColumn, names: Iterable[str]) -> sa.Update:
    """Build the update of these columns for a row that is still as it was read."""
    same = [part == sa.bindparam(f"my_{part.name}") for part in column.table.primary_key]
    was = sa.func.substr(column.column, 1, _COMPARED_LENGTH) == sa.bindparam("was")
    return (
        sa.update(column.table)
        .where(*same, was)
        .values({name: sa.bindparam(f"new_{name}") for name in names})
    )


def _build_parameters(column: SealedColumn, row: Any, values: dict[str, Any]) -> dict[str, Any]:
    mine = {f"my_{part.name}": getattr(row, part.name) for part in column.table.primary_key}
    return {
        **mine,
        "was": getattr(row, column.column.name)[:_COMPARED_LENGTH],
        **{f"new_{name}": value for name, value in values.items()},
    }


def _reseal_values(db: Database, column: SealedColumn, row: Any) -> dict[str, Any]:
    """Return the new values of a row. Raises StoreError if its body cannot be opened."""
    who = Principal(row.tenant)
    if column.table is event:
        return reseal_event(db, who, row)
    name = column.column.name
    body = getattr(row, name)
    place = column.place(row)
    if not column.text:
        return {name: _reseal_body(db, who, body, place)}
    sealed = b64decode(body.removeprefix(shelf.SEALED))
    resealed = _reseal_body(db, who, sealed, place)
    return {name: shelf.SEALED + b64encode(resealed).decode()}


def _reseal_body(db: Database, who: Principal, body: bytes, place: tuple[str, ...]) -> bytes:
    return seal_payload(db, who, unseal_payload(db, who, body, *place), *place)
