"""Titles, tags, deletion and what is left of a deleted session, on both databases."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from research_core.errors import UsageError
from research_core.journal import cross_tenant, session_admin, store
from research_core.journal.database import Database
from research_core.journal.store import EventRow, Store
from research_core.models import Principal
from tests.journal.test_store import ODD, count, rows
from tests.logs import ANN, BEN, CLEO, new_session


def test_title_and_tags_are_kept_as_given(db: Database) -> None:
    new_session(db)
    row = store.find_session(db, ANN, "s")
    assert (row.title, row.tags, row.deleted, row.decision) == ("", (), None, "")
    session_admin.rename_session(db, ANN, "s", ODD)
    session_admin.tag_session(db, ANN, "s", [ODD, "b"])
    row = store.find_session(db, ANN, "s")
    assert (row.title, row.tags, row.question) == (ODD, (ODD, "b"), "What is asked?")


def test_what_is_deleted_is_in_no_reading_until_it_is_restored(db: Database) -> None:
    mine = Store(db, ANN, new_session(db))
    mine.append(rows("kept"), {}, 101.0)
    session_admin.delete_session(db, ANN, "s", 102.0)
    assert (store.list_sessions(db, ANN), mine.read()) == ([], [])
    assert [(row.id, row.deleted) for row in store.list_sessions(db, ANN, deleted=True)] == [
        ("s", 102.0)
    ]
    attempts: list[Callable[[], object]] = [
        lambda: store.find_session(db, ANN, "s"),
        lambda: store.take_session(db, ANN, "s", "worker", 103.0),
        lambda: session_admin.rename_session(db, ANN, "s", "x"),
        lambda: session_admin.delete_session(db, ANN, "s", 104.0),
        lambda: mine.append(rows("late"), {}, 103.0),
        lambda: mine.fork("f", {}, 103.0, ["delta"]),
    ]
    for attempt in attempts:
        with pytest.raises(UsageError, match="There is no session s"):
            attempt()
    session_admin.restore_session(db, ANN, "s")
    assert [event.data for event in mine.read()] == [{"text": "kept"}]
    assert [row.id for row in store.list_sessions(db, ANN)] == ["s"]
    assert store.list_sessions(db, ANN, deleted=True) == []


def test_a_worker_can_end_what_was_deleted_under_its_hands(db: Database) -> None:
    new_session(db)
    worker = Store(db, ANN, "s", store.take_session(db, ANN, "s", "worker", 101.0))
    store.request_stop(db, ANN, "s", "cancel")
    session_admin.delete_session(db, ANN, "s", 102.0)
    assert worker.stop_reason() == "cancel"
    worker.append([EventRow("finished", "{}", "1", "cancelled")], {}, 103.0)
    assert [event.kind for event in worker.read()] == ["finished"]
    assert [row.outcome for row in store.list_sessions(db, ANN, deleted=True)] == ["cancelled"]


@pytest.mark.parametrize("other", [BEN, CLEO], ids=["another user", "another tenant"])
def test_nobody_changes_the_order_of_another(db: Database, other: Principal) -> None:
    new_session(db)
    attempts: list[Callable[[], None]] = [
        lambda: session_admin.rename_session(db, other, "s", "theirs"),
        lambda: session_admin.tag_session(db, other, "s", ["theirs"]),
        lambda: session_admin.delete_session(db, other, "s", 102.0),
    ]
    for attempt in attempts:
        with pytest.raises(UsageError, match="There is no session s"):
            attempt()
    row = store.find_session(db, ANN, "s")
    assert (row.title, row.tags, row.deleted) == ("", (), None)
    session_admin.delete_session(db, ANN, "s", 102.0)
    assert store.list_sessions(db, other, deleted=True) == []
    with pytest.raises(UsageError, match="There is no session s"):
        session_admin.restore_session(db, other, "s")


# ---------------------------------------------------------------- for good


def page(sha: str) -> EventRow:
    return EventRow("fetched", json.dumps({"page": {"$text": sha}}, separators=(",", ":")))


def stored(db: Database, who: Principal, *shas: str) -> list[str]:
    """Those of these blobs that are there."""
    there = []
    for sha in shas:
        try:
            Store(db, who, "").blob(sha)
        except KeyError:
            continue
        there.append(sha)
    return there


def test_a_purge_removes_what_was_deleted_long_ago_and_no_more(db: Database) -> None:
    for id, deleted in (("old", 100.0), ("recent", 300.0), ("kept", None)):
        Store(db, ANN, new_session(db, id)).append(rows(id), {}, 50.0)
        if deleted:
            session_admin.delete_session(db, ANN, id, deleted)
    assert session_admin.purge_deleted_sessions(db, ANN, 200.0) == ["old"]
    assert session_admin.purge_deleted_sessions(db, ANN, 200.0) == []
    assert [row.id for row in store.list_sessions(db, ANN, deleted=True)] == ["recent"]
    assert [row.id for row in store.list_sessions(db, ANN)] == ["kept"]
    assert count(db, store.event) == 2
    with pytest.raises(UsageError, match="There is no session old"):
        session_admin.restore_session(db, ANN, "old")


def test_a_purge_leaves_the_blobs_that_another_session_of_the_tenant_refers_to(
    db: Database,
) -> None:
    own, forked, colleague, south = (name * 64 for name in "abcd")
    old = Store(db, ANN, new_session(db, "old"))
    old.append(
        [page(own), page(forked), page(colleague), page(south)],
        dict.fromkeys((own, forked, colleague, south), b"x"),
        50.0,
    )
    old.append(
        [EventRow("call", json.dumps({"value": {"$bytes": forked}}, separators=(",", ":")))],
        {},
        51.0,
    )
    old.fork("fork", {}, 52.0, ["call"])
    Store(db, BEN, new_session(db, "ben", BEN)).append([page(colleague)], {colleague: b"x"}, 50.0)
    Store(db, CLEO, new_session(db, "cleo", CLEO)).append([page(south)], {south: b"x"}, 50.0)
    session_admin.delete_session(db, ANN, "old", 100.0)
    assert session_admin.purge_deleted_sessions(db, ANN, 200.0) == ["old"]
    assert stored(db, ANN, own, forked, colleague, south) == [forked, colleague]
    assert stored(db, CLEO, south) == [south]


@pytest.mark.parametrize("other", [BEN, CLEO], ids=["another user", "another tenant"])
def test_nobody_purges_what_another_deleted(db: Database, other: Principal) -> None:
    session_admin.delete_session(db, ANN, new_session(db), 100.0)
    assert session_admin.purge_deleted_sessions(db, other, 200.0) == []
    session_admin.restore_session(db, ANN, "s")


class Between:
    """A database that lets this happen between what is read and what is written."""

    def __init__(self, db: Database, act: Callable[[], object]) -> None:
        self.db, self.act, self.reading, self.cipher = db, act, db.reading, db.cipher

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        self.act()
        with self.db.writing() as conn:
            yield conn


def test_what_others_do_while_a_purge_reads_is_seen(db: Database) -> None:
    forgotten, restored, again, forked = (name * 64 for name in "abcd")
    everything = dict.fromkeys((forgotten, restored, again, forked), b"x")
    Store(db, ANN, new_session(db, "old")).append([page(forgotten), page(again)], everything, 50.0)
    Store(db, ANN, new_session(db, "back")).append([page(restored)], {}, 50.0)
    other = Store(db, ANN, new_session(db, "other"))
    other.append([page("e" * 64)], {}, 50.0)
    for id in ("old", "back"):
        session_admin.delete_session(db, ANN, id, 100.0)

    def meanwhile() -> None:
        session_admin.restore_session(db, ANN, "back")
        other.append([page(again)], {}, 60.0)
        Store(db, BEN, new_session(db, "new", BEN)).append([page(forked)], {}, 61.0)

    between = Between(db, meanwhile)
    assert session_admin.purge_deleted_sessions(between, ANN, 200.0) == ["old"]  # type: ignore[arg-type]
    assert [row.id for row in store.list_sessions(db, ANN)] == ["back", "other"]
    assert stored(db, ANN, forgotten, restored, again, forked) == [restored, again, forked]


def test_a_purge_holds_others_up_for_what_is_new_only(db: Database) -> None:
    log = Store(db, ANN, new_session(db, "kept"))
    log.append([page("a" * 64)] * 50, {}, 50.0)
    Store(db, ANN, new_session(db, "old")).append([page("b" * 64)], {}, 50.0)
    session_admin.delete_session(db, ANN, "old", 100.0)
    read, writing = list[int](), list[bool]()

    class Watched(Between):
        @contextmanager
        def writing(self) -> Iterator[sa.Connection]:
            with self.db.writing() as conn:
                writing.append(True)
                yield conn

    def count_rows(conn: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if writing and "event.data" in statement:
            writing.clear()  # this one is ours
            read.append(len(conn.exec_driver_sql(statement, parameters).all()))
            writing.append(True)

    sa.event.listen(db.engine, "after_cursor_execute", count_rows)
    try:
        session_admin.purge_deleted_sessions(Watched(db, lambda: None), ANN, 200.0)  # type: ignore[arg-type]
    finally:
        sa.event.remove(db.engine, "after_cursor_execute", count_rows)
    assert read == [0]  # of the other session nothing is new


def test_everybody_who_has_something_to_purge_is_named(db: Database) -> None:
    for id, who, deleted in (
        ("a", ANN, 100.0),
        ("b", ANN, 110.0),
        ("c", CLEO, 100.0),
        ("d", BEN, 300.0),
    ):
        session_admin.delete_session(db, who, new_session(db, id, who), deleted)
    new_session(db, "e", BEN)
    assert cross_tenant.list_users_with_deleted_sessions(db, 200.0) == [ANN, CLEO]
    assert cross_tenant.list_users_with_deleted_sessions(db, 50.0) == []


# ---------------------------------------------------------------- one event of many sessions


def test_the_latest_event_of_a_key_is_found_in_many_sessions(db: Database) -> None:
    for id, keys in (("a", ["k"]), ("b", ["k", "2~k", "1~k"]), ("c", ["other"]), ("d", ["k"])):
        Store(db, ANN, new_session(db, id)).append(
            [EventRow("decide", f'"{key}"', key) for key in keys], {}, 50.0
        )
    session_admin.delete_session(db, ANN, "d", 100.0)
    found = session_admin.find_latest_events(db, ANN, ["a", "b", "c", "d", "none"], "k")
    assert {id: event.data for id, event in found.items()} == {"a": "k", "b": "1~k"}
    assert session_admin.find_latest_events(db, BEN, ["a", "b"], "k") == {}
    assert session_admin.find_latest_events(db, ANN, [], "k") == {}


def test_sessions_with_an_event_under_one_of_some_keys_are_found(db: Database) -> None:
    for id, keys in (("a", ["k", "l"]), ("b", ["other"]), ("c", ["l"]), ("d", ["k"])):
        Store(db, ANN, new_session(db, id)).append(
            [EventRow("decide", f'"{key}"', key) for key in keys], {}, 50.0
        )
    session_admin.delete_session(db, ANN, "d", 100.0)
    found = session_admin.find_sessions_with(db, ANN, ["a", "b", "c", "d", "none"], ["k", "l"])
    assert found == {"a", "c"}
    assert session_admin.find_sessions_with(db, ANN, ["a", "b"], ["l"]) == {"a"}
    assert session_admin.find_sessions_with(db, BEN, ["a", "c"], ["k", "l"]) == set()
    assert session_admin.find_sessions_with(db, ANN, [], ["k"]) == set()


def test_the_space_of_deleted_rows_is_given_back_once_it_is_much(db: Database) -> None:
    new_session(db)
    large = [os.urandom(1_000_000) for _ in range(12)]
    mine = Store(db, ANN, "s")
    mine.append(rows("kept"), {f"{n:064}": body for n, body in enumerate(large)}, 101.0)
    assert session_admin.compact_if_worthwhile(db) is False
    with db.writing() as conn:
        conn.execute(sa.delete(store.blob).where(store.blob.c.sha != f"{0:064}"))
    size, free = session_admin.measure_free_space(db)
    if db.engine.dialect.name == "sqlite":
        assert free > 10_000_000
        assert session_admin.compact_if_worthwhile(db) is True
        assert session_admin.measure_free_space(db)[0] < size - 10_000_000
    else:
        assert (size, free) == (0, 0)
        session_admin.compact_database(db)
    assert mine.blob(f"{0:064}") == large[0]
    assert [event.kind for event in mine.read()] == [event.kind for event in rows("kept")]
