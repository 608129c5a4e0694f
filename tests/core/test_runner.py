"""Sessions as a user handles them: how an attempt ends, how a session stands, what can be asked of one."""

from __future__ import annotations

import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from research_core import runner, store
from research_core.doorway import Control
from research_core.errors import LostOwnership, ModelError, ResearchError, Stopped, StoreError, UsageError
from research_core.events import Event
from research_core.models import Principal
from research_core.policy import RunSettings
from research_core.replay import replay
from research_core.store import SessionRow
from research_core.wiring import LOCAL, open_log
from tests.served import ServedModel, ServedOffice, Server, new_session, office, serving
from tests.world import QUESTION


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(low=0.0, high=0.01) as server:
        yield server


@pytest.fixture
def place(tmp_path: Path, server: Server) -> Iterator[ServedOffice]:
    place = office(tmp_path / "home", server.port)
    yield place
    place.db.close()


def run(place: ServedOffice, session: str, **options: Any) -> runner.Outcome:
    return runner.attempt(place, session, runner.executor_id(), **{"model": ServedModel(place.port), **options})


def status(place: ServedOffice, session: str) -> str:
    return runner.session_info(place, session).status


def last(place: ServedOffice, session: str) -> Event:
    return open_log(place, LOCAL, session).read()[-1]


class Raising(ServedModel):
    """A model that raises this instead of one kind of answer."""

    def __init__(self, port: int, kind: str, error: BaseException) -> None:
        super().__init__(port)
        self.kind, self.error = kind, error

    def run(self, request: Any, on_text: Any = None) -> Any:
        if request.kind == self.kind:
            raise self.error
        return super().run(request, on_text)


# ---------------------------------------------------------------- an attempt


def test_an_attempt_ends_with_a_report_and_one_event(place: ServedOffice) -> None:
    session, heard = new_session(place), list[Event]()
    outcome = run(place, session, listener=heard.append)
    assert outcome.outcome == "done"
    assert outcome.report is not None
    assert (last(place, session).kind, last(place, session).data) == ("finished", {"outcome": "done", "decision": outcome.report.decision})
    assert heard[-1] == last(place, session)
    assert status(place, session) == "done"
    assert str(runner.stored_report(place, session)).startswith(f"# {QUESTION}")


def test_a_second_attempt_makes_no_call_and_gives_the_same_report(place: ServedOffice, server: Server) -> None:
    session = new_session(place)
    run(place, session)
    asked, report = len(server.calls), runner.stored_report(place, session)
    assert run(place, session).outcome == "done"
    assert (len(server.calls), runner.stored_report(place, session)) == (asked, report)


def test_a_failure_of_the_run_is_its_last_event(place: ServedOffice) -> None:
    session = new_session(place)
    outcome = run(place, session, model=Raising(place.port, "write", ModelError("It is asleep.", kind="blocked")))
    assert outcome.outcome == status(place, session) == "failed"
    assert outcome.error is not None
    assert last(place, session).kind == "failed"
    assert last(place, session).data == {
        "error": outcome.error.message, "next_step": outcome.error.next_step, "type": type(outcome.error).__name__
    }  # fmt: skip
    assert "asleep" in outcome.error.message


def test_a_resume_asks_the_writer_again_and_nobody_else(place: ServedOffice, server: Server) -> None:
    session = new_session(place)
    for _ in range(2):
        run(place, session, model=Raising(place.port, "write", ModelError("It is asleep.", kind="blocked")))
    asked = len(server.calls)
    assert run(place, session).outcome == "done"
    assert [call.what.split()[1] for call in server.calls[asked:]] == ["write"]
    assert replay(place, LOCAL, session).same


def test_a_mistake_of_ours_is_recorded_and_raised(place: ServedOffice) -> None:
    session = new_session(place)
    with pytest.raises(ZeroDivisionError):
        run(place, session, model=Raising(place.port, "refine", ZeroDivisionError("by zero")))
    assert status(place, session) == "failed"
    (event,) = open_log(place, LOCAL, session).read(kinds=("failed",))
    assert "ZeroDivisionError: by zero" in event.data["error"]


class SlowPages(Server):
    def page(self, url: str) -> tuple[int, str]:
        time.sleep(2.0)
        return super().page(url)


