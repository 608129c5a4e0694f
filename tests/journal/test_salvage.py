"""What `assay data salvage` gets out of a damaged database: all rows but those on damaged pages."""

from __future__ import annotations

import lzma
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from research_core.errors import StoreError, UsageError
from research_core.journal import salvage
from research_core.journal.database import Database, find_set_aside, set_aside_if_damaged
from research_core.journal.store import Store, list_sessions
from research_core.journal.tables import open_database
from research_core.wiring import LOCAL_USER
from tests.logs import ANN, log_of, new_session

FIXTURE = Path(__file__).parents[1] / "fixtures" / "v0" / "sessions.db.xz"
PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "assay.db"


def fill(path: Path, sessions: int = 300) -> None:
    """Write sessions with five events each, so that a table has many pages."""
    db = open_database(f"sqlite:///{path}")
    for number in range(sessions):
        new_session(db, f"s{number:04}")
        log = log_of(db, f"s{number:04}")
        for call in range(5):
            log.record_call("http", f"{number}/{call}", lambda: b"page" * 150)
    db.close()


def damage(path: Path, table: str, *, leaf: int) -> int:
    """Overwrite one leaf page of a table; return how many rows were on it."""
    with closing(sqlite3.connect(path)) as connection:
        pages = connection.execute(
            "SELECT pageno, ncell FROM dbstat WHERE name = ? AND pagetype = 'leaf'", (table,)
        ).fetchall()
    body = bytearray(path.read_bytes())
    start = (pages[leaf][0] - 1) * PAGE
    body[start : start + PAGE] = random.Random(1).randbytes(PAGE)
    path.write_bytes(body)
    return int(pages[leaf][1])


def salvaged(path: Path) -> tuple[salvage.SalvageResult, Database]:
    source = path.with_name("assay.db.damaged-1")
    path.rename(source)
    db = open_database(f"sqlite:///{path}")
    return salvage.salvage_database(db, source), db


@pytest.mark.parametrize("leaf", [0, 3, -1], ids=["first", "middle", "last"])
def test_a_damaged_page_of_sessions_costs_those_on_it_alone(path: Path, leaf: int) -> None:
    fill(path)
    lost = damage(path, "session", leaf=leaf)
    result, db = salvaged(path)
    found = list_sessions(db, ANN, limit=None)
    assert len(found) == result.recovered["session"] == 300 - lost < 300
    assert result.damaged_tables == {"session": 1}
    for row in found:
        assert len(Store(db, ANN, row.id).read()) == 5
    assert result.incomplete == ()
    db.close()


def test_a_damaged_page_of_events_names_the_sessions_that_lack_some(path: Path) -> None:
    fill(path)
    lost = damage(path, "event", leaf=7)
    result, db = salvaged(path)
    assert result.recovered["event"] == 1500 - lost < 1500
    assert result.recovered["session"] == 300
    assert result.damaged_tables == {"event": 1}
    lacking = [
        row.id
        for row in list_sessions(db, ANN, limit=None)
        if len(Store(db, ANN, row.id).read()) < 5
    ]
    assert 0 < len(lacking) < 30
    assert sorted(result.incomplete) == sorted(lacking)
    db.close()


def fill_with_long_bodies(path: Path) -> None:
    """Write sessions whose events and blobs do not fit on a page, however they are compressed."""
    noise = random.Random(3)
    db = open_database(f"sqlite:///{path}")
    for number in range(6):
        new_session(db, f"s{number}")
        log = log_of(db, f"s{number}")
        for call in range(4):
            listed = {f"page {key}": noise.randbytes(40).hex() for key in range(300)}
            log.record_call("http", f"{number}/{call}", partial(dict, listed))
        log.record_call("http", f"{number}/page", partial(noise.randbytes, 30_000))
    db.close()


