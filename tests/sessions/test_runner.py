"""Sessions as a user handles them: how an attempt ends, how a session stands, what can be asked of
one.
"""

from __future__ import annotations

import socket
import sqlite3
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from research_core.decisions import gate
from research_core.errors import (
    LostOwnership,
    ModelError,
    ResearchError,
    Stopped,
    StoreError,
    UsageError,
)
from research_core.journal import session_admin, store
from research_core.journal.doorway import Control
from research_core.journal.events import Event, drop_voided
from research_core.journal.store import SessionRow
from research_core.models import Principal
from research_core.policy import WORDS_ALONE, CredibilityPolicy, RunSettings, Tier
from research_core.sessions import (
    heartbeats,
    retention,
    runner,
    session_control,
    session_start,
    session_status,
    snapshot,
    user_summary,
)
from research_core.sessions.replay import replay_session
from research_core.wiring import LOCAL_USER, open_log
from tests.served_world import (
    ServedModel,
    ServedResources,
    Server,
    make_resources,
    new_session,
)
from tests.thesaurus import Thesaurus
from tests.timing import LONG_S, wait_until
from tests.world import QUESTION


@pytest.fixture
def place(served_place: ServedResources) -> ServedResources:
    return served_place


def run(place: ServedResources, session: str, **options: Any) -> runner.AttemptOutcome:
    return runner.resume_or_run(
        place,
        session,
        heartbeats.make_executor_id(),
        **{"model": ServedModel(place.port), **options},
    )


def status(place: ServedResources, session: str) -> str:
    return session_status.read_session_info(place, session).status


def last(place: ServedResources, session: str) -> Event:
    return open_log(place, LOCAL_USER, session).read()[-1]


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


@pytest.mark.full
def test_an_attempt_ends_with_a_report_and_one_event(place: ServedResources) -> None:
    session, heard = new_session(place), list[Event]()
    outcome = run(place, session, listener=heard.append)
    assert outcome.outcome == "done"
    assert outcome.report is not None
    assert (last(place, session).kind, last(place, session).data) == (
        "finished",
        {"outcome": "done", "decision": outcome.report.decision},
    )
    assert heard[-1] == last(place, session)
    assert status(place, session) == "done"
    assert str(session_status.read_stored_report(place, session)).startswith(f"# {QUESTION}")


@pytest.mark.full
def test_a_second_attempt_makes_no_call_and_gives_the_same_report(
    place: ServedResources, server: Server
) -> None:
    session = new_session(place)
    run(place, session)
    asked, report = len(server.calls), session_status.read_stored_report(place, session)
    assert run(place, session).outcome == "done"
    assert (len(server.calls), session_status.read_stored_report(place, session)) == (asked, report)


def test_a_failure_of_the_run_is_its_last_event(place: ServedResources) -> None:
    session = new_session(place)
    outcome = run(
        place,
        session,
        model=Raising(place.port, "plan", ModelError("It is asleep.", kind="auth_required")),
    )
    assert outcome.outcome == status(place, session) == "failed"
    assert outcome.error is not None
    assert last(place, session).kind == "failed"
    assert last(place, session).data == {
        "error": outcome.error.message, "next_step": outcome.error.next_step, "type": "ModelRefused", "role": "model"
    }  # fmt: skip
    assert "asleep" in outcome.error.message


@pytest.mark.full
def test_a_resume_asks_a_writer_again_that_could_not_be_reached_and_nobody_else(
    place: ServedResources, server: Server
) -> None:
    session = new_session(place)
    asleep = Raising(place.port, "write", ModelError("It is asleep.", kind="network"))
    said = "It is asleep. 4 requests were made."
    for _ in range(2):
        report = run(place, session, model=asleep).report
        assert report is not None
        assert report.writer == {"model": "offline", "failures": [said] * 2}
    asked = len(server.calls)
    report = run(place, session).report
    assert report is not None
    assert report.writer == {"model": "served", "failures": []}
    assert {call.what.split()[1] for call in server.calls[asked:]} <= {"write", "verify_sentence"}
    assert replay_session(place, LOCAL_USER, session).same


def test_a_mistake_of_ours_is_recorded_and_raised(place: ServedResources) -> None:
    session = new_session(place)
    with pytest.raises(ZeroDivisionError):
        run(place, session, model=Raising(place.port, "refine", ZeroDivisionError("by zero")))
    assert status(place, session) == "failed"
    (event,) = open_log(place, LOCAL_USER, session).read(kinds=("failed",))
    assert "ZeroDivisionError: by zero" in event.data["error"]


