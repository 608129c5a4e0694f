"""What is kept about one user, as a screen tells it: whose it is, for how long it is kept, and what
is left when it is erased.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from research_core.errors import ResearchError, UsageError
from research_core.journal import session_admin, store
from research_core.models import Principal
from research_core.sessions import heartbeats, session_status, user_summary
from research_core.sessions.user_summary import ConsentPurpose
from research_core.settings import Settings
from research_core.userdata import analytics, memory, workspaces
from research_core.wiring import LOCAL_USER, Resources
from tests.logs import ANN, CLEO, Hands

NOW, DAY_S = 1_790_000_000.0, 86_400.0


class Shop(Resources):
    @cached_property
    def clock(self) -> Any:
        return Hands(NOW)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def resources(home: Path) -> Iterator[Shop]:
    resources = shop(home, MEMORY_ENABLED="true")
    yield resources
    resources.close()


def shop(home: Path, **variables: str) -> Shop:
    return Shop(Settings.from_env({"ASSAY_HOME": str(home), **variables}))


def fill(resources: Resources, who: Principal = LOCAL_USER) -> None:
    db = resources.db
    user_summary.set_consent(resources, "memory", True, who=who)
    user_summary.set_consent(resources, "analytics", True, who=who)
    for n in range(3):
        memory.save_note(db, who, f"note {n} of {who.user}", "tea", "", [], NOW - n)
    for name in ("lab", "attic"):
        workspaces.add_member(db, name, who, NOW)
        workspaces.add_contribution(db, who, name, f"in {name}", "", [], NOW)
    for tool, count in (("web_search", 3), ("scrape_page", 1)):
        for n in range(count):
            analytics.count_tool_call(db, who, tool, NOW - 100 + n)
    for name in ("kept", "runs", "deleted"):
        store.create_session(db, who, f"{name} {who.tenant}{who.user}", "?", {"mode": "quick"}, NOW)
    session_admin.delete_session(db, who, f"deleted {who.tenant}{who.user}", NOW)
    executor = heartbeats.make_executor_id()
    heartbeats.record_beat(db, executor, NOW)
    store.take_session(db, who, f"runs {who.tenant}{who.user}", executor, NOW)


def test_each_user_is_told_their_own_and_nobody_else_s(resources: Shop) -> None:
    for who in (LOCAL_USER, ANN, CLEO):
        fill(resources, who)
    for who in (LOCAL_USER, ANN, CLEO):
        told = user_summary.read_user_summary(resources, who=who)
        assert [each.note for each in told.memories] == [
            f"note {n} of {who.user}" for n in range(3)
        ]
        assert {each.by for each in told.contributions} == {Principal(who.tenant, who.user)}
        assert (told.joined, told.erased) == ((("attic", NOW), ("lab", NOW)), ())
        assert [(each.tool, each.calls) for each in told.counts] == [
            ("web_search", 3),
            ("scrape_page", 1),
        ]
        assert (told.sessions, told.running, told.deleted) == (2, 1, 1)


def test_of_nobody_nothing_is_kept(resources: Shop) -> None:
    told = user_summary.read_user_summary(resources)
    assert (told.memories, told.contributions, told.joined, told.counts) == ((), (), (), ())
    assert (told.sessions, told.running, told.deleted, told.erased) == (0, 0, 0, ())
    assert [each.since for each in told.purposes] == [None, None, None]


def test_a_consent_says_since_when_and_which_setting_it_needs(resources: Shop) -> None:
    assert user_summary.read_user_summary(resources).purposes == (
        ConsentPurpose("memory", "MEMORY_ENABLED", True, None, None),
        ConsentPurpose("analytics", "USER_ANALYTICS_ENABLED", False, None, None),
        ConsentPurpose("workspace", "WORKSPACES_ENABLED", False, None, None),
    )
    user_summary.set_consent(resources, "memory", True)
    resources.clock.at += 5
    user_summary.set_consent(resources, "memory", False)
    assert user_summary.read_user_summary(resources).purposes[0] == ConsentPurpose(
        "memory", "MEMORY_ENABLED", True, None, NOW + 5
    )
    resources.clock.at += 5
    user_summary.set_consent(resources, "memory", True)
    assert user_summary.read_user_summary(resources).purposes[0] == ConsentPurpose(
        "memory", "MEMORY_ENABLED", True, NOW + 10, NOW + 5
    )
    with pytest.raises(UsageError, match="no purpose"):
        user_summary.set_consent(resources, "spying", True)


def test_how_long_things_are_kept_is_what_the_settings_say(home: Path) -> None:
    told = {each.what: each for each in user_summary.list_retention_spans(shop(home))}
    assert told["Unused sessions"].seconds is None
    assert told["Deleted sessions and libraries"].seconds == 30 * DAY_S
    assert (told["Notes"].seconds, told["Notes"].setting) == (90 * DAY_S, "MEMORY_RETENTION")
    assert "Rotated audit files" not in told
    other = {
        "ASSAY_RETENTION_DAYS": "7",
        "MEMORY_RETENTION": "2d",
        "AUDIT_LOG_PATH": str(home / "a.jsonl"),
        "AUDIT_RETENTION_DAYS": "0",
    }
    told = {each.what: each for each in user_summary.list_retention_spans(shop(home, **other))}
    assert (
        told["Unused sessions"].seconds
        == told["Deleted sessions and libraries"].seconds
        == 7 * DAY_S
    )
    assert (told["Notes"].seconds, told["Rotated audit files"].seconds) == (2 * DAY_S, None)


def test_the_export_is_json_whatever_was_written(resources: Shop) -> None:
    memory.save_note(resources.db, LOCAL_USER, "é \ud83d \x00 \u202e", "", "", [], NOW)
    told = json.loads(user_summary.export_user_data(resources))
    assert told["memories"][0]["note"] == "é \ud83d \x00 \u202e"
    assert "é" in user_summary.export_user_data(resources).decode()


def saved(resources: Resources, session: str) -> Path:
    file = session_status.get_saved_path(resources, session)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("# What was asked", encoding="utf-8")
    return file


def test_erased_is_everything_with_the_reports_that_were_saved(resources: Shop) -> None:
    for who in (LOCAL_USER, ANN):
        fill(resources, who)
    mine = [saved(resources, f"{name} locallocal") for name in ("kept", "deleted")]
    theirs = saved(resources, "kept northann")
    gone = user_summary.erase_user_data(resources)
    assert gone == {
        "consents": 2,
        "memories": 3,
        "contributions": 2,
        "memberships": 2,
        "overrides": 0,
        "analytics": 2,
        "signIns": 0,
        "shares": 0,
        "libraries": 0,
        "sessions": 3,
    }
    assert [file.exists() for file in (*mine, theirs)] == [False, False, True]
    left = user_summary.read_user_summary(resources)
    assert (
        left.memories,
        left.contributions,
        left.joined,
        left.counts,
        left.sessions,
        left.deleted,
    ) == ((), (), (), (), 0, 0)
    assert left.erased == (NOW,)
    assert user_summary.read_user_summary(resources, who=ANN).sessions == 2


def test_the_report_of_a_session_that_began_while_an_erasure_looked_goes_too(
    resources: Shop,
) -> None:
    fill(resources)
    late = list[Path]()

    def meanwhile(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if (
            statement.startswith("SELECT session.id") and not late
        ):  # what it looks at before it begins to remove
            late.append(saved(resources, "late"))
            store.create_session(resources.db, LOCAL_USER, "late", "?", {"mode": "deep"}, NOW)

    sa.event.listen(resources.db.engine, "after_cursor_execute", meanwhile)
    assert user_summary.erase_user_data(resources)["sessions"] == 4
    assert [file.exists() for file in late] == [False]


def test_a_saved_report_that_cannot_go_is_named_and_all_else_is_gone(resources: Shop) -> None:
    fill(resources)
    stuck = session_status.get_saved_path(resources, "deleted locallocal")
    stuck.mkdir(parents=True)
    other = saved(resources, "kept locallocal")
    with pytest.raises(
        ResearchError, match=f"All else is erased. .*{stuck.name} cannot be removed"
    ):
        user_summary.erase_user_data(resources)
    assert (user_summary.read_user_summary(resources).sessions, other.exists()) == (0, False)
