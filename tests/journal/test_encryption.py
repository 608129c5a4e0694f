"""Sealing what is stored: which key opens what, in which place, and that nothing of it stands in
the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import SettingsError, StoreError
from research_core.journal import session_admin, store, tables
from research_core.journal.database import Database
from research_core.journal.encryption import SEAL_MAGIC, Cipher
from research_core.journal.events import Draft, drop_voided
from research_core.journal.store import EventRow, Store
from research_core.journal.tables import open_database
from research_core.models import Principal
from research_core.search.library.shelf import SEALED, Document, Shelf
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources
from tests.everyday import mark_first_rows_everyday
from tests.logs import ANN, BEN, log_of, new_log, new_session
from tests.stored_bytes import read_stored_bytes

OLD, NEW = "0f" * 32, "a1" * 32
SECRET = "the harbour seals of Anglesey"


def opened(url: str, key: str = "", previous: str = "") -> Database:
    return open_database(url, cipher=Cipher(key, previous))


# ---------------------------------------------------------------- a body


@given(body=st.binary() | st.binary().map(lambda rest: SEAL_MAGIC + rest))
@pytest.mark.parametrize(
    "writer",
    [Cipher(), Cipher(OLD), Cipher("", OLD), Cipher(NEW, OLD)],
    ids=["none", "one", "left off", "two"],
)
def test_what_is_sealed_comes_back(writer: Cipher, body: bytes) -> None:
    assert writer.unseal(writer.seal(body, "north", "blob"), "north", "blob") == body


@given(body=st.binary())
def test_without_a_key_a_body_is_stored_as_it_is_unless_it_looks_sealed(body: bytes) -> None:
    assert (Cipher().seal(body) == body) is not body.startswith(SEAL_MAGIC)


def test_sealed_twice_is_never_the_same_and_shows_nothing() -> None:
    sealed = {Cipher(OLD).seal(SECRET.encode(), "north") for _ in range(50)}
    assert len(sealed) == 50
    assert not any(SECRET.encode()[:8] in body for body in sealed)


def test_either_key_opens_and_the_new_one_writes() -> None:
    before, both, after = Cipher(OLD), Cipher(NEW, OLD), Cipher(NEW)
    assert (
        both.unseal(before.seal(b"x", "p"), "p") == after.unseal(both.seal(b"x", "p"), "p") == b"x"
    )
    assert both.unseal(b"written in clear", "p") == b"written in clear"


@pytest.mark.parametrize(
    ("reader", "said"),
    [(Cipher(), "and none is set"), (Cipher(NEW), "another key than the one that is set")],
)
def test_without_its_key_a_body_is_refused_with_the_next_step(reader: Cipher, said: str) -> None:
    body = Cipher(OLD).seal(b"x", "p")
    for look in (lambda: reader.unseal(body, "p"), lambda: reader.check(body)):
        with pytest.raises(SettingsError, match=said) as raised:
            look()
        assert "CACHE_ENCRYPTION_KEY_PREV" in raised.value.next_step
    reader.check(b"in clear")
    reader.check(SEAL_MAGIC + b"\x00in clear too")


@given(
    place=st.lists(st.text(max_size=5), max_size=4), other=st.lists(st.text(max_size=5), max_size=4)
)
def test_a_body_opens_in_its_own_place_alone(place: list[str], other: list[str]) -> None:
    cipher = Cipher(OLD)
    body = cipher.seal(b"x", *place)
    assert cipher.unseal(body, *place) == b"x"
    if place != other:
        with pytest.raises(StoreError, match="changed, or moved"):
            cipher.unseal(body, *other)


@given(cut=st.integers(0, 60), flip=st.integers(0, 60))
def test_a_body_that_was_changed_opens_nowhere(cut: int, flip: int) -> None:
    cipher = Cipher(OLD)
    body = bytearray(cipher.seal(b"a body of so many letters", "p"))
    body[flip] ^= 1
    damaged = bytes(body[: len(body) - cut])
    if (
        damaged.startswith(SEAL_MAGIC) and damaged[len(SEAL_MAGIC) : len(SEAL_MAGIC) + 1] != b"\x00"
    ):  # else it reads as one written in clear
        with pytest.raises((StoreError, SettingsError)):
            cipher.unseal(damaged, "p")


def test_names_are_equal_in_a_tenant_and_say_no_more() -> None:
    cipher = Cipher(NEW, OLD)
    first, *others = cipher.names("north", "fetched:https://example.org/seals")
    assert first.startswith("fetched:=")
    assert "seals" not in first
    assert others == [
        Cipher(OLD).names("north", "fetched:https://example.org/seals")[0],
        "fetched:https://example.org/seals",
    ]
    assert (
        cipher.names("north", "fetched:https://example.org/seals")[0]
        == first
        != cipher.names("south", "fetched:https://example.org/seals")[0]
    )
    assert (
        cipher.names("north", "2~fetched:https://example.org/seals")[0] == f"2~{first}"
    )  # as a void leaves it
    assert Cipher().names("north", "created:created") == ("created:created",)
    assert Cipher("", OLD).names("north", "a:b")[0] == "a:b"


@pytest.mark.parametrize("key", ["short", "0f" * 31, "0f" * 33, "zz" * 32])
@pytest.mark.parametrize("name", ["CACHE_ENCRYPTION_KEY", "CACHE_ENCRYPTION_KEY_PREV"])
def test_a_setting_that_is_no_key_is_refused_and_not_repeated(name: str, key: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} cannot be.*64 hexadecimal digits") as raised:
        Settings.from_env({name: key})
    assert key not in raised.value.sentence()
    assert (
        Settings.from_env({name: OLD.upper()})
        == Settings.from_env({name: OLD})
        != Settings.from_env({})
    )
    assert OLD not in repr(Settings.from_env({name: OLD}))


# ---------------------------------------------------------------- a database


def fill(db: Database, id: str = "s") -> Store:
    """A session with everything that carries somebody's words."""
    store.create_session(db, ANN, id, f"What of {SECRET}?", {"note": SECRET}, 100.0)
    session_admin.rename_session(db, ANN, id, f"On {SECRET}")
    session_admin.tag_session(db, ANN, id, [SECRET])
    log = Store(db, ANN, id)
    log.append(
        [EventRow("fetched", json.dumps({"of": SECRET}), f"fetched:https://example.org/{SECRET}")],
        {"sha": SECRET.encode()},
        101.0,
    )
    log.append([EventRow("gated", json.dumps({"kept": [SECRET]}), "1~gated:gated")], {}, 102.0)
    Shelf.open(db, ANN, "my").put(
        [Document("document:abc", "Title", SECRET, "text", sha="abc")], 103.0
    )
    return log


