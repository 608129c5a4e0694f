"""Which sessions a list shows, in which order, and which belong together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from research_core.journal.store import SessionHead, SessionRow
from research_core.policy import RunSettings
from research_core.sessions import session_control, session_start, session_status
from research_core.sessions.session_list import (
    ORDERS,
    RELATIONS,
    STATES,
    SessionFilter,
    filter_sessions,
    find_relation,
    get_state,
    list_other_sessions,
    list_tags,
    map_previous_sessions,
)
from research_core.sessions.session_status import TERMINAL_STATUSES, SessionInfo
from research_core.settings import Settings
from research_core.wiring import Resources


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


def ids(infos: list[SessionInfo]) -> str:
    return " ".join(info.row.id for info in infos)


SEALS = info("seals", created=3.0, title="Tidal turbines", tags=("sea", "Energy"))
WEDDINGS = info(
    "weddings", created=2.0, question="Who plays at WEDDINGS?", decision="insufficient_data"
)
RUNNING = info("running", "running", created=1.0)
WAITING = info("waiting", "queued", created=4.0, tags=("sea",))
FAILED = info("failed", "failed", created=5.0)
SHORT = info("short", created=6.0, decision="short_report")
ALL = [SHORT, FAILED, WAITING, SEALS, WEDDINGS, RUNNING]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (SessionFilter(), "waiting running short failed seals weddings"),
        (SessionFilter(order="oldest"), "running waiting weddings seals failed short"),
        (SessionFilter(order="title"), "running waiting seals failed short weddings"),
        (SessionFilter(order="outcome"), "running waiting seals short weddings failed"),
        (SessionFilter("tidal"), "seals"),
        (SessionFilter("  TURBINES sea "), "seals"),
        (SessionFilter("energy"), "seals"),
        (SessionFilter("weddings who"), "weddings"),
        (SessionFilter("weddings seals"), ""),
        (SessionFilter(states=("insufficient_data", "failed")), "failed weddings"),
        (SessionFilter(states=("running",)), "running"),
        (SessionFilter(tags=("sea",)), "waiting seals"),
        (SessionFilter(tags=("Energy", "unknown")), "seals"),
        (SessionFilter("what", states=("queued",), tags=("sea",)), "waiting"),
    ],
    ids=str,
)
def test_sessions_are_found_and_put_in_order(wanted: SessionFilter, found: str) -> None:
    assert ids(filter_sessions(ALL, wanted)) == found


def test_every_order_keeps_every_session() -> None:
    for order in ORDERS:
        assert sorted(ids(filter_sessions(ALL, SessionFilter(order=order))).split()) == sorted(
            ids(ALL).split()
        )


def test_every_state_has_its_place_in_the_order() -> None:
    decisions = ("full_report", "short_report", "insufficient_data")
    assert {
        get_state(info("x", status))
        for status in ("queued", "running", "interrupted", *TERMINAL_STATUSES)
    } <= set(STATES)
    assert {get_state(info("x", decision=decision)) for decision in decisions} == set(decisions)
    assert get_state(info("x", decision="")) == "done"  # it ended before decisions were kept


def test_tags_are_listed_once_in_order() -> None:
    assert list_tags(ALL) == ["Energy", "sea"]


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
    listed = list_other_sessions([SHORT, same, rewrite, SessionInfo(ORIGIN, "done"), newer], ORIGIN)
    assert [(info.row.id, what) for info, what in listed] == [
        ("newer", "rewrite of it"),
        ("rewrite", "rewrite of it"),
        ("same", "same question"),
        ("short", ""),
    ]


def test_the_previous_session_is_the_latest_older_one_on_the_same_question() -> None:
    same = [
        info(id, created=at, question=question)
        for id, at, question in [
            ("first", 1.0, "Who mines the deep sea?"),
            ("other", 2.0, "Who mines the moon?"),
            ("second", 3.0, "WHO mines  the deep sea?"),
            ("third", 4.0, "Who mines the deep sea?"),
            ("窑", 5.0, "窑炉的历史是什么？"),
            ("炉", 6.0, " 窑炉的历史是什么？"),
        ]
    ]
    assert map_previous_sessions(same) == {"second": "first", "third": "second", "炉": "窑"}
    assert map_previous_sessions(reversed(same)) == map_previous_sessions(same)


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
    wanted = SessionFilter("öfen")
    assert [
        entry.row.id for entry in filter_sessions(session_status.list_entries(resources), wanted)
    ] == [ids[0]]
    resources.close()
