"""A change of keys: everything the old key sealed is sealed with the new one, whatever happens on
the way, and reads as before.
"""

from __future__ import annotations

import json
import math
import os
from base64 import b64encode
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from research_core.errors import SettingsError
from research_core.interfaces.cli.commands import main
from research_core.journal import cache, session_admin, store, tables
from research_core.journal.cache import Cache, CacheEntry
from research_core.journal.database import Database
from research_core.journal.encryption import SEAL_MAGIC, Cipher
from research_core.journal.events import Draft
from research_core.journal.store import EventRow, Store
from research_core.journal.tables import open_database
from research_core.policy import Override
from research_core.search.library.shelf import SEALED, Document, Shelf
from research_core.sessions import key_rotation
from research_core.sessions.key_rotation import COLUMNS, RotationResult, rotate_keys
from research_core.userdata import memory, overrides, workspaces
from tests.everyday import mark_first_rows_everyday
from tests.journal.test_session_admin import Between
from tests.logs import ANN, BEN, CLEO, beside, log_of

OLD, NEW, OTHER = "0f" * 32, "a1" * 32, "77" * 32
FOUND = Document(
    "document:abc",
    "A title",
    "A text.",
    "text",
    sha="abc",
    file="file.txt",
    facts={"metadata": {"lang": "en"}},
)


def fail(error: object) -> None:
    pytest.fail(str(error))


def fill(db: Database, id: str = "s", who: Any = ANN, events: int = 3) -> None:
    """Something in every column that is sealed."""
    store.create_session(db, who, id, f"What of {id}?", {"note": id}, 100.0)
    session_admin.rename_session(db, who, id, f"On {id}")
    session_admin.tag_session(db, who, id, [id])
    log = Store(db, who, id)
    log.append(
        [EventRow("fetched", json.dumps({"of": id}), f"fetched:https://example.org/{id}")],
        {id * 64: id.encode()},
        101.0,
    )
    for n in range(events):
        log.append(
            [EventRow("delta", json.dumps({"n": n}), f"{n}~judged:{n}" if n % 2 else None)],
            {},
            102.0,
        )
    shelf = Shelf.open(db, who, "my")
    shelf.put([FOUND, Document("https://example.org/a", "", "Without a title.", "html")], 103.0)
    shelf.store_vectors(FOUND, "a model", b"vectors")
    memory.save_note(db, who, f"note {id}", "topic", "", [], 104.0, keep_s=math.inf)
    overrides.save_override(db, who, Override(f"{id}.example", 0.2, f"why {id}"), 104.5)
    workspaces.add_member(db, "lab", who, 1.0)
    workspaces.add_contribution(db, who, "lab", f"found {id}", "", [], 105.0, keep_s=math.inf)
    Cache(db, who, 1, fail).put(
        "key",
        CacheEntry(
            {"url": id, "status": 200, "headers": {}, "hops": [], "body": b"page"}, None, 0.0, 1e9
        ),
        0.0,
    )


def told(db: Database, id: str = "s", who: Any = ANN) -> list[Any]:
    """What every store says."""
    log, shelf, row = Store(db, who, id), Shelf.open(db, who, "my"), store.find_session(db, who, id)
    kept = Cache(db, who, 1, fail).get("key")
    return [
        (row.question, row.settings, row.title, row.tags), log.read(), log.read(keys=[f"fetched:https://example.org/{id}", "1~judged:1"]),
        session_admin.find_latest_events(db, who, [id], "judged:1"), log.blob(id * 64), shelf.list_documents(), shelf.read(FOUND.url), shelf.files(),  # noqa: E501
        shelf.vectors("a model", [FOUND.key]), memory.recall_notes(db, who, "", None, 106.0, keep_s=math.inf), workspaces.list_contributions(db, who),  # noqa: E501
        overrides.list_overrides(db, who), kept and kept.value,
    ]  # fmt: skip