def told(db: Database, id: str = "s") -> list[Any]:
    log = Store(db, ANN, id)
    row = store.find_session(db, ANN, id)
    gated = session_admin.find_latest_events(db, ANN, [id], "gated:gated")
    document = Shelf.open(db, ANN, "my").read("document:abc")
    return [
        row.question,
        row.settings,
        row.title,
        row.tags,
        log.read(),
        log.blob("sha"),
        gated,
        document,
    ]


def test_a_sealed_database_reads_as_one_in_clear(db: Database, database_url: str) -> None:
    fill(db)
    db.cipher = Cipher(OLD)
    fill(db, "t")
    assert told(db) == [
        value if n != 6 else {"s": value["t"]} for n, value in enumerate(told(db, "t"))
    ]
    (fetched, gated) = Store(db, ANN, "t").read(keyed=True)
    assert (fetched.key, gated.key) == (f"fetched:https://example.org/{SECRET}", "1~gated:gated")
    assert Store(db, ANN, "t").read(keys=[fetched.key]) == [fetched]


def test_nothing_of_what_was_asked_or_read_stands_in_the_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'assay.db'}"
    for key, stands in (("", True), (OLD, False)):
        db = opened(url, key)
        fill(db, f"session {key}")
        db.close()
        bodies = read_stored_bytes(tmp_path)
        assert (SECRET.encode() in bodies) is stands
        for path in tmp_path.glob("assay.db*"):
            path.unlink()


