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
from research_core.sessions.dbos_queue import JsonSerializer, WorkQueue, open_queue, open_tables
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


@pytest.mark.parametrize(
    "ask", [WorkQueue.list_sessions, WorkQueue.list_times, WorkQueue.count_running]
)
def test_a_database_that_fails_is_reported_as_such(
    tmp_path: Path, ask: Callable[[WorkQueue], object]
) -> None:
    db = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    with open_queue(db, at_once=1, poll_s=1.0) as queue:
        with db.writing() as conn:
            conn.execute(sa.text("DROP TABLE workflow_status"))
        with pytest.raises(StoreError):
            ask(queue)
    db.close()
