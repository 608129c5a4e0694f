"""The Live screen, without a browser: a session in every state it can be in, and what can be done to it there."""

from __future__ import annotations

import pytest

from research_core import runner, store
from research_core.events import Draft
from research_core.wiring import LOCAL, open_log
from research_core.workers import Engine
from tests.desks import ANSWERED, Desk, keys, links, shown, words


def test_without_a_session_it_says_what_it_is_for(desk: Desk) -> None:
    at = shown("live.py")
    assert [title.value for title in at.title] == ["Live"]
    assert "Here you watch a question being answered" in words(at)
    assert ("", "Ask a question") in links(at)
    assert not at.dataframe


@pytest.mark.parametrize("page", ["live.py", "sources.py", "gate.py", "report.py"])
def test_unknown_session_is_said_with_the_next_step(desk: Desk, page: str) -> None:
    at = shown(page, session="0123abcd")
    assert "There is no session 0123abcd" in at.error[0].value
    assert "Next step:" in words(at)
    assert ("sessions", "Open a session") in links(at)


def test_running_session_shows_stages_sources_and_what_happened(desk: Desk) -> None:
    at = shown("live.py", session=desk.cut("running"))
    said = words(at)
    assert [title.value for title in at.title] == [ANSWERED]
    assert "● running" in said
    assert said.count('aria-current="step"') == 3  # search, read and judge run side by side
    assert "<b>7</b> fetched" in said
    assert "search library: 10 results" in said
    assert keys(at) == {"stop", "cancel"}
    assert "✓ kept" in at.dataframe[0].value["state"].iloc[0]


def test_source_on_its_way_says_how_far_it_is(desk: Desk) -> None:
    states = {state for (state,) in shown("live.py", session=desk.cut("running", before="judged")).dataframe[0].value["state"]}
    assert {"◑ being judged", "⊘ blocked"} <= states
    assert "✓ kept" not in states
    assert "○ not read" not in states


def test_waiting_session_can_be_cancelled_and_has_nothing_to_write_from(desk: Desk) -> None:
    at = shown("live.py", session=desk.cut("queued"))
    assert "waits for a worker" in words(at)
    assert at.button(key="stop").disabled
    assert not at.button(key="cancel").disabled


def test_failed_session_says_why_and_resumes(desk: Desk) -> None:
    at = shown("live.py", session=desk.cut("failed"))
    assert at.error[0].value == r"The model answers \<b\>nothing\</b\> ."
    assert "**Next step:** Resume later." in words(at)
    assert keys(at) == {"resume"}


@pytest.mark.parametrize(
    ("status", "said"),
    [("interrupted", "Nothing it gathered is lost"), ("cancelled", "was cancelled before its report")],
)
def test_session_that_ended_without_a_report_resumes(desk: Desk, status: str, said: str) -> None:
    at = shown("live.py", session=desk.cut(status))
    assert said in at.info[0].value
    assert keys(at) == {"resume"}


def test_finished_session_leads_to_its_report(desk: Desk) -> None:
    at = shown("live.py", session=desk.answered)
    assert ("report", "Read the full report") in links(at)
    assert 'aria-current="step"' not in words(at)
    assert keys(at) == set()


def test_session_without_enough_leads_to_the_reason(desk: Desk) -> None:
    assert ("report", "See why there is no report") in links(shown("live.py", session=desk.unanswered))


def test_stop_and_write_now_is_asked_for_once(desk: Desk) -> None:
    session = desk.cut("running")
    at = shown("live.py", session=session)
    at.button(key="stop").click().run()
    assert not at.exception
    commands = [event.data for event in open_log(desk.office, LOCAL, session).read(kinds=("command",))]
    assert commands == [{"do": "stop"}]
    assert at.button(key="stop").disabled
    assert "will be written from what has been read" in words(at)


def test_waiting_session_is_cancelled(desk: Desk, engine: Engine) -> None:
    session = desk.cut("queued")
    at = shown("live.py", session=session)
    at.button(key="cancel").click().run()
    assert not at.exception
    assert runner.session_info(desk.office, session).status == "cancelled"
    assert keys(at) == {"resume"}


def test_resume_puts_the_session_into_the_queue(desk: Desk, engine: Engine) -> None:
    session = desk.cut("failed")
    at = shown("live.py", session=session)
    at.button(key="resume").click().run()
    assert not at.exception
    assert runner.session_info(desk.office, session).status == "queued"
    assert keys(at) == {"stop", "cancel"}


def test_what_the_log_says_next_is_drawn_by_the_next_look(desk: Desk) -> None:
    session = desk.cut("running")
    at = shown("live.py", session=session)
    epoch = store.session_row(desk.office.db, LOCAL, session).epoch
    open_log(desk.office, LOCAL, session, epoch=epoch).append(Draft("finished", {"outcome": "cancelled"}, str(epoch)))
    at.run()
    assert "✕ cancelled" in words(at)


def test_events_of_others_stay_words(desk: Desk) -> None:
    session = desk.cut("running")
    epoch = store.session_row(desk.office.db, LOCAL, session).epoch
    hostile = {"order": 1, "place": 0, "query": "<b>x</b>", "engine": "x", "state": "failed", "reason": "<img src=//evil.example>"}
    open_log(desk.office, LOCAL, session, epoch=epoch).append(Draft("search_failed", hostile))
    said = words(shown("live.py", session=session))
    assert "&lt;img src=//evil.example&gt;" in said
    assert "<img" not in said
