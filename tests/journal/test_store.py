"""The tables of sessions, events and blobs, on both databases: owners, attempts, commit order, one
transaction a batch.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa

from research_core.errors import LostOwnership, UsageError
from research_core.journal import cross_tenant, store, tables
from research_core.journal.database import Database
from research_core.journal.store import EventRow, Store, create_session
from research_core.journal.tables import open_database
from research_core.models import Principal
from tests.logs import ANN, BEN, CLEO, at_once, new_session

#: What PostgreSQL's text, or no driver's, can hold.
ODD = "NUL \x00, half a pair \ud800, emoji 😀, a line\u2028separator, ت"


def count(db: Database, table: sa.Table) -> int:
    with db.reading() as conn:
        return conn.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def rows(*texts: str) -> Sequence[EventRow]:
    return [EventRow("delta", f'{{"text":"{text}"}}') for text in texts]


# ---------------------------------------------------------------- sessions and their owners


def test_a_session_is_kept_as_it_was_given(db: Database) -> None:
    create_session(db, ANN, "s", ODD, {"mode": "quick", "library": ODD, "cap": None}, 12.5)
    row = store.find_session(db, ANN, "s")
    assert (row.question, row.settings) == (ODD, {"mode": "quick", "library": ODD, "cap": None})
    assert (
        row.created,
        row.updated,
        row.parent,
        row.epoch,
        row.executor,
        row.stop,
        row.outcome,
    ) == (12.5, 12.5, None, 0, None, None, None)
    with pytest.raises(UsageError, match="already a session s"):
        create_session(db, BEN, "s", "mine?", {}, 13.0)
    assert store.find_session(db, ANN, "s").question == ODD


def test_a_list_is_newest_first_and_limited(db: Database) -> None:
    for at, id in ((1.0, "old"), (3.0, "new"), (2.0, "middle"), (3.0, "also new")):
        create_session(db, ANN, id, "?", {}, at)
    assert [row.id for row in store.list_sessions(db, ANN)] == ["also new", "new", "middle", "old"]
    assert [row.id for row in store.list_sessions(db, ANN, limit=2)] == ["also new", "new"]
    assert [row.id for row in store.list_sessions(db, ANN, ids=["old", "new", "none"])] == [
        "new",
        "old",
    ]
    assert store.list_sessions(db, ANN, ids=[]) == store.list_sessions(db, BEN, ids=["old"]) == []


@pytest.mark.parametrize("other", [BEN, CLEO], ids=["another user", "another tenant"])
def test_nobody_sees_or_touches_the_session_of_another(db: Database, other: Principal) -> None:
    mine = Store(db, ANN, new_session(db))
    mine.append(rows("mine"), {"sha": b"body"}, 101.0)
    assert store.list_sessions(db, other) == []
    with pytest.raises(UsageError, match="There is no session s"):
        store.find_session(db, other, "s")
    with pytest.raises(UsageError, match="There is no session s"):
        store.take_session(db, other, "s", "worker", 102.0)
    store.request_stop(db, other, "s", "cancel")
    theirs = Store(db, other, "s")
    assert theirs.read() == []
    for write in (
        lambda: theirs.append(rows("theirs"), {}, 102.0),
        lambda: theirs.fork("f", {}, 102.0, ["delta"]),
    ):
        with pytest.raises(UsageError, match="There is no session s"):
            write()
    assert [event.data for event in mine.read()] == [{"text": "mine"}]
    assert (
        mine.stop_reason(),
        store.find_session(db, ANN, "s").epoch,
        store.find_session(db, ANN, "s").updated,
    ) == (None, 0, 101.0)


def test_a_blob_is_shared_within_a_tenant_and_with_no_other(db: Database) -> None:
    """Equal bodies are one row in a tenant; what another tenant stores under the same hash is its
    own.
    """
    for who, id, body in ((ANN, "a", b"north"), (BEN, "b", b"north"), (CLEO, "c", b"south")):
        Store(db, who, new_session(db, id, who)).append(rows("x"), {"sha": body}, 101.0)
    assert count(db, store.blob) == 2
    assert [
        Store(db, who, id).blob("sha") for who, id in ((ANN, "a"), (BEN, "b"), (CLEO, "c"))
    ] == [b"north", b"north", b"south"]
    Store(db, ANN, "a").append(rows("y"), {"secret": b"of the north"}, 102.0)
    with pytest.raises(KeyError):
        Store(db, CLEO, "c").blob("secret")


# ---------------------------------------------------------------- appending


def test_numbers_start_at_one_and_go_on(db: Database) -> None:
    log = Store(db, ANN, new_session(db))
    first = log.append(rows("a", "b"), {}, 101.0)
    second = log.append(rows("c"), {}, 102.0)
    assert [
        (event.seq, event.at, event.kind, event.data) for event in [*first, *second] if event
    ] == [
        (1, 101.0, "delta", {"text": "a"}),
        (2, 101.0, "delta", {"text": "b"}),
        (3, 102.0, "delta", {"text": "c"}),
    ]
    assert log.read() == [*first, *second]
    assert log.read(2) == second
    assert store.find_session(db, ANN, "s").updated == 102.0


def test_a_key_is_taken_once_in_a_session(db: Database) -> None:
    log = Store(db, ANN, new_session(db))
    assert (
        log.append(
            [EventRow("found", "1", "k"), EventRow("found", "2", "k"), EventRow("found", "3")],
            {},
            101.0,
        )[1]
        is None
    )
    assert (
        log.append([EventRow("found", "4", "k"), EventRow("found", "5", "l")], {}, 102.0)[0] is None
    )
    assert [(event.key, event.data) for event in log.read()] == [("k", 1), (None, 3), ("l", 5)]
    assert [event.data for event in log.read(keyed=True)] == [1, 5]
    assert [event.data for event in log.read(keys=["l", "m"])] == [5]
    other = Store(db, ANN, new_session(db, "other"))
    assert other.append([EventRow("found", "6", "k")], {}, 103.0) != [None]


def test_a_batch_is_one_transaction(db: Database) -> None:
    """An error in its middle leaves no event, no blob, no number used and no time changed."""
    log = Store(db, ANN, new_session(db))
    log.append(rows("before"), {}, 101.0)
    unstorable = EventRow(None, "{}")  # type: ignore[arg-type]
    with pytest.raises(sa.exc.IntegrityError):
        log.append([*rows("a"), unstorable, *rows("b")], {"sha": b"body"}, 102.0)
    assert [event.data["text"] for event in log.read()] == ["before"]
    assert count(db, store.blob) == 0
    assert store.find_session(db, ANN, "s").updated == 101.0
    (after,) = log.append(rows("after"), {}, 103.0)
    assert after is not None
    assert after.seq == 2


def test_a_reader_that_polls_sees_every_event_in_order_while_eight_write(db: Database) -> None:
    """The numbers commit in their order; a sequence or autoincrement would let a later one be seen
    first.
    """
    log, batches, ended, seen = Store(db, ANN, new_session(db)), 25, threading.Event(), list[int]()

    def poll() -> None:
        while True:
            over = ended.is_set()
            seen.extend(event.seq for event in log.read(seen[-1] if seen else 0))
            if over:
                return

    reader = threading.Thread(target=poll)
    reader.start()
    at_once(
        8, lambda n: [log.append(rows(*("x" * (1 + n % 3))), {}, 101.0) for _ in range(batches)]
    )
    ended.set()
    reader.join()
    assert seen == list(range(1, 1 + batches * sum(1 + n % 3 for n in range(8))))


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        (EventRow("finished", "{}", "1", "done"), "done"),
        (EventRow("failed", "{}", "1", "failed"), "failed"),
        (EventRow("delta", "{}"), None),
    ],
    ids=["finished", "failed", "anything else"],
)
def test_the_outcome_is_written_with_the_event_that_ends_an_attempt(
    db: Database, row: EventRow, outcome: str | None
) -> None:
    log = Store(db, ANN, new_session(db))
    log.append([*rows("x"), row], {}, 101.0)
    assert [listed.outcome for listed in store.list_sessions(db, ANN)] == [outcome]
    log.append([EventRow(row.kind, "{}", row.key, "changed" if row.outcome else None)], {}, 102.0)
    assert [listed.outcome for listed in store.list_sessions(db, ANN)] == [
        outcome
    ]  # its key was taken: the first write stands


# ---------------------------------------------------------------- attempts


def test_an_attempt_fences_the_one_before_it(db: Database) -> None:
    new_session(db)
    epochs = [store.take_session(db, ANN, "s", f"worker {n}", 101.0 + n) for n in range(2)]
    old, new = (Store(db, ANN, "s", epoch) for epoch in epochs)
    new.append(rows("new"), {}, 103.0)
    with pytest.raises(LostOwnership):
        old.append(rows("old"), {"sha": b"old"}, 104.0)
    assert (old.stop_reason(), new.stop_reason()) == ("lost", None)
    assert [event.data["text"] for event in new.read()] == ["new"]
    assert count(db, store.blob) == 0
    assert (store.find_session(db, ANN, "s").executor, store.find_session(db, ANN, "s").epoch) == (
        "worker 1",
        2,
    )
    # what a page writes needs no epoch, and neither does what is written without being a worker's
    assert old.append(rows("page"), {}, 105.0, fenced=False) != [None]
    assert Store(db, ANN, "s").append(rows("idle"), {}, 106.0) != [None]


def test_of_workers_that_take_one_session_at_once_the_last_can_write(db: Database) -> None:
    new_session(db)
    epochs = at_once(6, lambda n: store.take_session(db, ANN, "s", f"worker {n}", 101.0))
    assert sorted(epochs) == [1, 2, 3, 4, 5, 6]
    for epoch in range(1, 6):
        with pytest.raises(LostOwnership):
            Store(db, ANN, "s", epoch).append(rows("x"), {}, 102.0)
    assert Store(db, ANN, "s", 6).append(rows("x"), {}, 102.0) != [None]


def test_an_attempt_forgets_how_the_last_one_ended_and_no_cancel_that_nobody_answered(
    db: Database,
) -> None:
    log = Store(db, ANN, new_session(db))
    store.request_stop(db, ANN, "s", "cancel")
    store.take_session(db, ANN, "s", "worker", 101.0)
    assert (
        log.stop_reason() == "cancel"
    )  # it was cancelled while it waited, or while its worker was dead
    log.append([EventRow("finished", "{}", "1", "cancelled")], {}, 102.0)
    store.take_session(db, ANN, "s", "worker", 103.0)
    assert (log.stop_reason(), store.find_session(db, ANN, "s").outcome) == (None, None)


# ---------------------------------------------------------------- forks


def test_a_fork_takes_some_kinds_and_the_owner_with_it(db: Database) -> None:
    log = Store(db, ANN, new_session(db))
    log.append(
        [
            EventRow("created", "{}"),
            EventRow("call", "1", "a"),
            EventRow("found", "2", "b"),
            EventRow("call", "3", "c"),
            EventRow("decide", "4"),
        ],
        {},
        101.0,
    )
    fork = log.fork("f", {"mode": "deep"}, 102.0, ["call"])
    assert [(event.seq, event.at, event.key, event.data) for event in fork.read()] == [
        (2, 101.0, "a", 1),
        (4, 101.0, "c", 3),
    ]
    row = store.find_session(db, ANN, "f")
    assert (row.parent, row.question, row.settings, row.created) == (
        "s",
        "What is asked?",
        {"mode": "deep"},
        102.0,
    )
    assert [event.seq for event in fork.append(rows("x"), {}, 103.0) if event] == [5]
    assert len(log.read()) == 5


def test_a_fork_is_made_whole_or_not_at_all(db: Database) -> None:
    log = Store(db, ANN, new_session(db))
    log.append(rows("x"), {}, 101.0)
    with pytest.raises(sa.exc.StatementError):
        log.fork("f", {}, 102.0, [object()])  # type: ignore[list-item]
    assert [row.id for row in store.list_sessions(db, ANN)] == ["s"]
    assert log.fork("f", {}, 102.0, ["call"]).read() == []


def test_a_fork_asks_the_same_or_another_question(db: Database) -> None:
    log = Store(db, ANN, new_session(db))
    log.fork("same", {}, 102.0, ["call"])
    log.fork("other", {}, 102.0, ["call"], question="And why?")
    asked = {row.id: (row.question, row.parent) for row in store.list_sessions(db, ANN)}
    assert asked == {
        "s": ("What is asked?", None),
        "same": ("What is asked?", "s"),
        "other": ("And why?", "s"),
    }


# ---------------------------------------------------------------- what a list says without a log


def test_the_decision_is_written_with_the_outcome_and_forgotten_with_it(db: Database) -> None:
    log = Store(db, ANN, new_session(db))
    log.append([EventRow("finished", "{}", "1", "done", "short_report")], {}, 101.0)
    assert store.find_session(db, ANN, "s").decision == "short_report"
    assert store.reopen_session(db, ANN, "s", seen=0)
    assert store.find_session(db, ANN, "s").decision == ""
    log.append([EventRow("finished", "{}", "2", "done", "full_report")], {}, 102.0)
    store.take_session(db, ANN, "s", "worker", 103.0)
    assert store.find_session(db, ANN, "s").decision == ""


def test_a_database_of_before_is_brought_up_to_date(database_url: str) -> None:
    """As it stood before titles: without their columns, and with the decision only in the log."""
    old = Database(database_url, tables.MIGRATIONS[:2])
    with old.writing() as conn:
        for name in ("decision", "title", "tags", "deleted"):
            conn.execute(sa.text(f"ALTER TABLE session DROP COLUMN {name}"))
        values = {
            "tenant": "north",
            "user": "ann",
            "question": b"Old?",
            "settings": b"{}",
            "created": 1.0,
            "updated": 1.0,
            "next": 9,
        }
        for id, outcome in (("twice", "done"), ("cancelled", "cancelled"), ("open", None)):
            columns = ", ".join(f'"{name}"' for name in (*values, "id", "epoch", "outcome"))
            places = ", ".join(f":{name}" for name in (*values, "id", "epoch", "outcome"))
            conn.execute(
                sa.text(f"INSERT INTO session ({columns}) VALUES ({places})"),
                {**values, "id": id, "epoch": 2, "outcome": outcome},
            )
        finished = (
            '{"decision":"insufficient_data","outcome":"done"}',
            '{"decision":"full_report","outcome":"done"}',
        )
        for id, seq, data in (
            ("twice", 1, finished[0]),
            ("twice", 2, finished[1]),
            ("cancelled", 1, finished[0]),
        ):
            row = {
                "session": id,
                "seq": seq,
                "at": 1.0,
                "kind": "finished",
                "key": f"finished:{seq}",
                "data": data.encode(),
            }
            conn.execute(sa.insert(store.event).values(**row))
    old.close()
    for _ in range(2):  # once brought up to date it is opened as it is
        db = open_database(database_url)
        assert {row.id: row.decision for row in store.list_sessions(db, ANN)} == {
            "twice": "full_report",
            "cancelled": "",
            "open": "",
        }
        assert {
            (row.question, row.title, row.tags, row.deleted) for row in store.list_sessions(db, ANN)
        } == {("Old?", "", (), None)}
        db.close()


def test_waiting_sessions_are_found_by_an_index_also_in_an_older_database(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'assay.db'}"
    Database(
        url, tables.MIGRATIONS[: tables.MIGRATIONS.index(tables.m015_waiting_sessions)]
    ).close()
    db = open_database(url)
    for id in ("waiting", "taken", "ended"):
        new_session(db, id)
    store.take_session(db, ANN, "taken", "worker", 101.0)
    Store(db, ANN, "ended").append([EventRow("finished", "{}", "1", "cancelled")], {}, 101.0)
    plans: list[str] = []

    def explain(conn: sa.Connection, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("SELECT session.id"):
            plan = conn.connection.driver_connection.execute(f"EXPLAIN QUERY PLAN {statement}")
            plans.extend(row[3] for row in plan)

    sa.event.listen(db.engine, "before_cursor_execute", explain)
    assert cross_tenant.list_waiting_sessions(db) == [("waiting", ANN)]
    assert plans == ["SCAN session USING INDEX session_waiting"]
    db.close()