def test_a_session_begun_in_clear_goes_on_sealed_and_through_a_change_of_keys(db: Database) -> None:
    """Nothing that was recorded under a key of the log is recorded twice, whichever way its key is
    spelled.
    """
    new_log(db).append(Draft("created", {"n": 0}, "created"))
    calls = []
    for n, (key, previous) in enumerate([("", ""), (OLD, ""), (NEW, OLD), ("", NEW)]):
        db.cipher = Cipher(key, previous)
        if key or previous:
            assert log_of(db).append(Draft("created", {"n": n}, "created"))[0].data == {"n": 0}
        if previous == NEW:  # the first key is gone by now, and with it what it sealed
            break
        log = log_of(db)
        answers = [
            log.record_call("http", f"{m:064}", lambda m=m: calls.append(m) or {"m": m})
            for m in range(n + 1)
        ]
        assert answers == [*({"m": "again"} for _ in range(n)), {"m": n}]
        log.append(Draft("gated", {"n": n}, "gated"))
        log.void(f"{n:064}")
        assert [
            log_of(db).record_call(
                "http", f"{n:064}", lambda: calls.append("again") or {"m": "again"}
            )
            for _ in range(2)
        ] == [{"m": "again"}] * 2
        assert session_admin.find_latest_events(db, ANN, ["s"], "gated:gated")["s"].data == {"n": n}
    assert calls == [0, "again", 1, "again", 2, "again"]


def test_a_page_that_another_key_sealed_is_sealed_anew_when_it_is_read_again(db: Database) -> None:
    """Else a session of today could not be read once the key of yesterday is gone: a page is stored
    once, and so is an empty one.
    """
    for n, cipher in enumerate((Cipher(), Cipher(OLD), Cipher(NEW, OLD), Cipher(NEW))):
        db.cipher = cipher
        log = Store(db, ANN, new_session(db, str(n)))
        log.append([EventRow("delta", "{}")], {"sha": b"a page"}, 1.0)
        assert log.blob("sha") == b"a page"
        with db.reading() as conn:
            body = conn.execute(sa.select(tables.blob.c.body)).scalar_one()
        assert body.startswith(cipher.head)
    log.append([EventRow("delta", "{}")], {"sha": b"a page"}, 2.0)
    with db.reading() as conn:
        assert (
            conn.execute(sa.select(tables.blob.c.body)).scalar_one() == body
        )  # it is not written again each time


def test_a_fork_of_a_sealed_session_inherits_its_calls(db: Database) -> None:
    db.cipher = Cipher(OLD)
    log = new_log(db)
    log.record_call("http", "k", lambda: {"body": b"x" * 5000})
    fork = log.fork("f", {"mode": "deep"}, question="Another?")
    assert fork.record_call("http", "k", lambda: pytest.fail("it was recorded")) == {
        "body": b"x" * 5000
    }
    assert store.find_session(db, ANN, "f").question == "Another?"


