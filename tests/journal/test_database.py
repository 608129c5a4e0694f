"""The database when things go well, and when it is locked, full, damaged or out of reach: one
sentence and the next step.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from research_core.errors import StoreError, UsageError
from research_core.journal.database import Database, find_sqlite_path, insert, storage_errors
from research_core.journal.store import find_session, list_sessions
from research_core.journal.tables import open_database
from tests.logs import ANN, at_once, beside, new_log, new_session, ran

note = sa.Table("note", sa.MetaData(), sa.Column("text", sa.String, primary_key=True))


def m001_notes(conn: sa.Connection) -> None:
    note.create(conn)


def m002_first_note(conn: sa.Connection) -> None:
    conn.execute(sa.insert(note).values(text="first"))


def texts(db: Database) -> list[str]:
    with db.reading() as conn:
        return list(conn.execute(sa.select(note.c.text).order_by(note.c.text)).scalars())


# ---------------------------------------------------------------- migrations


def test_each_migration_runs_once_however_often_the_database_is_opened(database_url: str) -> None:
    for migrations in ([m001_notes], [m001_notes, m002_first_note], [m001_notes, m002_first_note]):
        db = Database(database_url, migrations)
        db.close()
    assert texts(db) == ["first"]
    db.close()


def test_a_migration_that_fails_leaves_nothing_and_runs_again(database_url: str) -> None:
    def m002_halfway(conn: sa.Connection) -> None:
        m002_first_note(conn)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Database(database_url, [m001_notes, m002_halfway])
    db = Database(database_url, [m001_notes, m002_first_note])
    assert texts(db) == ["first"]
    db.close()


STARTING = """
import sys, time
import sqlalchemy as sa
from research_core.journal.database import Database

def m001_slow(conn):
    conn.execute(sa.text("CREATE TABLE note (text VARCHAR PRIMARY KEY)"))
    time.sleep(0.2)
    conn.execute(sa.text("INSERT INTO note VALUES ('first')"))

print("ready", flush=True)
sys.stdin.readline()
Database(sys.argv[1], [m001_slow]).close()
"""


@pytest.mark.full
def test_two_processes_that_start_at_once_migrate_once(database_url: str) -> None:
    with beside(STARTING, database_url) as one, beside(STARTING, database_url) as two:
        both = (one, two)
        assert [process.stdout.readline() for process in both if process.stdout] == ["ready\n"] * 2
        for process in both:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [process.communicate(timeout=110)[1] for process in both] == ["", ""]
    db = Database(database_url, [])
    assert texts(db) == ["first"]
    db.close()


def test_many_that_open_a_new_file_at_once_all_get_in(tmp_path: Path) -> None:
    for n in range(8):
        url, start = f"sqlite:///{tmp_path / f'{n}.db'}", threading.Barrier(6)

        def open_it(_: int, url: str = url, start: threading.Barrier = start) -> None:
            start.wait()
            Database(url, [m001_notes, m002_first_note]).close()

        assert at_once(6, open_it) == [None] * 6


# ---------------------------------------------------------------- locked

HOLDING = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "assay.db"


@pytest.fixture
def file_db(path: Path) -> Iterator[Database]:
    db = open_database(f"sqlite:///{path}", busy_timeout_s=0.2)
    yield db
    db.close()


def test_a_database_held_by_another_process_says_so_and_loses_nothing(
    file_db: Database, path: Path
) -> None:
    new_session(file_db, "before")
    with beside(HOLDING, str(path)) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreError, match="locked by another process") as refused:
            new_session(file_db, "during")
        with pytest.raises(StoreError, match="locked"):
            open_database(f"sqlite:///{path}", busy_timeout_s=0.1)
        assert [row.id for row in list_sessions(file_db, ANN)] == ["before"]  # reading goes on
    assert refused.value.next_step.startswith("Close the other program, then try again")
    new_session(file_db, "after")
    assert {row.id for row in list_sessions(file_db, ANN)} == {"before", "after"}


def test_a_writer_keeps_others_from_writing_from_its_first_read_on(
    file_db: Database, path: Path
) -> None:
    other = open_database(f"sqlite:///{path}", busy_timeout_s=0.1)
    try:
        with file_db.writing() as conn:
            assert conn.execute(sa.text("SELECT count(*) FROM session")).scalar() == 0
            with pytest.raises(StoreError, match="locked"):
                new_session(other, "between")
            assert list_sessions(other, ANN) == []  # reading goes on
        new_session(other, "after")
        assert [row.id for row in list_sessions(file_db, ANN)] == ["after"]
    finally:
        other.close()


# ---------------------------------------------------------------- damaged


def grown(path: Path) -> None:
    """A database of a few hundred kilobytes, closed as a clean exit closes it."""
    db = open_database(f"sqlite:///{path}")
    log = new_log(db)
    for n in range(3):
        log.record_call("http", f"page{n}", partial(bytes, [n] * 100_000))
    db.close()


def truncated(path: Path) -> None:
    grown(path)
    os.truncate(path, path.stat().st_size // 2)


def emptied(path: Path) -> None:
    grown(path)
    os.truncate(path, 0)


def cut_in_the_header(path: Path) -> None:
    grown(path)
    os.truncate(path, 60)


def test_a_file_that_is_no_database_is_left_where_it_is(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("Dear diary, this is no database. " * 20)
    with pytest.raises(StoreError, match="is not a database of Assay's") as refused:
        open_database(f"sqlite:///{path}")
    assert "ASSAY_DATABASE_URL" in refused.value.next_step
    assert path.read_text().startswith("Dear diary")


@pytest.mark.parametrize("damage", [truncated, cut_in_the_header, emptied])
def test_a_damaged_file_is_set_aside_and_never_overwritten(
    path: Path, damage: Callable[[Path], None]
) -> None:
    for number in (1, 2):
        damage(path)
        body = path.read_bytes()
        with pytest.raises(
            StoreError, match=rf"{path} is damaged.*assay\.db\.damaged-{number}"
        ) as refused:
            open_database(f"sqlite:///{path}")
        assert "Start again" in refused.value.next_step
        assert not path.exists()
        assert path.with_name(f"assay.db.damaged-{number}").read_bytes() == body
        db = open_database(f"sqlite:///{path}")
        assert list_sessions(db, ANN) == []
        db.close()
        path.unlink()


def test_damage_behind_a_sound_header_is_found_on_the_way_and_set_aside_at_the_next_start(
    path: Path,
) -> None:
    grown(path)
    body = bytearray(path.read_bytes())
    body[4096:] = bytes(len(body) - 4096)
    path.write_bytes(body)
    with pytest.raises(StoreError, match=r"damaged\.$|damaged") as refused:
        _read_all(path)
    assert "set aside" in refused.value.next_step
    with pytest.raises(StoreError, match=r"damaged-1"):
        open_database(f"sqlite:///{path}")
    assert path.with_name("assay.db.damaged-1").read_bytes() == body
    open_database(f"sqlite:///{path}").close()


def _read_all(path: Path) -> None:
    db = open_database(f"sqlite:///{path}")
    try:
        list_sessions(db, ANN)
    finally:
        db.close()


def test_what_a_kill_leaves_behind_is_no_damage(path: Path, tmp_path: Path) -> None:
    """The file is shorter than its header says while its write-ahead log holds the rest."""
    db = open_database(f"sqlite:///{path}")
    new_session(db)
    copy = tmp_path / "killed.db"
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")
    db.close()
    after = open_database(f"sqlite:///{copy}")
    assert [row.id for row in list_sessions(after, ANN)] == ["s"]
    after.close()


def test_an_empty_file_that_another_process_is_making_is_waited_for(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    grown(made := path.with_name("made.db"))
    maker = threading.Timer(0.3, lambda: path.write_bytes(made.read_bytes()))
    maker.start()
    db = open_database(f"sqlite:///{path}")
    assert len(list_sessions(db, ANN)) == 1
    db.close()
    maker.join()


# ---------------------------------------------------------------- full

FILLING = """
import resource, sys
from pathlib import Path
from research_core.errors import StoreError
from research_core.journal.tables import open_database
from tests.logs import log_of, new_log

