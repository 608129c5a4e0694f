"""A stored session as a screen reads it."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from research_core.errors import UsageError
from research_core.journal import store
from research_core.journal.events import Draft
from research_core.llm.offline import OfflineModel
from research_core.model_messages import ModelReply, ModelRequest
from research_core.models import Passage, Principal, ReportSource
from research_core.pipeline import report
from research_core.policy import RunSettings
from research_core.sessions import executors, reading, runner, whatif
from research_core.sessions.reading import Reading
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.desks import research

QUESTION = "What are the environmental risks of deep-sea mining?"


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    return Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path_factory.mktemp("home"))}))


@pytest.fixture(scope="module")
def session(office: Resources) -> str:
    """A session that was researched on the sample library."""
    return research(office, QUESTION)


def begun(office: Resources, *drafts: Draft, mode: str = "standard") -> Reading:
    """A session of this process with just these events."""
    made = runner.new_session(office, QUESTION, RunSettings(mode=mode))
    executor = runner.make_executor_id()
    epoch = store.take_session(office.db, LOCAL_USER, made, executor, office.clock.now())
    executors.record_beat(office.db, executor, office.clock.now())
    log = open_log(office, LOCAL_USER, made, epoch=epoch)
    log.append(
        Draft(
            "created",
            {"question": QUESTION, "settings": RunSettings(mode=mode).to_json(), "session": made},
            "created",
        ),
        *drafts,
    )
    return reading.read_session(office, made)


# -- reading on ------------------------------------------------------------------------------------------------------------


def test_unmoved_session_is_the_same_reading(office: Resources, session: str) -> None:
    shown = reading.read_session(office, session)
    assert reading.read_session(office, session, before=shown) is shown


def test_reading_on_equals_reading_anew(office: Resources) -> None:
    before = begun(office)
    log = open_log(office, LOCAL_USER, before.session, epoch=before.info.row.epoch)
    log.append(
        Draft(
            "planned",
            {"part": "plan", "queries": [{"text": "tides", "order": 1, "purpose": "planned"}]},
            "plan",
        )
    )
    after = reading.read_session(office, before.session, before=before)
    assert after.seq > before.seq
    assert after == reading.read_session(office, before.session)
    assert [query["text"] for query in after.run.queries.values()] == ["tides"]


def test_status_that_moved_is_a_new_reading(office: Resources) -> None:
    before = begun(office)
    executors.forget_executor(office.db, str(before.info.row.executor))
    after = reading.read_session(office, before.session, before=before)
    assert (before.info.status, after.info.status) == ("running", "interrupted")
    assert after.run is before.run
    assert (before.at_work, after.at_work) == (True, False)


def test_a_new_title_and_new_tags_reach_a_reading_that_is_held(office: Resources) -> None:
    before = begun(office, piece(0, "Whales"))
    runner.rename(office, before.session, "Mining")
    named = reading.read_session(office, before.session, before=before)
    assert (named.info.row.title, named.run, named.events) == ("Mining", before.run, before.events)
    runner.tag(office, before.session, ["sea"])
    tagged = reading.read_session(office, before.session, before=named)
    assert tagged.info.row.tags == ("sea",)
    assert reading.read_session(office, before.session, before=tagged) is tagged


def test_a_call_alone_moves_no_reading(office: Resources) -> None:
    before = begun(office)
    log = open_log(office, LOCAL_USER, before.session, epoch=before.info.row.epoch)
    time.sleep(0.002)
    log.append(Draft("call", {"kind": "model", "value": {}}, "call:1"))
    assert runner.read_session_info(office, before.session).row.updated > before.info.row.updated
    assert reading.read_session(office, before.session, before=before) is before


def test_text_in_the_making_is_read_without_folding_the_log_again(office: Resources) -> None:
    before = begun(office)
    log = open_log(office, LOCAL_USER, before.session, epoch=before.info.row.epoch)
    log.append(piece(0, "Whales "), piece(7, "dive."))
    after = reading.read_session(office, before.session, before=before)
    assert after.run is before.run
    assert reading.join_written_so_far(after) == "Whales dive."
    log.append(
        piece(12, " They"), Draft("written", {"text": "Whales dive. They", "removed": 0}, "written")
    )
    ended = reading.read_session(office, before.session, before=after)
    assert ended.run.written
    assert ended == reading.read_session(office, before.session)


def test_the_gate_of_a_reading_is_worked_out_once(office: Resources, session: str) -> None:
    shown = reading.read_session(office, session)
    assert shown.gate is shown.gate
    assert reading.list_sources(shown) is reading.list_sources(shown)


def test_reading_of_another_session_is_not_built_on(office: Resources, session: str) -> None:
    assert reading.read_session(office, session, before=begun(office)) == reading.read_session(
        office, session
    )


def test_calls_are_not_read(office: Resources, session: str) -> None:
    kinds = {event.kind for event in reading.read_session(office, session).events}
    assert "report" in kinds
    assert "call" not in kinds


@pytest.mark.parametrize(
    "who", [LOCAL_USER, Principal("another", "user")], ids=["unknown", "of somebody else"]
)
def test_session_that_is_not_there_is_said(office: Resources, session: str, who: Principal) -> None:
    with pytest.raises(UsageError, match="There is no session"):
        reading.read_session(office, "0" * 32 if who == LOCAL_USER else session, who=who)


def test_failure_is_the_one_that_ended_the_last_attempt(office: Resources, session: str) -> None:
    assert reading.read_session(office, session).failure == ("", "")
    failed = begun(
        office,
        Draft("failed", {"error": "No disk.", "next_step": "Buy one.", "type": "StoreError"}, "1"),
    )
    assert failed.failure == ("No disk.", "Buy one.")


# -- how far it is ---------------------------------------------------------------------------------------------------------


def test_stages_of_a_finished_session_are_the_funnel(office: Resources, session: str) -> None:
    shown = reading.read_session(office, session)
    funnel = report.build(shown.run).funnel
    stages = {stage.name: stage for stage in reading.list_stages(shown)}
    assert list(stages) == ["Plan", "Search", "Read", "Judge", "Gate", "Write"]
    assert {stage.state for stage in stages.values()} == {"done"}
    assert stages["Search"].figures == (
        (funnel["found"], "found"),
        (funnel["eligible"], "eligible"),
    )
    assert stages["Read"].figures == ((funnel["fetched"], "fetched"),)
    assert stages["Gate"].figures == ((funnel["kept"], "kept"),)


@pytest.mark.parametrize(
    ("decision", "state", "figures"),
    [
        ("full_report", "done", (0, "cited sentences")),
        ("short_report", "done", (0, "cited sentences")),
        ("insufficient_data", "halted", ("no", "report")),
    ],
)
def test_writing_is_ticked_only_where_it_came_to_a_report(
    office: Resources, decision: str, state: str, figures: tuple[int | str, str]
) -> None:
    ended = Draft("report", {"decision": decision, "sha": "", "markdown": ""})
    shown = begun(office, Draft("gated", {"kept": []}), Draft("verified", {"blocks": []}), ended)
    executors.forget_executor(office.db, str(shown.info.row.executor))
    write = reading.list_stages(reading.read_session(office, shown.session))[-1]
    assert (write.name, write.state, write.figures) == ("Write", state, (figures,))


def test_stages_under_way_and_halted(office: Resources) -> None:
    nothing = {
        "order": 0,
        "place": 0,
        "query": QUESTION,
        "engine": "library",
        "state": "empty",
        "reason": "",
        "results": 0,
    }
    shown = begun(office, Draft("searched", nothing))
    assert [stage.state for stage in reading.list_stages(shown)] == [
        "now",
        "now",
        "to come",
        "to come",
        "to come",
        "to come",
    ]
    executors.forget_executor(office.db, str(shown.info.row.executor))
    halted = reading.list_stages(reading.read_session(office, shown.session))
    assert [stage.state for stage in halted] == [
        "halted",
        "halted",
        "to come",
        "to come",
        "to come",
        "to come",
    ]


def test_deep_mode_has_one_stage_more(office: Resources) -> None:
    assert [stage.name for stage in reading.list_stages(begun(office, mode="deep"))][
        3
    ] == "Look for gaps"


# -- sources ---------------------------------------------------------------------------------------------------------------


# -- its text, while it is written -------------------------------------------------------------------------------------------


def piece(start: int, text: str, of: str = "write") -> Draft:
    return Draft("delta", {"of": of, "call": "c", "start": start, "text": text})


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
    ],
    ids=[
        "nothing yet",
        "as it comes",
        "made anew",
        "of the writer",
        "voided",
        "after a void",
        "written",
    ],
)
def test_text_being_written_is_that_of_the_attempt_in_force(
    office: Resources, drafts: list[Draft], text: str
) -> None:
    assert reading.join_written_so_far(begun(office, *drafts)) == text


class Slow:
    """The offline model, its text passed on piece by piece."""

    name = "offline"

    def __init__(self, office: Resources, session: str) -> None:
        self.look = lambda: reading.join_written_so_far(reading.read_session(office, session))
        self.seen: list[str] = []
        self.took = 0.0

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


def test_report_can_be_read_while_it_is_written(office: Resources) -> None:
    made = runner.new_session(office, QUESTION, RunSettings())
    model = Slow(office, made)
    assert (
        runner.resume_or_run(office, made, runner.make_executor_id(), model=model).outcome == "done"
    )
    steps = list(dict.fromkeys(model.seen))
    assert len(steps) > 2
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(steps))
    pieces = [event for event in reading.read_session(office, made).events if event.kind == "delta"]
    assert len(pieces) <= 4 * model.took + 2
    assert reading.join_written_so_far(reading.read_session(office, made)) == ""


def found(url: str) -> Draft:
    data = {
        "url": url,
        "title": url,
        "snippet": "",
        "engine": "library",
        "order": 0,
        "rank": 0,
        "parts": None,
    }
    return Draft("found", data, url)


def test_source_that_is_not_judged_yet_says_how_far_it_is(office: Resources) -> None:
    far = {"document:a": "waiting", "document:b": "reading", "document:c": "judging"}
    shown = begun(
        office,
        *map(found, far),
        Draft("admitted", {"url": "document:b"}, "b"),
        Draft("admitted", {"url": "document:c"}, "c"),
        Draft(
            "fetched",
            {"url": "document:c", "final_url": "document:c", "title": "C", "page": "Text."},
            "c",
        ),
    )
    assert {source.url: source.status for source in reading.list_sources(shown)} == far
    executors.forget_executor(office.db, str(shown.info.row.executor))
    ended = reading.list_sources(reading.read_session(office, shown.session))
    assert {(source.status, source.reason) for source in ended} == {
        ("not_read", "not read: the run ended before")
    }


def test_source_that_is_waited_for_is_so_under_other_settings_too(office: Resources) -> None:
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
    shown = begun(
        office, found("document:a"), Draft("found", {**page, "parts": parts}, page["url"])
    )
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
            for source in reading.mark_pending_sources(shown, what.sources)
        }
        assert there == {"document:a": "waiting", page["url"]: status}
    executors.forget_executor(office.db, str(shown.info.row.executor))
    ended = reading.mark_pending_sources(
        reading.read_session(office, shown.session), stricter.sources
    )
    assert {source.url: source.reason for source in ended}[
        "document:a"
    ] == "not read: the run ended before"


def test_source_that_the_gate_left_unread_is_waited_for_no_longer(office: Resources) -> None:
    gated = {
        "decision": "insufficient_data",
        "rationale": "0 kept",
        "reason": "",
        "kept": [],
        "verdicts": [],
    }
    shown = begun(office, found("document:a"), Draft("gated", gated, "gated"))
    assert shown.at_work
    assert [
        source.status
        for source in reading.mark_pending_sources(
            shown, report.list_sources(shown.run, shown.gate)
        )
    ] == ["not_read"]


def test_sources_of_a_finished_session_are_the_report_s(office: Resources, session: str) -> None:
    shown = reading.read_session(office, session)
    assert reading.list_sources(shown) == report.build(shown.run).sources


# -- citations -------------------------------------------------------------------------------------------------------------


def test_citations_are_numbered_and_lead_to_stored_pages(office: Resources, session: str) -> None:
    built = report.build(reading.read_session(office, session).run)
    sentences = [sentence for block in built.blocks for sentence in block.sentences]
    citations = reading.list_citations(built)
    assert [cited.number for cited in citations] == list(range(1, len(citations) + 1))
    for cited in citations:
        assert sentences[cited.place] is cited.sentence
        assert {passage.id for passage in cited.passages} <= set(cited.sentence.citations)
        page = reading.read_page_text(office, cited.source.page)
        assert all(page[passage.start : passage.end] == passage.text for passage in cited.passages)


def test_page_that_is_not_stored_is_empty(office: Resources, session: str) -> None:
    assert reading.read_page_text(office, "no such hash") == ""
    page = next(
        source.page
        for source in report.build(reading.read_session(office, session).run).sources
        if source.page
    )
    assert reading.read_page_text(office, page, who=Principal("another", "user")) == ""


PAGE = (
    "Before one. Before two. The tide turns\n  twice a day. It never tires. After one. After two."
)
BEFORE, AFTER = ("Before one. Before two. ", 0, 0), (" After one. After two.", 0, 0)
TIDE = Passage("p00000001", "The tide turns\n  twice a day. It never tires.", 24, 69)


@pytest.mark.parametrize(
    ("page", "sentence", "around", "pieces"),
    [
        (
            PAGE,
            "The tide turns twice a day.",
            400,
            [BEFORE, (TIDE.text[:29], 1, 1), (" It never tires.", 1, 0), AFTER],
        ),
        (PAGE, "Something else.", 400, [BEFORE, (TIDE.text, 1, 0), AFTER]),
        (PAGE, "", 8, [("…two. ", 0, 0), (TIDE.text, 1, 0), (" After…", 0, 0)]),
        ("", "", 400, [(TIDE.text, 1, 0)]),
        (
            "Another text that holds no such passage at that place, however long it may be.",
            "",
            400,
            [(TIDE.text, 1, 0)],
        ),
    ],
    ids=["quoted", "not quoted", "cut", "no page", "other page"],
)
def test_excerpt(page: str, sentence: str, around: int, pieces: list[tuple[str, int, int]]) -> None:
    assert list(reading.build_excerpt(page, TIDE, sentence, around=around).pieces) == pieces


def test_excerpt_gives_the_page_back_verbatim(office: Resources, session: str) -> None:
    for cited in reading.list_citations(report.build(reading.read_session(office, session).run)):
        page = reading.read_page_text(office, cited.source.page)
        for passage in cited.passages:
            whole = "".join(
                text
                for text, _, _ in reading.build_excerpt(
                    page, passage, cited.sentence.text, around=len(page)
                ).pieces
            )
            assert whole == page


def test_where_a_passage_stands_in_its_page() -> None:
    first, last = Passage("p00000001", "two", 4, 7), Passage("p00000002", "four", 14, 18)
    source = ReportSource("document:0", "T", 1, "kept", "", None, passages=(last, first))
    assert reading.find_passage_position(
        source, first, "one two three four  "
    ) == reading.PassagePosition(1, 2, 0.2)
    assert reading.find_passage_position(
        source, last, "one two three four  "
    ) == reading.PassagePosition(2, 2, 0.7)
    assert reading.find_passage_position(source, last, "") == reading.PassagePosition(2, 2, 0.0)