class SlowPages(Server):
    """No page comes before `free` is set. asked: set once one was asked for."""

    def __init__(self) -> None:
        self.asked_for, self.free = threading.Event(), threading.Event()
        super().__init__(low=0.0, high=0.0)

    def page(self, url: str) -> tuple[int, str]:
        self.asked_for.set()
        self.free.wait(LONG_S)
        return super().page(url)


def test_a_shutdown_is_no_cancel_even_while_pages_are_being_read(tmp_path: Path) -> None:
    server, control = SlowPages(), Control()
    place = make_resources(tmp_path / "home", server.port)
    session = new_session(place)

    def shut_down() -> None:
        assert server.asked_for.wait(LONG_S)
        control.shutdown.set()

    server.at[1] = shut_down
    with pytest.raises(Stopped):
        run(place, session, control=control)
    server.free.set()
    row = session_status.read_session_info(place, session).row
    assert (row.outcome, row.stop) == (None, None)
    place.db.close()
    server.close()


@pytest.mark.full
def test_a_cancel_ends_the_run_within_moments_and_it_can_be_resumed(
    place: ServedResources, server: Server
) -> None:
    server.low = server.high = 0.2
    session, executor = new_session(place), heartbeats.make_executor_id()
    server.meanwhile(5, lambda: session_control.cancel(place, session))
    with heartbeats.keep_heartbeat(place, executor):
        outcome = runner.resume_or_run(place, session, executor, model=ServedModel(place.port))
    assert outcome.outcome == status(place, session) == "cancelled"
    assert session_status.read_stored_report(place, session) is None
    assert run(place, session).outcome == "done"


def test_of_two_attempts_at_once_one_runs(place: ServedResources) -> None:
    session = new_session(place)
    seen = session_status.read_session_info(place, session).row
    assert run(place, session, seen=seen).outcome == "done"
    with pytest.raises(LostOwnership):
        run(place, session, seen=seen)


def test_whoever_lost_the_session_writes_no_ending(place: ServedResources, server: Server) -> None:
    server.low = server.high = 0.1
    session = new_session(place)
    server.meanwhile(
        6, lambda: store.take_session(place.db, LOCAL_USER, session, "another:1:x", 0.0)
    )
    with pytest.raises(Stopped):
        run(place, session)
    assert open_log(place, LOCAL_USER, session).read(kinds=("finished", "failed")) == []


@pytest.mark.full
@pytest.mark.parametrize("mode", ["standard", "deep"])
def test_only_a_deep_run_leaves_a_file(place: ServedResources, mode: str) -> None:
    session = new_session(place, mode)
    run(place, session)
    file = place.settings.home / "reports" / f"{session}.md"
    assert file.exists() == (mode == "deep")
    if mode == "deep":
        assert file.read_text(encoding="utf-8") == session_status.read_stored_report(place, session)


@pytest.mark.full
def test_a_session_erased_while_its_report_is_saved_leaves_no_file(place: ServedResources) -> None:
    session = new_session(place, "deep")
    file = place.settings.home / "reports" / f"{session}.md"

    def erased(event: Event) -> None:
        if event.kind == "report":
            user_summary.erase_user_data(place)

    with pytest.raises(Stopped):
        run(place, session, listener=erased)
    assert (file.parent.is_dir(), file.exists()) == (True, False)


@pytest.mark.full
def test_a_report_that_cannot_be_saved_is_still_stored(place: ServedResources) -> None:
    place.settings.home.mkdir(exist_ok=True)
    (place.settings.home / "reports").write_text("a file where a folder should be")
    session = new_session(place, "deep")
    outcome = run(place, session)
    assert outcome.outcome == "failed"
    assert outcome.error is not None
    assert "assay export" in outcome.error.next_step
    assert session_status.read_stored_report(place, session)


# ---------------------------------------------------------------- how a session stands

HERE = heartbeats.make_executor_id()
#: In another container: of this host's name, with a process id above the largest that Linux gives.
CONTAINED = f"{socket.gethostname()}:{2**22 + 1}:x"
NOW = 1_000_000.0
ROW = SessionRow("s", QUESTION, {}, None, NOW, NOW, 1, None, None, None)


