"""A session as it stood after any event of its log, and what each event said."""

from __future__ import annotations

import pytest

from research_core.decisions.view import fold_events
from research_core.i18n import use_language
from research_core.journal.events import Draft, drop_voided
from research_core.journal.store import SessionRow
from research_core.sessions import event_text, session_control, snapshot, timeline
from research_core.sessions.session_status import SessionInfo
from research_core.sessions.snapshot import Snapshot, rewind_to
from research_core.sessions.timeline import (
    TimelineStep,
    find_neighbour,
    list_marked_steps,
    list_steps,
    list_steps_around,
)
from research_core.settings import Settings
from research_core.web.failure_texts import translate_failure
from research_core.wiring import Resources
from tests.decisions.test_gate import OWN, Log
from tests.decisions.test_gate import QUESTION as LOG_QUESTION
from tests.sessions.test_compare import A, B, ended, source
from tests.started_sessions import make_found_event, research_sample, start_session

ROW = SessionRow("s", "?", {}, None, 1.0, 2.0, 1, None, None, "done", "full_report")


def opened(log: Log) -> Snapshot:
    """The reading a screen has of the whole log."""
    return Snapshot(
        SessionInfo(ROW, "done"), tuple(log.events), fold_events(drop_voided(log.events))
    )


def whole() -> Log:
    log = Log().planned("question", 0).searched(0).searched(0, "rate_limited", "south")
    ended(source(source(log, A, "p"), B, "q", 1), ("Seals moved.", "p", "supported"))
    log("report", decision="insufficient_data", markdown="")
    return log("finished", outcome="done", decision="insufficient_data")


LOG = whole()


def seq(kind: str) -> int:
    return next(event.seq for event in LOG.events if event.kind == kind)


def test_at_its_end_a_session_is_itself() -> None:
    shown = opened(LOG)
    assert rewind_to(shown, LOG.events[-1].seq) is shown
    assert rewind_to(shown, 10_000) is shown


@pytest.mark.parametrize("count", range(len(LOG.events)))
def test_at_every_point_it_is_the_fold_of_what_there_was(count: int) -> None:
    events = LOG.events[:count]
    then = rewind_to(opened(LOG), events[-1].seq if events else 0)
    assert list(then.events) == events
    assert then.run == fold_events(drop_voided(events))
    snapshot.list_stages(then)
    assert len(then.sources) == len(then.run.sources)


@pytest.mark.parametrize(
    ("kind", "status", "decision"),
    [("created", "running", ""), ("gated", "running", ""), ("finished", "done", "full_report")],
)
def test_it_stands_as_it_stood(kind: str, status: str, decision: str) -> None:
    then = rewind_to(opened(LOG), seq(kind))
    assert (then.info.status, then.info.decision) == (status, decision)
    assert rewind_to(opened(LOG), 0).info.status == "queued"


def test_an_end_before_the_last_one_stands_until_the_session_went_on() -> None:
    log = Log()("failed", error="No.", next_step="", type="ModelError").found(A)
    shown = opened(log)
    assert [rewind_to(shown, n).info.status for n in (1, 2)] == ["running", "failed"]
    assert [(step.seq, step.mark) for step in list_marked_steps(list_steps(shown))] == [
        (2, "failure"),
        (3, "resumed"),
    ]


def test_a_recorded_failure_is_said_in_the_language_of_the_screens() -> None:
    failure = "There is no such page. (HTTP 404)"
    log = Log().found(A)("fetched", url=A, failure=failure)
    with use_language("de"):
        assert translate_failure(failure) != failure
        assert list_steps(opened(log))[-1].text.endswith(translate_failure(failure))


def test_a_source_that_was_read_later_still_waits() -> None:
    states = [
        rewind_to(opened(LOG), seq(kind)).sources[0].status
        for kind in ("found", "fetched", "judged")
    ]
    assert states == ["waiting", "judging", "kept"]


# ---------------------------------------------------------------- its steps


def test_the_points_worth_going_to_are_named() -> None:
    marks = [
        (LOG.events[step.seq - 1].kind, step.mark)
        for step in list_marked_steps(list_steps(opened(LOG)))
    ]
    assert marks == [
        ("search_failed", "searches done"),
        ("gated", "gate"),
        ("written", "written"),
        ("verified", "checked"),
        ("report", "report"),
        ("finished", "end"),
    ]


