"""DBOS as it is set up here: what it stores and where. How it schedules is held in test_workers.py
and test_resume.py.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from research_core.journal.tables import open_database
from research_core.sessions.dbos_queue import JsonSerializer, open_tables


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