@pytest.mark.parametrize(
    ("executor", "outcome", "beats", "expected"),
    [
        (None, None, {}, "queued"),
        (HERE, None, {HERE: NOW - 1}, "running"),
        (HERE, None, {HERE: NOW - 11}, "interrupted"),
        (HERE, None, {}, "interrupted"),
        (CONTAINED, None, {CONTAINED: NOW}, "running"),
        ("elsewhere:1:x", None, {"elsewhere:1:x": NOW - 9}, "running"),
        ("host:with:colons:1:x", None, {"host:with:colons:1:x": NOW}, "running"),
        (HERE, "done", {HERE: NOW}, "done"),
        (CONTAINED, "failed", {}, "failed"),
        (None, "cancelled", {}, "cancelled"),
    ],
    ids=[
        "new",
        "beats",
        "late",
        "silent",
        "same host name",
        "elsewhere",
        "colons",
        "done",
        "failed",
        "cancelled",
    ],
)
def test_status(
    executor: str | None, outcome: str | None, beats: dict[str, float], expected: str
) -> None:
    assert (
        session_status.find_status(replace(ROW, executor=executor, outcome=outcome), beats, NOW)
        == expected
    )


def test_no_two_executors_share_a_name() -> None:
    assert len({heartbeats.make_executor_id() for _ in range(100)}) == 100


def test_a_heart_beats_until_the_block_ends(place: ServedResources) -> None:
    executor = heartbeats.make_executor_id()
    with heartbeats.keep_heartbeat(place, executor, every_s=0.02):
        first = heartbeats.list_executors(place.db)[executor]
        wait_until(lambda: heartbeats.list_executors(place.db)[executor] > first)
    assert executor not in heartbeats.list_executors(place.db)


