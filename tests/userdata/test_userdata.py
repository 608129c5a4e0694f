"""What a user agreed to have kept: consents, notes, workspaces and counts, each for its user alone;
told, erased and sealed.
"""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from research_core import policy
from research_core.errors import StoreError, UsageError
from research_core.interfaces.cli.commands import main
from research_core.journal import store
from research_core.journal.database import Database
from research_core.journal.store import create_session
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.policy import Override, RunSettings
from research_core.search.library.library import Library
from research_core.search.library.shelf import Document, Shelf
from research_core.sessions.tool_calls import ToolCaller
from research_core.settings import Settings
from research_core.tools import get_tool, list_available_tools
from research_core.userdata import (
    analytics,
    consent,
    export_and_erase,
    memory,
    overrides,
    shares,
    sign_ins,
    workspaces,
)
from research_core.wiring import Resources
from tests.bullets import Bullets
from tests.journal.test_session_admin import Between
from tests.logs import Hands

DAY = 86_400.0
ANN, BEN, CLEO = Principal("acme", "ann"), Principal("acme", "ben"), Principal("other", "ann")
NOBODY = Principal("default", "anonymous")
FOUR = (ANN, BEN, CLEO, Principal("other", "ben"))

# ---------------------------------------------------------------- the stores


def test_the_last_word_counts_and_the_history_stays(db: Database) -> None:
    assert consent.find_consent(db, ANN, "memory") is None
    consent.give_consent(db, ANN, "memory", 10.0)
    consent.withdraw_consent(db, ANN, "memory", 20.0, by="admin")
    assert consent.find_consent(db, ANN, "memory") is None
    consent.give_consent(db, ANN, "memory", 30.0)
    assert consent.find_consent(db, ANN, "memory") == 30.0
    assert (
        consent.find_consent(db, ANN, "workspace")
        is consent.find_consent(db, BEN, "memory")
        is None
    )
    assert [(each.given, each.at, each.by) for each in consent.list_consent_records(db, ANN)] == [
        (True, 10.0, "user"), (False, 20.0, "admin"), (True, 30.0, "user")
    ]  # fmt: skip
    with pytest.raises(UsageError, match="no purpose"):
        consent.give_consent(db, ANN, "spying", 1.0)


def test_notes_are_their_user_s_the_newest_first_and_end_after_their_time(db: Database) -> None:
    for n, (who, topic) in enumerate([(ANN, "tea"), (BEN, "tea"), (ANN, "Tea"), (ANN, "coffee")]):
        memory.save_note(db, who, f"note {n}", topic, "", ["x"], 100.0 * n, keep_s=1_000)
    assert [each.note for each in memory.recall_notes(db, ANN, "", None, 400.0, keep_s=1_000)] == [
        "note 3",
        "note 2",
        "note 0",
    ]
    assert [each.note for each in memory.recall_notes(db, ANN, "TEA", 1, 400.0, keep_s=1_000)] == [
        "note 2"
    ]
    assert [
        each.note for each in memory.recall_notes(db, ANN, "", None, 1_150.0, keep_s=1_000)
    ] == [
        "note 3",
        "note 2",
    ]
    memory.save_note(db, ANN, "later", "", "", [], 1_250.0, keep_s=1_000)
    assert {each.note for each in memory.recall_notes(db, ANN, "", None, 0.0, keep_s=math.inf)} == {
        "note 3",
        "later",
    }  # the rest is gone
    assert memory.recall_notes(db, CLEO, "", None, 400.0, keep_s=1_000) == ()


def test_a_workspace_is_its_members_and_looks_who_is_one_each_time(db: Database) -> None:
    workspaces.add_member(db, "w", ANN, 1.0)
    workspaces.add_member(db, "w", CLEO, 2.0)
    made = workspaces.add_contribution(db, ANN, "w", "found", "https://a.example.org/", ["t"], 3.0)
    assert made is not None
    assert workspaces.add_contribution(db, BEN, "w", "mine", "", [], 3.0) is None
    assert workspaces.read_workspace(db, CLEO, "w", 4.0) == (made,)
    assert workspaces.read_workspace(db, BEN, "w", 4.0) is None
    assert workspaces.read_workspace(db, CLEO, "other", 4.0) is None
    assert workspaces.remove_member(db, "w", CLEO)
    assert not workspaces.remove_member(db, "w", CLEO)
    assert workspaces.read_workspace(db, CLEO, "w", 4.0) is None
    assert workspaces.read_workspace(db, ANN, "w", 3.0 + 31 * DAY) == ()  # thirty days
    assert workspaces.list_memberships(db, ANN) == (("w", 1.0),)