def test_a_shutdown_is_no_cancel_even_while_pages_are_being_read(tmp_path: Path) -> None:
    server, control = SlowPages(low=0.0, high=0.0), Control()
    place = office(tmp_path / "home", server.port)
    session = new_session(place)
    server.at[6] = threading.Timer(0.4, control.shutdown.set).start
    with pytest.raises(Stopped):
        run(place, session, control=control)
    row = runner.session_info(place, session).row
    assert (row.outcome, row.stop) == (None, None)
    place.db.close()
    server.close()


def test_a_cancel_ends_the_run_within_moments_and_it_can_be_resumed(place: ServedOffice, server: Server) -> None:
    server.low = server.high = 0.2
    session, executor = new_session(place), runner.executor_id()
    server.at[5] = lambda: runner.cancel(place, session)
    with runner.heartbeat(place, executor):
        outcome = runner.attempt(place, session, executor, model=ServedModel(place.port))
    assert outcome.outcome == status(place, session) == "cancelled"
    assert runner.stored_report(place, session) is None
    assert run(place, session).outcome == "done"


def test_of_two_attempts_at_once_one_runs(place: ServedOffice) -> None:
    session = new_session(place)
    seen = runner.session_info(place, session).row
    assert run(place, session, seen=seen).outcome == "done"
    with pytest.raises(LostOwnership):
        run(place, session, seen=seen)


def test_whoever_lost_the_session_writes_no_ending(place: ServedOffice, server: Server) -> None:
    server.low = server.high = 0.1
    session = new_session(place)
    server.at[6] = lambda: store.take(place.db, LOCAL, session, "another:1:x", 0.0)
    with pytest.raises(Stopped):
        run(place, session)
    assert open_log(place, LOCAL, session).read(kinds=("finished", "failed")) == []


@pytest.mark.parametrize("mode", ["standard", "deep"])
def test_only_a_deep_run_leaves_a_file(place: ServedOffice, mode: str) -> None:
    session = new_session(place, mode)
    run(place, session)
    file = place.settings.home / "reports" / f"{session}.md"
    assert file.exists() == (mode == "deep")
    if mode == "deep":
        assert file.read_text(encoding="utf-8") == runner.stored_report(place, session)


def test_a_report_that_cannot_be_saved_is_still_stored(place: ServedOffice) -> None:
    place.settings.home.mkdir()
    (place.settings.home / "reports").write_text("a file where a folder should be")
    session = new_session(place, "deep")
    outcome = run(place, session)
    assert outcome.outcome == "failed"
    assert outcome.error is not None
    assert "assay export" in outcome.error.next_step
    assert runner.stored_report(place, session)


# ---------------------------------------------------------------- how a session stands

HERE = runner.executor_id()
GONE = f"{socket.gethostname()}:{2**22 + 1}:x"  # above the largest process id Linux gives
NOW = 1_000_000.0
ROW = SessionRow("s", QUESTION, {}, None, NOW, NOW, 1, None, None, None)


@pytest.mark.parametrize(
    ("executor", "outcome", "beats", "expected"),
    [
        (None, None, {}, "queued"),
        (HERE, None, {HERE: NOW - 1}, "running"),
        (HERE, None, {HERE: NOW - 11}, "interrupted"),
        (HERE, None, {}, "interrupted"),
        (GONE, None, {GONE: NOW}, "interrupted"),
        ("elsewhere:1:x", None, {"elsewhere:1:x": NOW - 9}, "running"),
        ("host:with:colons:1:x", None, {"host:with:colons:1:x": NOW}, "running"),
        (HERE, "done", {HERE: NOW}, "done"),
        (GONE, "failed", {}, "failed"),
        (None, "cancelled", {}, "cancelled"),
    ],
    ids=["new", "beats", "late", "silent", "no-process", "elsewhere", "colons", "done", "failed", "cancelled"],
)
def test_status(executor: str | None, outcome: str | None, beats: dict[str, float], expected: str) -> None:
    assert runner.status(replace(ROW, executor=executor, outcome=outcome), beats, NOW) == expected


def test_no_two_executors_share_a_name() -> None:
    assert len({runner.executor_id() for _ in range(100)}) == 100


def test_a_heart_beats_until_the_block_ends(place: ServedOffice) -> None:
    executor = runner.executor_id()
    with runner.heartbeat(place, executor, every_s=0.02):
        first = store.executors(place.db)[executor]
        time.sleep(0.2)
        assert store.executors(place.db)[executor] > first
    assert executor not in store.executors(place.db)