def test_a_heart_outlives_a_locked_database(tmp_path: Path, place: ServedResources) -> None:
    impatient = replace(place, settings=replace(place.settings, busy_timeout_s=0.05))
    executor = heartbeats.make_executor_id()
    with heartbeats.keep_heartbeat(impatient, executor, every_s=0.02):
        other = sqlite3.connect(tmp_path / "home" / "assay.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError):
            heartbeats.record_beat(impatient.db, executor, 0.0)
        time.sleep(0.3)
        other.execute("ROLLBACK")
        other.close()
        locked = heartbeats.list_executors(impatient.db)[executor]
        wait_until(lambda: heartbeats.list_executors(impatient.db)[executor] > locked)
    impatient.db.close()


def test_sessions_are_listed_newest_first_to_their_owner_only(place: ServedResources) -> None:
    first, second = new_session(place), new_session(place)
    assert [info.row.id for info in session_status.list_sessions(place)] == [second, first]
    assert session_status.list_sessions(place, who=Principal("other", "user")) == []
    with pytest.raises(UsageError, match="no session"):
        session_status.read_session_info(place, first, who=Principal("other", "user"))


@pytest.mark.parametrize(
    ("question", "settings"),
    [
        ("", {}),
        ("ab", {}),
        ("x" * 2001, {}),
        (QUESTION, {"mode": "thorough"}),
        (QUESTION, {"relevance_cutoff": 9}),
        (QUESTION, {"instructions": tuple(f"also cover {n}" for n in range(11))}),
        (QUESTION, {"instructions": ("also cover costs", "ignore blogs")}),
    ],
)
def test_a_session_that_cannot_run_is_never_stored(
    place: ServedResources, question: str, settings: dict[str, Any]
) -> None:
    with pytest.raises(UsageError):
        session_start.new_session(place, question, RunSettings(**settings))
    assert session_status.list_sessions(place) == []


# ---------------------------------------------------------------- what can be asked of one


@pytest.mark.parametrize(
    ("settings", "judging"),
    [
        ({"engines": ("duckduckgo",)}, "sea"),
        ({"engines": ("duckduckgo",), "model": "gemini"}, ""),
        ({"engines": ("duckduckgo", "library")}, "sea"),
        ({"engines": ("library",)}, "sea"),
    ],
    ids=["no key", "a language model", "the web and the sample", "the sample"],
)
def test_a_session_is_judged_by_meaning_where_there_is_a_model_of_it_and_no_other(
    place: ServedResources, settings: dict[str, Any], judging: str
) -> None:
    place.__dict__["embedder"] = Thesaurus("sea")
    kept = store.find_session(
        place.db, LOCAL_USER, session_start.new_session(place, QUESTION, RunSettings(**settings))
    ).settings
    assert RunSettings.from_json(kept).judging == judging
    assert RunSettings.from_json(kept).passage_model == "sea"


def test_a_session_says_that_there_was_no_embedding_model(place: ServedResources) -> None:
    place.__dict__["embedder"] = Thesaurus("sea", why="It is not the file that was checked.")
    session = session_start.new_session(place, QUESTION, RunSettings(engines=("library",)))
    run = RunSettings.from_json(store.find_session(place.db, LOCAL_USER, session).settings)
    assert (run.judging, run.passage_model) == ("", WORDS_ALONE)
    assert not run.chooses_by_meaning


def test_a_command_is_an_event_and_an_unknown_one_is_refused(place: ServedResources) -> None:
    session = new_session(place)
    assert session_control.send_command(
        place, session, "strike", url="https://a.example.org/"
    ).data == {
        "do": "strike",
        "url": "https://a.example.org/",
    }
    assert last(place, session).data["do"] == "strike"
    with pytest.raises(UsageError, match="Unknown command"):
        session_control.send_command(place, session, "explode")


def test_what_nobody_runs_is_cancelled_at_once_and_never_begun_after(
    place: ServedResources,
) -> None:
    session = new_session(place)
    seen = session_status.read_session_info(place, session).row
    session_control.cancel(place, session)
    assert status(place, session) == "cancelled"
    with pytest.raises(LostOwnership):
        run(place, session, seen=seen)
    with pytest.raises(UsageError, match="already cancelled"):
        session_control.cancel(place, session)


def test_a_cancel_that_nobody_answered_is_answered_by_the_next_worker(
    place: ServedResources, server: Server
) -> None:
    session = new_session(place)
    store.request_stop(place.db, LOCAL_USER, session, "cancel")
    assert run(place, session).outcome == "cancelled"
    assert server.calls == []


def test_reopening_makes_a_session_wait_for_its_next_attempt(place: ServedResources) -> None:
    session, executor = new_session(place), heartbeats.make_executor_id()
    assert session_control.reopen(place, session) == session_control.reopen(place, session) == 1
    session_control.cancel(place, session)
    assert session_control.reopen(place, session) == 2
    assert status(place, session) == "queued"
    with heartbeats.keep_heartbeat(place, executor):
        store.take_session(place.db, LOCAL_USER, session, executor, place.clock.now())
        assert session_control.reopen(place, session) is None
    assert status(place, session) == "interrupted"
    assert session_control.reopen(place, session) == 3


def test_giving_up_ends_an_attempt_that_is_one_s_own(place: ServedResources) -> None:
    session, mine = new_session(place), heartbeats.make_executor_id()
    runner.give_up(place, session, ResearchError("No."), mine)
    assert (status(place, session), last(place, session).data["error"]) == ("failed", "No.")
    store.take_session(place.db, LOCAL_USER, session, "another:1:x", 0.0)
    with pytest.raises(LostOwnership):
        runner.give_up(place, session, ResearchError("No."), mine)


NOT_AT_ALL = [("explode", {}, "Unknown command"), ("approve", {}, "is not the address of a source"),
    ("strike", {"url": "nonsense"}, "not a web address"),
              ("instruct", {"text": " "}, "instruction is empty"), ("instruct", {"text": "x" * 501}, "501 characters")]  # fmt: skip


@pytest.mark.parametrize(("do", "about", "why"), NOT_AT_ALL)
def test_what_cannot_be_done_is_no_command(
    place: ServedResources, do: str, about: dict[str, str], why: str
) -> None:
    session = new_session(place)
    with pytest.raises(UsageError, match=why):
        session_control.send_command(place, session, do, **about)
    assert open_log(place, LOCAL_USER, session).read() == []


def test_an_instruction_is_a_command_and_an_address_is_kept_in_its_one_spelling(
    place: ServedResources,
) -> None:
    session = new_session(place)
    assert session_control.send_command(
        place, session, "instruct", text="  Say \u200bwhen. "
    ).data == {
        "do": "instruct",
        "text": "Say when.",
    }
    assert (
        session_control.send_command(
            place, session, "approve", url="HTTPS://A.example.org/x#y"
        ).data["url"]
        == "https://a.example.org/x"
    )


def test_what_is_to_be_left_out_is_taken_only_where_a_language_model_writes(
    place: ServedResources,
) -> None:
    by_rule, by_model = (
        session_start.new_session(place, QUESTION, RunSettings()),
        new_session(place),
    )
    out = "Leave out opinion pieces"
    refused = [
        lambda: session_control.send_command(place, by_rule, "instruct", text=out),
        lambda: session_start.rewrite(place, by_rule, RunSettings(instructions=(out,))),
    ]
    for way in refused:
        with pytest.raises(UsageError, match="does not filter by kind"):
            way()
    assert open_log(place, LOCAL_USER, by_rule).read() == []
    session_control.send_command(place, by_model, "instruct", text=out)
    offline = session_start.rewrite(
        place, by_model, RunSettings(instructions=(out,))
    )  # what was said before is not refused afterwards
    assert store.find_session(place.db, LOCAL_USER, offline).settings["instructions"] == [out]


def test_a_run_takes_ten_instructions_however_they_are_given(place: ServedResources) -> None:
    many = [f"Also cover {n}." for n in range(11)]
    session = session_start.new_session(place, QUESTION, RunSettings(instructions=tuple(many[:9])))
    session_control.send_command(place, session, "instruct", text=many[9])
    session_control.send_command(place, session, "instruct", text=f"  {many[0]}")  # said before
    with pytest.raises(UsageError, match="11 instructions were given; a run takes at most 10"):
        session_control.send_command(place, session, "instruct", text=many[10])
    with pytest.raises(UsageError, match="11 instructions were given; a run takes at most 10"):
        session_start.rewrite(place, session, RunSettings(instructions=(*many[:9], many[10])))
    assert len(open_log(place, LOCAL_USER, session).read(kinds=("command",))) == 2


@pytest.mark.full
def test_a_command_to_a_session_that_is_over_says_what_to_do_instead(
    place: ServedResources,
) -> None:
    done, cancelled = new_session(place), new_session(place)
    run(place, done)
    session_control.cancel(place, cancelled)
    for session, step in ((done, "Rewrite it"), (cancelled, "Resume it first")):
        with pytest.raises(UsageError, match="is no longer running") as caught:
            session_control.send_command(place, session, "instruct", text="Say when.")
        assert caught.value.next_step.startswith(step)
        assert not open_log(place, LOCAL_USER, session).read(kinds=("command",))


def test_an_instruction_comes_too_late_once_the_gate_has_decided(place: ServedResources) -> None:
    session = new_session(place)
    caught: list[UsageError] = []

    class Late(ServedModel):
        def run(self, request: Any, on_text: Any = None) -> Any:
            if request.kind == "write":
                with pytest.raises(UsageError, match="already being written") as late:
                    session_control.send_command(place, session, "instruct", text="Say when.")
                caught.append(late.value)
            return super().run(request, on_text)

    assert run(place, session, model=Late(place.port)).outcome == "done"
    assert [error.next_step for error in caught] == ["Rewrite it afterwards with your changes."]


# ---------------------------------------------------------------- a session made of another


def rewritten(
    place: ServedResources, session: str, server: Server, **changes: Any
) -> tuple[str, list[str]]:
    """The new session, run, and what it asked of the world."""
    settings = gate.merge_manual_decisions(snapshot.read_session(place, session).run)
    new = session_start.rewrite(place, session, replace(settings, **changes))
    assert status(place, new) == "queued"
    before = len(server.calls)
    assert run(place, new).outcome == "done"
    return new, [what.split()[0] + " " + what.split()[1] for what in server.asked()[before:]]


@pytest.mark.full
def test_a_rewrite_that_changes_nothing_asks_nothing_and_says_the_same(
    place: ServedResources, server: Server
) -> None:
    session = new_session(place)
    run(place, session)
    new, asked = rewritten(place, session, server, credibility=CredibilityPolicy(minimum=0.501))
    assert asked == []
    texts = [
        str(session_status.read_stored_report(place, each)).split("## Methodology")[0]
        for each in (session, new)
    ]
    assert texts[0] == texts[1]
    assert replay_session(place, LOCAL_USER, new).same


@pytest.mark.full
def test_a_rewrite_asks_the_writer_again_where_it_sees_something_else_and_nobody_but_it(
    place: ServedResources, server: Server
) -> None:
    session = new_session(place)
    run(place, session)
    kept = next(
        source.url
        for source in snapshot.read_session(place, session).sources
        if source.status == "kept"
    )
    new, asked = rewritten(place, session, server, relevance_cutoff=4)
    assert {what for what in asked if what.startswith("model")} <= {
        "model write",
        "model judge_relevance",
        "model gaps",
    }
    assert asked.count("model write") <= 1
    assert replay_session(place, LOCAL_USER, new).same
    struck, _ = rewritten(place, session, server, struck=(kept,))
    assert kept in {
        source.url
        for source in snapshot.read_session(place, struck).sources
        if source.status == "struck"
    }
    assert replay_session(place, LOCAL_USER, struck).same


@pytest.mark.full
def test_a_rewrite_that_lets_more_in_asks_for_those_pages_alone(
    place: ServedResources, server: Server
) -> None:
    session = session_start.new_session(
        place,
        QUESTION,
        RunSettings(
            engines=("searxng",),
            model=ServedModel.name,
            credibility=CredibilityPolicy(minimum=0.85),
        ),
    )
    run(place, session)
    was = {
        source.url
        for source in snapshot.read_session(place, session).sources
        if source.status != "blocked"
    }
    asked_before = set(server.asked())
    new, asked = rewritten(place, session, server, credibility=CredibilityPolicy(minimum=0.6))
    pages = {what.removeprefix("GET ") for what in asked if what.startswith("GET http://site")}
    assert pages
    assert not pages & was
    assert not asked_before & set(server.asked()[len(asked_before) :])
    assert replay_session(place, LOCAL_USER, new).same


@pytest.mark.full
def test_a_rewrite_keeps_what_was_asked_for_and_decides_sources_as_it_is_told(
    place: ServedResources,
) -> None:
    session = new_session(place)
    session_control.send_command(place, session, "instruct", text="Say when.")
    session_control.send_command(place, session, "strike", url="http://site1.example.org/p1")
    run(place, session)
    view = snapshot.read_session(place, session).run
    plain = RunSettings.from_json(snapshot.read_session(place, session).info.row.settings)
    for settings, struck in (
        (gate.merge_manual_decisions(view), view.sources.keys() & {"http://site1.example.org/p1"}),
        (plain, set()),
    ):
        new = RunSettings.from_json(
            snapshot.read_session(
                place, session_start.rewrite(place, session, settings)
            ).info.row.settings
        )
        assert new.instructions == ("Say when.",)
        assert set(new.struck) == struck


@pytest.mark.full
def test_a_rewrite_changes_the_policy_s_tiers_and_scores_all_anew(
    place: ServedResources, server: Server
) -> None:
    session = new_session(place)
    run(place, session)
    tiers = (Tier("mine", 1.0, hosts=("site1.example.org",)), Tier("general web", 0.0))
    new, _ = rewritten(
        place, session, server, credibility=CredibilityPolicy(minimum=0.3, tiers=tiers)
    )
    parts = [source.parts for source in snapshot.read_session(place, new).sources if source.parts]
    assert {(part.tier, part.domain) for part in parts} == {("mine", 1.0), ("general web", 0.0)}
    assert replay_session(place, LOCAL_USER, new).same


@pytest.mark.full
def test_a_rewrite_under_other_settings_repeats_no_call_that_stays_the_same(
    place: ServedResources, server: Server
) -> None:
    session = new_session(place)
    run(place, session)
    asked = set(server.asked())
    new = session_start.rewrite(
        place,
        session,
        RunSettings(
            mode="standard", engines=("searxng",), model=ServedModel.name, relevance_cutoff=5
        ),
    )
    assert status(place, new) == "queued"
    before = len(server.calls)
    assert run(place, new).outcome == "done"
    assert not asked & set(server.asked()[before:])
    assert session_status.read_stored_report(place, new) != session_status.read_stored_report(
        place, session
    )


def unjudged(place: ServedResources, session: str) -> list[str]:
    """The sources the judge was never heard on."""
    judged = drop_voided(open_log(place, LOCAL_USER, session).read(kinds=("judged", "voided")))
    return [
        event.data["url"]
        for event in judged
        if event.kind == "judged" and "Too many requests" in str(event.data)
    ]


def judge_down(place: ServedResources) -> ServedModel:
    return Raising(
        place.port,
        "judge_relevance",
        ModelError("Too many requests.", kind="rate_limited", retry_after=0.0),
    )


def follow_up(place: ServedResources, session: str) -> str:
    return session_start.follow_up(place, session, QUESTION)


def rewrite(place: ServedResources, session: str) -> str:
    return session_start.rewrite(
        place, session, gate.merge_manual_decisions(snapshot.read_session(place, session).run)
    )


@pytest.mark.full
@pytest.mark.parametrize("again", [rewrite, follow_up])
def test_an_outage_is_inherited_by_nothing_made_of_a_session(
    place: ServedResources, server: Server, again: Any
) -> None:
    session = new_session(place)
    assert run(place, session, model=judge_down(place)).outcome == "done"
    assert unjudged(place, session)
    asked = server.asked()
    new = again(place, session)
    assert run(place, new).outcome == "done"
    assert not unjudged(place, new)
    assert sum("judge_relevance" in what for what in server.asked()[len(asked) :]) > 0
    assert not set(asked) & set(
        server.asked()[len(asked) :]
    )  # what was answered is not asked again
    assert replay_session(place, LOCAL_USER, new).same


@pytest.mark.full
def test_a_resume_asks_again_what_a_rewrite_inherited_before_it_was_forgiven(
    place: ServedResources,
) -> None:
    session = new_session(place)
    run(place, session, model=judge_down(place))
    new = rewrite(place, session)
    session_control.cancel(place, new)  # its first attempt did nothing
    assert run(place, new, model=judge_down(place)).outcome == "done"
    assert unjudged(place, new)
    assert run(place, new).outcome == "done"
    assert not unjudged(place, new)
    assert replay_session(place, LOCAL_USER, new).same


@pytest.mark.full
def test_a_single_action_reads_no_call(place: ServedResources) -> None:
    done, waiting = new_session(place), new_session(place)
    run(place, done)
    read: list[str] = []
    sa.event.listen(place.db.engine, "before_cursor_execute", lambda *about: read.append(about[2]))
    session_status.read_stored_report(place, done)
    session_start.rewrite(place, done, RunSettings())
    session_start.follow_up(place, done, QUESTION)
    session_control.send_command(place, waiting, "stop")
    session_control.cancel(place, waiting)
    assert read
    assert not any("IS NOT NULL" in statement for statement in read)


# ---------------------------------------------------------------- a report that is being made anew


class Gone(ServedModel):
    """A model during whose answer to the judge the process is ended."""

    def run(self, request: Any, on_text: Any = None) -> Any:
        if request.kind == "judge_relevance":
            raise Stopped("shutdown")
        return super().run(request, on_text)


@pytest.mark.full
def test_a_report_that_a_resume_took_back_is_no_report(place: ServedResources) -> None:
    session = new_session(place)
    run(place, session, model=judge_down(place))
    assert session_status.read_stored_report(place, session)
    with pytest.raises(Stopped):
        run(place, session, model=Gone(place.port))
    assert session_status.read_stored_report(place, session) is None
    with pytest.raises(UsageError, match="no report to replay"):
        replay_session(place, LOCAL_USER, session)
    assert run(place, session).outcome == "done"
    assert replay_session(place, LOCAL_USER, session).same


# ---------------------------------------------------------------- an order of one's own


@pytest.mark.full
def test_a_finished_session_says_what_it_came_to(place: ServedResources) -> None:
    session = new_session(place)
    assert session_status.read_session_info(place, session).decision == ""
    outcome = run(place, session)
    assert outcome.report is not None
    assert session_status.read_session_info(place, session).decision == outcome.report.decision
    assert [info.decision for info in session_status.list_sessions(place)] == [
        outcome.report.decision
    ]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  Two\n words ", "Two words"),
        ("zero\u200bwidth", "zerowidth"),
        ("x" * 200, "x" * 200),
        ("", ""),
    ],
    ids=["folded", "invisible", "long", "none"],
)
def test_a_title_is_one_visible_line(place: ServedResources, given: str, kept: str) -> None:
    session = new_session(place)
    session_control.rename(place, session, given)
    assert session_status.read_session_info(place, session).row.title == kept