def list_overflow_pages(path: Path, table: str) -> list[int]:
    """The numbers of the pages on which long rows of a table continue, the last of each left out."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'overflow'", (table,)
        ).fetchall()
    body = path.read_bytes()
    return [number for (number,) in rows if any(body[(number - 1) * PAGE :][:4])]


@pytest.mark.parametrize("table", ["event", "blob"])
@pytest.mark.parametrize("nth", [0, 7, 20])
def test_a_row_whose_long_body_was_damaged_inside_is_left_out_and_counted(
    path: Path, table: str, nth: int
) -> None:
    """SQLite reads such a row without an error: the damage is in the middle of what it holds."""
    fill_with_long_bodies(path)
    start = (list_overflow_pages(path, table)[nth] - 1) * PAGE
    body = bytearray(path.read_bytes())
    body[start + 1000 : start + 3000] = random.Random(nth).randbytes(2000)
    path.write_bytes(body)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        total = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
    result, db = salvaged(path)
    assert result.damaged_tables == {table: 1}
    assert result.recovered[table] == total - 1
    for row in list_sessions(db, ANN, limit=None):
        events = Store(db, ANN, row.id).read()
        assert len(events) == 5 - (row.id in result.incomplete)
    assert len(result.incomplete) == (table == "event")
    db.close()


def test_what_the_new_database_holds_is_kept_and_a_second_salvage_adds_nothing(path: Path) -> None:
    fill(path, 20)
    path.rename(source := path.with_name("assay.db.damaged-1"))
    db = open_database(f"sqlite:///{path}")
    new_session(db, "later")
    assert salvage.salvage_database(db, source).recovered["session"] == 20
    again = salvage.salvage_database(db, source)
    assert (again.recovered["session"], again.present["session"]) == (0, 20)
    assert len(list_sessions(db, ANN, limit=None)) == 21
    db.close()


def test_rows_that_only_the_write_ahead_log_holds_are_recovered(path: Path, tmp_path: Path) -> None:
    db = open_database(f"sqlite:///{path}")
    new_session(db, "in the log")
    source = tmp_path / "elsewhere" / "assay.db.damaged-1"
    source.parent.mkdir()
    for suffix in ("", "-wal"):
        Path(f"{source}{suffix}").write_bytes(Path(f"{path}{suffix}").read_bytes())
    db.close()
    path.unlink()
    db = open_database(f"sqlite:///{path}")
    assert salvage.salvage_database(db, source).recovered["session"] == 1
    db.close()


@pytest.mark.parametrize("seed", range(12))
def test_any_page_of_an_older_database_may_be_damaged(path: Path, seed: int) -> None:
    """What is lost is on the damaged page, and the table that it was of is named."""
    body = bytearray(lzma.decompress(FIXTURE.read_bytes()))
    chance = random.Random(seed)
    start = chance.randrange(1, len(body) // PAGE) * PAGE
    body[start : start + PAGE] = chance.choice([bytes(PAGE), chance.randbytes(PAGE)])
    path.write_bytes(body)
    result, db = salvaged(path)
    there = list_sessions(db, LOCAL_USER, limit=None)
    assert len(there) == result.recovered["session"]
    assert len(there) == 14 or "session" in result.damaged_tables
    assert "event" in result.damaged_tables or result.incomplete == ()
    db.close()


def test_a_file_without_a_readable_list_of_tables_says_so(path: Path) -> None:
    fill(path, 2)
    body = bytearray(path.read_bytes())
    body[100:PAGE] = bytes(PAGE - 100)
    path.with_name("broken.db").write_bytes(body)
    db = open_database(f"sqlite:///{path}")
    with pytest.raises(StoreError, match="list of tables") as caught:
        salvage.salvage_database(db, path.with_name("broken.db"))
    assert "backup" in caught.value.next_step
    with pytest.raises(UsageError, match="no file"):
        salvage.salvage_database(db, path.with_name("nowhere.db"))
    db.close()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: 2 * PAGE])


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("harm", [cut, empty])
def test_files_set_aside_are_found_until_they_are_salvaged(
    path: Path, harm: Callable[[Path], None]
) -> None:
    for _ in range(2):
        fill(path, 1)
        harm(path)
        with pytest.raises(StoreError, match="set aside"):
            set_aside_if_damaged(path)
    first, second = find_set_aside(path)
    assert [first.name, second.name] == ["assay.db.damaged-1", "assay.db.damaged-2"]
    assert salvage.mark_salvaged(first).name == "assay.db.salvaged-1"
    assert find_set_aside(path) == [second]
