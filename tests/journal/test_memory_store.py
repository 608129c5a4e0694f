"""A store in memory answers like the one in the database, whatever is appended and read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.journal.memory_store import MemoryStore
from research_core.journal.store import EventRow, Store, create_session
from research_core.journal.tables import open_database
from tests.logs import ANN

KINDS = ("call", "decide", "found")
ROWS = st.lists(
    st.builds(
        EventRow,
        st.sampled_from(KINDS),
        st.sampled_from(['{"a": 1}', '{"b": [null, "é"]}', "[]"]),
        st.sampled_from([None, "one", "two", "three"]),
    ),
    max_size=4,
)
READINGS: list[dict[str, Any]] = [
    {},
    {"after": 2},
    {"keyed": True},
    {"keys": ("one", "three")},
    {"kinds": ("found",)},
    {"after": 1, "keyed": True, "kinds": ("call", "decide")},
]


@given(st.lists(ROWS, max_size=5))
def test_it_answers_like_the_database(batches: list[list[EventRow]]) -> None:
    db = open_database("sqlite://")
    create_session(db, ANN, "s", "tides", {}, 1.0)
    stored, kept = Store(db, ANN, "s"), MemoryStore("tides", "s")
    for number, rows in enumerate(batches):
        if rows:
            assert kept.append(rows, {}, float(number)) == stored.append(rows, {}, float(number))
    for options in READINGS:
        assert kept.read(**options) == stored.read(**options)
    kept_fork, stored_fork = (each.fork("t", {}, 9.0, ("call", "found")) for each in (kept, stored))
    assert kept_fork.read() == stored_fork.read()
    row = EventRow("found", "[]", "new")
    assert kept_fork.append([row], {}, 10.0) == stored_fork.append([row], {}, 10.0)
    db.close()


def test_a_body_is_found_by_its_hash_in_a_fork_too() -> None:
    store = MemoryStore()
    store.append([EventRow("call", "{}", "k")], {"sha": b"body"}, 1.0)
    fork = store.fork("t", {}, 2.0, ("call",))
    assert (store.blob("sha"), fork.blob("sha"), fork.session) == (b"body", b"body", "t")
    with pytest.raises(KeyError):
        store.blob("other")


def test_what_is_appended_to_a_fork_is_not_in_the_first() -> None:
    store = MemoryStore("tides")
    fork = store.fork("t", {}, 2.0, ("call",))
    fork.append([EventRow("call", "{}", "k")], {}, 1.0)
    assert (store.read(), fork.question) == ([], "tides")


def test_sessions_have_ids_of_their_own() -> None:
    assert len({MemoryStore().session for _ in range(3)}) == 3
