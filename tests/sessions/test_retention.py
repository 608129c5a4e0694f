"""What goes when its time is over, and what stays however old it is; on both databases, by a clock
that is set by hand.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pytest

from research_core.errors import ResearchError, StoreError
from research_core.journal import audit, cache, cross_tenant, session_admin, store
from research_core.journal.audit.file import AuditRetention, append, find_rotated
from research_core.journal.audit.verify import verify_chain
from research_core.journal.cache import CacheEntry
from research_core.journal.database import Database
from research_core.journal.store import EventRow, Store
from research_core.journal.tables import open_database
from research_core.models import Principal
from research_core.sessions import heartbeats, retention, session_status
from research_core.sessions.retention import DAY_S
from research_core.settings import Settings
from research_core.userdata import memory, workspaces
from research_core.wiring import LOCAL_USER, Resources
from tests.http_service import serving
from tests.logs import ANN, BEN, CLEO, Hands
from tests.timing import wait_until

NOW = 1_790_000_000.0


class Shop(Resources):
    """Resources over a given database, at a moment that is set by hand."""

    @cached_property
    def clock(self) -> Any:
        return Hands(NOW)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def shop(db: Database, home: Path, **variables: str) -> Shop:
    resources = Shop(
        Settings.from_env(
            {
                "ASSAY_HOME": str(home),
                "MEMORY_RETENTION": "10d",
                "WORKSPACE_RETENTION": "5d",
                **variables,
            }
        )
    )
    resources.__dict__["db"] = db
    return resources


def session(
    db: Database,
    id: str,
    days: float,
    who: Principal = ANN,
    outcome: str | None = "done",
    until: float | None = None,
) -> str:
    """A session that was touched last so many days ago, with a page of its own and one that all
    have.
    """
    store.create_session(
        db, who, id, "What is asked?", {"mode": "quick"}, NOW - days * DAY_S, until=until
    )
    told = json.dumps(
        {"pages": [{"$text": sha} for sha in (page(id), page("all"))]}, separators=(",", ":")
    )
    rows = [
        EventRow("fetched", told),
        *([EventRow("finished", "{}", "1", outcome)] if outcome else []),
    ]
    Store(db, who, id).append(
        rows, {page(id): b"a page", page("all"): b"a shared page"}, NOW - days * DAY_S
    )
    return id


def page(id: str) -> str:
    return id.encode().hex().ljust(64, "0")


def there(db: Database, *owners: Principal) -> list[str]:
    return sorted(
        row.id
        for who in owners or (ANN,)
        for deleted in (False, True)
        for row in store.list_sessions(db, who, deleted=deleted)
    )


def test_a_session_that_nobody_touched_goes_with_its_pages_and_its_report(
    db: Database, home: Path
) -> None:
    resources = shop(db, home, ASSAY_RETENTION_DAYS="30")
    for id, days, who in (
        ("old", 30.1, ANN),
        ("new", 29.9, ANN),
        ("theirs", 40, BEN),
        ("others", 31, CLEO),
    ):
        session(db, id, days, who)
    report = session_status.get_saved_path(resources, "old")
    report.parent.mkdir(parents=True)
    report.write_text("# What was asked", encoding="utf-8")
    retention.enforce_retention(resources)
    assert there(db, ANN, BEN, CLEO) == ["new"]
    assert not report.exists()
    assert (Store(db, ANN, "").blob(page("new")), Store(db, ANN, "").blob(page("all"))) == (
        b"a page",
        b"a shared page",
    )
    for who, gone in ((ANN, "old"), (BEN, "theirs"), (CLEO, "others"), (CLEO, "all")):
        with pytest.raises(KeyError):
            Store(db, who, "").blob(page(gone))


def test_without_a_number_of_days_every_session_stays(db: Database, home: Path) -> None:
    session(db, "old", 5_000)
    retention.enforce_retention(shop(db, home))
    assert there(db) == ["old"]


def test_what_was_touched_lately_stays_however_old_it_is(db: Database, home: Path) -> None:
    resources = shop(db, home, ASSAY_RETENTION_DAYS="30")
    session(db, "old", 100)
    Store(db, ANN, "old").append([EventRow("delta", "{}")], {}, NOW - DAY_S)
    retention.enforce_retention(resources)
    assert there(db) == ["old"]
    resources.clock.at += 30 * DAY_S
    retention.enforce_retention(resources)
    assert there(db) == []


@pytest.mark.parametrize(
    ("beat", "stays"),
    [(0.0, True), (5.0, True), (1_000.0, False)],
    ids=["alive", "heard of just now", "dead for long"],
)
def test_a_session_that_runs_stays(db: Database, home: Path, beat: float, stays: bool) -> None:
    executor = heartbeats.make_executor_id()
    session(db, "old", 100, outcome=None)
    store.take_session(db, ANN, "old", executor, NOW - 99 * DAY_S)
    heartbeats.record_beat(db, executor, heartbeats.read_clock(shop(db, home)) - beat)
    retention.enforce_retention(shop(db, home, ASSAY_RETENTION_DAYS="30"))
    assert there(db) == (["old"] if stays else [])


def test_one_that_ended_or_waits_is_not_held_by_who_ran_it(db: Database, home: Path) -> None:
    executor = heartbeats.make_executor_id()
    session(db, "waits", 100, outcome=None)
    session(db, "ended", 100, outcome=None)
    epoch = store.take_session(db, ANN, "ended", executor, NOW - 99 * DAY_S)
    Store(db, ANN, "ended", epoch).append(
        [EventRow("failed", "{}", "2", "failed")], {}, NOW - 99 * DAY_S
    )
    heartbeats.record_beat(db, executor, heartbeats.read_clock(shop(db, home)))
    retention.enforce_retention(shop(db, home, ASSAY_RETENTION_DAYS="30"))
    assert there(db) == []


@pytest.mark.parametrize(("left_s", "stays"), [(1.0, True), (-1.0, False)])
def test_a_led_session_stays_while_tools_may_go_on_with_it(
    db: Database, home: Path, left_s: float, stays: bool
) -> None:
    session(db, "led", 2, outcome=None, until=NOW + left_s)
    retention.enforce_retention(shop(db, home, ASSAY_RETENTION_DAYS="1"))
    assert there(db) == (["led"] if stays else [])


@pytest.mark.parametrize(("days", "kept_days"), [("0", 30), ("90", 30), ("7", 7)])
def test_what_was_deleted_can_be_restored_for_as_long_as_is_said(
    db: Database, home: Path, days: str, kept_days: int
) -> None:
    resources = shop(db, home, ASSAY_RETENTION_DAYS=days)
    assert retention.get_restorable_s(resources) == kept_days * DAY_S
    session(db, "gone", 80)
    session_admin.delete_session(db, ANN, "gone", NOW)
    resources.clock.at = NOW + kept_days * DAY_S - 60.0
    retention.enforce_retention(resources)
    assert there(db) == ["gone"]
    resources.clock.at += 120.0
    retention.enforce_retention(resources)
    assert there(db) == []


def test_a_session_that_is_touched_while_others_are_removed_stays(db: Database, home: Path) -> None:
    """The statement that removes looks again: what was read before may have changed."""
    session(db, "old", 100)
    assert (
        session_admin.expire_sessions(db, ANN, NOW - 100 * DAY_S, NOW, []) == []
    )  # touched at that very moment
    assert session_admin.expire_sessions(db, BEN, NOW, NOW, []) == []
    assert session_admin.expire_sessions(db, ANN, NOW, NOW, []) == ["old"]


def test_notes_and_findings_go_by_their_own_settings(db: Database, home: Path) -> None:
    resources = shop(db, home)
    for who in (ANN, CLEO):
        workspaces.add_member(db, "lab", who, NOW)
        for days in (1, 6, 11):
            at = NOW - days * DAY_S
            memory.save_note(db, who, f"{days}", "", "", [], at, keep_s=math.inf)
            workspaces.add_contribution(db, who, "lab", f"{days}", "", [], at, keep_s=math.inf)
    retention.enforce_retention(resources)
    for who in (ANN, CLEO):
        assert [
            each.note for each in memory.recall_notes(db, who, "", None, NOW, keep_s=math.inf)
        ] == [
            "1",
            "6",
        ]
        assert [each.note for each in workspaces.list_contributions(db, who)] == ["1"]
    assert (
        cross_tenant.list_users_with_old_notes(db, NOW - 10 * DAY_S)
        == cross_tenant.list_users_with_old_contributions(db, NOW - 5 * DAY_S)
        == []
    )


def test_large_results_of_tools_go_with_the_cache(db: Database, home: Path) -> None:
    resources = shop(db, home)
    kept = resources.open_page_cache(ANN)
    assert kept is not None
    value = {
        "url": "research://artifact/a",
        "status": 200,
        "headers": {},
        "body": b"large",
        "hops": [],
    }
    kept.put("artifact.a", CacheEntry(value, None, NOW, 1_800.0), NOW)
    retention.enforce_retention(resources)
    assert cache.measure_cache(db, ANN)[0] == 1
    resources.clock.at += 1_801.0
    retention.enforce_retention(resources)
    assert cache.measure_cache(db, ANN)[0] == 0


def test_old_files_of_the_audit_go_though_no_call_is_made(db: Database, home: Path) -> None:
    file, keep = home / "calls.jsonl", AuditRetention(max_bytes=1, days=180)
    for days in (400, 200, 10):  # each renames the one before at its own day
        append(
            file,
            audit.build_event(NOW - days * DAY_S, ANN, "web_search", "r", 0.1, "", {}),
            pytest.fail,
            AuditRetention(keep.max_bytes, 0),
        )
    assert len(find_rotated(file)) == 2
    for days, left in (("0", 2), ("180", 1), ("180", 1)):
        retention.enforce_retention(
            shop(db, home, AUDIT_LOG_PATH=str(file), AUDIT_RETENTION_DAYS=days)
        )
        assert len(find_rotated(file)) == left
    verdict = verify_chain([file])
    assert (verdict.broken, verdict.lines, verdict.shortened) == (
        None,
        3,
        True,
    )  # two of calls, one that tells of the removal, once


def test_a_server_over_http_sees_to_it_when_it_starts(tmp_path: Path) -> None:
    """It may be all that ever runs on its machine."""
    url = f"sqlite:///{tmp_path / 'assay.db'}"
    first = open_database(url)
    session(first, "old", 5_000)
    first.close()
    with serving(tmp_path, retention_days=1) as server:
        wait_until(lambda: not there(server.resources.db))


def test_what_cannot_go_keeps_nothing_else_and_is_told(db: Database, home: Path) -> None:
    resources = shop(db, home, ASSAY_RETENTION_DAYS="30")
    for who in (ANN, BEN, LOCAL_USER):
        session(db, f"of {who.user}", 40, who)
        session_status.get_saved_path(resources, f"of {who.user}").mkdir(parents=True)
    memory.save_note(db, ANN, "old", "", "", [], NOW - 50 * DAY_S)
    with pytest.raises(ResearchError, match="cannot be removed"):
        retention.enforce_retention(resources)
    assert there(db, ANN, BEN, LOCAL_USER) == []
    assert memory.recall_notes(db, ANN, "", None, NOW, keep_s=math.inf) == ()


def test_what_cannot_be_listed_is_told_and_ends_nothing_else(db: Database, home: Path) -> None:
    gone: list[str] = []

    def part(_resources: Resources) -> Iterator[Callable[[], object]]:
        yield partial(gone.append, "first")
        raise StoreError("The database does not answer.")

    assert [error.message for error in retention._remove_expired(part, shop(db, home))] == [
        "The database does not answer."
    ]
    assert gone == ["first"]