path = Path(sys.argv[1])
db = open_database(f"sqlite:///{path}")
log = new_log(db)
resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
kept = 0
try:
    while kept < 50:
        log.record_call("http", f"page{kept}", lambda: bytes([kept]) * 50_000)
        kept += 1
except StoreError as error:
    print(kept, error.sentence(), sep="|")
db.close()
"""


@pytest.mark.full
def test_a_full_disk_is_one_sentence_and_loses_nothing_that_was_recorded(path: Path) -> None:
    kept, sentence = ran(FILLING, str(path)).strip().split("|")
    assert 2 <= int(kept) < 50
    assert "disk" in sentence
    assert "Free some space, then try again; nothing recorded is lost." in sentence
    db = open_database(f"sqlite:///{path}")
    with db.reading() as conn:
        keys = conn.execute(sa.text("SELECT key FROM event")).scalars().all()
        assert len(conn.execute(sa.text("SELECT body FROM blob")).all()) == int(kept)
    assert set(keys) == {f"call:page{n}" for n in range(int(kept))}
    db.close()


# ---------------------------------------------------------------- out of reach

UNPRIVILEGED = """
import os, sys
from research_core.errors import StoreError
from research_core.journal.tables import open_database

open_database("sqlite://").close()  # whatever is imported late is imported now
if os.geteuid() == 0:
    os.seteuid(65534)
for home in sys.argv[1:]:
    try:
        open_database(f"sqlite:///{home}")
    except StoreError as error:
        print(error.sentence())
"""


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """A folder that any user of the machine may enter, which those of pytest are not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        for entry in Path(folder).iterdir():
            entry.chmod(0o755)


