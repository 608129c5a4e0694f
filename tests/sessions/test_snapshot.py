"""A session as its log stands after an event: sources, gate, progress, commands and text."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from research_core.decisions import report_sources
from research_core.errors import UsageError
from research_core.journal.events import Draft
from research_core.llm.offline import OfflineModel
from research_core.model_messages import ModelReply, ModelRequest
from research_core.models import Judgement, Page, Principal, ReportSource
from research_core.modes import ResearchMode
from research_core.pipeline import report
from research_core.policy import RunSettings
from research_core.sessions import (
    heartbeats,
    runner,
    session_control,
    session_start,
    session_status,
    snapshot,
    whatif,
)
from research_core.settings import Settings
from research_core.trust import copies
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.sample_sessions import research
from tests.started_sessions import QUESTION, make_found_event, make_judged_event, start_session


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    return Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path_factory.mktemp("home"))}))


@pytest.fixture(scope="module")
def session(resources: Resources) -> str:
    """A session that was researched on the sample library."""
    return research(resources, QUESTION)


# -- reading on ---------------------------------------------------------------


@pytest.mark.full
def test_unmoved_session_is_the_same_reading(resources: Resources, session: str) -> None:
    shown = snapshot.read_session(resources, session)
    assert snapshot.read_session(resources, session, before=shown) is shown


def test_reading_on_equals_reading_anew(resources: Resources) -> None:
    before = start_session(resources)[0]
    log = open_log(resources, LOCAL_USER, before.session, epoch=before.info.row.epoch)
    log.append(
        Draft(
            "planned",
            {"part": "plan", "queries": [{"text": "tides", "order": 1, "purpose": "planned"}]},
            "plan",
        )
    )
    after = snapshot.read_session(resources, before.session, before=before)
    assert after.seq > before.seq
    assert after == snapshot.read_session(resources, before.session)
    assert [query["text"] for query in after.run.queries.values()] == ["tides"]


def test_status_that_moved_is_a_new_reading(resources: Resources) -> None:
    before = start_session(resources)[0]
    heartbeats.forget_executor(resources.db, str(before.info.row.executor))
    after = snapshot.read_session(resources, before.session, before=before)
    assert (before.info.status, after.info.status) == ("running", "interrupted")
    assert after.run is before.run
    assert (before.at_work, after.at_work) == (True, False)


def test_a_new_title_and_new_tags_reach_a_reading_that_is_held(resources: Resources) -> None:
    before = start_session(resources, piece(0, "Whales"))[0]
    session_control.rename(resources, before.session, "Mining")
    named = snapshot.read_session(resources, before.session, before=before)
    assert (named.info.row.title, named.run, named.events) == ("Mining", before.run, before.events)
    session_control.tag(resources, before.session, ["sea"])
    tagged = snapshot.read_session(resources, before.session, before=named)
    assert tagged.info.row.tags == ("sea",)
    assert snapshot.read_session(resources, before.session, before=tagged) is tagged


def test_a_call_alone_moves_no_reading(resources: Resources) -> None:
    before = start_session(resources)[0]
    log = open_log(resources, LOCAL_USER, before.session, epoch=before.info.row.epoch)
    time.sleep(0.002)
    log.append(Draft("call", {"kind": "model", "value": {}}, "call:1"))
    assert (
        session_status.read_session_info(resources, before.session).row.updated
        > before.info.row.updated
    )
    assert snapshot.read_session(resources, before.session, before=before) is before


def test_text_in_the_making_is_read_without_folding_the_log_again(resources: Resources) -> None:
    before = start_session(resources)[0]
    log = open_log(resources, LOCAL_USER, before.session, epoch=before.info.row.epoch)
    log.append(piece(0, "Whales "), piece(7, "dive."))
    after = snapshot.read_session(resources, before.session, before=before)
    assert after.run is before.run
    assert snapshot.join_written_so_far(after) == "Whales dive."
    log.append(
        piece(12, " They"), Draft("written", {"text": "Whales dive. They", "removed": 0}, "written")
    )
    ended = snapshot.read_session(resources, before.session, before=after)
    assert ended.run.written
    assert ended == snapshot.read_session(resources, before.session)


def test_the_gate_of_a_reading_is_worked_out_once(resources: Resources, session: str) -> None:
    shown = snapshot.read_session(resources, session)
    assert shown.gate is shown.gate
    assert shown.sources is shown.sources


def test_reading_of_another_session_is_not_built_on(resources: Resources, session: str) -> None:
    assert snapshot.read_session(
        resources, session, before=start_session(resources)[0]
    ) == snapshot.read_session(resources, session)


def test_calls_are_not_read(resources: Resources, session: str) -> None:
    kinds = {event.kind for event in snapshot.read_session(resources, session).events}
    assert "report" in kinds
    assert "call" not in kinds


@pytest.mark.parametrize(
    "who", [LOCAL_USER, Principal("another", "user")], ids=["unknown", "of somebody else"]
)
def test_session_that_is_not_there_is_said(
    resources: Resources, session: str, who: Principal
) -> None:
    with pytest.raises(UsageError, match="There is no session"):
        snapshot.read_session(resources, "0" * 32 if who == LOCAL_USER else session, who=who)


def test_failure_is_the_one_that_ended_the_last_attempt(resources: Resources, session: str) -> None:
    assert snapshot.read_session(resources, session).failure == ("", "")
    failed = start_session(
        resources,
        Draft("failed", {"error": "No disk.", "next_step": "Buy one.", "type": "StoreError"}, "1"),
    )[0]
    assert failed.failure == ("No disk.", "Buy one.")


# -- how far it is ------------------------------------------------------------


def test_stages_of_a_finished_session_are_the_funnel(resources: Resources, session: str) -> None:
    shown = snapshot.read_session(resources, session)
    funnel = report.build(shown.run).funnel
    stages = {stage.name: stage for stage in snapshot.list_stages(shown)}
    assert list(stages) == ["Plan", "Search", "Read", "Judge", "Gate", "Write"]
    assert {stage.state for stage in stages.values()} == {"done"}
    assert stages["Search"].figures == (
        (funnel["found"], "found", ""),
        (funnel["eligible"], "eligible", "More credible than the minimum, or your own"),
    )
    assert stages["Read"].figures == ((funnel["fetched"], "read", ""),)
    assert stages["Gate"].figures == ((funnel["kept"], "kept", ""),)


@pytest.mark.parametrize(
    ("decision", "state", "figures"),
    [
        ("full_report", "done", (0, "cited sentences", "")),
        ("short_report", "done", (0, "cited sentences", "")),
        ("insufficient_data", "halted", ("–", "no report", "")),
    ],
)
def test_writing_is_ticked_only_where_it_came_to_a_report(
    resources: Resources, decision: str, state: str, figures: tuple[int | str, str, str]
) -> None:
    ended = Draft("report", {"decision": decision, "sha": "", "markdown": ""})
    shown = start_session(
        resources, Draft("gated", GATED), Draft("verified", {"blocks": []}), ended
    )[0]
    heartbeats.forget_executor(resources.db, str(shown.info.row.executor))
    write = snapshot.list_stages(snapshot.read_session(resources, shown.session))[-1]
    assert (write.name, write.state, write.figures) == ("Write", state, (figures,))


def test_stages_under_way_and_halted(resources: Resources) -> None:
    nothing = {
        "order": 0,
        "place": 0,
        "query": QUESTION,
        "engine": "library",
        "state": "empty",
        "reason": "",
        "results": 0,
    }
    shown = start_session(resources, Draft("searched", nothing))[0]
    assert [stage.state for stage in snapshot.list_stages(shown)] == [
        "now",
        "now",
        "to come",
        "to come",
        "to come",
        "to come",
    ]
    heartbeats.forget_executor(resources.db, str(shown.info.row.executor))
    halted = snapshot.list_stages(snapshot.read_session(resources, shown.session))
    assert [stage.state for stage in halted] == [
        "halted",
        "halted",
        "to come",
        "to come",
        "to come",
        "to come",
    ]


def test_a_session_in_the_queue_shows_the_steps_and_the_gate_of_its_own_mode(
    resources: Resources,
) -> None:
    run = RunSettings(mode="exhaustive")
    queued = snapshot.read_session(resources, session_start.new_session(resources, QUESTION, run))
    stages = snapshot.list_stages(queued)
    assert "Look for gaps" in [stage.name for stage in stages]
    assert stages[0].figures == ()
    assert snapshot.build_gate_outlook(queued).mode == ResearchMode.from_name("exhaustive")


def test_deep_mode_has_one_stage_more(resources: Resources) -> None:
    assert [stage.name for stage in snapshot.list_stages(start_session(resources, mode="deep")[0])][
        3
    ] == "Look for gaps"


# -- its text, while it is written --------------------------------------------


def piece(start: int, text: str, of: str = "write", call: str = "c", **more: Any) -> Draft:
    return Draft("delta", {"of": of, "call": call, "start": start, "text": text, **more})


@pytest.mark.parametrize(
    ("drafts", "text"),
    [
        ([], ""),
        ([piece(0, "Whales "), piece(7, "dive.")], "Whales dive."),
        ([piece(0, "Whales "), piece(7, "dive."), piece(0, "They ")], "They "),
        ([piece(0, "Whales "), piece(0, "{}", "plan")], "Whales "),
        ([piece(0, "Whales "), Draft("voided", {"key": "c"}, "c~1")], ""),
        ([piece(0, "Whales "), Draft("voided", {"key": "c"}, "c~1"), piece(0, "They ")], "They "),
        (
            [
                piece(0, "Whales "),
                Draft("written", {"text": "Whales dive.", "removed": 0}, "written"),
            ],
            "",
        ),
        (
            [
                piece(0, "Whales ", "write_section", "a"),
                piece(0, "Seals ", "write_section", "b"),
                piece(7, "dive.", "write_section", "a"),
                piece(6, "rest.", "write_section", "b"),
                piece(0, "Both swim.", "write_frame", "f"),
            ],
            "Whales dive.\n\nSeals rest.\n\nBoth swim.",
        ),
        (
            [
                piece(0, "Whales ", "write_section", "a", part="Which dive?"),
                piece(0, "Seals rest.", "write_section", "b", part="Which rest?"),
                piece(0, "They dive", "write_section", "c", part="Which dive?", attempt=2),
                piece(0, "deep.", "write_section", "d", part="Which dive?", attempt=2),
            ],
            "They dive\n\ndeep.\n\nSeals rest.",
        ),
    ],
    ids=[
        "nothing yet",
        "as it comes",
        "made anew",
        "of the writer",
        "voided",
        "after a void",
        "written",
        "in sections",
        "a section asked again and continued",
    ],
)
def test_text_being_written_is_that_of_the_attempt_in_force(
    resources: Resources, drafts: list[Draft], text: str
) -> None:
    assert snapshot.join_written_so_far(start_session(resources, *drafts)[0]) == text


class Slow:
    """The offline model, its text passed on piece by piece."""

    name = "offline"

    def __init__(self, resources: Resources, session: str) -> None:
        self.look = lambda: snapshot.join_written_so_far(snapshot.read_session(resources, session))
        self.seen: list[str] = []
        self.took = 0.0

    def open(self) -> None: ...

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        reply = OfflineModel().run(request)
        began = time.monotonic()
        for start in range(0, len(reply.text), 60) if on_text else ():
            assert on_text is not None
            on_text(reply.text[start : start + 60])
            self.seen.append(self.look())
            time.sleep(0.03)
        self.took += time.monotonic() - began if on_text else 0.0
        return reply


def test_report_can_be_read_while_it_is_written(resources: Resources) -> None:
    made = session_start.new_session(resources, QUESTION, RunSettings())
    model = Slow(resources, made)
    assert (
        runner.resume_or_run(resources, made, heartbeats.make_executor_id(), model=model).outcome
        == "done"
    )
    steps = list(dict.fromkeys(model.seen))
    assert len(steps) > 2
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(steps))
    pieces = [
        event for event in snapshot.read_session(resources, made).events if event.kind == "delta"
    ]
    assert len(pieces) <= 4 * model.took + 2
    assert snapshot.join_written_so_far(snapshot.read_session(resources, made)) == ""


def test_source_that_is_not_judged_yet_says_how_far_it_is(resources: Resources) -> None:
    far = {"document:a": "waiting", "document:b": "reading", "document:c": "judging"}
    shown = start_session(
        resources,
        *map(make_found_event, far),
        Draft("admitted", {"url": "document:b"}, "b"),
        Draft("admitted", {"url": "document:c"}, "c"),
        Draft(
            "fetched",
            {"url": "document:c", "final_url": "document:c", "title": "C", "page": "Text."},
            "c",
        ),
    )[0]
    assert {source.url: source.status for source in shown.sources} == far
    heartbeats.forget_executor(resources.db, str(shown.info.row.executor))
    ended = snapshot.read_session(resources, shown.session).sources
    assert {source.status for source in ended} == {"not_read"}
    assert {source.url: source.reason for source in ended} == {
        "document:a": "not read: the run ended before",
        "document:b": "not read: the run ended before",
        "document:c": "read, not judged: the run ended before",
    }


def test_source_that_is_waited_for_is_so_under_other_settings_too(resources: Resources) -> None:
    page = {
        "url": "https://tides.example.org/a",
        "title": "A",
        "snippet": "",
        "engine": "library",
        "order": 0,
        "rank": 0,
    }
    parts = {
        "score": 0.4,
        "domain": 0.4,
        "relevance": 0.0,
        "recency": 0.0,
        "tier": "organisation",
        "matched": [],
        "missing": [],
    }
    shown = start_session(
        resources,
        make_found_event("document:a"),
        Draft("found", {**page, "parts": parts}, page["url"]),
    )[0]
    stricter = whatif.decide_under(
        shown.run,
        whatif.tune_settings(shown.run, replace(whatif.read_dials(shown.run), minimum=1.0)),
    )
    looser = whatif.decide_under(
        shown.run,
        whatif.tune_settings(shown.run, replace(whatif.read_dials(shown.run), minimum=0.0)),
    )
    for what, status in ((stricter, "blocked"), (looser, "readable")):
        there = {
            source.url: source.status
            for source in snapshot.mark_pending_sources(shown, what.sources)
        }
        assert there == {"document:a": "waiting", page["url"]: status}
    heartbeats.forget_executor(resources.db, str(shown.info.row.executor))
    ended = snapshot.mark_pending_sources(
        snapshot.read_session(resources, shown.session), stricter.sources
    )
    assert {source.url: source.reason for source in ended}[
        "document:a"
    ] == "not read: the run ended before"


def test_source_that_the_gate_left_unread_is_waited_for_no_longer(resources: Resources) -> None:
    unread = {"url": "document:a", "status": "not_read", "reason": ""}
    gated = {**GATED, "decision": "insufficient_data", "verdicts": [unread], "total": 0}
    shown = start_session(
        resources, make_found_event("document:a"), Draft("gated", gated, "gated")
    )[0]
    assert shown.at_work
    assert [
        source.status
        for source in snapshot.mark_pending_sources(
            shown, report_sources.list_sources(shown.run, shown.gate)
        )
    ] == ["not_read"]


def test_sources_of_a_finished_session_are_the_report_s(resources: Resources, session: str) -> None:
    shown = snapshot.read_session(resources, session)
    assert shown.sources == report.build(shown.run).sources


# -- what was asked of it


def test_what_was_asked_waits_until_it_is_taken_up(resources: Resources) -> None:
    shown, log = start_session(resources, make_found_event("document:a"))
    session_control.send_command(resources, shown.session, "strike", url="document:a")
    session_control.send_command(resources, shown.session, "instruct", text="and the turtles")
    waiting = snapshot.read_session(resources, shown.session)
    assert [(a.do, a.about, a.state) for a in snapshot.list_commands(waiting)] == [
        ("strike", "“a” (library document)", "waiting"),
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
        asked.state
        for asked in snapshot.list_commands(snapshot.read_session(resources, shown.session))
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
    "total": 3,
    "unscored": 0,
    "domains": 2,
    "copies": 0,
}


# -- the gate -----------------------------------------------------------------


def test_bar_counts_what_is_judged_and_what_is_on_the_way(resources: Resources) -> None:
    urls = [f"document:{letter}" for letter in "abc"]
    admitted = [Draft("admitted", {"url": url}, url) for url in urls]
    shown, log = start_session(
        resources,
        *map(make_found_event, urls),
        *admitted,
        make_judged_event(urls[0], 4),
        make_judged_event(urls[1], 2),
    )
    bar = snapshot.build_gate_outlook(shown)
    assert (bar.kept, bar.dropped, bar.coming, bar.decision) == (1, 1, 1, "")
    log.append(Draft("gated", GATED, "gated"))
    assert (
        snapshot.build_gate_outlook(snapshot.read_session(resources, shown.session)).decision
        == "short_report"
    )


def test_bar_counts_no_copy_of_what_is_kept(resources: Resources) -> None:
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
    shown, _ = start_session(
        resources,
        *map(make_found_event, urls),
        *fetched,
        *(make_judged_event(url, 4) for url in urls),
    )
    bar = snapshot.build_gate_outlook(shown)
    assert (bar.kept, bar.copies) == (3, 2)


@pytest.mark.parametrize(
    ("kept", "twice", "outlook"),
    [
        (0, 0, "Not enough yet. A short report needs 2 more."),
        (1, 0, "Not enough yet. A short report needs 1 more."),
        (2, 0, "Enough for a short report. A full one needs 1 more."),
        (3, 0, "Enough for a full report."),
        (9, 0, "Enough for a full report."),
        (9, 1, "Enough for a full report."),
        (5, 3, "Enough for a short report. A full one needs 1 more."),
    ],
)
def test_outlook_says_what_the_gate_would_decide_so_far(
    kept: int, twice: int, outlook: str
) -> None:
    mode = ResearchMode.from_name("standard", min_full=3, min_short=2)
    assert snapshot.GateOutlook(kept, 0, 0, mode, copies=twice).outlook == outlook


def test_scores_and_choice_of_judged_sources(resources: Resources) -> None:
    urls = [f"document:{letter}" for letter in "abc"]
    shown, _ = start_session(
        resources,
        *map(make_found_event, urls),
        make_judged_event(urls[0], 4),
        make_judged_event(urls[1], 2),
    )
    assert snapshot.count_scores(shown) == {0: 0, 1: 0, 2: 1, 3: 0, 4: 1, 5: 0}
    assert [source.url for source in snapshot.list_read_sources(shown)] == urls[:2]


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
    assert (
        "".join(s.title for s in snapshot.filter_sources(sources, statuses, scores, order))
        == wanted
    )


def test_arrivals_stand_as_they_were_taken_up(resources: Resources) -> None:
    shown, log = start_session(
        resources, *(make_found_event(f"document:{letter}") for letter in "zya")
    )
    assert [source.title for source in snapshot.list_by_arrival(shown)] == ["z", "y", "a"]
    log.append(Draft("admitted", {"url": "document:a"}, "a"), make_judged_event("document:y", 5))
    assert [
        source.title
        for source in snapshot.list_by_arrival(snapshot.read_session(resources, shown.session))
    ] == [
        "a",
        "z",
        "y",
    ]


def test_text_in_the_making_is_read_in_blocks(resources: Resources, session: str) -> None:
    shown, _ = start_session(
        resources,
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
        (block.kind, block.sentences[0].text) for block in snapshot.parse_written_so_far(shown)
    ] == [
        ("heading", "Summary"),
        ("paragraph", "The tide turns."),
    ]
    assert snapshot.parse_written_so_far(snapshot.read_session(resources, session))