def test_a_fork_is_sealed_for_itself_with_the_key_of_its_day(db: Database) -> None:
    """Whatever sealed what it was made from: its key may be gone tomorrow, and the other session
    too.
    """
    log = new_log(db)
    for n, cipher in enumerate((Cipher(), Cipher(OLD), Cipher(NEW, OLD))):
        db.cipher = cipher
        log_of(db).record_call("http", f"{n:064}", lambda n=n: {"n": n})
    log.append(Draft("gated", {}, "gated"))
    log_of(db).fork("f", {})
    session_admin.delete_session(db, ANN, "s", 1.0)
    session_admin.purge_deleted_sessions(db, ANN, 2.0)
    db.cipher = Cipher(NEW)
    fork = log_of(db, "f")
    assert [
        fork.record_call("http", f"{n:064}", lambda: pytest.fail("it was recorded"))
        for n in range(3)
    ] == [{"n": n} for n in range(3)]
    assert {event.kind for event in fork.read()} == {"call"}
    with db.reading() as conn:
        rows = conn.execute(sa.select(tables.event.c.data, tables.event.c.key)).all()
    assert all(row.data.startswith(db.cipher.head) and row.key.startswith("call:=") for row in rows)
    assert [event.seq for event in fork.append(Draft("gated", {}, "gated"))] == [4]


def test_what_was_sealed_before_a_session_counted_is_still_read(db: Database) -> None:
    """And only where it stands in a row of its kind and number; what is sealed now opens by its
    session alone.
    """
    db.cipher = Cipher(OLD)
    new_session(db)
    old = store.seal_text(db, ANN, '{"n": 1}', "event", "created", "1")
    with db.writing() as conn:
        conn.execute(
            sa.insert(tables.event).values(
                session="s", seq=1, at=1.0, kind="created", key=None, data=old
            )
        )
    assert [event.data for event in Store(db, ANN, "s").read()] == [{"n": 1}]
    session_admin.purge_deleted_sessions(db, ANN, 2.0)
    with db.writing() as conn:
        conn.execute(sa.update(tables.event).values(kind="judged"))
    with pytest.raises(StoreError, match="changed, or moved"):
        Store(db, ANN, "s").read()


def test_a_purge_of_sealed_sessions_keeps_what_others_refer_to(db: Database) -> None:
    db.cipher = Cipher(OLD)
    for id in ("old", "kept"):
        log = new_log(db, id)
        log.append(
            Draft("fetched", {"url": "u", "page": f"of both {'x' * 100}"}, "u"),
            Draft("fetched", {"url": id, "page": f"{id} {'y' * 100}"}, id),
        )
    session_admin.delete_session(db, ANN, "old", 1.0)
    assert session_admin.purge_deleted_sessions(db, ANN, 2.0) == ["old"]
    texts = [log_of(db, "kept").open(event.data["page"]) for event in log_of(db, "kept").read()]
    assert texts == [f"of both {'x' * 100}", f"kept {'y' * 100}"]
    with db.reading() as conn:
        assert conn.execute(sa.select(sa.func.count()).select_from(tables.blob)).scalar_one() == 2


MOVES: dict[str, Callable[[sa.Connection], Any]] = {
    "a page to another tenant": lambda conn: conn.execute(
        sa.update(tables.blob).values(tenant="south")
    ),
    "a page to another hash": lambda conn: conn.execute(sa.update(tables.blob).values(sha="other")),
    "an event to another number": lambda conn: conn.execute(sa.update(tables.event).values(seq=9)),
    "an event to another session": lambda conn: conn.execute(
        sa.update(tables.event).values(session="other")
    ),
    "an event to another kind": lambda conn: conn.execute(
        sa.update(tables.event).values(kind="judged")
    ),
    "a question to another session": lambda conn: conn.execute(
        sa.update(tables.session).values(id="moved")
    ),
    "a session to another tenant": lambda conn: conn.execute(
        sa.update(tables.session).values(tenant="south")
    ),
    "settings to the question": lambda conn: conn.execute(
        sa.update(tables.session).values(question=tables.session.c.settings)
    ),
}


