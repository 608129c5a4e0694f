"""One SQLAlchemy engine per process, and what a database can do to us: be locked, be full, be damaged.

SQLite by default (WAL), PostgreSQL by address. Knows no table; `store` hands it the migrations.
"""

from __future__ import annotations

import contextlib
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from research_core.errors import StoreError

Migration = Callable[[sa.Connection], None]
_done = sa.Table("migration", sa.MetaData(), sa.Column("name", sa.String, primary_key=True))
_MIGRATION_LOCK = 4155  # any number, the same in every process


class Database:
    """One engine and its write lock. SQLite's busy wait is unfair, so writers of one process queue on a lock of their own."""

    def __init__(self, url: str, migrations: Sequence[Migration], *, busy_timeout_s: float = 30.0, pool: int = 32) -> None:
        path = sqlite_path(url)
        if path is not None:
            set_aside_if_damaged(path)
            _make_folder(path.parent)
        self.url = url
        self.engine = _engine(url, busy_timeout_s, pool)
        self._writer: contextlib.AbstractContextManager[Any] = (
            threading.Lock() if self.engine.dialect.name == "sqlite" else contextlib.nullcontext()
        )
        self._migrate(migrations)

    @contextlib.contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        with storage_errors(), self.engine.connect() as conn:
            yield conn

    @contextlib.contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """One transaction, committed at the end of the block."""
        with self._writer, storage_errors(), self.engine.begin() as conn:
            yield conn

    def close(self) -> None:
        self.engine.dispose()

    def _migrate(self, migrations: Sequence[Migration]) -> None:
        """Run what is not yet recorded, in order; safe when two processes start at once."""
        with self.writing() as conn:
            if conn.dialect.name == "postgresql":
                conn.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
            _done.create(conn, checkfirst=True)
            for step in migrations:
                # The row comes first: on SQLite it takes the write lock, and RETURNING tells who was first.
                row = insert(conn, _done).values(name=step.__name__).on_conflict_do_nothing().returning(_done.c.name)
                if conn.execute(row).scalar() is not None:
                    step(conn)


def insert(conn: sa.Connection, table: sa.Table) -> Any:
    """INSERT that knows ON CONFLICT on this database. Test what it did by RETURNING, never by rowcount (psycopg says -1)."""
    return {"sqlite": sqlite, "postgresql": postgresql}[conn.dialect.name].insert(table)


def sqlite_path(url: str) -> Path | None:
    """The file of an SQLite address; None for PostgreSQL and for memory."""
    prefix = "sqlite:///"
    return Path(url.removeprefix(prefix)) if url.startswith(prefix) and url != f"{prefix}:memory:" else None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder {folder} cannot be made: {error.strerror}.", next_step="Set ASSAY_HOME to a folder you may write to."
        ) from error


def _engine(url: str, busy_timeout_s: float, pool: int) -> sa.Engine:
    if not url.startswith("sqlite"):
        return sa.create_engine(url, pool_size=pool, max_overflow=0, pool_pre_ping=True)
    options: dict[str, Any] = {"poolclass": sa.StaticPool} if sqlite_path(url) is None else {"pool_size": pool, "max_overflow": 0}
    engine = sa.create_engine(url, connect_args={"timeout": busy_timeout_s, "check_same_thread": False}, **options)

    @sa.event.listens_for(engine, "connect")
    def _pragmas(connection: Any, _record: Any) -> None:
        for pragma in (f"busy_timeout={int(busy_timeout_s * 1000)}", "journal_mode=wal", "synchronous=normal", "foreign_keys=on"):
            connection.execute(f"PRAGMA {pragma}")

    return engine


_RESUME = "then `assay resume` the session; nothing recorded is lost."
_ANEW = "Start again: it will be set aside, not overwritten, and a new one made."
#: What the driver says, what happened, and what to do. The first match counts.
_STORAGE_FAULTS = (
    ("locked", "The database is locked by another process.", f"Close the other program, {_RESUME}"),
    ("full", "The disk is full.", f"Free some space, {_RESUME}"),
    ("disk i/o", "The disk refused a write (full, over a quota, or failing).", f"Free some space, {_RESUME}"),
    ("malformed", "The database file is damaged.", _ANEW),
    ("not a database", "The database file is damaged.", _ANEW),
    ("readonly", "The database cannot be written to.", "Check the permissions of ASSAY_HOME."),
    ("unable to open", "The database file cannot be opened.", "Check that ASSAY_HOME exists and may be written to."),
    ("connection", "The database server does not answer.", "Check ASSAY_DATABASE_URL and that the server runs."),
)


@contextlib.contextmanager
def storage_errors() -> Iterator[None]:
    """Turn a driver's failure into a StoreError that says what to do. A mistake of ours (integrity, programming) passes through."""
    try:
        yield
    except (sa.exc.OperationalError, sa.exc.InternalError, sa.exc.DatabaseError) as error:
        if isinstance(error, (sa.exc.IntegrityError, sa.exc.ProgrammingError, sa.exc.DataError)):
            raise
        said = str(error.orig)
        for word, message, next_step in _STORAGE_FAULTS:
            if word in said.lower():
                raise StoreError(message, next_step=next_step) from error
        raise StoreError(f"The database refused: {said.strip()}.", next_step="Check ASSAY_DATABASE_URL and the disk.") from error


def set_aside_if_damaged(path: Path) -> None:
    """Move a truncated or foreign file out of the way and say so (StoreError), so that nothing is ever overwritten.

    Looks at the header only, so it costs the same for any size: the magic words, and the page count against the file's length.
    A file with a write-ahead log beside it may rightly be shorter than its header says, so its length is not judged.
    """
    if not path.exists() or path.stat().st_size == 0:
        return
    with path.open("rb") as file:
        header = file.read(100)
    if _sound(header, path.stat().st_size, path.with_name(path.name + "-wal").exists()):
        return
    aside = next(name for n in range(1, 10_000) if not (name := path.with_name(f"{path.name}.damaged-{n}")).exists())
    for suffix in ("-wal", "-shm"):
        beside = path.with_name(path.name + suffix)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + suffix))
    path.rename(aside)
    raise StoreError(
        f"The database {path} is damaged. It has been set aside as {aside.name}.", next_step="Start again: a new one will be made."
    )


def _sound(header: bytes, size: int, has_wal: bool) -> bool:
    if len(header) < 100 or not header.startswith(b"SQLite format 3\x00"):
        return False
    page = struct.unpack(">H", header[16:18])[0]
    pages = struct.unpack(">I", header[28:32])[0]
    return has_wal or pages * (65536 if page == 1 else page) <= size
