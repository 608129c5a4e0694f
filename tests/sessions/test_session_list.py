"""Which sessions a list shows, in which order, and which belong together."""

from __future__ import annotations

from typing import Any

import pytest

from research_core.journal.store import SessionRow
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
)
from research_core.sessions.session_status import TERMINAL_STATUSES, SessionInfo


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