@pytest.mark.parametrize("move", MOVES)
def test_a_sealed_row_is_of_no_use_elsewhere(move: str) -> None:
    db = opened("sqlite://", OLD)
    store.create_session(db, ANN, "s", "?", {}, 1.0)
    looks: list[Callable[[], object]]
    if "question" in move or "a session" in move:
        who, id = (
            Principal("south" if "tenant" in move else ANN.tenant, ANN.user),
            "moved" if "another session" in move else "s",
        )
        looks = [lambda: store.find_session(db, who, id), lambda: store.list_sessions(db, who)]
    else:
        Store(db, ANN, "s").append([EventRow("fetched", "{}", "fetched:u")], {"sha": b"body"}, 1.0)
        south = Principal("south" if "tenant" in move else ANN.tenant, ANN.user)
        looks = (
            [lambda: Store(db, south, "s").blob("other" if "hash" in move else "sha")]
            if "page" in move
            else [lambda: Store(db, ANN, "other" if "session" in move else "s").read()]
        )
        store.create_session(db, ANN, "other", "?", {}, 0.0)
    with db.writing() as conn:
        MOVES[move](conn)
    for look in looks:
        with pytest.raises(StoreError, match="changed, or moved"):
            look()
    db.close()


@pytest.mark.parametrize(
    ("key", "previous", "opens"),
    [(OLD, "", True), (NEW, OLD, True), ("", OLD, True), ("", "", False), (NEW, "", False)],
)
def test_a_database_is_not_opened_without_the_key_of_its_newest_session(
    database_url: str, key: str, previous: str, opens: bool
) -> None:
    """Else what is asked where the key is missing would be written in clear beside it."""
    db = opened(database_url, OLD)
    new_session(db)
    new_session(db, "t", BEN)
    db.close()
    if opens:
        opened(database_url, key, previous).close()
    else:
        with pytest.raises(SettingsError, match="sealed with"):
            opened(database_url, key, previous)
    opened(database_url, OLD).close()  # nothing was changed by the refusal


def test_resources_seal_with_the_keys_of_their_settings(tmp_path: Path) -> None:
    resources = Resources(
        Settings.from_env(
            {
                "ASSAY_HOME": str(tmp_path),
                "CACHE_ENCRYPTION_KEY": NEW,
                "CACHE_ENCRYPTION_KEY_PREV": OLD,
            }
        )
    )
    assert (
        resources.db.cipher.unseal(Cipher(OLD).seal(b"x", "p"), "p")
        == Cipher(NEW).unseal(resources.db.cipher.seal(b"x", "p"), "p")
        == b"x"
    )
    resources.close()


def test_what_stands_is_read_alike(db: Database) -> None:
    """The order of the events and what is in force does not depend on how they are kept."""
    seen = []
    for id, cipher in (("clear", Cipher()), ("sealed", Cipher(OLD))):
        db.cipher = cipher
        log = new_log(db, id)
        log.append(Draft("created", {}, "created"), Draft("found", {"url": "u"}, "0:u"))
        log.record_call("http", "k", lambda: {"status": 503})
        log.void("k")
        log.append(Draft("found", {"url": "v"}, "0:u"))
        seen.append(
            [
                (event.seq, event.kind, event.key, event.data)
                for event in drop_voided(log_of(db, id).read())
            ]
        )
    assert seen[0] == seen[1]


# ---------------------------------------------------------------- a library


def shelf_of(db: Database) -> Shelf:
    return Shelf.open(db, ANN, "my")


STATED = {"metadata": {"authors": [SECRET]}}
WHALES = Document(
    "https://example.org/whales",
    f"On {SECRET}",
    "Whales sing.",
    "html",
    "2025-01-01",
    "s1",
    "",
    STATED,
)
OWN = Document(
    "document:abc", SECRET, f"I saw {SECRET}.", "text", sha="abc", file=f"/home/ann/{SECRET}.txt"
)