def test_a_home_that_may_not_be_written_to_or_not_even_be_entered(elsewhere: Path) -> None:
    readable, closed, full = elsewhere / "readable", elsewhere / "closed", elsewhere / "full"
    full.mkdir()
    open_database(f"sqlite:///{full}/assay.db").close()
    (full / "assay.db").chmod(0o444)
    for home, mode in ((readable, 0o555), (closed, 0o000), (full, 0o555)):
        home.mkdir(exist_ok=True)
        home.chmod(mode)
    said = ran(
        UNPRIVILEGED,
        *(f"{home}/assay.db" for home in (readable, closed, full)),
        f"{readable}/below/assay.db",
    ).splitlines()
    assert said == [
        "The database file cannot be opened. Check that ASSAY_HOME exists and may be written to.",
        f"The database {closed}/assay.db cannot be read: Permission denied. Check its permissions.",
        "The database cannot be written to. Check the permissions of ASSAY_HOME.",
        f"The folder {readable}/below cannot be made: Permission denied. Set ASSAY_HOME to a folder you may write to.",
    ]


def test_a_home_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(
        StoreError, match=r"The folder .*/file/home cannot be made: Not a directory"
    ) as refused:
        open_database(f"sqlite:///{tmp_path}/file/home/assay.db")
    assert refused.value.next_step == "Set ASSAY_HOME to a folder you may write to."


def test_a_folder_where_the_database_should_be(tmp_path: Path) -> None:
    (tmp_path / "assay.db").mkdir()
    with pytest.raises(StoreError, match="cannot be read"):
        open_database(f"sqlite:///{tmp_path}/assay.db")


def test_a_server_that_does_not_answer_is_named_without_its_password() -> None:
    with pytest.raises(StoreError, match="does not answer") as refused:
        open_database("postgresql+psycopg://ann:open-sesame@127.0.0.1:1/assay")
    assert "ASSAY_DATABASE_URL" in refused.value.next_step
    assert "open-sesame" not in refused.value.sentence()


# ---------------------------------------------------------------- what an error means


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("database is locked", "locked"),
        ("database table is locked: event", "locked"),
        ("database or disk is full", "disk is full"),
        ("could not extend file: No space left on device", "disk is full"),
        ("disk I/O error", "refused a write"),
        ("database disk image is malformed", "damaged"),
        ("file is not a database", "damaged"),
        ("malformed MATCH expression: [a b]", "refused: malformed MATCH"),  # a query, not the file
        ("deadlock detected", "refused: deadlock"),
    ],
)
def test_what_a_driver_says_in_our_words(path: Path, said: str, told: str) -> None:
    with pytest.raises(StoreError, match=told) as refused, storage_errors(path):
        raise sa.exc.OperationalError("SELECT 1", {}, sqlite3.OperationalError(said))
    assert refused.value.next_step
    assert path.with_name("assay.db.damaged").exists() == ("damaged" in told)


@pytest.mark.parametrize(
    "mistake", [sa.exc.IntegrityError, sa.exc.ProgrammingError, sa.exc.DataError]
)
def test_a_mistake_of_ours_is_not_called_a_fault_of_the_disk(
    mistake: type[sa.exc.DBAPIError],
) -> None:
    with pytest.raises(mistake), storage_errors():
        raise mistake("SELECT 1", {}, sqlite3.Error("disk is full"))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("sqlite:////tmp/a.db", Path("/tmp/a.db")),
        ("sqlite:///a.db", Path("a.db")),
        ("sqlite://", None),
        ("sqlite:///:memory:", None),
        ("postgresql+psycopg://host/name", None),
    ],
)
def test_which_file_an_address_means(url: str, expected: Path | None) -> None:
    assert find_sqlite_path(url) == expected


# ---------------------------------------------------------------- in memory


def test_a_reader_never_undoes_what_another_thread_is_writing() -> None:
    """In memory all threads share one connection."""
    db, ended = Database("sqlite://", [m001_notes]), threading.Event()

    def read() -> None:
        while not ended.is_set():
            texts(db)

    reader = threading.Thread(target=read)
    reader.start()
    for n in range(150):
        with db.writing() as conn:
            conn.execute(insert(conn, note).values(text=f"{n:03}a"))
            conn.execute(insert(conn, note).values(text=f"{n:03}b"))
    ended.set()
    reader.join()
    assert len(texts(db)) == 300
    db.close()


@pytest.mark.parametrize("id", ["\ud800", "caf\udce9", "tea\x00", "\x00", "чай\udfff"], ids=ascii)
def test_a_session_whose_id_is_no_text_is_not_found_or_a_mistake(db: Database, id: str) -> None:
    with pytest.raises(UsageError):
        find_session(db, ANN, id)


# ---------------------------------------------------------------- read-only


READING = """
import os, sys
from research_core.errors import StoreError
from research_core.journal.store import find_session, list_sessions
from research_core.journal.tables import open_database
from tests.logs import ANN, new_session

os.access = lambda path, mode: mode == os.R_OK  # as on a disk that is mounted read-only
db = open_database(f"sqlite:///{sys.argv[1]}")
print(*(row.id for row in list_sessions(db, ANN)))
try:
    new_session(db, "late")
except StoreError as error:
    print(error.message)
"""


def test_a_database_that_cannot_be_written_to_can_be_read(path: Path) -> None:
    db = open_database(f"sqlite:///{path}")
    new_session(db, "finished")
    db.close()
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    done = subprocess.run(
        [sys.executable, "-c", READING, str(path)],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["finished", "The database cannot be written to."], done
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