def test_calls_are_counted_with_consent_alone(db: Database) -> None:
    assert not analytics.count_tool_call(db, ANN, "web_search", 1.0)
    assert analytics.summarize_usage(db, ANN) is None
    consent.give_consent(db, ANN, "analytics", 2.0)
    for at, name in ((3.0, "web_search"), (4.0, "scrape_page"), (5.0, "web_search")):
        assert analytics.count_tool_call(db, ANN, name, at)
    told = analytics.summarize_usage(db, ANN)
    assert told == analytics.UsageSummary(
        {"web_search": 2, "scrape_page": 1}, 3.0, 5.0, ("web_search", "scrape_page")
    )
    assert analytics.summarize_usage(db, BEN) is None


def full(db: Database, who: Principal) -> None:
    for purpose in policy.CONSENT_PURPOSES:
        consent.give_consent(db, who, purpose, 1.0)
    memory.save_note(db, who, f"note of {who}", "", "", [], 2.0)
    workspaces.add_member(db, "w", who, 1.0)
    workspaces.add_contribution(db, who, "w", f"found by {who}", "", [], 2.0)
    overrides.save_override(db, who, Override("a.example", 0.2, f"said by {who}"), 2.0)
    analytics.count_tool_call(db, who, "web_search", 3.0)
    sign_ins.start_sign_in(db, who, 3.0)
    Shelf.open(db, who, "my").put([Document("document:a", "Kept", f"By {who}.", "text")], 3.0)
    create_session(
        db, who, f"{who.tenant}-{who.user}", "What is kept?", RunSettings().to_json(), 4.0
    )
    shares.create_share(db, who, f"{who.tenant}-{who.user}", 5.0, 7)


def test_all_of_one_user_is_told_and_erased_and_nothing_of_another_s(db: Database) -> None:
    for who in FOUR:
        full(db, who)
    before = {who: export_and_erase.export_user_data(db, who) for who in FOUR}
    assert all(len(before[ANN][name]) for name, _, _ in export_and_erase.USER_STORES)
    assert "ben" not in json.dumps(before[ANN])
    assert set(before[ANN]) == {
        "tenantId",
        "userId",
        *(name for name, _, _ in export_and_erase.USER_STORES),
        "erasures",
        "notIncluded",
    }
    gone, sessions = export_and_erase.erase_user_data(db, ANN, 9.0)
    assert sessions == [f"{ANN.tenant}-{ANN.user}"]
    assert gone == {
        "consents": 3,
        "memories": 1,
        "contributions": 1,
        "memberships": 1,
        "overrides": 1,
        "analytics": 1,
        "signIns": 1,
        "shares": 1,
        "libraries": 1,
        "sessions": 1,
    }
    after = export_and_erase.export_user_data(db, ANN)
    assert not any(after[name] for name, _, _ in export_and_erase.USER_STORES)
    assert after["erasures"] == [{"at": "1970-01-01T00:00:09Z", "counts": gone}]
    assert {who: export_and_erase.export_user_data(db, who) for who in FOUR[1:]} == {
        who: before[who] for who in FOUR[1:]
    }


@pytest.mark.parametrize(
    ("store", "field", "time"),
    [
        ("consents", "at", "1970-01-01T00:00:01Z"),
        ("memories", "at", "1970-01-01T00:00:02Z"),
        ("contributions", "at", "1970-01-01T00:00:02Z"),
        ("memberships", "since", "1970-01-01T00:00:01Z"),
        ("analytics", "first", "1970-01-01T00:00:03Z"),
        ("analytics", "last", "1970-01-01T00:00:03Z"),
        ("signIns", "created", "1970-01-01T00:00:03Z"),
        ("signIns", "seen", "1970-01-01T00:00:03Z"),
        ("signIns", "revoked", None),
        ("shares", "expires", "1970-01-08T00:00:05Z"),
        ("shares", "revoked", None),
        ("sessions", "created", "1970-01-01T00:00:04Z"),
        ("sessions", "updated", "1970-01-01T00:00:04Z"),
        ("sessions", "deleted", None),
    ],
)
def test_times_of_an_export_are_rfc_3339(
    db: Database, store: str, field: str, time: str | None
) -> None:
    full(db, ANN)
    rows = export_and_erase.export_user_data(db, ANN)[store]
    row = rows if isinstance(rows, dict) else rows[0]
    assert row[field] == time