def test_a_library_s_titles_files_and_texts_are_sealed_and_read_as_ever(db: Database) -> None:
    def told() -> list[Any]:
        shelf = shelf_of(db)
        listed = [
            {name: row[name] for name in ("url", "title", "kind", "published", "file")}
            for row in shelf.list_documents()
        ]
        changes = [(change.document, change.gone) for change in shelf.changes(0)]
        return [
            listed,
            shelf.files(),
            shelf.made_from(),
            shelf.read(OWN.url),
            shelf.read(WHALES.url),
            changes,
        ]

    seen = []
    for cipher in (Cipher(), Cipher(OLD), Cipher(NEW, OLD), Cipher("", NEW)):
        db.cipher = cipher
        shelf_of(db).put([OWN, WHALES], 1.0)
        seen.append(told())
        with db.reading() as conn:
            columns = (
                tables.document.c.title,
                tables.document.c.file,
                tables.document.c.text,
                tables.document.c.facts,
            )
            rows = [" ".join(map(str, row)) for row in conn.execute(sa.select(*columns))]
        assert any("Anglesey" in row for row in rows) is not cipher.on
    assert seen == [seen[0]] * 4
    assert [row["title"] for row in seen[0][0]] == sorted([WHALES.title, OWN.title])


@pytest.mark.parametrize("before", [Cipher(), Cipher(OLD)], ids=["in clear", "sealed"])
def test_a_document_of_the_same_file_takes_the_place_of_the_one_before(
    db: Database, before: Cipher
) -> None:
    db.cipher = before
    shelf_of(db).put([OWN, WHALES], 1.0)
    db.cipher = Cipher(NEW, OLD)
    again = replace(OWN, url="document:def", sha="def", text="I saw none.")
    shelf_of(db).put([again], 2.0)
    assert set(shelf_of(db).files()) == {again.url, WHALES.url}
    assert shelf_of(db).remove([again.url]) == 1
    assert [(change.document.url, change.gone) for change in shelf_of(db).changes(0)][-1] == (
        again.url,
        True,
    )


@pytest.mark.parametrize("title", ["", SEALED, f"{SEALED}abc", "\x01", "a \x01sealed:"])
@pytest.mark.parametrize("cipher", [Cipher(), Cipher(OLD)], ids=["in clear", "sealed"])
def test_a_title_that_looks_sealed_is_a_title(cipher: Cipher, title: str) -> None:
    db = opened("sqlite://")
    db.cipher = cipher
    shelf_of(db).put([replace(WHALES, title=title, file=title)], 1.0)
    row = shelf_of(db).list_documents()[0]
    assert (row["title"], row["file"]) == (title, title)
    db.close()


def temporary() -> set[str]:
    """The temporary files of SQLite that this process has open."""
    names = {str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}
    return {name for name in names if "etilqs" in name}


@pytest.mark.full
@pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="Only Linux tells which files a process has open."
)
@pytest.mark.parametrize(
    ("key", "stored"),
    mark_first_rows_everyday([(OLD, False), ("", True)]),
    ids=["sealed", "in clear"],
)
def test_the_index_of_a_sealed_library_is_in_no_file(
    tmp_path: Path, key: str, stored: bool
) -> None:
    resources = Resources(
        Settings.from_env({"ASSAY_HOME": str(tmp_path), "CACHE_ENCRYPTION_KEY": key})
    )
    words = [" ".join(f"{word}{n}" for word in "abcdefgh") for n in range(4000)]
    made = [
        Document(
            f"document:{n}",
            f"On {n}",
            " ".join(words[n : n + 200]),
            "text",
            sha=str(n),
            file=f"{n}.txt",
        )
        for n in range(400)
    ]
    Shelf.open(resources.db, LOCAL_USER, "my").put(made, 1.0)
    before = temporary()
    assert resources.library(LOCAL_USER).search("my", "a100")
    assert temporary() == before
    with resources.db.engine.connect() as connection:
        tables = sa.inspect(connection).get_table_names()
    assert any(name.endswith("_passage") for name in tables) is stored
    resources.close()
    bodies = (path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert any(b"a100 b100 c100" in body for body in bodies) is stored