def test_a_step_is_an_event_in_words_at_its_time() -> None:
    told = list_steps(opened(LOG))
    assert [step.seq for step in told] == [event.seq for event in LOG.events]
    assert (told[0].text, told[0].after) == (f"Asked: {LOG_QUESTION}", 0.0)
    assert (told[-1].text, told[-1].after) == ("Finished", len(LOG.events) - 1.0)


def test_a_source_is_named_by_its_page_where_that_has_a_title_and_else_as_it_was_found() -> None:
    log = (
        Log()
        .found(A)
        .found(B)
        .read(A)("fetched", url=B, failure="Nobody answers.")("admitted", url=OWN)(
            "voided", key="k"
        )
    )
    texts = [step.text for step in list_steps(opened(log))]
    assert f"To be read: “title of {A}” (a.example.org)" in texts
    assert f"Could not read “{B} for 0” (b.example.org): Nobody answers." in texts
    assert f"To be read: {OWN}" in texts


# ---------------------------------------------------------------- news


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    return Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path_factory.mktemp("home"))}))


@pytest.fixture(scope="module")
def session(resources: Resources) -> str:
    return research_sample(resources)


def test_news_are_newest_first_and_can_be_narrowed(resources: Resources, session: str) -> None:
    shown = snapshot.read_session(resources, session)
    told = timeline.list_news(shown)
    assert told[0].text == "Finished"
    assert [one.at for one in told] == sorted((one.at for one in told), reverse=True)
    assert {one.topic for one in told} == {"search", "read", "judge", "decide", "write"}
    assert {one.topic for one in timeline.list_news(shown, ("judge",))} == {"judge"}
    assert any("5 of 5: “" in one.text for one in timeline.list_news(shown, ("judge",)))
    assert len(timeline.list_news(shown, limit=3)) == 3


def test_every_kind_of_event_a_run_writes_is_told_or_left_out_on_purpose(
    resources: Resources, session: str
) -> None:
    told = {kind for kind, known in event_text.EVENT_KINDS.items() if known.topic}
    silent = {"created", "found", "admitted", "passages", "delta"}
    assert {
        event.kind for event in snapshot.read_session(resources, session).events
    } <= told | silent


def test_command_is_news_until_it_is_taken_up(resources: Resources) -> None:
    shown, log = start_session(resources, make_found_event("document:a"))
    session_control.send_command(resources, shown.session, "strike", url="document:a")
    waiting = snapshot.read_session(resources, shown.session)
    assert timeline.list_news(waiting)[0].text == "You excluded “a” (library document)"
    log.append(
        Draft("decide", {"do": "strike", "url": "document:a", "command": waiting.seq}, "command")
    )
    assert [
        one.text for one in timeline.list_news(snapshot.read_session(resources, shown.session))
    ] == ["Excluded: “a” (library document)"]


# ---------------------------------------------------------------- moving along

SOME = tuple(TimelineStep(seq, float(seq), "") for seq in (2, 5, 6, 9))


@pytest.mark.parametrize(
    ("seq", "by", "reached"),
    [
        (2, 1, 5),
        (5, -1, 2),
        (4, 1, 5),
        (4, -1, 2),
        (9, 1, 9),
        (2, -1, 2),
        (0, 1, 2),
        (99, -1, 6),
        (2, 3, 9),
        (6, 0, 6),
    ],
)
def test_one_step_on_or_back_is_the_next_event(seq: int, by: int, reached: int) -> None:
    assert find_neighbour(SOME, seq, by) == reached


def test_without_events_there_is_nowhere_to_go() -> None:
    assert find_neighbour((), 7, 1) == 7
    assert list(list_steps_around((), 7)) == []
    assert timeline.list_marked_steps(()) == ()


def test_the_latest_step_stands_among_its_neighbours() -> None:
    assert [(step.seq, now) for step, now in list_steps_around(SOME, 6, before=1, after=1)] == [
        (5, False),
        (6, True),
        (9, False),
    ]
    assert [now for _, now in list_steps_around(SOME, 0, after=2)] == [False, False]
