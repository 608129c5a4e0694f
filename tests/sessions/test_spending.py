"""What a session used, while it runs and at its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from research_core.decisions.view import RunView
from research_core.journal import store
from research_core.journal.events import Draft, Event
from research_core.journal.log import EventLog
from research_core.models import Principal
from research_core.policy import RunSettings, Tally
from research_core.sessions import (
    heartbeats,
    runner,
    session_start,
    snapshot,
    spending,
    timeline,
)
from research_core.sessions.snapshot import Snapshot
from research_core.settings import Settings
from research_core.tools.client_session import store as led
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.logs import ANN
from tests.started_sessions import QUESTION, make_found_event, research_sample, start_session

USAGE = {"input_tokens": 100, "output_tokens": 20, "cost": 0.002}


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    return Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path_factory.mktemp("home"))}))


@pytest.fixture(scope="module")
def session(resources: Resources) -> str:
    return research_sample(resources)


def model_call(log: EventLog, key: str) -> None:
    log.record_call("model", key, lambda: {"text": "x" * 5000, "usage": USAGE})


@pytest.mark.full
def test_spent_is_counted_from_the_calls_and_read_on(resources: Resources) -> None:
    shown, log = start_session(resources)
    assert spending.count_usage(resources, shown) == spending.SessionUsage()
    model_call(log, "a")
    log.record_call("library", "b", list)
    first = spending.count_usage(resources, shown)
    assert (first.calls, first.tokens, first.cost) == (1, 120, 0.002)
    model_call(log, "c")
    later = spending.count_usage(resources, shown, before=first)
    assert (later.calls, later.tokens, later.cost) == (2, 240, 0.004)
    assert later == spending.count_usage(resources, shown)


def test_what_a_page_cost_is_spent_too(resources: Resources) -> None:
    shown, log = start_session(resources)
    model_call(log, "a")
    log.record_call(
        "http", "b", dict, about={"what": "POST https://api.exa.ai/contents", "cost": 0.001}
    )
    used = spending.count_usage(resources, shown)
    assert (used.calls, used.cost) == (1, 0.003)


def test_failed_call_counts_and_uses_nothing(resources: Resources) -> None:
    shown, log = start_session(resources)
    log.append(
        Draft("call", {"kind": "model", "about": {}, "error": {"type": "ModelError"}}, "call")
    )
    assert spending.count_usage(resources, shown).calls == 1
    assert spending.count_usage(resources, shown).tokens == 0


def test_spent_of_a_finished_session_is_its_tally(resources: Resources, session: str) -> None:
    shown = snapshot.read_session(resources, session)
    assert shown.run.tally is not None
    used = spending.count_usage(resources, shown)
    assert used.calls == shown.run.tally["model_calls"] > 0
    without = Snapshot(
        shown.info,
        tuple(event for event in shown.events if event.data.get("do") != "tally"),
        RunView(),
    )
    assert spending.count_usage(resources, without).calls == used.calls


@pytest.mark.parametrize("prices", [(None,), (0.002, None), (None, 0.002)], ids=str)
def test_one_call_without_a_known_price_leaves_the_cost_unknown(
    resources: Resources, prices: tuple[float | None, ...]
) -> None:
    shown, log = start_session(resources)
    used = spending.SessionUsage()
    for number, price in enumerate(prices):
        log.record_call(
            "model",
            str(number),
            lambda price=price: {"text": "", "usage": {**USAGE, "cost": price}},
        )  # type: ignore[misc]
        used = spending.count_usage(resources, shown, before=used)
    assert (used.calls, used.tokens, used.cost) == (len(prices), 120 * len(prices), None)
    assert used == spending.count_usage(resources, shown)


@pytest.mark.parametrize(
    ("tokens", "cost", "said"),
    [(1500, None, None), (1500, 0.0, None), (1500, 0.02, 0.02), (0, 0.0, 0.0)],
    ids=["now", "older", "paid", "free"],
)
def test_cost_of_a_tally_is_unknown_where_a_price_was(
    resources: Resources, tokens: int, cost: float | None, said: float | None
) -> None:
    tally = {
        "do": "tally",
        "model_calls": 3,
        "other_calls": 2,
        "tokens": tokens,
        "cost": cost,
        "seconds": 1.0,
    }
    shown, _ = start_session(resources, Draft("decide", tally, "tally"))
    assert spending.count_usage(resources, shown).cost == said


def test_spent_of_somebody_else_is_nothing(resources: Resources, session: str) -> None:
    shown = snapshot.read_session(resources, session)
    without = Snapshot(shown.info, shown.events, RunView())
    assert (
        spending.count_usage(resources, without, who=Principal("another", "user"))
        == spending.SessionUsage()
    )


def test_elapsed_ticks_at_work_from_the_start_of_the_log_and_ends_with_it(
    resources: Resources, session: str
) -> None:
    shown, _ = start_session(resources)
    start = shown.events[0].at
    asked = replace(
        shown, info=replace(shown.info, row=replace(shown.info.row, created=start - 3600))
    )  # an hour in the queue
    assert spending.measure_elapsed(asked, start + 61) == spending.Elapsed(61, of_attempt=True)
    ended = snapshot.read_session(resources, session)
    took = spending.measure_elapsed(ended, start + 10_000)
    assert took == spending.Elapsed(ended.events[-1].at - ended.events[0].at, of_attempt=True)
    assert took.seconds == timeline.list_news(ended)[0].after


def test_elapsed_in_the_queue_is_since_the_question_and_of_a_later_attempt_since_the_first(
    resources: Resources,
) -> None:
    queued = snapshot.read_session(
        resources, session_start.new_session(resources, QUESTION, RunSettings())
    )
    assert spending.measure_elapsed(queued, queued.info.row.created + 5) == spending.Elapsed(
        5, of_attempt=False
    )
    shown, _ = start_session(resources)
    executor = heartbeats.make_executor_id()
    store.take_session(resources.db, LOCAL_USER, shown.session, executor, resources.clock.now())
    heartbeats.record_beat(resources.db, executor, resources.clock.now())
    again = snapshot.read_session(resources, shown.session, before=shown)
    assert again.info.status == "running"
    assert spending.measure_elapsed(again, again.events[0].at + 90_000) == spending.Elapsed(
        90_000, of_attempt=False
    )


def test_elapsed_of_a_session_that_a_client_leads_goes_on_while_it_is_open(
    resources: Resources,
) -> None:
    made = led.begin_session(
        resources.db, LOCAL_USER, resources.clock, QUESTION, RunSettings(), 3_600.0
    )
    shown = snapshot.read_session(resources, made.id)
    began = shown.events[0].at
    assert spending.measure_elapsed(shown, began + 500) == spending.Elapsed(500, of_attempt=False)
    made.log.append(Draft("step", {"number": 1, "text": "The last.", "next": False}))
    done = snapshot.read_session(resources, made.id)
    assert done.info.status == "done"
    assert spending.measure_elapsed(done, began + 500) == spending.Elapsed(
        done.events[-1].at - began, of_attempt=False
    )


def test_elapsed_of_an_interrupted_session_stands_whatever_is_asked_of_it_meanwhile(
    resources: Resources,
) -> None:
    shown, log = start_session(resources)
    log.append(make_found_event("document:a"))
    heartbeats.forget_executor(resources.db, str(shown.info.row.executor))
    before = snapshot.read_session(resources, shown.session)
    assert before.info.status == "interrupted"
    later = replace(
        before,
        events=(*before.events, Event(9, before.events[-1].at + 500, "command", {"do": "stop"})),
    )
    assert (
        spending.measure_elapsed(later, 0.0)
        == spending.measure_elapsed(before, 0.0)
        == spending.Elapsed(before.events[-1].at - before.events[0].at, of_attempt=True)
    )


# ---------------------------------------------------------------- of many sessions


@pytest.fixture(scope="module")
def library_resources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resources]:
    """A home with one finished session on a library of one page."""
    home = tmp_path_factory.mktemp("library")
    papers = home / "papers"
    papers.mkdir()
    (papers / "tides.md").write_text(
        "# Tides\n\nThe tides of the bay rise sixteen metres twice a day.\n", encoding="utf-8"
    )
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(home / "home")}))
    resources.library(LOCAL_USER).add(papers, "my")
    yield resources
    resources.db.close()


def test_what_a_session_took_is_what_its_report_says(library_resources: Resources) -> None:
    done = session_start.new_session(
        library_resources, "How high do the tides of the bay rise?", RunSettings(library="my")
    )
    built = runner.resume_or_run(library_resources, done, heartbeats.make_executor_id()).report
    assert built is not None
    waiting = session_start.new_session(
        library_resources, "How high do the tides of the bay rise?", RunSettings(library="my")
    )
    tally = Tally(**built.spent)
    assert tally.calls == built.spent["model_calls"] + built.spent["other_calls"] > 0
    assert spending.read_tallies(library_resources, [done, waiting]) == {done: tally}
    assert spending.read_tallies(library_resources, [done], who=ANN) == {}


@pytest.mark.parametrize(
    ("tokens", "cost", "said"),
    [(1500, None, None), (1500, 0.0, None), (1500, 0.02, 0.02), (0, 0.0, 0.0)],
    ids=["now", "older", "paid", "free"],
)
def test_what_a_session_cost_is_unknown_where_a_price_was(
    library_resources: Resources, tokens: int, cost: float | None, said: float | None
) -> None:
    session = session_start.new_session(
        library_resources, "How high do the tides of the bay rise?", RunSettings(library="my")
    )
    epoch = store.take_session(
        library_resources.db, LOCAL_USER, session, heartbeats.make_executor_id(), 0.0
    )
    tally = {
        "do": "tally",
        "model_calls": 3,
        "other_calls": 2,
        "tokens": tokens,
        "cost": cost,
        "seconds": 1.0,
    }
    open_log(library_resources, LOCAL_USER, session, epoch=epoch).append(
        Draft("decide", tally, "tally")
    )
    assert spending.read_tallies(library_resources, [session]) == {
        session: Tally(3, 2, tokens, said, 1.0)
    }