def test_tags_are_put_in_order_each_once(place: ServedResources) -> None:
    session = new_session(place)
    session_control.tag(place, session, ["wind", "Sea ", " wind", "", "\u202e"])
    assert session_status.read_session_info(place, session).row.tags == ("Sea", "wind")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda place, session: session_control.rename(place, session, "x" * 201),
            "title has 201 characters",
        ),
        (
            lambda place, session: session_control.tag(place, session, ["x" * 41]),
            "tag has 41 characters",
        ),
        (
            lambda place, session: session_control.tag(place, session, [str(n) for n in range(13)]),
            "at most 12 tags, not 13",
        ),
        (lambda place, _: session_control.rename(place, "0" * 32, "x"), "There is no session 0"),
        (lambda place, _: session_control.delete(place, "0" * 32), "There is no session 0"),
        (lambda place, _: session_control.restore(place, "0" * 32), "There is no session 0"),
    ],
)
def test_what_cannot_be_put_in_order_is_said(
    place: ServedResources, change: Any, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        change(place, new_session(place))


@pytest.mark.full
def test_a_deleted_session_is_in_no_list_until_it_is_restored(place: ServedResources) -> None:
    session = new_session(place)
    run(place, session)
    session_control.delete(place, session)
    assert session_status.list_sessions(place) == []
    with pytest.raises(UsageError, match="There is no session"):
        session_status.read_session_info(place, session)
    assert [
        (info.row.id, info.status) for info in session_status.list_sessions(place, deleted=True)
    ] == [(session, "done")]
    session_control.restore(place, session)
    assert [info.row.id for info in session_status.list_sessions(place)] == [session]
    assert session_status.read_stored_report(place, session)


def deleted_long_ago(place: ServedResources, who: Principal) -> Path:
    """A deep session of theirs, and the file it left."""
    session = session_start.new_session(
        place,
        QUESTION,
        RunSettings(mode="deep", engines=("searxng",), model=ServedModel.name),
        who=who,
    )
    file = place.settings.home / "reports" / f"{session}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("# What was asked", encoding="utf-8")
    session_admin.delete_session(
        place.db, who, session, place.clock.now() - session_control.KEPT_DELETED_S - 60.0
    )
    return file


def test_a_purge_leaves_no_file_of_a_report(place: ServedResources) -> None:
    mine, theirs = (
        deleted_long_ago(place, LOCAL_USER),
        deleted_long_ago(place, Principal("other", "user")),
    )
    assert retention.purge_user(place) == 1
    assert (mine.exists(), theirs.exists()) == (False, True)
    retention.enforce_retention(place)
    assert not theirs.exists()
    assert (retention.purge_user(place), session_status.list_sessions(place, deleted=True)) == (
        0,
        [],
    )


def test_a_file_that_cannot_be_removed_is_named(place: ServedResources) -> None:
    files = [deleted_long_ago(place, LOCAL_USER) for _ in range(3)]
    first = min(files)  # they are removed in this order
    first.unlink()
    first.mkdir()
    with pytest.raises(ResearchError, match=first.name) as caught:
        retention.purge_user(place)
    assert caught.value.next_step == "Remove it by hand."
    assert [file.exists() for file in sorted(files)] == [True, False, False]


def test_a_deletion_is_no_failure_for_what_was_deleted_long_ago(place: ServedResources) -> None:
    file = deleted_long_ago(place, LOCAL_USER)
    file.unlink()
    file.mkdir()
    session = new_session(place)
    session_control.delete(place, session)
    assert session in {info.row.id for info in session_status.list_sessions(place, deleted=True)}


def test_a_session_that_waits_is_cancelled_before_it_is_deleted(place: ServedResources) -> None:
    session = new_session(place)
    session_control.delete(place, session)
    session_control.restore(place, session)
    assert status(place, session) == "cancelled"


def test_a_session_that_runs_is_cancelled_and_deleted(place: ServedResources) -> None:
    session, begun, ended = new_session(place), threading.Event(), list[str]()
    executor = heartbeats.make_executor_id()

    def attempt() -> None:
        model = ServedModel(place.port)
        ended.append(
            runner.resume_or_run(
                place, session, executor, model=model, listener=lambda _: begun.set()
            ).outcome
        )

    with heartbeats.keep_heartbeat(place, executor):
        thread = threading.Thread(target=attempt)
        thread.start()
        assert begun.wait(LONG_S)
        session_control.delete(place, session)
        assert session_status.list_sessions(place) == []
        thread.join(LONG_S)
    session_control.restore(place, session)
    assert ended == [status(place, session)] == ["cancelled"]
