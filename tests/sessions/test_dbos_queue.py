"""DBOS as it is set up here: what it stores and where. How it schedules is held in test_workers.py
and test_resume.py.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from research_core.errors import StoreError
from research_core.journal.tables import open_database
from research_core.sessions.dbos_queue import (
    JsonSerializer,
    WorkQueue,
    open_queue,
    open_tables,
    run_scheduler,
)
from research_core.wiring import LOCAL_USER


@pytest.mark.parametrize(
    "value", [None, {"outcome": "done"}, {"args": ["a", 1, 1.5, True, "ß\n\x00"], "kwargs": {}}]
)
def test_plain_values_come_back(value: object) -> None:
    assert JsonSerializer().deserialize(JsonSerializer().serialize(value)) == value


def test_an_exception_is_stored_by_its_name_and_words() -> None:
    assert json.loads(JsonSerializer().serialize(ValueError("too long"))) == {
        "error": "ValueError",
        "message": "too long",
    }


def test_its_tables_lie_beside_the_store_s_in_the_same_file(tmp_path: Path) -> None:
    db = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    for _ in range(2):  # the second start finds them
        with open_tables(db) as client:
            assert client.list_workflows() == []
    db.close()
    connection = sqlite3.connect(tmp_path / "assay.db")
    names = {
        row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    connection.close()
    assert {"session", "event", "workflow_status", "queues"} <= names
    assert mode == "wal"
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".db"] == ["assay.db"]


def test_the_queue_lists_what_waits_and_counts_what_runs(tmp_path: Path) -> None:
    db = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    began = time.time()
    with open_queue(db, at_once=1, poll_s=1.0) as queue:
        assert (queue.list_sessions(), queue.list_times(), queue.count_running()) == (set(), [], 0)
        for session in ("waits", "runs", "ended"):
            place = queue.plan_place(session, 1, LOCAL_USER)
            queue.enqueue(session, 1, LOCAL_USER, place.priority)
        with db.writing() as conn:
            for session, status in (("runs", "PENDING"), ("ended", "SUCCESS")):
                conn.execute(
                    sa.text("UPDATE workflow_status SET status = :to WHERE workflow_uuid = :id"),
                    {"to": status, "id": f"{session}#1"},
                )
        assert queue.list_sessions() == {"waits", "runs"}
        assert queue.count_running() == 1
        [queued_at] = queue.list_times()
        assert began - 1 <= queued_at <= time.time()
    db.close()


ASKING: dict[str, Callable[[WorkQueue], object]] = {
    "list_sessions": WorkQueue.list_sessions,
    "list_times": WorkQueue.list_times,
    "count_running": WorkQueue.count_running,
    "list_owners": WorkQueue.list_owners,
    "find_place": lambda queue: queue.find_place("waits"),
    "plan_place": lambda queue: queue.plan_place("next", 1, LOCAL_USER),
    "enqueue": lambda queue: queue.enqueue("next", 1, LOCAL_USER, 1000),
    "cancel": lambda queue: queue.cancel("waits"),
    "requeue": lambda queue: queue.requeue(["dead"]),
}


@pytest.mark.parametrize("ask", ASKING.values(), ids=ASKING)
def test_a_database_that_fails_is_reported_as_such(
    tmp_path: Path, ask: Callable[[WorkQueue], object]
) -> None:
    db = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    with (
        open_queue(db, at_once=1, poll_s=60.0) as queue,
        run_scheduler(db, "me", lambda *_: "done"),
    ):
        with db.writing() as conn:
            conn.execute(sa.text("DROP TABLE workflow_status"))
        with pytest.raises(StoreError, match="no such table"):
            ask(queue)
    db.close()


def test_a_database_that_refuses_to_take_an_attempt_out_is_reported(tmp_path: Path) -> None:
    """The attempt can be read, and stays in the queue."""
    db = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    with open_queue(db, at_once=1, poll_s=60.0) as queue:
        queue.enqueue("waits", 1, LOCAL_USER, 1000)
        with db.writing() as conn:
            conn.execute(
                sa.text(
                    "CREATE TRIGGER refuse BEFORE UPDATE ON workflow_status"
                    " BEGIN DELETE FROM missing; END"
                )
            )
        with pytest.raises(StoreError, match="no such table"):
            queue.cancel("waits")
        assert queue.list_sessions() == {"waits"}
    db.close()


def test_cancelling_takes_out_the_attempts_of_one_session(tmp_path: Path) -> None:
    """Names that begin alike, or hold what a pattern reads as any character, are others."""
    db = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    with open_queue(db, at_once=1, poll_s=60.0) as queue:
        for session in ("a_b", "axb", "a_bc", "a%"):
            queue.enqueue(session, 1, LOCAL_USER, 1000)
        queue.enqueue("a_b", 2, LOCAL_USER, 2000)
        queue.cancel("a_b")
        assert queue.list_sessions() == {"axb", "a_bc", "a%"}
        queue.cancel("a%")
        queue.cancel("unknown")
        assert queue.list_sessions() == {"axb", "a_bc"}
    db.close()


def test_the_owners_are_those_of_attempts_under_way(tmp_path: Path) -> None:
    db = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    with open_queue(db, at_once=1, poll_s=60.0) as queue:
        assert queue.list_owners() == set()
        for session in ("waits", "runs", "runs too", "ended"):
            queue.enqueue(session, 1, LOCAL_USER, 1000)
        with db.writing() as conn:
            for session, status in (
                ("runs", "PENDING"),
                ("runs too", "PENDING"),
                ("ended", "ERROR"),
            ):
                conn.execute(
                    sa.text(
                        "UPDATE workflow_status SET status = :to, executor_id = 'first'"
                        " WHERE workflow_uuid = :id"
                    ),
                    {"to": status, "id": f"{session}#1"},
                )
        assert queue.list_owners() == {"first"}
    db.close()