def test_a_heart_outlives_a_locked_database(tmp_path: Path, place: ServedOffice) -> None:
    impatient = replace(place, settings=replace(place.settings, busy_timeout_s=0.05))
    executor = runner.executor_id()
    with runner.heartbeat(impatient, executor, every_s=0.02):
        other = sqlite3.connect(tmp_path / "home" / "assay.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError):
            store.beat(impatient.db, executor, 0.0)
        time.sleep(0.3)
        other.execute("ROLLBACK")
        other.close()
        locked = store.executors(impatient.db)[executor]
        time.sleep(0.3)
        assert store.executors(impatient.db)[executor] > locked
    impatient.db.close()


def test_sessions_are_listed_newest_first_to_their_owner_only(place: ServedOffice) -> None:
    first, second = new_session(place), new_session(place)
    assert [info.row.id for info in runner.sessions(place)] == [second, first]
    assert runner.sessions(place, who=Principal("other", "user")) == []
    with pytest.raises(UsageError, match="no session"):
        runner.session_info(place, first, who=Principal("other", "user"))


@pytest.mark.parametrize(
    ("question", "settings"),
    [("", {}), ("ab", {}), ("x" * 2001, {}), (QUESTION, {"mode": "thorough"}), (QUESTION, {"relevance_cutoff": 9})],
)
def test_a_session_that_cannot_run_is_never_stored(place: ServedOffice, question: str, settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        runner.new_session(place, question, RunSettings(**settings))
    assert runner.sessions(place) == []


# ---------------------------------------------------------------- what can be asked of one


def test_a_command_is_an_event_and_an_unknown_one_is_refused(place: ServedOffice) -> None:
    session = new_session(place)
    assert runner.command(place, session, "strike", url="https://a.example.org/").data == {"do": "strike", "url": "https://a.example.org/"}
    assert last(place, session).data["do"] == "strike"
    with pytest.raises(UsageError, match="Unknown command"):
        runner.command(place, session, "explode")


def test_what_nobody_runs_is_cancelled_at_once_and_never_begun_after(place: ServedOffice) -> None:
    session = new_session(place)
    seen = runner.session_info(place, session).row
    runner.cancel(place, session)
    assert status(place, session) == "cancelled"
    with pytest.raises(LostOwnership):
        run(place, session, seen=seen)
    with pytest.raises(UsageError, match="already cancelled"):
        runner.cancel(place, session)


def test_a_cancel_that_nobody_answered_is_answered_by_the_next_worker(place: ServedOffice, server: Server) -> None:
    session = new_session(place)
    store.request_stop(place.db, LOCAL, session, "cancel")
    assert run(place, session).outcome == "cancelled"
    assert server.calls == []


def test_reopening_makes_a_session_wait_for_its_next_attempt(place: ServedOffice) -> None:
    session, executor = new_session(place), runner.executor_id()
    assert runner.reopen(place, session) == runner.reopen(place, session) == 1
    runner.cancel(place, session)
    assert runner.reopen(place, session) == 2
    assert status(place, session) == "queued"
    with runner.heartbeat(place, executor):
        store.take(place.db, LOCAL, session, executor, place.clock.now())
        assert runner.reopen(place, session) is None
    assert status(place, session) == "interrupted"
    assert runner.reopen(place, session) == 3


def test_giving_up_ends_an_attempt_that_is_one_s_own(place: ServedOffice) -> None:
    session, mine = new_session(place), runner.executor_id()
    runner.give_up(place, session, ResearchError("No."), mine)
    assert (status(place, session), last(place, session).data["error"]) == ("failed", "No.")
    store.take(place.db, LOCAL, session, "another:1:x", 0.0)
    with pytest.raises(LostOwnership):
        runner.give_up(place, session, ResearchError("No."), mine)


def test_a_fork_with_other_settings_repeats_no_call_that_stays_the_same(place: ServedOffice, server: Server) -> None:
    session = new_session(place)
    run(place, session)
    asked = set(server.asked())
    new = runner.fork(place, session, RunSettings(mode="standard", engines=("searxng",), model=ServedModel.name, relevance_cutoff=5))
    assert status(place, new) == "queued"
    before = len(server.calls)
    assert run(place, new).outcome == "done"
    assert not asked & set(server.asked()[before:])
    assert runner.stored_report(place, new) != runner.stored_report(place, session)
