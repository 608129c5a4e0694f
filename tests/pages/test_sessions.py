"""The Sessions screen, without a browser."""

from __future__ import annotations

import pytest

from research_core import runner
from research_core.policy import RunSettings
from research_core.wiring import Office
from tests.desks import ANSWERED, Desk, links, shown, words

STATUSES = ("queued", "running", "interrupted", "failed", "cancelled")


def test_empty_list_says_how_to_start(office: Office) -> None:
    at = shown("sessions.py")
    assert [title.value for title in at.title] == ["Sessions"]
    assert [heading.value for heading in at.subheader] == ["No sessions yet"]
    assert [code.value for code in at.code] == ['python3 run.py ask "…"']
    assert ("", "Ask a question") in links(at)


@pytest.mark.parametrize(("status", "word"), [("queued", "◌ waiting"), *((status, status) for status in STATUSES[1:])])
def test_each_status_is_said_in_a_word_and_leads_to_live(desk: Desk, status: str, word: str) -> None:
    session = desk.cut(status)
    at = shown("sessions.py")
    assert word in words(at)
    assert linked(at, session) == "live"


def test_finished_session_leads_to_its_report(desk: Desk) -> None:
    assert linked(shown("sessions.py"), desk.answered) == "report"


def test_sessions_at_work_stand_first_then_the_newest(desk: Desk) -> None:
    running, failed = desk.cut("running"), desk.cut("failed")
    at = shown("sessions.py")
    order = [element.proto.query_string for element in at.get("page_link")]
    assert order == [f"session={id}" for id in (running, failed, desk.unanswered, desk.answered)]


def test_long_list_is_shown_in_pages(office: Office) -> None:
    for number in range(27):
        runner.new_session(office, f"Question number {number}?", RunSettings())
    at = shown("sessions.py")
    assert len(at.get("page_link")) == 25
    at.session_state["page"] = 2
    at.run()
    assert [label for _, label in links(at)] == ["Question number 1?", "Question number 0?"]


def test_hostile_question_stays_words(office: Office) -> None:
    runner.new_session(office, "What is ![x](http://evil.example/) and :material/check: and <b>bold</b>?", RunSettings())
    ((_, label),) = links(shown("sessions.py"))
    assert "![" not in label
    assert "http://evil.example/" not in label
    assert ":material/" not in label


def linked(at, session: str) -> str:
    return next(element.proto.page for element in at.get("page_link") if element.proto.query_string == f"session={session}")


def test_question_is_the_link(desk: Desk) -> None:
    assert ("report", ANSWERED) in links(shown("sessions.py"))
