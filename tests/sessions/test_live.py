"""A running session as the screen that watches it reads it: what it spent, what was asked of it,
the gate as it stands, the news.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from research_core.journal import store
from research_core.journal.events import Draft, Event
from research_core.journal.log import EventLog
from research_core.models import Judgement, Page, Principal, ReportSource
from research_core.modes import ResearchMode
from research_core.policy import RunSettings
from research_core.sessions import executors, live, reading, runner
from research_core.sessions.reading import Reading
from research_core.settings import Settings
from research_core.tools.client_session import store as led
from research_core.trust import copies
from research_core.wiring import LOCAL_USER, Resources, open_log

QUESTION = "What are the environmental risks of deep-sea mining?"
USAGE = {"input_tokens": 100, "output_tokens": 20, "cost": 0.002}


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    return Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path_factory.mktemp("home"))}))


@pytest.fixture(scope="module")
def session(office: Resources) -> str:
    """A session that was researched on the sample library."""
    made = runner.new_session(office, QUESTION, RunSettings())
    assert runner.resume_or_run(office, made, runner.make_executor_id()).outcome == "done"
    return made


def begun(office: Resources, *drafts: Draft) -> tuple[Reading, EventLog]:
    """A session of this process with just these events, and its log to go on."""
    made = runner.new_session(office, QUESTION, RunSettings())
    executor = runner.make_executor_id()
    epoch = store.take_session(office.db, LOCAL_USER, made, executor, office.clock.now())
    executors.record_beat(office.db, executor, office.clock.now())
    log = open_log(office, LOCAL_USER, made, epoch=epoch)
    created = {"question": QUESTION, "settings": RunSettings().to_json(), "session": made}
    log.append(Draft("created", created, "created"), *drafts)
    return reading.read_session(office, made), log


def found(url: str) -> Draft:
    return Draft(
        "found",
        {
            "url": url,
            "title": url[-1],
            "snippet": "",
            "engine": "library",
            "order": 0,
            "rank": 0,
            "parts": None,
        },
        url,
    )


def judged(url: str, score: int) -> Draft:
    return Draft(
        "judged",
        {"url": url, "title": url[-1], "score": score, "explanation": "Because.", "scored": True},
        url,
    )


def model_call(log: EventLog, key: str) -> None:
    log.record_call("model", key, lambda: {"text": "x" * 5000, "usage": USAGE})


# -- what it spent ---------------------------------------------------------------------------------------------------------


def test_spent_is_counted_from_the_calls_and_read_on(office: Resources) -> None:
    shown, log = begun(office)
    assert live.count_usage(office, shown) == live.Usage()
    model_call(log, "a")
    log.record_call("library", "b", list)
    first = live.count_usage(office, shown)
    assert (first.calls, first.others, first.tokens, first.cost) == (1, 1, 120, 0.002)
    model_call(log, "c")
    later = live.count_usage(office, shown, before=first)
    assert (later.calls, later.others, later.tokens, later.cost) == (2, 1, 240, 0.004)
    assert later == live.count_usage(office, shown)


def test_what_a_page_cost_is_spent_too(office: Resources) -> None:
    shown, log = begun(office)
    model_call(log, "a")
    log.record_call(
        "http", "b", dict, about={"what": "POST https://api.exa.ai/contents", "cost": 0.001}
    )
    used = live.count_usage(office, shown)
    assert (used.calls, used.others, used.cost) == (1, 1, 0.003)


def test_failed_call_counts_and_uses_nothing(office: Resources) -> None:
    shown, log = begun(office)
    log.append(
        Draft("call", {"kind": "model", "about": {}, "error": {"type": "ModelError"}}, "call")
    )
    assert live.count_usage(office, shown).calls == 1
    assert live.count_usage(office, shown).tokens == 0


def test_spent_of_a_finished_session_is_its_tally(office: Resources, session: str) -> None:
    shown = reading.read_session(office, session)
    assert shown.run.tally is not None
    used = live.count_usage(office, shown)
    assert (used.calls, used.others) == (
        shown.run.tally["model_calls"],
        shown.run.tally["other_calls"],
    )
    without = Reading(
        shown.info,
        tuple(event for event in shown.events if event.data.get("do") != "tally"),
        reading.RunView(),
    )
    assert (live.count_usage(office, without).calls, live.count_usage(office, without).others) == (
        used.calls,
        used.others,
    )


@pytest.mark.parametrize("prices", [(None,), (0.002, None), (None, 0.002)], ids=str)
def test_one_call_without_a_known_price_leaves_the_cost_unknown(
    office: Resources, prices: tuple[float | None, ...]
) -> None:
    shown, log = begun(office)
    used = live.Usage()
    for number, price in enumerate(prices):
        log.record_call(
            "model",
            str(number),
            lambda price=price: {"text": "", "usage": {**USAGE, "cost": price}},
        )  # type: ignore[misc]
        used = live.count_usage(office, shown, before=used)
    assert (used.calls, used.tokens, used.cost) == (len(prices), 120 * len(prices), None)
    assert used == live.count_usage(office, shown)


@pytest.mark.parametrize(
    ("tokens", "cost", "said"),
    [(1500, None, None), (1500, 0.0, None), (1500, 0.02, 0.02), (0, 0.0, 0.0)],
    ids=["now", "older", "paid", "free"],
)
def test_cost_of_a_tally_is_unknown_where_a_price_was(
    office: Resources, tokens: int, cost: float | None, said: float | None
) -> None:
    tally = {
        "do": "tally",
        "model_calls": 3,
        "other_calls": 2,
        "tokens": tokens,
        "cost": cost,
        "seconds": 1.0,
    }
    shown, _ = begun(office, Draft("decide", tally, "tally"))
    assert live.count_usage(office, shown).cost == said


def test_spent_of_somebody_else_is_nothing(office: Resources, session: str) -> None:
    shown = reading.read_session(office, session)
    without = Reading(shown.info, shown.events, reading.RunView())
    assert live.count_usage(office, without, who=Principal("another", "user")) == live.Usage()


def test_elapsed_ticks_at_work_from_the_start_of_the_attempt_and_is_the_tally_s_at_the_end(
    office: Resources, session: str
) -> None:
    shown, _ = begun(office)
    start = shown.events[0].at
    asked = replace(
        shown, info=replace(shown.info, row=replace(shown.info.row, created=start - 3600))
    )  # an hour in the queue
    assert live.measure_elapsed(asked, start + 61) == live.Elapsed(61, of_attempt=True)
    ended = reading.read_session(office, session)
    assert ended.run.tally is not None
    assert live.measure_elapsed(ended, start + 10_000) == live.Elapsed(
        ended.run.tally["seconds"], of_attempt=True
    )


def test_elapsed_in_the_queue_and_of_a_later_attempt_is_since_the_question(
    office: Resources,
) -> None:
    queued = reading.read_session(office, runner.new_session(office, QUESTION, RunSettings()))
    assert live.measure_elapsed(queued, queued.info.row.created + 5) == live.Elapsed(
        5, of_attempt=False
    )
    shown, _ = begun(office)
    executor = runner.make_executor_id()
    store.take_session(office.db, LOCAL_USER, shown.session, executor, office.clock.now())
    executors.record_beat(office.db, executor, office.clock.now())
    again = reading.read_session(office, shown.session, before=shown)
    assert again.info.status == "running"
    assert live.measure_elapsed(again, again.info.row.created + 90_000) == live.Elapsed(
        90_000, of_attempt=False
    )


def test_elapsed_of_a_session_that_a_client_leads_goes_on_while_it_is_open(
    office: Resources,
) -> None:
    made = led.begin_session(office.db, LOCAL_USER, office.clock, QUESTION, RunSettings(), 3_600.0)
    shown = reading.read_session(office, made.id)
    began = shown.info.row.created
    assert live.measure_elapsed(shown, began + 500) == live.Elapsed(500, of_attempt=False)
    made.log.append(Draft("step", {"number": 1, "text": "The last.", "next": False}))
    done = reading.read_session(office, made.id)
    assert done.info.status == "done"
    assert live.measure_elapsed(done, began + 500) == live.Elapsed(
        done.events[-1].at - began, of_attempt=False
    )


def test_elapsed_of_an_interrupted_session_stands_whatever_is_asked_of_it_meanwhile(
    office: Resources,
) -> None:
    shown, log = begun(office)
    log.append(found("document:a"))
    executors.forget_executor(office.db, str(shown.info.row.executor))
    before = reading.read_session(office, shown.session)
    assert before.info.status == "interrupted"
    later = replace(
        before,
        events=(*before.events, Event(9, before.events[-1].at + 500, "command", {"do": "stop"})),
    )
    assert (
        live.measure_elapsed(later, 0.0)
        == live.measure_elapsed(before, 0.0)
        == live.Elapsed(before.events[-1].at - before.events[0].at, of_attempt=True)
    )


# -- what was asked of it --------------------------------------------------------------------------------------------------


def test_what_was_asked_waits_until_it_is_taken_up(office: Resources) -> None:
    shown, log = begun(office, found("document:a"))
    runner.send_command(office, shown.session, "strike", url="document:a")
    runner.send_command(office, shown.session, "instruct", text="and the turtles")
    waiting = reading.read_session(office, shown.session)
    assert [(a.do, a.about, a.state) for a in live.list_commands(waiting)] == [
        ("strike", "“a” (own document)", "waiting"),
        ("instruct", "and the turtles", "waiting"),
    ]
    commands = [event.seq for event in waiting.events if event.kind == "command"]
    log.append(
        Draft(
            "decide",
            {"do": "strike", "url": "document:a", "command": commands[0]},
            f"command:{commands[0]}",
        )
    )
    log.append(Draft("gated", GATED, "gated"))
    assert [
        asked.state for asked in live.list_commands(reading.read_session(office, shown.session))
    ] == [
        "taken up",
        "too late",
    ]


GATED: dict[str, Any] = {
    "decision": "short_report",
    "rationale": "2 of 3",
    "reason": "",
    "kept": [],
    "verdicts": [],
}


# -- the gate --------------------------------------------------------------------------------------------------------------


def test_bar_counts_what_is_judged_and_what_is_on_the_way(office: Resources) -> None:
    urls = [f"document:{letter}" for letter in "abc"]
    admitted = [Draft("admitted", {"url": url}, url) for url in urls]
    shown, log = begun(office, *map(found, urls), *admitted, judged(urls[0], 4), judged(urls[1], 2))
    bar = live.build_gate_outlook(shown)
    assert (bar.kept, bar.dropped, bar.coming, bar.decision) == (1, 1, 1, "")
    log.append(Draft("gated", GATED, "gated"))
    assert (
        live.build_gate_outlook(reading.read_session(office, shown.session)).decision
        == "short_report"
    )


def test_bar_counts_no_copy_of_what_is_kept(office: Resources) -> None:
    urls = [f"document:{letter}" for letter in "abc"]
    text = " ".join(
        f"Boat {n} left the harbour at {n % 24} with {n * 7} crates." for n in range(60)
    )
    fetched = [
        Draft(
            "fetched",
            {
                "url": url,
                **copies.collect_facts(Page(url, url, "", text)),
                "page": text,
                "characters": len(text),
            },
            url,
        )
        for url in urls
    ]
    shown, _ = begun(office, *map(found, urls), *fetched, *(judged(url, 4) for url in urls))
    bar = live.build_gate_outlook(shown)
    assert (bar.kept, bar.copies) == (3, 2)


@pytest.mark.parametrize(
    ("kept", "twice", "outlook"),
    [
        (0, 0, "not enough; 2 more for a short report."),
        (1, 0, "not enough; 1 more for a short report."),
        (2, 0, "enough for a short report; 1 more for a full one."),
        (3, 0, "enough for a full report."),
        (9, 0, "enough for a full report."),
        (
            9,
            1,
            "1 of those kept is a copy of another and does not count: enough for a full report.",
        ),
        (
            5,
            3,
            "3 of those kept are copies of others and do not count: enough for a short report; 1 more for a full one.",
        ),
    ],
)
def test_outlook_says_what_the_gate_would_decide_so_far(
    kept: int, twice: int, outlook: str
) -> None:
    mode = ResearchMode.named("standard", min_full=3, min_short=2)
    assert live.GateOutlook(kept, 0, 0, mode, copies=twice).outlook == outlook


def test_scores_and_choice_of_judged_sources(office: Resources) -> None:
    urls = [f"document:{letter}" for letter in "abc"]
    shown, _ = begun(office, *map(found, urls), judged(urls[0], 4), judged(urls[1], 2))
    assert live.count_scores(shown) == {0: 0, 1: 0, 2: 1, 3: 0, 4: 1, 5: 0}
    assert [source.url for source in live.list_read_sources(shown)] == urls[:2]


@pytest.mark.parametrize(
    ("statuses", "scores", "order", "wanted"),
    [
        ((), (), "gate", "abcd"),
        (("dropped",), (), "gate", "bd"),
        ((), (5, 1), "gate", "ad"),
        ((), (), "low", "cdba"),
        ((), (), "high", "abdc"),
        (("kept",), (2,), "gate", ""),
    ],
)
def test_chosen(
    statuses: tuple[str, ...], scores: tuple[int, ...], order: str, wanted: str
) -> None:
    def source(name: str, score: int, status: str) -> ReportSource:
        return ReportSource(
            f"document:{name}",
            name,
            0,
            status,
            "",
            None,
            Judgement(name, name, score or 3, "", scored=bool(score)),
        )

    sources = [
        source("a", 5, "kept"),
        source("b", 2, "dropped"),
        source("c", 0, "kept"),
        source("d", 1, "dropped"),
    ]
    assert "".join(s.title for s in live.filter_sources(sources, statuses, scores, order)) == wanted


# -- its sources, its text, the news ---------------------------------------------------------------------------------------


def test_arrivals_stand_as_they_were_taken_up(office: Resources) -> None:
    shown, log = begun(office, *(found(f"document:{letter}") for letter in "zya"))
    assert [source.title for source in live.list_by_arrival(shown)] == ["z", "y", "a"]
    log.append(Draft("admitted", {"url": "document:a"}, "a"), judged("document:y", 5))
    assert [
        source.title for source in live.list_by_arrival(reading.read_session(office, shown.session))
    ] == [
        "a",
        "z",
        "y",
    ]


def test_text_in_the_making_is_read_in_blocks(office: Resources, session: str) -> None:
    shown, _ = begun(
        office,
        Draft(
            "delta",
            {
                "of": "write",
                "call": "k",
                "start": 0,
                "text": "## Summary\n\nThe tide turns [p1a2b3c4d].",
            },
        ),
    )
    assert [
        (block.kind, block.sentences[0].text) for block in live.parse_written_so_far(shown)
    ] == [
        ("heading", "Summary"),
        ("paragraph", "The tide turns."),
    ]
    assert live.parse_written_so_far(reading.read_session(office, session))


def test_news_are_newest_first_and_can_be_narrowed(office: Resources, session: str) -> None:
    shown = reading.read_session(office, session)
    told = live.list_news(shown)
    assert told[0].text == "Finished"
    assert [one.at for one in told] == sorted((one.at for one in told), reverse=True)
    assert {one.topic for one in told} == set(live.TOPICS)
    assert {one.topic for one in live.list_news(shown, ("judge",))} == {"judge"}
    assert any("5 of 5: “" in one.text for one in live.list_news(shown, ("judge",)))
    assert len(live.list_news(shown, limit=3)) == 3


def test_every_kind_of_event_a_run_writes_is_told_or_left_out_on_purpose(
    office: Resources, session: str
) -> None:
    told = set(live._TOPIC_OF)
    silent = {"created", "found", "admitted", "passages", "delta"}
    assert {event.kind for event in reading.read_session(office, session).events} <= told | silent


def test_command_is_news_until_it_is_taken_up(office: Resources) -> None:
    shown, log = begun(office, found("document:a"))
    runner.send_command(office, shown.session, "strike", url="document:a")
    waiting = reading.read_session(office, shown.session)
    assert live.list_news(waiting)[0].text == "You struck “a” (own document)"
    log.append(
        Draft("decide", {"do": "strike", "url": "document:a", "command": waiting.seq}, "command")
    )
    assert [one.text for one in live.list_news(reading.read_session(office, shown.session))] == [
        "Struck “a” (own document)"
    ]