def bodies(db: Database) -> list[bytes]:
    """Everything in every column of every table that can hold a sealed body."""
    found = list[bytes]()
    with db.reading() as conn:
        for table in tables.metadata.sorted_tables:
            for column in table.columns:
                if isinstance(column.type, sa.LargeBinary | sa.String):
                    values = conn.execute(sa.select(column).where(column.is_not(None))).scalars()
                    found += [
                        value.encode() if isinstance(value, str) else value for value in values
                    ]
    return found


def of(key: str, db: Database) -> int:
    """How many bodies anywhere this key sealed."""
    head = Cipher(key).head
    return sum(body.startswith((head, SEALED.encode() + b64encode(head))) for body in bodies(db))


# ---------------------------------------------------------------- all of it


def test_every_column_that_can_be_sealed_is_in_the_table() -> None:
    binary = {f"{table.name}.{column.name}" for table in tables.metadata.sorted_tables for column in table.columns
              if isinstance(column.type, sa.LargeBinary)}  # fmt: skip
    assert {column.name for column in COLUMNS if not column.text} == binary
    assert {column.name for column in COLUMNS if column.text} == {"document.title", "document.file"}


def test_all_that_the_old_key_sealed_reads_as_before_with_the_new_key_alone(db: Database) -> None:
    db.cipher = Cipher(OLD)
    fill(db)
    fill(db, "c", CLEO)
    before, sealed = [told(db), told(db, "c", CLEO)], of(OLD, db)
    db.cipher = Cipher(NEW, OLD)
    turn = rotate_keys(db)
    assert sum(turn.sealed.values()) == sealed
    assert min(turn.sealed.values()) > 0, "a column of which nothing was sealed anew"
    assert (turn.damaged, turn.left, turn.unknown) == (0, 0, 0)
    assert (of(OLD, db), of(NEW, db)) == (0, sealed)
    db.cipher = Cipher(NEW)
    assert [told(db), told(db, "c", CLEO)] == before
    assert Store(db, ANN, "s").append(
        [EventRow("fetched", "{}", "fetched:https://example.org/s")], {}, 1.0
    ) == [None]  # its key is taken


def test_what_stands_in_clear_or_is_sealed_with_the_new_key_stays_as_it_is(db: Database) -> None:
    fill(db, "clear")
    db.cipher = Cipher(NEW, OLD)
    fill(db, "ready", CLEO)
    before = sorted(bodies(db))
    assert rotate_keys(db) == RotationResult(
        dict.fromkeys((column.name for column in COLUMNS), 0), 0, 0, 0
    )
    assert sorted(bodies(db)) == before


def test_an_event_of_an_older_form_is_bound_to_its_session_from_then_on(db: Database) -> None:
    db.cipher = Cipher(OLD)
    store.create_session(db, ANN, "s", "?", {}, 1.0)
    old = store.seal_text(db, ANN, '{"n":1}', "event", "created", "1")
    with db.writing() as conn:
        conn.execute(
            sa.insert(tables.event).values(
                session="s", seq=1, at=1.0, kind="created", key=None, data=old
            )
        )
    db.cipher = Cipher(NEW, OLD)
    rotate_keys(db)
    assert [each.data for each in Store(db, ANN, "s").read()] == [{"n": 1}]
    with db.writing() as conn:
        moved = conn.execute(sa.select(tables.event.c.data)).scalar_one()
    assert db.cipher.unseal(moved, ANN.tenant, "event", "s", "created", "1") == b'{"n":1}'


def test_it_goes_in_batches_and_tells_how_far_it_is(db: Database) -> None:
    db.cipher = Cipher(OLD)
    fill(db, events=2 * key_rotation.MAX_BATCH_ROWS + 10)
    sealed, steps = of(OLD, db), list[tuple[int, int]]()
    db.cipher = Cipher(NEW, OLD)
    turn = rotate_keys(db, lambda done, of: steps.append((done, of)))
    assert turn.sealed["event.data"] == 2 * key_rotation.MAX_BATCH_ROWS + 11
    assert steps[-1] == (sealed, sealed)
    assert {of for _, of in steps} == {sealed}
    done = [0, *(step[0] for step in steps)]
    assert all(0 < b - a <= key_rotation.MAX_BATCH_ROWS for a, b in pairwise(done))


