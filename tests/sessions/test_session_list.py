"""Which sessions a list shows, in which order, and which belong together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from research_core.journal import session_admin, store, tables
from research_core.journal.store import SessionHead, SessionRow
from research_core.models import SESSION_STATES, Principal
from research_core.policy import RunSettings
from research_core.sessions import heartbeats, session_control, session_start, session_status
from research_core.sessions.session_list import (
    ORDERS,
    RELATIONS,
    SessionFilter,
    find_previous_sessions,
    find_relation,
    get_state,
    list_other_sessions,
    open_list,
)
from research_core.sessions.session_status import TERMINAL_STATUSES, SessionInfo
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources


def info(id: str, status: str = "done", created: float = 1.0, **fields: Any) -> SessionInfo:
    values = {
        "question": f"What is {id}?",
        "parent": None,
        "decision": "full_report" if status == "done" else "",
        **fields,
    }
    row = SessionRow(
        id=id, settings={}, created=created, updated=created, epoch=1, executor=None, stop=None, outcome=None, **values
    )  # fmt: skip
    return SessionInfo(row, status)


ALIVE, DEAD = "alive", "dead"
#: Times that have passed, and that have not.
PAST, FUTURE = 1.0, 4e9
#: What a row holds, by the status that it gives.
STANDINGS: dict[str, dict[str, Any]] = {
    "queued": {},
    "running": {"executor": ALIVE},
    "interrupted": {"executor": DEAD},
    "waiting": {"executor": DEAD, "outcome": "waiting"},
    "open": {"until": FUTURE, "outcome": "open"},
    "closed": {"until": PAST, "outcome": "open", "executor": ALIVE},
    "done": {"executor": ALIVE, "outcome": "done"},
    "failed": {"executor": DEAD, "outcome": "failed"},
    "cancelled": {"outcome": "cancelled"},
}


class Home(Resources):
    """Resources with one executor that is alive, and sessions of any status."""

    def add(self, id: str, status: str, created: float, question: str = "", **more: Any) -> None:
        """Store a session. more: title, tags, decision, deleted, and who for that of another."""
        who = more.pop("who", LOCAL_USER)
        question = question or f"What is {id}?"
        store.create_session(self.db, who, id, question, {}, created)
        if "title" in more:
            session_admin.rename_session(self.db, who, id, more.pop("title"))
        if "tags" in more:
            session_admin.tag_session(self.db, who, id, more.pop("tags"))
        values = {**STANDINGS[status], **more}
        if values:
            with self.db.writing() as conn:
                conn.execute(
                    sa.update(tables.session).values(values).where(tables.session.c.id == id)
                )


@pytest.fixture(params=["clear", "sealed"])
def home(request: pytest.FixtureRequest, database_url: str, tmp_path: Path) -> Iterator[Home]:
    key = {"CACHE_ENCRYPTION_KEY": "0f" * 32} if request.param == "sealed" else {}
    where = {"ASSAY_HOME": str(tmp_path), "ASSAY_DATABASE_URL": database_url}
    resources = Home(Settings.from_env({**where, **key}))
    heartbeats.record_beat(resources.db, ALIVE, heartbeats.read_clock(resources))
    yield resources
    resources.close()


def fill(home: Home) -> None:
    home.add("short", "done", 6.0, decision="short_report")
    home.add("failed", "failed", 5.0)
    home.add("queued", "queued", 4.0, tags=("sea",))
    home.add(
        "seals", "done", 3.0, title="Tidal turbines", tags=("sea", "Energy"),
        decision="full_report",
    )  # fmt: skip
    home.add("weddings", "done", 2.0, "Who plays at WEDDINGS?", decision="insufficient_data")
    home.add("running", "running", 1.0, "Wie tief ist die STRASSE?")
    home.add("gone", "done", 7.0, "What is tidal?", deleted=PAST, tags=("old", "sea"))
    home.add("theirs", "done", 8.0, "What is tidal?", who=Principal("local", "ben"), tags=("his",))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (SessionFilter(), "queued running short failed seals weddings"),
        (SessionFilter(order="oldest"), "running queued weddings seals failed short"),
        (SessionFilter(order="title"), "queued running seals failed short weddings"),
        (SessionFilter(order="outcome"), "running queued seals short weddings failed"),
        (SessionFilter("tidal"), "seals"),
        (SessionFilter("  TURBINES sea "), "seals"),
        (SessionFilter("energy"), "seals"),
        (SessionFilter("weddings who"), "weddings"),
        (SessionFilter("weddings seals"), ""),
        (SessionFilter("straße"), "running"),
        (SessionFilter("%"), ""),
        (SessionFilter(states=("insufficient_data", "failed")), "failed weddings"),
        (SessionFilter(states=("running",)), "running"),
        (SessionFilter(states=("done",)), ""),
        (SessionFilter(tags=("sea",)), "queued seals"),
        (SessionFilter(tags=("Energy", "unknown")), "seals"),
        (SessionFilter(tags=("his", "old")), ""),
        (SessionFilter("what", states=("queued",), tags=("sea",)), "queued"),
        (SessionFilter("what", order="oldest"), "queued seals failed short"),
        (SessionFilter(tags=("sea",), order="title"), "queued seals"),
    ],
    ids=str,
)
def test_sessions_are_found_and_put_in_order(home: Home, wanted: SessionFilter, found: str) -> None:
    """Whole, in parts, and one by one; nothing of another user, and nothing deleted."""
    fill(home)
    matches = open_list(home).find(wanted)
    ids = found.split()
    assert (matches[:], len(matches)) == (ids, len(ids))
    for start, stop in ((0, 2), (1, 3), (2, 99), (7, 9), (-2, None)):
        assert matches[start:stop] == ids[start:stop]
    assert [matches[place] for place in range(len(ids))] == ids
    assert matches[::-2] == ids[::-2]
    with pytest.raises(IndexError):
        matches[len(ids)]


def test_the_deleted_ones_are_a_list_of_their_own(home: Home) -> None:
    fill(home)
    listed = open_list(home, deleted=True)
    assert listed.find(SessionFilter())[:] == listed.find(SessionFilter("tidal"))[:] == ["gone"]
    assert listed.count_states() == {"done": 1}
    assert listed.list_tags() == ["old", "sea"]
    assert open_list(home).list_tags() == ["Energy", "sea"]
    assert open_list(home).list_unfinished() == {"queued": "queued", "running": "running"}


def test_every_order_keeps_every_session(home: Home) -> None:
    """Also where many were asked at the same moment."""
    for number in range(12):
        home.add(f"s{number:02}", list(STANDINGS)[number % 9], float(number % 2), "What is it?")
    for order in ORDERS:
        matches = open_list(home).find(SessionFilter(order=order))
        in_parts = [id for start in range(0, 12, 5) for id in matches[start : start + 5]]
        assert in_parts == matches[:]
        assert sorted(in_parts) == [f"s{number:02}" for number in range(12)]


def test_statements_know_every_status(home: Home) -> None:
    """As reading the row finds it, with and without a decision of an earlier attempt."""
    for place, status in enumerate(STANDINGS):
        home.add(status, status, float(place))
    listed = open_list(home)
    assert listed.count_states() == dict.fromkeys(STANDINGS, 1)
    for entry in session_status.list_entries(home):
        assert entry.status == get_state(entry) == entry.row.id
        assert listed.find(SessionFilter(states=(entry.status,)))[:] == [entry.row.id]
    ended = set(session_status.TERMINAL_STATUSES)
    assert listed.list_unfinished() == {name: name for name in STANDINGS if name not in ended}


def test_every_state_has_its_place_in_the_order() -> None:
    decisions = ("full_report", "short_report", "insufficient_data")
    assert {
        get_state(info("x", status))
        for status in ("queued", "running", "interrupted", *TERMINAL_STATUSES)
    } <= set(SESSION_STATES)
    assert {get_state(info("x", decision=decision)) for decision in decisions} == set(decisions)
    assert get_state(info("x", decision="")) == "done"  # it ended before decisions were kept


ORIGIN = info("origin", question="What do seals do?").row


@pytest.mark.parametrize(
    ("row", "other", "what"),
    [
        (ORIGIN, info("x", question="What do  seals DO?", parent="origin").row, "rewrite of it"),
        (ORIGIN, info("x", parent="origin").row, "follow-up of it"),
        (
            info("x", question=ORIGIN.question, parent="origin").row,
            ORIGIN,
            "it is a rewrite of this",
        ),
        (info("x", parent="origin").row, ORIGIN, "it follows this up"),
        (info("x", parent="origin").row, info("y", parent="origin").row, "of the same origin"),
        (ORIGIN, info("x", question=ORIGIN.question).row, "same question"),
        (ORIGIN, info("x").row, ""),
    ],
)
def test_related_sessions_say_how(row: SessionRow, other: SessionRow, what: str) -> None:
    assert find_relation(row, other) == what
    assert what in RELATIONS


def test_the_nearest_sessions_stand_first() -> None:
    rewrite = info("rewrite", question=ORIGIN.question, parent="origin", created=2.0)
    newer = info("newer", question=ORIGIN.question, parent="origin", created=3.0)
    same = info("same", question=ORIGIN.question, created=9.0)
    short = info("short", created=6.0, decision="short_report")
    listed = list_other_sessions([short, same, rewrite, SessionInfo(ORIGIN, "done"), newer], ORIGIN)
    assert [(info.row.id, what) for info, what in listed] == [
        ("newer", "rewrite of it"),
        ("rewrite", "rewrite of it"),
        ("same", "same question"),
        ("short", ""),
    ]


def test_the_previous_session_is_the_latest_older_one_on_the_same_question(home: Home) -> None:
    questions = {
        "first": "Who mines the deep sea?",
        "other": "Who mines the moon?",
        "second": "WHO mines  the deep sea?",
        "deleted": "Who mines the deep sea?",
        "third": "Who mines the deep sea?",
        "kiln": "窑炉的历史是什么？",
        "kiln too": " 窑炉的历史是什么？",
        "Straße": "Wie lang ist die Straße?",
        "STRASSE": "Wie lang ist die STRASSE?",
    }
    for place, (id, question) in enumerate(questions.items()):
        deleted = {"deleted": PAST} if id == "deleted" else {}
        home.add(id, "done", float(place), question, **deleted)
    previous = {"second": "first", "third": "second", "kiln too": "kiln", "STRASSE": "Straße"}
    assert find_previous_sessions(home, set(questions)) == previous
    assert find_previous_sessions(home, ["third", "first"]) == {"third": "second"}
    assert find_previous_sessions(home, []) == {}


@pytest.mark.parametrize("sealed", [False, True])
def test_an_entry_of_a_long_list_is_the_session_without_its_settings(
    tmp_path: Path, sealed: bool
) -> None:
    key = {"CACHE_ENCRYPTION_KEY": "0f" * 32} if sealed else {}
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path), **key}))
    for question in ("What is “a”?", "Was ist Öl?", "窑炉的历史是什么？"):
        session_start.new_session(resources, question, RunSettings())
    ids = [found.row.id for found in session_status.list_sessions(resources)]
    session_control.rename(resources, ids[0], "Die Öfen")
    session_control.tag(resources, ids[1], ["sea", "Meer"])
    session_control.delete(resources, ids[2])
    for deleted in (False, True):
        infos = session_status.list_sessions(resources, deleted=deleted)
        entries = session_status.list_entries(resources, deleted=deleted)
        for entry, found in zip(entries, infos, strict=True):
            assert (entry.status, get_state(entry)) == (found.status, get_state(found))
            for name in SessionHead.__dataclass_fields__:
                assert getattr(entry.row, name) == getattr(found.row, name)
    assert open_list(resources).find(SessionFilter("öfen"))[:] == [ids[0]]
    resources.close()
