"""The commands of "Backups" in docs/deploying.md, run as they are written there.

A restored copy on another home has the same sessions, and each replays to the same report.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from research_core.policy import RunSettings
from research_core.sessions import runner, session_start, session_status
from research_core.sessions.replay import replay_session
from research_core.sessions.workers import WorkerEngine
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources
from tests.logs import ROOT

QUESTIONS = (
    "What does the San Diego noise ordinance say about amplified music at outdoor events?",
    "What booking strategies get better rates at luxury hotels?",
)
POSTGRES_PROGRAMS = Path("/usr/lib/postgresql/15/bin")


def read_commands(words: str) -> str:
    """The shell commands that follow these words in the section on backups."""
    section = (ROOT / "docs" / "deploying.md").read_text("utf-8").partition("\n## Backups\n")[2]
    assert section.count(words) == 1
    found = re.search(r"```sh\n(.*?)```", section.partition(words)[2], re.DOTALL)
    assert found
    return found[1]


def run_commands(folder: Path, words: str, **environment: str) -> None:
    path = f"{os.environ['PATH']}{os.pathsep}{POSTGRES_PROGRAMS}"
    done = subprocess.run(
        ["bash", "-e", "-c", read_commands(words)],
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def open_home(home: Path, database_url: str = "") -> Resources:
    given = {"ASSAY_HOME": str(home), "ASSAY_SEMANTIC": "0"}
    if database_url:
        given["ASSAY_DATABASE_URL"] = database_url
    return Resources(Settings.from_env(given))


def research_twice(resources: Resources) -> dict[str, str]:
    """Two finished sessions and one in the queue; the stored report of each finished one."""
    reports = {}
    for question in QUESTIONS:
        session = session_start.new_session(resources, question, RunSettings(mode="quick"))
        assert runner.resume_or_run(resources, session, "test").outcome == "done"
        reports[session] = session_status.read_stored_report(resources, session) or ""
    waiting = session_start.new_session(resources, QUESTIONS[0], RunSettings(mode="quick"))
    engine = WorkerEngine(resources, runs=False)
    engine.start()
    engine.enqueue(waiting)
    engine.stop()
    return reports


def compare_restored(restored: Resources, original: Resources, reports: dict[str, str]) -> None:
    before, after = (
        [(info.row, info.status) for info in session_status.list_sessions(each)]
        for each in (original, restored)
    )
    assert after == before
    assert len(after) == 3
    for session, markdown in reports.items():
        again = replay_session(restored, LOCAL_USER, session)
        assert (again.same, again.differences, again.markdown) == (True, (), markdown)
    waiting = next(row.id for row, status in after if status == "queued")
    engine = WorkerEngine(restored, runs=False)
    engine.start()
    assert engine.find_place(waiting) == 0
    engine.stop()


def test_a_copy_of_sqlite_is_restored_by_the_commands_of_the_document(tmp_path: Path) -> None:
    """It is made while Assay runs, and put over what the other home had."""
    original = open_home(tmp_path / "old")
    reports = research_twice(original)
    run_commands(tmp_path, "SQLite, while Assay runs:", ASSAY_HOME=str(tmp_path / "old"))
    home = tmp_path / "new"
    home.mkdir()
    (home / "assay.db-wal").write_bytes(b"of another database")
    run_commands(tmp_path, "To restore it, install the same version", ASSAY_HOME=str(home))
    restored = open_home(home)
    compare_restored(restored, original, reports)
    restored.db.close()
    original.db.close()


def test_a_dump_of_postgresql_is_restored_by_the_commands_of_the_document(
    tmp_path: Path, postgres_url: str
) -> None:
    if not (POSTGRES_PROGRAMS / "pg_dump").is_file():
        pytest.skip("There is no pg_dump on this machine.")
    original = open_home(tmp_path / "old", postgres_url)
    reports = research_twice(original)
    old = make_url(postgres_url).set(drivername="postgresql")
    new = old.set(database=f"{old.database}_restored")
    run_commands(
        tmp_path,
        "PostgreSQL, while Assay runs;",
        OLD=old.render_as_string(hide_password=False),
    )
    address = old.render_as_string(hide_password=False)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE {new.database} ENCODING 'UTF8' TEMPLATE template0".encode()
        )
        try:
            run_commands(
                tmp_path,
                "To restore it, make the role",
                NEW=new.render_as_string(hide_password=False),
            )
            url = new.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
            restored = open_home(tmp_path / "new", url)
            compare_restored(restored, original, reports)
            restored.db.close()
        finally:
            connection.execute(f"DROP DATABASE {new.database} WITH (FORCE)".encode())
    original.db.close()
