"""Set up DBOS, the queue of work: tables beside the store's, JSON instead of pickle, no telemetry.

DBOS decides which process runs what and when. It knows nothing of sessions and holds nothing that
the log does not know better; `workers` uses it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from dbos import DBOS, DBOSClient, DBOSConfig, Serializer

from research_core.journal.database import IDLE_TRANSACTION_MS, Database, storage_errors

APPLICATION = "assay"
#: Raise it when an older worker could no longer go on with a newer one's work. Without it DBOS
#: takes a hash of our source, and each change would strand the work in the queue.
VERSION = "1"
#: How long DBOS takes to notice that it shall end; nothing else is notified.
POLLING_S = 0.1
BUSY_MS = 30_000


class JsonSerializer(Serializer):
    """Serialize DBOS values as JSON; its default, pickle, would run code from the database."""

    def serialize(self, data: Any) -> str:
        return json.dumps(
            data, default=lambda error: {"error": type(error).__name__, "message": str(error)}
        )

    def deserialize(self, serialized_data: str) -> Any:
        return json.loads(serialized_data)

    def name(self) -> str:
        return "json"


@contextmanager
def open_tables(db: Database) -> Iterator[DBOSClient]:
    """Create the DBOS tables if missing and yield a client that runs nothing. Raises StoreError."""
    with storage_errors(db.path), _open_engine(db) as engine:
        DBOS.migrate(db.url)
        client = DBOSClient(
            system_database_url=db.url,
            system_database_engine=engine,
            serializer=JsonSerializer(),
            application_name=APPLICATION,
            retry_connection_errors=False,
            sys_db_idle_transaction_timeout_sec=IDLE_TRANSACTION_MS / 1000,
        )
        try:
            yield client
        finally:
            client.destroy()


@contextmanager
def run_scheduler(db: Database, executor: str) -> Iterator[None]:
    """Run DBOS in this process under this name until the block ends. Only one at a time."""
    with _open_engine(db) as engine:
        config: DBOSConfig = {
            "name": APPLICATION,
            "system_database_url": db.url,
            "system_database_engine": engine,
            "sys_db_idle_transaction_timeout_sec": IDLE_TRANSACTION_MS / 1000,
            "application_version": VERSION,
            "executor_id": executor,
            "serializer": JsonSerializer(),
            "enable_otlp": False,
            "log_level": "ERROR",
            "notification_listener_polling_interval_sec": POLLING_S,
        }
        DBOS(config=config)
        try:
            DBOS.launch()
            yield
        finally:
            DBOS.destroy()


def requeue(dead: list[str]) -> None:
    """Put the work of dead executors back into its queue; repeated calls are harmless.

    This is the only use of a private DBOS name, and DBOS is pinned for it. The public
    `resume_workflows` checks no owner and revives cancelled work.
    """
    DBOS._recover_pending_workflows(dead)


@contextmanager
def _open_engine(db: Database) -> Iterator[sa.Engine | None]:
    """Yield an engine like DBOS's own but with a write-ahead log on SQLite, None on PostgreSQL."""
    if db.engine.dialect.name != "sqlite":
        yield None
        return
    engine = sa.create_engine(
        db.url, connect_args={"timeout": BUSY_MS / 1000, "check_same_thread": False}
    )
    sa.event.listen(engine, "connect", _prepare_connection)
    try:
        yield engine
    finally:
        engine.dispose()


def _prepare_connection(connection: Any, _record: Any) -> None:
    connection.isolation_level = "IMMEDIATE"
    for pragma in (
        f"busy_timeout={BUSY_MS}",
        "journal_mode=wal",
        "synchronous=normal",
        "foreign_keys=on",
    ):
        connection.execute(f"PRAGMA {pragma}")
