"""DBOS as this project wants it: its tables beside the store's, JSON instead of pickle, one
version, no telemetry.

It decides which process runs what and when. It knows nothing of sessions and holds nothing that the
log does not know better.
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
#: Raised by hand when an older worker could no longer go on with a newer one's work. DBOS would
#: else make it a hash of our source.
VERSION = "1"
#: Nothing is ever notified; this is only how long it takes DBOS to notice that it shall end.
NOTICE_S = 0.1
BUSY_MS = 30_000


class JsonSerializer(Serializer):
    """What DBOS stores, as JSON: its default is pickle, which lets whoever writes to the database
    run code.
    """

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
    """DBOS's tables, made where they are missing, and all that a process can do with them that runs
    nothing. Raises StoreError.
    """
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
    """DBOS itself in this process, under that name, taking work from the queues until the block
    ends. Once at a time.
    """
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
            "notification_listener_polling_interval_sec": NOTICE_S,
        }
        DBOS(config=config)
        try:
            DBOS.launch()
            yield
        finally:
            DBOS.destroy()


def requeue(dead: list[str]) -> None:
    """Give the work of dead executors back to its queue; another one's is not touched, however
    often this is called.

    The only use of a private name of DBOS, which is pinned for it. Its public `resume_workflows`
    asks for no owner and revives what was cancelled.
    """
    DBOS._recover_pending_workflows(dead)


@contextmanager
def _open_engine(db: Database) -> Iterator[sa.Engine | None]:
    """On SQLite an engine on the store's file, as DBOS makes its own, with the write-ahead log
    besides. On PostgreSQL DBOS's is right.
    """
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
