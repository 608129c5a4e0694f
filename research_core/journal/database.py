"""Open the database of a process, and turn its failures (locked, full, damaged) into clear errors.

SQLite by default (WAL), PostgreSQL by address. The tables and migrations belong to `tables`.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sqlite3
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from research_core.errors import StoreError, UsageError
from research_core.journal.encryption import Cipher

Migration = Callable[[sa.Connection], None]
_applied_migrations = sa.Table(
    "migration", sa.MetaData(), sa.Column("name", sa.String, primary_key=True)
)
_MIGRATION_LOCK = 4155  # any number, the same in every process
#: PostgreSQL ends a transaction that is idle for so long: a frozen process must not block the
#: rows of others.
IDLE_TRANSACTION_MS = 5000
#: Seconds after which a file that is still empty was emptied, and is not one that is being made.
NEW_FILE_S = 2.0
#: Seconds between two tries to get SQLite's write lock from another process.
LOCK_RETRY_S = 0.0005
SQLITE_MAGIC = b"SQLite format 3\x00"


class Database:
    """One engine and its write lock.

    SQLite's busy wait is unfair, so the writers of one process queue on a lock of their own.
    cipher: seals the payloads; statements read it from here.
    """

    def __init__(
        self,
        url: str,
        migrations: Sequence[Migration],
        *,
        busy_timeout_s: float = 30.0,
        pool: int = 32,
        cipher: Cipher = Cipher(),
    ) -> None:
        self.cipher = cipher
        self.path = find_sqlite_path(url)
        self.readonly = self.path is not None and _is_readonly(self.path)
        if self.path is not None:
            if not self.readonly:
                _make_folder(self.path.parent)
            _check_and_count(self.path)
        self.url = url
        self._busy_timeout_s = busy_timeout_s
        self.engine = _create_engine(
            url, busy_timeout_s, pool, self.path if self.readonly else None
        )
        nobody: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
        self._writer = threading.Lock() if self.engine.dialect.name == "sqlite" else nobody
        # In memory there is one connection: a reader that returns it would roll back the
        # writer's transaction.
        self._reader = self._writer if isinstance(self.engine.pool, sa.StaticPool) else nobody
        try:
            if self.readonly:
                self._require_migrated(migrations)
            else:
                self._migrate(migrations)
        except BaseException:
            self.close()
            raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Open a connection for reading."""
        with self._reader, storage_errors(self.path), self.engine.connect() as conn:
            yield conn

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Open one transaction, committed at the end of the block."""
        with self._writer, storage_errors(self.path), self.engine.begin() as conn:
            if conn.dialect.name == "sqlite":
                _take_write_lock(conn, self._busy_timeout_s)
            yield conn

    def close(self) -> None:
        self.engine.dispose()
        if self.path is not None:
            with _check_lock:
                _open_counts.subtract([self.path])

    def _require_migrated(self, migrations: Sequence[Migration]) -> None:
        """Raise StoreError if a database that cannot be written to lacks a migration."""
        with self.reading() as conn:
            done = set(conn.execute(sa.select(_applied_migrations.c.name)).scalars())
        if not {step.__name__ for step in migrations} <= done:
            raise StoreError(
                "The database is of an earlier version, and cannot be written to, so it cannot be"
                " brought up to date.",
                next_step="Copy it to a folder you may write to, and set ASSAY_HOME to that folder.",
            )

    def _migrate(self, migrations: Sequence[Migration]) -> None:
        """Run the migrations not yet recorded, in order; safe when two processes start at once."""
        with self.writing() as conn:
            if conn.dialect.name == "postgresql":
                conn.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
            conn.execute(sa.schema.CreateTable(_applied_migrations, if_not_exists=True))
            for step in migrations:
                # The row comes first: RETURNING shows whether another process already ran the step.
                row = (
                    insert(conn, _applied_migrations)
                    .values(name=step.__name__)
                    .on_conflict_do_nothing()
                    .returning(_applied_migrations.c.name)
                )
                if conn.execute(row).scalar() is not None:
                    step(conn)


def insert(conn: sa.Connection, table: sa.Table) -> Any:
    """Return an INSERT that supports ON CONFLICT on this database.

    Test its effect by RETURNING, never by rowcount (psycopg says -1).
    """
    return insert_for_dialect(conn.dialect.name, table)


def insert_for_dialect(dialect: str, table: sa.Table) -> Any:
    """Return an INSERT like `insert`, by dialect name, for a statement that is built once."""
    return importlib.import_module(f"sqlalchemy.dialects.{dialect}").insert(table)


def find_sqlite_path(url: str) -> Path | None:
    """Return the file of an SQLite address; None for PostgreSQL and for memory."""
    prefix = "sqlite:///"
    if not url.startswith(prefix) or url == f"{prefix}:memory:":
        return None
    return Path(url.removeprefix(prefix))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder {folder} cannot be made: {error.strerror}.",
            next_step="Set ASSAY_HOME to a folder you may write to.",
        ) from error


def _is_readonly(path: Path) -> bool:
    """Return True for a file that can be read but not written to, or whose folder cannot."""
    if not os.access(path, os.R_OK):
        return False
    return not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _create_readonly_engine(path: Path, pool: int) -> sa.Engine:
    """Return an engine that reads a file as it lies there, without locks and write-ahead log."""
    address = f"sqlite:///file:{quote(str(path))}?mode=ro&immutable=1&uri=true"
    return sa.create_engine(
        address,
        connect_args={"check_same_thread": False},
        pool_size=pool,
        max_overflow=0,
        hide_parameters=True,
    )


def _create_engine(
    url: str, busy_timeout_s: float, pool: int, readonly_file: Path | None = None
) -> sa.Engine:
    """Return the engine of a database. Its errors never quote values, which may be questions."""
    if readonly_file is not None:
        return _create_readonly_engine(readonly_file, pool)
    if not url.startswith("sqlite"):
        given = sa.make_url(url).normalized_query.get("options", ())  # ours would replace these
        impatient = {
            "options": " ".join(
                (*given, f"-c idle_in_transaction_session_timeout={IDLE_TRANSACTION_MS}")
            )
        }
        return sa.create_engine(
            url,
            pool_size=pool,
            max_overflow=0,
            pool_pre_ping=True,
            connect_args=impatient,
            hide_parameters=True,
        )
    options: dict[str, Any] = (
        {"poolclass": sa.StaticPool}
        if find_sqlite_path(url) is None
        else {"pool_size": pool, "max_overflow": 0}
    )
    engine = sa.create_engine(
        url,
        connect_args={"timeout": busy_timeout_s, "check_same_thread": False},
        hide_parameters=True,
        **options,
    )

    @sa.event.listens_for(engine, "connect")
    def _pragmas(connection: Any, _record: Any) -> None:
        connection.execute(f"PRAGMA busy_timeout={int(busy_timeout_s * 1000)}")
        _use_wal(connection, busy_timeout_s)
        connection.execute("PRAGMA synchronous=normal")
        connection.execute("PRAGMA foreign_keys=on")

    return engine


def _take_write_lock(conn: sa.Connection, within_s: float) -> None:
    """Begin a transaction that writes, asking for SQLite's lock every LOCK_RETRY_S.

    SQLite's own wait grows to 0.1 s between two tries, in which the lock lies free.
    """
    conn.exec_driver_sql("PRAGMA busy_timeout=0")
    try:
        begin = partial(conn.exec_driver_sql, "BEGIN IMMEDIATE")
        _retry_while_locked(begin, within_s, LOCK_RETRY_S)
    finally:
        conn.exec_driver_sql(f"PRAGMA busy_timeout={int(within_s * 1000)}")


def _use_wal(connection: sqlite3.Connection, within_s: float) -> None:
    """Switch to WAL, retrying while another process has the new file locked.

    For this statement SQLite's busy timeout does not apply.
    """
    _retry_while_locked(partial(connection.execute, "PRAGMA journal_mode=wal"), within_s, 0.01)


def _retry_while_locked(execute: Callable[[], object], within_s: float, pause_s: float) -> None:
    """Execute a statement again and again while another process holds the lock."""
    until = time.monotonic() + within_s
    while True:
        try:
            execute()
            return
        except (sqlite3.OperationalError, sa.exc.OperationalError) as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(pause_s)


_RETRY_STEP = "then try again; nothing recorded is lost."
_DISK_FULL = ("The disk is full.", f"Free some space, {_RETRY_STEP}")
_DAMAGED = (
    "The database file is damaged.",
    "Start again: it will be set aside, not overwritten, and a new one made.",
)
#: Text in the driver's error, then what happened and what to do. The first match counts.
_STORAGE_FAULTS = (
    (
        "is locked",
        ("The database is locked by another process.", f"Close the other program, {_RETRY_STEP}"),
    ),
    ("disk is full", _DISK_FULL),
    ("no space left", _DISK_FULL),
    (
        "disk i/o",
        (
            "The disk refused a write (full, over a quota, or failing).",
            f"Free some space, {_RETRY_STEP}",
        ),
    ),
    ("disk image is malformed", _DAMAGED),
    ("not a database", _DAMAGED),
    ("readonly", ("The database cannot be written to.", "Check the permissions of ASSAY_HOME.")),
    (
        "unable to open",
        (
            "The database file cannot be opened.",
            "Check that ASSAY_HOME exists and may be written to.",
        ),
    ),
    (
        "connection",
        (
            "The database server does not answer.",
            "Check ASSAY_DATABASE_URL and that the server runs.",
        ),
    ),
)


def _make_unstorable_error() -> UsageError:
    return UsageError(
        "A name or text holds a NUL character or half a character, which cannot be stored.",
        next_step="Give it without, as UTF-8.",
    )


@contextlib.contextmanager
def storage_errors(path: Path | None = None) -> Iterator[None]:
    """Turn a driver's failure into a StoreError that says what to do.

    Our own mistakes (integrity, programming) pass through. path: the SQLite file. A file found
    damaged is marked, because its header may be sound, and set aside at the next start. Raises
    UsageError for a text that no database takes.
    """
    try:
        yield
    except UnicodeEncodeError as error:
        raise _make_unstorable_error() from error
    except (sa.exc.OperationalError, sa.exc.InternalError, sa.exc.DatabaseError) as error:
        if isinstance(error, sa.exc.DataError) and "NUL" in str(error.orig):
            raise _make_unstorable_error() from error
        if isinstance(error, (sa.exc.IntegrityError, sa.exc.ProgrammingError, sa.exc.DataError)):
            raise
        message = str(error.orig)
        refused = (
            f"The database refused: {message.strip()}.",
            "Check ASSAY_DATABASE_URL and the disk.",
        )
        fault = next((fault for word, fault in _STORAGE_FAULTS if word in message.lower()), refused)
        if fault is _DAMAGED and path is not None:
            mark_damaged(path)
        raise StoreError(fault[0], next_step=fault[1]) from error


#: How many databases of this process are open on each file. Reading such a file directly would
#: release SQLite's own locks when it is closed (they belong to the process, not to the handle), and
#: another process could then remove the write-ahead log in use.
_open_counts: Counter[Path] = Counter()
_check_lock = threading.Lock()


def _check_and_count(path: Path) -> None:
    """Set the file aside if it is damaged and not yet open here; count it as open."""
    with _check_lock:
        if _open_counts[path] <= 0:
            set_aside_if_damaged(path)
        _open_counts[path] += 1


def set_aside_if_damaged(path: Path) -> None:
    """Move a truncated or marked file out of the way and raise StoreError; nothing is overwritten.

    Only the header is read, so any size costs the same: the magic words, and the page count against
    the file's length. A file with a write-ahead log may be shorter than its header says, so its
    length is not checked.
    """
    try:
        if not path.exists():
            return
        _await_header(path)
        if _is_sound(path):
            return
        if path.stat().st_size and not _is_sqlite(path):
            raise StoreError(
                f"{path} is not a database of Assay's; it was left as it is.",
                next_step="Check ASSAY_DATABASE_URL and ASSAY_HOME.",
            )
        aside = next(
            name
            for n in range(1, 10_000)
            if not (name := _sibling_path(path, f".damaged-{n}")).exists()
        )
        for file in list_wal_files(path):
            file.rename(_sibling_path(aside, file.name.removeprefix(path.name)))
        path.rename(aside)
        _sibling_path(path, ".damaged").unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(
            f"The database {path} cannot be read: {error.strerror}.",
            next_step="Check its permissions.",
        ) from error
    raise StoreError(
        f"The database {path} is damaged. It has been set aside as {aside.name}.",
        next_step="Start again: a new one will be made. `assay data salvage` then recovers what can"
        " be read.",
    )


def mark_damaged(path: Path) -> None:
    """Have the file set aside at the next start."""
    with contextlib.suppress(OSError):
        _sibling_path(path, ".damaged").touch()


def list_wal_files(path: Path) -> list[Path]:
    """Return the files of the write-ahead log that exist beside an SQLite file."""
    beside = (_sibling_path(path, suffix) for suffix in ("-wal", "-shm"))
    return [file for file in beside if file.exists()]


def find_set_aside(path: Path | None) -> list[Path]:
    """Return the damaged files that were set aside from this path and not salvaged, oldest first.

    path: None for a database that is no file.
    """
    if path is None or not path.parent.is_dir():
        return []
    prefix = f"{path.name}.damaged-"
    found = {}
    for file in path.parent.iterdir():
        number = file.name.removeprefix(prefix)
        if file.name.startswith(prefix) and number.isdecimal():
            found[int(number)] = file
    return [found[number] for number in sorted(found)]


def _await_header(path: Path) -> None:
    """Wait while an empty file may be one that another process is making.

    SQLite makes an empty file and writes its header within milliseconds.
    """
    until = time.monotonic() + NEW_FILE_S
    while path.stat().st_size == 0 and time.monotonic() < until:
        if time.time() - path.stat().st_mtime > NEW_FILE_S:
            return
        time.sleep(0.05)


def _sibling_path(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _is_sqlite(path: Path) -> bool:
    """Return True if the file begins like an SQLite file; other files are never moved."""
    with path.open("rb") as file:
        return file.read(16).startswith(SQLITE_MAGIC)


def _is_sound(path: Path) -> bool:
    """Return True if the header is whole and no page is missing."""
    had_wal = _sibling_path(path, "-wal").exists()
    with path.open("rb") as file:
        header = file.read(100)
    if len(header) < 100 or not header.startswith(SQLITE_MAGIC):
        return False
    if _sibling_path(path, ".damaged").exists():
        return False
    page_size = struct.unpack(">H", header[16:18])[0]
    if page_size == 1:
        page_size = 65536
    pages = struct.unpack(">I", header[28:32])[0]
    if pages * page_size <= path.stat().st_size:
        return True
    # Asked twice: another process may begin or end in between.
    return had_wal or _sibling_path(path, "-wal").exists()