def test_a_batch_of_large_bodies_is_small(db: Database) -> None:
    db.cipher = Cipher(OLD)
    store.create_session(db, ANN, "s", "?", {}, 1.0)
    large = os.urandom(key_rotation.MAX_BATCH_BYTES // 2 + 1)  # nothing that compresses
    Store(db, ANN, "s").append(
        [EventRow("delta", "{}")], {f"{n}" * 64: large for n in range(3)}, 1.0
    )
    steps = list[int]()
    db.cipher = Cipher(NEW, OLD)
    assert rotate_keys(db, lambda done, _: steps.append(done)).sealed["blob.body"] == 3
    assert [b - a for a, b in pairwise(steps)][-3:] == [1, 1, 1]


# ---------------------------------------------------------------- meanwhile


def test_while_it_goes_on_everything_reads_as_before(db: Database) -> None:
    db.cipher = Cipher(OLD)
    fill(db)
    before, seen = told(db), list[bool]()
    db.cipher = Cipher(NEW, OLD)
    rotate_keys(db, lambda _done, _of: seen.append(told(db) == before))
    assert seen == [True] * len(COLUMNS)


def test_what_is_written_while_it_goes_on_stays(db: Database) -> None:
    db.cipher = Cipher(OLD)
    fill(db)
    steps = list[int]()

    def meanwhile(done: int, _of: int) -> None:
        steps.append(done)
        session_admin.rename_session(db, ANN, "s", f"title {len(steps)}")
        log_of(db).append(Draft("gated", {"n": len(steps)}, "gated"))

    db.cipher = Cipher(NEW, OLD)
    assert (rotate_keys(db, meanwhile).left, of(OLD, db)) == (0, 0)
    db.cipher = Cipher(NEW)
    assert store.find_session(db, ANN, "s").title == f"title {len(steps)}"
    assert [each.data for each in Store(db, ANN, "s").read(kinds=["gated"])] == [
        {"n": 1}
    ]  # once: it has a key


@pytest.mark.parametrize("column", ["session.title", "document.title", "event.data"])
def test_a_row_that_is_changed_between_reading_and_writing_stays_as_it_was_written(
    db: Database, column: str
) -> None:
    db.cipher = Cipher(OLD)
    fill(db)
    batches, changed, shelf = (
        iter(COLUMNS),
        list[str](),
        Shelf.open(db, ANN, "my"),
    )  # until then there is one batch of each column

    def meanwhile() -> None:
        if next(batches).name == column:
            changed.append(column)
            session_admin.rename_session(db, ANN, "s", "changed meanwhile")
            shelf.put([replace(FOUND, title="changed meanwhile")], 200.0)
            with db.writing() as conn:
                conn.execute(
                    sa.update(tables.event)
                    .where(tables.event.c.seq == 1)
                    .values(data=b'{"n":"changed meanwhile"}', key=None)
                )

    db.cipher = Cipher(NEW, OLD)
    rotate_keys(Between(db, meanwhile))  # type: ignore[arg-type]
    db.cipher = Cipher(NEW)
    assert store.find_session(db, ANN, "s").title == "changed meanwhile"
    assert [each["title"] for each in shelf.list_documents()] == ["", "changed meanwhile"]
    assert Store(db, ANN, "s").read()[0].data == {"n": "changed meanwhile"}
    assert changed == [column]


def test_what_another_process_writes_with_the_old_key_meanwhile_is_told(db: Database) -> None:
    db.cipher = Cipher(OLD)
    fill(db)
    db.cipher = Cipher(NEW, OLD)
    written = list[int]()

    def behind(_done: int, _of: int) -> None:
        if not written:
            body = Cipher(OLD).seal(b"Late", "north", "session", "question", "late")
            with db.writing() as conn:
                settings = Cipher(OLD).seal(b"{}", "north", "session", "settings", "late")
                row = {
                    "id": "late",
                    "tenant": "north",
                    "user": "ann",
                    "question": body,
                    "settings": settings,
                }
                conn.execute(
                    sa.insert(tables.session).values(
                        **row, created=1.0, updated=1.0, next=0, epoch=0
                    )
                )
            written.append(1)

    turn = rotate_keys(db, behind)
    assert 0 < turn.left <= 2
    assert rotate_keys(db).left == 0
    db.cipher = Cipher(NEW)
    assert store.find_session(db, ANN, "late").question == "Late"


def test_a_key_that_was_written_twice_ends_no_rotation(db: Database) -> None:
    """By a process that knew the new key alone: it could not see the old spelling."""
    store.create_session(db, ANN, "s", "?", {}, 1.0)
    for cipher in (Cipher(OLD), Cipher(NEW)):
        db.cipher = cipher
        Store(db, ANN, "s").append(
            [EventRow("gated", "{}", "gated:gated"), EventRow("delta", "{}")], {}, 1.0
        )
    db.cipher = Cipher(NEW, OLD)
    assert rotate_keys(db).left == of(OLD, db) == 0
    db.cipher = Cipher(NEW)
    assert [(each.seq, each.key) for each in Store(db, ANN, "s").read(kinds=["gated"])] == [
        (1, "gated:gated"),
        (3, "gated:gated"),
    ]
    assert [each.seq for each in Store(db, ANN, "s").read(keys=["gated:gated"])] == [3]


# ---------------------------------------------------------------- killed

KILLED = """
import sys
import sqlalchemy as sa
from research_core.sessions import key_rotation
from research_core.journal.encryption import Cipher
from research_core.journal.tables import open_database

url, old, new, when, at = sys.argv[1:]
db = open_database(url, cipher=Cipher(new, old))
done = 0

def halt():
    global done
    done += 1
    if done == int(at):
        print("here", flush=True)
        sys.stdin.read()

if when == "within":
    @sa.event.listens_for(db.engine, "after_cursor_execute")
    def heard(conn, cursor, statement, *rest):
        if statement.startswith("UPDATE"):
            halt()
key_rotation.MAX_BATCH_ROWS = 2
key_rotation.rotate_keys(db, (lambda done, of: halt()) if when == "between" else (lambda done, of: None))
print("not killed", flush=True)
"""


KILLS = [
    ("within", 4),
    ("between", 4),
    ("within", 1),
    ("within", 9),
    ("between", 1),
    ("between", 9),
]


@pytest.mark.full
@pytest.mark.parametrize(("when", "at"), mark_first_rows_everyday(KILLS))
def test_killed_at_any_moment_it_goes_on_with_what_is_left(
    database_url: str, when: str, at: int
) -> None:
    db = open_database(database_url, cipher=Cipher(OLD))
    fill(db, events=6)
    before, sealed = told(db), of(OLD, db)
    with beside(KILLED, database_url, OLD, NEW, when, str(at)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n", process.stderr and process.stderr.read()
        process.kill()
        process.wait()
    db.cipher = Cipher(NEW, OLD)
    assert told(db) == before
    left = of(OLD, db)
    assert (0 < left < sealed) or (when, at, left) == ("within", 1, sealed)
    turn = rotate_keys(db)
    assert (sum(turn.sealed.values()), turn.left, of(OLD, db)) == (left, 0, 0)
    db.cipher = Cipher(NEW)
    assert told(db) == before
    db.close()


# ---------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("keys", "said", "step"),
    [
        (("", OLD), "CACHE_ENCRYPTION_KEY is not set", "openssl rand"),
        (("", ""), "CACHE_ENCRYPTION_KEY is not set", "openssl rand"),
        (
            (OLD, ""),
            "CACHE_ENCRYPTION_KEY_PREV is not set, or is the same",
            "Set CACHE_ENCRYPTION_KEY_PREV",
        ),
        (
            (OLD, OLD),
            "CACHE_ENCRYPTION_KEY_PREV is not set, or is the same",
            "Set CACHE_ENCRYPTION_KEY_PREV",
        ),
        (
            (NEW, OTHER),
            "CACHE_ENCRYPTION_KEY_PREV is the wrong key",
            "used before",
        ),
    ],
)
def test_without_two_right_keys_nothing_is_changed(
    db: Database, keys: tuple[str, str], said: str, step: str
) -> None:
    db.cipher = Cipher(OLD)
    fill(db)
    before = sorted(bodies(db))
    db.cipher = Cipher(*keys)
    with pytest.raises(SettingsError, match=said) as raised:
        rotate_keys(db)
    assert step in raised.value.next_step
    assert OLD not in raised.value.sentence()
    assert sorted(bodies(db)) == before


def test_a_row_that_was_changed_by_hand_keeps_nothing_else_and_is_counted(db: Database) -> None:
    db.cipher = Cipher(OLD)
    fill(db)
    with db.writing() as conn:
        body = conn.execute(sa.select(tables.blob.c.body)).scalar_one()
        conn.execute(sa.update(tables.blob).values(body=body[:-1] + bytes([body[-1] ^ 1])))
    db.cipher = Cipher(NEW, OLD)
    for _ in range(2):
        turn = rotate_keys(db)
        assert (turn.damaged, turn.left, of(OLD, db)) == (1, 0, 1)
    db.cipher = Cipher(NEW)
    assert store.find_session(db, ANN, "s").question == "What of s?"


def test_rows_of_a_key_that_is_lost_are_told_and_left(db: Database) -> None:
    db.cipher = Cipher(OTHER)
    fill(db, "lost", BEN)
    db.cipher = Cipher(OLD)
    cache.empty_cache(db, BEN)
    with (
        db.writing() as conn
    ):  # a library is a tenant's: what is of the lost key would be in the way of the next
        for table in (tables.document, tables.vector):
            conn.execute(sa.delete(table))
    fill(db)
    lost, sealed = of(OTHER, db), of(OLD, db)
    db.cipher = Cipher(NEW, OLD)
    turn = rotate_keys(db)
    assert (sum(turn.sealed.values()), turn.unknown, turn.left) == (sealed, lost, 0)
    assert lost > 0
    assert of(OTHER, db) == lost


def test_a_body_that_only_looks_sealed_is_none(db: Database) -> None:
    store.create_session(db, ANN, "s", "?", {}, 1.0)
    odd = SEAL_MAGIC + b"\x01" + b"anything at all"
    Store(db, ANN, "s").append([EventRow("delta", "{}")], {"a" * 64: odd}, 1.0)
    db.cipher = Cipher(NEW, OLD)
    assert rotate_keys(db).unknown == 0
    assert Store(db, ANN, "s").blob("a" * 64) == odd


# ---------------------------------------------------------------- the command


@pytest.mark.full
def test_the_command_tells_what_it_did_and_what_to_do_next(
    assay_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CACHE_ENCRYPTION_KEY", OLD)
    assay_home.mkdir(parents=True, exist_ok=True)
    url = f"sqlite:///{assay_home / 'assay.db'}"
    db = open_database(url, cipher=Cipher(OLD))
    fill(db)
    db.close()
    assert main(["data", "rotate"]) == 2
    assert "CACHE_ENCRYPTION_KEY_PREV is not set" in capsys.readouterr().err
    monkeypatch.setenv("CACHE_ENCRYPTION_KEY", NEW)
    assert main(["data", "rotate"]) == 2
    assert "sealed with another key" in capsys.readouterr().err
    monkeypatch.setenv("CACHE_ENCRYPTION_KEY_PREV", OLD)
    assert main(["data", "rotate"]) == 0
    said = capsys.readouterr()
    assert "event.data                   4" in said.out
    assert "CACHE_ENCRYPTION_KEY_PREV is no longer needed: remove it." in said.err
    monkeypatch.delenv("CACHE_ENCRYPTION_KEY_PREV")
    db = open_database(url, cipher=Cipher(NEW))
    assert store.find_session(db, ANN, "s").question == "What of s?"
    db.close()