def test_times_of_exported_libraries_are_rfc_3339(db: Database) -> None:
    full(db, ANN)
    (library,) = export_and_erase.export_user_data(db, ANN)["libraries"]
    assert library["documents"][0]["added_at"] == "1970-01-01T00:00:03Z"
    Library(db, ANN).remove_library("my")
    (removed,) = export_and_erase.export_user_data(db, ANN)["libraries"]
    assert removed["removed"].endswith("Z")


@pytest.mark.parametrize("at", ["consent", "usage", "session", "erasure"])
def test_an_erasure_that_fails_anywhere_removes_nothing(db: Database, at: str) -> None:
    full(db, ANN)
    before = export_and_erase.export_user_data(db, ANN)

    def refuse(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith((f"DELETE FROM {at}", f'DELETE FROM "{at}', f"INSERT INTO {at}")):
            raise StoreError("The disk is full.")

    sa.event.listen(db.engine, "before_cursor_execute", refuse)
    with pytest.raises(StoreError, match="full"):
        export_and_erase.erase_user_data(db, ANN, 9.0)
    sa.event.remove(db.engine, "before_cursor_execute", refuse)
    assert export_and_erase.export_user_data(db, ANN) == before
    assert sum(export_and_erase.erase_user_data(db, ANN, 9.0)[0].values()) == 12


def test_an_erasure_takes_what_came_while_it_looked_and_leaves_what_others_refer_to(
    db: Database,
) -> None:
    def page(sha: str) -> store.EventRow:
        return store.EventRow(
            "fetched", json.dumps({"page": {"$text": sha * 64}}, separators=(",", ":"))
        )

    for id, who, sha in (("mine", ANN, "a"), ("ours", BEN, "b")):
        create_session(db, who, id, "?", {}, 1.0)
        store.Store(db, who, id).append(
            [page(sha), page("c")], {sha * 64: b"x", "c" * 64: b"y"}, 1.0
        )

    def meanwhile() -> None:
        create_session(db, ANN, "late", "?", {}, 2.0)
        store.Store(db, ANN, "late").append([page("d"), page("b")], {"d" * 64: b"z"}, 2.0)

    counts, sessions = export_and_erase.erase_user_data(Between(db, meanwhile), ANN, 9.0)  # type: ignore[arg-type]
    assert (counts["sessions"], sessions) == (2, ["late", "mine"])
    assert store.list_sessions(db, ANN) == []
    ours = store.Store(db, BEN, "ours")
    assert (ours.blob("b" * 64), ours.blob("c" * 64)) == (b"x", b"y")
    for gone in "ad":
        with pytest.raises(KeyError):
            ours.blob(gone * 64)


def test_nothing_is_lost_where_many_save_at_once(db: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(
            pool.map(
                lambda n: memory.save_note(db, FOUR[n % 4], f"note {n}", "", "", [], float(n)),
                range(80),
            )
        )
    for place, who in enumerate(FOUR):
        kept = memory.recall_notes(db, who, "", None, 100.0)
        assert {each.note for each in kept} == {f"note {n}" for n in range(place, 80, 4)}


# ---------------------------------------------------------------- the tools

saving, recalling, sharing, reading, counting = map(
    Bullets,
    ("memory_save", "memory_recall", "workspace_contribute", "workspace_read", "get_my_analytics"),
)
HERE: list[Resources] = []


class Kept(Resources):
    """Resources whose clock stands."""

    clock = Hands(1_000.0)  # type: ignore[assignment]


@pytest.fixture(autouse=True)
def resources(tmp_path: Path) -> Any:
    made = Kept(
        Settings(
            home=tmp_path,
            database_url="sqlite://",
            ddgs_engines=(),
            memory=True,
            workspaces=True,
            analytics=True,
        )
    )
    HERE.append(made)
    yield made
    HERE.clear()
    made.close()


def call(name: str, who: Principal = ANN, **given: Any) -> Json:
    served = ToolCaller(HERE[0], who).serve(name, given)
    assert served.answer is not None, served.error
    return served.answer


def agrees(purpose: str, *users: Principal) -> None:
    for who in users:
        consent.give_consent(HERE[0].db, who, purpose, 1.0)


def off(name: str, switch: str) -> None:
    settings = HERE[0].settings
    assert name in {row.name for row in list_available_tools(settings)}
    without = Settings(home=settings.home, database_url="sqlite://")
    assert not getattr(without, switch)
    assert name not in {row.name for row in list_available_tools(without)}


def annotated(name: str) -> tuple[bool, bool, bool]:
    row = get_tool(name)
    assert row is not None
    assert row.keeps
    return row.read_only, row.idempotent, row.open_world


@saving("registered only with MEMORY_ENABLED")
def _memory_off() -> None:
    off("memory_save", "memory")
    off("memory_recall", "memory")


@saving("an authenticated user is needed: unavailable otherwise, and nothing is kept")
def _nobody_saves() -> None:
    assert call("memory_save", NOBODY, note="x")["status"] == "unavailable"


@saving("recorded consent is needed: no_consent otherwise, and nothing is kept")
def _no_consent() -> None:
    told = call("memory_save", note="x")
    assert (told["status"], "assay data consent memory" in told["reason"]) == ("no_consent", True)
    agrees("memory", ANN)
    assert call("memory_recall")["memories"] == []


@saving("what is saved has an id and a time")
def _saved() -> None:
    agrees("memory", ANN)
    told = call(
        "memory_save", note="Tea is wet.", topic="tea", url="https://a.example.org/", tags=["drink"]
    )
    assert (told["status"], told["createdAt"]) == ("ok", "1970-01-01T00:16:40Z")
    (kept,) = call("memory_recall")["memories"]
    assert kept == {
        "id": told["id"], "tenantId": "acme", "userId": "ann", "note": "Tea is wet.", "topic": "tea", "url": "https://a.example.org/",
        "tags": ["drink"], "createdAt": "1970-01-01T00:16:40Z",
    }  # fmt: skip


@saving("a write tool that is not idempotent and destroys nothing")
def _annotated() -> None:
    assert annotated("memory_save") == (False, False, False)


@recalling("only the caller's own, across sessions, by topic, at most limit")
def _recalled() -> None:
    agrees("memory", *FOUR)
    for n in range(3):
        call("memory_save", note=f"tea {n}", topic="tea")
    call("memory_save", BEN, note="secret", topic="tea")
    call("memory_save", CLEO, note="secret", topic="tea")
    told = call("memory_recall", topic="tea", limit=2)
    assert (told["count"], {each["userId"] for each in told["memories"]}) == (2, {"ann"})
    assert "secret" not in json.dumps(call("memory_recall"))
    assert call("memory_recall", topic="coffee")["count"] == 0


@recalling("what is recalled is user-asserted-content")
def _trust() -> None:
    assert call("memory_recall")["trust"] == "user-asserted-content"


@recalling("readOnly, idempotent, closed world; no_consent and unavailable say so with nothing")
def _recall_annotated() -> None:
    assert annotated("memory_recall") == (True, True, False)
    assert [call("memory_recall", who)["status"] for who in (NOBODY, ANN)] == [
        "unavailable",
        "no_consent",
    ]


@sharing("user, consent and membership are all needed, and told apart")
def _statuses() -> None:
    off("workspace_contribute", "workspaces")
    given = {"workspace_id": "w", "note": "found"}
    assert call("workspace_contribute", NOBODY, **given)["status"] == "unavailable"
    assert call("workspace_contribute", **given)["status"] == "no_consent"
    agrees("workspace", ANN)
    assert call("workspace_contribute", **given)["status"] == "not_member"
    workspaces.add_member(HERE[0].db, "w", ANN, 1.0)
    assert call("workspace_contribute", **given)["status"] == "ok"


@sharing("whose it is comes from who calls, never from an argument")
def _whose() -> None:
    row = get_tool("workspace_contribute")
    assert row is not None
    assert set(row.schema["properties"]) == {"workspace_id", "note", "url", "tags"}
    assert annotated("workspace_contribute") == (False, False, False)


@reading("members read each contribution with whose it is; others nothing; looked up each time")
def _read() -> None:
    agrees("workspace", *FOUR)
    for who in (ANN, CLEO):
        workspaces.add_member(HERE[0].db, "w", who, 1.0)
    call(
        "workspace_contribute",
        workspace_id="w",
        note="found",
        url="https://a.example.org/",
        tags=["t"],
    )
    told = call("workspace_read", CLEO, workspace_id="w")
    (shared,) = told["contributions"]
    assert (told["status"], told["count"], told["trust"]) == ("ok", 1, "untrusted-external-content")
    assert (shared["contributorTenant"], shared["contributorUser"], shared["note"]) == (
        "acme",
        "ann",
        "found",
    )
    assert call("workspace_read", BEN, workspace_id="w") | {"reason": ""} == {
        "status": "not_member", "reason": "", "count": 0, "contributions": [], "trust": "untrusted-external-content",
    }  # fmt: skip
    workspaces.remove_member(HERE[0].db, "w", CLEO)
    assert call("workspace_read", CLEO, workspace_id="w")["contributions"] == []


@reading("readOnly, idempotent, closed world")
def _read_annotated() -> None:
    assert annotated("workspace_read") == (True, True, False)


@counting("unavailable for who is nobody, no_consent without consent, and then nothing is counted")
def _uncounted() -> None:
    off("get_my_analytics", "analytics")
    assert [call("get_my_analytics", who)["status"] for who in (NOBODY, ANN)] == [
        "unavailable",
        "no_consent",
    ]
    agrees("analytics", ANN)
    assert call("get_my_analytics")["status"] == "empty"


@counting("the caller's own calls, by tool, with the first and the last")
def _counted() -> None:
    agrees("analytics", ANN, BEN)
    call("memory_recall")
    call("memory_recall")
    call("memory_recall", BEN)
    told = call("get_my_analytics")
    assert told["analytics"] == {
        "tenantId": "acme", "userId": "ann", "totalCalls": 2, "toolCounts": {"memory_recall": 2},
        "firstSeen": "1970-01-01T00:16:40Z", "lastSeen": "1970-01-01T00:16:40Z", "recentTools": ["memory_recall"],
    }  # fmt: skip


@counting("no inputs; readOnly, idempotent, closed world")
def _counting_annotated() -> None:
    row = get_tool("get_my_analytics")
    assert row is not None
    assert row.schema["properties"] == {}
    assert annotated("get_my_analytics") == (True, True, False)


@pytest.mark.parametrize(
    "check", [each for of in (saving, recalling, sharing, reading, counting) for each in of.params]
)
def test_bullet(check: Any) -> None:
    check()


# ---------------------------------------------------------------- at rest, and from a terminal


def test_nothing_of_it_can_be_read_at_rest_once_a_key_is_set(tmp_path: Path) -> None:
    held = {}
    for name, key in (("sealed", "ab" * 32), ("clear", "")):
        settings = Settings(
            home=tmp_path, database_url=f"sqlite:///{tmp_path / name}.db", cache_encryption_key=key
        )
        kept = Resources(settings)
        full(kept.db, Principal("acme", "ann"))
        kept.close()
        held[name] = b"".join(
            file.read_bytes() for file in tmp_path.iterdir() if file.name.startswith(name)
        )
    for words in (b"note of", b"found by", b"What is kept?"):
        assert (words in held["clear"], words in held["sealed"]) == (True, False)


def test_a_terminal_consents_tells_and_erases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    for words in (
        ["consent", "memory"],
        ["join", "w"],
        ["withdraw", "memory"],
        ["consent", "workspace"],
    ):
        assert main(["data", *words]) == 0
    assert main(["data", "show"]) == 0
    said = capsys.readouterr().out
    assert "memory     no consent" in said
    assert "workspace  consent since" in said
    assert "workspace w, since" in said
    assert main(["data", "export"]) == 0
    assert len(json.loads(capsys.readouterr().out)["consents"]) == 3
    assert main(["data", "erase"]) == 2
    assert main(["data", "erase", "--yes"]) == 0
    assert main(["data", "leave", "w"]) == 2
    assert "3 consents" in capsys.readouterr().err
