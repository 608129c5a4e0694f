"""Recover what can be read of a damaged SQLite file, page by page, into a working database.

A damaged page takes the rows on it and no others: each table is read by row number, and where a
read fails, the next row that can be read is looked for. A long body continues on pages of its own,
where SQLite notices no damage; such a row is left out if its body is not what was written. The
damaged file is only read.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from research_core.errors import StoreError, UsageError
from research_core.journal.database import (
    Database,
    find_set_aside,
    list_wal_files,
    storage_errors,
)
from research_core.journal.encryption import SEAL_MAGIC
from research_core.journal.tables import (
    CompressedBinary,
    blob,
    decompress,
    event,
    executor,
    metadata,
    open_database,
    session,
)

#: Rows read at once; after a failure they are read one by one.
BATCH_ROWS = 200
#: The largest row number of SQLite.
MAX_ROW = 2**63 - 1
#: Counts the entries of an index, not the rows themselves.
_EVENT_COUNTS = (
    "SELECT session, count(*) FROM event INDEXED BY sqlite_autoindex_event_1 GROUP BY session"
)
_NOT_COPIED = {executor.name}  # no process of that time is alive
#: Columns whose bodies are JSON.
_JSON_BODIES = {(event.name, event.c.data.name), (session.name, session.c.settings.name)}


@dataclass(frozen=True)
class SalvageResult:
    """What was recovered.

    recovered, present: rows by table that were copied, and that the database had already;
    damaged_tables: those where rows were lost, with the number of gaps; sessions: how many could be
    read; incomplete: those of them that lack events.
    """

    source: Path
    recovered: Mapping[str, int]
    present: Mapping[str, int]
    damaged_tables: Mapping[str, int]
    sessions: int
    incomplete: tuple[str, ...]


def salvage_database(db: Database, source: Path) -> SalvageResult:
    """Copy everything readable of the damaged file into the database, which keeps its own rows.

    Raises StoreError if the file has no readable list of tables, UsageError if it does not exist.
    """
    if db.path is None:
        raise UsageError(
            "Only SQLite files can be salvaged.",
            next_step="Restore PostgreSQL from a backup (docs/deploying.md#backups).",
        )
    if not source.is_file():
        raise UsageError(f"There is no file {source}.", next_step="Give the damaged database.")
    with tempfile.TemporaryDirectory(dir=db.path.parent, prefix="salvage-") as folder:
        copy, read = Path(folder) / "damaged.db", Path(folder) / "read.db"
        shutil.copyfile(source, copy)
        for original in list_wal_files(source):
            suffix = original.name.removeprefix(source.name)
            shutil.copyfile(original, copy.with_name(copy.name + suffix))
        gaps, expected = _read_into(copy, read)
        open_database(f"sqlite:///{read}").close()  # brings it to this version's tables
        recovered, present = _merge(db, read)
        sessions, incomplete = _find_incomplete(read, expected)
    return SalvageResult(source, recovered, present, gaps, sessions, incomplete)


def find_damaged_file(path: Path) -> Path | None:
    """Return the damaged file to salvage of the database at this path, the oldest first."""
    return next(iter(find_set_aside(path)), None)


def mark_salvaged(source: Path) -> Path:
    """Rename a salvaged file, so that nobody is told of it again. Return its new name."""
    target = source.with_name(source.name.replace(".damaged-", ".salvaged-"))
    with storage_errors():
        for file in (source, *list_wal_files(source)):
            file.rename(target.with_name(target.name + file.name.removeprefix(source.name)))
    return target


def _read_into(damaged: Path, target: Path) -> tuple[dict[str, int], dict[str, int]]:
    """Write the readable rows of all tables to a new file.

    Returns the gaps of each table, and how many events each session should have.
    """
    expected: dict[str, int] = {}
    gaps: dict[str, int] = {}
    with closing(sqlite3.connect(damaged)) as old, closing(sqlite3.connect(target)) as new:
        # Text that is damaged inside is kept as bytes would be: the row may still be of use.
        old.text_factory = lambda raw: raw.decode("utf-8", "replace")
        known = {*metadata.tables, "migration"}
        try:
            tables = [
                (name, sql)
                for name, sql in old.execute(
                    "SELECT name, sql FROM sqlite_master WHERE type='table'"
                )
                if name in known
            ]
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"The list of tables of {damaged.name} cannot be read, so nothing can be salvaged.",
                next_step="Restore a backup (docs/deploying.md#backups).",
            ) from error
        for name, sql in tables:
            new.execute(sql)
            reader = _TableReader(old, name)
            for row in reader.read_rows():
                if not _is_whole(name, dict(zip(reader.columns, row, strict=True))):
                    reader.gaps += 1
                    continue
                places = ",".join("?" * len(row))
                new.execute(f'INSERT OR IGNORE INTO "{name}" VALUES ({places})', row)
            if reader.gaps:
                gaps[name] = reader.gaps
        new.commit()
        if "event" in gaps:
            # The index is on pages of its own; where those are damaged too, nothing is expected.
            with suppress(sqlite3.DatabaseError):
                expected.update(old.execute(_EVENT_COUNTS))
    return gaps, expected


def _is_whole(table: str, row: Mapping[str, Any]) -> bool:
    """Return True if the compressed bodies of a row are what was written, as far as can be told.

    Sealed ones notice it themselves when they are opened.
    """
    known = metadata.tables.get(table)
    for column in known.columns if known is not None else ():
        stored = row.get(column.name)
        if not isinstance(column.type, CompressedBinary) or not isinstance(stored, bytes):
            continue
        if stored.startswith(SEAL_MAGIC):
            continue
        try:
            body = decompress(stored)
            if (table, column.name) in _JSON_BODIES:
                json.loads(body)
        except (StoreError, ValueError):
            return False
        if table == blob.name and hashlib.sha256(body).hexdigest() != row[blob.c.sha.name]:
            return False
    return True


class _TableReader:
    """Reads the rows of one table in the order of their numbers, past what is damaged.

    columns: their names, in the order of the values of a row; gaps: what could not be read.
    """

    def __init__(self, connection: sqlite3.Connection, table: str) -> None:
        self._connection, self._table = connection, table
        described = connection.execute(f'SELECT * FROM "{table}" LIMIT 0').description
        self.columns = [name for name, *_ in described]
        self.gaps = 0

    def read_rows(self) -> Iterator[tuple[Any, ...]]:
        following = -MAX_ROW - 1
        limit = BATCH_ROWS
        while True:
            rows = self._read(following, limit)
            if rows is None and limit > 1:
                limit = 1
            elif rows is None:
                self.gaps += 1
                readable = self._find_readable(following)
                if readable is None:
                    return
                following = readable
            elif not rows:
                return
            else:
                for _, *row in rows:
                    yield tuple(row)
                if rows[-1][0] >= MAX_ROW:
                    return
                following = rows[-1][0] + 1
                limit = min(BATCH_ROWS, 2 * limit)

    def _read(self, first: int, limit: int) -> list[tuple[Any, ...]] | None:
        """Return up to so many rows from this number on; None if they cannot be read."""
        statement = f'SELECT rowid, * FROM "{self._table}" WHERE rowid >= ? ORDER BY rowid LIMIT ?'
        try:
            return self._connection.execute(statement, (first, limit)).fetchall()
        except sqlite3.DatabaseError:
            return None

    def _find_readable(self, bad: int) -> int | None:
        """Return the lowest number after `bad` from which a row can be read; None if none can.

        A leaf page holds consecutive numbers, so the numbers that fail are taken for one stretch.
        """
        step, low = 1, max(bad, 0)
        high = low + step
        while not self._read(high, 1):
            if self._read(high, 1) == []:  # past the last row: what is lost ends before it
                break
            step *= 2
            low, high = high, high + step
            if high >= MAX_ROW:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            if self._read(middle, 1) is None:
                low = middle
            else:
                high = middle
        return high


def _merge(db: Database, read: Path) -> tuple[dict[str, int], dict[str, int]]:
    """Copy the rows of a file to the database; return how many were copied, and were there."""
    recovered: dict[str, int] = {}
    present: dict[str, int] = {}
    with storage_errors(db.path), closing(sqlite3.connect(str(db.path))) as connection:
        connection.execute("PRAGMA busy_timeout=30000")
        connection.execute("ATTACH ? AS salvaged", (str(read),))
        connection.execute("BEGIN IMMEDIATE")
        for table in metadata.sorted_tables:
            if table.name in _NOT_COPIED:
                continue
            columns = ", ".join(f'"{column.name}"' for column in table.columns)
            found = connection.execute(f'SELECT count(*) FROM salvaged."{table.name}"').fetchone()
            copied = connection.execute(
                f'INSERT OR IGNORE INTO main."{table.name}" ({columns})'
                f' SELECT {columns} FROM salvaged."{table.name}"{_with_parent(table.name)}'
            ).rowcount
            recovered[table.name] = copied
            present[table.name] = int(found[0]) - copied
        connection.commit()
    return recovered, present


def _with_parent(table: str) -> str:
    """Return the condition that the row, of which each of these is a part, was recovered too."""
    parents = {
        "event": ("session", "session"),
        "share": ("session", "session"),
        "document": ("library", "library"),
    }
    if table not in parents:
        return ""
    column, parent = parents[table]
    return f' WHERE "{column}" IN (SELECT id FROM main."{parent}")'


def _find_incomplete(read: Path, expected: Mapping[str, int]) -> tuple[int, tuple[str, ...]]:
    """Return the number of sessions in a file, and the ids of those that lack expected events."""
    with closing(sqlite3.connect(read)) as connection:
        rows = connection.execute(
            "SELECT session.id, count(event.seq) FROM session"
            " LEFT JOIN event ON event.session = session.id"
            " GROUP BY session.id ORDER BY session.created"
        ).fetchall()
    return len(rows), tuple(id for id, count in rows if count < expected.get(id, 0))


def find_undetected_damage(path: Path) -> bool:
    """Return True if SQLite finds the file damaged; it reads the whole file."""
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.DatabaseError):
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",))
    return True
