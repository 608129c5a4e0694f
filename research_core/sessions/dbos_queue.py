"""Set up DBOS, the queue of work: tables beside the store's, JSON instead of pickle, no telemetry.

DBOS decides which process runs what and when. It holds nothing that the log does not know better.
`workers` imports this module when an engine starts, as DBOS takes a third of a second to import.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from dbos import DBOS, DBOSClient, DBOSConfig, EnqueueOptions, Serializer

from research_core.errors import Stopped
from research_core.journal.database import IDLE_TRANSACTION_MS, Database, storage_errors
from research_core.models import Principal

QUEUE, WORKFLOW = "research", "attempt"
#: How often a session may take its worker down with it before it is left to the analyst.
MAX_RECOVERIES = 20
APPLICATION = "assay"
#: Raise it when an older worker could no longer go on with a newer one's work. Without it DBOS
#: takes a hash of our source, and each change would strand the work in the queue.
VERSION = "1"
#: How long DBOS takes to notice that it shall end; nothing else is notified.
POLLING_S = 0.1
BUSY_MS = 30_000
#: Users take turns; so many attempts of one turn begin in the order they were queued.
TURN = 1000

#: Runs an attempt of a session, and returns how it ended.
RunAttempt = Callable[[str, Principal], str]
#: What runs attempts in this process, at most one.
_runs: list[RunAttempt] = []


@DBOS.workflow(name=WORKFLOW, max_recovery_attempts=MAX_RECOVERIES)
def _run_workflow(session: str, tenant: str, user: str) -> dict[str, str]:
    """Run an attempt for DBOS. Stopped is no Exception, so the attempt stays pending and reruns."""
    for run in _runs:
        return {"outcome": run(session, Principal(tenant, user))}
    raise Stopped("shutdown")


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


#: The columns of DBOS's table that say who waits. Reading its rows through its client takes 14 ms
#: with 500 of them, counting them less than one.
_COLUMNS = (
    "workflow_uuid",
    "status",
    "queue_name",
    "priority",
    "created_at",
    "authenticated_user",
    "executor_id",
)


@dataclass(frozen=True)
class QueuePlace:
    """The place of an attempt in the queue.

    ahead: how many waiting attempts begin before it; running: how many attempts run.
    """

    priority: int
    ahead: int
    running: int


class WorkQueue:
    """The queue of attempts, which all processes on one database share."""

    def __init__(self, client: DBOSClient, db: Database) -> None:
        self._client, self._db = client, db
        schema = "dbos" if db.engine.dialect.name == "postgresql" else None
        table = sa.table("workflow_status", *map(sa.column, _COLUMNS), schema=schema)
        self._row = table.c
        of_queue = table.c.queue_name == QUEUE
        self._waits = sa.and_(of_queue, table.c.status == "ENQUEUED")
        self._runs = sa.and_(of_queue, table.c.status == "PENDING")

    def plan_place(self, session: str, attempt: int, who: Principal) -> QueuePlace:
        """Return the place that an attempt has in the queue, or gets there. Raises StoreError.

        Users take turns, and the attempts of one user begin in the order they were queued.
        """
        row, workflow = self._row, _name_workflow(session, attempt)
        of_user = row.authenticated_user == _name_user(who)
        with self._db.reading() as conn:

            def find(value: Any, *conditions: sa.ColumnElement[bool]) -> int | None:
                found: int | None = conn.execute(sa.select(value).where(*conditions)).scalar()
                return found

            running = find(sa.func.count(), self._runs) or 0
            priority = find(row.priority, self._waits, row.workflow_uuid == workflow)
            if priority is None:
                of_running = find(sa.func.max(row.priority), self._runs) or 0
                of_last = find(sa.func.max(row.priority), self._waits, of_user)
                # The turn after the user's last that waits. Without one, it is the turn that runs
                # now, so that a user who comes later neither waits for all that others have
                # queued, nor overtakes those who wait for that turn already.
                turns = [1, of_running // TURN]
                if of_last is not None:
                    turns.append(of_last // TURN + 1)
                first = max(turns) * TURN
                of_turn = row.priority.between(first, first + TURN - 1)
                earlier = find(sa.func.count(), self._waits, of_turn) or 0
                # SQLite tells times of queueing apart only by the second.
                priority = first + min(earlier, TURN - 1)
            before = sa.and_(row.priority <= priority, row.workflow_uuid != workflow)
            ahead = find(sa.func.count(), self._waits, before) or 0
        return QueuePlace(priority, ahead, running)

    def enqueue(self, session: str, attempt: int, who: Principal, priority: int) -> None:
        """Queue an attempt; repeated calls for one count once. Raises StoreError.

        priority: of `plan_place`.
        """
        options: EnqueueOptions = {
            "workflow_name": WORKFLOW,
            "queue_name": QUEUE,
            "workflow_id": _name_workflow(session, attempt),
            "app_version": VERSION,
            "authenticated_user": _name_user(who),
            "priority": priority,
        }
        with storage_errors(self._db.path):
            self._client.enqueue(options, session, who.tenant, who.user)

    def cancel(self, session: str) -> None:
        """Take the attempts of a session that have not begun out of the queue.

        Raises StoreError.
        """
        of_session = self._row.workflow_uuid.startswith(f"{session}#", autoescape=True)
        ids = sa.select(self._row.workflow_uuid).where(self._waits, of_session)
        with self._db.reading() as conn:
            attempts = conn.execute(ids).scalars().all()
        with storage_errors(self._db.path):
            for attempt in attempts:
                self._client.cancel_workflow(attempt)

    def find_place(self, session: str) -> int | None:
        """Return how many attempts begin before this session's, None if it is not in the queue.

        Raises StoreError.
        """
        row = self._row
        place = (row.priority, row.created_at, row.workflow_uuid)
        of_session = row.workflow_uuid.startswith(f"{session}#", autoescape=True)
        with self._db.reading() as conn:
            own = conn.execute(sa.select(*place).where(self._waits, of_session)).first()
            if own is None:
                return None
            before = sa.tuple_(*place) < sa.tuple_(*own)
            count = sa.select(sa.func.count()).where(self._waits, before)
            return int(conn.execute(count).scalar_one())

    def list_sessions(self) -> set[str]:
        """Return the sessions with an attempt that is in the queue or under way.

        Raises StoreError.
        """
        ids = sa.select(self._row.workflow_uuid).where(sa.or_(self._waits, self._runs))
        with self._db.reading() as conn:
            return {id.partition("#")[0] for id in conn.execute(ids).scalars()}

    def list_times(self) -> list[float]:
        """Return when each attempt that has not begun was queued, in seconds since the epoch.

        Raises StoreError.
        """
        with self._db.reading() as conn:
            times = conn.execute(sa.select(self._row.created_at).where(self._waits)).scalars()
            return [(at or 0) / 1000 for at in times]

    def count_running(self) -> int:
        """Return how many attempts are under way, in all processes. Raises StoreError."""
        count = sa.select(sa.func.count()).where(self._runs)
        with self._db.reading() as conn:
            return int(conn.execute(count).scalar_one())

    def list_owners(self) -> set[str]:
        """Return the executors that attempts under way belong to. Raises StoreError."""
        owners = sa.select(self._row.executor_id).where(self._runs).distinct()
        with self._db.reading() as conn:
            return {str(owner) for owner in conn.execute(owners).scalars()}

    def requeue(self, dead: list[str]) -> None:
        """Put the work of dead executors back; repeated calls are harmless. Raises StoreError.

        This is the only use of a private DBOS name, and DBOS is pinned for it. The public
        `resume_workflows` checks no owner and revives cancelled work.
        """
        with storage_errors(self._db.path):
            DBOS._recover_pending_workflows(dead)


def _name_workflow(session: str, attempt: int) -> str:
    return f"{session}#{attempt}"


def _name_user(who: Principal) -> str:
    return json.dumps([who.tenant, who.user])


@contextmanager
def open_queue(db: Database, *, at_once: int, poll_s: float) -> Iterator[WorkQueue]:
    """Yield the queue. Raises StoreError.

    at_once: attempts that a process runs at once; poll_s: seconds between two looks for new work.
    """
    with open_tables(db) as client:
        client.register_queue(QUEUE, worker_concurrency=at_once, polling_interval_sec=poll_s)
        yield WorkQueue(client, db)


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
def run_scheduler(db: Database, executor: str, run: RunAttempt) -> Iterator[None]:
    """Run attempts in this process under this name until the block ends. Only one at a time."""
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
        _runs.append(run)
        try:
            DBOS.launch()
            yield
        finally:
            DBOS.destroy()
            _runs.clear()


@contextmanager
def _open_engine(db: Database) -> Iterator[sa.Engine | None]:
    """Yield an engine like DBOS's own but with a write-ahead log on SQLite, None on PostgreSQL."""
    if db.engine.dialect.name != "sqlite":
        yield None
        return
    engine = sa.create_engine(
        db.url,
        connect_args={"timeout": BUSY_MS / 1000, "check_same_thread": False},
        hide_parameters=True,
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
